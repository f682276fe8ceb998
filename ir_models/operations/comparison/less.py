"""Less: whether elements of a are less than those of b (page Less-1)."""

from ir_models.element_types import ANY, string, types
from ir_models.families.elementwise import comparison

# The page gives strings no order.
T = types("T", (kind for kind in ANY if kind is not string))

Less = comparison("Less-1", T, printed=("", ""))
