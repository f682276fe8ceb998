"""LSTMCell: one step of a long short-term memory (page LSTMCell-1; opset4 has the operation anew)."""

from functools import partial

from ir_models.declaration import *
from ir_models.families.cells import STATE_CLIPPED, UNSETTLED, cell

lstm = partial(
    cell,
    types=types("T", "any supported floating-point type"),
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
    readings=[UNSETTLED, STATE_CLIPPED],
)

LSTMCell1 = lstm("LSTMCell-1", "opset1")
# No page has this name: the type in opset4, with the inputs of this page, is the one that models have.
LSTMCell4 = lstm("LSTMCell-4", "opset4")
