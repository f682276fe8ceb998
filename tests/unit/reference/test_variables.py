"""Values worked by hand from the pages ReadValue-3, ReadValue-6, Assign-3 and Assign-6."""

import numpy as np
import pytest

from ir_models import select
from reference import answer, lookup

IDS = {"variable_id": "v"}
OF_6 = {"variable_id": "v", "variable_type": "f32", "variable_shape": (2,)}
INIT, ONE, TWO = (np.array(values, np.float32) for values in ([1, 2], [10, 20], [300, 400]))


def updates(name, update):
    """The graph of an update as plain data."""
    (operation,) = select([name])
    shapes = {"init_value": [2], "new_value": [2], "update": update, "variable_id": "v"}
    more = {} if name.endswith("3") else {"variable_type": "f32", "variable_shape": [2]}
    return operation.layer(**shapes, **more).arguments()["update"]


def read(name, *inputs, update="add", **more):
    attributes = (IDS if name.endswith("3") else OF_6) | {"update": updates(name, update)} | more
    return [each.value.tolist() for each in answer(name, inputs, attributes)]


@pytest.mark.parametrize("name", ["ReadValue-3", "ReadValue-6"])
def test_the_first_inference_reads_init_value(name):
    assert read(name, INIT, ONE) == [[1, 2]]


@pytest.mark.parametrize("name", ["ReadValue-3", "ReadValue-6"])
def test_later_inferences_read_what_was_assigned(name):
    assert read(name, INIT, TWO, earlier=[[INIT, ONE]]) == [[11, 22]]
    assert read(name, INIT, ONE, earlier=[[INIT, ONE], [INIT, TWO]]) == [[311, 422]]
    assert read(name, INIT, ONE, earlier=[[INIT, ONE], [INIT, TWO]], update="replace") == [
        [300, 400]
    ]


def test_of_every_second_element_the_old_value_is_kept():
    # The mask is false, true: the state stands where it is true.
    assert read("ReadValue-6", INIT, TWO, earlier=[[INIT, ONE]], update="select") == [[10, 2]]


def test_without_init_value_there_are_zeros():
    assert read("ReadValue-6", None, ONE) == [[0, 0]]
    assert read("ReadValue-6", None, ONE, earlier=[[None, TWO]]) == [[300, 400]]


def test_a_value_given_through_the_request_is_read():
    given = np.array([7, 8], np.float32)
    assert read("ReadValue-6", INIT, ONE, variable=given) == [[7, 8]]
    assert read("ReadValue-6", INIT, ONE, variable=given, earlier=[[INIT, ONE]]) == [[17, 28]]


def test_a_variable_may_grow():
    attributes = {**OF_6, "variable_shape": (-1,), "update": updates("ReadValue-6", "join")}
    (found,) = answer("ReadValue-6", [INIT, ONE], {**attributes, "earlier": [[INIT, ONE]]})
    assert found.value.tolist() == [1, 2, 10, 20]


@pytest.mark.parametrize("name", ["Assign-3", "Assign-6"])
def test_assign_sets_what_is_read_and_gives_its_input(name):
    assert read(name, ONE, INIT) == [[1, 2]]
    assert read(name, ONE, INIT, result=True) == [[1, 2], [11, 22]]
    assert read(name, TWO, INIT, earlier=[[ONE, INIT]]) == [[11, 22]]


def test_assign_without_init_value_begins_with_zeros():
    assert read("Assign-6", ONE, result=True) == [[0, 0], [10, 20]]
    assert read("Assign-6", TWO, earlier=[[ONE]], result=True) == [[10, 20], [310, 420]]


def test_sums_of_several_inferences_have_the_bounds_of_all():
    update = updates("ReadValue-6", "add")
    third, seventh = (np.array([1 / n, 2 / n], np.float32) for n in (3, 7))
    bounds = []
    for count in (1, 2, 3):
        earlier = [[third, seventh]] * count
        (found,) = answer(
            "ReadValue-6", [third, seventh], {**OF_6, "update": update, "earlier": earlier}
        )
        bounds.append(found.allowed_errors().max())
    assert 0 < bounds[0] < bounds[1] < bounds[2] < 1e-6
    (first,) = answer("ReadValue-6", [third, seventh], {**OF_6, "update": update})
    assert first.bound is None


@pytest.mark.parametrize(
    ("name", "inputs", "changes", "message"),
    [
        ("ReadValue-6", (INIT, ONE), {"variable_id": ""}, "variable_id must not be empty"),
        ("ReadValue-6", (INIT, ONE), {"variable_shape": (3,)}, "a shape that"),
        ("ReadValue-6", (INIT[:1], ONE), {}, "init_value must have a shape"),
        ("ReadValue-6", (INIT, ONE), {"variable_type": "i32"}, "must be i32, got f32"),
        ("ReadValue-6", (None, ONE), {"variable_shape": (-1,)}, "known shape"),
        ("ReadValue-6", (INIT, None), {}, "new_value is required"),
        ("ReadValue-3", (INIT, np.array([1], np.float32)), {"update": "replace"}, "a shape that"),
        ("Assign-3", (ONE.astype(np.int32), INIT), {"update": "replace"}, "the type of init_value"),
        ("ReadValue-6", (INIT, ONE), {"update": "two_reads"}, "one pair"),
        ("ReadValue-6", (INIT, ONE), {"update": "two_assigns"}, "one pair"),
    ],
)
def test_what_a_variable_does_not_admit_is_refused(name, inputs, changes, message):
    chosen = dict(changes)
    update = updates(name, chosen.pop("update", "add"))
    attributes = (IDS if name.endswith("3") else OF_6) | {"update": update} | chosen
    with pytest.raises(ValueError, match=message):
        lookup(name)(*inputs, **attributes)
