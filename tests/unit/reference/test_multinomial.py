"""Multinomial: what a sample must look like, and which samples are none."""

import numpy as np
import pytest

from reference import answer, compare, lookup
from reference.generation.multinomial import chosen

NAME = "Multinomial-13"
multinomial = lookup(NAME)
USUAL = {"convert_type": "i64", "with_replacement": True, "log_probs": False}


def draw(probs, samples, **attributes):
    return multinomial(np.array(probs), np.array(samples), **{**USUAL, **attributes})


def wrong(came, probs, **attributes):
    came = np.asarray(came, np.int64)
    inputs = [np.array(probs), np.array(came.shape[1])]
    (expected,) = answer(NAME, inputs, {**USUAL, **attributes}, ["i64"])
    return compare(expected, came).wrong


def test_frequencies_are_the_probabilities():
    found = draw([[1.0, 5.0, 4.0], [6.0, 0.0, 2.0]], 20_000)
    frequencies = [np.bincount(row, minlength=3) / 20_000 for row in found]
    np.testing.assert_allclose(frequencies, [[0.1, 0.5, 0.4], [0.75, 0, 0.25]], atol=0.02)


def test_logarithms():
    found = draw(np.log([[1.0, 5.0, 4.0]]) + 700, 20_000, log_probs=True)
    np.testing.assert_allclose(np.bincount(found[0]) / 20_000, [0.1, 0.5, 0.4], atol=0.02)


def test_without_replacement_none_comes_again():
    found = draw(np.ones((50, 6)), 6, with_replacement=False)
    assert np.array_equal(np.sort(found, axis=1), np.tile(np.arange(6), (50, 1)))
    # The second sample of the page's third example: of 0.1 and 0.4 after 0.5 was drawn.
    pairs = draw([[0.1, 0.5, 0.4]] * 20_000, 2, with_replacement=False)
    after = pairs[pairs[:, 0] == 1][:, 1]
    assert np.mean(after == 2) == pytest.approx(0.8, abs=0.02)


# The page's computations: probabilities of one row, its random numbers, and the classes that it prints.
PRINTED = [
    ([0.1, 0.5, 0.4], False, [0.2, 0.4, 0.6, 0.8, 1.0], [1, 1, 1, 2, 2]),
    ([-1.0, 1.0, 2.0], True, [n / 10 for n in range(1, 11)], [1, 1, 2, 2, 2, 2, 2, 2, 2, 2]),
    # For 1 as well it prints 0, of a CDF that it rounds to [1.0, 1.0, 1.0].
    ([50.0, 1.0, 21.0], True, [n / 10 for n in range(1, 10)], [0] * 9),
]


@pytest.mark.parametrize(("probs", "are_logarithms", "numbers", "classes"), PRINTED)
def test_classes_that_the_page_computes(probs, are_logarithms, numbers, classes):
    weights = np.exp([probs]) if are_logarithms else np.array([probs])
    found = [int(chosen(weights, np.array([number]))[0]) for number in numbers]
    assert found == classes


def test_classes_that_the_page_computes_without_replacement():
    """The classes of 0.3 and 0.2 are 1 and, by the text, 0; the page prints [[1, 2]]."""
    weights = np.array([[0.1, 0.5, 0.4]])
    assert chosen(weights, np.array([0.3])).tolist() == [1]
    weights[0, 1] = 0.0
    assert chosen(weights, np.array([0.2])).tolist() == [0]


def test_types():
    assert draw([[1.0]], 3, convert_type="i32").dtype == np.int32
    assert draw([[1.0]], 3).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("replacement", [False, True])
def test_samples_of_another_generator_are_right(replacement):
    probs = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 1.0, 1.0, 4.0]] * 20)
    state = np.random.RandomState(1)
    rows = [state.choice(4, 4, replace=replacement, p=row / row.sum()) for row in probs]
    assert wrong(rows, probs, with_replacement=replacement) == 0


PROBS = [[1.0, 8.0, 2.0, 4.0, 1.0], [1.0, 1.0, 1.0, 1.0, 6.0]]


def right():
    state = np.random.RandomState(2)
    return np.array([state.choice(5, 200, p=np.array(row) / sum(row)) for row in PROBS])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows * 0,
        lambda rows: 4 - rows,
        lambda rows: rows[::-1],
        lambda rows: np.random.RandomState(3).randint(0, 5, rows.shape),
        lambda rows: np.sort(rows, axis=1) * 0 + rows.max(),
        lambda rows: np.where(rows == 0, 5, rows),
        lambda rows: np.where(rows == 0, -1, rows),
    ],
    ids=["first", "reversed", "rows", "even", "last", "beyond", "negative"],
)
def test_samples_of_something_else_are_wrong(spoil):
    assert wrong(right(), PROBS) == 0
    assert wrong(spoil(right()), PROBS) > 0


def test_a_class_that_may_not_come_is_wrong():
    assert wrong([[1, 1, 2, 1, 0]], [[0.0, 5.0, 4.0]]) > 0
    assert wrong([[1, 2, 1]], [[2.0, 5.0, 4.0]], with_replacement=False) > 0


def test_rules():
    with pytest.raises(ValueError, match="convert_type must be i64 or i32, got 'f32'"):
        draw([[0.5, 0.5]], 1, convert_type="f32")
