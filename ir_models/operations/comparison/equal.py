"""Equal: whether elements are equal (page Equal-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import comparison

T = types("T", "arbitrary supported type")

Equal = comparison(
    "Equal-1",
    T,
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
