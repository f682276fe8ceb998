"""Graphs of known operations as plain data: the bodies of conditions and loops.

    Graph(
        parameters=[Parameter("x", f32[2, 4], port=1), Parameter("y", f32[2, 4], port=2)],
        nodes=[Node("sum", "Add-1", ("x", "y"), element_type=f32)],
        results=[Result("output", "sum", port=0)],
    )

The IR writer writes any graph, and the reference evaluates any graph by looking each operation up. A body of an
operation is an attribute whose type maps names to a ``Body`` each, or to another function of the layer that gives a
graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ir_models.vocabulary.element_types import ElementType, Tensor, f32


@dataclass(frozen=True)
class Slices:
    """How a tensor is cut along an axis, or joined; what is None is left out, and has the page's default."""

    axis: int
    start: int | None = None
    end: int | None = None
    stride: int | None = None

    def entries(self) -> dict[str, int]:
        """What is given, by the names of the page."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Parameter:
    """What a graph takes: the layer's input at the position ``port``, whole or in slices along ``axis``.

    ``axis`` is a number or ``Slices``, as that of a ``Result``. Without a port it takes what the layer
    itself gives, which ``purpose`` names, or what a back edge brings.
    """

    name: str
    tensor: Tensor
    port: int | None = None
    axis: int | Slices | None = None
    purpose: str = ""


@dataclass(frozen=True)
class Step:
    """One layer of a graph. ``operation`` is written ``Add-1``.

    ``inputs`` names what feeds its ports: ``cell``, or ``cell:1`` for its output 1, "" for an input left out.
    """

    name: str
    operation: str
    inputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def reading(self, old: str, new: str) -> Step:
        """The layer with another value where it reads ``old``."""
        return replace(self, inputs=tuple(new if each == old else each for each in self.inputs))


@dataclass(frozen=True)
class Node(Step):
    """One layer whose outputs are known without an evaluation.

    It has so many ``outputs``, all of one element type: that of the first input where no ``element_type`` is given.
    ``types`` has the element type of each output where they differ, as in a model that was read.
    """

    element_type: ElementType | Callable[[Any], ElementType] | None = None
    outputs: int = 1
    types: tuple[ElementType, ...] = ()


@dataclass(frozen=True)
class Result:
    """What a graph gives of ``source``: the layer's output number ``port``, joined along ``axis`` if there is one."""

    name: str
    source: str
    port: int | None = None
    axis: Any = None
    purpose: str = ""


@dataclass(frozen=True)
class Graph:
    """One graph. ``constants`` are tensors with a value by name; ``back_edges`` lead from results to parameters."""

    parameters: Sequence[Parameter] = ()
    constants: Mapping[str, Tensor] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    results: Sequence[Result] = ()
    back_edges: Sequence[tuple[str, str]] = ()

    def types(self) -> dict[str, ElementType]:
        """The element type of each parameter, constant and node by name."""
        found = {each.name: each.tensor.element_type for each in self.parameters}
        found.update((name, tensor.element_type) for name, tensor in self.constants.items())
        for node in self.nodes:
            stated = node.types[0] if node.types else node.element_type
            found[node.name] = stated if isinstance(stated, ElementType) else found[node.inputs[0]]
            for number in range(1, node.outputs):
                own = node.types[number] if node.types else found[node.name]
                found[output_name(node.name, number)] = own
        return found

    def output_types(self) -> list[ElementType]:
        """The element type of each result that is an output of the layer."""
        types = self.types()
        return [types[each.source] for each in self.results if each.port is not None]

    def ports_read(self) -> set[int]:
        """The inputs of the layer, by position, on whose elements its outputs depend, in this or a later iteration."""
        fed = {node.name: set(node.inputs) for node in self.nodes}
        sources = {each.name: each.source for each in self.results}
        for result, parameter in self.back_edges:
            if result in sources:
                fed.setdefault(parameter, set()).add(sources[result])
        found: set[str] = set()
        pending = [each.source for each in self.results if each.port is not None or each.purpose]
        while pending:
            name = pending.pop().partition(":")[0]
            if name not in found:
                found.add(name)
                pending.extend(fed.get(name, ()))
        ports = (each.port for each in self.parameters if each.name in found)
        return {port for port in ports if port is not None}

    def data(self) -> dict[str, Any]:
        """The graph as plain data, which a reference evaluates (``reference.shared.graph``)."""
        types = self.types()
        return {
            "parameters": [each.name for each in self.parameters],
            "constants": {name: tensor.array() for name, tensor in self.constants.items()},
            "nodes": [
                {
                    "name": node.name,
                    "operation": node.operation,
                    "inputs": list(node.inputs),
                    "attributes": {
                        name: value.name if isinstance(value, ElementType) else value
                        for name, value in node.attributes.items()
                    },
                    "types": [
                        type_name(types[output_name(node.name, number)])
                        for number in range(node.outputs)
                    ],
                }
                for node in self.nodes
            ],
            "results": [each.source for each in self.results],
        }

    def port_map(self) -> dict[str, Any]:
        """How parameters and results meet the layer, as plain data (``reference.shared.iteration``)."""
        return {
            "inputs": [
                _entry(each, parameter=each.name)
                | (_typed(each.tensor) if each.purpose == "current_iteration" else {})
                for each in self.parameters
            ],
            "outputs": [_entry(each, result=place) for place, each in enumerate(self.results)],
        }

    def arguments(self, name: str) -> dict[str, Any]:
        """What a reference takes of the body of this name: the graph, the port map, the back edges."""
        found: dict[str, Any] = {name: self.data()}
        if "body" in name:
            found[name.replace("body", "port_map")] = self.port_map()
        if self.back_edges:
            places = {each.name: place for place, each in enumerate(self.results)}
            # An edge of an invalid layer may begin elsewhere: then behind the last result.
            found["back_edges"] = [
                (places.get(result, len(places)), parameter)
                for result, parameter in self.back_edges
            ]
        return found


def output_name(name: str, place: int) -> str:
    """What a graph calls an output of a layer: by the layer's name, and its number but for the first one."""
    return f"{name}:{place}" if place else name


def type_name(kind: ElementType) -> str:
    """The name of an element type in references: floating-point types as IR does, others as NumPy does."""
    return kind.name if kind.is_float else kind.dtype.name


def _entry(end: Parameter | Result, **named: Any) -> dict[str, Any]:
    given = {"port": end.port, **along(end), "purpose": end.purpose or None}
    return {**{name: value for name, value in given.items() if value is not None}, **named}


def along(end: Parameter | Result) -> dict[str, int]:
    """The axis of a parameter or result, and how it is cut or joined along it; nothing without one."""
    if end.axis is None:
        return {}
    return end.axis.entries() if isinstance(end.axis, Slices) else {"axis": end.axis}


def _typed(tensor: Tensor) -> dict[str, Any]:
    return {"element_type": tensor.element_type.name, "shape": list(tensor.shape)}


@dataclass(frozen=True)
class Body:
    """A graph inside a layer. Calling it with the layer gives the graph.

    What depends on the layer is a function of it: a constant, an axis, the element type or an attribute of a node.
    Inputs of the layer that nodes, results or back edges name are parameters; ``sliced`` gives the axis of those that
    are taken in slices of size 1. ``more`` are parameters that no input feeds, or functions of the layer that give one.
    """

    nodes: Sequence[Node] = ()
    results: Sequence[Result] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    sliced: Mapping[str, Any] = field(default_factory=dict)
    more: Sequence[Parameter | Callable[[Any], Parameter]] = ()
    back_edges: Sequence[tuple[str, str]] = ()

    def __call__(self, layer: Any) -> Graph:
        """The graph of this body in a layer."""
        used = self.names
        more: list[Parameter] = [_of(layer, each) for each in self.more]
        inputs = [
            self._parameter(layer, name, port)
            for port, name in enumerate(layer.inputs)
            if name in used
        ]
        return Graph(
            [*inputs, *(each for each in more if each.name in used)],
            {n: _of(layer, value) for n, value in self.constants.items() if n in used},
            [
                replace(
                    node,
                    element_type=_of(layer, node.element_type),
                    attributes={n: _of(layer, value) for n, value in node.attributes.items()},
                )
                for node in self.nodes
            ],
            [replace(each, axis=_of(layer, each.axis)) for each in self.results],
            self.back_edges,
        )

    @property
    def names(self) -> set[str]:
        """Everything that nodes, results and back edges name: inputs of the layer, constants, nodes."""
        used = {name for node in self.nodes for name in node.inputs}
        used.update(each.source for each in self.results)
        return used | {parameter for _, parameter in self.back_edges}

    def _parameter(self, layer: Any, name: str, port: int) -> Parameter:
        tensor, cut = layer.inputs[name], _of(layer, self.sliced.get(name))
        axis = cut.axis if isinstance(cut, Slices) else cut
        if tensor is None:
            # An invalid layer may lack an input: then nothing feeds the parameter.
            return Parameter(name, f32[1], axis=cut)
        if axis is not None and -tensor.rank <= axis < tensor.rank:
            place = axis % tensor.rank
            tensor = tensor.with_shape(*tensor.shape[:place], 1, *tensor.shape[place + 1 :])
        return Parameter(name, tensor, port, cut)


def _of(layer: Any, value: Any) -> Any:
    return value(layer) if callable(value) else value
