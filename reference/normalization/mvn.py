"""MVN (pages MVN-1, MVN-6)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.axes import normalize_axes, require_rank
from reference.shared.dividing import but_axes, but_the_axes
from reference.shared.normalizing import NormalizedSlices, divisor, mean, normalized
from reference.shared.reductions import count, normal_axes, size


def _slices_6(call: Call) -> NormalizedSlices:
    along = normal_axes("MVN-6", call.array(0), call.array(1))
    named = ("eps", "eps_mode", "normalize_variance")
    return NormalizedSlices(call.reals(0), along, *(call.attributes[name] for name in named))


def _slices_1(call: Call) -> NormalizedSlices:
    given = {"across_channels": None, "reduction_axes": None, **call.attributes}
    along = _along(call.array(0), given["across_channels"], given["reduction_axes"])
    variance = given["normalize_variance"]
    return NormalizedSlices(call.reals(0), along, given["eps"], normalize_variance=variance)


def _along(
    data: np.ndarray, across_channels: bool | None, reduction_axes: Sequence[int] | None
) -> tuple[int, ...]:
    """The axes of a slice of MVN-1. Raises ValueError where none, or both, of the attributes are given."""
    if (across_channels is None) == (reduction_axes is None):
        raise ValueError("MVN-1: give one of across_channels and reduction_axes")
    if reduction_axes is not None:
        return tuple(normalize_axes(reduction_axes, data.ndim, "MVN-1: reduction_axes"))
    first = 1 if across_channels else 2
    if data.ndim <= first:
        raise ValueError(f"MVN-1: data must have rank {first + 1} or more, got {data.ndim}")
    return tuple(range(first, data.ndim))


@implements(
    "MVN-1",
    accuracy=normalized(_slices_1, lambda call: size(call.array(0), _slices_1(call).along)),
    parts=but_axes(
        lambda data, given: _along(data, given.get("across_channels"), given.get("reduction_axes"))
    ),
)
def mvn_1(
    data: np.ndarray,
    *,
    across_channels: bool | None = None,
    reduction_axes: Sequence[int] | None = None,
    normalize_variance: bool,
    eps: float,
) -> np.ndarray:
    """Like MVN-6 with ``eps`` inside of the root, along ``reduction_axes`` or, of data [N, C, *spatial], along the
    spatial axes and with ``across_channels`` the channels as well.

    Raises ValueError where not one of the two is given, and as MVN-6.
    """
    along = _along(data, across_channels, reduction_axes)
    return _normalize("MVN-1", data, along, normalize_variance, eps, "inside_sqrt")


@implements("MVN-6", accuracy=normalized(_slices_6, count), parts=but_the_axes)
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
    require_rank(axes, (1,), "MVN-6: axes")
    along = normal_axes("MVN-6", data, axes)
    return _normalize("MVN-6", data, along, normalize_variance, eps, eps_mode)


def _normalize(
    name: str,
    data: np.ndarray,
    along: tuple[int, ...],
    normalize_variance: bool,
    eps: float,
    eps_mode: str,
) -> np.ndarray:
    if not eps > 0:
        raise ValueError(f"{name}: eps must be positive, got {eps}")
    values = data.astype(np.float64)
    differences = values - mean(values, along)
    if not normalize_variance:
        return differences
    return differences / divisor(differences, along, eps, eps_mode)
