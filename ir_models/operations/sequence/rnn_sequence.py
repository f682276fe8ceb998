"""RNNSequence: a recurrent network along a sequence, in one or both directions (page RNNSequence-5)."""

from ir_models.declaration import *
from ir_models.families.cells import BEYOND_LENGTH, LENGTH_0, UNSETTLED, cell

RNNSequence = cell(
    "RNNSequence-5",
    "opset5",
    types("T1", "any supported floating-point type"),
    gates=1,
    activations=("tanh",),
    states=("H",),
    outputs=("Y", "Ho"),
    lengths=types("T2", "any supported integer type"),
    examples=examples("""
        X=[1,4,16]; H=[1,1,128]; sequence_lengths=4; W=[1,128,16]; R=[1,128,128]; B=[1,128]; hidden_size=128;
            direction=forward -> [1,1,4,128], [1,1,128]
            altered: the page prints no direction, which is required, and no value of sequence_lengths
    """),
    violations=["W=[2,3,5]", "R=[2,3,4]", "B=[2,3]"],
    readings=[BEYOND_LENGTH, LENGTH_0, UNSETTLED],
)
