"""Pairs of layers of which plugins fuse the second into the first, or move one past the other, with factors.

The pairs follow from the categories of the declarations, in an order that a seed fixes: layers with weights, poolings,
normalizations, reductions, movements and elementwise layers, each with what stands behind it in models; and what stands
in the formulas of patterns. A pair comes several times, and is drawn and asked with other rows of factors each time
(``devices.search.rows``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from devices.search.grown import grown_operations
from devices.search.rows import plain, rows, varied, without_f64
from ir_models.graphs import AskedGraph, Evaluated, GraphError, Step, evaluate
from ir_models.graphs.growing import begun, grown
from ir_models.patterns import PATTERNS
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ELEMENT_TYPES, f32
from ir_models.vocabulary.operation import Operation

# Visits of a batch, and graphs of one draw that are asked at a visit.
VISITS, TOGETHER = 30, 2
# Draws until the second layer reads the first one.
_DRAWS = 8
# Visits that pairs of one rank are ahead of those of the next one.
_AHEAD = 2
# One visit more than these has the types that the declarations draw.
_TYPED = 4
_COMPUTING = ("convolution", "matrix", "pooling", "normalization", "reduction")
_ELEMENTWISE = ("activation", "arithmetic", "comparison")
_MOVING = ("movement", "shape", "type")
_NARROW = ("f16", "i64", "i32", "i8", "u8")


@dataclass(frozen=True)
class Visit:
    """One of the times that a pair comes: the graphs of one draw, with rows of its own."""

    one: Operation
    other: Operation
    turn: int

    @property
    def names(self) -> tuple[str, str]:
        """The operations in their order."""
        return self.one.name, self.other.name


@cache
def visits(seed: int) -> tuple[Visit, ...]:
    """All visits in their order: what formulas are made of, and what others are fused into, is a turn ahead."""
    known = grown_operations()
    formulas = _of_formulas()
    found = [
        (one, other)
        for one in known
        for other in known
        if (one.name, other.name) in formulas or _may_meet(one, other)
    ]
    random.Random(f"pairs/{seed}").shuffle(found)
    of_patterns = {name for pair in formulas for name in pair}

    def rank(pair: tuple[Operation, Operation]) -> int:
        one, other = pair
        if (one.name, other.name) in formulas:
            return 0
        is_first = one.name in of_patterns or one.category in _COMPUTING
        is_last = other.name in of_patterns or other.category == "activation"
        return 1 + (not is_first) + (not is_last)

    turns = range(-(-len(rows()) // TOGETHER))
    every = [(turn + _AHEAD * rank(p), rank(p), turn, p) for turn in turns for p in found]
    return tuple(Visit(*pair, turn) for _, _, turn, pair in sorted(every, key=lambda e: e[:3]))


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
    """The graphs of a batch of visits, the same on every machine; none where all have been made.

    Of those pairs alone that have one of the ``operations``, if there are such.
    """
    chosen = [v for v in visits(seed) if not operations or {*operations} & {*v.names}]
    return [
        graph
        for visit in chosen[number * VISITS : (number + 1) * VISITS]
        for graph in graphs_of(visit, seed)
    ]


def graphs_of(visit: Visit, seed: int) -> Iterator[AskedGraph]:
    """The graphs of a visit."""
    draw = Draw(random.Random(f"{seed}/{visit.one.name}/{visit.other.name}/{visit.turn}"))
    typed = plain if draw.integer(0, _TYPED) else without_f64
    pair = _joined(visit.one, visit.other, draw, typed)
    if pair is not None:
        chosen = rows()[visit.turn * TOGETHER : (visit.turn + 1) * TOGETHER]
        found = [varied(pair, row) for row in chosen]
        yield from {graph.text: graph for graph in found}.values()
    if visit.one.category == "type":
        yield from _between(visit.one, visit.other, draw)


def _joined(
    one: Operation, other: Operation, draw: Draw, typed: Callable[[Evaluated], Evaluated]
) -> Evaluated | None:
    """A layer and one that reads it; None where no draw gives that.

    Where other draws do, it is none with empty lists of axes, and none that passes on one element.
    """
    found: Evaluated | None = None
    for _ in range(_DRAWS):
        first = begun(one, draw)
        if first is None:
            break
        pair = grown(typed(first), other, draw)
        if pair is None:
            continue
        found = typed(pair)
        is_full = all(fed.tensor.size for fed in found.graph.fed.values())
        if is_full and found.tensors[found.graph.steps[0].name].size > 1:
            break
    return found


def _between(conversion: Operation, other: Operation, draw: Draw) -> Iterator[AskedGraph]:
    """A layer between conversions to another type and back."""
    first = begun(other, draw)
    if first is None:
        return
    first = plain(first)
    step = first.graph.steps[0]
    for name in _NARROW:
        own, kind = first.tensors[step.inputs[0]].element_type, ELEMENT_TYPES[name]
        fed = {
            each: replace(given, element_type=kind) if given.element_type is own else given
            for each, given in first.graph.fed.items()
        }
        # What no narrow type holds: what is merely more exact is no fault.
        fill = ":100000" if kind.is_float else f"~{draw.integer(0, 99)}"
        fed[step.inputs[0]] = replace(
            first.graph.fed[step.inputs[0]], element_type=f32, fill=fill, is_constant=False
        )
        steps = (
            Step("n0", conversion.name, step.inputs[:1], {"destination_type": kind}),
            step.reading(step.inputs[0], "n0"),
            Step("n2", conversion.name, (step.name,), {"destination_type": f32}),
        )
        graph = AskedGraph(fed, steps, ("n2",))
        with suppress(GraphError):
            evaluate(graph)
            yield graph
