"""GRUSequence: a gated recurrent unit along a sequence, in one or both directions (page GRUSequence-5)."""

from ir_models.declaration import *
from ir_models.element_types import FLOATS, INTEGERS, types
from ir_models.families.cells import cell

GRUSequence = cell(
    "GRUSequence-5",
    "opset5",
    types("T1", FLOATS),  # The page gives B the type T, which it does not define.
    gates=3,
    activations=("sigmoid", "tanh"),
    outputs=("Y", "Ho"),
    bias=lambda layer: 4 if layer.linear_before_reset else 3,
    lengths=types("T2", INTEGERS),
    attributes=[Attribute("linear_before_reset", bool, default=False, plain=True)],
    examples=examples("""
        X=[1,4,16]; initial_hidden_state=[1,1,128]; sequence_lengths=4; W=[1,384,16]; R=[1,384,128]; B=[1,384];
            hidden_size=128; direction=forward -> [1,1,4,128], [1,1,128]
            erratum: the page prints no direction, which is required, and no value of sequence_lengths
    """),
    violations=["W=[2,4,5]", "R=[2,9,4]", "B=[2,16]; linear_before_reset=false", "B=[2,12]"],
)
