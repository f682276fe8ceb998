"""Subtract: a - b (page Subtract-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import HALVES, binary, halves

T = types("T", "any numeric type")


def upper_halves(layer, kind):
    """Unsigned integers that no number of the lower half exceeds."""
    if kind.kind != "uint":
        return halves(layer, kind)
    most = halves(layer, kind).high
    return Interval(most, 2 * most)


Subtract = binary(
    "Subtract-1",
    "opset1",
    T,
    algebra="sum",
    values=(Within(upper_halves), HALVES),
    variants=variants("""
        pdpd-of-unsigned: b fits the first dimensions of a as well
            a=u32[3,5,3]; b=u32[3]; auto_broadcast=pdpd
            a=u64[3,5,3]; b=u64[3]; auto_broadcast=pdpd
            a=u8[3,5,3]; b=u8[3]; auto_broadcast=pdpd
    """),
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
