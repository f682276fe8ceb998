"""The CPU plugin that compiles each layer of a model alone: ``PYTHON:tests.planted.chained_device``.

What a model gives here is what its layers give one by one, so that no rewriting of several layers shows. A graph that
departs here, although none of its layers departs alone, is a false alarm of ours. What reading infers is not asked, and
models with variables are refused.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from devices.process.backend import Backend
from devices.process.child import load_openvino
from devices.process.protocol import Question, Reply, TensorData
from ir_models import ELEMENT_TYPES

# What lxml types as text or bytes is text here.
Element = Any
Port = tuple[str, str]


class RefusedError(Exception):
    """A layer is refused; it has the device's reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.error)
        self.reply = reply


def open_device(settings: dict[str, str]) -> tuple[Backend, dict[str, Any]]:
    """The CPU with these settings, behind what takes models apart."""
    plugin, facts = load_openvino().open_device("CPU", settings, False)
    return ChainedDevice(plugin), facts


class ChainedDevice:
    """A device that is asked about each layer in a model of its own."""

    def __init__(self, device: Backend) -> None:
        self.device = device

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """The results of a model, layer by layer; a refusal is that of the first layer that is refused."""
        model: Element = etree.fromstring(question.xml)
        if question.turns or model.find("layers/layer[@type='ReadValue']") is not None:
            return Reply(stage="read", error="a model with variables is not taken apart")
        try:
            reply = Reply(outputs=self._infer(model, question, stage))
        except RefusedError as error:
            return error.reply
        reply.inferred = [
            (each.element_type, f"[{','.join('?' * len(each.shape))}]") for each in reply.outputs[0]
        ]
        return reply

    def _infer(
        self, model: Element, question: Question, stage: Callable[[str], None]
    ) -> list[list[TensorData]]:
        """The results of each inference."""
        layers = {each.attrib["id"]: each for each in model.iterfind("layers/layer")}
        sources = {
            (edge.attrib["to-layer"], edge.attrib["to-port"]): (
                edge.attrib["from-layer"],
                edge.attrib["from-port"],
            )
            for edge in model.iterfind("edges/edge")
        }
        values: list[dict[Port, TensorData]] = [{} for _ in question.feeds]
        results: dict[str, Port] = {}
        for number, layer in layers.items():
            kind, name = layer.attrib["type"], layer.attrib["name"]
            if kind == "Const":
                continue
            if kind == "Parameter":
                port = number, layer.find("output/port").attrib["id"]
                for own, feed in zip(values, question.feeds, strict=True):
                    own[port] = feed[name]
                continue
            if kind == "Result":
                reads = number, layer.find("input/port").attrib["id"]
                results[name] = sources[reads]
                if sources[reads] in values[0]:
                    continue
                results[name] = reads  # of a constant
            for alike in _of_equal_shapes(layer, sources, values):
                asked = _alone(layers, sources, number, alike, question)
                reply = self.device.ask(asked.question, stage)
                if reply.refused:
                    raise RefusedError(reply)
                for own, outputs in zip(alike, reply.outputs, strict=True):
                    own.update(zip(asked.gives, outputs, strict=True))
        return [[own[results[name]] for name in question.results] for own in values]


@dataclass
class Alone:
    """The question about a layer in a model of its own, and whose values its results are."""

    question: Question
    gives: list[Port]


def _of_equal_shapes(
    layer: Element, sources: Mapping[Port, Port], values: Sequence[dict[Port, TensorData]]
) -> list[list[dict[Port, TensorData]]]:
    """The inferences in groups in which the layer reads the same shapes, since its model knows all of them."""
    found: dict[object, list[dict[Port, TensorData]]] = {}
    ports = [sources[layer.attrib["id"], each.attrib["id"]] for each in layer.findall("input/port")]
    for own in values:
        shapes = tuple(own[port].shape for port in ports if port in own)
        found.setdefault(shapes, []).append(own)
    return list(found.values())


def _alone(
    layers: Mapping[str, Element],
    sources: Mapping[Port, Port],
    number: str,
    values: Sequence[Mapping[Port, TensorData]],
    question: Question,
) -> Alone:
    """A layer with what it reads in each inference; its results are its outputs, or what a Result reads."""
    layer = copy.deepcopy(layers[number])
    found, edges = [], []
    given: dict[str, Port] = {}
    for port in layer.findall("input/port"):
        source = sources[number, port.attrib["id"]]
        if layers[source[0]].attrib["type"] == "Const":
            found.append(copy.deepcopy(layers[source[0]]))
            edges.append((*source, number, port.attrib["id"]))
            continue
        name = f"given{port.get('id')}"
        given[name] = source
        found.append(_parameter(name, values[0][source]))
        edges.append((name, "0", number, port.attrib["id"]))
    outputs = layer.findall("output/port")
    found.append(layer)
    if outputs:
        results = [f"result{port.get('id')}" for port in outputs]
        for name, port in zip(results, outputs, strict=True):
            found.append(_result(name, port.attrib["precision"]))
            edges.append((number, port.attrib["id"], name, "0"))
        gives = [(number, port.attrib["id"]) for port in outputs]
    else:
        results = [layer.attrib["name"]]
        gives = [(number, layer.find("input/port").attrib["id"])]
    feeds = [{name: own[source] for name, source in given.items()} for own in values]
    return Alone(
        replace(
            question,
            xml=_net(found, edges),
            feeds=feeds,
            results=results,
            layers=[],
            executed=False,
        ),
        gives,
    )


def _parameter(name: str, tensor: TensorData) -> Element:
    kind = ELEMENT_TYPES[tensor.element_type]
    layer: Element = etree.Element("layer", id=name, name=name, type="Parameter", version="opset1")
    sizes = ",".join(map(str, tensor.shape))
    etree.SubElement(layer, "data", shape=sizes, element_type=kind.name)
    port: Element = etree.SubElement(
        etree.SubElement(layer, "output"), "port", id="0", precision=kind.precision
    )
    for size in tensor.shape:
        etree.SubElement(port, "dim").text = str(size)
    return layer


def _result(name: str, precision: str) -> Element:
    layer: Element = etree.Element("layer", id=name, name=name, type="Result", version="opset1")
    etree.SubElement(etree.SubElement(layer, "input"), "port", id="0", precision=precision)
    return layer


def _net(found: Sequence[Element], edges: Sequence[Sequence[str]]) -> bytes:
    """A model of these layers, with numbers for their ids; a constant may be there twice."""
    net: Element = etree.Element("net", name="layer", version="11")
    listed, joined = etree.SubElement(net, "layers"), etree.SubElement(net, "edges")
    numbers: dict[str, str] = {}
    for layer in found:
        if layer.attrib["id"] not in numbers:
            numbers[layer.attrib["id"]] = str(len(numbers))
            layer.set("id", numbers[layer.attrib["id"]])
            listed.append(layer)
    for start, out, end, into in edges:
        words = {
            "from-layer": numbers[start],
            "from-port": out,
            "to-layer": numbers[end],
            "to-port": into,
        }
        etree.SubElement(joined, "edge", words)
    return etree.tostring(net, xml_declaration=True, encoding="utf-8")
