"""Writes a part of a model as IR: layers exactly as the file has them, what feeds them, what is read of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from ir_models.models.reader import Model, Source
from ir_models.vocabulary import stored
from ir_models.vocabulary.element_types import ElementType, Tensor, f32
from ir_models.writing.network import IR, LayerOutput, Writer

SHORT = ("f16", "bf16")
"""The element types of which a device may hold more than they have."""


@dataclass(frozen=True)
class Part(IR[str, str]):
    """A part as IR. ``parameters``, ``results``, ``held`` and ``layers`` map names in the XML to those of the graph.

    ``held``: results in f32 of values of f16 and bf16, as the device holds them.
    """

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
    writer, chosen = _Writer(model, given or {}, values or {}, titles, apart), set(nodes)
    return writer.part([name for name in model.nodes if name in chosen], results, read)


@dataclass
class _Writer(Writer[str, str]):
    model: Model
    given: Mapping[str, Tensor]
    values: Mapping[str, np.ndarray]
    titles: bool
    apart: bool
    # The values of the graph in the new model, and those that layers read where these differ.
    known: dict[str, LayerOutput] = field(default_factory=dict)
    fed: dict[str, LayerOutput] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def part(self, nodes: Sequence[str], results: Sequence[str], inner: Sequence[str]) -> Part:
        held = [value for value in dict.fromkeys(inner) if self._type(value).name in SHORT]
        results = [*results, *(value for value in inner if value not in held)]
        sources = [self.model.sources[name] for name in nodes]
        own = {value for each in sources for value in each.outputs}
        read = dict.fromkeys(value for each in sources for value in each.inputs)
        for value in dict.fromkeys([*read, *results, *held]):
            if value not in own or (self.apart and value in read):
                self._feed(value)
        self.fed = dict(self.known) if self.apart else self.known
        for each in sources:
            self._copy(each)
        for value in dict.fromkeys(results):
            self.results[self._result("result", value, self.known[value])] = value
        wide = {self._result("held", value, self._in_f32(value)): value for value in held}
        return Part(**vars(self.finish("part", self.model.version)), held=wide)

    def _result(self, kind: str, value: str, end: LayerOutput) -> str:
        """Write a Result; its name."""
        name = self._named(f"{kind}.{value}", f"{self.model.title(value)}/{kind}")
        self.result(name, end)
        return name

    def _in_f32(self, value: str) -> LayerOutput:
        """Write a Convert of a value to f32."""
        name = self._named(f"f32.{value}", f"{self.model.title(value)}/f32")
        layer = self.layer(name, "Convert", attributes={"destination_type": "f32"})
        return self.computed(layer, [(self.known[value], None)], [f32])[0]

    def _type(self, value: str) -> ElementType:
        tensor = self.given.get(value)
        return tensor.element_type if tensor is not None else self.model.types[value]

    def _feed(self, value: str) -> None:
        """Write what feeds a value that no layer of the part computes."""
        name = value.partition(":")[0]
        title = self.model.title(value)
        if value in self.values:
            array = self.values[value]
            tensor = Tensor(self._type(value), array.shape)
            self.known[value] = self.constant(self._named(f"input.{value}", title), tensor, array)
        elif value in self.given:
            tensor, full = self.given[value], self._named(f"input.{value}", title)
            self.known[value] = self.parameter(full, tensor.element_type, tensor.shape)
            self.parameters[full] = value
        elif name in self.model.graph.constants:
            self._copy(self.model.sources[name])
        elif name in self.model.shapes:
            self.parameters[self._copy(self.model.sources[name])] = value
        else:
            raise ValueError(f"nothing feeds {title}")

    def _copy(self, source: Source) -> str:
        """Write a layer as the file has it, its bodies and the bytes of its constants included; its name."""
        layer = deepcopy(source.element)
        layer.tail = None
        name, number = self._named(source.name, source.title), next(self.ids)
        layer.set("name", name)
        layer.set("id", str(number))
        self.layers.append(layer)
        self.tested[name] = source.name
        for each in layer.iter("layer"):
            if each.get("type") == "Const":
                self._move(each)
        operation = source.operation
        is_computed = operation is not None and operation.role not in ("parameter", "constant")
        # The reader infers shapes; those of the file may be of other inputs.
        for port in (*layer.iterfind("input/port"), *layer.iterfind("output/port")):
            for dim in port.findall("dim") if is_computed else ():
                port.remove(dim)
        for value, port_id in zip(source.inputs, source.in_ids, strict=True):
            self.edge(self.fed[value], number, port_id)
        for value, port_id in zip(source.outputs, source.out_ids, strict=True):
            self.known[value] = LayerOutput(number, port_id, self._type(value))
        return name

    def _move(self, constant: etree._Element) -> None:
        """Give a constant a place in the new weights."""
        data = constant.find("data")
        assert data is not None
        begin, size = int(data.get("offset", "0")), int(data.get("size", "0"))
        content = self.model.weights[begin : begin + size].tobytes()
        data.set("offset", str(stored.append(self.weights, content)))

    def _named(self, plain: str, title: str) -> str:
        """A name that no other layer has."""
        name = start = title if self.titles else plain
        number = 1
        while name in self.taken:
            number += 1
            name = f"{start}_{number}"
        self.taken.add(name)
        return name
