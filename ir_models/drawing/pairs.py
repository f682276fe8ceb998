"""Pairs of layers that plugins fuse, or move past each other, joined to chains.

The pairs follow from the categories of the declarations: layers with weights, poolings, normalizations, reductions,
movements and elementwise layers, each with what stands behind it in models; and what stands in the formulas of
patterns. Each comes several times: each time in another chain, drawn anew, with the next row of factors
(``ir_models.drawing.rows``).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ir_models.drawing.grown import grown_operations
from ir_models.drawing.layer_chains import chain_graphs
from ir_models.drawing.rows import Rows, plain, without_f64
from ir_models.graphs import AskedGraph
from ir_models.patterns import PATTERNS
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.operation import Operation

# Chains of a batch; pairs of a chain; times that a pair comes, and rows that a graph is asked with each time.
CHAINS = 24
PAIRS = 4
TURNS, ROWS = 8, 2
# Times that pairs of one rank are ahead of those of the next one.
_AHEAD = 2
# One chain more than these has the types that the declarations draw.
_TYPED = 4
_COMPUTING = ("convolution", "matrix", "pooling", "normalization", "reduction")
_ELEMENTWISE = ("activation", "arithmetic", "comparison")
_MOVING = ("movement", "shape", "type")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Chain:
    """A chain of operations, and how often its pairs were used before."""

    names: tuple[str, ...]
    turn: int
    rows: tuple[int, ...]

    def graphs(self, seed: int) -> Iterator[AskedGraph]:
        """The graphs with the rows of this time."""
        draw = Draw(random.Random(f"pairs/{seed}/{self.turn}/{'/'.join(self.names)}"))
        typed = plain if draw.integer(0, _TYPED) else without_f64
        return chain_graphs(self.names, self.rows, seed, draw, typed)


@cache
def chains(seed: int) -> tuple[Chain, ...]:
    """All chains in their order: in each turn each pair is in one of them.

    Turns of what formulas are made of, and of what others are fused into, come ahead.
    """
    formulas = _of_formulas()
    of_patterns = {name for pair in formulas for name in pair}

    def rank(one: Operation, other: Operation) -> int:
        if (one.name, other.name) in formulas:
            return 0
        is_first = one.name in of_patterns or one.category in _COMPUTING
        is_last = other.name in of_patterns or other.category == "activation"
        return 1 + (not is_first) + (not is_last)

    ranked: dict[int, list[Pair]] = defaultdict(list)
    for one in grown_operations():
        for other in grown_operations():
            if (one.name, other.name) in formulas or _may_meet(one, other):
                ranked[rank(one, other)].append((one.name, other.name))
    turns = [(turn + _AHEAD * each, each, turn) for turn in range(TURNS) for each in ranked]
    found = []
    chooser = Rows()
    for _, each, turn in sorted(turns):
        pairs = list(ranked[each])
        random.Random(f"pairs/{seed}/{each}/{turn}").shuffle(pairs)
        for names in _joined(pairs):
            found.append(Chain(names, turn, chooser.choose(names, ROWS)))
    return tuple(found)


def _joined(pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    """Chains that have each pair once: behind a pair comes one that begins with its second operation."""
    behind: dict[str, list[Pair]] = defaultdict(list)
    for pair in reversed(pairs):
        behind[pair[0]].append(pair)
    left = set(pairs)
    for pair in pairs:
        if pair not in left:
            continue
        left.remove(pair)
        chain = list(pair)
        while len(chain) <= PAIRS:
            following = behind[chain[-1]]
            while following and following[-1] not in left:
                following.pop()
            if not following:
                break
            left.remove(following[-1])
            chain.append(following.pop()[1])
        yield tuple(chain)


def _of_formulas() -> set[tuple[str, str]]:
    """Operations that stand behind each other in patterns."""
    found = set()
    for pattern in PATTERNS:
        kinds = {step.name: step.operation for step in pattern.graph.steps}
        for step in pattern.graph.steps:
            sources = {value.partition(":")[0] for value in step.inputs}
            found |= {(kinds[name], step.operation) for name in sources if name in kinds}
    return found


def _may_meet(one: Operation, other: Operation) -> bool:
    """Whether optimizers look for the pair."""
    is_behind = other.category in _ELEMENTWISE
    if one.category in _COMPUTING or one.category in _ELEMENTWISE:
        return is_behind
    if one.category in _MOVING:
        return is_behind or other.category in (*_MOVING, "matrix", "reduction")
    return False


def pair_batch(seed: int, number: int, operations: Sequence[str] = ()) -> list[AskedGraph]:
    """The graphs of a batch of chains, the same on every machine; none where all have been made.

    Chains that have one of the ``operations`` in a pair are drawn alone, if there are such.
    """
    wanted = {*operations}
    chosen = [each for each in chains(seed) if not wanted or wanted & {*each.names}]
    return [
        graph
        for each in chosen[number * CHAINS : (number + 1) * CHAINS]
        for graph in each.graphs(seed)
        if not wanted or wanted & {*graph.operations}
    ]
