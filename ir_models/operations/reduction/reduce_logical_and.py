"""ReduceLogicalAnd: whether all are true, over axes (page ReduceLogicalAnd-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import reduced, reduction

T_BOOL = types("T_BOOL", "boolean")


def values(layer, kind):
    """So little that is false that results differ."""
    return [False, *[True] * max(reduced(layer), 1)]


ReduceLogicalAnd = reduction(
    "ReduceLogicalAnd-1",
    "opset1",
    T_BOOL,
    Within(values),
    variants=variants("""
        truth-table: all pairs of truth values
            data=boolean:[[false,false],[false,true],[true,false],[true,true]]; axes=[1]|[-1]
    """),
)
