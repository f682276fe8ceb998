"""A graph as a question: its values, its results with bounds, the model of a pack of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

import numpy as np
from msgspec import structs

from devices.engine.graph_bounds import expected_by_inference
from devices.engine.prepared import Judge, PreparedCase
from devices.engine.verdicts.narrowing_graphs import graph_computed_as
from devices.engine.verdicts.verdict import Verdict
from devices.process.protocol import Kernel, Question, StateTurn, TensorData
from ir_models.graphs import Evaluated, GraphCase
from ir_models.graphs import write as write_graphs
from reference import Expected
from reference.accuracy import is_float
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome

# Stands for the layer of a graph that has results alone: a name that no layer has.
_NO_LAYER = "-"


class PreparedGraph(PreparedCase):
    """A graph with its values: ``inputs`` are what it is given at run time, ``outputs`` its results.

    ``executed``: the device is asked for the nodes that it executed. Raises GraphError.
    """

    case: GraphCase
    judges_what_is_kept = True

    def __init__(self, case: GraphCase, seed: int = 0, *, executed: bool = False) -> None:
        self.evaluated: list[Evaluated] = [
            case.evaluated(seed, inference) for inference in range(case.inferences)
        ]
        super().__init__(case, [[*each.inputs.values()] for each in self.evaluated], seed)
        self.executed = executed

    @cached_property
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The results, by inference."""
        return [[each.arrays[name] for name in self.case.graph.results] for each in self.evaluated]

    def _expected(self) -> list[list[Expected]]:
        return expected_by_inference(self.case, self.evaluated, self.computed_in)

    def set_precision(self, kernel: Kernel | None, of_device: str) -> None:
        """Give the expected results the bounds of the precision that the device says it computes in.

        What one kernel says is not of all layers.
        """
        if of_device != self.computed_in:
            self.computed_in = of_device
            self.__dict__.pop("expected", None)

    def judged(self, judge: Judge, actual: Sequence[Sequence[TensorData]]) -> Verdict:
        """The verdict on a reply: QUALITY for values that are right in another order of the formula.

        So is (w - z) s for w s - z s: see ``graph_bounds.expected_results``.
        """
        # As of a device that rounds the output of each layer once, and no more: no bound is built for it.
        verdict = judge(
            [
                [Expected(values, is_rounded=is_float(values.dtype)) for values in results]
                for results in self.outputs
            ]
        )
        if verdict.outcome is not Outcome.FAIL:
            return verdict
        verdict = judge(self.expected)
        if verdict.outcome is not Outcome.FAIL or verdict.comparison is None:
            return verdict
        other_order = expected_by_inference(
            self.case, self.evaluated, self.computed_in, reordered=True
        )
        if judge(other_order).outcome is Outcome.FAIL:
            narrowing = graph_computed_as(
                self.evaluated,
                self.expected,
                lambda graphs: expected_by_inference(self.case, graphs, self.computed_in),
                lambda expected: judge(expected).outcome,
            )
            verdict.facts = structs.replace(verdict.facts, computed_as=narrowing)
            return verdict
        verdict.outcome, verdict.facts = Outcome.QUALITY, Facts()
        verdict.detail = f"right in another order of the formula; {verdict.detail}"
        return verdict

    def question(self, pack: Sequence[PreparedCase]) -> Question:
        """The model of a pack of graphs, and its inputs.

        ``layers`` has the last layer of each that is not constant, whose kernel is looked for.
        """
        graphs = cast("Sequence[PreparedGraph]", pack)
        model = write_graphs([each.evaluated[0] for each in graphs])
        feeds = [
            {
                name: TensorData.of(
                    inference[place].arrays[value],
                    inference[place].tensors[value].element_type.name,
                )
                for name, (place, value) in model.parameters.items()
            }
            for inference in zip(*(each.evaluated for each in graphs), strict=True)
        ]
        last: dict[int, str] = {}
        for name, (place, step) in model.layers.items():
            evaluated = graphs[place].evaluated[0]
            if place not in last or (step in evaluated.arrays and step not in evaluated.constants):
                last[place] = name
        return Question(
            model.xml,
            model.weights,
            feeds,
            list(model.results),
            [last.get(place, _NO_LAYER) for place in range(len(pack))],
            turns=[StateTurn(turn.request, turn.before) for turn in self.case.turns],
            executed=any(each.executed for each in graphs),
        )
