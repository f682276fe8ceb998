"""Layers between conversions to a narrow type and back, which optimizers take for none."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from ir_models.drawing.grown import grown_operations
from ir_models.drawing.rows import plain
from ir_models.graphs import AskedGraph, GraphError, Step, evaluate
from ir_models.graphs.growing import begun
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ELEMENT_TYPES, f32
from ir_models.vocabulary.operation import Operation

# Layers of a batch.
LAYERS = 20
_BETWEEN = ("activation", "arithmetic", "comparison", "movement", "shape", "matrix", "reduction")
_NARROW = ("f16", "i64", "i32", "i8", "u8")


@cache
def conversion() -> Operation:
    """The operation that converts to a type that it names."""
    return next(
        each
        for each in grown_operations()
        if any(attribute.name == "destination_type" for attribute in each.attributes)
    )


@cache
def between() -> tuple[Operation, ...]:
    """The operations that stand between conversions."""
    return tuple(each for each in grown_operations() if each.category in _BETWEEN)


def conversion_batch(seed: int, number: int, operations: Sequence[str] = ()) -> list[AskedGraph]:
    """The graphs of a batch, the same on every machine; after all operations they are drawn anew."""
    wanted = {*operations} - {conversion().name}
    chosen = [each for each in between() if not wanted or each.name in wanted]
    if not chosen:
        return []
    places = range(number * LAYERS, (number + 1) * LAYERS)
    return [graph for place in places for graph in graphs_of(seed, place, chosen)]


def graphs_of(seed: int, place: int, chosen: Sequence[Operation]) -> Iterator[AskedGraph]:
    """One layer between conversions to each narrow type and back."""
    operation = chosen[place % len(chosen)]
    draw = Draw(random.Random(f"conversions/{seed}/{operation.name}/{place // len(chosen)}"))
    first = begun(operation, draw)
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
            Step("n0", conversion().name, step.inputs[:1], {"destination_type": kind}),
            step.reading(step.inputs[0], "n0"),
            Step("n2", conversion().name, (step.name,), {"destination_type": f32}),
        )
        graph = AskedGraph(fed, steps, ("n2",))
        with suppress(GraphError):
            evaluate(graph)
            yield graph
