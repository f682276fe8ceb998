"""If (page If-8)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.axes import one_number
from reference.shared.graph import Evaluator, PlainGraph, Propagated, Value, evaluate_typed
from reference.shared.iteration import PortMap


def _outputs(
    body: PlainGraph, port_map: PortMap, inputs: Sequence[np.ndarray | None], evaluate: Evaluator
) -> list[Value]:
    """The outputs of the layer, if this body is executed. ``inputs`` are all inputs of the layer."""
    given = {}
    for entry in port_map["inputs"]:
        array = inputs[entry["port"]] if entry.get("port", len(inputs)) < len(inputs) else None
        if array is None:
            raise ValueError(
                f"If-8: the input {entry['parameter']}, which a body takes, is left out"
            )
        given[entry["parameter"]] = Value.exact(array)
    results = evaluate(body, given)
    ports = sorted(entry["port"] for entry in port_map["outputs"])
    if not ports or ports != [*range(len(ports))]:
        raise ValueError(f"If-8: the outputs of the layer are not those of a body, {ports}")
    ordered = sorted(port_map["outputs"], key=lambda entry: entry["port"])
    return [results[entry["result"]] for entry in ordered]


def _held_as(value: Value) -> str:
    """The element type, as far as the array of an input tells it: the levels of nf4 are numbers of f32."""
    return "f32" if value.type == "nf4" else value.type


def _chosen(
    evaluate: Evaluator, cond: np.ndarray, *inputs: np.ndarray | None, **parts: Any
) -> list[Value]:
    branch = "then" if cond.reshape(()) else "else"
    body, port_map = (parts[f"{branch}_{part}"] for part in ("body", "port_map"))
    return _outputs(body, port_map, (cond, *inputs), evaluate)


@implements("If-8", accuracy=Propagated(_chosen))
def if_(
    cond: np.ndarray,
    *inputs: np.ndarray | None,
    then_body: PlainGraph,
    else_body: PlainGraph,
    then_port_map: PortMap,
    else_port_map: PortMap,
) -> Arrays:
    """The outputs of ``then_body`` where ``cond`` (a scalar or [1]) is true, else those of ``else_body``.

    The bodies are graphs as ``reference.shared.graph`` has them, the port maps plain data as in
    ``reference.shared.iteration``, without axes; cond is the input 0. Raises ValueError for bodies whose outputs differ
    in number or type, and for a condition that is not one element.
    """
    chosen = bool(one_number(cond, "If-8: cond"))
    bodies = ((then_body, then_port_map), (else_body, else_port_map))
    then, other = (
        _outputs(body, port_map, (cond, *inputs), evaluate_typed) for body, port_map in bodies
    )
    if len(then) != len(other):
        raise ValueError(f"If-8: the bodies have {len(then)} and {len(other)} outputs")
    if [_held_as(value) for value in then] != [_held_as(value) for value in other]:
        raise ValueError("If-8: outputs of the bodies have different types")
    return tuple(value.array for value in (then if chosen else other))
