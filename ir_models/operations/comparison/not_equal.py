"""NotEqual: whether elements are different (page NotEqual-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import comparison

T = types("T", "arbitrary supported type")

NotEqual = comparison("NotEqual-1", T, printed=("", ""))
