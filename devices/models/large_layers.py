"""Large layers, part by part: the reference, its bounds and the comparison see one part of the outputs at a time.

What is computed for more than a part, such as values that were not read, is kept in
``devices.process.resources.storage``. How an operation is divided stands in its reference; what cannot be divided is
computed as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from devices.engine.verdicts.judging import verdict_of
from devices.models import judging
from devices.models.judging import Judged, typed
from devices.process.protocol import TensorData
from devices.process.resources import storage
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.graph import Node
from reference import Comparison, Expected, Value, compare
from reference.accuracy import PRECISIONS, Exact, is_float
from reference.accuracy.parts import Box, Division, OutputPart, cut, parts
from reference.accuracy.registry import accuracies
from reference.accuracy.statistics import Statistic, SumErrors

# Elements of inputs and outputs in a part: a bound takes some 300 bytes for each. Smaller layers are judged as a whole.
MOST = 2**18
# Outputs that the test of the errors of sums sees: of more some at random.
_SAMPLED = 2**18

Slots = tuple[slice, ...]


def is_large(*arrays: np.ndarray) -> bool:
    """Whether an array has more elements than a part."""
    return any(each.size > MOST for each in arrays)


def boxes(shape: tuple[int, ...], times: int = 1) -> Iterator[Slots]:
    """Boxes of at most ``MOST`` elements, in the order of the elements; behind each memory is released.

    An element counts ``times``: as many as there are in axes behind those of the shape, which are not cut.
    """
    axis, inner = len(shape), times
    while axis and inner * shape[axis - 1] <= MOST:
        axis -= 1
        inner *= shape[axis]
    if not axis or 0 in shape:
        yield (slice(None),) * len(shape)
        return
    rows = max(MOST // max(inner, 1), 1)
    rest = (slice(None),) * (len(shape) - axis)
    for outer in np.ndindex(shape[: axis - 1]):
        for first in range(0, shape[axis - 1], rows):
            yield *(slice(at, at + 1) for at in outer), slice(first, first + rows), *rest
            storage.release()


def holds(array: np.ndarray | None, test: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether a test holds for an element."""
    return array is not None and any(test(array[box]).any() for box in boxes(array.shape))


def as_typed(array: np.ndarray, kind: ElementType) -> np.ndarray:
    """Like ``judging.typed``; a large array goes into storage."""
    if array.dtype == kind.dtype or not is_large(array):
        return typed(array, kind)
    found = storage.zeros(array.shape, kind.dtype)
    for box in boxes(array.shape):
        found[box] = typed(array[box], kind)
    return found


def as_wide(array: np.ndarray) -> np.ndarray:
    """Floating-point values in float64, of a large array in storage; others as they are."""
    if not is_float(array.dtype) or array.dtype == np.float64:
        return array
    if not is_large(array):
        return array.astype(np.float64)
    found = storage.zeros(array.shape, np.dtype(np.float64))
    for box in boxes(array.shape):
        found[box] = array[box]
    return found


def departed(truth: np.ndarray, actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """A true value with the error that the actual one has, in storage if it is large."""
    found = storage.zeros(truth.shape, np.dtype(np.float64))
    for box in boxes(truth.shape):
        error = actual[box].astype(np.float64) - expected[box].astype(np.float64)
        found[box] = truth[box] + error
    return found


def same_bytes(one: TensorData, other: TensorData) -> bool:
    """Whether two tensors hold the same."""
    if isinstance(one.data, list) or isinstance(other.data, list):
        return bool(one.data == other.data)
    if one.data.shape != other.data.shape:
        return False
    return all(np.array_equal(one.data[box], other.data[box]) for box in boxes(one.data.shape))


@dataclass
class _Divided:
    """A layer whose outputs are divided."""

    division: Division
    parts: list[OutputPart]


def _divided(node: Node, inputs: Sequence[np.ndarray]) -> _Divided | None:
    """The parts of a large layer; None for one that is small, or cannot be divided."""
    try:
        found = parts(node.operation, inputs, judging.arguments(node), MOST)
    except Exception:  # the reference says what is wrong with the inputs
        return None
    return None if found is None else _Divided(*found)


def is_whole(node: Node, inputs: Sequence[np.ndarray]) -> bool:
    """Whether a large layer is computed as a whole although it computes more than moves of its data."""
    if not is_large(*inputs) or _divided(node, judging.ranked(node, inputs)) is not None:
        return False
    return not all(isinstance(each, Exact) for each in accuracies(node.operation, len(node.types)))


def _node(node: Node, part: OutputPart) -> Node:
    changed = part.taken.attributes
    return replace(node, attributes={**node.attributes, **changed}) if changed else node


class StoredOutput:
    """An output that is put together from parts, in storage."""

    def __init__(self, division: Division) -> None:
        self.division = division
        self.array: np.ndarray | None = None

    def put(self, part: OutputPart, values: np.ndarray) -> None:
        """Put one part into its place. Raises ValueError where it does not fit there."""
        if self.array is None:
            steps, whole = self.division.steps, self.division.shape
            shape = tuple(
                whole[axis] if axis in steps else size for axis, size in enumerate(values.shape)
            )
            self.array = storage.zeros(shape, values.dtype)
        place = part.of(self.array)
        if place.shape != values.shape:
            raise ValueError(f"a part has the shape {values.shape}, should have {place.shape}")
        place[...] = values

    def bound(self, part: OutputPart, bound: np.ndarray | None, shape: tuple[int, ...]) -> None:
        """Put the bound of one part into its place; where parts have none it is 0."""
        if bound is not None:
            self.put(part, np.broadcast_to(np.asarray(bound, np.float64), shape))


class _StoredValue:
    """An output with its bounds that is put together from parts, in storage."""

    def __init__(self, division: Division) -> None:
        self._values, self._bound, self._quality = (StoredOutput(division) for _ in range(3))
        self.flush = 0.0

    def put(self, part: OutputPart, values: np.ndarray, own: Value | Expected) -> None:
        """Put one part into its place, with the bounds that ``own`` has."""
        self._values.put(part, values)
        self._bound.bound(part, own.bound, values.shape)
        self._quality.bound(part, own.quality, values.shape)
        self.flush = max(self.flush, own.flush)

    @property
    def arrays(self) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
        """The values and both bounds."""
        return self._values.array, self._bound.array, self._quality.array


# --- without bounds -----------------------------------------------------------------------------------------------


def outputs(node: Node, inputs: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """Like ``judging.outputs``."""
    divided = _divided(node, judging.ranked(node, inputs))
    if divided is None:
        return judging.outputs(node, inputs)
    given = judging.ranked(node, inputs)
    stored: list[StoredOutput] = []
    for part in divided.parts:
        own = [each for each in part.inputs(given) if each is not None]
        for place, array in enumerate(judging.outputs(_node(node, part), own)):
            if place == len(stored):
                stored.append(StoredOutput(divided.division))
            stored[place].put(
                part,
                array + part.taken.offsets.get(place, 0) if array.dtype.kind in "iu" else array,
            )
        storage.release()
    return [each.array for each in stored if each.array is not None]


# --- groups -------------------------------------------------------------------------------------------------------

Change = Callable[[Sequence[Value]], Sequence[Value]]


def carried(
    node: Node, inputs: Sequence[Value], precision: tuple[str, bool], changes: Sequence[Change]
) -> Sequence[Value]:
    """The outputs of a layer in a group, by the first of the ``changes`` of its inputs that gives all a bound.

    ``precision``: what it is computed in, and whether its kernel reports that.
    """
    divided = _divided(node, [each.array for each in inputs])
    values: Sequence[Value] = ()
    for change in changes:
        if divided is None:
            values = judging.carried(node, change(inputs), *precision)
            is_open = any(each.bound is not None and np.isinf(each.bound).any() for each in values)
        else:
            values = _carried(node, inputs, precision, change, divided)
            if _is_mixed(node, values, divided):
                values = _carried(node, inputs, precision, change, divided, False)
            is_open = any(holds(each.bound, np.isinf) for each in values)
        if not is_open:
            break
    return values


def _carried(
    node: Node,
    inputs: Sequence[Value],
    precision: tuple[str, bool],
    change: Change,
    divided: _Divided,
    demands_representable: bool = True,
) -> Sequence[Value]:
    stored: list[_StoredValue] = []
    values: Sequence[Value] = ()
    for part in divided.parts:
        own = [_taken(*pair) for pair in zip(inputs, part.taken.inputs, strict=True)]
        values = judging.carried(_node(node, part), change(own), *precision, demands_representable)
        for place, value in enumerate(values):
            if place == len(stored):
                stored.append(_StoredValue(divided.division))
            stored[place].put(part, value.array, value)
        storage.release()
    return [
        Value(array, value.type, bound, quality, each.flush)
        for value, each in zip(values, stored, strict=True)
        for array, bound, quality in [each.arrays]
        if array is not None
    ]


def _is_mixed(node: Node, values: Sequence[Value], divided: _Divided) -> bool:
    """Whether some parts have no error because all their results are numbers of the type, and others have.

    IEEE 754 demands that of each, but the bound of the whole is asked for only where it holds for all.
    """
    kinds = accuracies(node.operation, len(values))
    for value, kind in zip(values, kinds, strict=True):
        if not kind.keeps_representable or value.bound is None:
            continue
        bounds = (part.of(value.bound) for part in divided.parts)
        if len({bool((np.isfinite(bound) & (bound > 0)).any()) for bound in bounds}) > 1:
            return True
    return False


def _taken(value: Value, taken: Box | np.ndarray | None) -> Value:
    """What a part takes of an input."""
    if taken is None:
        return value
    if isinstance(taken, np.ndarray):
        return Value.exact(taken, value.type)

    def of(bound: np.ndarray | None) -> np.ndarray | None:
        return None if bound is None else cut(np.broadcast_to(bound, value.array.shape), taken)

    return Value(
        cut(value.array, taken), value.type, of(value.bound), of(value.quality), value.flush
    )


def with_flushed(value: Value) -> Value:
    """A value with what may become zero in it as an error."""
    assert value.bound is not None
    if not is_large(value.array):
        return replace(value, bound=value.bound + value.flush)
    bound = storage.zeros(value.array.shape, np.dtype(np.float64))
    for box in boxes(bound.shape):
        bound[box] = value.bound[box] + value.flush
    return replace(value, bound=bound)


def with_rounding(value: Value) -> Value:
    """A value whose bounds have one more rounding to its element type."""
    own = PRECISIONS.get(value.type)
    if own is None:
        return value

    def of(bound: np.ndarray | None) -> np.ndarray:
        found = storage.zeros(value.array.shape, np.dtype(np.float64))
        for box in boxes(found.shape):
            wide = value.array[box].astype(np.float64)
            before = 0.0 if bound is None else np.broadcast_to(bound, value.array.shape)[box]
            found[box] = before + np.where(wide == 0, 0.0, own.half_ulp(wide))
        return found

    return replace(value, bound=of(value.bound), quality=of(value.quality))


# --- verdicts -----------------------------------------------------------------------------------------------------


@dataclass
class Wanted:
    """What the outputs of a layer should be: known, or computed part by part when they are judged."""

    node: Node
    known: Sequence[Expected] = ()
    inputs: Sequence[np.ndarray] = ()
    precision: tuple[str, bool] = ("", False)
    divided: _Divided | None = None

    @classmethod
    def of(cls, node: Node, inputs: Sequence[np.ndarray], precision: tuple[str, bool]) -> Wanted:
        """The expected outputs of a layer on inputs of its types. Raises what its reference raises."""
        given = judging.ranked(node, inputs)
        divided = _divided(node, given)
        if divided is None:
            return cls(node, judging.expected_of(node, inputs, *precision))
        return cls(node, (), given, precision, divided)

    @classmethod
    def of_values(cls, node: Node, values: Sequence[Value]) -> Wanted:
        """The expected outputs of the last layer of a group."""
        return cls(node, [judging.as_expected(each) for each in values])

    def narrowing(
        self, inputs: Sequence[np.ndarray], actual: Mapping[int, TensorData], computed_in: str
    ) -> str:
        """What wrong outputs are right for: see ``judging.narrowing``. "" for a large layer."""
        if self.divided is not None or not self.known or is_large(*inputs):
            return ""
        return judging.narrowing(self.node, inputs, self.known, actual, (computed_in, False))

    @property
    def nbytes(self) -> int:
        """The bytes of expected outputs: values and bounds in float64, and what the reference computed on the way."""
        return sum(4 * each.value.nbytes for each in self.known)

    def judge(self, actual: Mapping[int, TensorData]) -> Judged:
        """The verdict on the outputs that are there."""
        if self.divided is None:
            if not is_large(*(each.value for each in self.known)):
                return judging.judge(self.known, actual, self.node)
            return self._of_known(actual)
        shape, steps = self.divided.division.shape, self.divided.division.steps
        names = [kind.name for kind in self.node.types]
        if any(
            tensor.element_type != names[place]
            or len(tensor.shape) != len(shape)
            or any(tensor.shape[axis] != shape[axis] for axis in steps)
            or tensor.unreadable
            for place, tensor in actual.items()
        ):
            return self._as_whole(actual)
        try:
            return self._in_parts({p: tensor.values() for p, tensor in actual.items()})
        except _UnlikeError:
            return self._as_whole(actual)

    def _as_whole(self, actual: Mapping[int, TensorData]) -> Judged:
        expected = judging.expected_of(self.node, self.inputs, *self.precision)
        return judging.judge(expected, actual, self.node)

    def expected(self, actual: Mapping[int, TensorData]) -> Sequence[Expected]:
        """The expected outputs, those that belong to the actual ones where there is a choice."""
        if self.divided is None:
            return self.known
        values = {place: tensor.values() for place, tensor in actual.items()}
        stored: list[_StoredValue] = []
        for part, chosen, _ in self._chosen(self.divided.parts, values):
            for place, each in enumerate(chosen):
                if place == len(stored):
                    stored.append(_StoredValue(self.divided.division))
                offset = part.taken.offsets.get(place, 0)
                stored[place].put(part, each.value + offset if offset else each.value, each)
            storage.release()
        return [
            Expected(value, bound, quality, each.flush)
            for each in stored
            for value, bound, quality in [each.arrays]
            if value is not None
        ]

    def _chosen(
        self, divided: Sequence[OutputPart], actual: Mapping[int, np.ndarray]
    ) -> Iterator[tuple[OutputPart, list[Expected], dict[int, np.ndarray]]]:
        """For each part what is expected there, and what is there."""
        for part in divided:
            own = [each for each in part.inputs(self.inputs) if each is not None]
            expected = judging.expected_of(_node(self.node, part), own, *self.precision)
            there = {}
            for place, values in actual.items():
                offset = part.taken.offsets.get(place, 0)
                there[place] = np.array(part.of(values))
                if offset:
                    there[place] -= there[place].dtype.type(offset)
            if len(there) == len(expected):
                expected = [each.chosen([there[p] for p in range(len(there))]) for each in expected]
            yield part, expected, there

    def _in_parts(self, actual: Mapping[int, np.ndarray]) -> Judged:
        assert self.divided is not None
        merged = {place: _Merged(values.size) for place, values in actual.items()}
        for part, expected, there in self._chosen(self.divided.parts, actual):
            if len(there) < len(expected) and any(each.choose is not None for each in expected):
                return judging.UNREAD_CHOICE
            for place, given in there.items():
                if given.shape != expected[place].value.shape:
                    raise _UnlikeError
                merged[place].add(
                    part.box, expected[place], given, part.taken.offsets.get(place, 0)
                )
            storage.release()
        return _worst(merged)

    def _of_known(self, actual: Mapping[int, TensorData]) -> Judged:
        """The verdict where the expected outputs are in storage."""
        names = [kind.name for kind in self.node.types]
        if any(
            tensor.element_type != names[place]
            or tensor.shape != self.known[place].value.shape
            or tensor.unreadable
            or not _is_plain(self.known[place])
            for place, tensor in actual.items()
        ):
            return judging.judge(self.known, actual, self.node)
        merged = {}
        for place, tensor in actual.items():
            expected, values = self.known[place], tensor.values()
            merged[place] = _Merged(values.size)
            for box in boxes(values.shape):
                one = Expected(
                    expected.value[box],
                    _bound(expected.bound, values.shape, box),
                    _bound(expected.quality, values.shape, box),
                    expected.flush,
                )
                merged[place].add(box, one, values[box], 0)
        return _worst(merged)


class _UnlikeError(Exception):
    """A part of the output has another shape than that of the reference."""


def _is_plain(expected: Expected) -> bool:
    return expected.choose is None and expected.together is None and not expected.others


def _bound(bound: np.ndarray | None, shape: tuple[int, ...], box: Slots) -> np.ndarray | None:
    return None if bound is None else np.broadcast_to(bound, shape)[box]


def _worst(merged: Mapping[int, _Merged]) -> Judged:
    return judging.worst(
        {
            place: judging.OutputFound(
                verdict_of(each.comparison()),
                each.is_of_sums,
                tuple(each.histogram.tolist()) if each.histogram is not None else (),
                each.kinds,
            )
            for place, each in merged.items()
        }
    )


@dataclass
class _Merged:
    """The comparisons of the parts of an output of ``size`` elements as one."""

    size: int
    found: Comparison | None = None
    histogram: np.ndarray | None = None
    kinds: frozenset[str] = frozenset(judging.NUMBERS)
    sums: list[_Sums] = field(default_factory=list)
    state: np.random.RandomState = field(default_factory=lambda: np.random.RandomState(0))

    @property
    def is_of_sums(self) -> bool:
        return bool(self.sums)

    def add(self, box: Slots, expected: Expected, actual: np.ndarray, offset: int) -> None:
        """The comparison of one part; ``offset`` is what its numbers lack."""
        own = compare(_alone(expected), actual)
        self._join(own, box, offset)
        counts = judging.histogram(expected, actual)
        if counts:
            self.histogram = np.array(counts) + (0 if self.histogram is None else self.histogram)
        if own.wrong:
            self.kinds &= judging.kinds_of_wrong(_alone(expected), actual)
        readings = (expected, *expected.others)
        if isinstance(expected.together, SumErrors) and not (self.found and self.found.wrong):
            self._sample(readings, actual)

    def _join(self, own: Comparison, box: Slots, offset: int) -> None:
        if own.index is not None:
            starts = [each.start or 0 for each in box]
            own = replace(own, index=tuple(np.add(own.index, starts).tolist()))
        if offset:
            own = replace(
                own,
                expected=_moved(own.expected, offset),
                actual=_moved(own.actual, offset),
                low=_moved(own.low, offset),
                high=_moved(own.high, offset),
            )
        before = self.found
        if before is None:
            self.found = own
            return
        first, other = (own, before) if _is_worse(own, before) else (before, own)
        errors = [e for e in (own.relative_error, before.relative_error) if e is not None]
        self.found = replace(
            first,
            wrong=own.wrong + before.wrong,
            coarse=own.coarse + before.coarse,
            of=own.of + before.of,
            open=own.open + before.open,
            fraction=first.fraction if first.fraction is not None else other.fraction,
            relative_error=max(errors) if errors else None,
        )

    def _sample(self, readings: Sequence[Expected], actual: np.ndarray) -> None:
        """Keep what the test of all errors together needs."""
        chosen = np.ones(actual.shape, bool)
        if self.size > _SAMPLED:
            chosen = self.state.random_sample(actual.shape) < _SAMPLED / self.size
        # A part may have fewer readings, where the others are the same as the first one.
        for number in range(max(len(readings), len(self.sums))):
            if number == len(self.sums):
                self.sums.append(_Sums(list(self.sums[0].kept) if self.sums else []))
            reading = readings[number if number < len(readings) else 0]
            assert isinstance(reading.together, SumErrors)
            self.sums[number].keep(reading.together, actual, chosen)

    def comparison(self) -> Comparison:
        """All parts together, with the test of the errors of sums."""
        assert self.found is not None
        if self.found.wrong:
            return self.found
        found = [statistic for each in self.sums if (statistic := each.test()) is not None]
        return self.found.with_statistics(found)


def _moved(text: str, offset: int) -> str:
    """The text of a number, such as an index, with what it lacks."""
    return str(int(text) + offset) if text.lstrip("-").isdigit() else text


def _is_worse(one: Comparison, other: Comparison) -> bool:
    """Whether a comparison has a larger error than another, or the earlier element of equal errors."""
    if one.index is None or other.index is None:
        return one.index is not None
    sizes = [-np.inf if each.fraction is None else each.fraction for each in (one, other)]
    return sizes[0] > sizes[1] or (sizes[0] == sizes[1] and one.index < other.index)


def _alone(expected: Expected) -> Expected:
    """What is expected of each element, without the test of all."""
    others = tuple(_alone(each) for each in expected.others)
    return replace(expected, together=None, others=others)


@dataclass
class _Sums:
    """What the test of the errors of sums needs, of some outputs: exact value, scale, whether it is even, actual."""

    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]

    def keep(self, together: SumErrors, actual: np.ndarray, chosen: np.ndarray) -> None:
        """Keep the outputs of a part that are chosen."""
        even = together.is_even() if together.is_even is not None else np.ones(actual.shape, bool)
        arrays = (together.exact, together.scale, even)
        first, scale, is_even = (np.broadcast_to(e, actual.shape)[chosen] for e in arrays)
        self.kept.append((first, scale, is_even, actual.astype(np.float64)[chosen]))

    def test(self) -> Statistic | None:
        """The test of what was kept."""
        exact, scale, even, actual = (np.concatenate(each) for each in zip(*self.kept, strict=True))
        return SumErrors(exact, scale, lambda: even)(actual)
