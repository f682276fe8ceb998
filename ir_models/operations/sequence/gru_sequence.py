"""GRUSequence: a gated recurrent unit along a sequence, in one or both directions (page GRUSequence-5)."""

from ir_models.declaration import *
from ir_models.families.cells import BEYOND_LENGTH, LENGTH_0, cell

GRUSequence = cell(
    "GRUSequence-5",
    "opset5",
    types("T1", "any supported floating-point type"),
    gates=3,
    activations=("sigmoid", "tanh"),
    outputs=("Y", "Ho"),
    bias=lambda layer: 4 if layer.linear_before_reset else 3,
    lengths=types("T2", "any supported integer type"),
    attributes=[Attribute("linear_before_reset", bool, default=False, plain=True)],
    examples=examples("""
        X=[1,4,16]; initial_hidden_state=[1,1,128]; sequence_lengths=4; W=[1,384,16]; R=[1,384,128]; B=[1,384];
            hidden_size=128; direction=forward -> [1,1,4,128], [1,1,128]
            altered: the page prints no direction, which is required, and no value of sequence_lengths
    """),
    violations=["W=[2,4,5]", "R=[2,9,4]", "B=[2,16]; linear_before_reset=false", "B=[2,12]"],
    readings=[
        Reading(
            "B: 'tensor of type T'",
            "T is T1.",
            "The page does not define T, and has T1 for the other weights.",
            "slip",
        ),
        BEYOND_LENGTH,
        LENGTH_0,
    ],
)
