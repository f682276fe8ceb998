"""LSTMSequence: a long short-term memory along a sequence (pages LSTMSequence-1 and -5, in the same words)."""

from functools import partial

from ir_models.declaration import *
from ir_models.families.cells import BEYOND_LENGTH, LENGTH_0, UNSETTLED, cell

sequence = partial(
    cell,
    types=types("T1", "any supported floating-point type"),
    gates=4,
    activations=("sigmoid", "tanh", "tanh"),
    states=("initial_hidden_state", "initial_cell_state"),
    outputs=("Y", "Ho", "Co"),
    lengths=types("T2", "any supported integer type"),
    examples=examples("""
        X=[1,4,16]; initial_hidden_state=[1,1,128]; initial_cell_state=[1,1,128]; sequence_lengths=4;
            W=[1,512,16]; R=[1,512,128]; B=[1,512]; hidden_size=128; direction=forward
            -> [1,1,4,128], [1,1,128], [1,1,128]
            altered: the page prints no direction, which is required, and no value of sequence_lengths
    """),
    violations=["W=[2,4,5]", "R=[2,12,4]", "B=[2,12]"],
    readings=[
        Reading(
            "Y: '3D tensor of type T1 [batch_size, num_directions, seq_len, hidden_size]'",
            "It has four dimensions.",
            "The shape, and the example.",
            "slip",
        ),
        BEYOND_LENGTH,
        LENGTH_0,
        UNSETTLED,
    ],
)

LSTMSequence1 = sequence("LSTMSequence-1", "opset1")
LSTMSequence5 = sequence("LSTMSequence-5", "opset5")
