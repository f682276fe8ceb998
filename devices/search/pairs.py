"""Pairs of layers of which plugins fuse the second into the first, or move one past the other, with factors.

The pairs follow from the categories of the declarations, in an order that a seed fixes: layers with weights, poolings,
normalizations, reductions, movements and activations, each with what stands behind it in models. Each pair is drawn
several times, and asked as drawn and with factors of patterns (``ir_models.patterns.factors``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from devices.search.grown import grown_operations
from ir_models.graphs import AskedGraph, Evaluated, GraphError, Step, evaluate
from ir_models.graphs.growing import begun, grown
from ir_models.patterns import PATTERNS
from ir_models.patterns.factors import factors_of
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from ir_models.vocabulary.operation import Operation

# Pairs of a batch.
PAIRS = 8
# Draws until the second layer reads the first one.
_DRAWS = 8
_COMPUTING = ("convolution", "matrix", "pooling", "normalization", "reduction")
_MOVING = ("movement", "shape", "type")
_READ = (("n1.also", "result"), ("n1.also", "layer"), ("n2.also", "layer"))
# For each graph of a pair levels of factors, by the end of a factor's name; n1 is the first layer, n2 the second one.
_ROWS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    _READ,
    (*_READ, ("unknown", "all")),
    (*_READ, ("type", "f16")),
    (("unknown", "all"), (".axes", "negative"), (".axis", "negative")),
    (("type", "f16"), (".order", "swapped")),
    ((".shape", "more-ones"), (".keep_dims", "false")),
    ((".larger", "axis"), (".keep_dims", "false")),
    (("size", "equal"), (".shape", "last")),
)
_NARROW = ("f16", "i64", "i32", "i8", "u8")


def pairs(seed: int, operations: Sequence[str] = ()) -> list[tuple[Operation, Operation]]:
    """The pairs in their order, those alone that have one of the ``operations``, if there are such."""
    return [
        pair
        for pair in _shuffled(seed)
        if not operations or any(each.name in operations for each in pair)
    ]


@cache
def _shuffled(seed: int) -> list[tuple[Operation, Operation]]:
    known = grown_operations()
    found = [(one, other) for one in known for other in known if _may_meet(one, other)]
    random.Random(f"pairs/{seed}").shuffle(found)
    # What formulas are made of first, and the layers that plugins fuse others into.
    of_patterns = {name for each in PATTERNS for name in each.graph.operations}

    def rank(pair: tuple[Operation, Operation]) -> int:
        one, other = pair
        is_first = one.name in of_patterns or one.category in _COMPUTING
        is_last = other.name in of_patterns or other.category == "activation"
        return (not is_first) + (not is_last)

    return sorted(found, key=rank)


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
    """The graphs of a batch of pairs, the same on every machine; none where all pairs have been asked."""
    chosen = pairs(seed, operations)[number * PAIRS : (number + 1) * PAIRS]
    return [graph for one, other in chosen for graph in graphs_of(one, other, seed)]


def graphs_of(one: Operation, other: Operation, seed: int) -> Iterator[AskedGraph]:
    """The graphs of one pair."""
    draw = Draw(random.Random(f"{seed}/{one.name}/{other.name}"))
    seen: set[str] = set()
    for row in _ROWS:
        pair = _joined(one, other, draw)
        if pair is None:
            return
        graph = _varied(pair, row)
        if graph.text not in seen:
            seen.add(graph.text)
            yield graph
    if one.category == "type":
        yield from _between(one, other, draw)


def _joined(one: Operation, other: Operation, draw: Draw) -> Evaluated | None:
    """A layer and one that reads it; None where no draw gives that."""
    for _ in range(_DRAWS):
        first = begun(one, draw)
        if first is None:
            return None
        found = grown(first, other, draw)
        if found is not None:
            return found
    return None


def _varied(pair: Evaluated, row: Sequence[tuple[str, str]]) -> AskedGraph:
    """The graph with the levels that it has and takes."""
    graph = pair.graph
    for name, factor in factors_of(pair).items() if row else ():
        for wanted, level in row:
            if name.startswith(wanted) if wanted == "size" else name.endswith(wanted):
                # The last of a size's levels is that of another dimension.
                chosen = [*factor.levels][-1] if level == "equal" else level
                with suppress(GraphError, KeyError):
                    changed = factor.levels[chosen](graph).pruned()
                    evaluate(changed)
                    graph = changed
    return graph


def _between(conversion: Operation, other: Operation, draw: Draw) -> Iterator[AskedGraph]:
    """A layer between conversions to another type and back."""
    for name in _NARROW:
        drawn = (begun(other, draw) for _ in range(_DRAWS))
        first = next((each for each in drawn if each is not None and _is_of_float(each)), None)
        if first is None:
            return
        step = first.graph.steps[0]
        own, kind = first.tensors[step.inputs[0]].element_type, ELEMENT_TYPES[name]
        fed = {
            each: replace(given, element_type=kind) if given.element_type is own else given
            for each, given in first.graph.fed.items()
        }
        fed[step.inputs[0]] = replace(first.graph.fed[step.inputs[0]], is_constant=False)
        steps = (
            Step("n0", conversion.name, step.inputs[:1], {"destination_type": kind}),
            step.reading(step.inputs[0], "n0"),
            Step("n2", conversion.name, (step.name,), {"destination_type": own}),
        )
        graph = AskedGraph(fed, steps, ("n2",))
        with suppress(GraphError):
            evaluate(graph)
            yield graph


def _is_of_float(graph: Evaluated) -> bool:
    """Whether a layer takes and gives one floating-point type."""
    step = graph.graph.steps[0]
    own = graph.tensors[step.inputs[0]].element_type
    is_wide = own.is_float and own.name in ("f32", "f64")
    return is_wide and own is graph.tensors[step.name].element_type
