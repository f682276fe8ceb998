"""Exp: e^x (page Exp-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")

Exp = unary(
    "Exp-1",
    "opset1",
    T,
    reals(-20.0, 20.0, f16=(-9.0, 11.0)),
    example=(1, 256),
    variants=variants("""
        far-from-zero: the reduction of the argument, up to the largest and smallest powers of the type
            data=f32:[22.5,40.125,61.7,75.9,86.85,87.2,88.1,88.7]
            data=f32:[-22.5,-40.125,-61.7,-75.9,-86.85,-87.2,-87.3]
            data=bf16:[22.5,61.75,88.0,88.5,-40.25,-87.0]
            data=f16:[11.0,11.086,-9.5]
        overflow: powers beyond the range are infinite
            data=f32:[88.75,100.0,1e30,-104.5,-1000.0,1.0]
    """),
)
