"""LRN (page LRN-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum, accumulator, flushed_factor, function_ulps
from reference.shared.axes import normalize_axes, require_rank
from reference.shared.dividing import but_the_axes


def _region_sums(squares: np.ndarray, along: list[int], size: int) -> np.ndarray:
    """For each element the sum over the region around it, from size / 2 before to size / 2 behind along each axis."""
    for axis in along:
        lines = np.moveaxis(squares, axis, 0)
        sums = np.zeros_like(lines)
        for place in range(len(lines)):
            sums[place] = lines[max(0, place - size // 2) : place + size // 2 + 1].sum(axis=0)
        squares = np.moveaxis(sums, 0, axis)
    return squares


def _terms(call: Call) -> float:
    """The squares of a region, and the roundings of alpha / size, of the product and of the sum with bias."""
    return float((call.attributes["size"] // 2 * 2 + 1) ** call.array(1).size + 3)


def _along(data: np.ndarray, axes: np.ndarray) -> list[int]:
    require_rank(axes, (1,), "LRN-1: axes")
    return normalize_axes(axes, data.ndim, "LRN-1: axes")


def _parts(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """The sum of squares, and what alpha makes of it."""
    data, axes, size = call.reals(0), call.array(1), call.attributes["size"]
    total = _region_sums(np.where(np.isfinite(data), data, 0) ** 2, _along(data, axes), size)
    return total, call.attributes["alpha"] / size**axes.size * total


def _magnitude(call: Call) -> np.ndarray:
    """|y| · beta, times what is lost where bias and the sum cancel: a relative error of the base counts beta times.

    The error of the power comes to that: OpenCL lets pow of f32 err by 16 ulp, of half by 4. Squares, alpha / size and
    their product may be flushed to zero.
    """
    bias, beta, working = call.attributes["bias"], call.attributes["beta"], call.precision(0)
    total, added = _parts(call)
    base = np.abs(bias + added)
    flushed = flushed_factor(added, np.maximum(total, 1), working)
    factor = np.abs(call.attributes["alpha"]) / call.attributes["size"] ** call.array(1).size
    flushed = flushed + np.minimum(factor * _terms(call) * working.smallest_normal, np.abs(added))
    acc = accumulator(working)
    lost = np.abs(bias) + np.abs(added) + flushed / (_terms(call) * acc.unit)
    power = function_ulps(16, acc) / _terms(call)
    return np.abs(call.outputs[0]) * (beta * lost / np.where(base > 0, base, 1) + power)


def _overflows(call: Call) -> np.ndarray:
    """Where a square or their sum overflows, and where the power has no number in the type."""
    total, added = _parts(call)
    precision = call.precision(0)
    base = np.abs(call.attributes["bias"] + added)
    power = base ** call.attributes["beta"]
    below = np.minimum(np.where(base > 0, base, 1), np.where(power > 0, power, 1))
    return (np.maximum(total, power) >= precision.overflow) | (below < precision.smallest_normal)


# The quotient rounds once.
@implements(
    "LRN-1",
    accuracy=Sum(terms=_terms, extra=1, magnitude=_magnitude, silent=_overflows),
    parts=but_the_axes,
)
def lrn(
    data: np.ndarray, axes: np.ndarray, *, alpha: float, beta: float, bias: float, size: int
) -> np.ndarray:
    """data / (bias + alpha / size ** len(axes) * sum of squares) ** beta.

    The sum is that of the region around each element, ``size`` long along each of ``axes`` [n], which ends where data
    end. The result is float64 in the shape of data. The page's fraction adds up data, its code their squares (``** 2``,
    ``sqr_sum``), and squares are meant; size / 2 is that of whole numbers, so that an even size has one element more.
    Raises ValueError for axes outside of data or given twice, and for a size or beta that is not positive.
    """
    for name, value in (("size", size), ("beta", beta)):
        if not value > 0:
            raise ValueError(f"LRN-1: {name} must be positive, got {value}")
    values = data.astype(np.float64)
    total = _region_sums(values**2, _along(data, axes), size)
    return values / (bias + alpha / size**axes.size * total) ** beta
