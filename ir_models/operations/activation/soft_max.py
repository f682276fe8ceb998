"""SoftMax: e^z / Σ e^z along an axis (page SoftMax-8)."""

from ir_models.declaration import Reading, types
from ir_models.families.softmax import softmax

T = types("T", "floating-point type")

SoftMax_8 = softmax(
    "SoftMax-8",
    "opset8",
    T,
    data="data",
    output="output",
    example_shape=[2, 5],
    readings=[
        Reading(
            "the element type of data",
            "A floating-point type.",
            "The page lists no types; quotients of powers of e are reals.",
            "silence",
        ),
        Reading(
            "the shapes of the example",
            "Those of the plain layer.",
            "The page prints dots.",
            "silence",
        ),
    ],
)
