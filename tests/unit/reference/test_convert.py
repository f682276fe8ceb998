import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.type.convert import convert


def to(kind, data, dtype):
    return convert(np.array(data).astype(dtype), destination_type=kind)


def test_the_number_of_the_page():
    assert to("i32", [3.141592], np.float32).tolist() == [3]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("u8", [255, 128, 5]),
        ("u16", [65535, 65408, 5]),
        ("u32", [2**32 - 1, 2**32 - 128, 5]),
        ("u64", [2**64 - 1, 2**64 - 128, 5]),
        ("u4", [15, 0, 5]),
        ("u1", [1, 0, 1]),
        ("u3", [7, 0, 5]),
        ("u6", [63, 0, 5]),
    ],
)
def test_negative_integers_to_unsigned_types(kind, expected):
    assert to(kind, [-1, -128, 5], np.int8).astype(object).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_integers_keep_their_low_bits(dtype):
    assert to("i8", [-5, 127, 300, -129], dtype).tolist() == [-5, 127, 44, 127]


def test_64_bits():
    assert to("u64", [-(2**63), 2**62 + 1], np.int64).tolist() == [2**63, 2**62 + 1]
    assert to("i64", [2**63 - 1, 2**53 + 1], np.uint64).tolist() == [2**63 - 1, 2**53 + 1]
    assert to("i64", [2.0**62, -(2.0**63)], np.float64).tolist() == [2**62, -(2**63)]
    assert to("u64", [2.0**63, 0.0], np.float64).tolist() == [2**63, 0]


def test_fractions_are_cut_off():
    assert to("i32", [2.7, -2.7, 0.5, -0.5, 7], np.float32).tolist() == [2, -2, 0, 0, 7]
    assert to("u8", [2.75, 127.5], ml_dtypes.bfloat16).tolist() == [2, 127]


def test_booleans():
    assert to("boolean", [0.0, -0.0, 2.5, np.inf], np.float32).tolist() == [
        False,
        False,
        True,
        True,
    ]
    assert to("boolean", [0, 256, -1], np.int32).tolist() == [False, True, True]
    assert to("f32", [True, False], bool).tolist() == [1.0, 0.0]
    assert to("i8", [True, False], bool).tolist() == [1, 0]


def test_floats_stay_as_they_are():
    found = to("f16", [1.1, np.inf, 1e10], np.float32)
    assert found.dtype == np.float64
    assert found.tolist() == [float(np.float32(1.1)), np.inf, 1e10]
    assert to("f64", [-3, 7], ml_dtypes.int4).tolist() == [-3.0, 7.0]


def test_types_of_few_numbers():
    assert to("f8e8m0", [1.0, 5.0, 7.0, 0.5], np.float32).tolist() == [1.0, 4.0, 8.0, 0.5]
    assert to("nf4", [1.0, 0.02, -0.9], np.float32).tolist() == [1.0, 0.0, -1.0]


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *(("i8", np.int8), ("u64", np.uint64), ("i4", ml_dtypes.int4), ("u2", ml_dtypes.uint2)),
        *(("u1", np.uint8), ("u3", np.uint8), ("u6", np.uint8), ("boolean", bool)),
    ],
)
def test_types_of_the_arrays(kind, dtype):
    assert to(kind, [0, 1], np.float32).dtype == dtype
    assert to(kind, [0, 1], np.int32).dtype == dtype


def test_integers_of_every_pair_of_types_come_back():
    for kind, dtype in (("i8", np.int8), ("i16", np.int16), ("i32", np.int32), ("i64", np.int64)):
        for other in ("u8", "u16", "u32", "u64", "f64"):
            bits, wide = int(other[1:]), 8 * np.dtype(dtype).itemsize
            if bits < wide or (other == "f64" and wide == 64):
                continue
            data = np.array([0, 1, -1, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
            there = convert(data, destination_type=other)
            np.testing.assert_array_equal(convert(there, destination_type=kind), data)


# --- what a device may answer -------------------------------------------------------------------------------------


def judged(kind, data, dtype, came, came_dtype):
    """Elements that are wrong, and those that are coarse or differ where the specification is silent."""
    given = np.array(data).astype(dtype)
    (expected,) = answer("Convert-1", [given], {"destination_type": kind}, [kind])
    answered = np.array(came, came_dtype)
    found = compare(expected.chosen([answered]), answered)
    return found.wrong, found.coarse + found.open


def test_fractions_may_go_to_either_neighbour():
    numbers = [2.7, -2.7, 7.0, -0.5]
    assert judged("i32", numbers, np.float32, [2, -2, 7, 0], np.int32) == (0, 0)
    assert judged("i32", numbers, np.float32, [3, -3, 7, -1], np.int32) == (0, 0)
    assert judged("i32", numbers, np.float32, [4, -1, 8, 1], np.int32) == (4, 0)
    assert judged("boolean", [0.5, 1.5], np.float32, [False, True], bool) == (0, 0)
    assert judged("boolean", [0.0, 1.5], np.float32, [True, False], bool) == (2, 0)


def test_negative_integers_are_never_open():
    assert judged("u8", [-1, 5], np.int32, [255, 5], np.uint8) == (0, 0)
    assert judged("u8", [-1, 5], np.int32, [0, 5], np.uint8) == (1, 0)
    assert judged("u64", [-1, 2**62], np.int64, [2**64 - 2, 2**62], np.uint64) == (1, 0)


def test_numbers_out_of_range_are_open():
    assert judged("i8", [300, -129, 5], np.int32, [127, -128, 5], np.int8) == (0, 2)
    assert judged("u8", [300, 256, 5], np.int32, [255, 255, 6], np.uint8) == (1, 2)
    assert judged("u8", [300.0, -1.0, np.nan], np.float32, [1, 2, 3], np.uint8) == (0, 3)
    assert judged("i64", [2.0**63, -(2.0**63)], np.float64, [5, 6], np.int64) == (1, 1)
    assert judged("f16", [1e6, -1e6, 5.0], np.float32, [65504, -np.inf, 5], np.float16) == (0, 1)


def test_a_scalar_may_be_out_of_range():
    assert judged("i8", 300, np.int32, 127, np.int8) == (0, 1)
    assert judged("u8", 5, np.int64, 5, np.uint8) == (0, 0)


def test_infinities_and_nan_stay_where_the_type_has_them():
    specials = [np.inf, -np.inf, np.nan]
    assert judged("f16", specials, np.float32, specials, np.float16) == (0, 0)
    assert judged("f16", specials, np.float32, [65504, np.nan, 0.0], np.float16) == (3, 0)
    fp8 = ml_dtypes.float8_e4m3fn
    assert judged("f8e4m3", [np.inf, np.nan], np.float32, [448, np.nan], fp8)[0] == 0
    assert judged("f8e4m3", [1.0, np.nan], np.float32, [1.0, 1.0], fp8)[0] == 1


def test_floats_round_once():
    halfway = [1 + 2.0**-11, 1 + 2.0**-10]
    assert judged("f16", halfway, np.float32, [1.0, 1 + 2.0**-10], np.float16) == (0, 0)
    assert judged("f16", [1 + 2.0**-12], np.float32, [1 + 2.0**-10], np.float16) == (0, 1)
    assert judged("f16", [1 + 2.0**-11], np.float32, [1 + 2.0**-8], np.float16) == (1, 0)


def test_types_of_few_numbers_have_neighbours():
    power = ml_dtypes.float8_e8m0fnu
    assert judged("f8e8m0", [5.0, 7.0], np.float32, [8.0, 4.0], power) == (0, 0)
    assert judged("f8e8m0", [5.0, 4.0], np.float32, [2.0, 8.0], power) == (2, 0)
    assert judged("nf4", [0.02], np.float32, [0.0], np.float32) == (0, 0)
    assert judged("nf4", [0.02], np.float32, [1.0], np.float32) == (1, 0)


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match="Convert-1: destination_type must be a type of numbers"):
        to("string", [1.0], np.float32)
