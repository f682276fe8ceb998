"""Erf: the Gauss error function (page Erf-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import reals, unary

T = types("T", "any supported numeric type")
SMALL = "[0.2,-0.0625,0.01,-0.001,0.0001,-0.00001]"

Erf = unary(
    "Erf-1",
    "opset1",
    T,
    reals(-5.0, 5.0, least=0.25),
    example=(256, 56),
    variants=variants(f"""
        near-zero: the answer is small: an absolute error takes its digits
            data=f32:{SMALL}|f16:{SMALL}|bf16:{SMALL}
    """),
    readings=[
        Reading(
            "erf(x) = pi^-1 times the integral of e^(-t^2) from -x to x",
            "The factor is pi^(-1/2).",
            "The Gauss error function, which the page names, goes to 1; with the printed factor it "
            "would go to 0.56.",
            "slip",
        ),
        Reading(
            "integers",
            "0 or the sign, whichever a device gives.",
            "The page does not say how an erf between two integers is rounded.",
            "silence",
        ),
    ],
)
