"""What a layer behind another one makes of an expected output: its values and its bounds.

The neighbours are operations whose effect on a bound is known exactly. They move elements, compute each element from
one (Relu, Abs, Negative, Clamp, arithmetic with a constant), which enlarges a difference by a known factor, or one of
those along an axis (``reductions``). ``ir_models.asking.neighbours`` writes the same neighbours, by the same names.
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

_OfTwo = Callable[[np.ndarray, np.ndarray], np.ndarray]

ADDED = 1.5
LOW, HIGH = -16.0, 16.0


@dataclass(frozen=True)
class NeighbourValues:
    """``forward`` gives its output, ``backward`` its input for an output; None where that is not known.

    ``moves``: it only moves elements, so their bounds move with them. ``factor``: of differences. ``rounds``: its
    results are numbers of their own, which a device rounds. ``is_silent_on_nan``: the page does not define them.
    ``has_constant``: one operand is a constant, which may be another one than usual.
    """

    forward: Callable[[np.ndarray], np.ndarray]
    backward: Callable[[np.ndarray], np.ndarray] | None = None
    moves: bool = False
    factor: float | np.ndarray = 1.0
    rounds: bool = False
    is_silent_on_nan: bool = False
    has_constant: bool = False


def _joined(values: np.ndarray) -> np.ndarray:
    whole = np.atleast_1d(values)
    return np.concatenate([whole, whole])


def _negative(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.negative(values)


def _absolute(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.abs(values)


def _row(values: np.ndarray) -> np.ndarray:
    return values.reshape(1) if values.ndim == 0 else values


def _keeping_two(values: np.ndarray) -> np.ndarray:
    return values.reshape(*values.shape[:2], -1 if values.size else 0)


def _with_ones(values: np.ndarray) -> np.ndarray:
    return np.concatenate([_row(values), np.ones_like(_row(values))], -1)


def _slope(constant: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One slope for each channel, which are along axis 1."""
    is_one = constant.size == 1 or values.ndim < 2
    return constant if is_one else constant.reshape(-1, *(1,) * (values.ndim - 2))


# What arithmetic with a constant makes of values, and of a difference.
_ARITHMETIC: dict[str, tuple[_OfTwo, Callable[[np.ndarray], np.ndarray]]] = {
    "multiply": (np.multiply, np.abs),
    "divide": (np.divide, lambda c: 1 / np.abs(c)),
    "add": (np.add, np.ones_like),
    "subtract": (np.subtract, np.ones_like),
    "prelu": (
        lambda v, c: np.where(v < 0, v * _slope(c, v), v),
        lambda c: np.maximum(np.abs(c).max(initial=0.0), 1.0),
    ),
}


def _with_constant(name: str, constant: np.ndarray) -> NeighbourValues:
    """Arithmetic with another constant than the usual one."""
    compute, factor = _ARITHMETIC[name]
    wide = constant.astype(np.float64)
    with np.errstate(all="ignore"):
        found = factor(wide)
    return NeighbourValues(
        lambda values: compute(values, wide),
        factor=found,
        rounds=True,
        is_silent_on_nan=name == "prelu",
        has_constant=True,
    )


# Those that change a shape are undone by ``_undone``, which knows it.
NEIGHBOURS: dict[str, NeighbourValues] = {
    "relu": NeighbourValues(lambda v: np.maximum(v, np.zeros_like(v)), is_silent_on_nan=True),
    "abs": NeighbourValues(_absolute),
    "negative": NeighbourValues(_negative, _negative),
    "multiply": NeighbourValues(lambda v: v * 2, lambda v: v.astype(np.float64) / 2, factor=2.0),
    "add": NeighbourValues(lambda v: v + ADDED, rounds=True),
    "clamp": NeighbourValues(lambda v: np.clip(v, LOW, HIGH), is_silent_on_nan=True),
    "logical-not": NeighbourValues(np.logical_not, np.logical_not),
    "transpose": NeighbourValues(np.transpose, np.transpose, moves=True),
    "reshape": NeighbourValues(np.ravel, lambda v: v, moves=True),
    "concat": NeighbourValues(_joined, lambda v: v[: len(v) // 2], moves=True),
    "convert": NeighbourValues(lambda v: v, lambda v: v, moves=True),
    "subtract": NeighbourValues(lambda v: v - ADDED, rounds=True),
    "divide": NeighbourValues(lambda v: v / 2, factor=0.5, rounds=True),
    "prelu": NeighbourValues(
        lambda v: np.where(v < 0, v / 4, v), rounds=True, is_silent_on_nan=True
    ),
    "keep-two": NeighbourValues(_keeping_two, lambda v: v, moves=True),
    "end-one": NeighbourValues(
        lambda v: v.reshape(-1 if v.size else 0, 1), lambda v: v, moves=True
    ),
    "unsqueeze": NeighbourValues(
        lambda v: v[None], lambda v: v[0] if v.shape[:1] == (1,) else v, moves=True
    ),
    "squeeze": NeighbourValues(np.squeeze, lambda v: v, moves=True),
    # What those of ``_OWN_BOUNDS`` make of a bound is written for each.
    "reduce-max": NeighbourValues(lambda v: _row(v).max(-1)),
    "reduce-max-keep": NeighbourValues(lambda v: _row(v).max(-1, keepdims=True)),
    "reduce-sum": NeighbourValues(lambda v: _row(v).sum(0)),
    "slice": NeighbourValues(lambda v: _row(v)[..., 1:], moves=True),
    "concat-constant": NeighbourValues(
        _with_ones, lambda v: v[..., : v.shape[-1] // 2], moves=True
    ),
    "to-boolean": NeighbourValues(lambda v: v != 0),
    "to-number": NeighbourValues(lambda v: v.astype(np.float32), lambda v: v != 0, moves=True),
    "to-half": NeighbourValues(lambda v: v.astype(np.float16)),
}


def is_determined(name: str) -> bool:
    """Whether every output of an operation has one expected value: no choice, and no random numbers.

    Only then its expected output is known behind a neighbour that cannot be undone. Raises MissingReferenceError.
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
    constants: Sequence[np.ndarray | None] = (),
) -> list[Expected]:
    """The expected outputs of the neighbours behind the outputs of a layer; behind them, if asked, those of the layer.

    ``names`` has the neighbour of each output, "" for none; ``types`` the element types; ``computed_in`` is the
    precision that the device reports, in which it may round what it computes. ``constants`` are those of neighbours
    that have another one than usual. Raises ValueError for a neighbour that cannot be undone behind an output that the
    page leaves open.
    """
    operands = [*constants, *[None] * len(names)][: len(names)]
    shapes = [each.value.shape for each in expected]
    hides = any(
        name and (NEIGHBOURS[name].backward is None or constant is not None)
        for name, constant in zip(names, operands, strict=True)
    )

    def undone(actual: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [_undone(*each) for each in zip(actual, names, shapes, strict=False)]

    def mapped(one: Expected, name: str, kind: str, constant: np.ndarray | None) -> Expected:
        found = _mapped(one, name, kind, computed_in, constant) if name else one
        others = tuple(mapped(other, name, kind, constant) for other in one.others)
        found = replace(found, others=others)
        choose = one.choose
        if choose is None:
            return found
        if hides:
            raise ValueError(f"behind {', '.join(names)} it is hidden which output was chosen")
        return replace(
            found, choose=lambda actual: mapped(choose(undone(actual)), name, kind, constant)
        )

    if not any(names):
        return list(expected)
    last = [mapped(*each) for each in zip(expected, names, types, operands, strict=True)]
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


def _mapped(
    one: Expected, name: str, kind: str, computed_in: str, constant: np.ndarray | None
) -> Expected:
    if name in _OWN_BOUNDS:
        return _OWN_BOUNDS[name](one, kind, computed_in)
    neighbour = NEIGHBOURS[name] if constant is None else _with_constant(name, constant)
    if neighbour.moves:
        bound, quality = (
            None if bound is None else _moved(neighbour, np.broadcast_to(bound, one.value.shape))
            for bound in (one.bound, one.quality)
        )
        value, flush = neighbour.forward(one.value), one.flush
    else:
        value, bound, quality, flush = _computed(neighbour, one, kind, computed_in)
    together, backward, shape = None, neighbour.backward, one.value.shape
    if one.together is not None and backward is not None:
        test = one.together
        together = lambda actual: test(backward(actual).reshape(shape))  # noqa: E731
    return Expected(value, bound, quality, flush, together=together)


def _moved(neighbour: NeighbourValues, bound: np.ndarray) -> np.ndarray:
    """A bound, moved as the elements are; what is joined to them has none."""
    moved = neighbour.forward(bound.astype(np.float64))
    if neighbour.forward is _with_ones:
        moved[..., bound.shape[-1] if bound.ndim else 1 :] = 0.0
    return moved


def _computed(
    neighbour: NeighbourValues, one: Expected, kind: str, computed_in: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Value, both bounds and flush of a neighbour that computes each element from one; by value, not bit for bit."""
    before = one.value.astype(np.float64) if is_float(one.value.dtype) else one.value
    with np.errstate(all="ignore"):
        value = neighbour.forward(before)
    bound = np.broadcast_to(0.0 if one.bound is None else one.bound, value.shape)
    quality = bound if one.quality is None else np.broadcast_to(one.quality, value.shape)
    with np.errstate(all="ignore"):
        is_open = np.isposinf(bound)
        overflows = _may_overflow(before, bound, kind, computed_in) & neighbour.has_constant
        bound, quality = neighbour.factor * bound, neighbour.factor * quality
    bound = np.where(is_open | overflows, np.inf, bound)
    flush = one.flush
    own = PRECISIONS.get(kind)
    if own is not None:
        working = coarser(own, parse_precision(computed_in))
        if neighbour.rounds or working is not own:
            # The device may round the input of the neighbour, and its output.
            with np.errstate(all="ignore"):
                of_input = working.half_ulp(before) * neighbour.factor
                rounding = of_input + working.half_ulp(value)
            rounding = np.where(np.isnan(rounding), 0.0, rounding)
            bound, quality = bound + 2 * rounding, quality + rounding
        # Before it computes, and after, a device may flush subnormals to zero.
        tiny = max(own.smallest_normal, working.smallest_normal, flush)
        flush = float(np.max(neighbour.factor, initial=0.0)) * tiny
        if neighbour.rounds:
            bound, quality = bound + tiny, quality + tiny
    bound = np.where(_is_silent(neighbour, before), np.inf, bound)
    return value, bound, quality, flush


def _may_overflow(values: np.ndarray, bound: np.ndarray, kind: str, computed_in: str) -> np.ndarray:
    """Where a device that stores what is between two layers may have an infinity, which the exact value is not."""
    own = PRECISIONS.get(kind)
    if own is None:
        return np.zeros(np.broadcast_shapes(values.shape, bound.shape), bool)
    working = coarser(own, parse_precision(computed_in))
    largest = min(own.largest, working.largest)
    return np.isfinite(values) & (np.abs(values) + bound >= largest)


# --- one element of several ---------------------------------------------------------------------------------------


def _bounds(one: Expected, kind: str, computed_in: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Both bounds in the shape of the value, and what may be flushed; with the rounding of a coarser precision."""
    shape = one.value.shape
    bound = np.broadcast_to(0.0 if one.bound is None else one.bound, shape).astype(np.float64)
    quality = bound if one.quality is None else np.broadcast_to(one.quality, shape)
    own = PRECISIONS.get(kind)
    if own is None:
        return bound, quality, one.flush
    working = coarser(own, parse_precision(computed_in))
    if working is not own:
        rounding = working.half_ulp(one.value.astype(np.float64))
        bound, quality = bound + 2 * rounding, quality + rounding
    return bound, quality, max(one.flush, own.smallest_normal, working.smallest_normal)


def _to_boolean(one: Expected, kind: str, computed_in: str) -> Expected:
    """A number that may be zero, and NaN, have no truth value that the pages fix."""
    if not is_float(one.value.dtype):
        return Expected(one.value != 0, _open_alone(one.bound))
    bound, _, flush = _bounds(one, kind, computed_in)
    size = np.abs(one.value.astype(np.float64))
    with np.errstate(invalid="ignore"):
        is_open = np.isnan(size) | ((size <= np.maximum(bound, flush)) & ((size > 0) | (bound > 0)))
    return Expected(one.value != 0, np.where(is_open, np.inf, 0.0))


def _open_alone(bound: np.ndarray | None) -> np.ndarray | None:
    """A bound of truth values: any value where there was a bound, none elsewhere."""
    return None if bound is None else np.where(np.asarray(bound) > 0, np.inf, 0.0)


def _to_half(one: Expected, kind: str, computed_in: str) -> Expected:
    bound, quality, flush = _bounds(one, kind, computed_in)
    half, value = PRECISIONS["f16"], one.value.astype(np.float64)
    with np.errstate(all="ignore"):
        rounding = np.where(np.isfinite(value), half.half_ulp(value), 0.0)
    return Expected(
        value, bound + 2 * rounding, quality + rounding, max(flush, half.smallest_normal)
    )


def _largest(keep: bool) -> Callable[[Expected, str, str], Expected]:
    """The largest element along the last axis errs by the largest error of one."""

    def mapped(one: Expected, kind: str, computed_in: str) -> Expected:
        bound, quality, flush = _bounds(one, kind, computed_in)
        value = _row(one.value)
        if not value.shape[-1]:
            return _anything((*value.shape[:-1], 1) if keep else value.shape[:-1])
        found = np.asarray(value.max(-1, keepdims=keep))
        bound, finer = (np.asarray(_row(each).max(-1, keepdims=keep)) for each in (bound, quality))
        if is_float(value.dtype):
            has_nan = np.asarray(np.isnan(value.astype(np.float64)).any(-1, keepdims=keep))
            bound = np.where(has_nan, np.inf, bound)
        return Expected(found, bound, finer, flush if is_float(value.dtype) else 0.0)

    return mapped


def _summed(one: Expected, kind: str, computed_in: str) -> Expected:
    """The sum along the first axis errs by all errors of its terms, and by one rounding for each."""
    bound, quality, flush = _bounds(one, kind, computed_in)
    value = _row(one.value).astype(np.float64)
    own = PRECISIONS[kind]
    working = coarser(own, parse_precision(computed_in))
    count = value.shape[0]
    with np.errstate(all="ignore"):
        found, sizes = np.asarray(value.sum(0)), np.asarray(np.abs(value).sum(0))
        rounding = count * (2 * working.half_ulp(sizes) + flush)
        is_open = ~np.isfinite(sizes) | (sizes + _row(bound).sum(0) >= own.largest)
    bound = np.where(is_open, np.inf, np.asarray(_row(bound).sum(0)) + 2 * rounding)
    return Expected(found, bound, np.asarray(_row(quality).sum(0)) + rounding)


def _anything(shape: tuple[int, ...]) -> Expected:
    """No element has a largest one."""
    return Expected(np.zeros(shape), np.full(shape, np.inf))


_OWN_BOUNDS: dict[str, Callable[[Expected, str, str], Expected]] = {
    "to-boolean": _to_boolean,
    "to-half": _to_half,
    "reduce-max": _largest(False),
    "reduce-max-keep": _largest(True),
    "reduce-sum": _summed,
}


def _is_silent(neighbour: NeighbourValues, values: np.ndarray) -> np.ndarray:
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
