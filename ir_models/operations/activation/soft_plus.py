"""SoftPlus: log(e^x + 1), linear from a threshold on (page SoftPlus-4)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")
BELOW_ZERO = "[-1.5,-2.25,-3.125,-4.0,-5.5,-7.0,-8.0]"

SoftPlus = unary(
    "SoftPlus-4",
    "opset4",
    T,
    reals(-1.0, 25.0, f16=(-1.0, 14.0)),
    example=(256, 56),
    variants=variants(f"""
        threshold: the thresholds of f32 and f16, and where e^x overflows
            data=f32:[19.0,19.999,20.0,20.001,21.0,88.0,89.5,1000.0]
            data=f16:[10.0,10.5,11.0,11.5,12.0,100.0,1000.0,60000.0]
        below-zero: the answer is small: an absolute error takes its digits
            data=f32:{BELOW_ZERO}|f16:{BELOW_ZERO}|bf16:{BELOW_ZERO}
            data=f32:[-10.0,-14.0,-17.0,-30.0,-80.0,-1000.0]
    """),
)
