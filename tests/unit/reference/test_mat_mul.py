"""MatMul-1: the page's table of shapes, transposition, products by hand."""

import numpy as np
import pytest
from roundings import bf16, cut, same

from reference import answer, compare
from reference.matrix.mat_mul import mat_mul

A = np.array([[1, 2, 3], [4, 5, 6]])
B = np.array([[1, 0], [0, 1], [2, -1]])


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8])
def test_products(dtype):
    found = mat_mul(A.astype(dtype), B.astype(dtype))
    assert found.tolist() == [[7, -1], [16, -1]]
    assert found.dtype == (np.float64 if dtype is np.float32 else dtype)


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        ((5,), (5,), ()),
        ((5,), (5, 3), (3,)),
        ((5,), (2, 5, 3), (2, 3)),
        ((4, 5), (5,), (4,)),
        ((2, 4, 5), (5,), (2, 4)),
        ((2, 4, 5), (2, 5, 3), (2, 4, 3)),
        ((7, 1, 4, 5), (2, 5, 3), (7, 2, 4, 3)),
        ((5, 10, 6), (6, 8), (5, 10, 8)),
    ],
)
def test_shapes(a, b, shape):
    assert mat_mul(np.ones(a), np.ones(b)).shape == shape


def test_transposition():
    right = mat_mul(A, B).tolist()
    assert mat_mul(A.T, B, transpose_a=True).tolist() == right
    assert mat_mul(A, B.T, transpose_b=True).tolist() == right
    assert mat_mul(A.T, B.T, transpose_a=True, transpose_b=True).tolist() == right


def test_vectors_are_not_transposed():
    vector = np.array([1, 2, 3])
    assert mat_mul(vector, B, transpose_a=True).tolist() == [7, -1]
    assert mat_mul(A, vector, transpose_b=True).tolist() == [14, 32]
    assert mat_mul(vector, vector, transpose_a=True, transpose_b=True) == 14


def test_integers_wrap():
    assert mat_mul(np.array([[16, 16]], np.int8), np.array([[8], [8]], np.int8)).tolist() == [[0]]


def test_empty_sums():
    assert mat_mul(np.ones((2, 0)), np.ones((0, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("of_a", "of_b", "inside"),
    [
        (same, same, True),
        (bf16, bf16, True),
        # A device may take a constant as it is, and the other matrix in bf16.
        (same, bf16, True),
        (bf16, same, True),
        (cut, cut, False),
        (same, cut, False),
    ],
)
def test_factors_in_bf16_beside_factors_in_f32(of_a, of_b, inside):
    state = np.random.RandomState(0)
    a, b = (state.uniform(-1, 1, shape).astype(np.float32) for shape in ((300, 40), (40, 9)))
    (expected,) = answer("MatMul-1", [a, b], {}, computed_in="bf16")
    actual = bf16(of_a(a) @ of_b(b)).astype(np.float32)
    assert (compare(expected, actual).wrong == 0) is inside
