"""Loop (page Loop-5)."""

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.axes import one_number
from reference.shared.graph import Evaluator, PlainGraph, Propagated, Value, evaluate_typed
from reference.shared.iteration import BackEdges, PortMap, iterate


def _outputs(
    evaluate: Evaluator,
    *inputs: np.ndarray | None,
    body: PlainGraph,
    port_map: PortMap,
    back_edges: BackEdges = (),
) -> list[Value]:
    if inputs[0] is None or inputs[1] is None:
        raise ValueError("Loop-5: trip_count and execution_condition are required")
    count = int(one_number(inputs[0], "Loop-5: trip_count"))
    goes_on = bool(one_number(inputs[1], "Loop-5: execution_condition"))
    values = [Value.exact(np.zeros(0) if each is None else each) for each in inputs]
    if not any(e.get("purpose") == "execution_condition" for e in port_map["outputs"]):
        raise ValueError("Loop-5: the body must give the condition of the next iteration")
    most = None if count == -1 else count
    return iterate("Loop-5", body, port_map, back_edges, values, evaluate, most, goes_on)


@implements("Loop-5", accuracy=Propagated(_outputs))
def loop(
    trip_count: np.ndarray,
    execution_condition: np.ndarray,
    *inputs: np.ndarray | None,
    body: PlainGraph,
    port_map: PortMap,
    back_edges: BackEdges = (),
) -> Arrays:
    """Run a body until trip_count iterations are done (-1: no limit) or a condition is false.

    The condition is execution_condition before the first iteration, then that of the body. trip_count and
    execution_condition are scalars or [1], and the inputs 0 and 1. ``body`` is a graph as ``reference.shared.graph``
    has it, ``port_map`` and ``back_edges`` are plain data as in ``reference.shared.iteration``. Raises ValueError for
    a body without a condition, an axis out of range, too few slices, and an output without a value.
    """
    return tuple(
        value.array
        for value in _outputs(
            evaluate_typed,
            trip_count,
            execution_condition,
            *inputs,
            body=body,
            port_map=port_map,
            back_edges=back_edges,
        )
    )
