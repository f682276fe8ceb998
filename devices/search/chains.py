"""Chains of layers in which any operation stands behind any other: an exact cover of all ordered pairs.

With the operations in a circle, a chain is a start and some steps around it. Each step around the circle belongs to one
group of steps, and each group is taken from every start, so that each operation stands behind each other one once.
Where a layer does not take what the one before gives, the chain goes on as another graph.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from devices.search.grown import grown_operations
from devices.search.rows import plain, rows, varied
from ir_models.graphs import AskedGraph, Evaluated
from ir_models.graphs.growing import begun, grown
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.operation import Operation

# Chains of a batch; pairs of a chain.
CHAINS = 24
PAIRS = 4
# Draws of a layer behind another one, and first layers for a pair of which no draw so far fits.
_DRAWS, _BEGUN = 4, 3


@cache
def _circle(seed: int) -> tuple[tuple[Operation, ...], tuple[tuple[int, ...], ...]]:
    """The operations in a circle, and groups of steps around it."""
    source = random.Random(f"chains/{seed}")
    around = [*grown_operations()]
    source.shuffle(around)
    steps = [*range(len(around))]
    source.shuffle(steps)
    groups = [tuple(steps[start : start + PAIRS]) for start in range(0, len(steps), PAIRS)]
    return tuple(around), tuple(groups)


def chain(seed: int, number: int) -> tuple[Operation, ...]:
    """The operations of a chain; after the last one the first one comes again."""
    around, groups = _circle(seed)
    place = number % len(around)
    found = [around[place]]
    for step in groups[number // len(around) % len(groups)]:
        place = (place + step) % len(around)
        found.append(around[place])
    return tuple(found)


def count(seed: int) -> int:
    """How many chains have each pair once."""
    around, groups = _circle(seed)
    return len(around) * len(groups)


def chain_batch(seed: int, number: int, operations: Sequence[str] = ()) -> list[AskedGraph]:
    """The graphs of a batch of chains, the same on every machine.

    Those alone of which a pair has one of the ``operations``, if there are such.
    """
    return [
        graph
        for each in range(number * CHAINS, (number + 1) * CHAINS)
        for graph in graphs_of(seed, each)
        if not operations or {*operations} & {*graph.operations}
    ]


def graphs_of(seed: int, number: int) -> Iterator[AskedGraph]:
    """The graphs of one chain, with a row of factors."""
    draw = Draw(random.Random(f"chains/{seed}/{number}"))
    row = rows()[draw.integer(0, len(rows()) - 1)]
    graph: Evaluated | None = None
    for one, other in pairwise(chain(seed, number)):
        longer = None if graph is None else _longer(graph, other, draw)
        if graph is not None and longer is None and len(graph.graph.steps) > 1:
            yield varied(graph, row)
        for _ in range(_BEGUN):
            longer = longer or _pair(one, other, draw)
        graph = longer
    if graph is not None:
        yield varied(graph, row)


def _pair(one: Operation, other: Operation, draw: Draw) -> Evaluated | None:
    first = begun(one, draw)
    return None if first is None else _longer(plain(first), other, draw)


def _longer(graph: Evaluated, operation: Operation, draw: Draw) -> Evaluated | None:
    """The graph with a layer more that reads an output of its last one; None where a draw leads nowhere."""
    value = draw.choice(graph.outputs(graph.graph.steps[-1]))
    found = grown(graph, operation, draw, value, _DRAWS)
    return None if found is None else plain(found)
