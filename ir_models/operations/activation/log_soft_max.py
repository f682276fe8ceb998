"""LogSoftmax: the logarithm of softmax along an axis (page LogSoftmax-5)."""

from ir_models.declaration import *
from ir_models.families.softmax import softmax

T = types("T", "any floating-point type")

LogSoftmax = softmax(
    "LogSoftmax-5",
    "opset5",
    T,
    data="x",
    output="y",
    example_shape=[256, 56],
    ports=[0, 3],
    variants=variants("""
        small-results: the logarithm of something close to 1
            x=f32:[[12.0,0.5,-3.0],[-20.0,3.5,-9.25]]
    """),
)
