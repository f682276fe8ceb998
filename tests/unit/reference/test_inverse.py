"""Inverse, by hand, and a bound that follows the condition."""

import numpy as np
import pytest

from reference import answer, compare, lookup

inverse = lookup("Inverse-14")


def test_known_inverses():
    given = np.array([[0.0, -2], [4, 0]])
    assert inverse(given).tolist() == [[0, 0.25], [-0.5, 0]]
    assert inverse(given, adjoint=True).tolist() == [[0, -0.5], [0.25, 0]]
    # 1/(1·4 - 2·3) of [[4, -2], [-3, 1]].
    np.testing.assert_allclose(inverse(np.array([[1.0, 2], [3, 4]])), [[-2, 1], [1.5, -0.5]])


def test_each_matrix_of_a_batch():
    given = np.array([[[[2.0]], [[-4.0]]], [[[0.5]], [[8.0]]]])
    assert inverse(given).tolist() == [[[[0.5]], [[-0.25]]], [[[2.0]], [[0.125]]]]
    assert inverse(np.zeros((3, 0, 0))).shape == (3, 0, 0)


def test_f64_has_the_precision_of_f32():
    assert inverse(np.array([[1 + 2.0**-40]])).tolist() == [[1]]


def test_rules():
    with pytest.raises(ValueError, match="Inverse-14: "):
        inverse(np.ones((2, 2)))


def wrong(given, error, kind=np.float32):
    (expected,) = answer("Inverse-14", [given.astype(kind)], {})
    actual = np.asarray(expected.value * (1 + error)).astype(kind)
    return compare(expected, actual).wrong


def test_the_bound_grows_with_the_condition():
    # |A⁻¹|·|L|·|U|·|A⁻¹| of a diagonal matrix is |A⁻¹|: 2·(3·2 + 1)·u = 14·2^-24.
    diagonal = np.array([[2.0, 0], [0, 4]])
    assert wrong(diagonal, 2.0**-21) == 0
    assert wrong(diagonal, 2.0**-20) == 2
    # The determinant is 2^-7: four sums of 256 and 256 · 128.
    near = np.array([[1.0, 1], [1, 1 + 2.0**-7]])
    assert wrong(near, 2.0**-15) == 0
    assert wrong(near, 2.0**-9) == 4


def test_what_is_almost_singular_is_not_judged():
    assert wrong(np.array([[1.0, 1], [1, 1 + 2.0**-22]]), 0.5) == 0


def test_narrow_types_are_computed_in_f32():
    state = np.random.RandomState(2)
    given = state.uniform(-1, 1, (3, 5, 5)) + 3 * np.eye(5)[[1, 0, 3, 4, 2]]
    assert wrong(given, 0.0, np.float16) == 0
    assert wrong(given, 2.0**-8, np.float16) == 75
