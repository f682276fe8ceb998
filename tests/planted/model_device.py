"""A device for tests that is the CPU, but wrong for one layer of a model: ``PYTHON:tests.planted.model_device``.

The setting ``PLANT=KIND:LAYER`` says how, and for which layer by its name in what is asked (see ``KINDS``);
``PLANT=@FILE`` names a file that says it, which is read at each question. The fault is put into the model before
OpenVINO reads it, wherever the layer occurs: in the whole model, with values read, alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from lxml import etree

from devices.process.backend import Backend
from devices.process.child import load_openvino
from devices.process.protocol import Question, Reply
from tests.planted.small_model import PRECISIONS

# The types of real numbers in which a fault can be planted.
_TYPES: dict[str, type[np.floating[Any]]] = {"f32": np.float32, "f16": np.float16}

KINDS = {
    "constant": "one element of a constant that the layer reads is another one",
    "kernel": "what the layer gives is multiplied by 1.001, in f16 by 1 + 2^-8: two to four ulps",
    "precision": "the weights of the layer are rounded to bf16, those of f16 to f8e5m2",
    "fused": "what the layer gives is multiplied by 1.01, where one layer alone reads it",
    "sibling": "what the layer gives is multiplied by 1.01, where another layer of its type reads what it reads",
    "crash": "a model with the layer ends the process",
    "inexact": "what the layer gives is multiplied by 1 + 2^-22, which one sum may be off by, but not each",
    "state": "what the layer assigns to its variable is multiplied by 1.01",
}


def open_device(settings: dict[str, str]) -> tuple[Backend, dict[str, Any]]:
    """The CPU with the fault of the setting PLANT."""
    others = {name: value for name, value in settings.items() if name != "PLANT"}
    backend, facts = load_openvino().open_device("CPU", others, False)
    return Planted(backend, settings.get("PLANT", "")), facts


class Planted:
    """A device with a fault in one layer."""

    def __init__(self, backend: Backend, plant: str) -> None:
        self.backend, self.plant = backend, plant

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """What the device says about the model with the fault; it executes no other devices than the CPU."""
        plant = self.plant
        if plant.startswith("@"):
            plant = Path(plant[1:]).read_text("utf-8")
        kind, _, name = plant.partition(":")
        net = etree.fromstring(question.xml)
        layer = next((e for e in _child(net, "layers") if _of(e, "name") == name), None)
        if layer is not None and kind:
            if kind == "crash":
                stage("infer")
                os.abort()
            weights = bytearray(question.weights)
            _PLANT[kind](net, layer, weights)
            question = replace(question, xml=etree.tostring(net), weights=bytes(weights))
        return self.backend.ask(question, stage)


def _child(element: etree._Element, path: str) -> etree._Element:
    """The element at a path, which is there."""
    found = element.find(path)
    assert found is not None
    return found


def _of(element: etree._Element, name: str) -> str:
    """An attribute, which is there."""
    return str(element.get(name))


def _edges(net: etree._Element, **ends: str | None) -> list[etree._Element]:
    names = {name.replace("_", "-"): value for name, value in ends.items()}
    return [e for e in _child(net, "edges") if all(e.get(n) == v for n, v in names.items())]


def _constants(net: etree._Element, layer: etree._Element) -> list[etree._Element]:
    """The constants of real numbers that a layer reads, the largest first."""
    by_id = {_of(each, "id"): each for each in _child(net, "layers")}
    found = [by_id[_of(edge, "from-layer")] for edge in _edges(net, to_layer=_of(layer, "id"))]
    real = [
        e
        for e in found
        if _of(e, "type") == "Const" and _of(_child(e, "data"), "element_type") in _TYPES
    ]
    return sorted(real, key=lambda e: -int(_of(_child(e, "data"), "size")))


def _values(constant: etree._Element, weights: bytearray) -> np.ndarray:
    data = _child(constant, "data")
    dtype = np.dtype(_TYPES[_of(data, "element_type")])
    count = int(_of(data, "size")) // dtype.itemsize
    return np.frombuffer(weights, dtype, count, int(_of(data, "offset")))


def _constant(net: etree._Element, layer: etree._Element, weights: bytearray) -> None:
    values = _values(_constants(net, layer)[0], weights)
    values[int(np.argmax(np.abs(values)))] *= values.dtype.type(1.5)


def _precision(net: etree._Element, layer: etree._Element, weights: bytearray) -> None:
    values = _values(_constants(net, layer)[0], weights)
    coarse = ml_dtypes.bfloat16 if values.dtype == np.float32 else ml_dtypes.float8_e5m2
    values[:] = values.astype(coarse).astype(values.dtype)


def _scaled(
    net: etree._Element,
    source: tuple[str, str],
    edges: list[etree._Element],
    factor: float,
    weights: bytearray,
) -> None:
    """Put a multiplication into these edges."""
    layers = _child(net, "layers")
    first = 1 + max(int(_of(each, "id")) for each in layers)
    weights.extend(b"\0" * (-len(weights) % 64))
    offset = len(weights)
    kind = _type(net, source)
    held = _TYPES[kind](factor).tobytes()
    weights.extend(held)
    precision = PRECISIONS[kind]
    layers.append(etree.fromstring(
        f'<layer id="{first}" name="planted.factor" type="Const" version="opset1"><data element_type="{kind}" shape="" '
        f'offset="{offset}" size="{len(held)}"/><output><port id="0" precision="{precision}"/></output></layer>'
    ))  # fmt: skip
    layers.append(etree.fromstring(
        f'<layer id="{first + 1}" name="planted" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>'
        f'<input><port id="0" precision="{precision}"/><port id="1" precision="{precision}"/></input>'
        f'<output><port id="2" precision="{precision}"/></output></layer>'
    ))  # fmt: skip
    for edge in edges:
        edge.set("from-layer", str(first + 1))
        edge.set("from-port", "2")
    for begin, port in ((source, "0"), ((str(first), "0"), "1")):
        names = {
            "from-layer": begin[0],
            "from-port": begin[1],
            "to-layer": str(first + 1),
            "to-port": port,
        }
        _child(net, "edges").append(etree.Element("edge", names))


def _type(net: etree._Element, source: tuple[str, str]) -> str:
    """The element type of an output."""
    layer = next(each for each in _child(net, "layers") if _of(each, "id") == source[0])
    port = next(each for each in _child(layer, "output") if _of(each, "id") == source[1])
    return next(kind for kind, name in PRECISIONS.items() if name == _of(port, "precision"))


def _kernel(
    net: etree._Element, layer: etree._Element, weights: bytearray, factor: float = 0.0
) -> None:
    port = _of(_child(layer, "output/port"), "id")
    factor = factor or (1.001 if _type(net, (_of(layer, "id"), port)) == "f32" else 1 + 2.0**-8)
    edges = _edges(net, from_layer=_of(layer, "id"), from_port=port)
    _scaled(net, (_of(layer, "id"), port), edges, factor, weights)


def _fused(net: etree._Element, layer: etree._Element, weights: bytearray) -> None:
    port = _of(_child(layer, "output/port"), "id")
    edges = _edges(net, from_layer=_of(layer, "id"), from_port=port)
    by_id = {_of(each, "id"): each for each in _child(net, "layers")}
    if len(edges) == 1 and by_id[_of(edges[0], "to-layer")].get("type") != "Result":
        _scaled(net, (_of(layer, "id"), port), edges, 1.01, weights)


def _sibling(net: etree._Element, layer: etree._Element, weights: bytearray) -> None:
    own = _of(layer, "id")
    by_id = {_of(each, "id"): each for each in _child(net, "layers")}
    (edge,) = _edges(net, to_layer=own, to_port=_of(_child(layer, "input/port"), "id"))
    source = {name.replace("-", "_"): _of(edge, name) for name in ("from-layer", "from-port")}
    readers = (by_id[_of(each, "to-layer")] for each in _edges(net, **source))
    if any(each.get("type") == layer.get("type") and each is not layer for each in readers):
        _kernel(net, layer, weights, 1.01)


def _state(net: etree._Element, layer: etree._Element, weights: bytearray) -> None:
    (edge,) = _edges(net, to_layer=_of(layer, "id"))
    _scaled(net, (_of(edge, "from-layer"), _of(edge, "from-port")), [edge], 1.01, weights)


_PLANT: dict[str, Callable[[etree._Element, etree._Element, bytearray], None]] = {
    "constant": _constant,
    "kernel": _kernel,
    "precision": _precision,
    "fused": _fused,
    "sibling": _sibling,
    "inexact": partial(_kernel, factor=1 + 2.0**-22),
    "state": _state,
}
