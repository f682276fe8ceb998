"""What another model has where a pattern has something else: the factors of a pattern that its first array lacks.

Each level is asked alone, and beside a few levels of other factors, drawn by hash (``ir_models.patterns.pattern``).

| factor | levels |
|---|---|
| ``equal`` | two sizes of data are one, ``3-4``; ``all`` of them are |
| ``length4`` | the dimensions of 4 are about as long as vectors of kernels are, or more than a thousand |
| ``half.near`` | a constant times 1.001, 0.995, 1.01, 0.95: near what a matcher may take for the formula's |
| ``half.extreme`` | a constant is large, small, subnormal, or the largest number of f32 |
| ``x.values`` | data, or a constant, has the ends of its type, and what a narrower type wraps, cuts off or rounds |
| ``a.spelling`` | a layer as an equal formula (``ir_models.patterns.spellings``) |
| ``a.readers`` | other readers of an inner tensor, see below |
| ``beside`` | what else the model holds: FakeQuantize, a variable, an unknown dimension, apart from all others |

Readers are ``twin``, the layer that reads the tensor once more; ``parts``, two slices that are results; ``joined``, two
slices that pass an Unsqueeze each and meet again; ``chosen``, Select of the tensor by its Convert to boolean.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from ir_models import catalog
from ir_models.graphs.evaluation import Evaluated
from ir_models.graphs.notation import AskedGraph, Fed, GraphError, reaches_index
from ir_models.patterns.factors import Change, Factor, equal_to, resized, with_fed
from ir_models.patterns.spellings import Writing, spellings
from ir_models.vocabulary.element_types import boolean, f32
from ir_models.vocabulary.graph import Step

NEAR = ("1.001", "0.995", "1.01", "0.95")
EXTREME = {"large": "1e30", "small": "1e-30", "subnormal": "1e-40", "most": "3.4028235e38"}
# Lengths around those of vectors, a whole number of vectors, and more rows than are blocked at once.
LENGTHS = ((15, 17, 31, 33), (16, 32, 64, 256), (63, 65, 255, 257), (1025,))
# The reference takes minutes for more steps than these, each with its bounds.
_LONGEST_OF_STEPS = 33
BESIDE, SWITCHES = "beside", "fake-quantize"
"""The factor of what else the model holds, and its level that switches other transformations on for all of it."""
_PREFIX = "beside_"
EXTREMES, VALUES = "extreme", "values"
"""The factors of what numbers a constant has, and of which data and constants have the ends of types."""
# Narrower integers have their ends among few numbers.
_LEAST_BITS = 8


def variations(evaluated: Evaluated) -> dict[str, Factor]:
    """The factors by name."""
    found: dict[str, Factor] = {}
    for levels in (_sizes, _numbers, _values, _layers, _beside):
        for name, level, change in levels(evaluated):
            found.setdefault(name, Factor(name)).levels[level] = change
    return found


Levels = Iterator[tuple[str, str, Change]]


# --- sizes --------------------------------------------------------------------------------------------------------


def _sizes(evaluated: Evaluated) -> Levels:
    graph = evaluated.graph
    given = [fed for fed in graph.fed.values() if not fed.is_constant]
    sizes = sorted({size for fed in given for size in fed.shape if size > 1})
    for one, two in combinations(sizes, 2):
        # These are levels of the factor of a size.
        if equal_to(two, sizes) != one and equal_to(one, sizes) != two:
            yield "equal", f"{one}-{two}", resized(two, one)
    if len(sizes) > 2:
        yield "equal", "all", _all_equal(sizes)
    most = _LONGEST_OF_STEPS if _has_steps(graph) else max(max(lengths) for lengths in LENGTHS)
    for size in sizes:
        for lengths in LENGTHS:
            chosen = lengths[_drawn(f"{graph.text} {size} {lengths}") % len(lengths)]
            if chosen <= most:
                yield f"length{size}", str(chosen), resized(size, chosen)


def _has_steps(graph: AskedGraph) -> bool:
    """Whether a layer computes one step after another, each of them from what the one before gave."""
    found = map(catalog.operation, graph.operations)
    return any(attribute.is_body for each in found for attribute in each.attributes)


def _all_equal(sizes: list[int]) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        for size in sizes[1:]:
            graph = resized(size, sizes[0])(graph)
        return graph

    return changed


def _drawn(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


# --- numbers ------------------------------------------------------------------------------------------------------


def _numbers(evaluated: Evaluated) -> Levels:
    for name, fed in evaluated.graph.fed.items():
        if not (fed.is_constant and fed.element_type.is_float and fed.tensor.size):
            continue
        first = float(evaluated.arrays[name].reshape(-1)[0])
        if np.all(evaluated.arrays[name] == first):
            for level in NEAR if first else ():
                fill = f":{np.float32(first * float(level)):.8g}"
                yield f"{name}.near", level, _filled(name, fill)
            for level, number in EXTREME.items():
                yield f"{name}.{EXTREMES}", level, _filled(name, f":{number}")


def _values(evaluated: Evaluated) -> Levels:
    """Numbers that differ from type to type: of integers, and where a layer reads or gives another type than floats."""
    graph = evaluated.graph
    given = graph.fed
    kinds = {each.element_type for name, each in evaluated.tensors.items() if name not in given}
    is_converted = not all(kind.is_float for kind in kinds)
    for name, fed in graph.fed.items():
        if fed.element_type.bits < _LEAST_BITS or not fed.tensor.size or reaches_index(graph, name):
            continue
        if not fed.is_constant:
            if fed.element_type.is_integer or (fed.element_type.is_float and is_converted):
                yield f"{name}.{VALUES}", "ends", _filled(name, "!")
        elif fed.element_type.is_integer:
            least, most = fed.element_type.integer_range
            for level, number in (("least", least), ("most", most), ("wide", most // 200)):
                if number:
                    yield f"{name}.{VALUES}", level, _filled(name, f":{number}")


def _filled(name: str, fill: str) -> Change:
    return with_fed(name, lambda fed: replace(fed, fill=fill))


# --- layers -------------------------------------------------------------------------------------------------------


def _layers(evaluated: Evaluated) -> Levels:
    for step in evaluated.graph.steps:
        for name, change in spellings(evaluated, step):
            yield f"{step.name}.spelling", name, change
        if catalog.operation(step.operation).partner:
            continue
        for value in evaluated.outputs(step):
            name = f"{value.replace(':', '.')}.readers"
            if evaluated.graph.readers(value):
                yield name, "twin", _twin(value)
            shape = evaluated.tensors[value].shape
            axis = next((axis for axis, size in enumerate(shape) if size > 1), None)
            if axis is not None:
                yield name, "parts", _parts(value, axis, len(shape))
                yield name, "joined", _joined(value, axis, len(shape))
            if evaluated.tensors[value].element_type.is_float:
                yield name, "chosen", _chosen(value)


def _twin(value: str) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        readers = graph.readers(value)
        if not readers:
            raise GraphError(f"nothing reads {value}")
        twin = replace(readers[0], name=f"{readers[0].name}_twin")
        return AskedGraph(graph.fed, (*graph.steps, twin), (*graph.results, twin.name))

    return changed


def _parts(value: str, axis: int, rank: int) -> Change:
    """The first place of an axis and the rest of it, cut by StridedSlice, both results."""

    def written(w: Writing) -> tuple[str, ...]:
        return tuple(w.strided(value, axis, rank, *part) for part in ((0, 1), (1, 1000)))

    return _also(value, written)


def _joined(value: str, axis: int, rank: int) -> Change:
    """Two places of an axis, each behind an Unsqueeze of its own, whose difference is a result."""

    def written(w: Writing) -> tuple[str, ...]:
        parts = [w.strided(value, axis, rank, *part) for part in ((0, 1), (1, 2))]
        moved = [w.layer("Unsqueeze-1", part, w.integers(rank)) for part in parts]
        return (w.layer("Subtract-1", *moved),)

    return _also(value, written)


def _chosen(value: str) -> Change:
    """The tensor where it is not 0, else a number, as its conversion to boolean says."""

    def written(w: Writing) -> tuple[str, ...]:
        is_there = w.layer("Convert-1", value, destination_type=boolean)
        return (w.layer("Select-1", is_there, value, w.number(-1)),)

    return _also(value, written)


def _also(value: str, write: Callable[[Writing], tuple[str, ...]]) -> Change:
    """The graph with layers that read a value, and what they give as results."""

    def changed(graph: AskedGraph) -> AskedGraph:
        writing = Writing(graph, Step(f"{value.replace(':', '_')}_r", "", (value,)))
        results = write(writing)
        fed = {**graph.fed, **writing.fed}
        return AskedGraph(fed, (*graph.steps, *writing.steps), (*graph.results, *results))

    return changed


# --- what else the model holds ------------------------------------------------------------------------------------


def _beside(evaluated: Evaluated) -> Levels:
    if evaluated.graph.of_variables:
        return
    yield BESIDE, "unknown", _with(Fed(f32, (2, 3), unknown=frozenset((0, 1))), "ReLU-1")
    if "FakeQuantize-1" not in evaluated.graph.operations:
        limits = {"low": ":-4", "high": ":4"}
        yield BESIDE, SWITCHES, _with(Fed(f32, (2, 3)), "FakeQuantize-1", limits)


def _with(fed: Fed, operation: str, limits: dict[str, str] | None = None) -> Change:
    """The graph with a layer that reads an input of its own, and is a result."""
    own = {_PREFIX + "x": fed}
    own |= {_PREFIX + n: Fed(f32, (), fill, is_constant=True) for n, fill in (limits or {}).items()}
    names = tuple(own)
    inputs = (names[0], *names[1:], *names[1:])
    attributes = {"levels": 256} if limits else {}
    step = Step(f"{_PREFIX}y", operation, inputs, attributes)

    def changed(graph: AskedGraph) -> AskedGraph:
        return AskedGraph({**graph.fed, **own}, (*graph.steps, step), (*graph.results, step.name))

    return changed
