import numpy as np
import pytest

from reference.sequence.one_hot import one_hot, one_hot_of_1


def asked(indices, depth=3, on=1, off=2, **attributes):
    given = {"axis": -1, **attributes}
    return one_hot(
        np.array(indices), np.array(depth), np.array(on), np.array(off), **given
    ).tolist()


ROWS = [[1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 2, 1]]


def test_the_examples_of_the_pages():
    assert asked([0, 3, 1, 2]) == ROWS
    assert asked([0, -5, -2, 2], negative_indices_mode="normalize") == ROWS
    assert asked([[0, 3, 1], [1, 2, 4]], off=0, axis=1) == [
        [[1, 0, 0], [0, 0, 1], [0, 0, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
    ]


def test_axes():
    assert asked([2, 0], axis=0) == asked([2, 0], axis=-2) == [[2, 1], [2, 2], [1, 2]]
    assert asked(1) == asked(1, axis=0) == [2, 1, 2]


def test_negative_indices():
    assert asked([-1, -3, -4], negative_indices_mode="normalize") == [
        [2, 2, 1],
        [1, 2, 2],
        [2, 2, 2],
    ]
    assert asked([-1, 1], negative_indices_mode="ignore_negative") == [[2, 2, 2], [2, 1, 2]]
    assert asked([-1]) == [[2, 2, 2]]


def test_the_type_is_that_of_the_values():
    values = np.array(True), np.array(False)
    found = one_hot_of_1(np.array([1], np.int32), np.array(2, np.int32), *values, axis=0)
    assert (found.dtype, found.tolist()) == (bool, [[False], [True]])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"depth": [3]}, "OneHot: depth must have rank 0"),
        ({"negative_indices_mode": "wrap"}, "negative_indices_mode must be"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked([0, 1], **changes)
