"""Layers that a device gets wrong alone: graphs of them would be asked, and followed, for what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from ir_models.graphs import Evaluated, GraphError, Step, evaluate, read

# Something about a layer, such as the type of an input or the value of an attribute.
Trait = tuple[str, str]
# Departures of layers with a trait, and their share of what is known of it, from which on graphs with it are not asked.
_MANY, _SHARE = 2, 0.75


class Suspects:
    """Traits of layers, with how many graphs that have them conform and in how many the layer departed alone.

    Of what departs and has not been followed nothing is known.
    """

    def __init__(self) -> None:
        self._conforming: Counter[Trait] = Counter()
        self._departing: Counter[Trait] = Counter()

    def learn(self, conforming: Mapping[Trait, int], departing: Iterable[str]) -> None:
        """Count graphs that conform, by the traits of their layers, and layers that depart alone, as texts."""
        self._conforming.update(conforming)
        for text in departing:
            self.departs(text)

    def departs(self, text: str) -> None:
        """A layer departs alone; ``text`` is its graph."""
        try:
            graph = evaluate(read(text))
        except GraphError:
            return
        self._departing.update(traits_of(graph))

    @property
    def known(self) -> frozenset[Trait]:
        """The traits whose layers mostly depart alone."""
        return frozenset(
            trait
            for trait, count in self._departing.items()
            if count >= _MANY and count >= _SHARE * (count + self._conforming[trait])
        )


def traits_of(graph: Evaluated) -> set[Trait]:
    """The traits of all layers of a graph."""
    return {each for step in graph.graph.steps for each in _traits(graph, step)}


def has_one(graph: Evaluated, suspects: Collection[Trait]) -> bool:
    """Whether a graph has a layer with one of these traits."""
    return bool(suspects) and not traits_of(graph).isdisjoint(suspects)


def _traits(graph: Evaluated, step: Step) -> Iterator[Trait]:
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
