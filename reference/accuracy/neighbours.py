"""What a layer behind another one makes of an expected output: its values and its bounds.

The neighbours are operations whose effect on a bound is known exactly. They either move elements or compute each
element from one (Relu, Abs, Negative, Multiply by 2, Add of a constant, Clamp), none of which enlarges a difference
more than by a factor. ``ir_models.asking.neighbours`` writes the same neighbours, by the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reference.accuracy.base import Depending
from reference.accuracy.choices import Choice, Distribution
from reference.accuracy.comparison import Expected
from reference.accuracy.precision import PRECISIONS, coarser, is_float, is_integer, parse_precision
from reference.accuracy.registry import lookup

ADDED = 1.5
LOW, HIGH = -16.0, 16.0


@dataclass(frozen=True)
class Neighbour:
    """``forward`` gives its output, ``backward`` its input for an output; None where that cannot be told.

    ``moves``: it only moves elements, so their bounds move with them. ``factor``: of differences. ``rounds``: its
    results are numbers of their own, which a device rounds. ``is_silent_on_nan``: the page does not define them.
    """

    forward: Callable[[np.ndarray], np.ndarray]
    backward: Callable[[np.ndarray], np.ndarray] | None = None
    moves: bool = False
    factor: float = 1.0
    rounds: bool = False
    is_silent_on_nan: bool = False


def _joined(values: np.ndarray) -> np.ndarray:
    whole = np.atleast_1d(values)
    return np.concatenate([whole, whole])


def _negative(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.negative(values)


def _absolute(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.abs(values)


# Those that change a shape are undone by ``_undone``, which knows it.
NEIGHBOURS: dict[str, Neighbour] = {
    "relu": Neighbour(lambda v: np.maximum(v, np.zeros_like(v)), is_silent_on_nan=True),
    "abs": Neighbour(_absolute),
    "negative": Neighbour(_negative, _negative),
    "multiply": Neighbour(lambda v: v * 2, lambda v: v.astype(np.float64) / 2, factor=2.0),
    "add": Neighbour(lambda v: v + ADDED, rounds=True),
    "clamp": Neighbour(lambda v: np.clip(v, LOW, HIGH), is_silent_on_nan=True),
    "logical-not": Neighbour(np.logical_not, np.logical_not),
    "transpose": Neighbour(np.transpose, np.transpose, moves=True),
    "reshape": Neighbour(np.ravel, lambda v: v, moves=True),
    "concat": Neighbour(_joined, lambda v: v[: len(v) // 2], moves=True),
    "convert": Neighbour(lambda v: v, lambda v: v, moves=True),
}


def is_determined(name: str) -> bool:
    """Whether every output of an operation has one expected value: no choice, and no random numbers.

    Only then its expected output can be told behind a neighbour that cannot be undone. Raises MissingReferenceError.
    """
    accuracy = lookup(name).__dict__["accuracy"]
    each = accuracy if isinstance(accuracy, tuple) else (accuracy,)
    return not any(isinstance(kind, (Choice, Distribution, Depending)) for kind in each)


def behind(
    expected: Sequence[Expected],
    names: Sequence[str],
    types: Sequence[str],
    computed_in: str = "",
    *,
    with_middle: bool = False,
) -> list[Expected]:
    """The expected outputs of the neighbours behind the outputs of a layer; behind them, if asked, those of the layer.

    ``names`` has the neighbour of each output, "" for none; ``types`` the element types; ``computed_in`` is the
    precision that the device reports, in which it may round what it computes. Raises ValueError for a neighbour that
    cannot be undone behind an output that the page leaves open.
    """
    shapes = [each.value.shape for each in expected]
    hides = any(name and NEIGHBOURS[name].backward is None for name in names)

    def undone(actual: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [_undone(*each) for each in zip(actual, names, shapes, strict=False)]

    def mapped(one: Expected, name: str, kind: str) -> Expected:
        found = _mapped(one, name, kind, computed_in) if name else one
        found = replace(found, others=tuple(mapped(other, name, kind) for other in one.others))
        choose = one.choose
        if choose is None:
            return found
        if hides:
            raise ValueError(f"behind {', '.join(names)} it is hidden which output was chosen")
        return replace(found, choose=lambda actual: mapped(choose(undone(actual)), name, kind))

    if not any(names):
        return list(expected)
    last = [mapped(*each) for each in zip(expected, names, types, strict=True)]
    return [*last, *(_in_the_middle(each, len(last)) for each in expected)] if with_middle else last


def _in_the_middle(expected: Expected, count: int) -> Expected:
    """The expected output of the layer itself, whose actual outputs follow ``count`` others."""
    choose = expected.choose
    if choose is None:
        return expected
    others = tuple(_in_the_middle(other, count) for other in expected.others)
    return replace(expected, choose=lambda actual: choose(actual[count:]), others=others)


def _undone(actual: np.ndarray, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The output of the layer for that of its neighbour.

    An output of another size has more or fewer rows, where the page leaves their number open; a neighbour that flattens
    it has lost them. Otherwise it stays as it is.
    """
    backward = NEIGHBOURS[name].backward if name else None
    if backward is None:
        return actual
    values = backward(actual)
    if values.size == np.prod(shape):
        return values.reshape(shape)
    in_row = int(np.prod(shape[1:]))
    if values.ndim < len(shape) and in_row and not values.size % in_row:
        return values.reshape(-1, *shape[1:])
    return values


def _mapped(one: Expected, name: str, kind: str, computed_in: str) -> Expected:
    neighbour = NEIGHBOURS[name]
    if neighbour.moves:
        gate, quality = (
            None if bound is None else neighbour.forward(np.broadcast_to(bound, one.value.shape))
            for bound in (one.gate, one.quality)
        )
        value, flush = neighbour.forward(one.value), one.flush
    else:
        value, gate, quality, flush = _computed(neighbour, one, kind, computed_in)
    together, backward, shape = None, neighbour.backward, one.value.shape
    if one.together is not None and backward is not None:
        test = one.together
        together = lambda actual: test(backward(actual).reshape(shape))  # noqa: E731
    return Expected(value, gate, quality, flush, together=together)


def _computed(
    neighbour: Neighbour, one: Expected, kind: str, computed_in: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Value, both bounds and flush of a neighbour that computes each element from one; by value, not bit for bit."""
    before = one.value.astype(np.float64) if is_float(one.value.dtype) else one.value
    with np.errstate(all="ignore"):
        value = neighbour.forward(before)
    gate = np.broadcast_to(0.0 if one.gate is None else one.gate, value.shape)
    quality = gate if one.quality is None else np.broadcast_to(one.quality, value.shape)
    gate, quality = neighbour.factor * gate, neighbour.factor * quality
    flush = one.flush
    own = PRECISIONS.get(kind)
    if own is not None:
        working = coarser(own, parse_precision(computed_in))
        if neighbour.rounds or working is not own:
            # The device may round the input of the neighbour, and its output.
            rounding = working.half_ulp(before) * neighbour.factor + working.half_ulp(value)
            gate, quality = gate + 2 * rounding, quality + rounding
        # Before it computes, and after, a device may flush subnormals to zero.
        tiny = max(own.smallest_normal, working.smallest_normal, flush)
        flush = neighbour.factor * tiny
        if neighbour.rounds:
            gate, quality = gate + tiny, quality + tiny
    gate = np.where(_is_silent(neighbour, before), np.inf, gate)
    return value, gate, quality, flush


def _is_silent(neighbour: Neighbour, values: np.ndarray) -> np.ndarray:
    """The elements whose result the neighbour's page does not define: NaN, and integers that overflow."""
    if is_float(values.dtype):
        return np.isnan(values) & neighbour.is_silent_on_nan
    if (
        is_integer(values.dtype)
        and values.dtype.kind == "i"
        and neighbour.forward in (_negative, _absolute)
    ):
        return np.asarray(values == np.iinfo(values.dtype).min)
    return np.zeros(values.shape, bool)
