"""ReduceMean: arithmetic means over axes (page ReduceMean-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import SUMS, reduction, summands

T = types("T", "any supported numeric type")


def values(layer, kind):
    """Any numbers of few bits: those that may be summed have a mean of 0."""
    return None if kind.bits < 8 else summands(layer, kind)


ReduceMean = reduction(
    "ReduceMean-1",
    "opset1",
    T,
    Within(values),
    sums=SUMS,
    of_nothing=False,
)
