"""LogicalAnd: whether both are true (page LogicalAnd-1)."""

from ir_models.declaration import Operation, Within, example
from ir_models.element_types import BOOLEAN, boolean, types
from ir_models.elementwise import binary, binary_layers

T_BOOL = types("T_BOOL", BOOLEAN)


def _beside(name):
    """True where there is but little of this input, so that the other one shows."""
    return Within(lambda layer, kind: [True] if layer.inputs[name].size < 4 else None)


LogicalAnd = Operation(
    "LogicalAnd-1",
    opset="opset1",
    **binary(
        T_BOOL,
        "none",
        "numpy",
        "pdpd",
        values=(_beside("a"), _beside("b")),
        # The page's examples print no attributes.
        examples=[
            example(a=boolean[256, 56], b=boolean[256, 56], output=[256, 56], ports=[0, 1, 2]),
            example(
                a=boolean[8, 1, 6, 1], b=boolean[7, 1, 5], output=[8, 7, 6, 5], ports=[0, 1, 2]
            ),
        ],
        variants={
            "truth-table": [
                {
                    "a": boolean.tensor([False, False, True, True]),
                    "b": boolean.tensor([False, True, False, True]),
                }
            ]
        },
    ),
)
binary_layers(LogicalAnd)
