"""Identity: the input itself (page Identity-16)."""

from ir_models.declaration import *
from ir_models.element_types import ANY, types
from ir_models.families.elementwise import unary

T = types("T", ANY)

Identity = unary(
    "Identity-16",
    "opset16",
    T,
    data="input",
    examples=examples("input=f32[3,3] -> [3,3]"),
)
