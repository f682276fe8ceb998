"""Writes graphs as IR: one model of graphs that share nothing but the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from lxml import etree

from ir_models import catalog
from ir_models.graphs.evaluation import Evaluated
from ir_models.graphs.notation import Step
from ir_models.vocabulary.bodies import GraphNetwork
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Parameter
from ir_models.vocabulary.network import write_port

# What names of a model of several graphs begin with.
_PREFIX = "c{}."


@dataclass(frozen=True)
class GraphModel:
    """IR. ``parameters``, ``results`` and ``layers`` map names in it to the graph's position and the name there."""

    xml: bytes
    weights: bytes
    parameters: dict[str, tuple[int, str]]
    results: dict[str, tuple[int, str]]
    layers: dict[str, tuple[int, str]]


def write(graphs: Sequence[Evaluated]) -> GraphModel:
    """One model of these graphs."""
    writer = _Writer()
    for place, graph in enumerate(graphs):
        writer.add(place, graph, "" if len(graphs) == 1 else _PREFIX.format(place))
    net = etree.Element("net", name="graphs", version="11")
    etree.SubElement(net, "layers").extend(writer.layers)
    etree.SubElement(net, "edges").extend(writer.edges)
    xml = etree.tostring(net, xml_declaration=True, encoding="utf-8")
    return GraphModel(xml, bytes(writer.weights), writer.parameters, writer.results, writer.written)


@dataclass
class _Writer(GraphNetwork):
    parameters: dict[str, tuple[int, str]] = field(default_factory=dict)
    results: dict[str, tuple[int, str]] = field(default_factory=dict)
    written: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, place: int, evaluated: Evaluated, prefix: str) -> None:
        """Write one graph."""
        graph = evaluated.graph
        ends: dict[str, tuple[str, str]] = {}
        known: dict[str, Sequence[int] | None] = {}
        for name, fed in graph.fed.items():
            dims = [-1 if axis in fed.unknown else size for axis, size in enumerate(fed.shape)]
            if fed.is_constant:
                held = self._held(prefix + name, fed.tensor, evaluated.arrays[name])
                ends[name], known[name] = (str(held), "0"), dims
            else:
                layer = self._layer(prefix + name, "Parameter", "opset1")
                shape = ",".join("?" if size < 0 else str(size) for size in dims)
                etree.SubElement(layer, "data", shape=shape, element_type=fed.element_type.name)
                self.parameters[prefix + name] = (place, name)
                write_port(etree.SubElement(layer, "output"), 0, fed.element_type, dims)
                ends[name], known[name] = (str(layer.get("id")), "0"), dims
        for step in graph.steps:
            self._step(place, evaluated, step, prefix, ends, known)
        for number, value in enumerate(graph.results):
            name = f"{prefix}result{number}"
            layer = self._layer(name, "Result", "opset1")
            kind = evaluated.tensors[value].element_type
            write_port(etree.SubElement(layer, "input"), 0, kind, None)
            self._edge(ends[value], layer, "0")
            self.results[name] = (place, value)

    def _step(
        self,
        place: int,
        evaluated: Evaluated,
        step: Step,
        prefix: str,
        ends: dict[str, tuple[str, str]],
        known: dict[str, Sequence[int] | None],
    ) -> None:
        operation = catalog.operation(step.operation)
        layer = self._layer(prefix + step.name, operation.type, operation.opset)
        texts = {
            a.ir_name or a.name: a.text(step.attributes[a.name])
            for a in operation.attributes
            if a.name in step.attributes and a.is_written
        }
        if operation.partner:
            # Its name is the graph's own in the model.
            texts = {"variable_id": prefix + step.attributes["variable_id"]} | {
                name: value for name, value in texts.items() if name != "variable_id"
            }
        if texts:
            etree.SubElement(layer, "data", texts)
        ports = etree.SubElement(layer, "input")
        for number, value in enumerate(step.inputs):
            if value:
                write_port(ports, number, evaluated.tensors[value].element_type, known.get(value))
                self._edge(ends[value], layer, str(number))
        ports = etree.SubElement(layer, "output")
        for number, name in enumerate(evaluated.outputs(step), len(step.inputs)):
            write_port(ports, number, evaluated.tensors[name].element_type, None)
            ends[name] = str(layer.get("id")), str(number)
        tested = evaluated.layers[step.name]
        if tested.graphs():
            outputs = range(len(step.inputs), len(step.inputs) + len(evaluated.outputs(step)))
            stated = partial(_dims_inside, evaluated)
            self._bodies(layer, tested, range(len(step.inputs)), outputs, stated)
        self.written[prefix + step.name] = (place, step.name)


def _dims_inside(evaluated: Evaluated, parameter: Parameter, outside: Tensor | None) -> list[str]:
    """The dimensions that a body states: none is known where the model does not know all of what it is given."""
    is_fixed = outside is None or outside.value is not None or not evaluated.graph.has_unknown
    sizes = parameter.tensor.shape
    return [str(size) for size in sizes] if is_fixed else ["-1"] * len(sizes)
