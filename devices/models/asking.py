"""Asks a device about a part of a model: what it answers, or how it fails."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from devices.engine.session import Session
from devices.engine.verdicts.verdict import of_ended, of_refusal
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.protocol import ExecutedNode, Kernel, Question, TensorData
from ir_models.models import Model, Part, cut
from ir_models.vocabulary.element_types import Tensor
from reports.results.facts import Facts
from reports.results.outcomes import Outcome

Arrays = Mapping[str, np.ndarray]


@dataclass
class Answer:
    """What the device says: the values of each inference by their names in the graph, kernels, executed nodes.

    Where it fails, ``outcome`` is REFUSED, CRASH or TIMEOUT; ``facts`` say how, ``detail`` the same in words.
    """

    outcome: Outcome = Outcome.PASS
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    values: list[dict[str, TensorData]] = field(default_factory=list)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    nodes: list[ExecutedNode] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether there are no values."""
        return self.outcome is not Outcome.PASS


@dataclass
class Asking:
    """Asks about parts of one model on one device. ``patience`` is in seconds, for each stage of a question.

    ``asked`` counts questions.
    """

    model: Model
    session: Session
    asked: int = 0

    def ask(
        self,
        nodes: Collection[str],
        results: Sequence[str],
        feeds: Sequence[Arrays],
        given: Mapping[str, Tensor] | None = None,
        *,
        values: Arrays | None = None,
        executed: bool = False,
        apart: bool = False,
    ) -> Answer:
        """The answer about some layers; ``feeds`` has the values of Parameters at each inference. See ``cut``."""
        part = cut(self.model, nodes, results, given, values=values, apart=apart)
        return self.ask_part(part, feeds, given or {}, executed)

    def ask_part(
        self,
        part: Part,
        feeds: Sequence[Arrays],
        given: Mapping[str, Tensor],
        executed: bool = False,
    ) -> Answer:
        """The answer about a part that is written."""
        self.asked += 1
        types = self.model.types
        kinds = {
            v: given[v].element_type if v in given else types[v] for v in part.parameters.values()
        }
        question = Question(
            part.xml,
            part.weights,
            [
                {
                    name: TensorData.of(feed[value], kinds[value].name)
                    for name, value in part.parameters.items()
                }
                for feed in feeds
            ],
            list(part.results),
            list(part.layers),
            executed=executed,
        )
        try:
            reply = self.session.ask(question, cases=max(len(part.layers), 1))
        except (ChildDiedError, ChildHungError) as error:
            outcome, facts = of_ended(error)
            return Answer(outcome, str(error), facts)
        seconds = sum(reply.seconds.values())
        if reply.refused:
            return Answer(Outcome.REFUSED, *of_refusal(reply), seconds=seconds)
        names = list(part.results.values())
        return Answer(
            values=[dict(zip(names, outputs, strict=True)) for outputs in reply.outputs],
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
