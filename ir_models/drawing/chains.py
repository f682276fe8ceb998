"""Chains of layers in which any operation stands behind any other: an exact cover of all ordered pairs.

With the operations in a circle, a chain is a start and some steps around it. Each step around the circle belongs to one
group of steps, and each group is taken from every start, so that each operation stands behind each other one once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache

from ir_models.drawing.grown import grown_operations
from ir_models.drawing.layer_chains import chain_graphs
from ir_models.drawing.rows import Rows
from ir_models.graphs import AskedGraph
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.operation import Operation

# Chains of a batch; pairs of a chain; rows that a graph is asked with.
CHAINS = 24
PAIRS = 4
ROWS = 2


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

    Chains that have one of the ``operations`` in a pair, if there are such.
    """
    return [
        graph
        for each in range(number * CHAINS, (number + 1) * CHAINS)
        for graph in graphs_of(seed, each)
        if not operations or {*operations} & {*graph.operations}
    ]


def graphs_of(seed: int, number: int) -> Iterator[AskedGraph]:
    """The graphs of one chain, with some rows of factors."""
    draw = Draw(random.Random(f"chains/{seed}/{number}"))
    names = [each.name for each in chain(seed, number)]
    return chain_graphs(names, _rows(seed, number // count(seed))[number % count(seed)], seed, draw)


@cache
def _rows(seed: int, turn: int) -> tuple[tuple[int, ...], ...]:
    """The rows of all chains of a turn, which follow from those of the turns before."""
    chooser = _rows_after(seed, turn)
    places = range(turn * count(seed), (turn + 1) * count(seed))
    return tuple(chooser.choose([e.name for e in chain(seed, n)], ROWS) for n in places)


def _rows_after(seed: int, turns: int) -> Rows:
    """What chooses rows when all chains have come so often."""
    chooser = Rows()
    for turn in range(turns):
        for number in range(turn * count(seed), (turn + 1) * count(seed)):
            chooser.choose([each.name for each in chain(seed, number)], ROWS)
    return chooser
