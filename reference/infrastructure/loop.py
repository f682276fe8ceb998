"""Loop (page Loop-5)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call
from reference.shared.axes import normalize_axis, one_number
from reference.shared.graph import (
    Graph,
    Propagated,
    Value,
    evaluate_typed,
    evaluate_with_bounds,
    type_of,
)
from reference.shared.iteration import BackEdges, Entry, Evaluator, PortMap, iterate


def _outputs(
    inputs: Sequence[np.ndarray | None],
    evaluate: Evaluator,
    *,
    body: Graph | str,
    port_map: PortMap | None = None,
    back_edges: BackEdges = (),
    axis: int | None = None,
    output_axis: int | None = None,
) -> list[Value]:
    if isinstance(body, str):
        body, port_map, back_edges = _named(body, inputs, axis, output_axis)
    if port_map is None or inputs[0] is None or inputs[1] is None:
        raise ValueError("Loop-5: port_map, trip_count and execution_condition are required")
    count = int(one_number(inputs[0], "Loop-5: trip_count"))
    goes_on = bool(one_number(inputs[1], "Loop-5: execution_condition"))
    values = [Value.exact(np.zeros(0) if each is None else each) for each in inputs]
    most = None if count == -1 else count
    return iterate("Loop-5", body, port_map, back_edges, values, evaluate, most, goes_on)


def _with_bounds(call: Call) -> list[Value]:
    def evaluate(body: Graph, given: Mapping[str, Value]) -> list[Value]:
        return evaluate_with_bounds(body, given, call.device_precision)

    return _outputs(call.inputs, evaluate, **call.attributes)


@implements("Loop-5", accuracy=Propagated(_with_bounds))
def loop(
    trip_count: np.ndarray,
    execution_condition: np.ndarray,
    *inputs: np.ndarray | None,
    body: Graph | str,
    port_map: PortMap | None = None,
    back_edges: BackEdges = (),
    axis: int | None = None,
    output_axis: int | None = None,
) -> Arrays:
    """Run a body until trip_count iterations are done (-1: no limit) or a condition is false.

    The condition is execution_condition before the first iteration, then that of the body. trip_count and
    execution_condition are scalars or [1], and the inputs 0 and 1. ``body`` is a graph as ``reference.shared.graph``
    has it, ``port_map`` and ``back_edges`` are plain data as in ``reference.shared.iteration``. Raises ValueError for
    an axis out of range, too few slices, and an output without a value.
    """
    return tuple(
        value.array
        for value in _outputs(
            (trip_count, execution_condition, *inputs),
            evaluate_typed,
            body=body,
            port_map=port_map,
            back_edges=back_edges,
            axis=axis,
            output_axis=output_axis,
        )
    )


# --- bodies by name, for declarations that name them ------------------------------------------------------------------

_BODIES = (
    "accumulate",
    "add_whole",
    "collect",
    "count",
    "triangle",
    "triangle_i32",
    "until",
    "while_below",
    "with_outer",
)


def _named(
    body: str, inputs: Sequence[np.ndarray | None], axis: int | None, output_axis: int | None
) -> tuple[Graph, PortMap, BackEdges]:
    """One of ``_BODIES`` as a graph, with the port map and back edges of a layer with the inputs state and data."""
    if body not in _BODIES:
        raise ValueError(f"Loop-5: body must be one of {', '.join(_BODIES)}, got {body!r}")
    state = inputs[2]
    assert state is not None
    if state.ndim < 1:
        raise ValueError("Loop-5: state must have a dimension")
    if output_axis is not None:
        output_axis = normalize_axis(output_axis, state.ndim, "Loop-5: output_axis")
    kind = type_of(state)

    def convert(name: str) -> dict[str, object]:
        attributes = {"destination_type": _element_type(kind)}
        return {
            "name": f"{name}_",
            "operation": "Convert-1",
            "inputs": [name],
            "attributes": attributes,
            "types": [kind],
        }

    def add(name: str, *terms: str) -> dict[str, object]:
        return {"name": name, "operation": "Add-1", "inputs": terms}

    def below(name: str) -> dict[str, object]:
        return {"name": "is_below", "operation": "Less-1", "inputs": [name, "limit"]}

    has_data = body in ("accumulate", "add_whole", "collect", "until", "while_below")
    has_iteration = body in ("count", "triangle", "triangle_i32", "until", "with_outer")
    connected: list[Entry] = [
        {"port": 0, "parameter": "trip_count"},
        {"port": 1, "parameter": "go_on"},
        {"port": 2, "parameter": "state"},
    ]
    if has_data:
        sliced: Entry = {"port": 3, "parameter": "data"}
        if axis is not None and body in ("accumulate", "collect"):
            sliced["axis"] = axis
        connected.append(sliced)
    if has_iteration:
        number: Entry = {"purpose": "current_iteration", "parameter": "iteration"}
        connected.append(
            number | ({"element_type": "i32", "shape": []} if body == "triangle_i32" else {})
        )
    numbers = [convert("iteration"), add("new", "state", "iteration_")]
    outer = [
        convert("iteration"),
        convert("trip_count"),
        add("count", "iteration_", "trip_count_"),
        add("new", "state", "count"),
    ]
    plain = [add("new", "state", "data")]
    nodes = {
        "collect": [],
        "count": [],
        "triangle": numbers,
        "triangle_i32": numbers,
        "with_outer": outer,
        "until": [*plain, below("iteration")],
        "while_below": [*plain, below("new")],
    }.get(body, plain)
    last = {"collect": "data", "count": "state"}.get(body, "new")
    each = {"collect": "data", "count": "iteration"}.get(body, "new")
    condition = "is_below" if body in ("until", "while_below") else "true"
    limit = np.array([2], np.int64) if body == "until" else np.array([10]).astype(state.dtype)
    graph = {
        "parameters": [entry["parameter"] for entry in connected],
        "constants": {"true": np.array(True), "limit": limit},
        "nodes": nodes,
        "results": [last, each, condition],
    }
    joined: Entry = {"port": 1, "result": 1}
    if output_axis is not None:
        joined["axis"] = 0 if body == "count" else output_axis
    outputs: list[Entry] = [
        {"port": 0, "result": 0},
        joined,
        {"purpose": "execution_condition", "result": 2},
    ]
    return cast(Graph, graph), {"inputs": connected, "outputs": outputs}, [(0, "state")]


def _element_type(name: str) -> str:
    """The name of an element type as pages have it: ``i64`` for NumPy's ``int64``."""
    return re.sub(r"^(u?)int(\d+)$", lambda found: f"{found[1] or 'i'}{found[2]}", name)
