"""FakeQuantize (page FakeQuantize-1)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call, Choice, Function
from reference.shared.broadcasting import broadcast, one_directional
from reference.shared.dividing import elementwise


def _in_shape_of_x(x: np.ndarray, *limits: np.ndarray, auto_broadcast: str) -> list[np.ndarray]:
    """X and the four limits, in float64 and in the shape of X."""
    if auto_broadcast == "numpy":
        limits = tuple(one_directional(limit, x.shape) for limit in limits)
    return [v.astype(np.float64) for v in broadcast(x, *limits, auto_broadcast=auto_broadcast)]


def _level(x: np.ndarray, low: np.ndarray, high: np.ndarray, levels: int) -> np.ndarray:
    """The level of X in its input range, from 0 to levels - 1, not rounded."""
    return (x - low) / (high - low) * (levels - 1)


def _output(level: np.ndarray, levels: int, inputs: Sequence[np.ndarray]) -> np.ndarray:
    """The output for levels that are rounded, by the page's expression; ``inputs`` are X and the four limits."""
    x, input_low, input_high, output_low, output_high = inputs
    inside = level / (levels - 1) * (output_high - output_low) + output_low
    below, above = x <= np.minimum(input_low, input_high), x > np.maximum(input_low, input_high)
    return np.where(below, output_low, np.where(above, output_high, inside))


def _of(call: Call) -> list[np.ndarray]:
    inputs = (call.reals(number) for number in range(5))
    return _in_shape_of_x(*inputs, auto_broadcast=call.attributes.get("auto_broadcast", "numpy"))


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """Either of two levels where X is halfway between them, within the error of the arithmetic.

    The page does not say how halves are rounded. The level is computed from a difference, a quotient and a product, or
    from one product with a sum: in both cases the error is at most ε·2·(|X| + |input_low|) in units of a level.
    """
    (exact,), (answer,), levels = call.outputs, actual, call.attributes["levels"]
    if answer.shape != exact.shape:
        return (exact,)
    x, low, high, *_ = inputs = _of(call)
    with np.errstate(all="ignore"):
        level, step = _level(x, low, high, levels), np.abs(high - low) / (levels - 1)
        room = 2 * call.precision(0).epsilon * (np.abs(x) + np.abs(low)) / step
        below = np.floor(level)
        is_halfway = np.abs(level - below - 0.5) <= room
        one, two = (_output((below + up).clip(0, levels - 1), levels, inputs) for up in (0, 1))
        values = answer.astype(np.float64)
        closer = np.where(np.abs(values - one) <= np.abs(values - two), one, two)
    return (np.where(is_halfway, closer, exact),)


def _is_nan(call: Call) -> np.ndarray:
    """The page compares with X, and does not say how NaN compares."""
    return np.isnan(call.reals(0))


def _span(call: Call) -> np.ndarray:
    *_, output_low, output_high = _of(call)
    return np.abs(output_high - output_low)


def _flushed(call: Call) -> np.ndarray:
    """The distance from output_low, where it, or the part of the range that it is, may be zero."""
    span = _span(call)
    return np.minimum(span, call.precision(0).smallest_normal * np.maximum(span, 1))


# A level times the output's step errs by three roundings of that product, which is at most the output's range; the
# addition of output_low by one of the result. Twice that admits roundings that are faithful but not correct.
_LEVEL = Function(
    k=1, a=3, scale=_span, quality_k=0.5, quality_a=1.5, flushed=_flushed, silent=_is_nan
)


@implements("FakeQuantize-1", accuracy=Choice(_nearest, within=_LEVEL), parts=elementwise)
def fake_quantize(
    x: np.ndarray,
    input_low: np.ndarray,
    input_high: np.ndarray,
    output_low: np.ndarray,
    output_high: np.ndarray,
    *,
    levels: int,
    auto_broadcast: Literal["none", "numpy", "pdpd"] = "numpy",
) -> np.ndarray:
    """Round each element of ``x`` to one of ``levels`` even steps of its input range, mapped to the output range.

    The limits broadcast to the shape of x; elements outside the input range become the nearer output limit. Halves
    between levels are rounded to the even level. Raises ValueError for fewer than 2 levels and for shapes that do not
    broadcast.
    """
    if levels < 2:
        raise ValueError(f"FakeQuantize-1: levels must be at least 2, got {levels}")
    limits = (input_low, input_high, output_low, output_high)
    inputs = _in_shape_of_x(x, *limits, auto_broadcast=auto_broadcast)
    with np.errstate(all="ignore"):
        return _output(np.rint(_level(inputs[0], inputs[1], inputs[2], levels)), levels, inputs)
