"""GreaterEqual: whether elements of a are greater than those of b, or equal (page GreaterEqual-1)."""

from ir_models.declaration import types
from ir_models.element_types import string
from ir_models.families.elementwise import NO_ORDER, comparison

T = types("T", "arbitrary supported type", unasked=[string])

GreaterEqual = comparison(
    "GreaterEqual-1", T, printed=("", ""), beside=(False, True), readings=[NO_ORDER]
)
