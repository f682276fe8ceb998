"""Iteration of a body: slices, concatenation, back edges and the end of the loop, by hand."""

import numpy as np
import pytest

from reference.shared.graph import Value, evaluate_typed
from reference.shared.iteration import iterate, iterations

DATA = np.arange(1, 9).reshape(2, 4)
COPY = {"parameters": ["part"], "results": ["part"]}


def run(body, inputs, outputs, *values, back_edges=(), most=None):
    port_map = {"inputs": inputs, "outputs": outputs}
    given = [Value.exact(np.asarray(value)) for value in values]
    if most is None:
        most = iterations("Loop", port_map, given)
    found = iterate("Loop", body, port_map, back_edges, given, evaluate_typed, most)
    return [value.array.tolist() for value in found]


def sliced(**entry):
    return [{"port": 0, "parameter": "part", "axis": 1, **entry}]


def joined(**entry):
    return [{"port": 0, "result": 0, "axis": 1, **entry}]


def test_slices_are_taken_and_concatenated_in_order():
    assert run(COPY, sliced(), joined(), DATA) == [DATA.tolist()]
    assert run(COPY, sliced(axis=-1), joined(axis=-1), DATA) == [DATA.tolist()]


def test_the_last_value():
    assert run(COPY, sliced(), [{"port": 0, "result": 0}], DATA) == [[[4], [8]]]


def test_start_end_and_stride():
    assert run(COPY, sliced(start=1), joined(), DATA) == [[[2, 3, 4], [6, 7, 8]]]
    assert run(COPY, sliced(end=2), joined(), DATA) == [[[1, 2, 3], [5, 6, 7]]]
    assert run(COPY, sliced(end=-2), joined(), DATA) == [[[1, 2, 3], [5, 6, 7]]]
    assert run(COPY, sliced(stride=2), joined(), DATA) == [[[1, 3], [5, 7]]]
    assert run(COPY, sliced(start=-3, end=-2), joined(), DATA) == [[[2, 3], [6, 7]]]


def test_backward_iteration():
    backward = sliced(start=-1, end=0, stride=-1)
    assert run(COPY, backward, joined(), DATA) == [[[4, 3, 2, 1], [8, 7, 6, 5]]]
    assert run(COPY, backward, joined(stride=-1), DATA) == [DATA.tolist()]
    assert run(COPY, sliced(start=-1, end=1, stride=-2), joined(), DATA) == [[[4, 2], [8, 6]]]


def test_back_edges_and_outputs_in_the_order_of_their_ports():
    body = {
        "parameters": ["state", "part"],
        "nodes": [{"name": "sum", "operation": "Add-1", "inputs": ["state", "part"]}],
        "results": ["sum"],
    }
    inputs = [{"port": 1, "parameter": "state"}, *sliced()]
    outputs = [{"port": 1, "result": 0}, *joined()]
    assert run(body, inputs, outputs, DATA, [[0], [0]], back_edges=[(0, "state")]) == [
        [[1, 3, 6, 10], [5, 11, 18, 26]],
        [[10], [26]],
    ]


@pytest.mark.parametrize("shape, expected", [([], [0, 1, 2]), ([1], [[0], [1], [2]])])
def test_the_iteration_number(shape, expected):
    counter = {"purpose": "current_iteration", "parameter": "i", "shape": shape}
    body = {
        "parameters": ["i"],
        "constants": {"axes": np.array(0), "limit": np.array(2)},
        "nodes": [
            {"name": "row", "operation": "Unsqueeze-1", "inputs": ["i", "axes"]},
            {"name": "on", "operation": "Less-1", "inputs": ["i", "limit"]},
        ],
        "results": ["row", "on"],
    }
    outputs = [
        {"port": 0, "result": 0, "axis": 0},
        {"purpose": "execution_condition", "result": 1},
    ]
    assert run(body, [counter], outputs, most=10) == [expected]


def test_no_iteration():
    body = {"parameters": ["state", "part"], "results": ["state", "part"]}
    inputs = [{"port": 1, "parameter": "state"}, *sliced()]
    outputs = [{"port": 0, "result": 0}, {"port": 1, "result": 1, "axis": 1}]
    edges = [(0, "state")]
    assert run(body, inputs, outputs, DATA, [7], back_edges=edges, most=0) == [[7], [[], []]]
    with pytest.raises(ValueError, match="Loop: without an iteration there is no last value"):
        run(COPY, sliced(), [{"port": 0, "result": 0}], DATA, most=0)


def test_slices_must_suffice():
    with pytest.raises(ValueError, match="Loop: there must be a slice for each iteration"):
        run(COPY, sliced(), joined(), DATA, most=5)
    with pytest.raises(ValueError, match="Loop: slices must be in a dimension of 4"):
        run(COPY, sliced(start=-7), joined(), DATA)
    with pytest.raises(ValueError, match=r"Loop: axis must be in \[-2, 2\), got 2"):
        run(COPY, sliced(axis=2), joined(), DATA)


@pytest.mark.parametrize(
    ("edge", "why"),
    [
        ((9, "x"), "from results to parameters"),
        ((0, "nowhere"), "from results to parameters"),
        ((1, "x"), "of one type"),
    ],
)
def test_back_edges_lead_from_results_to_parameters_of_their_type(edge, why):
    less = {"name": "less", "operation": "Less-1", "inputs": ["x", "x"], "types": ["bool"]}
    body = {"parameters": ["x"], "nodes": [less], "results": ["x", "less"]}
    port_map = {"inputs": [{"port": 0, "parameter": "x"}], "outputs": [{"port": 0, "result": 0}]}
    with pytest.raises(ValueError, match=why):
        iterate("Loop-5", body, port_map, [edge], [Value.exact(np.ones(2))], evaluate_typed, 2)
