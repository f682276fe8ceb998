"""Draws layers that stand behind each other: each reads the one before, as far as it takes what that one gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from ir_models import catalog
from ir_models.drawing.rows import plain, rows, varied
from ir_models.graphs import AskedGraph, Evaluated, Step
from ir_models.graphs.growing import begun, grown
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.operation import Operation

# Draws of a layer behind another one, and first layers for a pair of which no draw so far fits.
_DRAWS, _BEGUN = 4, 3
# Layers that are drawn until one tells something.
_TOLD = 3
# First layers of an operation that a seed has.
_FIRST = 12

Typed = Callable[[Evaluated], Evaluated]


def chain_graphs(
    names: Sequence[str], chosen: Sequence[int], seed: int, draw: Draw, typed: Typed = plain
) -> Iterator[AskedGraph]:
    """The graphs of a chain of operations, each with some of the rows of factors.

    Where a layer does not take what the one before gives, other draws of the one before are tried, and the chain goes
    on from there as another graph. ``typed`` gives each graph the types that it is to have.
    """
    operations = [catalog.operation(name) for name in names]
    graph: Evaluated | None = None
    for one, other in pairwise(operations):
        longer = None if graph is None else _longer(graph, other, draw, typed)
        if graph is not None and longer is None:
            yield from _with_rows(graph, chosen)
        graph = longer or _pair(one, other, seed, draw, typed)
    if graph is not None:
        yield from _with_rows(graph, chosen)


def _with_rows(graph: Evaluated, chosen: Sequence[int]) -> Iterator[AskedGraph]:
    """The graph with each row; some may make the same of it."""
    found = [varied(graph, rows()[place]) for place in chosen]
    yield from {each.text: each for each in found}.values()


def _pair(
    one: Operation, other: Operation, seed: int, draw: Draw, typed: Typed
) -> Evaluated | None:
    """Two layers; where some draw gives that, both tell something."""
    found: Evaluated | None = None
    for _ in range(_BEGUN):
        first = _first(one, seed, draw.integer(0, _FIRST - 1), typed)
        pair = None if first is None else _longer(first, other, draw, typed)
        if pair is not None:
            found = pair
            if all(_tells(found, step) for step in found.graph.steps):
                break
    return found


@lru_cache(maxsize=4096)
def _first(operation: Operation, seed: int, number: int, typed: Typed) -> Evaluated | None:
    """A first layer of an operation; where some draw gives that, it tells something."""
    draw = Draw(random.Random(f"first/{seed}/{operation.name}/{number}"))
    found: Evaluated | None = None
    for _ in range(_TOLD):
        first = begun(operation, draw)
        if first is not None:
            found = typed(first)
            if _tells(found, found.graph.steps[0]):
                break
    return found


def _longer(graph: Evaluated, operation: Operation, draw: Draw, typed: Typed) -> Evaluated | None:
    """The graph with a layer more that reads an output of its last one; None where a draw leads nowhere."""
    value = draw.choice(graph.outputs(graph.graph.steps[-1]))
    found: Evaluated | None = None
    for _ in range(_TOLD):
        longer = grown(graph, operation, draw, value, _DRAWS)
        if longer is None:
            break
        found = typed(longer)
        if _tells(found, found.graph.steps[-1]):
            break
    return found


def _tells(graph: Evaluated, step: Step) -> bool:
    """Whether a layer shows what a rewriting makes of it.

    One does not that gives one element, that passes on what it reads, or that reads nothing, such as no axes.
    """
    output, given = graph.arrays[step.name], [graph.arrays[each] for each in step.inputs if each]
    passes_on = any(each.shape == output.shape and (each == output).all() for each in given)
    return output.size > 1 and not passes_on and all(each.size for each in given)
