"""The model of a case as lines of Python that build it by OpenVINO's API, where that is shorter than its IR."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from xml.etree import ElementTree

import numpy as np

import ir_models
from reports.results.case_folder.tensors import NUMPY_TYPES
from reports.upstream.running import MAKE

IMPORTS = [
    "try: from openvino import op; from openvino.utils.node_factory import NodeFactory",
    "except ImportError: from openvino.runtime import op; from openvino.runtime.utils.node_factory import NodeFactory",
]
"""What builds models, of releases from 2025 on and of older ones."""
WIDTH = 118
"""Columns up to which layers stand in one line."""
_MAKE = [
    f"def {MAKE}(opset, kind, inputs, **attributes):",
    "    return NodeFactory(opset).create(kind, inputs, attributes)",
]
_NAMES = {"PReLU": "PRelu", "ReLU": "Relu", "SoftMax": "Softmax"}
"""Types whose name in an IR is not that of the operation."""
_PARTS = {"data", "input", "output", "rt_info"}
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?")


class NotBuiltError(ValueError):
    """The model has a part that only its IR has in few words."""


def lines_of(xml: str, weights: bytes, array: Callable[[np.ndarray], str]) -> list[str]:
    """Return the lines that build ``model``. ``array`` makes the text of a NumPy array.

    Raises NotBuiltError.
    """
    root = ElementTree.fromstring(xml)
    layers = root.findall("./layers/layer")
    if any(part.tag not in _PARTS for each in layers for part in each):
        raise NotBuiltError("a layer has a body")
    if any(data.get("variable_id") for data in root.iterfind("./layers/layer/data")):
        raise NotBuiltError("a layer has a variable")
    read = {
        (edge.get("to-layer"), edge.get("to-port")): (edge.get("from-layer"), edge.get("from-port"))
        for edge in root.iterfind("./edges/edge")
    }
    values: dict[tuple[str | None, str | None], str] = {}
    lines, parameters, results = [], [], {}
    for layer in _in_order(layers, read):
        number, kind = layer.get("id"), layer.get("type")
        data = layer.find("data")
        attributes = dict(data.attrib) if data is not None else {}
        given = [values[read[number, port.get("id")]] for port in layer.iterfind("./input/port")]
        ports = [port.get("id") for port in layer.iterfind("./output/port")]
        name = f"{'x' if kind == 'Parameter' else 'c' if kind == 'Const' else 'n'}{number}"
        if kind == "Result":
            results[number] = given[0]
            continue
        if kind == "Parameter":
            shape = f'ov.PartialShape("[{attributes["shape"]}]")'
            made = f"op.Parameter(ov.Type.{attributes['element_type']}, {shape})"
            parameters.append(name)
        elif kind == "Const":
            made = f"op.Constant({_constant(attributes, weights, array)})"
        else:
            lists = _lists(kind or "", layer.get("version", ""))
            of = "".join(
                f", {key}={_literal(text, key in lists)}" for key, text in attributes.items()
            )
            if not all(map(str.isidentifier, attributes)):
                raise NotBuiltError("the name of an attribute is no name in Python")
            made = f'{MAKE}("{layer.get("version")}", "{_NAMES.get(kind or "", kind)}", [{", ".join(given)}]{of})'
        lines.append(f"{name} = {made}")
        for place, port in enumerate(ports):
            values[number, port] = name if len(ports) == 1 else f"{name}.output({place})"
    ends = [results[each.get("id")] for each in layers if each.get("id") in results]
    return [
        *_MAKE,
        *_packed(lines),
        f"model = ov.Model([{', '.join(ends)}], [{', '.join(parameters)}])",
    ]


@cache
def _lists(kind: str, opset: str) -> frozenset[str]:
    """The attributes of an operation that are lists, of one number too, as its IR names them."""
    alike = ir_models.select([kind])
    return frozenset(
        each.ir_name or each.name
        for operation in [one for one in alike if one.opset == opset] or alike
        for each in operation.attributes
        if each.is_list
    )


def _packed(lines: list[str]) -> list[str]:
    """Statements, several in one line where they fit."""
    packed: list[str] = []
    for line in lines:
        if packed and len(packed[-1]) + len(line) + 2 <= WIDTH:
            packed[-1] += f"; {line}"
        else:
            packed.append(line)
    return packed


def _in_order(
    layers: list[ElementTree.Element],
    read: dict[tuple[str | None, str | None], tuple[str | None, str | None]],
) -> list[ElementTree.Element]:
    """The layers, each behind those that it reads."""
    waits = {each.get("id"): each for each in layers}
    done: list[ElementTree.Element] = []
    while waits:
        free = [
            number
            for number, each in waits.items()
            if not any(
                read[number, port.get("id")][0] in waits for port in each.iterfind("./input/port")
            )
        ]
        if not free:
            raise NotBuiltError("the layers have a cycle")
        done += [waits.pop(number) for number in free]
    return done


def _constant(
    attributes: dict[str, str], weights: bytes, array: Callable[[np.ndarray], str]
) -> str:
    kind = attributes["element_type"]
    shape = [int(size) for size in attributes["shape"].split(",") if size]
    start, size = int(attributes["offset"]), int(attributes["size"])
    raw = weights[start : start + size]
    if kind in NUMPY_TYPES:
        return array(np.frombuffer(raw, NUMPY_TYPES[kind]).reshape(shape))
    if kind == "string":
        raise NotBuiltError("a constant has strings")
    return f"ov.Tensor({array(np.frombuffer(raw, np.uint8))}, ov.Shape({shape}), ov.Type.{kind})"


def _literal(text: str, is_list: bool) -> str:
    """The value of an attribute as Python writes it."""
    parts = [part.strip() for part in text.split(",")] if text else []
    is_numbers = all(map(_NUMBER.fullmatch, parts))
    if is_list or (len(parts) > 1 and is_numbers):
        return f"[{', '.join(parts if is_numbers else map(repr, parts))}]"
    if text in ("true", "false"):
        return text.capitalize()
    return text if text and is_numbers else repr(text)
