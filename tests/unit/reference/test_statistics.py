"""Tests of many numbers together, against values of published tables and against honest and dishonest sums."""

import numpy as np
import pytest

from reference import answer, compare
from reference.accuracy.statistics import SumErrors, kolmogorov


def test_kolmogorov_has_the_values_of_the_tables():
    # D·sqrt(n) = 1.358 at 5%.
    count = 10_000
    even = (np.arange(count) + 0.5) / count
    assert kolmogorov(even) == 1.0
    assert kolmogorov(np.clip(even + 1.358 / 100, 0, 1)) == pytest.approx(0.05, rel=0.05)
    assert kolmogorov(even**1.2) < 1e-9
    assert kolmogorov(np.array([0.5, 1.5])) == 0.0


def sums(rng, count, terms):
    data = rng.standard_normal((count, terms)).astype(np.float32)
    return data, data.astype(np.float64).sum(1), np.abs(data.astype(np.float64)).sum(1)


def test_honest_sums_pass_and_rounding_towards_zero_does_not():
    data, exact, size = sums(np.random.RandomState(1), 4000, 64)
    test = SumErrors(exact, np.sqrt(64) * 2.0**-24 * size)
    in_order = np.zeros(len(data), np.float32)
    for column in data.T:
        in_order = in_order + column
    assert test(in_order.astype(np.float64)).fraction < 0.5
    # Each step truncated to 16 fraction bits: f32 data in an accumulator that is too coarse.
    coarse = np.zeros(len(data))
    for column in data.T:
        coarse = np.trunc((coarse + column) * 2.0**14) / 2.0**14
    assert test(coarse).fraction > 1


def test_a_bias_is_seen_that_no_single_error_shows():
    _, exact, size = sums(np.random.RandomState(2), 4000, 16)
    scale = 4 * 2.0**-24 * size
    found = SumErrors(exact, scale)(exact + 0.2 * scale)
    assert found.fraction > 1
    assert "bias" in found.text


def test_one_sided_outputs_may_have_one_sided_errors():
    _, _, size = sums(np.random.RandomState(2), 4000, 16)
    scale = 4 * 2.0**-24 * size
    assert SumErrors(size, scale)(size + 0.2 * scale).fraction < 1


def test_few_outputs_are_not_tested():
    _, exact, size = sums(np.random.RandomState(2), 999, 16)
    assert SumErrors(exact, size)(exact + 100 * size) is None


# --- what the test of sums supposes -------------------------------------------------------------------------------


def added_in_order(terms):
    """The sums of each row in f32, one term after the other: as honest as arithmetic can be."""
    total = np.zeros(len(terms), np.float32)
    for column in terms.T:
        total = total + column
    return total


def test_sums_with_a_dominant_term_are_judged_one_by_one():
    """One of 512 terms is between 1 and 2, the others have half an ulp of it: each is lost, all with one sign."""
    rng = np.random.RandomState(3)
    terms = np.abs(rng.standard_normal((1536, 512))).astype(np.float32) * np.float32(4e-8)
    terms[:, 0] = 1 + rng.rand(1536)
    (expected,) = answer("ReduceSum-1", [terms, np.array([1])], {})
    actual = added_in_order(terms)
    assert expected.together(actual.astype(np.float64)) is None
    assert compare(expected, actual).wrong == 0
    # Without a look at the terms honest sums would fail together.
    (size,) = (np.abs(terms.astype(np.float64)).sum(1),)
    blind = SumErrors(expected.value, np.sqrt(512) * 2.0**-24 * size)
    assert blind(actual.astype(np.float64)).fraction > 1
    # Each of them still has its bound.
    assert compare(expected, actual * np.float32(1.001)).wrong == 1536


@pytest.mark.parametrize("operation", ["ReduceSum-1", "ReduceMean-1"])
def test_even_sums_are_tested_together(operation):
    terms = np.random.RandomState(4).standard_normal((1536, 512)).astype(np.float32)
    (expected,) = answer(operation, [terms, np.array([1])], {})
    actual = added_in_order(terms) / np.float32(1 if operation == "ReduceSum-1" else 512)
    assert expected.together(actual.astype(np.float64)).fraction < 0.5
    sizes = np.abs(terms.astype(np.float64)).sum(1) / (1 if operation == "ReduceSum-1" else 512)
    coarse = actual + np.random.RandomState(5).uniform(-1, 1, 1536) * 40 * 2.0**-24 * sizes
    assert compare(expected, coarse.astype(np.float32)).statistic


def test_the_same_sum_again_and_again_is_one():
    terms = np.tile(np.random.RandomState(6).standard_normal((8, 512)).astype(np.float32), (200, 1))
    (expected,) = answer("ReduceSum-1", [terms, np.array([1])], {})
    assert expected.together(added_in_order(terms).astype(np.float64)) is None
