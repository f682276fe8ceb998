"""ReduceLogicalOr: whether any is true, over axes (page ReduceLogicalOr-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import reduced, reduction

T_BOOL = types("T_BOOL", "boolean")


def values(layer, kind):
    """So little that is true that results differ."""
    return [True, *[False] * max(reduced(layer), 1)]


ReduceLogicalOr = reduction(
    "ReduceLogicalOr-1",
    "opset1",
    T_BOOL,
    Within(values),
    variants=variants("""
        truth-table: all pairs of truth values
            data=boolean:[[false,false],[false,true],[true,false],[true,true]]; axes=[1]|[-1]
    """),
)
