"""CumSum (page CumSum-3)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, CarriedState
from reference.shared.axes import normalize_axis, require_rank
from reference.shared.elementwise import real


def summed(call: Call) -> np.ndarray:
    """The number of elements of each sum."""
    return cum_sum(np.ones_like(call.reals(0)), *call.inputs[1:], **call.attributes)


def _sizes(call: Call) -> np.ndarray:
    return call.magnitudes[0]


# Each sum is the one before, rounded to the output's type, and one more element: one rounding a step, by half an ulp of
# at most the sum of absolute values, or by one ulp where a device does not round to nearest.
@implements(
    "CumSum-3", accuracy=CarriedState(steps=summed, scale=_sizes, flushed=_sizes, operands=1)
)
def cum_sum(
    data: np.ndarray,
    axis: np.ndarray | None = None,
    *,
    exclusive: bool = False,
    reverse: bool = False,
) -> np.ndarray:
    """Sums of each element and those before it along ``axis``, or after it where ``reverse``; integers wrap.

    ``exclusive`` excludes the element itself. Raises ValueError where the axis does not exist.
    """
    if axis is not None:
        require_rank(axis, (0,), "CumSum-3: axis")
    along = normalize_axis(0 if axis is None else int(axis), data.ndim, "CumSum-3: axis")
    values = np.moveaxis(real(data), along, -1)
    if reverse:
        values = values[..., ::-1]
    if exclusive:
        values = np.concatenate([np.zeros_like(values[..., :1]), values[..., :-1]], axis=-1)
    sums = np.cumsum(values, axis=-1, dtype=values.dtype)
    if reverse:
        sums = sums[..., ::-1]
    return np.moveaxis(sums, -1, along)
