"""Equal: whether elements are equal (page Equal-1)."""

from ir_models.element_types import ANY, types
from ir_models.families.elementwise import comparison

T = types("T", ANY)

Equal = comparison("Equal-1", T)
