import ml_dtypes
import numpy as np
import pytest

from reference import Value, answer, bounded, compare
from reference.arithmetic.segment_max import segment_max


def asked(data, ids, count=None, fill_mode="ZERO", dtype=np.int32):
    given = None if count is None else np.array(count)
    return segment_max(
        np.array(data, dtype), np.array(ids, int), given, fill_mode=fill_mode
    ).tolist()


def test_the_segments_of_the_page():
    data, ids = [4, 9, 2, -7, -3, 5, 1, 8], [0, 0, 0, 1, 1, 3, 5, 5]
    assert asked(data, ids) == [9, -3, 0, 5, 0, 8]
    assert asked(data, ids, fill_mode="LOWEST") == [9, -3, -(2**31), 5, -(2**31), 8]


def test_the_number_of_segments():
    data, ids = [4, 9, 2, 7, 3], [0, 0, 2, 3, 3]
    assert asked(data, ids, 2) == [9, 0]
    assert asked(data, ids, 6) == [9, 0, 2, 7, 0, 0]
    assert asked(data, ids, 0) == []


def test_rows():
    data = [[1, 5], [7, 2], [3, 9]]
    assert asked(data, [0, 1, 1]) == [[1, 5], [7, 9]]
    assert asked(np.zeros((0, 2)), [], 1, "LOWEST", np.uint8) == [[0, 0]]


def test_lowest_numbers():
    assert asked([1], [1], fill_mode="LOWEST", dtype=np.int8) == [-128, 1]
    found = segment_max(np.array([1], ml_dtypes.bfloat16), np.array([1]), fill_mode="LOWEST")
    assert found.astype(float).tolist() == [float(ml_dtypes.finfo(ml_dtypes.bfloat16).min), 1.0]
    assert asked([-np.inf, 2], [0, 1], dtype=np.float32) == [-np.inf, 2.0]


def test_lowest_numbers_behind_another_layer_are_those_of_the_type():
    data = bounded("Exp-1", [Value.exact(np.array([1, 2], np.float32))], {}, ["f32"])
    ids = Value.exact(np.array([1, 1]))
    (found,) = bounded("SegmentMax-16", [*data, ids], {"fill_mode": "LOWEST"}, ["f32"])
    assert found.array[0] == float(np.finfo(np.float32).min)
    assert np.isclose(found.array[1], np.exp(2))


def test_segments_with_nan_are_open():
    inputs = [np.array([1, np.nan, 3], np.float32), np.array([0, 0, 1])]
    (expected,) = answer("SegmentMax-16", inputs, {"fill_mode": "ZERO"})
    assert not compare(expected, np.array([1, 3], np.float32)).wrong
    assert compare(expected, np.array([1, 2], np.float32)).wrong == 1


@pytest.mark.parametrize(
    ("ids", "count", "sentence"),
    [
        ([0, 2, 1], None, "segment_ids must be sorted and not negative"),
        ([-1, 0, 1], None, "segment_ids must be sorted and not negative"),
        ([[0, 1, 2]], None, "segment_ids must have rank 1"),
        ([0, 1, 2], [3], "num_segments must have rank 0"),
    ],
)
def test_errors(ids, count, sentence):
    with pytest.raises(ValueError, match=f"SegmentMax-16: {sentence}"):
        asked([1, 2, 3], ids, count)
