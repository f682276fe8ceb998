"""Constant, Parameter and Result: what they must give, and what they must refuse."""

import ml_dtypes
import numpy as np
import pytest

from reference import lookup

constant, parameter, result = map(lookup, ("Constant-1", "Parameter-1", "Result-1"))
HALVES = np.array([[1.0, -2.0, 0.5], [3.0, 4.0, 5.0]], np.float16)
OF_HALVES = {"offset": 7, "size": 12, "element_type": "f16", "shape": (2, 3)}


def test_a_constant_is_its_content():
    (found,) = constant(HALVES, **OF_HALVES)
    assert found.dtype == np.float16
    assert found.tolist() == [[1.0, -2.0, 0.5], [3.0, 4.0, 5.0]]


def test_another_constant_reads_the_same_bytes():
    found = {
        also: constant(HALVES, **OF_HALVES, also=also)[1]
        for also in ("same", "flat", "half", "bytes")
    }
    assert found["same"].shape == (2, 3)
    assert found["flat"].tolist() == [1.0, -2.0, 0.5, 3.0, 4.0, 5.0]
    assert found["half"].tolist() == [3.0, 4.0, 5.0]
    # The low byte first: 1 is 0x3c00, -2 is 0xc000, 0.5 is 0x3800.
    assert found["bytes"][:6].tolist() == [0, 0x3C, 0, 0xC0, 0, 0x38]


@pytest.mark.parametrize(
    ("count", "size", "is_right"), [(8, 1, True), (9, 2, True), (7, 1, True), (9, 1, False)]
)
def test_bits_fill_bytes(count, size, is_right):
    given = {"offset": 0, "size": size, "element_type": "u1", "shape": (count,)}
    bits = np.arange(count, dtype=np.uint8) % 2
    if is_right:
        assert constant(bits, **given)[0].tolist() == bits.tolist()
    else:
        with pytest.raises(ValueError, match="size must be 2, got 1"):
            constant(bits, **given)


def test_the_file_may_end_with_the_content_or_go_on():
    for file_size in (19, 20):
        assert constant(HALVES, **OF_HALVES, file_size=file_size)[0].size == 6


def test_a_parameter_is_what_is_given():
    value = np.array([[1, -2, 3]], ml_dtypes.int4)
    for shape in ((1, 3), (-1, 3), (-1, -1)):
        found = parameter(value, element_type="i4", shape=shape)
        assert found.tolist() == [[1, -2, 3]]
    assert parameter(np.float32(2.5), element_type="f32", shape=()) == 2.5


def test_results_of_one_output_are_alike():
    data = np.array([1, 2])
    assert [each.tolist() for each in result(data, results=3)] == [[1, 2]] * 3
    assert len(result(data)) == 1
