import numpy as np
import pytest

from reference.shape.unsqueeze import unsqueeze


@pytest.mark.parametrize(
    "shape,axes,result",
    [
        ((2, 3), [0, 3], (1, 2, 3, 1)),
        ((), [0], (1,)),
        ((2, 3), 1, (2, 1, 3)),
        ((2, 3), -1, (2, 3, 1)),
        ((2, 3), [-4], None),
        ((2, 3), [-4, 1], (1, 1, 2, 3)),
        ((2, 3), [3, 1], (2, 1, 3, 1)),
        ((2, 3), [1, 2], (2, 1, 1, 3)),
        ((2, 3), [], (2, 3)),
    ],
)
def test_shapes_and_elements(shape, axes, result):
    data = np.arange(np.prod(shape)).reshape(shape)
    given = np.array(axes, np.int64)
    if result is None:
        with pytest.raises(ValueError, match=r"Unsqueeze-1: axes must be in \[-3, 3\), got -4"):
            unsqueeze(data, given)
        return
    y = unsqueeze(data, given)
    assert y.shape == result
    np.testing.assert_array_equal(y.reshape(-1), data.reshape(-1))


def test_what_the_page_forbids():
    with pytest.raises(ValueError, match="Unsqueeze-1: axes must be different"):
        unsqueeze(np.zeros(2), np.array([0, -3]))
    with pytest.raises(ValueError, match="axes must have rank 0 or 1, got 2"):
        unsqueeze(np.zeros(2), np.array([[0]]))
