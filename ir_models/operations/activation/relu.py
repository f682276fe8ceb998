"""ReLU: max(0, x) (page ReLU-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any supported numeric type")

ZEROS = "[0.0,-0.0,0.001,-0.001,5.0,-5.0]"

ReLU = unary(
    "ReLU-1",
    "opset1",
    T,
    reals(-100.0, 100.0),
    example=(256, 56),
    variants=variants(f"""
        zero: both sides of 0
            data=f32:{ZEROS}|f16:{ZEROS}|bf16:{ZEROS}|f64:{ZEROS}
            data=i32:[0,1,-1,16777217,-16777217]|i64:[0,1,-1,4294967301,-4294967301]
    """),
)
