"""Add: a + b (page Add-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import HALVES, binary

T = types("T", "any numeric type")

Add = binary(
    "Add-1",
    "opset1",
    T,
    algebra="sum",
    values=(HALVES, HALVES),
    variants=variants("""
        pdpd-from-either-side: b fits the first dimensions of a as well
            a=[3,5,3]; b=[3]; auto_broadcast=pdpd
            a=[2,4,5,2,4]; b=[2,4]; auto_broadcast=pdpd
    """),
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
