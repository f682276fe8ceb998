"""Writes IR: the XML and the one weights blob of a case, or of a pack of cases that share nothing but the model.

Every input of a layer becomes a Parameter, a Const, or a Parameter followed by a Convert, as ``Case.how`` says; every
output ends in a Result. The bodies that a layer may have are graphs of their own inside it. Layers are named after
their case's position in the pack, so that outputs and kernels are found again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from lxml import etree

from ir_models.asking import neighbours
from ir_models.asking.case import Case
from ir_models.asking.how import WHOLE_SHAPES, How
from ir_models.vocabulary import stored
from ir_models.vocabulary.bodies import GraphNetwork
from ir_models.vocabulary.element_types import (
    ELEMENT_TYPES,
    ElementType,
    Tensor,
    f32,
    f64,
    i32,
    i64,
)
from ir_models.vocabulary.graph import Parameter
from ir_models.vocabulary.network import write_port
from ir_models.vocabulary.page import Attribute

Shapes = Sequence[tuple[int, ...] | None]


@dataclass(frozen=True)
class Port:
    """Which input or output of which case a Parameter or Result is: positions in the pack and among the ports."""

    case: int
    port: int
    element_type: ElementType


@dataclass(frozen=True)
class Model:
    """One IR model.

    ``parameters`` and ``results`` map layer names to ports, ``layers`` names each case's layer, ``variables`` the
    variable of each case that has one.
    """

    xml: bytes
    weights: bytes
    parameters: dict[str, Port]
    results: dict[str, Port]
    layers: tuple[str, ...]
    variables: tuple[str, ...] = ()


def write(
    cases: Sequence[Case], shapes: Sequence[Shapes | None] | None = None, seed: int = 0
) -> Model:
    """One model of independent layers, one for each case.

    ``shapes`` gives for each case the shape of each output, to be stated at its port; a case without them states the
    element types alone. All cases of a pack are written in the same IR version.
    """
    versions = {case.how.ir or "11" for case in cases}
    if len(versions) != 1:
        raise ValueError(f"one model has one IR version, got cases of {sorted(versions)}")
    writer = _Writer(versions.pop())
    for index, case in enumerate(cases):
        prefix = "" if len(cases) == 1 else f"c{index}."
        writer.add(index, case, prefix, shapes[index] if shapes else None, seed)
    return writer.finish()


def layer_xml(case: Case, shapes: Shapes | None = None) -> str:
    """The layer under test alone, indented, for people to read."""
    model = etree.fromstring(write([case], [shapes]).xml)
    layer = next(e for e in model.iter("layer") if e.get("type") == case.operation.type)
    etree.indent(layer, "  ")
    return etree.tostring(layer, encoding="unicode").strip()


_NAMES = {
    "": lambda name: name,
    "spaces": lambda name: f" {name} with  spaces ",
    "quotes": lambda name: f"{name} \"double\" 'single' <angle> & ]]>",
    "unicode": lambda name: f"{name} größe 層 слой",
    "long": lambda name: name + "_" + "x" * (999 - len(name)),
}


@dataclass(frozen=True)
class _Fed:
    """What feeds an input: its tensor, the layer and port that it comes from, whether the model knows its shape.

    ``shapes`` are those of each inference.

    Nothing for an input left out.
    """

    tensor: Tensor | None = None
    source: tuple[int, int] | None = None
    is_known: bool = False
    shapes: Sequence[tuple[int, ...]] = ()


_OF_PARTNER = {
    "ReadValue": ("variable_id", "variable_type", "variable_shape"),
    "Assign": ("variable_id",),
}


@dataclass
class _Writer(GraphNetwork):
    version: str
    parameters: dict[str, Port] = field(default_factory=dict)
    results: dict[str, Port] = field(default_factory=dict)
    tested: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    reverse: bool = False

    def finish(self) -> Model:
        net = etree.Element("net", name="conformance", version=self.version)
        layers = etree.SubElement(net, "layers")
        layers.extend(reversed(self.layers) if self.reverse else self.layers)
        etree.SubElement(net, "edges").extend(self.edges)
        xml = etree.tostring(net, xml_declaration=True, encoding="utf-8")
        return Model(
            xml,
            bytes(self.weights),
            self.parameters,
            self.results,
            tuple(self.tested),
            tuple(self.variables),
        )

    def add(self, index: int, case: Case, prefix: str, shapes: Shapes | None, seed: int) -> None:
        how, operation = case.how, case.operation
        named = _NAMES[how.names]
        self.reverse = self.reverse or how.layers == "reversed"
        if operation.role == "constant":
            self._results(index, case, prefix, shapes, self._stored(case, prefix, seed))
            return
        if operation.role == "parameter":
            self._results(index, case, prefix, shapes, [self._given(index, case, prefix)])
            return
        # What feeds the layer's ports: (layer id, port id) or None for an input left out.
        has_constants = how.data == "constant" or bool(case.constants)
        arrays = case.arrays(seed=seed) if has_constants else []
        shared: dict[bytes, int] | None = {} if how.weights == "shared" else None
        fed: dict[str, _Fed] = {}
        index_names = {declared.name for declared in operation.index_inputs}
        for port, (name, tensor) in enumerate(case.layer.ports()):
            if tensor is None:
                fed[name] = _Fed()
                continue
            is_known = case.has_known_shape(name, tensor)
            full = named(prefix + name)
            if case.feeds_constant(name, tensor):
                array = arrays[port] if tensor.value is None else tensor.array()
                assert array is not None
                constant = self._constant(full, tensor, array, shared)
                fed[name] = _Fed(tensor, (constant, 0), is_known, _shapes_at(case, port))
                continue
            computed = name in index_names and how.index == "computed"
            kind = tensor.element_type
            if computed:
                kind = _neighbour(tensor)
            other = case.fed_by.get(port)
            if other is not None:
                start = fed[list(fed)[other]].source
                assert start is not None
                if how.twice == "converted":
                    written = neighbours.layers_before("convert", tensor)
                    start = self._chain(written, start, kind, full + ".twice")
                fed[name] = _Fed(tensor, start, is_known, _shapes_at(case, port))
                continue
            has_before = port == case.before_port
            start = (self._parameter(full, case, port, tensor, kind), 0)
            self.parameters[full] = Port(index, port, kind)
            if computed:
                start = (self._convert(full + ".convert", start[0], kind, tensor), 0)
            if has_before:
                written = neighbours.layers_before(how.before, tensor, how.operand, how.number)
                start = self._chain(written, start, kind, full + ".before")
            fed[name] = _Fed(tensor, start, is_known, _shapes_at(case, port))

        if operation.partner:
            self._pair(index, case, prefix, shapes, fed)
            return
        if operation.role == "result":
            self._ends(index, case, prefix, *fed.values())
            return
        element = self._tested(case, prefix)
        in_ids, out_ids = _port_ids(case, len(fed), len(operation.output_types(case.layer)))
        self._inputs(element, case, in_ids, list(fed.values()))
        types = operation.output_types(case.layer)
        ports = etree.SubElement(element, "output")
        for number, kind, place in zip(out_ids, types, range(len(types)), strict=True):
            shape = shapes[place] if shapes and not how.shape else None
            write_port(ports, number, kind, None if shape is None else [str(d) for d in shape])
        sources = list(fed.values())
        read = next((sources[port].source for port in case.data_ports), None)
        ends = [(_id(element), number) for number in out_ids]
        self._results(index, case, prefix, shapes, ends, read)
        self._bodies(element, case.layer, in_ids, out_ids, partial(_dims_inside, case))

    def _tested(self, case: Case, prefix: str) -> etree._Element:
        """The layer under test with its attributes."""
        operation = case.operation
        self.tested.append(_NAMES[case.how.names](prefix + operation.type))
        element = self._layer(self.tested[-1], operation.type, operation.opset)
        _write_attributes(element, case, [a for a in operation.attributes if a.is_written], prefix)
        return element

    def _stored(self, case: Case, prefix: str, seed: int) -> list[tuple[int, int]]:
        """The constant under test, and another one that reads its bytes; the ports of what they give."""
        layer = case.layer
        element = self._tested(case, prefix)
        (tensor,) = layer.tensors("value")
        (array,) = case.arrays(seed=seed)
        assert array is not None
        size, offset = layer.size or 0, layer.offset or 0
        content = stored.content(tensor.element_type, array)
        base = stored.place(self.weights, content, offset, size, layer.file_size)
        data = element.find("data")
        if base and data is not None:
            # In a pack each constant has a part of the file, in which its offset counts.
            data.set("offset", str(base + offset))
        dims = [str(d) for d in (tensor.shape if layer.shape is None else layer.shape)]
        _, (number,) = _port_ids(case, 0, 1)
        write_port(etree.SubElement(element, "output"), number, _stated_type(case, tensor), dims)
        ends = [(_id(element), number)]
        if layer.also is not None:
            other = stored.reader(layer.also, tensor)
            kind = other.tensor.element_type
            name = f"{self.tested[-1]}.also"
            begin = base + offset + other.offset
            length = kind.byte_size(other.tensor.shape)
            ends.append((self._reading(name, other.tensor, begin, length), 0))
        return ends

    def _given(self, index: int, case: Case, prefix: str) -> tuple[int, int]:
        """The Parameter under test; its port."""
        layer = case.layer
        element = self._tested(case, prefix)
        (tensor,) = layer.tensors("value")
        stated = tensor.shape if layer.shape is None else layer.shape
        shapes = [stated] if case.how.shape in ("", "rank") else _shapes_at(case, 0)
        dims = _dims(case, [stated], is_known=False)
        data = element.find("data")
        if case.how.shape and data is not None:
            data.set("shape", _shape_text(case, dims, shapes))
        _, (number,) = _port_ids(case, 0, 1)
        write_port(etree.SubElement(element, "output"), number, _stated_type(case, tensor), dims)
        self.parameters[self.tested[-1]] = Port(index, 0, tensor.element_type)
        return _id(element), number

    def _ends(self, index: int, case: Case, prefix: str, *fed: _Fed) -> None:
        """The Result under test, and others of the same output."""
        ids, _ = _port_ids(case, 1, 0)
        for place, kind in enumerate(case.operation.output_types(case.layer)):
            element = self._tested(case, prefix) if not place else None
            if element is None:
                name = f"{self.tested[-1]}.{place + 1}"
                element = self._layer(name, case.operation.type, case.operation.opset)
            self._inputs(element, case, ids, fed)
            self.results[str(element.get("name"))] = Port(index, place, kind)

    def _inputs(
        self,
        element: etree._Element,
        case: Case,
        ids: Sequence[int],
        fed: Sequence[_Fed],
    ) -> None:
        """The input ports of a layer, and the edges that lead there."""
        if any(each.source is not None for each in fed):
            ports = etree.SubElement(element, "input")
            for number, each in zip(ids, fed, strict=True):
                if each.tensor is not None and each.source is not None:
                    dims = _dims(case, each.shapes, each.is_known)
                    write_port(ports, number, each.tensor.element_type, dims)
                    self._edge(each.source, element, number)

    def _results(
        self,
        index: int,
        case: Case,
        prefix: str,
        shapes: Shapes | None,
        ends: Sequence[tuple[int, int]],
        read: tuple[int, int] | None = None,
    ) -> None:
        """A Result behind each output of a layer, or behind its neighbours, and behind other layers that read it.

        ``read``: what its first data input receives.
        """
        named, how = _NAMES[case.how.names], case.how
        types = case.operation.output_types(case.layer)
        for place, (kind, source) in enumerate(zip(types, ends, strict=True)):
            end = source
            if case.behind[place]:
                size = tuple(shapes[place] or ()) if shapes else ()
                asked = case.behind[place], kind, size, how.operand, how.number
                written = neighbours.layers_behind(*asked)
                # A layer that a device fuses into one node may be found by the name of the last one.
                end = self._chain(written, end, kind, f"{self.tested[-1]}.{place + 1}")
            port = Port(index, place, case.result_types[place])
            self._result(named(f"{prefix}result{place}"), end, port)
        for place, (kind, source) in enumerate(zip(types, ends, strict=True)):
            if how.middle:
                middle = Port(index, len(types) + place, kind)
                self._result(named(f"{prefix}middle{place}"), source, middle)
        first = len(case.result_types) - len(case.readers)
        for place, (kind, output) in enumerate(case.readers):
            fed = read if output is None else ends[output]
            assert fed is not None
            name = named(f"{prefix}also{place}")
            written = neighbours.layers_behind(neighbours.reader_of(kind), kind, ())
            end = self._chain(written, fed, kind, f"{name}.reader")
            self._result(name, end, Port(index, first + place, kind))

    def _pair(
        self,
        index: int,
        case: Case,
        prefix: str,
        shapes: Shapes | None,
        fed: Mapping[str, _Fed],
    ) -> None:
        """A ReadValue and an Assign of one variable, one of which is the layer under test.

        The ReadValue feeds the results; the graph ``update`` of the layer leads from it and from new_value to the
        Assign. ``fed`` has the inputs of both.
        """
        layer, operation = case.layer, case.operation
        named, kind = _NAMES[case.how.names], operation.output_types(layer)[0]
        graph, new_value = layer.graphs()["update"], fed["new_value"].source
        assert new_value is not None
        self.variables.append(prefix + (layer.variable_id or ""))
        elements: dict[str, etree._Element] = {}

        def element(role: str, name: str) -> etree._Element:
            if role == operation.type and role not in elements:
                found = self._tested(case, prefix)
            else:
                found = self._layer(named(prefix + name), role, operation.opset)
                attributes = [a for a in operation.attributes if a.name in _OF_PARTNER[role]]
                _write_attributes(found, case, attributes, prefix)
            elements.setdefault(role, found)
            return found

        sources = {"new_value": new_value}
        states = [each.name for each in graph.parameters if each.name != "new_value"]
        for name in states or ["state"]:
            read = element("ReadValue", "ReadValue" if name == "state" else name)
            self._inputs(read, case, [0], [fed.get("init_value", _Fed())])
            write_port(etree.SubElement(read, "output"), 1, kind, None)
            sources[name] = (_id(read), 1)
        known = self._nodes(graph, sources, named(prefix + "update."))
        for result in graph.results:
            assign = element("Assign", "Assign" if "Assign" not in elements else result.name)
            write_port(etree.SubElement(assign, "input"), 0, graph.types()[result.source], None)
            self._edge(known[result.source], assign, 0)
        ends = [(_id(elements["ReadValue"]), 1)]
        if layer.attributes.get("result"):
            write_port(etree.SubElement(elements["Assign"], "output"), 1, kind, None)
            ends.append((_id(elements["Assign"]), 1))
        self._results(index, case, prefix, shapes, ends)

    def _parameter(
        self, name: str, case: Case, port: int, tensor: Tensor, kind: ElementType
    ) -> int:
        layer = self._layer(name, "Parameter", "opset1")
        before = case.how.before if port == case.before_port else ""
        shapes = _shapes_at(case, port, before)
        dims = _dims(case, shapes, tensor.value is not None)
        text = _shape_text(case, dims, shapes)
        etree.SubElement(layer, "data", shape=text, element_type=kind.name)
        write_port(etree.SubElement(layer, "output"), 0, kind, dims)
        return _id(layer)

    def _result(self, name: str, source: tuple[int, int], port: Port) -> None:
        result = self._layer(name, "Result", "opset1")
        write_port(etree.SubElement(result, "input"), 0, port.element_type, None)
        self._edge(source, result, 0)
        self.results[name] = port

    def _chain(
        self,
        written: Sequence[neighbours.Written],
        source: tuple[int, int],
        kind: ElementType,
        name: str,
    ) -> tuple[int, int]:
        """Neighbours one behind the other; the port of the last one."""
        for number, each in enumerate(written):
            full = f"{name}.{number}" if number else name
            sources: list[tuple[tuple[int, int], ElementType]] = []
            for position, tensor in enumerate(each.inputs):
                if tensor is None:
                    sources.append((source, kind))
                else:
                    value = f"{full}.value{position}"
                    layer = self._constant(value, tensor, tensor.array(), None)
                    sources.append(((layer, 0), tensor.element_type))
            element = self._layer(full, each.type, each.opset)
            if each.attributes:
                etree.SubElement(element, "data", dict(each.attributes))
            ports = etree.SubElement(element, "input")
            for place, (origin, given) in enumerate(sources):
                write_port(ports, place, given, None)
                self._edge(origin, element, place)
            kind = each.element_type
            outputs = etree.SubElement(element, "output")
            for place in range(each.outputs):
                write_port(outputs, len(sources) + place, kind, None)
            source = (_id(element), len(sources) + each.taken)
        return source

    def _convert(self, name: str, source: int, kind: ElementType, tensor: Tensor) -> int:
        layer = self._layer(name, "Convert", "opset1")
        etree.SubElement(layer, "data", destination_type=tensor.element_type.name)
        dims = [str(d) for d in tensor.shape]
        write_port(etree.SubElement(layer, "input"), 0, kind, dims)
        write_port(etree.SubElement(layer, "output"), 0, tensor.element_type, dims)
        self._edge((source, 0), layer, 0)
        return _id(layer)

    def _constant(
        self, name: str, tensor: Tensor, array: np.ndarray, shared: dict[bytes, int] | None
    ) -> int:
        content = stored.content(tensor.element_type, array)
        offset = shared.get(content) if shared is not None else None
        if offset is None:
            offset = stored.aligned(self.weights)
            self.weights.extend(content)
            if shared is not None:
                shared[content] = offset
        return self._reading(name, tensor, offset, len(content))


def _write_attributes(
    element: etree._Element, case: Case, attributes: Sequence[Attribute], prefix: str
) -> None:
    """The attributes that the layer has of these. ``prefix`` makes names of variables those of the case alone."""
    given = case.layer.attributes
    texts = [
        (
            a.ir_name or a.name,
            (prefix if a.name == "variable_id" else "")
            + _attribute_text(a, given[a.name], case.how),
        )
        for a in attributes
        if a.name in given
    ]
    if texts:
        data = etree.SubElement(element, "data")
        for name, text in reversed(texts) if case.how.attributes else texts:
            data.set(name, text)


def _attribute_text(attribute: Attribute, value: Any, how: How) -> str:
    if how.booleans and isinstance(value, bool):
        return str(int(value))
    if how.shape and attribute.follows == "shape":
        return "..." if how.shape == "rank" else ",".join(["-1"] * len(value))
    return attribute.text(value)


def _stated_type(case: Case, tensor: Tensor) -> ElementType:
    """The element type that a Const or Parameter states, that of its tensor where it states none that is known."""
    return ELEMENT_TYPES.get(str(case.layer.element_type), tensor.element_type)


def _neighbour(tensor: Tensor) -> ElementType:
    """Another type, from which the value of an index input is converted; its own where no other holds the value."""
    kind = tensor.element_type
    if kind.is_float:
        if kind is not f64:
            return f64
        return f32 if np.array_equal(tensor.array(), f32.values(tensor.value)) else f64
    near = i64 if kind is i32 else i32
    return near if tensor.fits(near) else kind


def _id(layer: etree._Element) -> int:
    return int(str(layer.get("id")))


def _shapes_at(case: Case, port: int, before: str = "") -> list[tuple[int, ...]]:
    """The shape at a port of the layer in each inference, or that of the Parameter in front of the layer before it."""
    shapes = []
    for layer in case.layers if case.how.shape else (case.layer,):
        tensor = list(layer.ports())[port][1]
        assert tensor is not None
        shape = tensor.shape
        shapes.append(neighbours.NEIGHBOURS[before].fed_shape(shape) if before else shape)
    return shapes


def _dims(case: Case, shapes: Sequence[tuple[int, ...]], is_known: bool) -> list[str] | None:
    """The dimensions that a port states for its shape in each inference.

    Unknown ones are -1, an unknown rank states none. Where one dimension is unknown, so are those that follow from it.
    """
    if is_known or not case.how.shape:
        return [str(d) for d in shapes[0]]
    if case.how.shape == "rank":
        return None
    if case.how.shape in WHOLE_SHAPES:
        return ["-1"] * len(shapes[0])
    return [str(sizes[0]) if len(set(sizes)) == 1 else "-1" for sizes in zip(*shapes, strict=True)]


def _dims_inside(case: Case, parameter: Parameter, outside: Tensor | None) -> list[str] | None:
    """The dimensions that a body states for a parameter, which the tensor ``outside`` feeds, if one does."""
    tensor = parameter.tensor
    # What the layer gives itself, and the value of an index input, have one shape for ever.
    is_fixed = outside is None or outside.value is not None
    # A body has no inference of its own: where one dimension is unknown, any of its own may be.
    if case.how.shape not in ("", *WHOLE_SHAPES) and not is_fixed:
        return ["-1"] * tensor.rank
    return _dims(case, [tensor.shape], is_fixed)


def _shape_text(
    case: Case, dims: Sequence[str] | None, shapes: Sequence[tuple[int, ...]] = ()
) -> str:
    """The shape that a Parameter states: ``?``, or bounds around the sizes of all inferences."""
    if dims is None:
        return "..."
    if case.how.shape == "bounds" and "-1" in dims:
        pairs = zip(*shapes, strict=True)
        return ",".join(f"{min(sizes)}..{max(sizes) + 1}" for sizes in pairs)
    return ",".join(dims).replace("-1", "?")


def _port_ids(case: Case, inputs: int, outputs: int) -> tuple[list[int], list[int]]:
    """Port ids of inputs and outputs: counted on as OpenVINO's serializer does, or as the page prints them."""
    printed: tuple[int, ...] = ()
    if case.purpose == "example":
        found = case.operation.example_of(case.layer)
        printed = found.ports if found else ()
    elif case.how.ports == "page":
        printed = case.operation.examples[0].ports
    if len(printed) == inputs + outputs:
        return list(printed[:inputs]), list(printed[inputs:])
    return list(range(inputs)), list(range(inputs, inputs + outputs))
