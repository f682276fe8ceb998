"""IsNaN: whether a number is NaN (page IsNaN-10)."""

from ir_models.declaration import *
from ir_models.families.elementwise import SUBNORMALS, T_BOOL, some_not_finite, unary

T = types("T", "any supported floating-point type")

IsNaN = unary(
    "IsNaN-10",
    "opset10",
    T,
    some_not_finite,
    output=T_BOOL,
    examples=examples("""
        data=f32[256,56] -> [256,56]
    """),
    variants=[
        SUBNORMALS,
        *variants("""
        printed: the page's own numbers
            data=f32:[nan,2.1,3.7,nan,inf]
        beyond-f32: numbers of f64 that f32 cannot hold are numbers
            data=f64:[nan,inf,-inf,1e300,-1e300,1.0]
    """),
    ],
    sweep=False,
)
