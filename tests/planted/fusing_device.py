"""A device for tests that rewrites graphs wrongly: ``PYTHON:tests.planted.fusing_device``.

It computes each layer by the reference and rounds it to its type, as a device does that compiles each layer alone. The
setting ``FAULT=NAME`` adds one rewriting of two or more layers whose condition forgets something (see ``FAULTS``);
``FAULT=KIND:OPERATION>OPERATION`` adds one that ``tests.planted.graph_faults`` describes. Each layer alone is right.
Without the setting nothing is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lxml import etree

from devices.models.judging import arguments, typed
from devices.process.backend import Backend
from devices.process.protocol import Question, Reply, TensorData
from ir_models.models import Model
from ir_models.models.reader import parse
from ir_models.vocabulary.graph import Node, Step
from reference import outputs_of
from tests.planted import graph_faults
from tests.planted.graph_faults import DiedError, View, infer

ELEMENTWISE = ("Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum")


def open_device(settings: dict[str, str]) -> tuple[Backend, dict[str, Any]]:
    """The device with the fault of the setting FAULT."""
    name = settings.get("FAULT", "")
    if ":" in name:
        return RewritingDevice(graph_faults.Fault.read(name)), {"openvino": "none", "settings": {}}
    if name and name not in FAULTS:
        raise ValueError(f"no fault is called {name}")
    return FusingDevice(name), {"openvino": "none", "settings": {}}


@dataclass
class Context:
    """A model that is being computed: the values so far, which of them are results, and what a fault changes later."""

    model: Model
    values: dict[str, np.ndarray]
    results: set[str]
    stale: dict[str, str] = field(default_factory=dict)

    def kind(self, node: Node | None) -> str:
        """The type of a layer; "" for none."""
        return "" if node is None else node.operation.rpartition("-")[0]

    def is_constant(self, value: str) -> bool:
        """Whether a constant gives it."""
        return value in self.model.graph.constants

    def fused(self, value: str, *kinds: str) -> Node | None:
        """The layer that gives a value, if it is of one of these types and nothing else reads the value."""
        node = self.model.nodes.get(value.partition(":")[0])
        is_read_once = len(self.model.readers.get(value, ())) == 1 and value not in self.results
        return node if node is not None and self.kind(node) in kinds and is_read_once else None

    def pair(self, node: Node, *kinds: str) -> tuple[Node, str, str] | None:
        """The layer of one of these types that feeds a layer of two operands, and the values that it reads."""
        if len(node.inputs) != 2:
            return None
        for value, other in (node.inputs, node.inputs[::-1]):
            before = self.fused(value, *kinds)
            if before is not None:
                return before, value, other
        return None


Fault = Callable[[Context, Node, "list[np.ndarray]"], "list[np.ndarray] | None"]


def _rank_dropped(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """Two elementwise layers in one: the result has the rank of the first one's result, whatever the constant has."""
    pair = context.pair(node, *ELEMENTWISE) if context.kind(node) in ELEMENTWISE else None
    if pair is None or not context.is_constant(pair[2]):
        return None
    rank = context.values[pair[1]].ndim
    lost = right[0].ndim - rank
    if lost > 0 and right[0].shape[:lost] == (1,) * lost:
        return [right[0].reshape(right[0].shape[lost:])]
    return None


def _keep_dims(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """A reduction and a layer behind it: keep_dims is taken for true."""
    if context.kind(node) not in ELEMENTWISE:
        return None
    pair = context.pair(node, "ReduceSum", "ReduceMean", "ReduceMax")
    if pair is None or pair[0].attributes.get("keep_dims"):
        return None
    before, value, _ = pair
    inputs = [context.values[each] for each in before.inputs]
    (kept,) = outputs_of(before.operation, inputs, {**arguments(before), "keep_dims": True})
    operands = [kept if each == value else context.values[each] for each in node.inputs]
    try:
        return list(outputs_of(node.operation, operands, arguments(node)))
    except ValueError as error:
        raise RuntimeError("the rewritten layer has shapes that do not broadcast") from error


def _wrong_axis(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """A reduction behind a Transpose moves in front of it, and its axes stay as they are."""
    if context.kind(node) not in ("ReduceSum", "ReduceMean", "ReduceMax"):
        return None
    before = context.fused(node.inputs[0], "Transpose")
    if before is None or not node.attributes.get("keep_dims"):
        return None
    data, order = (context.values[each] for each in before.inputs)
    (reduced,) = outputs_of(node.operation, [data, context.values[node.inputs[1]]], arguments(node))
    moved = outputs_of(before.operation, [reduced, order], arguments(before))
    return list(moved)


def _stale_result(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """A layer computes in place although what it overwrites is a result of the model."""
    if context.kind(node) not in ELEMENTWISE:
        return None
    for value in node.inputs:
        before = context.model.nodes.get(value.partition(":")[0])
        in_place = before is not None and context.kind(before) in ELEMENTWISE
        if in_place and value in context.results and context.values[value].shape == right[0].shape:
            context.stale[value] = node.name
            return None
    return None


def _scalar_constant(
    context: Context, node: Node, right: list[np.ndarray]
) -> list[np.ndarray] | None:
    """A scale behind MatMul is taken for one number: its first."""
    pair = context.pair(node, "MatMul") if context.kind(node) == "Multiply" else None
    if pair is None or not context.is_constant(pair[2]):
        return None
    first = context.values[pair[2]].reshape(-1)[:1]
    if not first.size:
        return None
    operands = [first[0] if each == pair[2] else context.values[each] for each in node.inputs]
    found = outputs_of(node.operation, [np.asarray(each) for each in operands], arguments(node))
    return [np.broadcast_to(found[0], right[0].shape)] if found[0].size else None


def _elided_conversion(
    context: Context, node: Node, right: list[np.ndarray]
) -> list[np.ndarray] | None:
    """Two conversions, to a narrower type and back, are taken for none."""
    before = context.fused(node.inputs[0], "Convert") if context.kind(node) == "Convert" else None
    if before is None:
        return None
    data = context.values[before.inputs[0]]
    return [data] if data.dtype == right[0].dtype or data.dtype.kind == "f" else None


def _order_forgotten(
    context: Context, node: Node, right: list[np.ndarray]
) -> list[np.ndarray] | None:
    """Parts of a Split that are joined are taken for the whole, in whatever order."""
    if context.kind(node) != "Concat":
        return None
    sources = {value.partition(":")[0] for value in node.inputs}
    before = context.model.nodes.get(sources.pop()) if len(sources) == 1 else None
    if context.kind(before) != "Split" or before is None or len(node.inputs) != before.outputs:
        return None
    data = context.values[before.inputs[0]]
    return [data] if data.shape == right[0].shape else None


def _zero_point(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """Weights that are converted, shifted and scaled: a shift that is one number is left out."""
    pair = context.pair(node, "Subtract") if context.kind(node) == "Multiply" else None
    if pair is None or context.fused(pair[0].inputs[0], "Convert") is None:
        return None
    if context.values[pair[0].inputs[1]].size != 1:
        return None
    operands = [
        context.values[pair[0].inputs[0]] if each == pair[1] else context.values[each]
        for each in node.inputs
    ]
    return list(outputs_of(node.operation, operands, arguments(node)))


def _death(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """Two Squeeze or Unsqueeze that cancel end the process where their axes differ."""
    if context.kind(node) != "Unsqueeze":
        return None
    before = context.fused(node.inputs[0], "Squeeze")
    if before is not None and len(before.inputs) == 2:
        one, two = (context.values[each.inputs[1]].reshape(-1) for each in (before, node))
        if not np.array_equal(one, two):
            os.abort()
    return None


def _refusal(context: Context, node: Node, right: list[np.ndarray]) -> list[np.ndarray] | None:
    """MatMul takes a Transpose in, and does not know orders of more than two dimensions."""
    before = context.fused(node.inputs[0], "Transpose") if context.kind(node) == "MatMul" else None
    if before is not None and context.values[node.inputs[0]].ndim > 2:
        raise RuntimeError("Transpose of more than two dimensions is not implemented")
    return None


@dataclass(frozen=True)
class Planted:
    """A fault, how many layers it needs, and a pattern whose cases show it."""

    function: Fault
    layers: int
    pattern: str

    @property
    def about(self) -> str:
        """What the rewriting does."""
        return (self.function.__doc__ or "").strip()


FAULTS: Mapping[str, Planted] = {
    "rank-dropped": Planted(_rank_dropped, 2, "Clamp"),
    "keep-dims": Planted(_keep_dims, 2, "ReduceMean-pool"),
    "wrong-axis": Planted(_wrong_axis, 2, "Transpose-ReduceMean"),
    "stale-result": Planted(_stale_result, 2, "Add-Multiply-Add"),
    "scalar-constant": Planted(_scalar_constant, 2, "MatMul-Multiply-Add"),
    "elided-conversion": Planted(_elided_conversion, 2, "Convert-i32-Convert"),
    "order-forgotten": Planted(_order_forgotten, 2, "Split-Concat"),
    "zero-point": Planted(_zero_point, 3, "decompression-u8"),
    "death": Planted(_death, 2, "Squeeze-Unsqueeze"),
    "refusal": Planted(_refusal, 2, "Transpose-MatMul"),
}


class FusingDevice:
    """The reference, layer by layer, with one wrong rewriting."""

    def __init__(self, fault: str) -> None:
        self.fault = FAULTS[fault].function if fault else None

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """The results of a model; any exception is a refusal."""
        reply = Reply()
        stage("read")
        weights = np.frombuffer(bytes(question.weights), np.uint8)
        model = parse(etree.fromstring(question.xml), weights)
        stage("infer")
        self._begin()
        try:
            for feed in question.feeds:
                reply.outputs.append(self._infer(model, feed, question.results))
        except Exception as error:
            reply.stage, reply.error = "infer", str(error)
            return reply
        reply.inferred = [
            (tensor.element_type, f"[{','.join('?' * len(tensor.shape))}]")
            for tensor in reply.outputs[0]
        ]
        return reply

    def _begin(self) -> None:
        """Forget the inferences of another model."""

    def _infer(
        self, model: Model, feed: dict[str, TensorData], names: list[str]
    ) -> list[TensorData]:
        values = {
            each.name: feed[model.sources[each.name].title].values()
            for each in model.graph.parameters
        }
        values.update((name, tensor.array()) for name, tensor in model.graph.constants.items())
        sources = {model.sources[each.name].title: each.source for each in model.graph.results}
        context = Context(model, values, set(sources.values()))
        for node in model.graph.nodes:
            inputs = [values[each] for each in node.inputs]
            outputs = list(outputs_of(node.operation, inputs, arguments(node)))
            changed = None if self.fault is None else self.fault(context, node, outputs)
            for place, array in enumerate(outputs if changed is None else changed):
                name = f"{node.name}:{place}" if place else node.name
                values[name] = typed(np.asarray(array), node.types[place])
        found = []
        for name in names:
            value = context.stale.get(sources[name], sources[name])
            found.append(TensorData.of(values[value], model.types[sources[name]].name))
        return found


class RewritingDevice(FusingDevice):
    """The reference, layer by layer, with a fault of ``tests.planted.graph_faults``."""

    def __init__(self, rewriting: graph_faults.Fault) -> None:
        super().__init__("")
        self.rewriting = rewriting
        self._before: dict[str, np.ndarray] = {}

    def _begin(self) -> None:
        self._before = {}

    def _infer(
        self, model: Model, feed: dict[str, TensorData], names: list[str]
    ) -> list[TensorData]:
        values = {
            each.name: feed[model.sources[each.name].title].values()
            for each in model.graph.parameters
        }
        values.update((name, tensor.array()) for name, tensor in model.graph.constants.items())
        nodes = model.nodes

        def exact(step: Step, inputs: Sequence[Any]) -> list[np.ndarray]:
            return list(outputs_of(step.operation, inputs, step.attributes))

        def compute(step: Step, inputs: Sequence[Any]) -> list[np.ndarray]:
            found = exact(step, inputs)
            return [
                typed(np.asarray(array), kind)
                for array, kind in zip(found, nodes[step.name].types, strict=True)
            ]

        steps = [Step(n.name, n.operation, n.inputs, arguments(n)) for n in model.graph.nodes]
        sources = {model.sources[each.name].title: each.source for each in model.graph.results}
        for step in steps:
            inputs = [values[each] if each else None for each in step.inputs]
            for place, array in enumerate(compute(step, inputs)):
                values[f"{step.name}:{place}" if place else step.name] = array
        is_unknown = any(
            shape is None or any(least != most for least, most in shape)
            for shape in model.shapes.values()
        )
        view = View(
            steps,
            dict(values),
            {*model.graph.constants},
            [sources[name] for name in names],
            is_unknown,
            compute,
            exact,
            self._before,
        )
        try:
            found = infer(view, self.rewriting)
        except DiedError:
            os.abort()
        self._before = values
        kinds = [model.types[sources[name]] for name in names]
        return [
            TensorData.of(typed(array, kind), kind.name)
            for array, kind in zip(found, kinds, strict=True)
        ]
