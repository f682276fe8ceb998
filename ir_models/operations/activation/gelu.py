"""Gelu: x·Φ(x), Φ the distribution function of the normal distribution (pages Gelu-2, Gelu-7)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "arbitrary supported floating-point type")

FAR = "data=f32:[-50.0,-14.0,-9.5,-7.25,7.25,9.5,14.0,50.0]"

Gelu_2 = unary(
    "Gelu-2",
    "opset2",
    T,
    reals(-6.0, 6.0),
    example=(1, 128),
    variants=variants(f"""
        far-from-zero: where one of the two formulas saturates before the other
            {FAR}
    """),
    readings=[
        Reading(
            "'may be approximated as follows'",
            "Each element is what either formula gives.",
            "Both stand on the page.",
        )
    ],
)

Gelu_7 = unary(
    "Gelu-7",
    "opset7",
    T,
    reals(-6.0, 6.0),
    attributes=[Attribute("approximation_mode", ("erf", "tanh"), default="erf", plain="erf")],
    examples=examples("""
        data=f32[1,128]; approximation_mode=tanh -> [1,128]
        data=f32[3,7,9]; approximation_mode=erf -> [3,7,9]
    """),
    variants=variants(f"""
        far-from-zero: where one of the two formulas saturates before the other
            {FAR}; approximation_mode=erf|tanh
    """),
    readings=[
        Reading(
            "the formula at -infinity, which is infinity times 0",
            "It is not judged.",
            "Its limit is 0, which the page does not say.",
            "silence",
        ),
    ],
)
