"""Levels of factors that drawn graphs are asked with: the rows of a covering array, so that each two levels meet.

A factor here is one of all layers of a graph: where a level does not suit a layer, the layer stays as it is. What feeds
a graph is f32 as a rule, and constant but for the first input, whatever the declarations drew: else most draws would
have types for which no rewriting looks, and layers that fit no other one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations
from types import NoneType

from covertable import make
from covertable.criteria import simple

from ir_models import catalog
from ir_models.graphs import AskedGraph, Evaluated, Fed, GraphError, evaluate
from ir_models.patterns.factors import factors_of
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, f32, i64
from ir_models.vocabulary.page import Interval, Within

Row = Mapping[str, str]
# A level of all factors whose name ends so.
Wanted = tuple[str, str]

# The first level is the usual one.
# Constants of levels "axis" and "rank" make the result larger by a dimension of 2 and of 1.
_LEVELS: Mapping[str, tuple[str, ...]] = {
    "constant": ("full", "more-ones", "scalar", "last", "axis", "channel", "rank", "run time"),
    "type": ("f32", "f16"),
    "rank": ("drawn", "high", "low"),
    "size": ("large", "equal", "1"),
    "read": ("last", "all"),
    "unknown": ("none", "all"),
    "order": ("drawn", "swapped"),
    "axes": ("drawn", "negative", "other"),
    "keep_dims": ("false", "true"),
}
# Ranks that count as high and low, the dimensions that are added or taken away at most, and the highest rank.
_HIGH, _LOW, _STEPS, _MOST = 5, 2, 3, 6
# In place of a dimension of 1.
_SIZE = 3
# An attribute whose default is what layers of two operands have in models.
_BROADCAST, _OPERANDS = "auto_broadcast", 2
_READERS = ((".also", "result"), (".also", "layer"))


@cache
def rows() -> tuple[Row, ...]:
    """The rows: the first one of the usual levels, then those of the covering array, what is new in them first.

    Those with a dimension of 1, which hides most of what a rewriting may get wrong, are behind the others.
    """
    usual = {name: levels[0] for name, levels in _LEVELS.items()}
    arrays = {name: list(levels) for name, levels in _LEVELS.items()}
    left = [dict(row) for row in make(arrays, strength=2, criterion=simple)]
    found: list[Row] = [usual]
    levels, pairs = {*usual.items()}, _pairs(usual)
    left = [row for row in left if row != usual]

    def rank(row: Row) -> tuple[bool, int, int]:
        return row["size"] != "1", len({*row.items()} - levels), len(_pairs(row) - pairs)

    while left:
        best = max(left, key=rank)
        left.remove(best)
        found.append(best)
        levels |= {*best.items()}
        pairs |= _pairs(best)
    return tuple(found)


def _pairs(row: Row) -> set[tuple[tuple[str, str], ...]]:
    return {*combinations(sorted(row.items()), 2)}


def varied(graph: Evaluated, row: Row) -> AskedGraph:
    """The graph with those levels of a row that it takes."""
    found = _without_ones(_with_operands(graph, row["constant"] != "run time"))
    if row["rank"] != "drawn":
        found = _ranked(found, row["rank"])
    for wanted in _of_shapes(row):
        found = _changed(found, wanted)
    return _changed_together(found, _of_others(row)).graph


def _of_shapes(row: Row) -> list[Wanted]:
    """Levels of which each follows from the shapes that those before have left."""
    found: list[Wanted] = []
    if row["size"] != "large":
        found.append(("size", row["size"]))
    found.append((".keep_dims", row["keep_dims"]))
    if row["axes"] != "drawn":
        found += [(".axes", row["axes"]), (".axis", row["axes"])]
    constant = row["constant"]
    if constant in ("axis", "rank"):
        found.append((".larger", constant))
    elif constant != "run time":
        found.append((".shape", constant))
    return found


def _of_others(row: Row) -> list[Wanted]:
    """Levels that follow from no shape."""
    found: list[Wanted] = []
    if row["order"] == "swapped":
        found.append((".order", "swapped"))
    if row["type"] == "f16":
        found.append(("type", "f16"))
    if row["unknown"] == "all":
        found.append(("unknown", "all"))
    if row["read"] == "all":
        found += _READERS
    return found


def _changed_together(graph: Evaluated, wanted: Sequence[Wanted]) -> Evaluated:
    """The graph with several levels at once; where they do not fit together, with each that fits."""
    factors = factors_of(graph) if wanted else {}
    changes = [
        factors[name].levels[level]
        for end, level in wanted
        for name in factors
        if name.endswith(end) and level in factors[name].levels
    ]
    with suppress(GraphError):
        whole = graph.graph
        for change in changes:
            whole = change(whole)
        return _evaluated(whole)
    for each in wanted:
        graph = _changed(graph, each)
    return graph


def _changed(graph: Evaluated, wanted: Wanted) -> Evaluated:
    """The graph with one level of all its factors of an end of a name; each is left out where it does not fit."""
    end, level = wanted
    found, factors = graph, factors_of(graph)
    for name in factors:
        if not (name.startswith(end) if end == "size" else name.endswith(end)):
            continue
        # What a level is follows from what stands in front, which may have changed.
        factors = factors_of(found) if found is not graph else factors
        levels = factors[name].levels if name in factors else {}
        chosen = level
        if level == "equal":
            chosen = next((each for each in levels if each not in ("0", "1")), "")
        if chosen in levels:
            with suppress(GraphError):
                found = _evaluated(levels[chosen](found.graph))
                if end == "size" and level == "1":
                    break
    return found


def _evaluated(graph: AskedGraph) -> Evaluated:
    """The graph without what nothing needs. Raises GraphError, as well where a rank is beyond what models have."""
    found = evaluate(graph.pruned())
    if any(tensor.rank > _MOST for tensor in found.tensors.values()):
        raise GraphError(f"a tensor has more than {_MOST} dimensions")
    return found


def _ranked(graph: Evaluated, level: str) -> Evaluated:
    """The graph with data of a high or a low rank, as far as its layers take it."""
    for _ in range(_STEPS):
        rank = max((len(fed.shape) for fed in graph.graph.fed.values()), default=0)
        if rank >= _HIGH if level == "high" else rank <= _LOW:
            break
        changed = _changed(graph, ("rank", "more" if level == "high" else "less"))
        if changed is graph:
            break
        graph = changed
    return graph


def plain(graph: Evaluated) -> Evaluated:
    """The graph with types and attributes as models have them, as far as its layers take these.

    Data is f32, axes and sizes are i64, and layers of two operands broadcast as numpy does.
    """

    def typed(name: str, fed: Fed) -> Fed:
        kind = _usual_type(graph.graph, name, fed)
        if kind is fed.element_type:
            return fed
        # Other data in each inference, where integers are stated one by one.
        fill = "~" if kind is f32 and "," in fed.fill else fed.fill
        return replace(fed, element_type=kind, fill=fill)

    steps = tuple(
        replace(step, attributes={n: v for n, v in step.attributes.items() if n != _BROADCAST})
        for step in graph.graph.steps
    )
    if steps != graph.graph.steps:
        with suppress(GraphError):
            graph = evaluate(replace(graph.graph, steps=steps))
    return _with_each(graph, typed)


def without_f64(graph: Evaluated) -> Evaluated:
    """The graph with f32 in place of f64, which many devices compute as f32."""
    f64 = ELEMENT_TYPES["f64"]
    return _with_each(
        graph,
        lambda _, fed: replace(fed, element_type=f32) if fed.element_type is f64 else fed,
    )


def _with_operands(graph: Evaluated, are_constant: bool) -> Evaluated:
    """The graph with real operands as constants, or those of layers of two given at run time; the first input is."""
    first = next(iter(graph.graph.steps[0].inputs), "")

    def given(name: str, fed: Fed) -> Fed:
        if not fed.element_type.is_float:
            return fed
        is_operand = all(len(step.inputs) == _OPERANDS for step in graph.graph.readers(name))
        return replace(fed, is_constant=name != first and (are_constant or not is_operand))

    return _with_each(graph, given)


def _without_ones(graph: Evaluated) -> Evaluated:
    """The graph with larger dimensions in place of those of 1, which hide most of what a rewriting may get wrong."""

    def larger(axes: Container[int]) -> Callable[[str, Fed], Fed]:
        def changed(_: str, fed: Fed) -> Fed:
            if fed.is_constant or not fed.element_type.is_float or fed.fill.startswith(":"):
                return fed
            sizes = enumerate(fed.shape)
            return replace(fed, shape=tuple(_SIZE if d == 1 and k in axes else d for k, d in sizes))

        return changed

    rank = max((len(fed.shape) for fed in graph.graph.fed.values()), default=0)
    found = _with_each(graph, larger(range(rank)))
    if found is graph:
        for axis in range(rank):
            found = _with_each(found, larger((axis,)))
    return found


def _with_each(graph: Evaluated, change: Callable[[str, Fed], Fed]) -> Evaluated:
    fed = {name: change(name, each) for name, each in graph.graph.fed.items()}
    if fed == graph.graph.fed:
        return graph
    with suppress(GraphError):
        return evaluate(replace(graph.graph, fed=fed))
    return graph


def _usual_type(graph: AskedGraph, name: str, fed: Fed) -> ElementType:
    """f32 where all that read what feeds the graph take that as data, i64 for integers that steer them."""
    found = fed.element_type
    for step in graph.readers(name):
        declared = catalog.operation(step.operation).inputs
        each = declared[min(step.inputs.index(name), len(declared) - 1)]
        is_data = not each.index and isinstance(each.values, (Interval, Within, NoneType))
        wanted = i64 if found.is_integer and each.index and fed.is_constant else f32
        if wanted not in each.types.types or not (is_data or found.is_float or wanted is i64):
            return fed.element_type
        found = wanted
    return found
