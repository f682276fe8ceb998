"""Writes IR: layers with their attributes and ports, edges, the graphs inside layers, the weights, and the net.

Three modules say which layers: ``ir_models.writing.ir`` those of cases, ``ir_models.graphs.as_ir`` those of graphs,
and ``ir_models.models.writer`` those of a part of a user's model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from lxml import etree

from ir_models import catalog
from ir_models.vocabulary import stored
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.graph import Graph, Parameter, Result, Step, along, output_name
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Attribute

Dims = Sequence[int] | None
"""The dimensions that a port states, -1 for an unknown one; None where it states none."""

End = TypeVar("End")
Tested = TypeVar("Tested")


class LayerOutput(NamedTuple):
    """An output of a written layer: the ids of the layer and the port, and the element type."""

    layer: int
    port: int | str
    element_type: ElementType


Fed = tuple[LayerOutput, Dims]
"""The value that feeds a port, and the dimensions that the port states."""


@dataclass(frozen=True)
class IR(Generic[End, Tested]):
    """A model. The names of its Parameters, Results and other layers lead to what these are for the writer's user."""

    xml: bytes
    weights: bytes
    parameters: dict[str, End]
    results: dict[str, End]
    layers: dict[str, Tested]


def attribute_texts(
    operation: Operation,
    values: Mapping[str, Any],
    prefix: str = "",
    text: Callable[[Attribute, Any], str] = Attribute.text,
    names: Collection[str] = (),
) -> dict[str, str]:
    """The attributes of a layer as IR has them.

    ``prefix`` stands before the name of a variable, which a model has once. ``names`` are those of the attributes that
    are written, by default all that are the layer's own.
    """
    found = {}
    for each in operation.attributes:
        if each.name in values and (each.name in names if names else each.is_written):
            start = prefix if each.name == "variable_id" else ""
            found[each.ir_name or each.name] = start + text(each, values[each.name])
    return found


@dataclass(kw_only=True)
class Network:
    """A net, or the body of a layer, as far as it is written, and the bytes of the model's constants."""

    net: etree._Element = field(default_factory=lambda: etree.Element("net"))
    weights: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Begin with no layer."""
        self.layers = etree.SubElement(self.net, "layers")
        self.edges = etree.SubElement(self.net, "edges")
        self.ids = count()

    def layer(
        self,
        name: str,
        kind: str,
        opset: str = "opset1",
        attributes: Mapping[str, str] | None = None,
    ) -> etree._Element:
        """A layer without ports."""
        number = str(next(self.ids))
        layer = etree.SubElement(
            self.layers, "layer", id=number, name=name, type=kind, version=opset
        )
        if attributes:
            etree.SubElement(layer, "data", dict(attributes))
        return layer

    def inputs(
        self, layer: etree._Element, fed: Sequence[Fed | None], ids: Sequence[int] | None = None
    ) -> None:
        """The input ports of a layer and their edges; None for an input left out. Ids count from 0 by default."""
        ports, place = etree.SubElement(layer, "input"), layer_id(layer)
        for number, each in zip(range(len(fed)) if ids is None else ids, fed, strict=True):
            if each is not None:
                value, dims = each
                _write_port(ports, number, value.element_type, dims)
                self.edge(value, place, number)

    def outputs(
        self,
        layer: etree._Element,
        stated: Sequence[tuple[ElementType, Dims]],
        ids: Sequence[int] = (0,),
    ) -> list[LayerOutput]:
        """The output ports of a layer, of these types and dimensions."""
        ports, place = etree.SubElement(layer, "output"), layer_id(layer)
        values = []
        for number, (kind, dims) in zip(ids, stated, strict=True):
            _write_port(ports, number, kind, dims)
            values.append(LayerOutput(place, number, kind))
        return values

    def edge(self, value: LayerOutput, layer: int, port: int | str) -> None:
        """Feed a port of the layer with this id."""
        names = {"from-layer": str(value.layer), "from-port": str(value.port)}
        names |= {"to-layer": str(layer), "to-port": str(port)}
        etree.SubElement(self.edges, "edge", names)

    def computed(
        self, layer: etree._Element, fed: Sequence[Fed | None], kinds: Sequence[ElementType]
    ) -> list[LayerOutput]:
        """The ports of a layer that computes, numbered as OpenVINO's serializer does."""
        self.inputs(layer, fed)
        ids = range(len(fed), len(fed) + len(kinds))
        return self.outputs(layer, [(kind, None) for kind in kinds], ids)

    def step(
        self, step: Step, fed: Sequence[Fed | None], kinds: Sequence[ElementType], prefix: str
    ) -> list[LayerOutput]:
        """A layer of a graph, whose outputs have these element types. ``prefix`` stands before names."""
        operation = catalog.operation(step.operation)
        texts = attribute_texts(operation, step.attributes, prefix)
        layer = self.layer(prefix + step.name, operation.type, operation.opset, texts)
        return self.computed(layer, fed, kinds)

    def parameter(self, name: str, kind: ElementType, dims: Dims, shape: str = "") -> LayerOutput:
        """A Parameter; ``shape`` where it states more than the dimensions of its port."""
        text = shape or shape_text(dims)
        layer = self.layer(name, "Parameter", attributes={"shape": text, "element_type": kind.name})
        return self.outputs(layer, [(kind, dims)])[0]

    def constant(
        self, name: str, tensor: Tensor, array: np.ndarray, places: dict[bytes, int] | None = None
    ) -> LayerOutput:
        """A constant of these values. ``places`` says where the bytes of others are, which it may share."""
        content = stored.content(tensor.element_type, array)
        offset = places.get(content) if places else None
        if offset is None:
            offset = stored.append(self.weights, content)
            if places is not None:
                places[content] = offset
        return self.reading(name, tensor, offset, len(content))

    def reading(self, name: str, tensor: Tensor, offset: int, size: int) -> LayerOutput:
        """A constant of bytes that the weights have."""
        kind, shape = tensor.element_type, ",".join(map(str, tensor.shape))
        texts = {"element_type": kind.name, "shape": shape}
        texts |= {"offset": str(offset), "size": str(size)}
        layer = self.layer(name, "Const", attributes=texts)
        return self.outputs(layer, [(kind, tensor.shape)])[0]

    def result(self, name: str, value: LayerOutput) -> etree._Element:
        """A Result."""
        layer = self.layer(name, "Result")
        self.inputs(layer, [(value, None)])
        return layer

    def nodes(
        self, graph: Graph, given: Mapping[str, LayerOutput], prefix: str = ""
    ) -> dict[str, LayerOutput]:
        """The constants and nodes of a graph; the values of all, and what is ``given``, by name."""
        values, types = dict(given), graph.types()
        for name, tensor in graph.constants.items():
            values[name] = self.constant(prefix + name, tensor, tensor.array())
        for node in graph.nodes:
            fed = [(values[source], None) for source in node.inputs]
            found = self.step(node, fed, [types[node.name]] * node.outputs, prefix)
            values |= {output_name(node.name, place): each for place, each in enumerate(found)}
        return values

    def bodies(
        self,
        element: etree._Element,
        layer: Layer,
        in_ids: Sequence[int],
        out_ids: Sequence[int],
        stated: Callable[[Parameter, Tensor | None], Dims],
    ) -> None:
        """The graphs inside a layer: how their layers meet its ports, then they themselves.

        ``stated`` says the dimensions of a parameter, which the tensor outside feeds, if one does.
        """
        networks = []
        for tag, graph in layer.graphs().items():
            # Ids of layers are a body's own, the weights are the model's.
            inner = Network(net=etree.Element(tag), weights=self.weights)
            given = [tensor for _, tensor in layer.ports()]
            port_map = etree.SubElement(element, tag.replace("body", "port_map"))
            values: dict[str, LayerOutput] = {}
            for each in graph.parameters:
                fed = each.port is not None and each.port < len(given)
                outside = given[each.port] if fed and each.port is not None else None
                dims = stated(each, outside)
                value = inner.parameter(each.name, each.tensor.element_type, dims)
                values[each.name] = value
                _map(port_map, "input", each, value.layer, in_ids)
            values = inner.nodes(graph, values)
            ids = {name: value.layer for name, value in values.items()}
            for result in graph.results:
                end = ids[result.name] = layer_id(inner.result(result.name, values[result.source]))
                _map(port_map, "output", result, end, out_ids)
            if graph.back_edges:
                back_edges = etree.SubElement(element, "back_edges")
                for edge in graph.back_edges:
                    # An invalid layer may name a layer that the body does not have.
                    first, last = (str(ids.get(end, end)) for end in edge)
                    etree.SubElement(back_edges, "edge", {"from-layer": first, "to-layer": last})
            networks.append(inner.net)
        element.extend(networks)


@dataclass(kw_only=True)
class Writer(Network, Generic[End, Tested]):
    """A network that becomes a model, and what the layers of that are."""

    parameters: dict[str, End] = field(default_factory=dict)
    results: dict[str, End] = field(default_factory=dict)
    tested: dict[str, Tested] = field(default_factory=dict)

    def finish(self, name: str, version: str = "11", is_reversed: bool = False) -> IR[End, Tested]:
        """The model; ``is_reversed``: its layers in reversed order."""
        self.net.set("name", name)
        self.net.set("version", version)
        if is_reversed:
            self.layers[:] = reversed(self.layers)
        xml = etree.tostring(self.net, xml_declaration=True, encoding="utf-8")
        return IR(xml, bytes(self.weights), self.parameters, self.results, self.tested)


def shape_text(dims: Dims) -> str:
    """The shape that a Parameter states for these dimensions."""
    return "..." if dims is None else ",".join("?" if d == -1 else str(d) for d in dims)


def layer_id(layer: etree._Element) -> int:
    """The id of a written layer."""
    return int(str(layer.get("id")))


def _write_port(parent: etree._Element, number: int, kind: ElementType, dims: Dims) -> None:
    port = etree.SubElement(parent, "port", id=str(number), precision=kind.precision)
    for dim in dims or ():
        etree.SubElement(port, "dim").text = str(dim)


def _map(
    port_map: etree._Element, side: str, end: Parameter | Result, layer: int, ids: Sequence[int]
) -> None:
    """The entry for a body's parameter or result; none where it meets nothing of the layer."""
    if end.port is None and not end.purpose:
        return
    outside = -1 if end.port is None else end.port
    # An invalid layer may name a port that it does not have.
    if 0 <= outside < len(ids):
        outside = ids[outside]
    entry = {"external_port_id": str(outside), "internal_layer_id": str(layer)}
    entry |= {name: str(value) for name, value in along(end).items()}
    if end.purpose:
        entry["purpose"] = end.purpose
    etree.SubElement(port_map, side, entry)
