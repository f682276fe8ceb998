"""Identity: the input itself (page Identity-16)."""

from ir_models.declaration import *
from ir_models.families.elementwise import unary

T = types("T", "any supported data type")

Identity = unary(
    "Identity-16",
    "opset16",
    T,
    data="input",
    examples=examples("input=f32[3,3] -> [3,3]"),
)
