"""FakeQuantize (page FakeQuantize-1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reference import implements
from reference.accuracy import Call, Choice, Function
from reference.shared.broadcasting import broadcast, one_directional


@dataclass(frozen=True)
class _Terms:
    """The inputs in the shape of X, in float64, and ``level``: the level of X from 0 to levels - 1, not rounded."""

    x: np.ndarray
    input_low: np.ndarray
    input_high: np.ndarray
    output_low: np.ndarray
    output_high: np.ndarray
    levels: int

    @property
    def level(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            position = (self.x - self.input_low) / (self.input_high - self.input_low)
            return position * (self.levels - 1)

    def output(self, level: np.ndarray) -> np.ndarray:
        """The output for levels that are rounded, by the page's expression."""
        with np.errstate(all="ignore"):
            span = self.output_high - self.output_low
            inside = level / (self.levels - 1) * span + self.output_low
        below = self.x <= np.minimum(self.input_low, self.input_high)
        above = self.x > np.maximum(self.input_low, self.input_high)
        return np.where(below, self.output_low, np.where(above, self.output_high, inside))


def _terms(inputs: Sequence[np.ndarray | None], levels: int, auto_broadcast: str) -> _Terms:
    x, *limits = (tensor.astype(np.float64) for tensor in inputs if tensor is not None)
    if auto_broadcast == "numpy":
        wide = [one_directional(limit, x.shape) for limit in limits]
    else:
        _, *wide = broadcast(x, *limits, auto_broadcast=auto_broadcast)
    input_low, input_high, output_low, output_high = wide
    return _Terms(x, input_low, input_high, output_low, output_high, levels)


def _of(call: Call) -> _Terms:
    mode = call.attributes.get("auto_broadcast", "numpy")
    return _terms(call.inputs, call.attributes["levels"], mode)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """Either of two levels where X is halfway between them, within the error of the arithmetic.

    The page does not say how halves are rounded. The level is computed from a difference, a quotient and a product, or
    from one product with a sum: in both cases the error is at most ε·2·(|X| + |input_low|) in units of a level.
    """
    (exact,), (answer,) = call.outputs, actual
    if answer.shape != exact.shape:
        return (exact,)
    terms = _of(call)
    with np.errstate(all="ignore"):
        step = np.abs(terms.input_high - terms.input_low) / (terms.levels - 1)
        room = 2 * call.precision(0).epsilon * (np.abs(terms.x) + np.abs(terms.input_low)) / step
        lower = np.floor(terms.level)
        is_halfway = np.abs(terms.level - lower - 0.5) <= room
        actual_values = answer.astype(np.float64)
        neighbours = [terms.output(np.clip(lower + up, 0, terms.levels - 1)) for up in (0, 1)]
        closer = np.where(
            np.abs(actual_values - neighbours[0]) <= np.abs(actual_values - neighbours[1]),
            *neighbours,
        )
    return (np.where(is_halfway, closer, exact),)


def _is_nan(call: Call) -> np.ndarray:
    """The page compares with X, and does not say how NaN compares."""
    return np.isnan(call.reals(0))


def _span(call: Call) -> np.ndarray:
    terms = _of(call)
    return np.abs(terms.output_high - terms.output_low)


# A level times the output's step errs by three roundings of that product, which is at most the output's range; the
# addition of output_low by one of the result. Twice that admits roundings that are faithful but not correct.
_LEVEL = Function(k=1, a=3, scale=_span, quality_k=0.5, quality_a=1.5, silent=_is_nan)


@implements("FakeQuantize-1", accuracy=Choice(_nearest, within=_LEVEL))
def fake_quantize(
    x: np.ndarray,
    input_low: np.ndarray,
    input_high: np.ndarray,
    output_low: np.ndarray,
    output_high: np.ndarray,
    *,
    levels: int,
    auto_broadcast: str = "numpy",
) -> np.ndarray:
    """Round each element of ``x`` to one of ``levels`` even steps of its input range, mapped to the output range.

    The limits broadcast to the shape of x; elements outside the input range become the nearer output limit. Halves
    between levels are rounded to the even level. Raises ValueError for fewer than 2 levels and for shapes that do not
    broadcast.
    """
    if levels < 2:
        raise ValueError(f"FakeQuantize-1: levels must be at least 2, got {levels}")
    terms = _terms((x, input_low, input_high, output_low, output_high), levels, auto_broadcast)
    return terms.output(np.rint(terms.level))
