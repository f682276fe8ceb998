"""Levels of factors that drawn graphs are asked with: the rows of a covering array, so that each two levels meet.

A factor here is one of all layers of a graph: where a level does not suit a layer, the layer stays as it is. What feeds
a graph is f32 as a rule, and constant but for one input, whatever the declarations drew: else most draws would
have types for which no rewriting looks, and layers that fit no other one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, pairwise
from types import NoneType

from covertable import make
from covertable.criteria import simple

from ir_models import catalog
from ir_models.graphs import AskedGraph, Evaluated, Fed, GraphError, evaluate
from ir_models.patterns.factors import Part, factors_of
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
# How much a level that a pair of operations has not had counts, beside two levels that it has not had together.
_NEW = 4
# By how much less rows count that hide most: for two levels that have not met they are not chosen.
_HIDING = 2
# Ranks that count as high and low, the dimensions that are added or taken away at most, and the highest rank.
_HIGH, _LOW, _STEPS, _MOST = 5, 2, 3, 6
# Characters of the text of a constant.
_LONGEST = 400
# In place of a dimension of 1.
_SIZE = 3
# An attribute whose default is what layers of two operands have in models.
_BROADCAST, _OPERANDS = "auto_broadcast", 2
# Where the factors are that have these ends.
_PARTS: Mapping[str, Part] = {
    **dict.fromkeys(("type", "rank", "size", "unknown"), "whole"),
    **dict.fromkeys((".shape", ".larger", ".axes"), "constants"),
    **dict.fromkeys((".axis", ".keep_dims", ".order", ".also"), "layers"),
}
_READERS = ((".also", "result"), (".also", "layer"))


@cache
def rows() -> tuple[Row, ...]:
    """The rows: the first one of the usual levels, then those of the covering array, what is new in them first.

    Each two levels meet where one layer alone reads each inner tensor, since most rewritings are of those; where
    others read them as well, each level comes once. Rows with a dimension of 1, which hides most of what a rewriting
    may get wrong, are behind the others.
    """
    usual = {name: levels[0] for name, levels in _LEVELS.items()}
    arrays = {name: list(levels) for name, levels in _LEVELS.items() if name != "read"}
    made = [dict(row) for row in make(arrays, strength=2, criterion=simple)]
    left = [row | {"read": "last"} for row in made]
    missing = {each for row in made for each in row.items()}
    while missing:
        best = max(made, key=lambda row: len(missing & {*row.items()}))
        missing -= {*best.items()}
        left.append(best | {"read": "all"})
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


class Rows:
    """Chooses rows for chains of operations: those in which pairs of them have most levels that they have not had.

    What an operation does not have, such as axes, does not count.
    """

    def __init__(self) -> None:
        self._had: dict[tuple[str, str], int] = {}

    def choose(self, names: Sequence[str], count: int) -> tuple[int, ...]:
        """The positions of so many rows for a chain; fewer where its pairs have had all that others have."""
        pairs = [*pairwise(names)]
        found: list[int] = []
        for _ in range(count):
            left = [_of_pair(*pair) & ~self._had.get(pair, 0) for pair in pairs]
            scores = [
                sum((bits & each).bit_count() for each in left) // (_HIDING if hides else 1)
                for bits, hides in zip(_bits(), _hiding(), strict=True)
            ]
            best = max(range(len(scores)), key=scores.__getitem__)
            if not scores[best]:
                break
            found.append(best)
            for pair in pairs:
                self._had[pair] = self._had.get(pair, 0) | _bits()[best]
        return tuple(found)


@cache
def _places() -> Mapping[frozenset[str], tuple[int, ...]]:
    """The bits of each factor, and of each two: one for each two levels, several for each level."""
    found: dict[frozenset[str], tuple[int, ...]] = {}
    bit = 0
    for one, other in combinations_with_replacement(_LEVELS, 2):
        count = len(_LEVELS[one]) * (_NEW if one == other else len(_LEVELS[other]))
        found[frozenset((one, other))] = tuple(range(bit, bit + count))
        bit += count
    return found


@cache
def _bits() -> tuple[int, ...]:
    """What each row has, as bits."""
    found = []
    for row in rows():
        bits = 0
        for one, other in combinations_with_replacement(_LEVELS, 2):
            places, level = _places()[frozenset((one, other))], _LEVELS[one].index(row[one])
            width = _NEW if one == other else len(_LEVELS[other])
            for place in range(width):
                if one == other or place == _LEVELS[other].index(row[other]):
                    bits |= 1 << places[level * width + place]
        found.append(bits)
    return tuple(found)


@cache
def _hiding() -> tuple[bool, ...]:
    """Which rows have a dimension of 1, which hides most of what a rewriting may get wrong."""
    return tuple(row["size"] == "1" for row in rows())


@cache
def _of_pair(one: str, other: str) -> int:
    """The bits of what two operations have of the factors."""
    factors = {"type", "rank", "size", "read", "unknown"}
    for name in (one, other):
        operation = catalog.operation(name)
        attributes = {each.name for each in operation.attributes}
        if "keep_dims" in attributes:
            factors.add("keep_dims")
        if any(e.axis_of for e in operation.inputs) or any(e.axis_of for e in operation.attributes):
            factors.add("axes")
        if len(operation.inputs) == _OPERANDS and not operation.inputs[1].index:
            factors |= {"constant", "order"} if _BROADCAST in attributes else {"constant"}
    return sum(1 << bit for those, bits in _places().items() if those <= factors for bit in bits)


def varied(graph: Evaluated, row: Row) -> AskedGraph:
    """The graph with those levels of a row that it takes."""
    found = _usual(graph, row["constant"] != "run time")
    if row["rank"] != "drawn":
        found = _ranked(found, row["rank"])
    for wanted in _of_shapes(row):
        found = _changed(found, wanted)
    return _changed_together(found, _of_others(row)).graph


@lru_cache(maxsize=8)
def _usual(graph: Evaluated, are_constant: bool) -> Evaluated:
    """What all rows make of a graph, with operands that are constants, or given at run time."""
    return _without_ones(_with_operands(graph, are_constant))


def _of_shapes(row: Row) -> list[Wanted]:
    """Levels that each follow from the shapes that those before have left."""
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
        return _evaluated(whole, graph)
    for each in wanted:
        graph = _changed(graph, each)
    return graph


def _changed(graph: Evaluated, wanted: Wanted) -> Evaluated:
    """The graph with one level of all its factors of an end of a name; each is left out where it does not fit."""
    end, level = wanted
    part = _PARTS[end]
    found, factors = graph, factors_of(graph, part)
    for name in factors:
        if not (name.startswith(end) if end == "size" else name.endswith(end)):
            continue
        # What a level is follows from what stands in front, which may have changed.
        factors = factors_of(found, part) if found is not graph else factors
        levels = factors[name].levels if name in factors else {}
        chosen = level
        if level == "equal":
            chosen = next((each for each in levels if each not in ("0", "1")), "")
        if chosen in levels:
            with suppress(GraphError):
                found = _evaluated(levels[chosen](found.graph), found)
                if end == "size" and level == "1":
                    break
    return found


def _evaluated(graph: AskedGraph, known: Evaluated) -> Evaluated:
    """Evaluate a graph without what nothing needs; values that it shares with a ``known`` one are taken from there.

    Raises GraphError, also where a rank is beyond what models have.
    """
    fed = {name: _short(each) for name, each in graph.fed.items()}
    found = evaluate(replace(graph, fed=fed).pruned(), known=known)
    if any(tensor.rank > _MOST for tensor in found.tensors.values()):
        raise GraphError(f"a tensor has more than {_MOST} dimensions")
    return found


def _short(fed: Fed) -> Fed:
    """What feeds a graph, with random numbers in place of many that the text has one by one."""
    if len(fed.fill) <= _LONGEST or not fed.element_type.is_float:
        return fed
    return replace(fed, fill="~1" if fed.fill.startswith(":-") else "+1")


def _ranked(graph: Evaluated, level: str) -> Evaluated:
    """The graph with data of a high or a low rank, as far as its layers take it."""
    rank = max((len(fed.shape) for fed in graph.graph.fed.values()), default=0)
    change = factors_of(graph, "whole")["rank"].levels["more" if level == "high" else "less"]
    changed, found = graph.graph, [graph.graph]
    for _ in range(min(_HIGH - rank if level == "high" else rank - _LOW, _STEPS)):
        changed = change(changed)
        found.append(changed)
    for each in reversed(found[1:]):
        with suppress(GraphError):
            return _evaluated(each, graph)
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
            graph = evaluate(replace(graph.graph, steps=steps), known=graph)
    return _with_each(graph, typed)


def without_f64(graph: Evaluated) -> Evaluated:
    """The graph with f32 in place of f64, which many devices compute as f32."""
    f64 = ELEMENT_TYPES["f64"]
    return _with_each(
        graph,
        lambda _, fed: replace(fed, element_type=f32) if fed.element_type is f64 else fed,
    )


def _with_operands(graph: Evaluated, are_constant: bool) -> Evaluated:
    """The graph with real operands as constants, or those of layers of two given at run time.

    The first input always stays at run time; where that is one number, what has most elements: factors are of the
    shape of data, and a number has none.
    """
    first = next(iter(graph.graph.steps[0].inputs), "")
    if not first or graph.tensors[first].size <= 1:
        real = [name for name, fed in graph.graph.fed.items() if fed.element_type.is_float]
        first = max(real, key=lambda name: graph.tensors[name].size, default=first)

    def given(name: str, fed: Fed) -> Fed:
        if not fed.element_type.is_float:
            return fed
        is_operand = all(len(step.inputs) == _OPERANDS for step in graph.graph.readers(name))
        is_constant = name != first and (are_constant or not is_operand)
        return replace(
            fed, is_constant=is_constant, unknown=frozenset() if is_constant else fed.unknown
        )

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
        return evaluate(replace(graph.graph, fed=fed), known=graph)
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
