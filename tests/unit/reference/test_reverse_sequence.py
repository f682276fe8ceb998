import numpy as np
import pytest

from reference.movement.reverse_sequence import reverse_sequence

DATA = np.arange(12).reshape(3, 4)


def test_by_hand():
    expected = [[1, 0, 2, 3], [4, 5, 6, 7], [11, 10, 9, 8]]
    lengths = np.array([2, 1, 4])
    assert reverse_sequence(DATA, lengths).tolist() == expected
    assert reverse_sequence(DATA, lengths.astype(np.float32)).tolist() == expected


def test_other_axes():
    # The batch is the last axis; the first 2, 1, 3 and 2 elements of its columns turn round.
    expected = [[4, 1, 10, 7], [0, 5, 6, 3], [8, 9, 2, 11]]
    lengths = np.array([2, 1, 3, 2])
    assert reverse_sequence(DATA, lengths, batch_axis=1, seq_axis=0).tolist() == expected
    assert reverse_sequence(DATA, lengths, batch_axis=-1, seq_axis=-2).tolist() == expected


@pytest.mark.parametrize("dtype", [object, np.bool_, np.int64])
def test_twice_is_the_same(dtype):
    data = np.random.RandomState(0).randint(-(2**60), 2**60, (2, 3, 5, 4)).astype(dtype)
    lengths = np.array([5, 2, 3])
    once = reverse_sequence(data, lengths, batch_axis=1, seq_axis=2)
    assert once.dtype == dtype
    twice = reverse_sequence(once, lengths, batch_axis=1, seq_axis=2)
    np.testing.assert_array_equal(twice, data)


@pytest.mark.parametrize(
    "lengths, axes, message",
    [
        ([1, 2, 3], {"seq_axis": -3}, r"seq_axis must be in \[-2, 2\), got -3"),
        ([1, 2, 3], {"seq_axis": 0}, "batch_axis and seq_axis must differ, both are 0"),
    ],
)
def test_rules(lengths, axes, message):
    with pytest.raises(ValueError, match=message):
        reverse_sequence(DATA, np.array(lengths), **axes)
