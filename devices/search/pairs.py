"""Pairs of layers of which plugins fuse the second into the first, or move one past the other, with factors.

The pairs follow from the categories of the declarations, in an order that a seed fixes: layers with weights, poolings,
normalizations, reductions, movements and activations, each with what stands behind it in models. A pair comes several
times, further behind each time, and is asked with other rows of factors (``devices.search.rows``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from devices.search.grown import grown_operations
from devices.search.rows import in_f32, rows, varied, without_f64
from ir_models.graphs import AskedGraph, Evaluated, GraphError, Step, evaluate
from ir_models.graphs.growing import begun, grown
from ir_models.patterns import PATTERNS
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ELEMENT_TYPES, f32
from ir_models.vocabulary.operation import Operation

# Visits of a batch, and graphs of one draw that are asked at a visit.
VISITS, TOGETHER = 24, 3
# Draws until the second layer reads the first one.
_DRAWS = 8
# One visit more than these has the types that the declarations draw.
_TYPED = 4
_COMPUTING = ("convolution", "matrix", "pooling", "normalization", "reduction")
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
    found = [(one, other) for one in known for other in known if _may_meet(one, other)]
    random.Random(f"pairs/{seed}").shuffle(found)
    of_patterns = {name for each in PATTERNS for name in each.graph.operations}

    def rank(pair: tuple[Operation, Operation]) -> int:
        one, other = pair
        is_first = one.name in of_patterns or one.category in _COMPUTING
        is_last = other.name in of_patterns or other.category == "activation"
        return (not is_first) + (not is_last)

    turns = -(-len(rows()) // TOGETHER)
    every = [(turn + rank(pair), rank(pair), turn, pair) for turn in range(turns) for pair in found]
    return tuple(Visit(*pair, turn) for _, _, turn, pair in sorted(every, key=lambda e: e[:3]))


def _may_meet(one: Operation, other: Operation) -> bool:
    """Whether optimizers look for the pair."""
    is_scale = other.category == "arithmetic" and len(other.inputs) == 2
    is_behind = is_scale or other.category == "activation"
    if one.category in _COMPUTING or one.category == "activation":
        return is_behind
    if one.category in _MOVING:
        return other.category in _MOVING or is_behind or other.category in ("matrix", "reduction")
    return one.category == "arithmetic" and len(one.inputs) == 2 and is_behind


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
    typed = in_f32 if draw.integer(0, _TYPED) else without_f64
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
    """A layer and one that reads it; None where no draw gives that."""
    for _ in range(_DRAWS):
        first = begun(one, draw)
        if first is None:
            return None
        found = grown(typed(first), other, draw)
        # Empty lists of axes are the layer's own affair.
        if found is not None and all(fed.tensor.size for fed in found.graph.fed.values()):
            return typed(found)
    return None


def _between(conversion: Operation, other: Operation, draw: Draw) -> Iterator[AskedGraph]:
    """A layer between conversions to another type and back."""
    drawn = (begun(other, draw) for _ in range(_DRAWS))
    first = next((each for each in drawn if each is not None), None)
    if first is None:
        return
    step = first.graph.steps[0]
    for name in _NARROW:
        own, kind = first.tensors[step.inputs[0]].element_type, ELEMENT_TYPES[name]
        fed = {
            each: replace(given, element_type=kind) if given.element_type is own else given
            for each, given in first.graph.fed.items()
        }
        data = replace(first.graph.fed[step.inputs[0]], element_type=f32, is_constant=False)
        # What no narrow type holds: what is merely more exact is no fault.
        fed[step.inputs[0]] = replace(data, fill=":100000" if kind.is_float else data.fill)
        steps = (
            Step("n0", conversion.name, step.inputs[:1], {"destination_type": kind}),
            step.reading(step.inputs[0], "n0"),
            Step("n2", conversion.name, (step.name,), {"destination_type": f32}),
        )
        graph = AskedGraph(fed, steps, ("n2",))
        with suppress(GraphError):
            evaluate(graph)
            yield graph
