"""Values worked by hand from the page TensorIterator-1."""

import numpy as np
import pytest

from ir_models import select
from reference import lookup

(OPERATION,) = select(["TensorIterator-1"])
DATA = np.array([1, 10, 100, 1000], np.float32)
STATE = np.array([5], np.float32)


def iterated(*inputs, body="accumulate", **more):
    """The outputs as lists, for slices of data along axis 0."""
    names = ("data", "state", "cell")
    shapes = {name: list(each.shape) for name, each in zip(names, inputs, strict=False)}
    layer = OPERATION.layer(**shapes, body=body, **{"axis": 0, "output_axis": 0, **more})
    outputs = lookup("TensorIterator-1")(*inputs, **layer.arguments())
    return [each.tolist() for each in outputs]


def test_the_state_is_carried_and_all_values_are_joined():
    assert iterated(DATA, STATE) == [[1116], [6, 16, 116, 1116]]


def test_without_a_back_edge_the_state_stays():
    assert iterated(DATA, STATE, body="add_whole") == [[1005], [6, 15, 105, 1005]]


def test_backwards():
    back = {"start": -1, "end": 0, "stride": -1}
    assert iterated(DATA, STATE, **back) == [[1116], [1005, 1105, 1115, 1116]]
    assert iterated(DATA, STATE, output_stride=-1) == [[1116], [1116, 116, 16, 6]]
    assert iterated(DATA, body="collect", **back, output_stride=-1) == [[1], [1, 10, 100, 1000]]


def test_start_and_end_are_both_included():
    assert iterated(DATA, STATE, start=1, end=2) == [[115], [15, 115]]
    assert iterated(DATA, STATE, start=-2) == [[1105], [105, 1105]]
    assert iterated(DATA, STATE, stride=2) == [[106], [6, 106]]


def test_two_states_are_carried_each_by_its_edge():
    # new = state + cell + slice: 5+2+1, 8+5+10, 23+8+100, 131+23+1000.
    cell = np.array([2], np.float32)
    assert iterated(DATA, STATE, cell, body="two_states") == [[1154], [8, 23, 131, 1154]]


def test_without_an_axis_the_last_value_is_given():
    assert iterated(DATA, STATE, output_axis=None) == [[1116], [1116]]


@pytest.mark.parametrize("changes", [{"start": 4}, {"end": -5}])
def test_slices_outside_are_refused(changes):
    with pytest.raises(ValueError, match="TensorIterator-1"):
        iterated(DATA, STATE, **changes)
