"""NotEqual: whether elements are different (page NotEqual-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import comparison

T = types("T", "arbitrary supported type")

NotEqual = comparison(
    "NotEqual-1",
    T,
    examples=examples("""
        a=f32[256,56]; b=f32[256,56] -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5] -> [8,7,6,5]
    """),
)
