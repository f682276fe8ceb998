"""Einsum-7: the page's sentences on equations, by hand; its listings are examples of the declaration."""

import numpy as np
import pytest

from reference.accuracy import Call
from reference.matrix.einsum import einsum, terms

A = np.array([[1, 2, 3], [4, 5, 6]])
SQUARE = np.array([[1, 2], [3, 5]])


def test_a_sum_over_labels_that_the_output_lacks():
    assert einsum(A, equation="ij->j").tolist() == [5, 7, 9]
    assert einsum(A, equation="ij->").tolist() == 21
    assert einsum(A, SQUARE, equation="ij,ki->kj").tolist() == [[9, 12, 15], [23, 31, 39]]


def test_a_label_in_one_operand_alone_is_a_batch():
    """The page's example of three operands: abcd, then b and d are summed."""
    a, b, c = np.full((2, 5), 1), np.full((5, 3, 6), 2), np.full((5, 3), 3)
    assert einsum(a, b, c, equation="ab,bcd,bc->ca").tolist() == [[180, 180]] * 3


def test_a_repeated_label_is_a_diagonal():
    assert einsum(SQUARE, equation="ii->i").tolist() == [1, 5]
    data = np.arange(160).reshape(2, 4, 5, 4)
    assert einsum(data, equation="ijkj->ij")[1, 2] == sum(data[1, 2, k, 2] for k in range(5))
    assert einsum(np.arange(27).reshape(3, 3, 3), equation="iii->i").tolist() == [0, 13, 26]


def test_implicit_mode_keeps_labels_that_stand_once():
    assert einsum(A, equation="ba").tolist() == A.T.tolist()
    assert einsum(A, equation="aB").tolist() == A.T.tolist(), "capital letters come first"
    assert einsum(SQUARE, equation="ii") == 6
    # dbbc,ca is dbbc,ca->ad
    d, c = np.arange(24).reshape(2, 2, 2, 3), np.arange(12).reshape(3, 4)
    assert einsum(d, c, equation="dbbc,ca").tolist() == (
        einsum(d, c, equation="dbbc,ca->ad").tolist()
    )
    assert einsum(A, np.array([2]), equation="a...,...").tolist() == [[2, 8], [4, 10], [6, 12]]


def test_an_ellipsis_broadcasts_and_may_cover_nothing():
    a, b = np.ones((9, 1, 4, 3)), np.ones((3, 11, 7, 1))
    assert einsum(a, b, equation="a...b,b...->a...").shape == (9, 11, 7, 4)
    assert einsum(A, equation="...ij->ji...").tolist() == A.T.tolist()


def test_scalars_and_blanks():
    assert einsum(np.array(3), A, equation=",ij->ji").tolist() == (3 * A.T).tolist()
    assert einsum(np.array(3), equation="") == 3
    assert einsum(A, A, equation=" i j, i j - > i").tolist() == [14, 77]


def test_integers_keep_their_type_and_empty_sums_are_0():
    assert einsum(A.astype(np.uint8), equation="ij->i").dtype == np.uint8
    assert einsum(np.ones((2, 0)), equation="ij->i").tolist() == [0, 0]


def test_terms_are_those_of_one_element():
    call = Call(einsum, [A, SQUARE], {"equation": "ij,ki->k"}, (), ())
    assert terms(call) == 6


@pytest.mark.parametrize(
    ("equation", "told"),
    [
        ("ij->i->j", "subscripts such as"),
        ("i1->i", "subscripts such as"),
        ("i...->i", "the ellipsis of inputs"),
        ("ij->...", "the ellipsis of inputs"),
        ("ij->ii", "different ones of the inputs"),
        ("ijk->i", "must have the rank"),
        ("i->i", "must have the rank"),
        ("ii->i", "one size"),
    ],
)
def test_errors(equation, told):
    with pytest.raises(ValueError, match=f"Einsum-7: .*{told}"):
        einsum(A, equation=equation)
