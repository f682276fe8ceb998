"""Floating-point formats as bounds see them."""

import ml_dtypes
import numpy as np
import pytest

from reference.accuracy.precision import (
    PRECISIONS,
    coarser,
    flush_subnormals,
    is_float,
    is_integer,
    parse_precision,
    precision_of,
    round_significand,
    rounded,
)


@pytest.mark.parametrize(
    ("name", "epsilon", "smallest_normal", "largest"),
    [
        ("f64", 2.0**-52, 2.0**-1022, 2.0**1023 * (2 - 2.0**-52)),
        ("f32", 2.0**-23, 2.0**-126, 2.0**127 * (2 - 2.0**-23)),
        ("f16", 2.0**-10, 2.0**-14, 65504.0),
        ("bf16", 2.0**-7, 2.0**-126, 2.0**127 * (2 - 2.0**-7)),
        ("f8e4m3", 2.0**-3, 2.0**-6, 448.0),
        ("f8e5m2", 2.0**-2, 2.0**-14, 57344.0),
        ("f4e2m1", 2.0**-1, 1.0, 6.0),
    ],
)
def test_formats(name, epsilon, smallest_normal, largest):
    precision = PRECISIONS[name]
    assert precision.epsilon == epsilon
    assert precision.smallest_normal == smallest_normal
    assert precision.largest == largest


def test_half_an_ulp_is_half_the_distance_to_the_next_number():
    values = np.array([1.0, 1.5, 2.0, 3e-5, 1000.0], np.float16)
    distance = (np.nextafter(values, np.float16(np.inf)) - values).astype(np.float64)
    half = PRECISIONS["f16"].half_ulp(values.astype(np.float64))
    assert (half * 2 == distance).all()
    assert PRECISIONS["f16"].half_ulp(np.array([65504.0]))[0] == 16
    assert PRECISIONS["f32"].half_ulp(np.array([0.0, np.inf, np.nan]))[0] == 2.0**-150


def test_overflow_begins_half_a_step_beyond_the_largest():
    assert PRECISIONS["f16"].overflow == 65520.0
    f32 = PRECISIONS["f32"]
    with np.errstate(over="ignore"):
        assert np.float32(f32.overflow) == np.inf
        assert np.float32(np.nextafter(f32.overflow, 0)) == np.finfo(np.float32).max


@pytest.mark.parametrize(
    ("text", "name"),
    [("f32", "f32"), ("FP16", "f16"), ("bfloat16", "bf16"), ("BF16", "bf16"), ("float32", "f32")],
)
def test_what_devices_say(text, name):
    assert parse_precision(text) is PRECISIONS[name]


@pytest.mark.parametrize("text", ["", "dynamic", "undefined", "i8", "u8", "i32"])
def test_what_is_no_precision(text):
    assert parse_precision(text) is None


def test_the_coarser_has_fewer_fraction_bits():
    f16, bf16, f32 = (PRECISIONS[name] for name in ("f16", "bf16", "f32"))
    assert coarser(f32, bf16) is bf16
    assert coarser(bf16, f32) is bf16
    assert coarser(f16, bf16) is bf16
    assert coarser(f32, None) is f32


def test_rounding_a_significand_is_a_conversion_where_the_range_allows():
    values = np.random.RandomState(0).standard_normal(1000).astype(np.float32)
    rounded = round_significand(values, PRECISIONS["bf16"])
    assert rounded.dtype == np.float32
    assert (rounded == values.astype(ml_dtypes.bfloat16).astype(np.float32)).all()
    large = np.array([1e300, -1e-300, np.inf, np.nan, 0.0])
    kept = round_significand(large, PRECISIONS["f32"])
    assert kept[:2] == pytest.approx(large[:2], rel=2.0**-24)
    assert kept[2] == np.inf
    assert np.isnan(kept[3])


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn])
def test_rounding_to_a_type_happens_once(dtype):
    precision = precision_of(np.dtype(dtype))
    just_over_a_tie = np.array([1 + precision.unit + 2.0**-40, 1 + precision.unit])
    assert rounded(just_over_a_tie, np.dtype(dtype)).tolist() == [1 + precision.epsilon, 1.0]
    every = np.arange(2**16 if precision.dtype.itemsize == 2 else 2**8)
    with np.errstate(invalid="ignore"):  # signalling NaNs are among them
        numbers = every.astype(f"u{precision.dtype.itemsize}").view(dtype).astype(np.float64)
    np.testing.assert_array_equal(rounded(numbers, np.dtype(dtype)).astype(np.float64), numbers)


def test_subnormals_become_zeros_of_their_sign():
    values = np.array([1e-40, -1e-40, 2.0**-126, -3.0], np.float32)
    flushed = flush_subnormals(values, PRECISIONS["f32"])
    assert flushed.tolist() == [0.0, -0.0, 2.0**-126, -3.0]
    assert np.signbit(flushed).tolist() == [False, True, False, True]


def test_kinds_of_types():
    assert is_float(np.dtype(ml_dtypes.bfloat16))
    assert is_float(np.dtype(np.float16))
    assert not is_float(np.dtype(np.int8))
    assert is_integer(np.dtype(ml_dtypes.int4))
    assert not is_integer(np.dtype(bool))
    assert precision_of(np.dtype(np.int8)) is None
    assert precision_of(np.dtype(ml_dtypes.float8_e5m2)) is PRECISIONS["f8e5m2"]
