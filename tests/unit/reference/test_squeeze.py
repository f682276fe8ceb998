import numpy as np
import pytest

from reference.shape.squeeze import squeeze_1, squeeze_15
from reference.shape.unsqueeze import unsqueeze


@pytest.mark.parametrize(
    "shape,axes,result",
    [
        ((1, 3, 1, 2), [0, 2], (3, 2)),
        ((1,), [0], ()),
        ((1, 3, 1, 2), [0], (3, 1, 2)),
        ((1, 3, 1, 2), 2, (1, 3, 2)),
        ((1, 3, 1, 2), -2, (1, 3, 2)),
        ((1, 3, 1, 2), [-4, 2], (3, 2)),
        ((1, 3, 1, 2), [2, 0], (3, 2)),
        ((1, 3, 1, 2), None, (3, 2)),
        ((1, 3, 1, 2), [], (3, 2)),
        ((1, 3, 1, 2), [1], (1, 3, 1, 2)),
        ((1, 3, 1, 2), [0, 1, 3], (3, 1, 2)),
        ((3, 5), None, (3, 5)),
        ((1, 0), None, (0,)),
    ],
)
@pytest.mark.parametrize("squeeze", [squeeze_1, squeeze_15])
def test_shapes_and_elements(squeeze, shape, axes, result):
    data = np.arange(np.prod(shape)).reshape(shape)
    y = squeeze(data, None if axes is None else np.array(axes, np.int64))
    assert y.shape == result
    np.testing.assert_array_equal(y.reshape(-1), data.reshape(-1))


@pytest.mark.parametrize("allow_axis_skip", [False, True])
def test_allow_axis_skip_changes_no_values(allow_axis_skip):
    data = np.arange(6).reshape(2, 3, 1)
    y = squeeze_15(data, np.array([1, 2]), allow_axis_skip=allow_axis_skip)
    assert y.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_undoes_unsqueeze():
    state = np.random.RandomState(4)
    for _ in range(20):
        data = state.randint(0, 9, state.randint(1, 4, state.randint(0, 4)))
        axes = state.permutation(data.ndim + 2)[:2]
        np.testing.assert_array_equal(squeeze_1(unsqueeze(data, axes), axes), data)


@pytest.mark.parametrize("axes", [[3], [0, -4], 3])
def test_axes_outside_the_rank(axes):
    with pytest.raises(ValueError, match=r"Squeeze-1: axes must be in \[-3, 3\), got"):
        squeeze_1(np.zeros((1, 2, 1)), np.array(axes))
    with pytest.raises(ValueError, match="Squeeze-15: axes must have rank 0 or 1, got 2"):
        squeeze_15(np.zeros((1, 2, 1)), np.array([[0]]))
