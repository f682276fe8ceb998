"""ReduceL2 (page ReduceL2-4)."""

import math

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum, accumulator, integer_range, is_float
from reference.shared.dividing import reduced
from reference.shared.reductions import count, reduce


def half_terms(call: Call) -> float:
    """The roundings of the sum of squares, whose relative error a root halves; none of no axes."""
    return (count(call) + 1) / 2 if call.array(1).size else 0.0


def norm(call: Call) -> np.ndarray:
    """The norm, and what is lost where squares are so small that they vanish, in units of the sum's rounding."""
    (size,) = call.magnitudes
    if not call.array(1).size:
        return size
    working = call.precision(0)
    vanishing = count(call) * working.smallest_normal
    kept = np.sqrt(np.maximum(size**2 - vanishing, 0))
    return size + (size - kept) / (half_terms(call) * accumulator(working).unit)


def squares(call: Call) -> np.ndarray:
    """The sum of squares in units of ``norm``: it overflows before the norm does."""
    (size,) = call.magnitudes
    return np.where(size > 0, size**2 / np.maximum(norm(call), np.finfo(float).tiny), 0)


def between_integers(call: Call) -> np.ndarray:
    """1 where a root of an integer is no integer: the page does not say how it is rounded."""
    (exact,) = call.wide(1)
    return (exact != np.rint(exact)).astype(float)


# Positive terms: the sum of squares errs by a rounding of each square and one for each addition, relative to the sum.
@implements(
    "ReduceL2-4",
    accuracy=Sum(
        terms=half_terms,
        extra=1,
        magnitude=norm,
        partial=squares,
        operands=1,
        levels=between_integers,
    ),
    parts=reduced,
)
def reduce_l2(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool = False) -> np.ndarray:
    """Roots of sums of squares over ``axes``, which stay as dimensions of 1 where ``keep_dims``.

    Of integers they are rounded down, at most to the largest of the type. No axes leave the data as it is, signs too.
    Raises ValueError for an axis that does not exist or is repeated.
    """
    if not axes.size:
        return reduce(np.sum, "ReduceL2-4", data, axes, keep_dims)
    if is_float(data.dtype):
        return np.sqrt(reduce(np.sum, "ReduceL2-4", data.astype(np.float64) ** 2, axes, keep_dims))
    # Python's integers: squares of 64-bit numbers do not overflow.
    total = reduce(np.sum, "ReduceL2-4", data.astype(object) ** 2, axes, keep_dims)
    _, most = integer_range(data.dtype)
    return np.vectorize(lambda each: min(math.isqrt(each), most), [object])(total).astype(
        data.dtype
    )
