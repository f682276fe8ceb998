"""Asks a device about a part of a model: what it answers, or how it fails."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from devices.engine.session import Session
from devices.engine.verdicts.verdict import of_ended, of_refusal
from devices.models.large_layers import as_typed, as_wide, boxes
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.protocol import ExecutedNode, Kernel, Question, TensorData
from ir_models.models import Model, Part, cut
from ir_models.vocabulary.element_types import ElementType, Tensor
from reference import Expected, compare
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome

Arrays = Mapping[str, np.ndarray]

# Layers that make a time limit longer, by up to five times: the compiler may take for ever with thousands of layers.
_COUNTED = 80


@dataclass
class PartAnswer:
    """What the device says: the values of each inference by their names in the graph, kernels, executed nodes.

    ``held`` has the values of f16 and bf16 that were read in f32, where the device holds more than their type has; in
    ``values`` they are rounded.
    Where it fails, ``outcome`` is REFUSED, CRASH or TIMEOUT; ``facts`` say how, ``detail`` the same in words.
    """

    outcome: Outcome = Outcome.PASS
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    values: list[dict[str, TensorData]] = field(default_factory=list)
    held: list[dict[str, np.ndarray]] = field(default_factory=list)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    nodes: list[ExecutedNode] = field(default_factory=list)
    seconds: float = 0.0

    def values_of(self, value: str, inference: int) -> np.ndarray:
        """The values of a tensor, as the device holds them where that was read."""
        held = self.held[inference].get(value) if self.held else None
        return self.values[inference][value].values() if held is None else held

    @property
    def failed(self) -> bool:
        """Whether there are no values."""
        return self.outcome is not Outcome.PASS

    def departs_from(self, expected: Mapping[str, Expected]) -> bool:
        """Whether there are no values, or one is wrong; what leaves a choice is not compared."""
        return self.failed or any(
            compare(each, self.values[0][value].values()).wrong
            for value, each in expected.items()
            if each.choose is None
        )


def runs(model: Model, session: Session, feeds: Sequence[Arrays]) -> bool:
    """Whether a model runs on a device with these values of its Parameters."""
    results = list(dict.fromkeys(each.source for each in model.graph.results))
    return not PartRunner(model, session).ask(model.nodes, results, feeds).failed


def question_of(
    model: Model,
    part: Part,
    feeds: Sequence[Arrays],
    given: Mapping[str, Tensor],
    executed: bool = False,
) -> Question:
    """The question about a part; ``given`` has the types of what feeds it where the model has others."""
    kinds = {
        value: given[value].element_type if value in given else model.types[value]
        for value in part.parameters.values()
    }
    return Question(
        part.xml,
        part.weights,
        [
            {
                name: TensorData.of(feed[value], kinds[value].name)
                for name, value in part.parameters.items()
            }
            for feed in feeds
        ],
        [*part.results, *part.held],
        list(part.layers),
        executed=executed,
    )


@dataclass
class PartRunner:
    """Asks about parts of one model on one device."""

    model: Model
    session: Session

    def ask(
        self,
        nodes: Collection[str],
        results: Sequence[str],
        feeds: Sequence[Arrays],
        given: Mapping[str, Tensor] | None = None,
        *,
        read: Sequence[str] = (),
        values: Arrays | None = None,
        executed: bool = False,
    ) -> PartAnswer:
        """The answer about some layers; ``feeds`` has the values of Parameters at each inference. See ``cut``."""
        part = cut(self.model, nodes, results, given, values=values, read=read)
        return self.ask_part(part, feeds, given or {}, executed)

    def ask_part(
        self,
        part: Part,
        feeds: Sequence[Arrays],
        given: Mapping[str, Tensor],
        executed: bool = False,
    ) -> PartAnswer:
        """The answer about a part that is written."""
        types = self.model.types
        question = question_of(self.model, part, feeds, given, executed)
        try:
            reply = self.session.ask(question, cases=min(max(len(part.layers), 1), _COUNTED))
        except (ChildDiedError, ChildHungError) as error:
            outcome, facts = of_ended(error)
            return PartAnswer(outcome, str(error), facts)
        seconds = sum(reply.seconds.values())
        if reply.refused:
            return PartAnswer(Outcome.REFUSED, *of_refusal(reply), seconds=seconds)
        names = [*part.results.values(), *part.held.values()]
        count = len(part.results)
        values, held = [], []
        for outputs in reply.outputs:
            in_f32 = dict(zip(names[count:], outputs[count:], strict=True))
            rounded = {value: _rounded(one, types[value]) for value, one in in_f32.items()}
            values.append(rounded | dict(zip(names[:count], outputs[:count], strict=True)))
            held.append({v: t.values() for v, t in in_f32.items() if _holds_more(t, rounded[v])})
        return PartAnswer(
            values=values,
            held=held,
            kernels={part.layers[name]: kernel for name, kernel in reply.kernels.items()},
            nodes=[
                ExecutedNode(
                    node.name,
                    node.kernel,
                    [part.layers[name] for name in node.layers if name in part.layers],
                )
                for node in reply.nodes
            ],
            seconds=seconds,
        )


def _rounded(tensor: TensorData, kind: ElementType) -> TensorData:
    """What was read in f32 in the type that it has in the model."""
    if tensor.unreadable or tensor.element_type != "f32":
        return tensor
    return TensorData.of(as_typed(as_wide(tensor.values()), kind), kind.name)


def _holds_more(tensor: TensorData, rounded: TensorData) -> bool:
    """Whether values that were read in f32 have bits that their type in the model has not."""
    if rounded is tensor:
        return False
    wide, own = tensor.values(), rounded.values()
    return any(
        not np.array_equal(wide[box], own[box].astype(wide.dtype), equal_nan=True)
        for box in boxes(wide.shape)
    )
