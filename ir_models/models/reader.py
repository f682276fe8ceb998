"""Reads IR: an XML file and its weights become a graph of known operations, and the layers as IR has them.

The graph names its layers ``n`` and their id in the file, because users' names may hold any character. The layers as
they stand in the file are kept beside it, so that a part of the model can be written again exactly as it was:
attributes that no page has, information for run time, ids of ports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from ir_models import catalog
from ir_models.models import attributes
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, Tensor, f32
from ir_models.vocabulary.graph import Graph, Node, Parameter, Result, Slices, output_name
from ir_models.vocabulary.operation import Operation

_BY_PRECISION = {t.precision: t for t in ELEMENT_TYPES.values()} | {
    "BOOLEAN": ELEMENT_TYPES["boolean"]
}
# What IR writes where a type is not known.
_OPEN_TYPES = ("DYNAMIC", "UNDEFINED", "UNSPECIFIED")
_OLDEST_VERSION = 10


class NotIRError(ValueError):
    """A file that is no IR of a version that is read here."""


@dataclass(frozen=True, eq=False)
class Stored(Tensor):
    """A tensor whose bytes are in the weights file, and are read when they are needed."""

    content: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8), repr=False)

    def array(self) -> np.ndarray:
        """The values. Raises ValueError where the file has another number of bytes."""
        if self.element_type.kind == "string":
            return _strings(self.content.tobytes()).reshape(self.shape)
        return self.element_type.unpack(self.content, self.shape)


@dataclass(frozen=True, eq=False)
class Source:
    """A layer as the file has it.

    ``title`` is its name there. ``inputs`` are what feeds its ports, in the graph's names. ``types`` are the element
    types of its outputs, None for one that is not stated. ``operation`` is None for a layer that the project does not
    know; ``note`` says why, or which attributes are not the page's.
    """

    name: str
    title: str
    type: str
    opset: str
    element: etree._Element
    in_ids: tuple[str, ...]
    out_ids: tuple[str, ...]
    inputs: tuple[str, ...]
    types: tuple[ElementType | None, ...]
    operation: Operation | None
    note: str = ""

    @property
    def label(self) -> str:
        """The operation as its page is named, or the type and the operation set of an unknown one."""
        if self.operation is not None:
            return self.operation.name
        return f"{self.type} ({self.opset or 'no operation set'})"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of its outputs in the graph."""
        return tuple(output_name(self.name, place) for place in range(len(self.out_ids)))

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes as they are written."""
        data = self.element.find("data")
        return {} if data is None else {str(k): str(v) for k, v in data.attrib.items()}

    @property
    def tensor(self) -> str:
        """The first name that the file has for a tensor that the layer gives; "" for none."""
        found = (port.get("names", "") for port in self.element.iterfind("output/port"))
        first = next((re.split(r"(?<!\\),", names)[0] for names in found if names), "")
        return first.replace("\\,", ",")

    @property
    def is_named(self) -> bool:
        """Whether its name is more than its type and a number, which OpenVINO gives a layer without a name."""
        return re.fullmatch(rf"{re.escape(self.type)}_\d+", self.title) is None

    def dimensions(self, place: int) -> tuple[int, ...] | None:
        """The shape that the file states for an output, -1 for what is unknown; None where it states none."""
        ports = self.element.findall("output/port")
        if place >= len(ports):
            return None
        return tuple(int(dim.text or -1) for dim in ports[place].findall("dim"))


@dataclass(frozen=True, eq=False)
class Model:
    """A model: its graph, in an order in which each layer follows what feeds it, and its layers in the file.

    ``weights`` are the bytes of the weights file. ``shapes`` has for each parameter the least and the largest size of
    each dimension, None where there is no largest one; None for an unknown rank.
    """

    graph: Graph
    sources: Mapping[str, Source]
    weights: np.ndarray
    version: str
    shapes: Mapping[str, Sequence[tuple[int, int | None]] | None]

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The nodes of the graph by name."""
        return {node.name: node for node in self.graph.nodes}

    @cached_property
    def readers(self) -> dict[str, list[str]]:
        """The nodes that read each value, by its name; a node that reads it twice stands there twice."""
        found: dict[str, list[str]] = {}
        for node in self.graph.nodes:
            for value in node.inputs:
                found.setdefault(value, []).append(node.name)
        return found

    @cached_property
    def types(self) -> dict[str, ElementType]:
        """The element type of each value."""
        return self.graph.types()

    @property
    def has_unknown(self) -> bool:
        """Whether a dimension of a Parameter, or its rank, is not known."""
        return any(
            bounds is None or any(least != most for least, most in bounds)
            for bounds in self.shapes.values()
        )

    def given(self, arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
        """What feeds a part of the model with some arrays, for ``cut``: dimensions unknown here are unknown there.

        A value of a Parameter that takes its array has no entry: the part has that Parameter, with its bounds.
        """
        found = {}
        for value, array in arrays.items():
            name, _, place = value.partition(":")
            if name in self.graph.constants or self._takes(name, array.shape):
                continue
            known = self._stated(name, int(place or 0))
            found[value] = Tensor(self.types[value], _with_unknown(known, array.shape))
        return found

    def _stated(self, name: str, place: int) -> Sequence[int] | None:
        """The shape that the file states for an output of a layer, -1 for what is unknown; None where it does not."""
        bounds = self.shapes.get(name)
        if bounds is not None:
            return [least if least == most else -1 for least, most in bounds]
        return self.sources[name].dimensions(place)

    def _takes(self, name: str, shape: tuple[int, ...]) -> bool:
        """Whether a value is that of a Parameter which takes a shape."""
        if name not in self.shapes:
            return False
        bounds = self.shapes[name]
        return bounds is None or (
            len(bounds) == len(shape)
            and all(
                least <= size and (most is None or size <= most)
                for size, (least, most) in zip(shape, bounds, strict=True)
            )
        )

    def title(self, value: str) -> str:
        """The name in the file of a layer, or of one of several outputs of a layer."""
        name, _, place = value.partition(":")
        source = self.sources[name]
        return source.title if len(source.out_ids) < 2 else f"{source.title}:{place or 0}"

    def known_as(self, name: str) -> str:
        """Where a layer stands by the names of the model that was converted; "" where its title says that.

        That is a tensor that it gives, or the next layer behind it that has a name, where the layer has none.
        """
        source = self.sources[name]
        if source.tensor:
            return "" if source.tensor.startswith(source.title) else f"tensor {source.tensor!r}"
        if source.is_named:
            return ""
        behind = next(filter(None, map(self._named_behind.get, self._readers_of(name))), "")
        return behind and f"before {behind}"

    @cached_property
    def _named_behind(self) -> dict[str, str]:
        """The name of each layer, or of its tensor, or of the next one behind it that has either."""
        found: dict[str, str] = {}
        for node in reversed(self.graph.nodes):
            source = self.sources[node.name]
            if source.is_named:
                found[node.name] = repr(source.title)
            elif source.tensor:
                found[node.name] = f"the tensor {source.tensor!r}"
            else:
                behind = filter(None, map(found.get, self._readers_of(node.name)))
                found[node.name] = next(behind, "")
        return found

    def _readers_of(self, name: str) -> Iterator[str]:
        """The nodes that read an output of a layer."""
        for value in self.sources[name].outputs:
            yield from self.readers.get(value, ())


def _with_unknown(known: Sequence[int] | None, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with -1 for what a file says is unknown; all of it where the file says something else."""
    if known is None or len(known) != len(shape):
        return shape
    return tuple(-1 if own == -1 else size for own, size in zip(known, shape, strict=True))


def read(path: Path, *, needs_weights: bool = True) -> Model:
    """The model of an IR file. Raises NotIRError, and OSError.

    Where weights are not needed and there are none, the constants have no bytes: their values must not be asked for.
    """
    try:
        net = etree.parse(str(path), etree.XMLParser(huge_tree=True)).getroot()
    except etree.XMLSyntaxError as error:
        raise NotIRError(f"{path} is not XML: {error}") from None
    version = net.get("version", "")
    if net.tag != "net" or not version.isdigit() or int(version) < _OLDEST_VERSION:
        raise NotIRError(f"{path} is not an IR of version {_OLDEST_VERSION} or later")
    file = path.with_suffix(".bin")
    has_weights = file.is_file() and file.stat().st_size
    if not has_weights and not needs_weights:
        return parse(net, None)
    weights = np.memmap(file, np.uint8, "r") if has_weights else np.empty(0, np.uint8)
    return parse(net, weights)


def parse(net: etree._Element, weights: np.ndarray | None) -> Model:
    """The model of IR that is in memory; without weights if they are None. Raises NotIRError."""
    graph, sources = _graph(net, weights, {})
    shapes = {
        each.name: _bounds(sources[each.name].attributes.get("shape", ""))
        for each in graph.parameters
    }
    content = np.empty(0, np.uint8) if weights is None else weights
    return Model(graph, sources, content, net.get("version", ""), shapes)


def _graph(
    net: etree._Element, weights: np.ndarray | None, ports: Mapping[str, tuple[Any, ...]]
) -> tuple[Graph, dict[str, Source]]:
    """The graph of a net or a body. ``ports`` says how parameters and results of a body meet its layer, by id."""
    sources = {each.name: each for each in _sources(net)}
    parameters: list[Parameter] = []
    constants: dict[str, Tensor] = {}
    nodes: dict[str, Node] = {}
    results: list[Result] = []
    for name, source in sources.items():
        role = source.operation.role if source.operation else ""
        at = ports.get(name.removeprefix("n"), ())
        if role == "parameter":
            kind = source.types[0] if source.types else None
            dims = _sizes(source.attributes.get("shape", ""))
            parameters.append(Parameter(name, Tensor(kind or f32, dims), *at))
        elif role == "constant":
            constants[name] = _constant(source, weights)
        elif role == "result":
            results.append(Result(name, source.inputs[0], *at))
        else:
            nodes[name] = _node(source, weights)
    ordered = [nodes[name] for name in _in_order(nodes)]
    return Graph(parameters, constants, ordered, results), sources


def _sources(net: etree._Element) -> Iterator[Source]:
    feeding = {
        (edge.get("to-layer"), edge.get("to-port")): (
            edge.get("from-layer", ""),
            edge.get("from-port", ""),
        )
        for edge in net.iterfind("edges/edge")
    }
    layers = net.findall("layers/layer")
    ids = {layer.get("id", "") for layer in layers}
    places = {
        (layer.get("id"), port.get("id")): place
        for layer in layers
        for place, port in enumerate(layer.iterfind("output/port"))
    }
    for layer in layers:
        number = layer.get("id", "")
        in_ids = tuple(port.get("id", "") for port in layer.iterfind("input/port"))
        inputs = []
        for each in in_ids:
            if (number, each) not in feeding:
                raise NotIRError(f"nothing feeds the port {each} of the layer {layer.get('name')}")
            source = feeding[number, each]
            if source[0] not in ids:
                raise NotIRError(
                    f"no layer has the id {source[0]!r}, which feeds the layer {layer.get('name')}"
                )
            inputs.append(output_name(f"n{source[0]}", places.get(source, 0)))
        ports = layer.findall("output/port")
        kinds = tuple(_BY_PRECISION.get(port.get("precision", "").upper()) for port in ports)
        data = layer.find("data")
        kind, opset = layer.get("type", ""), layer.get("version", "")
        stated = data.get("element_type") if data is not None else None
        for name in filter(None, (stated, *(port.get("precision") for port in ports))):
            if name not in ELEMENT_TYPES and name.upper() not in {*_BY_PRECISION, *_OPEN_TYPES}:
                raise NotIRError(
                    f"the layer {layer.get('name')} has the element type {name}, which is none"
                )
        if len(kinds) == 1 and kinds[0] is None and stated in ELEMENT_TYPES:
            kinds = (ELEMENT_TYPES[stated],)
        operation, note = _operation(kind, opset)
        yield Source(
            f"n{number}",
            layer.get("name", ""),
            kind,
            opset,
            layer,
            in_ids,
            tuple(port.get("id", "") for port in ports),
            tuple(inputs),
            kinds,
            operation,
            note,
        )


@cache
def _operation(kind: str, opset: str) -> tuple[Operation | None, str]:
    """The declaration of a layer: of its type, the last one that its operation set has."""
    number = opset.removeprefix("opset")
    if not opset.startswith("opset") or not number.isdigit():
        return None, f"{opset or 'no version'} is not an operation set of the specification"
    declared = [o for o in catalog.operations() if o.type.lower() == kind.lower()]
    known = [o for o in declared if int(o.opset.removeprefix("opset")) <= int(number)]
    if not known:
        return None, f"no page of the specification has {kind} of {opset}"
    return max(known, key=lambda o: int(o.opset.removeprefix("opset"))), ""


def _node(source: Source, weights: np.ndarray | None) -> Node:
    kinds = tuple(kind or f32 for kind in source.types)
    operation = source.operation
    values: dict[str, Any] = {}
    if operation is not None:
        try:
            values, others = attributes.read(operation, source.attributes)
        except ValueError as error:
            object.__setattr__(source, "note", f"an attribute that cannot be read: {error}")
            operation = None
        else:
            if others:
                object.__setattr__(source, "note", f"not on its page: {', '.join(others)}")
    if operation is not None and operation.bodies:
        values |= _bodies(source, operation, weights)
    return Node(
        source.name,
        source.label if operation is not None else "",
        source.inputs,
        values,
        outputs=len(source.out_ids),
        types=kinds,
    )


def _bodies(source: Source, operation: Operation, weights: np.ndarray | None) -> dict[str, Any]:
    """The bodies of a layer as a reference takes them."""
    found: dict[str, Any] = {}
    for body in operation.bodies:
        tag = body.name
        net = source.element.find(tag)
        if net is None:
            continue
        port_map = source.element.find(tag.replace("body", "port_map"))
        graph, _ = _graph(net, weights, _ends(source, port_map))
        edges = [
            (f"n{edge.get('from-layer')}", f"n{edge.get('to-layer')}")
            for edge in source.element.iterfind("back_edges/edge")
        ]
        found |= replace(graph, back_edges=edges).arguments(tag)
    return found


def _ends(source: Source, port_map: etree._Element | None) -> dict[str, tuple[Any, ...]]:
    """Port, axis and purpose of each parameter and result of a body, by the id of its layer."""
    found: dict[str, tuple[Any, ...]] = {}
    for entry in () if port_map is None else port_map:
        ids = source.in_ids if entry.tag == "input" else source.out_ids
        outside = entry.get("external_port_id", "")
        port = ids.index(outside) if outside in ids else None
        axis = _slices(entry)
        found[entry.get("internal_layer_id", "")] = (port, axis, entry.get("purpose", ""))
    return found


def _slices(entry: etree._Element) -> int | Slices | None:
    axis = entry.get("axis")
    if axis is None:
        return None
    ends = [int(text) if (text := entry.get(name)) else None for name in ("start", "end", "stride")]
    return int(axis) if ends == [None, None, None] else Slices(int(axis), *ends)


def _constant(source: Source, weights: np.ndarray | None) -> Stored:
    texts = source.attributes
    try:
        begin, size = int(texts["offset"]), int(texts["size"])
        shape = tuple(int(each) for each in texts.get("shape", "").split(",") if each.strip())
    except (KeyError, ValueError):
        raise NotIRError(f"the constant {source.title} does not say where its bytes are") from None
    kind = source.types[0] if source.types else None
    if weights is None and kind is not None:
        return Stored(kind, shape)
    weights = np.empty(0, np.uint8) if weights is None else weights
    if begin + size > weights.size and not weights.size:
        raise NotIRError(f"the weights file is not there, or empty: {source.title} needs it")
    if begin + size > weights.size:
        raise NotIRError(f"the weights file ends before the constant {source.title}")
    if kind is None:
        raise NotIRError(f"the constant {source.title} has no known element type")
    return Stored(kind, shape, None, weights[begin : begin + size])


def _strings(data: bytes) -> np.ndarray:
    """Strings as the weights file has them: their number, where each begins and ends, the characters."""
    count = int(np.frombuffer(data, "<i4", 1)[0])
    places = np.frombuffer(data, "<i4", count + 1, 4).tolist()
    texts = data[4 * (count + 2) :]
    found = np.empty(count, object)
    found[:] = [texts[a:b].decode(errors="replace") for a, b in pairwise(places)]
    return found


def _in_order(nodes: Mapping[str, Node]) -> list[str]:
    """The names of nodes in an order in which each one follows those that feed it."""
    waiting = {
        name: {source for value in node.inputs if (source := value.partition(":")[0]) in nodes}
        for name, node in nodes.items()
    }
    readers: dict[str, list[str]] = {}
    for name, sources in waiting.items():
        for source in sources:
            readers.setdefault(source, []).append(name)
    ready = [name for name, sources in waiting.items() if not sources]
    ordered = []
    for name in ready:
        ordered.append(name)
        for reader in readers.get(name, ()):
            waiting[reader].discard(name)
            if not waiting[reader]:
                ready.append(reader)
    if len(ordered) != len(nodes):
        raise NotIRError("the layers feed each other in a circle")
    return ordered


def _bounds(text: str) -> list[tuple[int, int | None]] | None:
    """The least and the largest size of each dimension of a Parameter's shape; None for an unknown rank."""
    if "..." in text.split(",") or text.strip() == "...":
        return None
    return [_bound(each.strip()) for each in text.split(",") if each.strip()]


def _bound(text: str) -> tuple[int, int | None]:
    low, dots, high = text.partition("..")
    if dots:
        return int(low or 0), int(high) if high else None
    return (int(text), int(text)) if text.isdigit() else (0, None)


def _sizes(text: str) -> tuple[int, ...]:
    """A Parameter's shape with -1 for what is unknown."""
    return tuple(low if low == high else -1 for low, high in _bounds(text) or ())
