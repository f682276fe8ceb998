"""Greater: whether elements of a are greater than those of b (page Greater-1)."""

from ir_models.declaration import types
from ir_models.element_types import string
from ir_models.families.elementwise import NO_ORDER, comparison

T = types("T", "arbitrary supported type", unasked=[string])

Greater = comparison("Greater-1", T, readings=[NO_ORDER])
