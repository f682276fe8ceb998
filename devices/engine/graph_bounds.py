"""What a graph should give: its results with bounds that are carried from layer to layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_models import catalog
from ir_models.graphs import Evaluated, GraphCase, Step
from ir_models.graphs.evaluation import arguments, is_read
from ir_models.vocabulary.graph import type_name
from reference import Expected, Value, bounded, coarsens
from reference.accuracy import PRECISIONS, Sum
from reference.accuracy.registry import accuracies

# What a device may multiply into a sum in front of it.
_FACTORS = ("factor", "quotient")


def expected_by_inference(
    case: GraphCase, graphs: Sequence[Evaluated], computed_in: str, *, reordered: bool = False
) -> list[list[Expected]]:
    """The results of a case's graph at each inference; variables keep their bounds from one to the next."""
    found = []
    variables: dict[str, Value] = {}
    for number, graph in enumerate(graphs):
        if case.turns and case.turns[number].before:
            variables.clear()
        asked = computed_in, variables
        found.append(expected_results(graph, *asked, reordered=reordered))
    return found


def expected_results(
    graph: Evaluated,
    computed_in: str,
    variables: dict[str, Value] | None = None,
    *,
    reordered: bool = False,
) -> list[Expected]:
    """The results of a graph with bounds carried from layer to layer.

    Raises what a reference raises, and ValueError where the shape of a result follows from values that no page
    defines.

    ``computed_in`` is the precision that the device says it computes in. ``reordered``: each term of a sum may be
    rounded as often as a factor stands behind the sum, and once at least: so it is where a device multiplies factors
    into a sum whose terms cancel.
    ``variables`` are what those hold that an earlier inference has set, and then what this one sets.
    """
    held, assigned = graph.graph.of_variables, dict[str, Value]()
    known: dict[str, Value] = {
        name: Value.exact(graph.arrays[name], type_name(fed.element_type))
        for name, fed in graph.graph.fed.items()
    }
    for step in graph.graph.steps:
        if step in held:
            name = step.attributes["variable_id"]
            if is_read(step):
                known[step.name] = _read(graph, step, known, (variables or {}).get(name))
            else:
                assigned[name] = known[step.inputs[0]]
            continue
        is_sum = reordered and _is_sum(step.operation, len(graph.outputs(step)))
        times = _factors_behind(graph, step) if is_sum else 0
        given = {n: _rounded(v, times) for n, v in known.items()} if is_sum else known
        found = _carried(graph, step, given, computed_in)
        if is_sum and any(v.bound is not None and np.isinf(v.bound).any() for v in found):
            found = _carried(graph, step, known, computed_in)
        known.update(zip(graph.outputs(step), found, strict=True))
    if variables is not None:
        variables.update(assigned)
    undefined = [value for value in graph.graph.results if known[value].any_shape]
    if undefined:
        raise ValueError(
            f"the shape of {undefined[0]} follows from values that the specification does not define"
        )
    return [_expected(known[value]) for value in graph.graph.results]


def _read(graph: Evaluated, step: Step, known: dict[str, Value], held: Value | None) -> Value:
    """What a variable holds: what was set, else the initial value, else zeros."""
    if held is not None:
        return held
    if step.inputs:
        return known[step.inputs[0]]
    return Value.exact(graph.arrays[step.name], type_name(graph.tensors[step.name].element_type))


def _is_sum(name: str, outputs: int) -> bool:
    """Whether an operation adds terms into which a device may multiply a factor: as Add does, and a convolution."""
    is_of_products = any(isinstance(kind, Sum) for kind in accuracies(name, outputs))
    return is_of_products or catalog.operation(name).algebra == "sum"


def _carried(
    graph: Evaluated, step: Step, known: dict[str, Value], computed_in: str
) -> Sequence[Value]:
    layer = graph.layers[step.name]
    types = [graph.tensors[name].element_type for name in graph.outputs(step)]
    inputs = [known[value] if value else None for value in step.inputs]
    # A device that flushes what is tiny goes on with zero.
    inputs = [None if value is None else _flushed(value) for value in inputs]
    names = [kind.name for kind in types]
    stated = computed_in if coarsens(computed_in, names) else ""
    return bounded(
        step.operation, inputs, arguments(layer), [type_name(kind) for kind in types], stated
    )


def _factors_behind(graph: Evaluated, step: Step) -> int:
    """How many layers by which a product is made read what a layer gives, directly or not; 1 at least."""
    behind, found = {*graph.outputs(step)}, 0
    for each in graph.graph.steps:
        if not behind.isdisjoint(each.inputs):
            behind.update(graph.outputs(each))
            found += catalog.operation(each.operation).algebra in _FACTORS
    return max(found, 1)


def _rounded(value: Value, times: int) -> Value:
    """A value with the error of so many roundings of products of it to its type."""
    own = PRECISIONS.get(value.type)
    if own is None or own.name == "f64":
        return value
    exact = value.array.astype(np.float64)
    # Not half an ulp of the value alone: a product may be where ulps are as large again.
    largest = np.maximum(own.half_ulp(exact), own.unit * np.abs(exact))
    error = np.where((exact != 0) & np.isfinite(exact), times * largest, 0.0)
    bound = error if value.bound is None else value.bound + error
    return Value(value.array, value.type, bound, value.quality, value.flush)


def _flushed(value: Value) -> Value:
    if not value.flush or value.bound is None or value.array.dtype.kind != "f":
        return value
    return Value(value.array, value.type, value.bound + value.flush, value.quality, value.flush)


def _expected(value: Value) -> Expected:
    """A value of a graph as an expected result.

    Zeros of both signs are equal: where layers are joined, the sign of a zero may get lost.
    """
    if value.bound is None and value.array.dtype.kind == "f":
        return Expected(value.array, np.zeros(()), np.zeros(()), value.flush)
    return Expected(value.array, value.bound, value.quality, value.flush)
