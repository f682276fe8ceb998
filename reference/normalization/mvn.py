"""MVN (page MVN-6)."""

from dataclasses import replace
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Bounds, Call, Precision, Sum
from reference.shared.axes import require_rank
from reference.shared.reductions import count, normal_axes, size


def _mean(values: np.ndarray, along: tuple[int, ...]) -> np.ndarray:
    """The mean along axes, which stay; NaN where there is nothing."""
    return np.sum(values, axis=along, keepdims=True) / np.float64(size(values, along))


def _divisor(
    differences: np.ndarray, along: tuple[int, ...], eps: float, eps_mode: str
) -> np.ndarray:
    """The square root of the variance, kept away from zero."""
    variance = _mean(differences**2, along)
    return np.sqrt(variance + eps) if eps_mode == "inside_sqrt" else np.sqrt(variance) + eps


def _of(call: Call) -> tuple[np.ndarray, tuple[int, ...]]:
    """The data in float64 and the axes from 0."""
    return call.reals(0), normal_axes("MVN-6", call.array(0), call.array(1))


class _Normalized(Sum):
    """A sum's bound for what is divided by a deviation that is computed from the same sums.

    With n elements in a slice and M = mean |data| / divisor: the mean errs by n·u·mean |data|, and so does each
    difference; the divisor's relative error is that of the differences and half that of the sum of their squares. So
    an element y errs by at most n·u·(M·(1 + |y|) + |y|) and a few roundings of its own. The gate has room for a mean
    and differences that are rounded to the working precision on the way, however finely they are added up: by
    u·|mean| / divisor and by u·|y|; the variance stays in the accumulator, and of rounded differences has an error that
    is the same for all of a slice and not above theirs. All elements
    of a slice share one mean and one divisor: their errors are not independent, and are not tested together.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bound of ``Sum``, element by element, and two more roundings in the gate."""
        found = super().real_bounds(call, output_index, own, working)
        assert found.gate is not None
        between = 2 * working.unit * _kept(call)
        return replace(found, gate=found.gate + between, together=None)


def _magnitude(call: Call) -> np.ndarray:
    (data, along), y, attributes = _of(call), np.abs(call.outputs[0]), call.attributes
    magnitude = _mean(np.abs(data), along)
    if not attributes["normalize_variance"]:
        return magnitude + 0 * y
    differences = data - _mean(data, along)
    divisor = _divisor(differences, along, attributes["eps"], attributes["eps_mode"])
    return magnitude / divisor * (1 + y) + y


def _kept(call: Call) -> np.ndarray:
    """The sizes of the mean and of the difference that lead to each element, both over the divisor."""
    (data, along), y, attributes = _of(call), np.abs(call.outputs[0]), call.attributes
    mean = _mean(data, along)
    if not attributes["normalize_variance"]:
        return np.abs(mean) + y
    divisor = _divisor(data - mean, along, attributes["eps"], attributes["eps_mode"])
    return np.abs(mean) / divisor + y


def _overflows(call: Call) -> np.ndarray:
    """Where sums of finite numbers, or of their squares, reach infinity on the way to a finite result."""
    data, along = _of(call)
    finite = np.where(np.isfinite(data), data, 0)
    total = np.sum(np.abs(finite), axis=along, keepdims=True)
    if call.attributes["normalize_variance"]:
        differences = finite - _mean(finite, along)
        total = np.maximum(total, np.sum(differences**2, axis=along, keepdims=True))
    return total >= call.precision(0).overflow


@implements("MVN-6", accuracy=_Normalized(count, extra=4, magnitude=_magnitude, silent=_overflows))
def mvn(
    data: np.ndarray,
    axes: np.ndarray,
    *,
    normalize_variance: bool,
    eps: float,
    eps_mode: Literal["inside_sqrt", "outside_sqrt"],
) -> np.ndarray:
    """Subtract the mean along ``axes`` (a list of them, [n]) and, if asked, divide by the square root of the variance.

    ``eps`` keeps the divisor away from zero, added to the variance (``inside_sqrt``) or to its root
    (``outside_sqrt``). The page's text says variance where its formulas have the sum of squares without the number of
    elements; the text is meant, as eps is added to the variance. The result is float64 in the shape of ``data``.
    Raises ValueError for an axis outside [-r, r - 1] or given twice, and for eps that is not positive.
    """
    if not eps > 0:
        raise ValueError(f"MVN-6: eps must be positive, got {eps}")
    require_rank(axes, (1,), "MVN-6: axes")
    along = normal_axes("MVN-6", data, axes)
    values = data.astype(np.float64)
    differences = values - _mean(values, along)
    if not normalize_variance:
        return differences
    return differences / _divisor(differences, along, eps, eps_mode)
