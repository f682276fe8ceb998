"""Clamp: numbers within an interval, others replaced by its ends (page Clamp-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any numeric type")

REALS = "[-1.75,-1.5,-1.25,-0.0,0.0,2.0,2.25,2.5]"
WHOLE = "[-3,-2,-1,0,1,2,3]"


def around(layer, kind):
    """Numbers within and on both sides, where the ends are not far away."""
    return Interval(max(layer.min, -100.0) - 4, min(layer.max, 100.0) + 4)


Clamp = unary(
    "Clamp-1",
    "opset1",
    T,
    Within(around),
    attributes=[
        Attribute("min", float, required=True, plain=-1.5),
        Attribute("max", float, required=True, plain=2.25),
    ],
    examples=examples("data=f32[256]; min=10; max=50 -> [256]"),
    rules=[
        rule(
            "min is at most max",
            lambda layer: layer.min <= layer.max,
            "min=2.5; max=2.25",
            reading=Reading(
                "'Element values of the output are within the range [min, max]'",
                "An empty range is invalid.",
                "No number is within it.",
                admits="The result of the formula, which is max.",
            ),
        )
    ],
    variants=variants(f"""
        ends: on both ends and on both sides of each
            data=f32:{REALS}|f16:{REALS}|bf16:{REALS}|f64:{REALS}
        integral: ceil converts min and floor max
            data=i32:{WHOLE}|i8:{WHOLE}|i64:{WHOLE}; min=-1.5|-0.25; max=1.5|2.0
            data=i32:{WHOLE}|i16:{WHOLE}; min=0.5; max=2.0|2.75
            data=u8:[0,1,2,3,4]|u32:[0,1,2,3,4]; min=-1.5|0.5|1.0; max=2.25|3.5
        beyond-the-type: an end that no number of the type reaches changes none
            data=i8:[-128,-127,0,126,127]; min=-1000.0; max=1000.0
            data=u8:[0,1,128,254,255]; min=-3.0; max=300.0
            data=i32:[{-(2**31)},-16777217,16777217,{2**31 - 1}]; min=-3e9; max=3e9
            data=i64:[{-(2**63)},{-(2**53) - 1},{2**53 + 1},{2**63 - 1}]; min=-1e20; max=1e20
            data=f16:[-65504.0,-1.0,1.0,65504.0]; min=-1e5; max=1e5
        one-sided: an end far away
            min=0.0; max=3.4e38
            min=-3.4e38; max=0.0
        no-end: an infinite end bounds nothing, as models write one for it
            data=i8:[-128,-1,0,1,127]|u8:[0,1,127,128,255]|f32:{REALS}|f16:{REALS}; min=0.0; max=inf
            data=i8:[-128,-1,0,1,127]|i64:{WHOLE}|f32:{REALS}; min=-inf; max=0.0
        one-number (may be constant): an interval of one number
            min=1.5; max=1.5
    """),
)
