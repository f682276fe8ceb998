"""MVN: means and variances by hand."""

import math

import numpy as np
import pytest

from reference import answer, compare
from reference.normalization.mvn import mvn, mvn_1

DATA = np.array([[1.0, 3.0, 8.0], [2.0, 2.0, 2.0]])
# Rows: means 4 and 2, variances (9 + 1 + 16) / 3 and 0. Columns: means 1.5, 2.5, 5; variances 0.25, 0.25, 9.


def asked(axes, normalize_variance=True, eps=1.0, eps_mode="inside_sqrt", data=DATA):
    return mvn(
        data,
        np.array(axes),
        normalize_variance=normalize_variance,
        eps=eps,
        eps_mode=eps_mode,
    )


def test_mean():
    assert asked([1], normalize_variance=False).tolist() == [[-3, -1, 4], [0, 0, 0]]
    assert asked([0], normalize_variance=False).tolist() == [[-0.5, 0.5, 3], [0.5, -0.5, -3]]
    # The mean of all is 3.
    assert asked([0, 1], normalize_variance=False).tolist() == [[-2, 0, 5], [-1, -1, -1]]


def test_eps_inside_sqrt():
    root = math.sqrt(26 / 3 + 1)
    expected = [[-3 / root, -1 / root, 4 / root], [0, 0, 0]]
    np.testing.assert_allclose(asked([1]), expected, rtol=1e-14)


def test_eps_outside_sqrt():
    expected = [[-0.5 / 1.5, 0.5 / 1.5, 3 / 4], [0.5 / 1.5, -0.5 / 1.5, -3 / 4]]
    np.testing.assert_allclose(asked([0], eps_mode="outside_sqrt"), expected, rtol=1e-14)


def test_a_mean_of_subnormals_is_rounded_before_the_division():
    """The mean of 1 and 0 steps is rounded to 0 or 1, so that the first difference is 1 or 0; a quarter divides it.

    The mean and the differences may also be flushed to zero.
    """
    step = 2.0**-149
    data, axes = np.array([step, 0], np.float32), np.array([0])
    given = {"normalize_variance": True, "eps": 0.0625, "eps_mode": "inside_sqrt"}
    (expected,) = answer("MVN-6", [data, axes], given)
    for steps, wrong in (((4, 0), 0), ((0, -4), 0), ((2, -2), 0), ((16, 0), 1)):
        assert (
            compare(
                expected, np.array(steps, np.float64).astype(np.float32) * np.float32(step)
            ).wrong
            == wrong
        )
    weights = [np.array([4], np.float32), np.array([0], np.float32)]
    grouped = {"num_groups": 1, "epsilon": 1.0}
    (expected,) = answer("GroupNormalization-12", [data[None, None], *weights], grouped)
    assert compare(expected, np.array([[[4 * step, 0]]], np.float32)).wrong == 0
    assert compare(expected, np.array([[[16 * step, 0]]], np.float32)).wrong == 1


def test_axes_count_from_the_back_and_in_any_order():
    data = np.random.RandomState(5).standard_normal((2, 3, 4))
    expected = asked([0, 2], data=data)
    for axes in ([2, 0], [-1, 0], [-3, 2]):
        np.testing.assert_array_equal(asked(axes, data=data), expected)


def test_normal_slices_have_no_mean_and_a_variance_of_one():
    data = np.random.RandomState(6).standard_normal((2, 30, 4)).astype(np.float32) * 5 + 3
    found = asked([1, 2], eps=1e-12, data=data)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.mean(axis=(1, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(found.var(axis=(1, 2)), 1, rtol=1e-10)


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"axes": [[1]]}, "MVN-6: axes must have rank 1, got shape"),
        ({"axes": [1, -1]}, "MVN-6: axes must be different axes"),
        ({"eps_mode": "sqrt"}, "MVN-6: eps_mode must be inside_sqrt or outside_sqrt, got 'sqrt'"),
    ],
)
def test_errors(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(**{"axes": [1], **changes})


def older(data=DATA, eps=1.0, normalize_variance=False, **axes):
    return mvn_1(data, normalize_variance=normalize_variance, eps=eps, **axes)


def test_mvn_1_along_axes():
    assert older(reduction_axes=[1]).tolist() == [[-3, -1, 4], [0, 0, 0]]
    assert older(reduction_axes=[-2]).tolist() == [[-0.5, 0.5, 3], [0.5, -0.5, -3]]
    root = math.sqrt(26 / 3 + 1)
    found = older(reduction_axes=[1], normalize_variance=True)
    np.testing.assert_allclose(found[0], [-3 / root, -1 / root, 4 / root], rtol=1e-14)


def test_mvn_1_across_channels_or_not():
    image = DATA[None]
    assert older(image, across_channels=True).tolist() == [[[-2, 0, 5], [-1, -1, -1]]]
    assert older(image, across_channels=False).tolist() == [[[-3, -1, 4], [0, 0, 0]]]


@pytest.mark.parametrize(
    "axes, sentence",
    [
        ({}, "MVN-1: give one of across_channels and reduction_axes"),
        ({"across_channels": True, "reduction_axes": [1]}, "MVN-1: give one of across_channels"),
        ({"across_channels": False}, "MVN-1: data must have rank 3 or more, got 2"),
    ],
)
def test_errors_of_mvn_1(axes, sentence):
    with pytest.raises(ValueError, match=sentence):
        older(**axes)
