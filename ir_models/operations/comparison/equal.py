"""Equal: whether elements are equal (page Equal-1)."""

from ir_models.declaration import types
from ir_models.families.elementwise import comparison

T = types("T", "arbitrary supported type")

Equal = comparison("Equal-1", T)
