"""If (page If-8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call
from reference.shared.axes import one_number
from reference.shared.graph import (
    Graph,
    Propagated,
    Value,
    evaluate_typed,
    evaluate_with_bounds,
    type_of,
)
from reference.shared.iteration import PortMap

_Evaluator = Callable[[Graph, dict[str, Value]], Sequence[Value]]


def _outputs(
    body: Graph, port_map: PortMap, inputs: Sequence[np.ndarray | None], evaluate: _Evaluator
) -> list[Value]:
    """The outputs of the layer, if this body is executed. ``inputs`` are all inputs of the layer."""
    given = {}
    for entry in port_map["inputs"]:
        array = inputs[entry["port"]]
        if array is None:
            raise ValueError(f"If-8: input {entry['port']}, which a body takes, is left out")
        given[entry["parameter"]] = Value.exact(array)
    results = evaluate(body, given)
    connected = sorted(port_map["outputs"], key=lambda entry: entry["port"])
    return [results[entry["result"]] for entry in connected]


def _with_bounds(call: Call) -> list[Value]:
    def evaluate(body: Graph, given: dict[str, Value]) -> list[Value]:
        return evaluate_with_bounds(body, given, call.device_precision)

    branch = "then" if call.reals(0).reshape(()) else "else"
    body, port_map = (call.attributes.get(f"{branch}_{part}") for part in ("body", "port_map"))
    inputs, ((body, port_map),) = _named(call.inputs, (body, port_map))
    return _outputs(body, port_map, inputs, evaluate)


@implements("If-8", accuracy=Propagated(_with_bounds))
def if_(
    cond: np.ndarray,
    *inputs: np.ndarray | None,
    then_body: Graph | str,
    else_body: Graph | str,
    then_port_map: PortMap | None = None,
    else_port_map: PortMap | None = None,
) -> Arrays:
    """The outputs of ``then_body`` where ``cond`` (a scalar or [1]) is true, else those of ``else_body``.

    The bodies are graphs as ``reference.shared.graph`` has them, the port maps plain data as in
    ``reference.shared.iteration``, without axes; cond is the input 0. Raises ValueError for bodies whose outputs differ
    in number or type, and for a condition that is not one element.
    """
    chosen = bool(one_number(cond, "If-8: cond"))
    given, bodies = _named((cond, *inputs), (then_body, then_port_map), (else_body, else_port_map))
    then, other = (_outputs(body, port_map, given, evaluate_typed) for body, port_map in bodies)
    if len(then) != len(other):
        raise ValueError(f"If-8: the bodies have {len(then)} and {len(other)} outputs")
    if [value.type for value in then] != [value.type for value in other]:
        raise ValueError("If-8: outputs of the bodies have different types")
    return tuple(value.array for value in (then if chosen else other))


# --- bodies by name, for declarations that name them ------------------------------------------------------------------


def _node(name: str, operation: str, *inputs: str) -> dict[str, object]:
    return {"name": name, "operation": operation, "inputs": inputs}


_SUM, _DIFFERENCE = _node("sum", "Add-1", "x", "y"), _node("difference", "Subtract-1", "x", "y")
_LESS, _GREATER = _node("less", "Less-1", "x", "y"), _node("greater", "Greater-1", "x", "y")
# The nodes and the results.
_BODIES: dict[str, tuple[list[dict[str, object]], list[str]]] = {
    "first": ([], ["x"]),
    "second": ([], ["y"]),
    "add": ([_SUM], ["sum"]),
    "subtract": ([_DIFFERENCE], ["difference"]),
    "add_z": ([_node("sum", "Add-1", "x", "z")], ["sum"]),
    "concat": ([_node("joined", "Concat-1", "x", "y") | {"attributes": {"axis": 0}}], ["joined"]),
    "less": ([_LESS], ["less"]),
    "greater": ([_GREATER], ["greater"]),
    "convert_z": ([_node("converted", "Convert-1", "z")], ["converted"]),
    "constant": ([], ["numbers"]),
    "sum_and_less": ([_SUM, _LESS], ["sum", "less"]),
    "difference_and_greater": ([_DIFFERENCE, _GREATER], ["difference", "greater"]),
    "swap": ([], ["y", "x"]),
    "keep": ([], ["x", "y"]),
}


def _named(
    inputs: Sequence[np.ndarray | None], *bodies: tuple[Graph | str | None, PortMap | None]
) -> tuple[list[np.ndarray | None], list[tuple[Graph, PortMap]]]:
    """The inputs, and bodies with their port maps; a body may be one of ``_BODIES``, of the inputs x, y and z."""
    x = inputs[1]
    assert x is not None
    given: list[np.ndarray | None] = [
        x if values is None else values for values in [*inputs, None, None][:4]
    ]
    found: list[tuple[Graph, PortMap]] = []
    for body, port_map in bodies:
        if not isinstance(body, str):
            if body is None or port_map is None:
                raise ValueError("If-8: bodies must have port maps")
            found.append((body, port_map))
            continue
        if body not in _BODIES:
            raise ValueError(f"If-8: a body must be one of {', '.join(_BODIES)}, got {body!r}")
        nodes, results = _BODIES[body]
        numbers = np.arange(1, x.size + 1).reshape(x.shape).astype(x.dtype)
        convert = {"attributes": {"destination_type": type_of(x)}, "types": [type_of(x)]}
        graph = {
            "parameters": ["x", "y", "z"],
            "constants": {"numbers": numbers},
            "nodes": [node | convert if node["name"] == "converted" else node for node in nodes],
            "results": results,
        }
        connected = {
            "inputs": [{"port": port, "parameter": name} for port, name in enumerate("xyz", 1)],
            "outputs": [{"port": port, "result": port} for port in range(len(results))],
        }
        found.append((cast(Graph, graph), cast(PortMap, connected)))
    is_named = any(isinstance(body, str) for body, _ in bodies)
    return (given if is_named else list(inputs)), found
