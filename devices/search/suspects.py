"""Layers that a device gets wrong alone: graphs of them would be asked, and followed, for what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ir_models.graphs import Evaluated, GraphError, Step, evaluate, read

# Something about a layer, such as the type of an input or the value of an attribute.
_Trait = tuple[str, str]
# Departures of layers with a trait, and their share of what is known of it, from which on graphs with it are not asked.
_MANY, _SHARE = 2, 0.75


class Suspects:
    """Traits of layers, with how many graphs that have them conform and in how many the layer departed alone.

    Of what departs and has not been followed nothing is known.
    """

    def __init__(self) -> None:
        self._conforming: Counter[_Trait] = Counter()
        self._departing: Counter[_Trait] = Counter()

    def conform(self, graphs: Sequence[Evaluated]) -> None:
        """Graphs conform."""
        for graph in graphs:
            self._conforming.update(
                {each for step in graph.graph.steps for each in _traits(graph, step)}
            )

    def departs(self, text: str) -> None:
        """A layer departs alone; ``text`` is its graph."""
        try:
            graph = evaluate(read(text))
        except GraphError:
            return
        self._departing.update({*_traits(graph, graph.graph.steps[0])})

    def has_one(self, graph: Evaluated) -> bool:
        """Whether a graph has a layer with a trait of which most depart alone."""
        for step in graph.graph.steps:
            for trait in _traits(graph, step):
                count = self._departing[trait]
                if count >= _MANY and count >= _SHARE * (count + self._conforming[trait]):
                    return True
        return False


def _traits(graph: Evaluated, step: Step) -> Iterator[_Trait]:
    name = step.operation
    yield name, "unknown shapes" if graph.graph.has_unknown else "known shapes"
    for attribute, value in step.attributes.items():
        if isinstance(value, (bool, str)):
            yield name, f"{attribute}={value}"
    for place, value in enumerate(step.inputs):
        if not value:
            continue
        tensor, fed = graph.tensors[value], graph.graph.fed.get(value)
        yield name, f"{place} {tensor.element_type.name}"
        yield name, f"{place} rank {tensor.rank}"
        if not tensor.size:
            yield name, f"{place} is empty"
        if place:
            yield name, f"{place} constant" if fed and fed.is_constant else f"{place} at run time"
