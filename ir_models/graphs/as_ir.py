"""Writes graphs as IR: one model of graphs that share nothing but the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ir_models.graphs.evaluation import Evaluated
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Parameter
from ir_models.writing.network import IR, Fed, Writer

# What names of a model of several graphs begin with.
_PREFIX = "c{}."

Place = tuple[int, str]
"""The position of a graph in a model, and a name in the graph."""


def write(graphs: Sequence[Evaluated]) -> IR[Place, Place]:
    """One model of these graphs."""
    model: Writer[Place, Place] = Writer()
    for place, graph in enumerate(graphs):
        _write(model, place, graph, "" if len(graphs) == 1 else _PREFIX.format(place))
    return model.finish("graphs")


def _write(model: Writer[Place, Place], place: int, evaluated: Evaluated, prefix: str) -> None:
    graph = evaluated.graph
    known: dict[str, Fed] = {}
    for name, fed in graph.fed.items():
        full = prefix + name
        dims = [-1 if axis in fed.unknown else size for axis, size in enumerate(fed.shape)]
        if fed.is_constant:
            value = model.constant(full, fed.tensor, evaluated.arrays[name])
        else:
            value = model.parameter(full, fed.element_type, dims)
            model.parameters[full] = place, name
        known[name] = value, dims
    for step in graph.steps:
        names = evaluated.outputs(step)
        kinds = [evaluated.tensors[name].element_type for name in names]
        given = [known[each] if each else None for each in step.inputs]
        values = model.step(step, given, kinds, prefix)
        known |= {name: (value, None) for name, value in zip(names, values, strict=True)}
        layer = evaluated.layers[step.name]
        if layer.operation.bodies:
            ids = range(len(step.inputs) + len(names))
            ends = ids[: len(step.inputs)], ids[len(step.inputs) :]
            model.bodies(model.layers[-1], layer, *ends, partial(_dims_inside, evaluated))
        model.tested[prefix + step.name] = place, step.name
    for number, name in enumerate(graph.results):
        full = f"{prefix}result{number}"
        model.result(full, known[name][0])
        model.results[full] = place, name


def _dims_inside(
    evaluated: Evaluated, parameter: Parameter, outside: Tensor | None
) -> Sequence[int]:
    """The dimensions that a body states: none is known where the model does not know all of what it is given."""
    is_fixed = outside is None or outside.value is not None or not evaluated.graph.has_unknown
    return parameter.tensor.shape if is_fixed else [-1] * parameter.tensor.rank
