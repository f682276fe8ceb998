"""TensorIterator (page TensorIterator-1)."""

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.graph import Evaluator, PlainGraph, Propagated, Value, evaluate_typed
from reference.shared.iteration import BackEdges, PortMap, iterate, iterations


def _outputs(
    evaluate: Evaluator,
    *inputs: np.ndarray | None,
    body: PlainGraph,
    port_map: PortMap,
    back_edges: BackEdges = (),
) -> list[Value]:
    values = [Value.exact(np.zeros(0) if each is None else each) for each in inputs]
    most = iterations("TensorIterator-1", port_map, values)
    if not most:
        raise ValueError(
            "TensorIterator-1: an input must be cut into slices, which end the iteration"
        )
    return iterate("TensorIterator-1", body, port_map, back_edges, values, evaluate, most)


@implements("TensorIterator-1", accuracy=Propagated(_outputs))
def tensor_iterator(
    *inputs: np.ndarray | None, body: PlainGraph, port_map: PortMap, back_edges: BackEdges = ()
) -> Arrays:
    """Run a body once for each slice of the inputs that have an axis.

    ``body`` is a graph as ``reference.shared.graph`` has it, ``port_map`` and ``back_edges`` are plain data as in
    ``reference.shared.iteration``. Raises ValueError for an axis or a slice out of range and without any slice.
    """
    outputs = _outputs(evaluate_typed, *inputs, body=body, port_map=port_map, back_edges=back_edges)
    return tuple(value.array for value in outputs)
