"""Asks a device about graphs, in packs, and judges what it answers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from msgspec import structs

from devices.engine.graph_bounds import expected_results
from devices.engine.packs import FRAGILE, is_apart
from devices.engine.session import Session
from devices.engine.verdicts.judging import OutputVerdict, judge_output
from devices.engine.verdicts.verdict import of_ended, of_refusal
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.protocol import Question, Reply, TensorData
from devices.search.reached import reached
from ir_models.graphs import AskedGraph, Evaluated, graphs_named, write
from reference import Comparison, Expected, Value
from reports.results.case_folder.shapes import admits, shape_text
from reports.results.facts import Facts
from reports.results.outcomes import Outcome

# Graphs in one model. Of one that is refused all but a graph or a half are asked again: with more, that takes longer
# than models of their own.
PACK = 20


class TimeOverError(Exception):
    """The time until which a device is asked is over."""


@dataclass
class Answer:
    """What a device made of a graph: the outcome and how it departs; the expected and the actual results.

    ``first``: the answer of the first inference, where only the second one departs.
    """

    graph: Evaluated
    outcome: Outcome
    detail: str = ""
    facts: Facts = field(default_factory=Facts)
    comparison: Comparison | None = None
    expected: list[Expected] = field(default_factory=list)
    actual: list[TensorData] = field(default_factory=list)
    first: Answer | None = None

    @property
    def departs(self) -> bool:
        """Whether the device departs: an error of the suite's own is no departure."""
        return self.outcome in (Outcome.FAIL, Outcome.REFUSED, Outcome.CRASH, Outcome.TIMEOUT)

    @property
    def is_slight(self) -> bool:
        """Whether values are wrong by no more than a thousandth."""
        compared = self.comparison
        relative = None if compared is None else compared.relative_error
        return relative is not None and relative < 1e-3

    @property
    def way(self) -> tuple[str, ...]:
        """In which way it departs: what has to stay when the graph is shrunk."""
        facts = self.facts
        size = "slightly" if self.is_slight else ""
        found = (str(self.outcome), facts.stage, facts.kind, facts.signal, facts.message, size)
        return (*found, "second inference") if facts.inference else found


class Asking:
    """Asks about graphs on one device, twice in one request where the second inference has other random data.

    ``confirms``: a death or a hang is asked once more, and counts if it comes back.
    ``asked`` counts graphs, ``questions`` models; ``in_packs`` are graphs that departed together, and conform alone:
    first the one that was wrong, if one was. ``end`` is the time, by ``time.monotonic``, behind which no question is
    begun. With ``watches``, ``reached`` has the kernels and fused layers that ran (see ``devices.search.reached``),
    each with the first graph that showed it.
    """

    def __init__(self, session: Session, pack: int = PACK, watches: bool = False) -> None:
        self.session, self.pack, self.watches = session, pack, watches
        self.reached: dict[str, AskedGraph] = {}
        self._told: set[str] = set()
        self.confirms = True
        self.asked = self.questions = 0
        self.in_packs: list[list[Evaluated]] = []
        self.end = float("inf")

    def ask(self, graphs: Sequence[Evaluated]) -> list[Answer]:
        """The answers about graphs, in their order. Raises NotOpenedError, TimeOverError."""
        found: dict[int, Answer] = {}
        for places in self.packs(graphs):
            answers = self._pack([graphs[place] for place in places])
            found.update(zip(places, answers, strict=True))
        self.asked += len(graphs)
        return [found[place] for place in range(len(graphs))]

    def newly_reached(self) -> dict[str, str]:
        """What ran and has not been told before, with the text of the graph that showed it."""
        found = {name: each.text for name, each in self.reached.items() if name not in self._told}
        self._told.update(found)
        return found

    def packs(self, graphs: Sequence[Evaluated]) -> list[list[int]]:
        """The positions of those that share a model; graphs of one chain stand together, and do not."""
        groups: dict[str, list[int]] = {}
        for place, graph in enumerate(graphs):
            groups.setdefault(_group(graph), []).append(place)
        found = []
        for places in groups.values():
            count = -(-len(places) // self.pack)
            found += [places[start::count] for start in range(count)]
        return found

    def _pack(self, graphs: Sequence[Evaluated]) -> list[Answer]:
        reply = self._reply(graphs)
        if isinstance(reply, Reply) and not reply.refused:
            answers = list(self._judged(graphs, reply))
            return answers if len(graphs) == 1 else self._confirmed(answers)
        if len(graphs) > 1:
            before = len(self.in_packs)
            found: dict[int, Answer] = {}
            for places in _parts(len(graphs), reply):
                found.update(zip(places, self._pack([graphs[p] for p in places]), strict=True))
            answers = [found[place] for place in range(len(graphs))]
            if len(self.in_packs) == before and not any(each.departs for each in answers):
                self.in_packs.append([*graphs])
            return answers
        return [self._failed(graphs[0], reply)]

    def _confirmed(self, answers: Sequence[Answer]) -> list[Answer]:
        """What departs in a pack, alone: that is the truth."""
        found = [self._pack([each.graph])[0] if each.departs else each for each in answers]
        conforming = [each.graph for each in found if not each.departs]
        for one, alone in zip(answers, found, strict=True):
            if one.departs and not alone.departs:
                others = [each for each in conforming if each is not one.graph]
                self.in_packs.append([one.graph, *others])
        return found

    def _failed(self, graph: Evaluated, reply: Reply | Answer) -> Answer:
        """A graph that fails alone."""
        if isinstance(reply, Reply):
            detail, facts = of_refusal(reply)
            return Answer(graph, Outcome.REFUSED, detail, facts)
        again = self._reply([graph]) if self.confirms else reply
        if isinstance(again, Answer):
            return again
        if again.refused:
            return self._failed(graph, again)
        return next(self._judged([graph], again))

    def _reply(self, graphs: Sequence[Evaluated]) -> Reply | Answer:
        """The reply to one question; or how the child process ended."""
        if time.monotonic() > self.end:
            raise TimeOverError
        model = write(graphs)
        inferences = [graphs]
        if any(graph.again is not graph for graph in graphs):
            inferences.append([graph.again for graph in graphs])
        feeds = [
            {
                name: TensorData.of(
                    each[place].arrays[value], each[place].tensors[value].element_type.name
                )
                for name, (place, value) in model.parameters.items()
            }
            for each in inferences
        ]
        layers = list(model.layers) if len(graphs) == 1 else []
        question = Question(
            model.xml, model.weights, feeds, list(model.results), layers, executed=self.watches
        )
        self.questions += 1
        try:
            reply = self.session.ask(question, cases=len(graphs))
            for each, place in reached(graphs, model.layers, reply.nodes):
                self.reached.setdefault(each, graphs[place].graph)
            return reply
        except (ChildDiedError, ChildHungError) as error:
            outcome, facts = of_ended(error)
            return Answer(graphs[0], outcome, str(error), facts)

    def _judged(self, graphs: Sequence[Evaluated], reply: Reply) -> Iterator[Answer]:
        start = 0
        for graph in graphs:
            stop = start + len(graph.graph.results)
            inferred = reply.inferred[start:stop]
            outputs = [each[start:stop] for each in reply.outputs]
            with np.errstate(all="ignore"):
                yield self._judge_each(graph, inferred, outputs)
            start = stop

    def _judge_each(
        self,
        graph: Evaluated,
        inferred: Sequence[tuple[str, str]],
        outputs: Sequence[list[TensorData]],
    ) -> Answer:
        """The verdict on the inferences of a graph: bounds are carried only where values are not the reference's."""
        both = [graph] if graph.again is graph else [graph, graph.again]
        differs = [
            not _is_as_evaluated(each, inferred, actual)
            for each, actual in zip(both, outputs, strict=False)
        ]
        found = Answer(graph, Outcome.PASS)
        if differs[0]:
            found = self._judge(graph, inferred, outputs[0])
        if not found.departs and differs[-1] and len(both) > 1:
            later = self._judge(graph.again, inferred, outputs[1], after=graph)
            if later.departs:
                first = found if differs[0] else self._judge(graph, inferred, outputs[0])
                return _of_second(first, later)
        return found

    def _judge(
        self,
        graph: Evaluated,
        inferred: Sequence[tuple[str, str]],
        actual: list[TensorData],
        after: Evaluated | None = None,
    ) -> Answer:
        """The verdict on a graph that gave results: what is inferred at reading, then types, shapes and values.

        ``after``: the inference before, which has set variables.
        """
        try:
            expected = self._expected(graph, after)
        except Exception as error:  # of one reference: other graphs are judged all the same
            return Answer(graph, Outcome.ERROR, f"the reference fails: {error}")
        kinds = [graph.tensors[value].element_type.name for value in graph.graph.results]
        for place, (stated, kind, each) in enumerate(zip(inferred, kinds, expected, strict=True)):
            wrong = ""
            if stated[0] != kind:
                wrong, detail = "type", f"type inferred at reading is {stated[0]}, should be {kind}"
            elif not admits(stated[1], each.value.shape):
                should = shape_text(each.value.shape)
                wrong, detail = (
                    "shape",
                    f"shape inferred at reading is {stated[1]}, should be {should}",
                )
            if wrong:
                facts = Facts(stage="read", kind=f"{wrong} at reading", output=place)  # type: ignore[arg-type]
                return Answer(graph, Outcome.FAIL, detail, facts, None, expected, actual)
        verdicts = [judge_output(*each) for each in zip(expected, actual, kinds, strict=True)]
        if any(each.comparison is not None and each.comparison.wrong for each in verdicts):
            verdicts = self._reordered(graph, after, verdicts, actual, kinds)
        place = max(range(len(verdicts)), key=lambda number: _badness(verdicts[number]))
        worst = verdicts[place]
        facts = Facts(kind=worst.kind, output=place) if worst.kind else Facts()
        detail = worst.detail
        if len(verdicts) > 1 and detail:
            detail = f"result {graph.graph.results[place]}: {detail}"
        return Answer(graph, worst.outcome, detail, facts, worst.comparison, expected, actual)

    def _expected(
        self, graph: Evaluated, after: Evaluated | None, reordered: bool = False
    ) -> list[Expected]:
        """The results of a graph with bounds; variables keep theirs from the inference before."""
        precision = self.session.inference_precision
        variables: dict[str, Value] = {}
        if after is not None and after.graph.of_variables:
            expected_results(after, precision, variables, reordered=reordered)
        return expected_results(graph, precision, variables, reordered=reordered)

    def _reordered(
        self,
        graph: Evaluated,
        after: Evaluated | None,
        verdicts: list[OutputVerdict],
        actual: list[TensorData],
        kinds: list[str],
    ) -> list[OutputVerdict]:
        """The verdicts, with QUALITY for what is right in another order of the formula, as (w - z) s is w s - z s."""
        wider = self._expected(graph, after, reordered=True)
        found = []
        for verdict, expected, tensor, kind in zip(verdicts, wider, actual, kinds, strict=True):
            again = judge_output(expected, tensor, kind)
            is_right = again.outcome is not Outcome.FAIL and verdict.outcome is Outcome.FAIL
            found.append(OutputVerdict(Outcome.QUALITY, again.detail) if is_right else verdict)
        return found


def _is_as_evaluated(
    graph: Evaluated, inferred: Sequence[tuple[str, str]], actual: Sequence[TensorData]
) -> bool:
    """Whether each result is what a device gives that rounds the output of each layer once, and no more."""
    for name, stated, given in zip(graph.graph.results, inferred, actual, strict=True):
        kind, array = graph.tensors[name].element_type.name, graph.arrays[name]
        if stated[0] != kind or not admits(stated[1], array.shape) or given.element_type != kind:
            return False
        if tuple(given.shape) != array.shape or given.unreadable:
            return False
        values = given.values()
        if not ((values == array) | ((values != values) & (array != array))).all():
            return False
    return True


def _of_second(first: Answer, answer: Answer) -> Answer:
    """A departure of the second inference alone."""
    facts = structs.replace(answer.facts, inference=2)
    detail = f"inference 2: {answer.detail}"
    return replace(answer, graph=first.graph, facts=facts, detail=detail, first=first)


def _group(graph: Evaluated) -> str:
    """Graphs of one group may share a model."""
    apart = "apart" if is_apart(graph.graph.operations) else ""
    types = {tensor.element_type.name for tensor in graph.tensors.values()}
    unknown = "unknown" if graph.graph.has_unknown else ""
    return f"{apart} {unknown} {min(types & FRAGILE, default='')}"


def _parts(count: int, reply: Reply | Answer) -> tuple[Sequence[int], Sequence[int]]:
    """Two parts of a pack that failed: the graph that the refusal names and the others, or else halves."""
    named = graphs_named(reply.error) if isinstance(reply, Reply) else set()
    if len(named) == 1 and named < {*range(count)}:
        return [*named], [place for place in range(count) if place not in named]
    return range(count // 2), range(count // 2, count)


def _badness(verdict: OutputVerdict) -> tuple[int, float]:
    fraction = verdict.comparison.fraction if verdict.comparison else None
    return verdict.outcome.badness, -1.0 if fraction is None else fraction
