"""Writes a part of a model as IR: layers exactly as the file has them, what feeds them, what is read of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from ir_models.models.reader import Model, Source
from ir_models.vocabulary.element_types import ElementType, Tensor, f32
from ir_models.vocabulary.network import Network
from ir_models.vocabulary.stored import aligned, content

_CONSTANT = "Const"
SHORT = ("f16", "bf16")
"""The element types of which a device may hold more than they have."""


@dataclass(frozen=True)
class Part:
    """A part as IR. ``parameters``, ``results``, ``held`` and ``layers`` map names in the XML to those of the graph.

    ``held``: results in f32 of values of f16 and bf16, as the device holds them.
    """

    xml: bytes
    weights: bytes
    parameters: dict[str, str]
    results: dict[str, str]
    layers: dict[str, str]
    held: dict[str, str] = field(default_factory=dict)


def cut(
    model: Model,
    nodes: Collection[str],
    results: Sequence[str],
    given: Mapping[str, Tensor] | None = None,
    *,
    values: Mapping[str, np.ndarray] | None = None,
    read: Sequence[str] = (),
    titles: bool = False,
    apart: bool = False,
) -> Part:
    """The layers ``nodes`` and the constants that they read, with a Result for each of ``results``.

    Any other value that they read is fed: by a Parameter of the type and shape in ``given`` (a dimension of -1 is
    unknown), by a constant that is in ``values``, or by the model's own Parameter. ``read``: inner values that are read
    as well, those of f16 and bf16 in f32: a device may hold more of them than their type has. ``titles``: layers have
    the names of the user's file, which need not be unique there; otherwise those of the graph. ``apart``: the layers do
    not feed each other, but each is fed.
    """
    writer = _Writer(model, given or {}, values or {}, titles, apart)
    return writer.part([name for name in model.nodes if name in set(nodes)], results, read)


@dataclass
class _Writer(Network):
    model: Model
    given: Mapping[str, Tensor]
    values: Mapping[str, np.ndarray]
    titles: bool
    apart: bool
    # Where each value of the graph comes from in the new model: the ids of a layer and a port.
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    # The same for values that layers read, where these differ.
    fed: dict[str, tuple[str, str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)

    def part(self, nodes: Sequence[str], results: Sequence[str], inner: Sequence[str]) -> Part:
        held = [value for value in dict.fromkeys(inner) if self._type(value).name in SHORT]
        results = [*results, *(value for value in inner if value not in held)]
        own = {reference for name in nodes for reference in self.model.sources[name].outputs}
        read = dict.fromkeys(v for name in nodes for v in self.model.sources[name].inputs)
        for value in dict.fromkeys([*read, *results, *held]):
            if value not in own or (self.apart and value in read):
                self._feed(value)
        self.fed = dict(self.ends) if self.apart else {}
        for name in nodes:
            self._copy(self.model.sources[name])
        ends = {
            self._result("result", value, self.ends[value], self._type(value)): value
            for value in dict.fromkeys(results)
        }
        wide = {self._result("held", value, self._in_f32(value), f32): value for value in held}
        net = etree.Element("net", name="part", version=self.model.version)
        etree.SubElement(net, "layers").extend(self.layers)
        etree.SubElement(net, "edges").extend(self.edges)
        xml = etree.tostring(net, xml_declaration=True, encoding="utf-8")
        return Part(xml, bytes(self.weights), self.parameters, ends, self.written, wide)

    def _result(self, kind: str, value: str, end: tuple[str, str], element: ElementType) -> str:
        """Write a Result; its name."""
        name = self._named(f"{kind}.{value}", f"{self.model.title(value)}/{kind}")
        layer = self._layer(name, "Result", "opset1")
        port = etree.SubElement(etree.SubElement(layer, "input"), "port", id="0")
        port.set("precision", element.precision)
        self._edge(end, layer, "0")
        return name

    def _in_f32(self, value: str) -> tuple[str, str]:
        """Write a Convert of a value to f32; where it comes from."""
        layer = self._layer(
            self._named(f"f32.{value}", f"{self.model.title(value)}/f32"), "Convert", "opset1"
        )
        etree.SubElement(layer, "data", destination_type="f32")
        for place, (ports, kind) in enumerate((("input", self._type(value)), ("output", f32))):
            port = etree.SubElement(etree.SubElement(layer, ports), "port", id=str(place))
            port.set("precision", kind.precision)
        self._edge(self.ends[value], layer, "0")
        return str(layer.get("id")), "1"

    def _type(self, value: str) -> ElementType:
        tensor = self.given.get(value)
        return tensor.element_type if tensor is not None else self.model.types[value]

    def _feed(self, value: str) -> None:
        """Write what feeds a value that no layer of the part computes."""
        name = value.partition(":")[0]
        source = self.model.sources[name]
        if value in self.values:
            kind = self._type(value)
            self._constant(value, Tensor(kind, self.values[value].shape), self.values[value])
        elif value in self.given:
            tensor = self.given[value]
            dims = [str(size) for size in tensor.shape]
            self._parameter(value, tensor.element_type, ",".join(dims).replace("-1", "?"), dims)
        elif name in self.model.graph.constants:
            self._copy(source)
        elif any(each.name == name for each in self.model.graph.parameters):
            layer = self._copy(source)
            self.parameters[str(layer.get("name"))] = value
        else:
            raise ValueError(f"nothing feeds {self.model.title(value)}")

    def _parameter(self, value: str, kind: ElementType, shape: str, dims: Sequence[str]) -> None:
        name = self._named(f"input.{value}", self.model.title(value))
        layer = self._layer(name, "Parameter", "opset1")
        etree.SubElement(layer, "data", shape=shape, element_type=kind.name)
        port = etree.SubElement(etree.SubElement(layer, "output"), "port", id="0")
        port.set("precision", kind.precision)
        for dim in dims:
            etree.SubElement(port, "dim").text = dim
        self.ends[value] = str(layer.get("id")), "0"
        self.parameters[name] = value

    def _constant(self, value: str, tensor: Tensor, array: np.ndarray) -> None:
        stored = content(tensor.element_type, array)
        offset = aligned(self.weights)
        self.weights.extend(stored)
        name = self._named(f"input.{value}", self.model.title(value))
        layer = self._layer(name, _CONSTANT, "opset1")
        shape = ",".join(map(str, tensor.shape))
        etree.SubElement(
            layer,
            "data",
            element_type=tensor.element_type.name,
            shape=shape,
            offset=str(offset),
            size=str(len(stored)),
        )
        port = etree.SubElement(etree.SubElement(layer, "output"), "port", id="0")
        port.set("precision", tensor.element_type.precision)
        for size in tensor.shape:
            etree.SubElement(port, "dim").text = str(size)
        self.ends[value] = str(layer.get("id")), "0"

    def _copy(self, source: Source) -> etree._Element:
        """Write a layer as the file has it, its bodies and the bytes of its constants included."""
        layer = deepcopy(source.element)
        layer.tail = None
        name = self._named(source.name, source.title)
        layer.set("name", name)
        layer.set("id", str(len(self.layers)))
        self.layers.append(layer)
        self.written[name] = source.name
        for each in layer.iter("layer"):
            if each.get("type") == _CONSTANT:
                self._move(each)
        if source.operation is None or source.operation.role != "parameter":
            # The reader infers shapes; those of the file may be of other inputs.
            for port in (*layer.iterfind("input/port"), *layer.iterfind("output/port")):
                if source.name not in self.model.graph.constants and source.operation is not None:
                    for dim in port.findall("dim"):
                        port.remove(dim)
        for value, number in zip(source.inputs, source.in_ids, strict=True):
            self._edge(self.fed.get(value, self.ends.get(value, ("", ""))), layer, number)
        for value, number in zip(source.outputs, source.out_ids, strict=True):
            self.ends[value] = str(layer.get("id")), number
        return layer

    def _move(self, constant: etree._Element) -> None:
        """Give a constant a place in the new weights."""
        data = constant.find("data")
        assert data is not None
        begin, size = int(data.get("offset", "0")), int(data.get("size", "0"))
        offset = aligned(self.weights)
        self.weights.extend(self.model.weights[begin : begin + size].tobytes())
        data.set("offset", str(offset))

    def _named(self, plain: str, title: str) -> str:
        """A name that no other layer has."""
        name = title if self.titles else plain
        number = 1
        while name in self.taken:
            number += 1
            name = f"{title if self.titles else plain}_{number}"
        self.taken.add(name)
        return name
