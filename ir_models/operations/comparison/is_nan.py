"""IsNaN: whether a number is NaN (page IsNaN-10)."""

from ir_models.declaration import *
from ir_models.element_types import FLOATS, types
from ir_models.families.elementwise import T_BOOL, some_not_finite, unary

T = types("T", FLOATS)

IsNaN = unary(
    "IsNaN-10",
    "opset10",
    T,
    some_not_finite,
    output=T_BOOL,
    examples=examples("""
        data=f32[256,56] -> [256,56]
    """),
    variants=variants("""
        printed: the page's own numbers
            data=f32:[nan,2.1,3.7,nan,inf]
    """),
    sweep=False,
)
