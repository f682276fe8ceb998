"""Writes cases as IR: the layers of a case, or of a pack of cases that share nothing but the model.

Every input of a layer becomes a Parameter, a Const, or a Parameter followed by a Convert, as ``Case.how`` says; every
output ends in a Result. Layers are named after their case's position in the pack, so that outputs and kernels are found
again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from lxml import etree

from ir_models.asking import neighbours
from ir_models.asking.case import LayerCase
from ir_models.asking.how import WHOLE_SHAPES, How
from ir_models.vocabulary import stored
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
from ir_models.vocabulary.page import Attribute
from ir_models.writing.network import (
    IR,
    Dims,
    Fed,
    LayerOutput,
    Writer,
    attribute_texts,
    shape_text,
)

Shapes = Sequence[tuple[int, ...] | None]


@dataclass(frozen=True)
class CasePort:
    """The input or output of a case that a Parameter or Result is: positions in the pack and among the ports."""

    case: int
    port: int
    element_type: ElementType


def write(
    cases: Sequence[LayerCase], shapes: Sequence[Shapes | None] | None = None, seed: int = 0
) -> IR[CasePort, str | None]:
    """One model of independent layers, one for each case. The layer of each leads to its variable, or None.

    ``shapes`` gives for each case the shape of each output, to be stated at its port; a case without them states the
    element types alone. All cases of a pack are written in the same IR version.
    """
    versions = {case.how.ir or "11" for case in cases}
    if len(versions) != 1:
        raise ValueError(f"one model has one IR version, got cases of {sorted(versions)}")
    model: Writer[CasePort, str | None] = Writer()
    for index, case in enumerate(cases):
        prefix = "" if len(cases) == 1 else f"c{index}."
        _Writing(model, index, case, prefix, shapes[index] if shapes else None, seed).write()
    is_reversed = any(case.how.layers == "reversed" for case in cases)
    return model.finish("conformance", versions.pop(), is_reversed)


def layer_xml(case: LayerCase, shapes: Shapes | None = None) -> str:
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


_OF_PARTNER = {
    "ReadValue": ("variable_id", "variable_type", "variable_shape"),
    "Assign": ("variable_id",),
}


@dataclass
class _Writing:
    """A case that becomes a part of a model."""

    model: Writer[CasePort, str | None]
    index: int
    case: LayerCase
    prefix: str
    shapes: Shapes | None
    seed: int
    # Where constants are that others share the bytes of.
    places: dict[bytes, int] = field(default_factory=dict)

    def write(self) -> None:
        case, operation = self.case, self.case.operation
        if operation.role == "constant":
            self._results(self._stored())
        elif operation.role == "parameter":
            self._results([self._given()])
        else:
            fed: dict[str, Fed | None] = {}
            for port, (name, tensor) in enumerate(case.layer.ports()):
                fed[name] = self._fed(port, name, tensor, [*fed.values()]) if tensor else None
            if operation.partner:
                self._pair(fed)
            elif operation.role == "result":
                self._ends([*fed.values()])
            else:
                self._computing([*fed.values()])

    def _named(self, name: str) -> str:
        return _NAMES[self.case.how.names](self.prefix + name)

    @property
    def _name(self) -> str:
        """The name of the layer under test."""
        return self._named(self.case.operation.type)

    @cached_property
    def _arrays(self) -> Sequence[np.ndarray | None]:
        return self.case.arrays(seed=self.seed)

    def _fed(self, port: int, name: str, tensor: Tensor, earlier: Sequence[Fed | None]) -> Fed:
        """What feeds an input."""
        case, how, full = self.case, self.case.how, self._named(name)
        dims = _dims(case, _shapes_at(case, port), case.has_known_shape(name, tensor))
        if case.feeds_constant(name, tensor):
            array = self._arrays[port] if tensor.value is None else tensor.array()
            assert array is not None
            places = self.places if how.weights == "shared" else None
            return self.model.constant(full, tensor, array, places), dims
        other = case.fed_by.get(port)
        if other is not None:
            found = earlier[other]
            assert found is not None
            value = found[0]
            if how.twice == "converted":
                written = neighbours.layers_before("convert", tensor)
                value = self._chain(written, value, f"{full}.twice")
            return value, dims
        is_computed = how.index == "computed" and name in case.operation.index_names
        kind = _neighbour(tensor) if is_computed else tensor.element_type
        before = how.before if port == case.before_port else ""
        shapes = _shapes_at(case, port, before)
        stated = _dims(case, shapes, tensor.value is not None)
        value = self.model.parameter(full, kind, stated, _shape_text(case, stated, shapes))
        self.model.parameters[full] = CasePort(self.index, port, kind)
        if is_computed:
            texts = {"destination_type": tensor.element_type.name}
            convert = self.model.layer(f"{full}.convert", "Convert", attributes=texts)
            self.model.inputs(convert, [(value, tensor.shape)])
            (value,) = self.model.outputs(convert, [(tensor.element_type, tensor.shape)])
        if before:
            written = neighbours.layers_before(before, tensor, how.operand, how.number)
            value = self._chain(written, value, f"{full}.before")
        return value, dims

    def _computing(self, fed: Sequence[Fed | None]) -> None:
        """The layer under test, and what reads its outputs."""
        case, element = self.case, self._tested()
        kinds = case.operation.output_types(case.layer)
        in_ids, out_ids = _port_ids(case, len(fed), len(kinds))
        self._inputs(element, fed, in_ids)
        shapes = self.shapes if self.shapes and not case.how.shape else [None] * len(kinds)
        stated = list(zip(kinds, shapes, strict=True))
        values = self.model.outputs(element, stated, out_ids)
        read = next((each[0] for port in case.data_ports if (each := fed[port])), None)
        self._results(values, read)
        self.model.bodies(element, case.layer, in_ids, out_ids, partial(_dims_inside, case))

    def _tested(self) -> etree._Element:
        """The layer under test with its attributes."""
        operation, variable = self.case.operation, self.case.layer.attributes.get("variable_id", "")
        self.model.tested[self._name] = self.prefix + variable if operation.partner else None
        return self._layer(self._name, operation.type)

    def _layer(self, name: str, kind: str, names: Collection[str] = ()) -> etree._Element:
        """A layer with those attributes of the layer under test that have these names, its own by default."""
        case, operation = self.case, self.case.operation
        text = partial(_attribute_text, case.how)
        texts = attribute_texts(operation, case.layer.attributes, self.prefix, text, names)
        if case.how.attributes:
            texts = dict(reversed(texts.items()))
        return self.model.layer(name, kind, operation.opset, texts)

    def _inputs(
        self, element: etree._Element, fed: Sequence[Fed | None], ids: Sequence[int]
    ) -> None:
        if any(fed):
            self.model.inputs(element, fed, ids)

    def _stored(self) -> list[LayerOutput]:
        """The constant under test, and another one that reads its bytes; what they give."""
        layer, weights = self.case.layer, self.model.weights
        element = self._tested()
        (tensor,) = layer.tensors("value")
        (array,) = self._arrays
        assert array is not None
        size, offset = layer.size or 0, layer.offset or 0
        content = stored.content(tensor.element_type, array)
        base = stored.place(weights, content, offset, size, layer.file_size)
        data = element.find("data")
        if base and data is not None:
            # In a pack each constant has a part of the file, in which its offset counts.
            data.set("offset", str(base + offset))
        stated = tensor.shape if layer.shape is None else layer.shape
        values = [self._stating(element, stated)]
        if layer.also is not None:
            other = stored.reader(layer.also, tensor)
            begin, own = base + offset + other.offset, other.tensor
            length = own.element_type.byte_size(own.shape)
            values.append(self.model.reading(f"{self._name}.also", own, begin, length))
        return values

    def _given(self) -> LayerOutput:
        """What the Parameter under test gives."""
        case, layer, element = self.case, self.case.layer, self._tested()
        (tensor,) = layer.tensors("value")
        stated = tensor.shape if layer.shape is None else layer.shape
        shapes = [stated] if case.how.shape in ("", "rank") else _shapes_at(case, 0)
        dims = _dims(case, [stated], is_known=False)
        data = element.find("data")
        if case.how.shape and data is not None:
            data.set("shape", _shape_text(case, dims, shapes))
        self.model.parameters[self._name] = CasePort(self.index, 0, tensor.element_type)
        return self._stating(element, dims)

    def _stating(self, element: etree._Element, dims: Dims) -> LayerOutput:
        """What a Const or Parameter under test gives; its port has the type that it states, if that is known."""
        (tensor,) = self.case.layer.tensors("value")
        kind = ELEMENT_TYPES.get(str(self.case.layer.element_type), tensor.element_type)
        _, ids = _port_ids(self.case, 0, 1)
        (value,) = self.model.outputs(element, [(kind, dims)], ids)
        return value._replace(element_type=tensor.element_type)

    def _ends(self, fed: Sequence[Fed | None]) -> None:
        """The Result under test, and others of the same output."""
        case = self.case
        ids, _ = _port_ids(case, 1, 0)
        for place, kind in enumerate(case.operation.output_types(case.layer)):
            name = f"{self._name}.{place + 1}" if place else self._name
            operation = case.operation.type, case.operation.opset
            self._inputs(self.model.layer(name, *operation) if place else self._tested(), fed, ids)
            self.model.results[name] = CasePort(self.index, place, kind)

    def _results(self, values: Sequence[LayerOutput], read: LayerOutput | None = None) -> None:
        """A Result behind each output of a layer, or behind its neighbours, and behind other layers that read it.

        ``read``: what its first data input receives.
        """
        case, how = self.case, self.case.how
        for place, (value, neighbour) in enumerate(zip(values, case.behind, strict=True)):
            end = value
            if neighbour:
                size = tuple(self.shapes[place] or ()) if self.shapes else ()
                behind = neighbours.layers_behind(
                    neighbour, value.element_type, size, how.operand, how.number
                )
                # A layer that a device fuses into one node may be found by the name of the last one.
                name = f"{self._name}.{place + 1}"
                end = self._chain(behind, value, name)
            self._result(f"result{place}", end, place)
        for place, value in enumerate(values if how.middle else ()):
            self._result(f"middle{place}", value, len(values) + place)
        first = len(case.result_types) - len(case.readers)
        for place, (kind, output) in enumerate(case.readers):
            fed = read if output is None else values[output]
            assert fed is not None
            written = neighbours.layers_behind(neighbours.reader_of(kind), kind, ())
            end = self._chain(written, fed, self._named(f"also{place}") + ".reader")
            self._result(f"also{place}", end, first + place)

    def _result(self, name: str, value: LayerOutput, place: int) -> None:
        full = self._named(name)
        self.model.result(full, value)
        self.model.results[full] = CasePort(self.index, place, value.element_type)

    def _pair(self, fed: Mapping[str, Fed | None]) -> None:
        """A ReadValue and an Assign of one variable; one of them is the layer under test; of an invalid layer, more.

        The ReadValue feeds the results; the graph ``update`` of the layer leads from it and from new_value to the
        Assign. ``fed`` has the inputs of both.
        """
        layer, new_value = self.case.layer, fed["new_value"]
        assert new_value is not None
        kind, graph = self.case.operation.output_types(layer)[0], layer.graphs()["update"]
        values: dict[str, LayerOutput] = {}
        states = [each.name for each in graph.parameters if each.name != "new_value"] or ["state"]
        for name in states:
            read = self._half("ReadValue", name if values else "")
            self._inputs(read, [fed.get("init_value")], [0])
            (values[name],) = self.model.outputs(read, [(kind, None)], [1])
        ends = [values[states[0]]]
        new = new_value[0]
        # In the graph a state has the type of new_value, from which that of an invalid layer differs.
        inside = {n: value._replace(element_type=new.element_type) for n, value in values.items()}
        known = self.model.nodes(graph, inside | {"new_value": new}, self._named("update."))
        assigns: list[etree._Element] = []
        for result in graph.results:
            assigns.append(self._half("Assign", result.name if assigns else ""))
            self.model.inputs(assigns[-1], [(known[result.source], None)])
        if layer.attributes.get("result"):
            ends += self.model.outputs(assigns[0], [(kind, None)], [1])
        self._results(ends)

    def _half(self, kind: str, name: str) -> etree._Element:
        """A ReadValue or an Assign; the first one of its type has no ``name``."""
        if kind == self.case.operation.type and not name:
            return self._tested()
        return self._layer(self._named(name or kind), kind, _OF_PARTNER[kind])

    def _chain(
        self, written: Sequence[neighbours.Written], value: LayerOutput, name: str
    ) -> LayerOutput:
        """Neighbours one behind the other; what the last one gives."""
        for number, each in enumerate(written):
            full = f"{name}.{number}" if number else name
            fed = [
                value
                if tensor is None
                else self.model.constant(f"{full}.value{position}", tensor, tensor.array())
                for position, tensor in enumerate(each.inputs)
            ]
            layer = self.model.layer(full, each.type, each.opset, each.attributes)
            kinds = [each.element_type] * each.outputs
            value = self.model.computed(layer, [(one, None) for one in fed], kinds)[each.taken]
        return value


def _attribute_text(how: How, attribute: Attribute, value: Any) -> str:
    if how.booleans and isinstance(value, bool):
        return str(int(value))
    if how.shape and attribute.follows == "shape":
        return "..." if how.shape == "rank" else ",".join(["-1"] * len(value))
    return attribute.text(value)


def _neighbour(tensor: Tensor) -> ElementType:
    """Another type, from which the value of an index input is converted; its own where no other holds the value."""
    kind = tensor.element_type
    if kind.is_float:
        if kind is not f64:
            return f64
        return f32 if np.array_equal(tensor.array(), f32.values(tensor.value)) else f64
    near = i64 if kind is i32 else i32
    return near if tensor.fits(near) else kind


def _shapes_at(case: LayerCase, port: int, before: str = "") -> list[tuple[int, ...]]:
    """The shapes that a port of the layer may have, or those of the Parameter in front of the layer before it."""
    shapes = []
    for layer in case.allowed if case.how.shape else (case.layer,):
        tensor = list(layer.ports())[port][1]
        assert tensor is not None
        shape = tensor.shape
        shapes.append(neighbours.NEIGHBOURS[before].fed_shape(shape) if before else shape)
    return shapes


def _dims(case: LayerCase, shapes: Sequence[tuple[int, ...]], is_known: bool) -> Dims:
    """The dimensions that a port states for the shapes that it may have.

    Unknown ones are -1, an unknown rank states none. Where one dimension is unknown, so are those that follow from it.
    """
    if is_known or not case.how.shape:
        return shapes[0]
    if case.how.shape == "rank":
        return None
    if case.how.shape in WHOLE_SHAPES:
        return [-1] * len(shapes[0])
    return [sizes[0] if len(set(sizes)) == 1 else -1 for sizes in zip(*shapes, strict=True)]


def _dims_inside(case: LayerCase, parameter: Parameter, outside: Tensor | None) -> Dims:
    """The dimensions that a body states for a parameter, which the tensor ``outside`` feeds, if one does."""
    tensor = parameter.tensor
    # What the layer gives itself, and the value of an index input, have one shape for ever.
    is_fixed = outside is None or outside.value is not None
    # A body has no inference of its own: where one dimension is unknown, any of its own may be.
    if case.how.shape not in ("", *WHOLE_SHAPES) and not is_fixed:
        return [-1] * tensor.rank
    return _dims(case, [tensor.shape], is_fixed)


def _shape_text(case: LayerCase, dims: Dims, shapes: Sequence[tuple[int, ...]]) -> str:
    """The shape that a Parameter states: ``?``, or bounds around the sizes that the model allows."""
    if case.how.shape == "bounds" and dims is not None and -1 in dims:
        pairs = zip(*shapes, strict=True)
        return ",".join(f"{min(sizes)}..{max(sizes) + 1}" for sizes in pairs)
    return shape_text(dims)


def _port_ids(case: LayerCase, inputs: int, outputs: int) -> tuple[list[int], list[int]]:
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
