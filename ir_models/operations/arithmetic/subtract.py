"""Subtract: a - b (page Subtract-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import HALVES, binary, halves

T = types("T", "any numeric type")


def upper_halves(layer, kind):
    """Unsigned integers that no number of the lower half exceeds."""
    if kind.kind != "uint":
        return halves(layer, kind)
    most = halves(layer, kind).high
    return Interval(most, 2 * most)


Subtract = binary("Subtract-1", "opset1", T, values=(Within(upper_halves), HALVES))
