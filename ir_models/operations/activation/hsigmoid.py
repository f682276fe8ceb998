"""HSigmoid: min(max(x + 3, 0), 6) / 6 (page HSigmoid-5)."""

from ir_models.declaration import types
from ir_models.families.elementwise import HARD_ENDS, reals, unary

T = types("T", "any floating-point type")

HSigmoid = unary(
    "HSigmoid-5",
    "opset5",
    T,
    reals(-5.0, 5.0),
    example=(256,),
    variants=HARD_ENDS,
)
