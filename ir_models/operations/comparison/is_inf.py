"""IsInf: whether a number is infinite, of the signs asked for (page IsInf-10)."""

from ir_models.declaration import *
from ir_models.families.elementwise import SUBNORMALS, T_BOOL, some_not_finite, unary

T_IN = types("T_IN", "any supported floating-point type")

IsInf = unary(
    "IsInf-10",
    "opset10",
    T_IN,
    some_not_finite,
    output=T_BOOL,
    attributes=[
        Attribute("detect_negative", bool, default=True, plain=True),
        Attribute("detect_positive", bool, default=True, plain=True),
    ],
    examples=examples(
        "data=f32[256,128]; detect_negative=true; detect_positive=true -> [256,128]", ports=(0, 0)
    ),
    variants=[
        SUBNORMALS,
        *variants("""
        signs (may be constant): both attributes false map all values to false
            detect_negative=true|false|-; detect_positive=true|false|-
        beyond-f32: numbers of f64 that f32 cannot hold are finite
            detect_negative=true; detect_positive=true; data=f64:[nan,inf,-inf,1e300,-1e300,1.0]
    """),
    ],
    sweep=False,
)
