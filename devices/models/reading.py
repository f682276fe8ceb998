"""Reads the values inside a model on a device, for one sample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from devices.models import large_layers
from devices.models.part_runner import Arrays, PartAnswer
from devices.models.shared import Shared
from devices.process.protocol import TensorData
from ir_models.models import Model
from ir_models.vocabulary.graph import Node

# Bytes of values that are read in one run of the model, and of a value whose size is not known.
_READ_BYTES, _UNKNOWN_BYTES = 2**26, 2**18


class Reader:
    """The values that a device has inside a model. They are read when they are first asked for, some in each run.

    ``held`` has the values that the device holds with more bits than their type has.
    """

    def __init__(self, shared: Shared, sample: int) -> None:
        self._s, self._model, self._sample = shared, shared.model, sample
        self._values = list(shared.read)
        self._position = {value: place for place, value in enumerate(self._values)}
        self._fetched: dict[str, TensorData] = {}
        # The run in which each value was read.
        self._runs: dict[str, int] = {}
        self._count = 0
        self._open = _largest_open(self._model, shared.feeds[sample])
        self.held: dict[str, np.ndarray] = {}
        self._reached = 0
        self._most = len(self._values)
        failed = shared.whole.failed
        # The results: of the untouched model, and beside values that are read.
        self.results: dict[str, TensorData] = {} if failed else shared.whole.values[sample]
        self.read_results: dict[str, TensorData] = {}
        self.read_arrays: dict[str, np.ndarray] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no value inside the model is read."""
        return not self._values

    def reads(self, value: str) -> bool:
        """Whether a value is one of those that are read."""
        return value in self._position

    def value(self, value: str) -> TensorData | None:
        """A value as the device has it; None for one that is not read."""
        if value not in self._position:
            return None
        if self._position[value] >= self._reached:
            self._fetch()
        return self._fetched.get(value)

    def outputs(self, node: Node) -> dict[int, TensorData]:
        """The outputs of a layer that are read, by position."""
        outputs = self._model.sources[node.name].outputs
        return {place: t for place, v in enumerate(outputs) if (t := self.value(v)) is not None}

    def array(self, value: str, tensor: TensorData) -> np.ndarray:
        """The elements of a value that was read, as the device holds them."""
        return self.held[value] if value in self.held else tensor.values()

    def holds_more_behind(self, node: Node) -> bool:
        """Whether the device holds more of what the group of a layer gives than its type has."""
        pending, seen = [node.name], {node.name}
        while pending:
            for value in self._model.sources[pending.pop()].outputs:
                if self.value(value) is not None and value in self.held:
                    return True
                behind = () if self.reads(value) else self._model.readers.get(value, ())
                pending += [each for each in behind if each not in seen]
                seen.update(behind)
        return False

    def is_of_one_run(self, values: Iterable[str]) -> bool:
        """Whether all of these that were read inside the model were read at once: in two runs they may differ."""
        return len({self._runs[value] for value in values if value in self._runs}) < 2

    def forget(self, value: str) -> None:
        """Drop a value that nothing reads any more."""
        self._fetched.pop(value, None)
        self.held.pop(value, None)

    def again(self, node: Node, fed: Mapping[str, np.ndarray]) -> PartAnswer:
        """The answer of the device where it is read what feeds a layer and what it gives, and nothing else."""
        given = {each.name for each in self._model.graph.parameters}
        outputs = [v for v in self._model.sources[node.name].outputs if self.reads(v)]
        values = [*(value for value in fed if value not in given), *outputs]
        return self._s.asking.ask(
            self._model.nodes, self._s.results, self._feeds(), read=list(dict.fromkeys(values))
        )

    def _fetch(self) -> None:
        """Run the model for the next values that are to be read."""
        values = self._next()
        self._reached += len(values)
        answer = self._ask(values)
        if answer.failed and len(values) > 1:
            # Half as many may do: what fails is one of them, or memory.
            self._reached -= len(values) - len(values) // 2
            self._most = len(values) // 2
            values = values[: len(values) // 2]
            answer = self._ask(values)
        if answer.failed:
            self._s.notes.append(f"values that cannot be read: {answer.detail}")
            return
        found = answer.values[-1]
        for value in self._s.results:
            before = self.results.get(value)
            is_same = before is not None and large_layers.same_bytes(before, found[value])
            # Of several runs one that gave other results tells more.
            if value not in self.read_results or not is_same:
                self.read_results[value] = found[value]
                self.read_arrays[value] = answer.values_of(value, -1)
        self._count += 1
        for value in values:
            self._fetched[value] = found[value]
            self._runs[value] = self._count
        self.held |= answer.held[-1]

    def _ask(self, values: Sequence[str]) -> PartAnswer:
        results = self._s.results
        return self._s.asking.ask(
            self._model.nodes, results, self._feeds(), read=[*values, *results]
        )

    def _next(self) -> list[str]:
        """The values to read in one run: at least one, and as many as have some bytes together."""
        found: list[str] = []
        total = 0
        for value in self._values[self._reached : self._reached + max(self._most, 1)]:
            total += _bytes(self._model, value, self._open)
            if found and total > _READ_BYTES:
                break
            found.append(value)
        return found

    def _feeds(self) -> list[Arrays]:
        """The samples of an inference: of a model with variables all up to this one."""
        if _has_state(self._model):
            return list(self._s.feeds[: self._sample + 1])
        return [self._s.feeds[self._sample]]


def _bytes(model: Model, value: str, largest: int) -> int:
    """How many bytes a value has, as far as the file states its shape; open dimensions have a size at most."""
    name, _, place = value.partition(":")
    sizes = model.sources[name].dimensions(int(place or 0))
    if sizes is None:
        return _UNKNOWN_BYTES
    found = math.prod(largest if size == -1 else size for size in sizes)
    found *= model.types[value].dtype.itemsize
    return min(found, _UNKNOWN_BYTES) if -1 in sizes else found


def _largest_open(model: Model, feed: Mapping[str, np.ndarray]) -> int:
    """The largest size that a dimension of an input has which the model leaves open."""
    found = [1]
    for name, array in feed.items():
        bounds = model.shapes.get(name)
        for place, size in enumerate(array.shape):
            if bounds is None or bounds[place][0] != bounds[place][1]:
                found.append(size)
    return max(found)


def _has_state(model: Model) -> bool:
    return any(
        source.operation is not None and bool(source.operation.partner)
        for source in model.sources.values()
    )
