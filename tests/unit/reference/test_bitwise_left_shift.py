import numpy as np
import pytest

from reference import answer, compare
from reference.bitwise.bitwise_left_shift import bitwise_left_shift

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def shifted(a, b, dtype=np.int32, **attributes):
    found = bitwise_left_shift(np.array(a, dtype), np.array(b, dtype), **attributes)
    assert found.dtype == np.dtype(dtype)
    return found.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_is_multiplication_by_powers_of_two(dtype):
    assert shifted([1, 5, 7, 0], [0, 1, 4, 3], dtype) == [1, 10, 112, 0]


def test_negative_numbers():
    assert shifted([-1, -1, -3], [7, 0, 2], np.int8) == [-128, -1, -12]
    assert shifted([-1, -3], [63, 61], np.int64) == [-(2**63), -3 * 2**61]


def test_unsigned_types_lose_high_bits():
    assert shifted([255, 129, 253], [1, 2, 7], np.uint8) == [254, 4, 128]
    assert shifted([2**64 - 1, 2**63 + 1], [63, 1], np.uint64) == [2**63, 2]


def test_broadcasting():
    assert shifted([[1], [3]], [0, 1, 2]) == [[1, 2, 4], [3, 6, 12]]
    assert shifted([[1, 1], [3, 3]], [0, 1], auto_broadcast="pdpd") == [[1, 2], [3, 6]]
    with pytest.raises(ValueError, match="shapes must be the same without broadcasting"):
        shifted([[1], [3]], [0, 1], auto_broadcast="none")


def wrong(a, b, came, dtype):
    (expected,) = answer(
        "BitwiseLeftShift-15", [np.array(a, dtype), np.array(b, dtype)], {}, ["i8"]
    )
    found = compare(expected, np.array(came, dtype))
    return found.wrong, found.open


def test_signed_overflow_is_open():
    assert wrong([64, 64, -65], [0, 1, 1], [64, -128, 126], np.int8) == (0, 0)
    assert wrong([64, 64, -65], [0, 1, 1], [64, 127, -128], np.int8) == (0, 2)
    assert wrong([64, 64, -65], [0, 1, 1], [63, 127, -128], np.int8) == (1, 2)


def test_shifts_out_of_range_are_open():
    assert wrong([1, 1, 1], [8, 7, 9], [1, 128, 2], np.uint8) == (0, 2)
    assert wrong([1, 1, 1], [8, 7, 9], [0, 127, 0], np.uint8) == (1, 0)
    assert wrong([1, 1], [-1, 1], [5, 2], np.int8) == (0, 1)


def test_unsigned_results_are_never_open():
    assert wrong([255, 128], [1, 1], [254, 1], np.uint8) == (1, 0)
