"""A departing part of a private model that can be shared: without names, weights and data.

Numbers are random ones with the mean, deviation, least and largest value of those in their place. A single number
stays, because it most likely belongs to the formula; so do few integers, which are axes and shapes.
"""

from __future__ import annotations

import numpy as np
from lxml import etree

from devices.engine.session import Session
from devices.models import judging
from devices.models.findings import PartEvidence
from devices.models.judging import typed
from devices.models.part_runner import PartRunner
from ir_models.models import Model, parse
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType
from ir_models.vocabulary.stored import content

# Information for run time that changes how a device computes, and names nothing of the user's.
_KEPT = {"decompression", "keep_const_precision", "precise", "dequantization_node"}
_FEW_INTEGERS = 64


def anonymous(
    model: Model, evidence: PartEvidence, session: Session
) -> tuple[Model, PartEvidence] | None:
    """The layers of the evidence as a model of their own, with what shows the departure; None if it then conforms."""
    results = list(evidence.expected) or list(model.sources[evidence.nodes[-1]].outputs)
    part = evidence.part(model, results)
    state = np.random.RandomState(0)
    weights = bytearray(part.weights)
    net = etree.fromstring(part.xml)
    _strip(net)
    _randomize(net, weights, state)
    bare = parse(net, np.frombuffer(bytes(weights), np.uint8))
    by_title = {source.title: source.name for source in bare.sources.values()}
    fed = {
        by_title[name]: _random(evidence.arrays[value], model.types[value], state)
        for name, value in part.parameters.items()
    }
    nodes = [node.name for node in bare.graph.nodes]
    values = [result.source for result in bare.graph.results]
    answer = PartRunner(bare, session).ask(nodes, values, [fed])
    if answer.failed:
        return None if evidence.expected else (bare, PartEvidence(tuple(nodes), fed, {}, {}))
    if not evidence.expected:
        return None
    constants = {name: tensor.array() for name, tensor in bare.graph.constants.items()}
    expected = judging.expected_of_part(bare, nodes, {**fed, **constants}, values)
    if not answer.departs_from(expected):
        return None
    return bare, PartEvidence(tuple(nodes), fed, expected, answer.values[0])


def _strip(net: etree._Element) -> None:
    """Remove names of tensors and bodies, and information for run time that a device does not compute by."""
    for port in net.iter("port"):
        port.attrib.pop("names", "")
    for info in list(net.iter("rt_info")):
        for each in list(info):
            if each.get("name") not in _KEPT:
                info.remove(each)
        parent = info.getparent()
        if not len(info) and parent is not None:
            parent.remove(info)
    for layer in net.iterfind(".//layer//layer"):
        layer.set("name", f"n{layer.get('id')}")


def _randomize(net: etree._Element, weights: bytearray, state: np.random.RandomState) -> None:
    for layer in net.iter("layer"):
        data = layer.find("data")
        if layer.get("type") != "Const" or data is None:
            continue
        kind = ELEMENT_TYPES.get(str(data.get("element_type")))
        if kind is None or kind.kind == "string":
            continue
        shape = tuple(int(size) for size in str(data.get("shape", "")).split(",") if size.strip())
        begin, size = int(str(data.get("offset"))), int(str(data.get("size")))
        raw = np.frombuffer(bytes(weights[begin : begin + size]), np.uint8)
        array = _random(kind.unpack(raw, shape), kind, state)
        weights[begin : begin + size] = content(kind, array)


def _random(array: np.ndarray, kind: ElementType, state: np.random.RandomState) -> np.ndarray:
    """Numbers of the same distribution."""
    if kind.kind in ("string", "boolean") or array.size < 2:
        return array
    if not kind.is_float:
        if array.size <= _FEW_INTEGERS:
            return array
        low, high = int(array.min()), int(array.max())
        return typed(np.floor(state.uniform(low, high + 1, array.shape)), kind)
    finite = array.astype(np.float64)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return array
    drawn = state.normal(finite.mean(), finite.std(), array.shape)
    return typed(np.clip(drawn, finite.min(), finite.max()), kind)
