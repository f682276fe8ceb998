"""A device for tests that rewrites graphs wrongly: ``PYTHON:tests.planted.fusing_device``.

It computes each layer by the reference and rounds it to its type, as a device does that compiles each layer alone. The
setting ``FAULT=KIND:OPERATION>OPERATION`` adds one wrong rewriting of two or more layers, which
``tests.planted.graph_faults`` describes. Each layer alone is right. Without the setting nothing is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lxml import etree

from devices.models.judging import arguments, typed
from devices.process.backend import Backend
from devices.process.protocol import Question, Reply, TensorData
from ir_models.models import Model
from ir_models.models.reader import parse
from ir_models.vocabulary.graph import Step
from reference import outputs_of
from tests.planted.graph_faults import DiedError, Fault, View, infer


def open_device(settings: dict[str, str]) -> tuple[Backend, dict[str, Any]]:
    """The device with the fault of the setting FAULT."""
    text = settings.get("FAULT", "")
    fault = Fault.read(text) if text else None
    return FusingDevice(fault), {"openvino": "none", "settings": {}}


class FusingDevice:
    """The reference, layer by layer, with one wrong rewriting."""

    def __init__(self, fault: Fault | None) -> None:
        self.fault = fault
        self._before: dict[str, np.ndarray] = {}

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """The results of a model; any exception is a refusal."""
        reply = Reply()
        stage("read")
        weights = np.frombuffer(bytes(question.weights), np.uint8)
        model = parse(etree.fromstring(question.xml), weights)
        stage("infer")
        self._before = {}
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
        results = [sources[name] for name in names]
        view = View(
            steps,
            dict(values),
            {*model.graph.constants},
            results,
            is_unknown,
            compute,
            exact,
            self._before,
        )
        try:
            found = infer(view, self.fault) if self.fault else [values[each] for each in results]
        except DiedError:
            os.abort()
        self._before = values
        kinds = [model.types[each] for each in results]
        return [
            TensorData.of(typed(array, kind), kind.name)
            for array, kind in zip(found, kinds, strict=True)
        ]
