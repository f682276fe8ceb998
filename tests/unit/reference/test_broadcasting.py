"""The examples of the page, and what its rules say besides."""

import numpy as np
import pytest

from reference.shared.broadcasting import (
    bidirectional,
    broadcast,
    numpy_shape,
    one_directional,
    pdpd,
)


@pytest.mark.parametrize(
    "a,b,result",
    [
        ((), (), ()),
        ((2, 3), (1,), (2, 3)),
        ((3,), (2, 3), (2, 3)),
        ((2, 3, 5), (), (2, 3, 5)),
        ((2, 1, 5), (1, 4, 5), (2, 4, 5)),
        ((6, 5), (2, 1, 5), (2, 6, 5)),
        ((2, 1, 5), (4, 1), (2, 4, 5)),
        ((3, 2, 1, 4), (5, 4), (3, 2, 5, 4)),
        ((1, 5, 3), (5, 2, 1, 3), (5, 2, 5, 3)),
        ((0, 1), (1, 4), (0, 4)),
    ],
)
def test_numpy(a, b, result):
    assert numpy_shape(a, b) == result
    assert numpy_shape(b, a) == result
    assert [t.shape for t in broadcast(np.zeros(a), np.zeros(b))] == [result, result]


@pytest.mark.parametrize("a,b", [((3,), (2,)), ((3, 1, 5), (4, 4, 5)), ((0,), (2,))])
def test_numpy_mismatch(a, b):
    with pytest.raises(ValueError, match="dimensions must be equal or 1, got shapes"):
        numpy_shape(a, b)


def test_numpy_repeats_what_has_dimension_1():
    a, b = broadcast(np.array([[1], [2]]), np.array([10, 20, 30]))
    assert a.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert b.tolist() == [[10, 20, 30], [10, 20, 30]]


@pytest.mark.parametrize(
    "b,axis",
    [
        ((3, 4), 1),
        ((3, 1), 1),
        ((4, 5), -1),
        ((4, 5), 2),
        ((1, 3), 0),
        ((), -1),
        ((5,), -1),
        ((5,), 3),
        ((5, 1, 1), 3),
    ],
)
def test_pdpd(b, axis):
    assert pdpd(np.zeros(b), (2, 3, 4, 5), axis).shape == (2, 3, 4, 5)


def test_pdpd_places_values_from_its_axis_on():
    placed = pdpd(np.array([10, 20, 30]), (2, 3, 4), 1)
    for index in np.ndindex(placed.shape):
        assert placed[index] == 10 * (index[1] + 1)
    ignored = pdpd(np.array([[10], [20], [30]]), (2, 3, 4), 1)
    np.testing.assert_array_equal(ignored, placed)


@pytest.mark.parametrize(
    "a,b,axis",
    [((8, 1, 6, 1), (7, 1, 5), 1), ((2, 3), (2,), -1), ((2, 3), (3, 2), 1), ((3,), (1, 1, 3), -1)],
)
def test_pdpd_mismatch(a, b, axis):
    with pytest.raises(ValueError, match="must be a part of"):
        pdpd(np.zeros(b), a, axis)


def test_pdpd_has_one_negative_axis():
    with pytest.raises(ValueError, match="axis must be -1 or a dimension, got -2"):
        pdpd(np.zeros(3), (2, 3), -2)


def test_pdpd_keeps_the_first_tensor():
    a, b = broadcast(np.arange(6).reshape(2, 3), np.arange(3), auto_broadcast="pdpd")
    assert a.shape == b.shape == (2, 3)
    with pytest.raises(ValueError, match="must be a part of"):
        broadcast(np.arange(3), np.arange(6).reshape(2, 3), auto_broadcast="pdpd")


def test_none_demands_one_shape():
    a, b = broadcast(np.zeros((2, 3)), np.ones((2, 3)), auto_broadcast="none")
    assert a.shape == b.shape == (2, 3)
    with pytest.raises(ValueError, match=r"got \[2, 3\] and \[3\]"):
        broadcast(np.zeros((2, 3)), np.zeros(3), auto_broadcast="none")


def test_unheard_of_broadcast():
    with pytest.raises(ValueError, match="none, numpy or pdpd, got 'explicit'"):
        broadcast(np.zeros(3), auto_broadcast="explicit")


@pytest.mark.parametrize(
    "a,b,result",
    [
        ((5,), (1,), (5,)),
        ((2, 3), (3,), (2, 3)),
        ((3, 1), (3, 4), (3, 4)),
        ((3, 4), (), (3, 4)),
        ((3, 1), (2, 1, 6), (2, 3, 6)),
    ],
)
def test_bidirectional(a, b, result):
    data = np.arange(1, np.prod(a) + 1).reshape(a)
    np.testing.assert_array_equal(bidirectional(data, b), data * np.ones(b))
    assert bidirectional(data, b).shape == result


def test_one_directional():
    assert one_directional(np.array([[1], [2]]), (2, 2, 2)).tolist() == [[[1, 1], [2, 2]]] * 2
    for target in [(1,), (2,), (3, 1)]:
        with pytest.raises(ValueError, match="must fit into"):
            one_directional(np.zeros((1, 3, 1)) if target == (3, 1) else np.zeros((2, 2)), target)
