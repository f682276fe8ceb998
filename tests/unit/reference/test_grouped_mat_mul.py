"""GroupedMatMul-17: the page's three cases, by hand."""

import numpy as np
import pytest

from reference.accuracy import Call
from reference.matrix.grouped_mat_mul import grouped_mat_mul, products

TOKENS = np.array([[1, 2], [3, 4], [5, 6]])
EXPERTS = np.array([[[1, 0], [0, 1]], [[2, 0], [0, 3]]])


def test_each_token_meets_the_matrix_of_its_group():
    assert grouped_mat_mul(TOKENS, EXPERTS, np.array([1, 3])).tolist() == [
        [1, 2],
        [6, 12],
        [10, 18],
    ]
    assert grouped_mat_mul(TOKENS, EXPERTS, np.array([0, 3])).tolist() == [
        [2, 6],
        [6, 12],
        [10, 18],
    ]
    assert grouped_mat_mul(TOKENS, EXPERTS, np.array([3, 3])).tolist() == TOKENS.tolist()


def test_batches():
    found = grouped_mat_mul(np.stack([TOKENS, TOKENS]), EXPERTS)
    assert found.tolist() == [TOKENS.tolist(), [[2, 6], [6, 12], [10, 18]]]


def test_gradients_sum_the_tokens_of_a_group():
    found = grouped_mat_mul(TOKENS.T, TOKENS, np.array([1, 1, 3]))
    # 3·3 + 5·5, 3·4 + 5·6 and 4·4 + 6·6.
    assert found.tolist() == [[[1, 2], [2, 4]], [[0, 0], [0, 0]], [[34, 42], [42, 52]]]


def test_integers_wrap():
    assert grouped_mat_mul(
        np.array([[16, 16]], np.int8), np.array([[[8], [8]]], np.int8), np.array([1])
    ).tolist() == [[0]]


def test_terms_of_gradients_are_the_tokens_of_a_group():
    call = Call(grouped_mat_mul, [TOKENS.T, TOKENS, np.array([1, 1, 3])], {}, (), ())
    assert np.ravel(products(call)).tolist() == [1, 0, 2]
    assert products(Call(grouped_mat_mul, [TOKENS, EXPERTS, np.array([1, 3])], {}, (), ())) == 2


@pytest.mark.parametrize(
    ("a", "b", "offsets", "told"),
    [
        ((2, 3, 2), (2, 2, 2), [1, 3], "without offsets"),
    ],
)
def test_errors(a, b, offsets, told):
    ends = None if offsets is None else np.array(offsets)
    with pytest.raises(ValueError, match=f"GroupedMatMul-17: .*{told}"):
        grouped_mat_mul(np.ones(a), np.ones(b), ends)
