"""Sign: -1, 0 or 1 (page Sign-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any numeric type")

ZEROS = "[0.0,-0.0,0.001,-0.001,5.0,-5.0]"

Sign = unary(
    "Sign-1",
    "opset1",
    T,
    reals(-3.0, 3.0),
    example=(256, 56),
    variants=variants(f"""
        zero: 0 for zeros of both signs, not for numbers next to them
            data=f32:{ZEROS}|f16:{ZEROS}|bf16:{ZEROS}|f64:{ZEROS}
    """),
)
