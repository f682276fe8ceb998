"""GroupNormalization (page GroupNormalization-12)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.dividing import batches
from reference.shared.normalizing import Normalized, NormalizedSlices


def _groups(data: np.ndarray, num_groups: int, epsilon: float) -> NormalizedSlices:
    """data [N, C, ...] as [N, G, elements of a group], normalized along the last axis."""
    count = data.size // max(data.shape[0] * num_groups, 1)
    grouped = data.astype(np.float64).reshape(data.shape[0], num_groups, count)
    return NormalizedSlices(grouped, (2,), epsilon)


def _of_call(call: Call) -> tuple[NormalizedSlices, np.ndarray, np.ndarray]:
    """The slices, and the sizes of scale and bias as they broadcast to data."""
    slices = _groups(call.array(0), call.attributes["num_groups"], call.attributes["epsilon"])
    rank = call.array(0).ndim
    return slices, *(np.abs(_of_channels(call.reals(index), rank)) for index in (1, 2))


def _terms(call: Call) -> int:
    return _of_call(call)[0].data.shape[2]


def _after(call: Call) -> np.ndarray:
    """The sizes of the two numbers that are added at the end, and may cancel."""
    slices, scale, bias = _of_call(call)
    return scale * np.abs(slices.normalized).reshape(call.array(0).shape) + bias


def _magnitude(call: Call) -> np.ndarray:
    """The magnitude of the normalized data times scale; the product and the sum with bias round once each."""
    slices, scale, _ = _of_call(call)
    own = scale * slices.magnitude.reshape(call.array(0).shape)
    return own + 2 * _after(call) / max(_terms(call), 1)


def _kept(call: Call) -> np.ndarray:
    """The kept part of the normalized data times scale; the product and the sum, rounded to the working precision."""
    slices, scale, _ = _of_call(call)
    return scale * slices.kept.reshape(call.array(0).shape) + _after(call)


def _slope(call: Call) -> np.ndarray:
    """The slope of the normalized data times scale."""
    slices, scale, _ = _of_call(call)
    slopes = np.broadcast_to(slices.slope, slices.data.shape)
    return scale * slopes.reshape(call.array(0).shape)


def _flushed(call: Call) -> np.ndarray:
    """What is flushed of the normalized data times scale."""
    slices, scale, _ = _of_call(call)
    return scale * slices.flushed(call.precision(0)).reshape(call.array(0).shape)


def _moved(call: Call, spread: np.ndarray) -> np.ndarray:
    """What moves of the normalized data times scale."""
    slices, scale, _ = _of_call(call)
    caused = slices.caused(spread.reshape(slices.data.shape))
    return scale * caused.reshape(call.array(0).shape)


def _overflows(call: Call) -> np.ndarray:
    """Where the data of a group overflow before the division, or are multiplied by scale before it."""
    slices, scale, _ = _of_call(call)
    precision, shape = call.precision(0), call.array(0).shape
    groups = np.broadcast_to(slices.overflows(precision), slices.data.shape).reshape(shape)
    return groups | (scale * np.abs(call.reals(0)) >= precision.overflow)


def _of_channels(values: np.ndarray, rank: int) -> np.ndarray:
    """[C] -> [C, 1, ...], which broadcasts to data of this rank."""
    return values.reshape(-1, *[1] * (rank - 2))


@implements(
    "GroupNormalization-12",
    accuracy=Normalized(
        _terms,
        extra=4,
        magnitude=_magnitude,
        kept=_kept,
        slope=_slope,
        flushed=_flushed,
        silent=_overflows,
        moved=_moved,
    ),
    parts=batches,
)
def group_normalization(
    data: np.ndarray, scale: np.ndarray, bias: np.ndarray, *, num_groups: int, epsilon: float
) -> np.ndarray:
    """scale · (data - mean) / sqrt(variance + epsilon) + bias, mean and variance those of a group of channels.

    data [N, C, ...], scale [C], bias [C] -> float64 in the shape of data. Each image has ``num_groups`` groups of C / G
    channels that follow each other. Raises ValueError for other shapes, a number of groups that does not divide C, and
    for epsilon that is not positive.
    """
    if data.ndim < 2:
        raise ValueError(f"GroupNormalization-12: data must have rank 2 or more, got {data.ndim}")
    channels = data.shape[1]
    if not 1 <= num_groups <= channels or channels % num_groups:
        raise ValueError(
            f"GroupNormalization-12: num_groups must divide {channels} channels, got {num_groups}"
        )
    if not epsilon > 0:
        raise ValueError(f"GroupNormalization-12: epsilon must be positive, got {epsilon}")
    for what, values in (("scale", scale), ("bias", bias)):
        if values.shape != (channels,):
            raise ValueError(
                f"GroupNormalization-12: {what} must have shape [{channels}], got {list(values.shape)}"
            )
    normal = _groups(data, num_groups, epsilon).normalized.reshape(data.shape)
    factor, shift = (_of_channels(v.astype(np.float64), data.ndim) for v in (scale, bias))
    return normal * factor + shift
