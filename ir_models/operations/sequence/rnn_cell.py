"""RNNCell: one step of a recurrent network (page RNNCell-3)."""

from ir_models.declaration import *
from ir_models.families.cells import UNSETTLED, cell

RNNCell = cell(
    "RNNCell-3",
    "opset3",
    types("T", "any supported floating-point type"),
    gates=1,
    activations=("tanh",),
    states=("H",),
    examples=examples("""
        X=[1,16]; H=[1,128]; W=[128,16]; R=[128,128]; B=[128]; hidden_size=128 -> [1,128]
    """),
    violations=["W=[3,5]", "R=[3,4]", "B=[3]"],
    readings=[UNSETTLED],
)
