"""The data of cases: what differs, what is special, what a seed fixes."""

import ml_dtypes
import numpy as np
import pytest

from ir_models import parse
from ir_models.asking.values import beyond_32_bits, data, distinct, ends, random_state, special
from ir_models.declaration import Input, Interval
from ir_models.vocabulary.element_types import (
    ANY,
    ELEMENT_TYPES,
    bf16,
    boolean,
    f8e4m3,
    f8e5m2,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    nf4,
    string,
    u1,
    u8,
    u64,
)
from ir_models.vocabulary.type_sets import types

# How many values `distinct` has to choose from: every finite one of small types, 13 binades of large ones.
MANY = {"f16": 2 * 13 * 2**10, "bf16": 2 * 13 * 2**7}
PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"


def first(case_id, seed=0):
    return parse(case_id).arrays(seed=seed)[0].reshape(-1)


# --- seeds --------------------------------------------------------------------------------------------------------


def test_the_id_fixes_the_data_for_ever():
    """Results of different releases of the suite compare only while these values stay."""
    np.testing.assert_array_equal(
        first(PLAIN)[:4],
        np.array(
            [-0.6803481578826904, 24.971328735351562, 0.14022879302501678, -1.5162501335144043],
            np.float32,
        ),
    )
    assert first(PLAIN.replace("/plain/f32", "/type/u8"))[:8].tolist() == [
        154,
        74,
        23,
        60,
        140,
        38,
        204,
        25,
    ]


def test_another_id_or_seed_is_other_data():
    assert not np.array_equal(first(PLAIN), first(PLAIN, seed=1))
    assert not np.array_equal(first(PLAIN), first(PLAIN.replace("/plain/", "/example/")))


def test_two_states_of_one_text_are_alike():
    assert random_state("a").randint(2**31) == random_state("a").randint(2**31)
    seen = {random_state(text, seed).randint(2**31) for text in "ab" for seed in (0, 1, 2)}
    assert len(seen) == 6


def test_each_inference_has_data_of_its_own():
    again = parse(f"{PLAIN}/requests=again")
    assert not np.array_equal(again.arrays(0)[0], again.arrays(1)[0])
    dynamic = parse(f"{PLAIN}/shape=dims")
    np.testing.assert_array_equal(dynamic.arrays(0)[0], dynamic.arrays(2)[0])
    assert dynamic.arrays(1)[0].shape == dynamic.layers[1].data.shape


def test_asking_twice_gives_the_same():
    case = parse(PLAIN)
    np.testing.assert_array_equal(case.arrays()[0], case.arrays()[0])
    np.testing.assert_array_equal(case.arrays()[0], parse(PLAIN).arrays()[0])


def test_two_inputs_differ():
    step, parent = parse("Concat-1/plain/f32[2,3,5,4],f32[2,3,5,4]/axis=1").arrays()
    assert not np.array_equal(step, parent)


# --- ordinary data ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 7, 255, 3000])
@pytest.mark.parametrize("kind", [k for k in ANY if k is not boolean], ids=str)
def test_every_element_differs_as_far_as_the_type_goes(kind, count):
    values = distinct(kind, count, random_state("distinct"))
    assert values.shape == (count,)
    assert values.dtype == kind.dtype
    if kind is string:
        assert len(set(values.tolist())) == count
        return
    numbers = values.astype(np.float64)
    assert np.isfinite(numbers).all()
    least = count if kind.bits > 8 else min(count, 2**kind.bits)
    if kind.bits <= 8 and kind.is_float:
        # Without NaN and infinities, and with two zeros that compare equal.
        least = min(count, np.unique(distinct(kind, 256, random_state("")).astype(float)).size)
    assert np.unique(numbers).size == min(least, MANY.get(kind.name, least))


def test_small_floats_take_all_their_finite_values_but_negative_zero():
    assert np.unique(distinct(f8e4m3, 254, random_state("")).view(np.uint8)).size == 253
    assert np.unique(distinct(f8e5m2, 248, random_state("")).view(np.uint8)).size == 247
    assert 0x80 not in distinct(f8e4m3, 254, random_state("")).view(np.uint8)
    assert np.unique(distinct(nf4, 16, random_state(""))).size == 16


@pytest.mark.parametrize(
    "kind, narrower",
    [(f32, np.float16), (f32, ml_dtypes.bfloat16), (f16, ml_dtypes.bfloat16), (f16, ml_dtypes.float8_e5m2)],
)  # fmt: skip
def test_values_do_not_survive_a_narrower_type(kind, narrower):
    values = distinct(kind, 100, random_state("narrow"))
    changed = values.astype(narrower).astype(kind.dtype) != values
    assert np.count_nonzero(changed) > 80


@pytest.mark.parametrize("kind, narrower", [(i16, np.int8), (i32, np.int16), (i32, np.float32)])
def test_integers_do_not_survive_a_narrower_type(kind, narrower):
    values = distinct(kind, 100, random_state("narrow"))
    with np.errstate(all="ignore"):
        changed = values.astype(narrower).astype(np.float64) != values
    assert np.count_nonzero(changed) > 60


@pytest.mark.parametrize("kind", [i64, u64], ids=str)
def test_ordinary_64_bit_integers_fit_in_32_bits(kind):
    """Larger ones are a purpose of their own, for devices that compute in 32 bits."""
    values = distinct(kind, 1000, random_state(""))
    np.testing.assert_array_equal(values.astype(np.int32).astype(kind.dtype), values)


def test_ordinary_f64_fits_in_f32():
    values = distinct(f64, 1000, random_state(""))
    np.testing.assert_array_equal(values.astype(np.float32).astype(np.float64), values)


def test_both_signs_and_small_and_large_values():
    for kind in (f16, bf16, f32, f64):
        values = distinct(kind, 400, random_state("signs")).astype(np.float64)
        assert 100 < np.count_nonzero(values < 0) < 300
        assert 2**-6 <= np.abs(values).min() < 0.1
        assert 32 < np.abs(values).max() < 2**7
    values = distinct(i8, 200, random_state("signs"))
    assert 50 < np.count_nonzero(values < 0) < 150


def test_order_is_not_regular():
    values = distinct(i32, 50, random_state("order")).astype(np.int64)
    assert len(set(np.diff(values).tolist())) > 30


def test_strings_are_of_all_kinds():
    words = distinct(string, 12, random_state("words")).tolist()
    assert "" in words
    assert any(not word.isascii() for word in words)
    assert any(len(word) > 30 for word in words)


# --- data that a declaration or a purpose asks for ----------------------------------------------------------------


def made(declared, tensor, purpose="plain"):
    layer = parse(PLAIN).layer
    return data(declared, tensor, layer, purpose, random_state("made"))


def test_an_interval_may_leave_out_small_values():
    near = Input("data", types("T", "any type"), values=Interval(-5.0, 5.0))
    far = Input("data", types("T", "any type"), values=Interval(-5.0, 5.0, least=0.25))
    drawn = [made(each, f32[5000]) for each in (near, far)]
    sizes = [np.abs(values.astype(np.float64)) for values in drawn]
    assert np.min(sizes[0]) < 0.001
    assert np.min(sizes[1]) >= 0.25
    assert np.max(sizes[1]) <= 5
    assert 0.4 < np.mean(drawn[1] > 0) < 0.6
    # The others are what they were.
    kept = sizes[0] >= 0.25
    np.testing.assert_array_equal(drawn[0][kept], drawn[1][kept])


def test_an_interval_bounds_the_values():
    declared = Input("data", types("T", "any type"), values=Interval(-1.5, 2.5))
    for kind in (f16, bf16, f32, f64):
        values = made(declared, kind[200]).astype(np.float64)
        assert -1.5 <= values.min() < -1
        assert 2 < values.max() <= 2.5
    assert set(made(declared, i8[200]).tolist()) == {-1, 0, 1, 2}
    assert set(made(declared, u8[200]).tolist()) == {0, 1, 2}
    assert set(made(declared, boolean[200]).tolist()) == {False, True}


def test_a_function_decides_the_values():
    def places(layer, state):
        return state.randint(0, layer.data.rank, 50)

    declared = Input("data", types("T", "any type"), values=places)
    values = made(declared, i64[5, 10])
    assert values.shape == (5, 10)
    assert values.dtype == np.int64
    assert set(values.reshape(-1).tolist()) == {0, 1, 2, 3}
    # None means that any value will do.
    free = Input("data", types("T", "any type"), values=lambda layer, state: None)
    np.testing.assert_array_equal(
        made(free, f32[7]), made(Input("data", types("T", "any type")), f32[7])
    )


@pytest.mark.parametrize("name", ["f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2", "f4e2m1"])
def test_special_values_are_present(name):
    kind = ELEMENT_TYPES[name]
    info = ml_dtypes.finfo(kind.dtype)
    case = parse(f"{PLAIN.replace('f32', name)}/values=special")
    values = case.arrays()[0].reshape(-1)
    numbers = values.astype(np.float64)
    for wanted in (info.max, info.min, info.smallest_normal, info.smallest_subnormal):
        assert (numbers == float(wanted)).any(), wanted
    zeros = np.signbit(numbers[numbers == 0])
    assert zeros.any()
    assert not zeros.all()
    with np.errstate(all="ignore"):
        infinity, nan = np.array([np.inf, np.nan]).astype(kind.dtype).astype(np.float64)
    if np.isposinf(infinity):
        assert np.isposinf(numbers).any()
        assert np.isneginf(numbers).any()
    assert np.isnan(numbers).any() == np.isnan(nan)
    # Among ordinary ones.
    ordinary = np.isfinite(numbers) & (np.abs(numbers) > 0.01) & (np.abs(numbers) < 128)
    assert np.count_nonzero(ordinary) > 50


def test_special_values_have_many_neighbours():
    values = first(f"{PLAIN}/values=special")
    places = np.flatnonzero(np.isnan(values))
    assert len(places) > 3
    assert len(set(np.diff(places).tolist())) > 2


def test_rows_beside_special_values_stay_ordinary_where_an_output_mixes_them():
    values = first("ReduceSum-1/plain/f32[3,2,5,4]/axes=[1,2];keep_dims=true/values=special")
    assert not np.isfinite(values).all()
    assert np.isfinite(values[len(values) // 2 + 1 :]).all()


@pytest.mark.parametrize("kind", [i8, i32, i64, u8, u64, u1], ids=str)
def test_ends_of_integers(kind):
    bits = kind.bits - (kind.kind == "int")
    least = -(2**bits) if kind.kind == "int" else 0
    wanted = {least, least + 1, 0, 1, 2**bits - 2, 2**bits - 1}
    assert set(ends(kind).astype(object).tolist()) == wanted


def test_ends_of_other_types():
    assert ends(boolean).tolist() == [True, False]
    words = ends(string).tolist()
    assert "" in words
    assert any("\0" in word for word in words)
    assert any("\n" in word for word in words)
    assert max(map(len, words)) > 1000


def test_numbers_beyond_32_bits():
    for kind in (i64, u64):
        values = beyond_32_bits(kind)
        assert values.dtype == kind.dtype
        narrow = values.astype(np.uint32 if kind is u64 else np.int32).astype(kind.dtype)
        assert (narrow != values).all()
    wide = beyond_32_bits(f64)
    with np.errstate(all="ignore"):
        assert (wide.astype(np.float32).astype(np.float64) != wide).all()
    with pytest.raises(ValueError, match="f32 is not a 64-bit type"):
        beyond_32_bits(f32)


@pytest.mark.parametrize("name", ["i64", "u64", "f64"])
def test_large_numbers_are_in_their_cases(name):
    values = first(f"{PLAIN.replace('f32', name)}/values=large")
    for wanted in beyond_32_bits(ELEMENT_TYPES[name]):
        assert np.count_nonzero(values == wanted) > 5


def test_special_values_of_types_without_any_are_their_ends():
    np.testing.assert_array_equal(special(i8), ends(i8))
    np.testing.assert_array_equal(special(nf4), ends(nf4))
