"""RandomUniform: the page's own numbers, and what its text says of them."""

import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare, lookup
from reference.generation.random_uniform import mersenne_twister

NAME = "RandomUniform-8"
random_uniform = lookup(NAME)


def draw(shape, low, high, kind, global_seed=0, op_seed=0, **attributes):
    return random_uniform(
        np.array(shape, np.int64),
        np.array(low),
        np.array(high),
        output_type=kind,
        global_seed=global_seed,
        op_seed=op_seed,
        **attributes,
    )


def test_the_pages_first_example():
    printed = [
        [0.7011236, 0.30539632, 0.93931055],
        [0.9456035, 0.11694777, 0.50770056],
        [0.5197197, 0.22727466, 0.991374],
    ]
    np.testing.assert_allclose(draw([3, 3], 0.0, 1.0, "f32", 150, 10), printed, rtol=1e-7)


def test_the_pages_second_example():
    printed = [[5.65927959, 4.23122376], [2.67008206, 2.36423758]]
    np.testing.assert_allclose(draw([2, 2], 2.0, 10.0, "f64", 80, 100), printed, rtol=2e-9)


def test_the_pages_third_example():
    assert draw([2, 3], 50, 100, "i32", 80, 100).tolist() == [[65, 70, 56], [59, 82, 92]]


def test_half_floats_are_the_last_ten_bits():
    # The first number of the first example, 0.7011236 in 23 bits.
    last = round(0.7011236 * 2**23) % 2**10
    assert draw([1], 0.0, 1.0, "f16", 150, 10)[0] == last / 2**10


def test_a_longer_sequence_begins_as_a_shorter_one():
    for kind in ("f32", "f64", "i32"):
        assert np.array_equal(
            draw([11], 0, 9, kind, 3, 4)[:6], draw([2, 3], 0, 9, kind, 3, 4).reshape(-1)
        )


def test_all_bits_of_the_seeds_count():
    found = {
        draw([4], 0, 10**9, "i32", *seeds).tobytes()
        for seeds in ((1, 2), (2, 1), (1 + 2**32, 2), (1, 2 + 2**32), (1, 0), (0, 1))
    }
    assert len(found) == 6


def test_integers_of_the_widest_interval_stay_in_it():
    found = draw([1000], -(2**31), 2**31 - 1, "i32", 5, 6)
    assert found.dtype == np.int32
    assert found.min() < -(2**30) < 2**30 < found.max()
    beyond = draw([1000], 2**40, 2**41, "i64", 5, 6)
    assert beyond.min() >= 2**40
    assert beyond.max() < 2**40 + 2**32


def pytorch(shape, low, high, kind, seed, op_seed=0):
    return draw(shape, low, high, kind, seed, op_seed, alignment="PYTORCH")


def test_the_mersenne_twister_begins_with_known_numbers():
    # The numbers that the page prints do not follow from its formulas.
    first = pytorch([3], 0.0, 1.0, "f32", 150)
    np.testing.assert_allclose(first, [0.5974867, 0.5445820, 0.0407407], atol=5e-8)
    assert pytorch([3], 50, 100, "i32", 80).tolist() == [77, 58, 62]


@pytest.mark.parametrize("seed", [0, 1, 80, 2**32 - 1])
def test_the_mersenne_twister_over_several_states(seed):
    expected = np.random.RandomState(seed).randint(0, 2**32, 2000, np.uint64)
    assert np.array_equal(mersenne_twister(seed, 2000), expected)


def test_only_the_last_bits_of_global_seed_seed_the_mersenne_twister():
    first = pytorch([9], 0, 10**6, "i32", 7)
    assert np.array_equal(pytorch([9], 0, 10**6, "i32", 7 + 2**32, op_seed=5), first)
    assert not np.array_equal(pytorch([9], 0, 10**6, "i32", 8), first)


@pytest.mark.parametrize("kind, digits", [("f16", 11), ("bf16", 8), ("f32", 24)])
def test_floats_of_the_mersenne_twister_keep_the_last_bits(kind, digits):
    draws = mersenne_twister(3, 10).astype(object)
    expected = [int(x) % 2**digits / 2**digits for x in draws]
    assert pytorch([10], 0.0, 1.0, kind, 3).tolist() == expected
    assert pytorch([10], -1.0, 3.0, kind, 3).tolist() == [4 * x - 1 for x in expected]


def test_doubles_and_wide_integers_take_two_draws_the_first_one_high():
    x = [int(each) for each in mersenne_twister(3, 4)]
    pairs = [(x[0] << 32) + x[1], (x[2] << 32) + x[3]]
    assert pytorch([2], 0.0, 1.0, "f64", 3).tolist() == [p % 2**53 / 2**53 for p in pairs]
    assert pytorch([2], 0, 2**32, "i64", 3).tolist() == [p % 2**32 for p in pairs]
    wide = 2**41
    assert pytorch([2], -(2**40), 2**40 + 1, "i64", 3).tolist() == [
        p % (wide + 1) - 2**40 for p in pairs
    ]
    assert pytorch([2], 0, 2**32 - 1, "i64", 3).tolist() == [p % (2**32 - 1) for p in x[:2]]


def test_numbers_are_exact_where_nothing_is_rounded():
    inputs = [np.array([4]), np.array(0, np.float32), np.array(4, np.float32)]
    attributes = {"output_type": "f32", "global_seed": 3, "op_seed": 1}
    for alignment in ("PYTORCH", "TENSORFLOW"):
        given = {**attributes, "alignment": alignment}
        (expected,) = answer(NAME, inputs, given, ["f32"])
        right = expected.value.astype(np.float32)
        assert compare(expected, right).wrong == 0
        assert compare(expected, np.nextafter(right, np.float32(9))).wrong == 4


def test_bf16_of_the_mersenne_twister_is_defined():
    inputs = [np.array([4]), np.array(0, ml_dtypes.bfloat16), np.array(1, ml_dtypes.bfloat16)]
    attributes = {"output_type": "bf16", "global_seed": 3, "op_seed": 1}
    (random,) = answer(NAME, inputs, attributes, ["bf16"])
    (fixed,) = answer(NAME, inputs, {**attributes, "alignment": "PYTORCH"}, ["bf16"])
    assert random.is_random
    assert not fixed.is_random


def verdict(came, kind, low=-1.5, high=2.5, seeds=(0, 0)):
    inputs = [np.array(came.shape), np.array(low, came.dtype), np.array(high, came.dtype)]
    attributes = {"output_type": kind, "global_seed": seeds[0], "op_seed": seeds[1]}
    (expected,) = answer(NAME, inputs, attributes, [kind])
    return compare(expected, came)


def test_without_seeds_any_even_numbers_are_right():
    state = np.random.RandomState(7)
    even = state.uniform(-1.5, 2.5, (4, 5, 7)).astype(np.float32)
    assert verdict(even, "f32").wrong == 0
    integers = state.randint(-3, 2, (4, 5, 7)).astype(np.int32)
    assert verdict(integers, "i32", -3, 2).wrong == 0
    coarse = even.astype(ml_dtypes.bfloat16)
    assert verdict(coarse, "bf16", seeds=(1, 2)).wrong == 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda even: even * 0,
        lambda even: even / 2,
        lambda even: np.abs(even),
        lambda even: np.where(even == even.max(), 2.5, even),
        lambda even: np.where(even == even.min(), np.nan, even),
    ],
    ids=["zeros", "half", "positive", "maxval", "nan"],
)
def test_without_seeds_uneven_numbers_are_wrong(spoil):
    even = np.random.RandomState(7).uniform(-1.5, 2.5, (4, 5, 7)).astype(np.float32)
    assert verdict(spoil(even).astype(np.float32), "f32").wrong > 0


def test_with_seeds_only_the_pages_numbers_are_right():
    right = draw([4, 5, 7], -1.5, 2.5, "f32", 1, 2).astype(np.float32)
    assert verdict(right, "f32", seeds=(1, 2)).wrong == 0
    assert verdict(right, "f32", seeds=(2, 1)).wrong > 100


def test_rules():
    with pytest.raises(ValueError, match="output_type must be i32, i64"):
        draw([2], 0.0, 1.0, "u8")
