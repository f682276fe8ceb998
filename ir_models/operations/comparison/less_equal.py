"""LessEqual: whether elements of a are less than those of b, or equal (page LessEqual-1)."""

from ir_models.declaration import types
from ir_models.element_types import string
from ir_models.families.elementwise import NO_ORDER, comparison

T = types("T", "arbitrary supported type", unasked=[string])

LessEqual = comparison("LessEqual-1", T, beside=(True, False), readings=[NO_ORDER])
