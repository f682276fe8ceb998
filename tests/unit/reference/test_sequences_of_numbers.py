"""Eye and Range: values by hand."""

import numpy as np
import pytest

from reference import answer
from reference.generation.eye import eye
from reference.generation.range import range_, range_of_one_type


def made(rows, columns, diagonal, batch=None, output_type="i32"):
    given = (rows, columns, diagonal, *([] if batch is None else [batch]))
    return eye(*map(np.array, given), output_type=output_type)


def test_the_matrices_of_the_page():
    assert made(3, 4, 2).tolist() == [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert made(3, 4, -1).tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert made(2, 2, 5, [1, 2], "f16").tolist() == [[[[0, 0], [0, 0]]] * 2]


def test_a_diagonal_beyond_the_rows():
    assert made(2, 5, [3]).tolist() == [[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert not made(2, 5, 5).any()
    assert not made(5, 2, -5).any()


def test_batches_and_types():
    found = made([1], 2, 0, [3, 0, 2], "u8")
    assert (found.shape, found.dtype) == ((3, 0, 2, 1, 2), np.uint8)
    assert made(2, 1, 0, [2]).tolist() == [[[1], [0]]] * 2


def test_strings_are_no_output():
    with pytest.raises(ValueError, match="Eye-9: output_type must be a type of numbers"):
        made(1, 1, 0, output_type="string")


def one(*numbers, dtype=np.int32):
    return range_of_one_type(*(np.array(each, dtype) for each in numbers)).tolist()


def test_stop_is_left_out():
    assert one(1, 7, 3) == [1, 4]
    assert one(1, 8, 3) == [1, 4, 7]
    assert one(1, 1, 3) == one(2, 1, 3) == one(1, 2, -3) == []
    assert one(0.5, 2.0, 0.75, dtype=np.float16) == [0.5, 1.25]


def test_numbers_are_counted_exactly():
    # 0.1 of f32 three times is less than 0.3 of f32.
    assert len(one(0, 0.3, 0.1, dtype=np.float32)) == 4
    assert one(2**63 - 8, 2**63 - 1, 3, dtype=np.int64) == [2**63 - 8, 2**63 - 5, 2**63 - 2]
    assert one(200, 255, 30, dtype=np.uint8) == [200, 230]


def four(*numbers, output_type):
    return range_(*map(np.array, numbers), output_type=output_type)


def test_fractions_are_cut_off_before_numbers_are_counted():
    assert four(1.0, 2.5, 0.5, output_type="f32").tolist() == [1.0, 1.5, 2.0]
    assert four(1.75, 9.0, 2.5, output_type="i32").tolist() == [1, 3, 5, 7]
    assert four(1.0, 2.5, 1.0, output_type="i64").tolist() == [1]
    assert four(-1.75, -9.5, -2.25, output_type="i8").tolist() == [-1, -3, -5, -7]


def test_the_type_of_the_output():
    assert four(np.int8(1), np.float32(4), np.uint16(2), output_type="u8").dtype == np.uint8
    assert four(1, 4, 2, output_type="f16").dtype == np.float64


def test_what_is_refused():
    with pytest.raises(ValueError, match="Range-1: step must not be 0"):
        one(1, 2, 0)
    with pytest.raises(ValueError, match="Range-4: step must not be 0"):
        four(1, 2, 0.5, output_type="i32")
    with pytest.raises(ValueError, match="Range-4: stop must have rank 0"):
        four(1, [2], 1, output_type="i32")


def test_each_number_errs_by_what_was_rounded_before_it():
    """The first is start itself, which a bound of the largest of 667 numbers would let be anything."""
    given = [np.array(each, np.float32) for each in (0, 500, 0.75)]
    (expected,) = answer("Range-4", given, {"output_type": "f16"}, ["f16"])
    allowed = expected.allowed_errors()
    assert allowed.shape == (667,)
    unit = 2.0**-10
    assert allowed[0] == pytest.approx(0.75 * unit, rel=0.1)
    assert allowed[1] == pytest.approx((0.75 + 2 * 0.75) * unit, rel=0.1)
    assert np.all(np.diff(allowed) > 0)
    assert allowed[-1] < 0.51 * 667 * 500 * unit
