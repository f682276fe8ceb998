"""Shrinks a graph that departs to the smallest one that departs in the same way.

Every step is a valid graph that keeps outcome, stage, kind and words, and that stays a fault of the graph where it was
one: its layers conform alone. Beside the smallest graph stand those that are one step from it and conform, which say
what must be there for the fault to show.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from devices.engine.verdicts.verdict import Verdict
from devices.search.attribution import departing_layer
from devices.search.graph_runner import GraphRunner, case_of, graph_of
from ir_models.graphs import evaluate
from ir_models.graphs.simpler import KINDS, Simpler, proposals, variations
from reports.results.outcomes import ENDS, Outcome

# Proposals that are asked together.
_TOGETHER = 16
# Graphs that conform, of which the nearest are told.
_TOLD = 8
# Steps that say more about a fault than others, when they make it vanish.
_TELLING = (
    "run time",
    "result as well",
    "knows",
    "f32 in place",
    "dimension",
    "scalar",
    "along axis",
)


@dataclass
class Shrunk:
    """The smallest graph and how the device departs there; graphs beside it that conform; how many were asked."""

    answer: Verdict
    conforms: list[Simpler] = field(default_factory=list)
    asked: int = 0
    is_done: bool = True


def shrink(asking: GraphRunner, answer: Verdict, is_graph: bool, seconds: float = 120.0) -> Shrunk:
    """The smallest graph that departs like this one, found in so many seconds. Raises NotOpenedError."""
    asking.confirms = False
    try:
        found = _shrunk(asking, answer, is_graph, seconds)
    finally:
        asking.confirms = True
    if found.answer.outcome in ENDS:
        (again,) = asking.ask([graph_of(found.answer)])
        # A step that came by chance, such as a kill from outside, is no step.
        return found if again.way == answer.way else Shrunk(answer, [], found.asked, is_done=False)
    return found


def _shrunk(asking: GraphRunner, answer: Verdict, is_graph: bool, seconds: float) -> Shrunk:
    end, before = time.monotonic() + seconds, asking.asked
    conforming: dict[str, Simpler] = {}
    goes_on = True
    while goes_on:
        goes_on = False
        conforming.clear()
        for kind in KINDS:
            while True:
                if time.monotonic() > end:
                    return Shrunk(answer, _nearest(conforming), asking.asked - before, False)
                smaller = _next(asking, answer, is_graph, kind, conforming)
                if smaller is None:
                    break
                answer, goes_on = smaller, True
                conforming.clear()
    for group in _groups(variations(graph_of(answer)), answer):
        for each, found in _asked(asking, group):
            if not found.departs and found.outcome is not Outcome.ERROR:
                conforming[each.graph.text] = each
    return Shrunk(answer, _nearest(conforming), asking.asked - before)


def _next(
    asking: GraphRunner, answer: Verdict, is_graph: bool, kind: str, conforming: dict[str, Simpler]
) -> Verdict | None:
    """The first simpler graph of a kind that departs alike; None where there is none."""
    for group in _groups(proposals(graph_of(answer), kind), answer):
        for each, found in _asked(asking, group):
            if found.way == answer.way:
                if not is_graph or _is_graph(asking, found):
                    return found
            elif not found.departs and found.outcome is not Outcome.ERROR:
                conforming[each.graph.text] = each
    return None


def _is_graph(asking: GraphRunner, answer: Verdict) -> bool:
    """Whether it is no single layer, and no layer departs alone."""
    if len(case_of(answer).graph.steps) < 2:
        return False
    return departing_layer(asking, answer) is None


def _groups(found: Iterator[Simpler], answer: Verdict) -> Iterator[list[Simpler]]:
    """Proposals in groups: what ends the process is asked alone."""
    size = 1 if answer.outcome in ENDS else _TOGETHER
    while group := list(islice(found, size)):
        yield group


def _asked(asking: GraphRunner, group: list[Simpler]) -> Iterator[tuple[Simpler, Verdict]]:
    answers = asking.ask([evaluate(each.graph) for each in group])
    yield from zip(group, answers, strict=True)


def _nearest(found: dict[str, Simpler]) -> list[Simpler]:
    """The graphs that say most about the fault come first."""

    def rank(each: Simpler) -> int:
        return next((n for n, words in enumerate(_TELLING) if words in each.what), len(_TELLING))

    return sorted(found.values(), key=rank)[:_TOLD]
