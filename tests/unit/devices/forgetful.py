"""A device with variables that is wrong about them on purpose: ``--device PYTHON:tests.unit.devices.forgetful``.

FAULT=NAME says what goes wrong: a key of ``FAULTS``; without it the device is right. MATCH=TEXT: only variables whose
name holds this text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from lxml import etree

from devices.process.protocol import Kernel, Question, Reply, StateTurn, TensorData
from tests.unit.devices.faulty import Graph, layers

FAULTS = {
    "loses": "what is assigned is lost",
    "sticks": "what was assigned first stays for ever",
    "reads_late": "what is read is what the same inference assigns",
    "shares": "all requests have one state",
    "leaks": "a new request finds what one before it left, of another model too",
    "ignores_reset": "a reset of the request does nothing",
    "ignores_reset_one": "a reset of a variable does nothing",
    "resets_to_zero": "a variable that was reset holds zeros",
    "ignores_set": "a value given through the request is ignored",
    "queries_stale": "a query gives the value from before the inference",
}
States = dict[str, np.ndarray]


class Model(Graph):
    """A model with variables; ``states`` are their values in the request that runs it."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.states: States = {}

    def run(
        self, feed: dict[str, TensorData], states: States
    ) -> tuple[dict[str, TensorData], States]:
        """The results, and what is assigned."""
        self.states = states
        results = self.infer(feed)
        known: dict[str, list[np.ndarray]] = {}
        assigned = {}
        for element in self._elements.values():
            if element.get("type") == "Assign":
                (value,) = self._inputs(element, feed, known)
                assigned[_variable(element)] = value
        return results, assigned

    def _outputs(
        self, element: etree._Element, feed: dict[str, TensorData], known: dict[str, Any]
    ) -> list[np.ndarray]:
        if element.get("type") != "ReadValue":
            return super()._outputs(element, feed, known)
        initial = self._inputs(element, feed, known)
        stated = str(element.xpath("data/@variable_shape")[0])
        zeros = np.zeros([int(size) for size in stated.split(",")], np.float32)
        return [self.states.get(_variable(element), initial[0] if initial else zeros)]


def _variable(element: etree._Element) -> str:
    return str(element.xpath("data/@variable_id")[0])


class ForgetfulDevice:
    """Answers rightly but for its fault."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.fault, self.match = settings.get("FAULT", ""), settings.get("MATCH", "")
        self.left: States = {}

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Read, and infer in turn."""
        model = Model(question)
        for name in ("read", "compile", "infer"):
            stage(name)
        reply = Reply(devices=["PYTHON"], seconds={"infer": 0.001})
        requests: dict[int, States] = {}
        for turn, feed in zip(question.turns, question.feeds, strict=True):
            number = 0 if self.fault == "shares" else turn.request
            if number not in requests:
                requests[number] = dict(self.left) if self.fault == "leaks" else {}
            states = requests[number]
            self._change(states, turn, model)
            results, assigned = model.run(feed, states)
            if self.fault == "reads_late":
                results, _ = model.run(feed, {**states, **assigned})
            before = {name: states.get(name, value) for name, value in assigned.items()}
            for name, value in assigned.items():
                is_kept = self.fault == "loses" or (self.fault == "sticks" and name in states)
                if not (is_kept and self.match in name):
                    states[name] = value
            self.left.update(states)
            queried = before if self.fault == "queries_stale" else states
            values = [queried.get(name, before[name]) for name in question.queried]
            reply.outputs.append(
                [results[name] for name in question.results]
                + [TensorData.of(value.astype(np.float32), "f32") for value in values]
            )
        shapes = [f"[{','.join(map(str, each.shape))}]" for each in reply.outputs[0]]
        reply.inferred = [("f32", shape) for shape in shapes[: len(question.results)]]
        tested = [layer.name for layer in layers(question.xml) if layer.name in question.layers]
        reply.kernels = {name: Kernel("ReadValue", "python_ref", "f32") for name in tested}
        return reply

    def _change(self, states: States, turn: StateTurn, model: Model) -> None:
        if turn.before == "reset" and self.fault != "ignores_reset":
            self._reset(states)
        if turn.before == "reset-one" and self.fault != "ignores_reset_one":
            self._reset(states)
        if turn.before == "set" and self.fault != "ignores_set":
            states.update({name: each.values() for name, each in turn.states.items()})

    def _reset(self, states: States) -> None:
        if self.fault == "resets_to_zero":
            states.update({name: np.zeros_like(value) for name, value in states.items()})
        else:
            states.clear()


def open_device(settings: dict[str, str]) -> tuple[ForgetfulDevice, dict[str, Any]]:
    """The device."""
    device = ForgetfulDevice(settings)
    if device.fault and device.fault not in FAULTS:
        raise ValueError(f"unknown fault {device.fault!r}")
    return device, {"full_name": "forgetful", "available": [], "settings": {}, "kernels": {}}
