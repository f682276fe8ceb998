"""A case of the corpus as a graph of one layer, so that it can be shrunk."""

from __future__ import annotations

from dataclasses import fields

import ir_models
from devices.questions import prepare
from ir_models.graphs import AskedGraph, Fed, GraphError, Step
from ir_models.graphs.evaluation import explicit

# Ways of asking that a graph as text has; what else a case has is no part of it.
_KEPT = ("values", "data", "constant", "shape", "index")
# Elements of all inputs: each value stands in the text.
_MOST = 20_000


def graph_of_case(case_id: str, seed: int = 0) -> AskedGraph:
    """The graph of a case with its values. Raises CaseIdError, UnknownOperationError, GraphError."""
    case = ir_models.parse(case_id)
    operation = case.operation
    if case.is_invalid:
        raise GraphError("a layer that is not valid must be refused, and is not shrunk")
    if operation.bodies or operation.role or operation.partner or operation.keeps_state:
        raise GraphError(
            f"{operation.name} has a body or a state, or is no layer that computes: it is not shrunk"
        )
    others = [f.name for f in fields(case.how) if f.name not in _KEPT and getattr(case.how, f.name)]
    if others or case.how.index == "computed":
        raise GraphError(
            f"a case is shrunk as a layer alone; this one is about {', '.join(others) or 'index'}"
        )
    arrays = prepare(case, seed).inputs[0]
    if sum(0 if each is None else each.size for each in arrays) > _MOST:
        raise GraphError(f"a case of more than {_MOST:,} elements is not shrunk")
    fed: dict[str, Fed] = {}
    inputs: list[str] = []
    for (name, tensor), array in zip(case.layer.ports(), arrays, strict=True):
        if tensor is None or array is None:
            inputs.append("")
            continue
        if tensor.element_type.kind == "string":
            raise GraphError("a case with strings is not shrunk")
        is_known = case.has_known_shape(name, tensor)
        fed[name] = Fed(
            tensor.element_type,
            array.shape,
            explicit(array),
            case.feeds_constant(name, tensor),
            frozenset() if is_known else frozenset(range(array.ndim)),
        )
        inputs.append(name)
    step = Step("y", operation.name, tuple(inputs), dict(case.layer.attributes))
    count = len(operation.output_types(case.layer))
    results = ("y", *(f"y:{place}" for place in range(1, count)))
    return AskedGraph(fed, (step,), results)
