"""LSTMCell: one step of a long short-term memory (page LSTMCell-1, the form that opset4 has)."""

from ir_models.declaration import *
from ir_models.families.cells import cell

LSTMCell = cell(
    # The page is called LSTMCell-1. The inputs that it lists (no peepholes) are those of the type in opset4.
    "LSTMCell-4",
    "opset4",
    types("T", "any supported floating-point type"),
    gates=4,
    activations=("sigmoid", "tanh", "tanh"),
    states=("initial_hidden_state", "initial_cell_state"),
    outputs=("Ho", "Co"),
    bias_optional=True,
    examples=examples("""
        X=[1,16]; initial_hidden_state=[1,128]; initial_cell_state=[1,128]; W=[512,16]; R=[512,128]; B=[512];
            hidden_size=128 -> [1,128], [1,128]
    """),
    violations=["W=[4,5]", "R=[12,4]", "B=[4]"],
    readings=[
        Reading(
            "NaN under clip or relu, sums that overflow in some order of addition",
            "Elements that depend on them are not judged.",
            "Clip and relu are defined by comparisons of numbers.",
            "silence",
        ),
    ],
)
