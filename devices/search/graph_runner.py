"""Asks a device about graphs as it is asked about cases: what the engine says of each, and what it reached."""

from __future__ import annotations

from collections.abc import Sequence

from devices.engine import packs
from devices.engine.bisection import PackBisection
from devices.engine.graphs import PreparedGraph
from devices.engine.prepared import PreparedCase
from devices.engine.session import Session
from devices.engine.single import SingleCases
from devices.engine.verdicts.known import NothingKnown
from devices.engine.verdicts.verdict import Verdict, error_verdict
from devices.search.reached import reached
from ir_models.graphs import AskedGraph, Evaluated, GraphCase
from reports.results.outcomes import ENDS, Outcome

# Graphs in one model. Of one that is refused all but a graph or a half are asked again: with more, that takes longer
# than models of their own.
PACK = 20


class GraphRunner(NothingKnown):
    """Asks about graphs on one device.

    ``confirms``: a death or a hang is asked once more, and counts if it comes back. A refusal is not: before a find is
    made of what departs, it is asked again in any case. ``asked`` counts graphs;
    ``in_packs`` are those that departed together, and conform alone: first the one that was wrong, if one was. With
    ``watches``, ``reached`` has the kernels and fused layers that ran (see ``devices.search.reached``), each with the
    first graph that showed it.
    """

    def __init__(self, session: Session, pack: int = PACK, watches: bool = False) -> None:
        self.session, self.pack, self.watches = session, pack, watches
        self.reached: dict[str, AskedGraph] = {}
        self._told: set[str] = set()
        self._bisection = PackBisection(SingleCases(session, 0, 0.0, known=self))
        self.confirms = True
        self.asked = 0
        self.in_packs: list[list[AskedGraph]] = []

    def matches_baseline(self, verdict: Verdict) -> bool:
        """Whether a departure is not confirmed."""
        is_end = verdict.outcome in ENDS
        return not self.confirms if is_end else verdict.outcome is Outcome.REFUSED

    def ask(self, graphs: Sequence[Evaluated]) -> list[Verdict]:
        """The verdicts on graphs, in their order. Raises NotOpenedError, TimeOverError."""
        self.asked += len(graphs)
        found: dict[str, Verdict] = {}
        ready: dict[str, PreparedCase] = {}
        cases = [GraphCase.as_text(graph) for graph in graphs]
        of_id = {case.id: case for case in cases}
        for case in of_id.values():
            try:
                ready[case.id] = PreparedGraph(case, 0, executed=self.watches)
            except Exception as error:  # of one reference: other graphs are judged all the same
                found[case.id] = error_verdict(case, "the reference fails", error)
        places = self.places([*ready])
        for verdict in self._bisection.in_packs([*ready.values()], places):
            found[verdict.case.id] = verdict
        together = self._bisection.together
        self.in_packs += [[of_id[case.id].graph for case in pack] for pack in together]
        together.clear()
        for verdict in found.values():
            for name in reached(graph_of(verdict), verdict.nodes):
                self.reached.setdefault(name, graph_of(verdict).graph)
        return [found[case.id] for case in cases]

    def places(self, ids: Sequence[str]) -> list[list[int]]:
        """The places of cases that share a model. Graphs of one chain stand together, and do not share one."""
        count = -(-len(ids) // self.pack)
        spread = [place for start in range(count) for place in range(start, len(ids), count)]
        plan = packs.plan([ids[place] for place in spread], self.pack)
        return [[spread[place] for place in pack] for pack in plan]

    def newly_reached(self) -> dict[str, str]:
        """What ran and has not been returned before, with the text of the graph that showed it."""
        found = {name: each.text for name, each in self.reached.items() if name not in self._told}
        self._told.update(found)
        return found


def case_of(verdict: Verdict) -> GraphCase:
    """The case of a verdict on a graph."""
    assert isinstance(verdict.case, GraphCase)
    return verdict.case


def graph_of(verdict: Verdict) -> Evaluated:
    """The graph of a verdict, in the first inference."""
    return case_of(verdict).evaluated()
