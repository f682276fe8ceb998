"""Loop: each body by hand, and when a loop ends."""

import numpy as np
import pytest

from ir_models.catalog import operation
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from reference import answer, compare, lookup

NAME = "Loop-5"
loop = lookup(NAME)

DATA = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]], np.float32)
STATE = np.array([[0.5], [0.25]], np.float32)


def given(array):
    kind = next(kind for kind in ELEMENT_TYPES.values() if kind.dtype == array.dtype)
    return kind[array.shape]


def graph(state=STATE, data=None, **attributes):
    """The body that the declaration has under a name, with its port map, for a layer with such inputs."""
    inputs = {"state": given(state), "data": None if data is None else given(data)}
    layer = operation(NAME).layer(trip_count=1, execution_condition=True, **inputs, **attributes)
    return layer.arguments()


def run(trip_count, condition=True, state=STATE, data=None, **attributes):
    state = np.array(state)
    inputs = (np.array(trip_count), np.array(condition), state, data)
    return [output.tolist() for output in loop(*inputs, **graph(state, data, **attributes))]


def test_slices_are_taken_in_order_and_what_comes_is_joined():
    assert run(3, data=DATA, body="accumulate", axis=1, output_axis=1) == [
        [[6.5], [60.25]],
        [[1.5, 3.5, 6.5], [10.25, 30.25, 60.25]],
    ]
    last, each = run(2, data=DATA, body="accumulate", axis=-1, output_axis=0)
    assert last == [[3.5], [30.25]]
    assert each == [[1.5], [10.25], [3.5], [30.25]]


def test_without_an_axis_the_last_one_is_given():
    assert run(2, data=DATA, body="accumulate", axis=1) == [[[3.5], [30.25]]] * 2


def test_slices_may_only_be_moved():
    words = np.array([["a", "b"], ["c", "d"]], object)
    state = np.array([["x", "y"]], object)
    assert run(2, state=state, data=words, body="collect", axis=0, output_axis=1) == [
        [["c", "d"]],
        [["a", "b", "c", "d"]],
    ]


def test_what_is_not_sliced_is_the_same_each_time():
    last, each = run(3, state=[1], data=np.array([2]), body="add_whole", output_axis=0)
    assert (last, each) == ([7], [3, 5, 7])


@pytest.mark.parametrize("body", ["triangle", "triangle_i32"])
def test_iterations_count_from_0(body):
    assert run(4, state=[10], body=body, output_axis=0) == [[16], [10, 11, 13, 16]]
    assert run(4, state=[10], body="count", output_axis=0) == [[10], [0, 1, 2, 3]]


def test_the_body_may_take_trip_count():
    assert run(3, state=[0], body="with_outer", output_axis=0) == [[12], [3, 7, 12]]


def test_nothing_runs():
    for count, condition in ((0, True), (3, False), (0, False), (-1, False)):
        last, each = loop(
            np.array(count),
            np.array(condition),
            STATE,
            DATA,
            **graph(data=DATA, body="accumulate", axis=1, output_axis=1),
        )
        assert np.array_equal(last, STATE)
        assert each.shape == (2, 0)


@pytest.mark.parametrize("count, steps", [(-1, 3), (2, 2), (3, 3), (10, 3)])
def test_the_body_ends_the_loop_or_trip_count_does(count, steps):
    last, each = run(count, state=[0], data=np.array([5]), body="until", output_axis=0)
    assert each == [5, 10, 15][:steps]
    assert last == [5 * steps]


@pytest.mark.parametrize("count, each", [(-1, [4, 7, 10]), (2, [4, 7]), (10, [4, 7, 10])])
def test_the_condition_may_be_about_data(count, each):
    found = run(count, state=[1], data=np.array([3]), body="while_below", output_axis=0)
    assert found == [each[-1:], each]


def test_a_state_is_carried_in_its_type():
    last, _ = run(3, state=np.array([120], np.int8), data=np.array([5], np.int8), body="add_whole")
    assert last == [-121]


def test_errors_may_grow_with_the_iterations():
    # No sum of these is a number of f32, which would have no error.
    inputs = [np.array(3), np.array(True), STATE + np.float32(0.1), DATA]
    attributes = {"data": DATA, "axis": 1, "output_axis": 1}
    last, each = answer(NAME, inputs, graph(**attributes, body="accumulate"), ["f32", "f32"])
    right = last.value.astype(np.float32)
    assert compare(last, right).wrong == 0
    assert compare(last, right * np.float32(1 + 2.0**-23)).wrong == 0
    assert compare(last, right * np.float32(1 + 2.0**-18)).wrong == 2
    assert compare(each, np.flip(each.value).astype(np.float32)).wrong == 6
    moved = answer(NAME, inputs, graph(**attributes, body="collect"), ["f32", "f32"])
    assert [output.bound for output in moved] == [None, None]


@pytest.mark.parametrize(
    "layer, attributes, message",
    [
        (
            ([3, 3],),
            {"body": "count"},
            r"trip_count must be one number, a scalar or of shape \[1\], got shape \[2\]",
        ),
        ((3, [True, False]), {"body": "count"}, "execution_condition must be one number"),
        (
            (3, True, STATE, DATA),
            {"body": "accumulate", "axis": 2},
            r"axis must be in \[-2, 2\), got 2",
        ),
        ((3,), {"body": "triangle", "output_axis": -3}, "axis must be in .*, got -3"),
        (
            (4, True, STATE, DATA),
            {"body": "accumulate", "axis": 1},
            "a slice for each iteration, there are 3",
        ),
        ((0,), {"body": "count"}, "without an iteration there is no last value"),
    ],
)
def test_rules(layer, attributes, message):
    with pytest.raises(ValueError, match=message):
        run(*layer, **attributes)


def test_a_sum_that_leaves_its_type_on_the_way_may_be_anything():
    inputs = [np.array(2), np.array(True), np.array([100], np.int8)]
    inputs.append(np.array([100, -100], np.int8))
    attributes = graph(*inputs[2:], body="accumulate", axis=0, output_axis=0)
    last, _ = answer(NAME, inputs, attributes, ["i8", "i8"])
    assert last.value.tolist() == [100]
    assert compare(last, np.array([27], np.int8)).wrong == 0
    inputs[3] = np.array([10, -10], np.int8)
    last, _ = answer(NAME, inputs, attributes, ["i8", "i8"])
    assert compare(last, np.array([100], np.int8)).wrong == 0
    assert compare(last, np.array([101], np.int8)).wrong == 1
