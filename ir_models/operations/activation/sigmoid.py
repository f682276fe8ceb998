"""Sigmoid: 1 / (1 + e^-x) (page Sigmoid-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any floating-point type")

Sigmoid = unary(
    "Sigmoid-1",
    "opset1",
    T,
    reals(-9.0, 9.0),
    example=(256, 56),
    variants=variants("""
        far-from-zero: the answer vanishes or is 1
            data=f32:[-14.0,-20.5,-40.0,-80.0,-87.0,14.0,20.5,40.0,88.0,89.5,1000.0]
            data=f16:[-9.5,-8.25,8.25,9.5,11.5,1000.0]
    """),
)
