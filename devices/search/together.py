"""Graphs that depart in one model and conform alone: the fewest of them that still depart together, as one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devices.engine.verdicts.verdict import Verdict
from devices.search.graph_runner import GraphRunner
from ir_models.graphs import AskedGraph, GraphError, evaluate


def joined(graphs: Sequence[AskedGraph]) -> AskedGraph:
    """Graphs that share nothing, as one; the first keeps its names, from which its values follow."""
    whole, *others = graphs
    for number, other in enumerate(others):
        whole = _beside(whole, other, f"g{number}_")
    return whole


def _beside(graph: AskedGraph, other: AskedGraph, prefix: str) -> AskedGraph:
    def renamed(value: str) -> str:
        return prefix + value if value else ""

    steps = tuple(
        replace(step, name=renamed(step.name), inputs=tuple(map(renamed, step.inputs)))
        for step in other.steps
    )
    fed = {**graph.fed, **{renamed(name): each for name, each in other.fed.items()}}
    return AskedGraph(fed, (*graph.steps, *steps), (*graph.results, *map(renamed, other.results)))


def fewest(asking: GraphRunner, graphs: Sequence[AskedGraph]) -> Verdict | None:
    """The verdict on the fewest graphs that depart together as all do; None where all of them as one conform.

    Raises NotOpenedError.
    """
    chosen = [*graphs]
    found = _asked(asking, chosen)
    if found is None or not found.departs:
        return None
    parts = 2
    while len(chosen) > 1:
        size = -(-len(chosen) // parts)
        for start in range(0, len(chosen), size):
            less = chosen[:start] + chosen[start + size :]
            answer = _asked(asking, less) if less else None
            if answer is not None and answer.way == found.way:
                chosen, found, parts = less, answer, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(chosen))
    return found


def _asked(asking: GraphRunner, graphs: Sequence[AskedGraph]) -> Verdict | None:
    try:
        whole = evaluate(joined(graphs))
    except GraphError:  # values follow from names
        return None
    return asking.ask([whole])[0]
