"""Iterates a body over slices of tensors: Loop and TensorIterator.

The body is a :class:`~reference.shared.graph.Graph`. A port map is plain data:

    {
        "inputs": [
            {"port": 2, "parameter": "state"},
            {"port": 3, "parameter": "part", "axis": 1, "start": 0, "end": -1, "stride": 1},
            {"purpose": "current_iteration", "parameter": "i", "element_type": "i64", "shape": [1]},
        ],
        "outputs": [
            {"port": 0, "result": 0},
            {"port": 1, "result": 0, "axis": 2},
            {"purpose": "execution_condition", "result": 1},
        ],
    }

``port`` is the position of an input or output of the layer (0 for the first one, whatever the id of its port),
``parameter`` the name of a parameter of the body, ``result`` the position of a result among the body's ``results``.
With ``axis`` an input is taken in slices of length 1, and the values of an output are concatenated. The iteration
goes from the index ``start`` to the index ``end``, both included, by ``stride`` (0, -1 and 1 where left out); negative
axes and indices count from the end. With a negative ``stride`` the values of an output are concatenated in reverse
order. Loop has no start, end and stride.

``back_edges`` are pairs (result, parameter): in the next iteration the parameter has the value of that result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from reference.shared.axes import normalize_axis
from reference.shared.graph import Evaluator, PlainGraph, Value


class Entry(TypedDict, total=False):
    """One rule of a port map."""

    port: int
    parameter: str
    result: int
    purpose: str
    axis: int
    start: int
    end: int
    stride: int
    element_type: str
    shape: Sequence[int]


class PortMap(TypedDict):
    """How the inputs and outputs of a layer are connected to its body."""

    inputs: Sequence[Entry]
    outputs: Sequence[Entry]


BackEdges = Sequence[tuple[int, str]]

_INTEGERS = {"i32": np.int32, "i64": np.int64}


@dataclass(frozen=True)
class _Slices:
    """The slices of an axis: their indices in the order of iterations."""

    axis: int
    indices: range


def _slices(name: str, entry: Entry, shape: tuple[int, ...]) -> _Slices:
    axis = normalize_axis(entry["axis"], len(shape), f"{name}: axis")
    size, stride = shape[axis], entry.get("stride", 1)
    if stride == 0:
        raise ValueError(f"{name}: stride must not be 0")
    start, end = (
        index + size if index < 0 else index
        for index in (entry.get("start", 0), entry.get("end", -1))
    )
    indices = range(start, end + (1 if stride > 0 else -1), stride)
    if any(not 0 <= index < size for index in (*indices[:1], *indices[-1:])):
        raise ValueError(f"{name}: slices must be in a dimension of {size}")
    return _Slices(axis, indices)


def _part(value: Value, slices: _Slices, iteration: int) -> Value:
    """The slice of one iteration; its bounds as well."""
    index = slices.indices[iteration]
    return _mapped([value], lambda arrays: arrays[0].take([index], slices.axis))


def _mapped(values: Sequence[Value], change: Callable[[Sequence[np.ndarray]], Any]) -> Value:
    """Data movement on arrays and, alike, on their bounds."""

    def bounds(tier: str) -> np.ndarray | None:
        found = [getattr(value, tier) for value in values]
        if all(bound is None for bound in found):
            return None
        pairs = zip(found, values, strict=True)
        wide = [np.broadcast_to(0.0 if b is None else b, v.array.shape) for b, v in pairs]
        return np.asarray(change(wide))

    array = np.asarray(change([value.array for value in values]))
    flush = max(value.flush for value in values)
    return Value(array, values[0].type, bounds("bound"), bounds("quality"), flush)


def iterations(name: str, port_map: PortMap, inputs: Sequence[Value]) -> int | None:
    """How many iterations the slices of all sliced inputs allow; None without a sliced input."""
    counts = [
        len(_slices(name, entry, inputs[entry["port"]].array.shape).indices)
        for entry in port_map["inputs"]
        if "axis" in entry and entry.get("port", len(inputs)) < len(inputs)
    ]
    return min(counts, default=None)


@dataclass
class _Arguments:
    """What feeds the parameters of a body: values that are carried on, slices of others, and a counter."""

    carried: dict[str, Value]
    sliced: list[tuple[str, Value, _Slices]]
    counter: Entry | None

    @classmethod
    def of(cls, name: str, port_map: PortMap, inputs: Sequence[Value]) -> _Arguments:
        """The arguments of the first iteration. Raises ValueError where an input is missing."""
        found = cls({}, [], None)
        for entry in port_map["inputs"]:
            if entry.get("purpose") == "current_iteration":
                found.counter = entry
            elif entry.get("port", len(inputs)) >= len(inputs):
                raise ValueError(f"{name}: no input feeds {entry['parameter']} of the body")
            elif "axis" in entry:
                value = inputs[entry["port"]]
                slices = _slices(name, entry, value.array.shape)
                found.sliced.append((entry["parameter"], value, slices))
            else:
                found.carried[entry["parameter"]] = inputs[entry["port"]]
        return found

    def at(self, name: str, iteration: int) -> dict[str, Value]:
        """The values of all parameters. Raises ValueError where there is no slice."""
        found = {**self.carried, **self._counted(iteration)}
        for parameter, value, slices in self.sliced:
            if iteration >= len(slices.indices):
                raise ValueError(
                    f"{name}: there must be a slice for each iteration, there are {iteration}"
                )
            found[parameter] = _part(value, slices, iteration)
        return found

    def without_slices(self) -> dict[str, Value]:
        """The values of all parameters before the first iteration, with zeros for slices."""
        found = {**self.carried, **self._counted(0)}
        for parameter, value, slices in self.sliced:
            shape = list(value.array.shape)
            shape[slices.axis] = 1
            found[parameter] = Value.exact(np.zeros(shape, value.array.dtype), value.type)
        return found

    def carry(self, name: str, results: Sequence[Value], back_edges: BackEdges) -> None:
        """Give results to the parameters that back edges lead to. Raises ValueError for other types."""
        for result, parameter in back_edges:
            if parameter in self.carried and results[result].type != self.carried[parameter].type:
                raise ValueError(f"{name}: a back edge has a result and a parameter of one type")
        self.carried.update({parameter: results[result] for result, parameter in back_edges})

    def _counted(self, iteration: int) -> dict[str, Value]:
        if self.counter is None:
            return {}
        dtype = _INTEGERS[self.counter.get("element_type", "i64")]
        number = np.full(tuple(self.counter.get("shape", [1])), iteration, dtype)
        return {self.counter["parameter"]: Value.exact(number)}


def iterate(
    name: str,
    body: PlainGraph,
    port_map: PortMap,
    back_edges: BackEdges,
    inputs: Sequence[Value],
    evaluate: Evaluator,
    most: int | None,
    goes_on: bool = True,
) -> list[Value]:
    """The outputs of a layer that runs its body ``most`` times (None: without limit) while its condition is true.

    ``inputs`` are all inputs of the layer. Without an iteration, an output is the value of the parameter that its
    result has a back edge to, or for concatenated outputs an empty tensor. Raises ValueError, in the ``name`` of the
    operation, for slices that do not suffice and an output without a value.
    """
    arguments = _Arguments.of(name, port_map, inputs)
    for place, parameter in back_edges:
        if place >= len(body["results"]) or parameter not in body["parameters"]:
            raise ValueError(f"{name}: back edges lead from results to parameters of the body")
    conditions = [e for e in port_map["outputs"] if e.get("purpose") == "execution_condition"]
    history: list[Sequence[Value]] = []
    while goes_on and (most is None or len(history) < most):
        results = evaluate(body, arguments.at(name, len(history)))
        history.append(results)
        arguments.carry(name, results, back_edges)
        goes_on = all(bool(results[entry["result"]].array.reshape(())) for entry in conditions)

    def output(entry: Entry) -> Value:
        place = entry["result"]
        if "axis" not in entry:
            initial = [arguments.carried[p] for result, p in back_edges if result == place]
            if not history and not initial:
                raise ValueError(f"{name}: without an iteration there is no last value")
            return history[-1][place] if history else initial[0]
        values = [results[place] for results in history]
        if not values:
            values = [evaluate(body, arguments.without_slices())[place]]
        axis = normalize_axis(entry["axis"], values[0].array.ndim, f"{name}: axis")
        if not history:
            return _mapped(values, lambda arrays: arrays[0].take([], axis))
        ordered = values[::-1] if entry.get("stride", 1) < 0 else values
        return _mapped(ordered, lambda arrays: np.concatenate(arrays, axis))

    given = sorted((e for e in port_map["outputs"] if "port" in e), key=lambda e: e["port"])
    ports = [entry["port"] for entry in given]
    if ports != [*range(len(ports))]:
        raise ValueError(f"{name}: the outputs of the layer are not those of the body, {ports}")
    return [output(entry) for entry in given]
