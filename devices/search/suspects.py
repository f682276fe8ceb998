"""Layers that a device gets wrong alone: graphs of them would be asked, and followed, for what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ir_models.graphs import Evaluated, GraphError, Step, evaluate, read

# A layer: its operation, whether shapes are known, and the types and ranks that it reads.
_Kind = tuple[str, bool, tuple[tuple[str, int], ...]]
# Departures of a kind of layer, and their share of the graphs that have it, from which on it is not asked.
_MANY, _SHARE = 3, 0.5


class Suspects:
    """Kinds of layers, with how many graphs had them and in how many they departed alone."""

    def __init__(self) -> None:
        self._asked: Counter[_Kind] = Counter()
        self._departing: Counter[_Kind] = Counter()

    def asked(self, graphs: Sequence[Evaluated]) -> None:
        """Graphs are asked."""
        for graph in graphs:
            self._asked.update({_kind(graph, step) for step in graph.graph.steps})

    def departs(self, text: str) -> None:
        """A layer departs alone; ``text`` is its graph."""
        try:
            graph = evaluate(read(text))
        except GraphError:
            return
        self._departing[_kind(graph, graph.graph.steps[0])] += 1

    def has_one(self, graph: Evaluated) -> bool:
        """Whether a graph has a layer of a kind that departs alone in most cases."""
        for step in graph.graph.steps:
            kind = _kind(graph, step)
            count = self._departing[kind]
            if count >= _MANY and count >= _SHARE * self._asked[kind]:
                return True
        return False


def _kind(graph: Evaluated, step: Step) -> _Kind:
    read_ = (graph.tensors[value] for value in step.inputs if value)
    return (
        step.operation,
        graph.graph.has_unknown,
        tuple((tensor.element_type.name, tensor.rank) for tensor in read_),
    )
