import numpy as np
import pytest

from reference.movement.slice import slice_8
from reference.movement.slice_scatter import slice_scatter

DATA = np.arange(10).reshape(2, 5)


def arrays(*values):
    return [np.array(value, np.int64) for value in values]


def test_first_example():
    updates = np.array([[10, 20, 30, 40, 50]])
    output = slice_scatter(DATA, updates, *arrays([0], [1], [1], [0]))
    assert output.tolist() == [[10, 20, 30, 40, 50], [5, 6, 7, 8, 9]]
    assert DATA[0, 0] == 0


def test_second_example():
    updates = np.array([[10, 20, 30], [40, 50, 60]])
    expected = [[10, 1, 20, 3, 30], [40, 6, 50, 8, 60]]
    for axis in (1, -1):
        output = slice_scatter(DATA, updates, *arrays([-25], [25], [2], [axis]))
        assert output.tolist() == expected


def test_backwards():
    updates = np.array([[1, 2, 3], [4, 5, 6]]) * 10
    output = slice_scatter(DATA, updates, *arrays([4], [-(2**63)], [-2], [1]))
    assert output.tolist() == [[30, 1, 20, 3, 10], [60, 6, 50, 8, 40]]


@pytest.mark.parametrize("seed", range(30))
def test_what_was_scattered_is_found_by_slicing(seed):
    state = np.random.RandomState(seed)
    data = state.randint(-(2**62), 2**62, (3, 4, 5))
    limits = [state.randint(-7, 8, 2), state.randint(-7, 8, 2), state.choice([-2, -1, 1, 3], 2)]
    axes = state.permutation(3)[:2] - 3
    updates = state.randint(-(2**62), 2**62, slice_8(data, *limits, axes).shape)
    output = slice_scatter(data, updates, *limits, axes)
    np.testing.assert_array_equal(slice_8(output, *limits, axes), updates)
    assert (output != data).sum() == updates.size


@pytest.mark.parametrize(
    "shape, start, stop, step, axes, message",
    [
        ((1, 5), [0], [1], [1], [2], r"SliceScatter-15: axes must be in \[-2, 2\)"),
        ((1, 5), [0, 0], [1, 1], [1, 1], [0, -2], "SliceScatter-15: axes must be different"),
    ],
)
def test_rules(shape, start, stop, step, axes, message):
    with pytest.raises(ValueError, match=message):
        slice_scatter(DATA, np.zeros(shape, int), *arrays(start, stop, step, axes))
