"""SoftMax: e^z / Σ e^z along an axis (pages SoftMax-1, SoftMax-8)."""

from ir_models.declaration import Reading, types
from ir_models.families.softmax import softmax

T = types("T", "floating-point type")

READINGS = [
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
]

SoftMax_1 = softmax(
    "SoftMax-1",
    "opset1",
    T,
    data="input",
    output="output",
    example_shape=[2, 5],
    from_end=False,
    readings=[
        *READINGS,
        Reading(
            "axis: 'positive integer value'",
            "0 is one of them.",
            "It is the only axis of a vector.",
            admits="A device that refuses axis 0.",
        ),
    ],
)

SoftMax_8 = softmax(
    "SoftMax-8",
    "opset8",
    T,
    data="data",
    output="output",
    example_shape=[2, 5],
    readings=READINGS,
)
