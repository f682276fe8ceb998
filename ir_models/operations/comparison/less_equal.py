"""LessEqual: whether elements of a are less than those of b, or equal (page LessEqual-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import NO_ORDER, comparison
from ir_models.vocabulary.element_types import string

T = types("T", "arbitrary supported type", unasked=[string])

LessEqual = comparison(
    "LessEqual-1",
    T,
    beside=(True, False),
    readings=[NO_ORDER],
    examples=examples("""
        a=f32[256,56]; b=f32[256,56]; auto_broadcast=none -> [256,56]
        a=f32[8,1,6,1]; b=f32[7,1,5]; auto_broadcast=numpy -> [8,7,6,5]
    """),
)
