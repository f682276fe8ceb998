"""GRUCell: one step of a gated recurrent unit (page GRUCell-3)."""

from ir_models.declaration import *
from ir_models.families.cells import UNSETTLED, cell

GRUCell = cell(
    "GRUCell-3",
    "opset3",
    types("T", "any supported floating-point type"),
    gates=3,
    activations=("sigmoid", "tanh"),
    bias=lambda layer: 4 if layer.linear_before_reset else 3,
    bias_optional=True,
    attributes=[Attribute("linear_before_reset", bool, default=False, plain=True)],
    examples=examples("""
        X=[1,16]; initial_hidden_state=[1,128]; W=[384,16]; R=[384,128]; B=[512]; hidden_size=128;
            linear_before_reset=true -> [1,128]
            altered: the page prints B of 768 elements, where 4 * hidden_size are 512; and linear_before_reset="1"
    """),
    violations=["W=[4,5]", "R=[9,4]", "B=[16]; linear_before_reset=false", "B=[12]"],
    readings=[
        Reading(
            "B: 'Optional'",
            "B left out is 0.",
            "The page has no default; LSTMCell has 'if not specified - assumed to be 0'.",
            "silence",
        ),
        UNSETTLED,
    ],
)
