"""GroupNormalization: groups of channels by hand."""

import math

import numpy as np

from reference.normalization.group_normalization import group_normalization

# Four channels of two elements.
DATA = np.array([[[1.0, 3.0], [5.0, 7.0], [2.0, 2.0], [2.0, 6.0]]])


def asked(num_groups=2, epsilon=4.0, data=DATA, scale=(1.0, 2.0, 3.0, -1.0)):
    bias = np.array([0.0, 0.5, 1.0, 10.0])
    return group_normalization(data, np.array(scale), bias, num_groups=num_groups, epsilon=epsilon)


def test_groups_of_two_channels():
    # Means 4 and 3; variances (9 + 1 + 1 + 9) / 4 = 5 and (1 + 1 + 1 + 9) / 4 = 3; roots of 9 and of 7.
    root = math.sqrt(7)
    expected = [
        [
            [-1, -1 / 3],
            [2 / 3 + 0.5, 2.5],
            [1 - 3 / root, 1 - 3 / root],
            [10 + 1 / root, 10 - 3 / root],
        ]
    ]
    np.testing.assert_allclose(asked(), expected, rtol=1e-14)


def test_a_group_for_each_channel():
    # Means 2, 6, 2, 4; variances 1, 1, 0, 4; epsilon 5: roots 6, 6, 5, 9.
    found = asked(num_groups=4, epsilon=5.0)
    np.testing.assert_allclose(found[0, 3], [10 + 2 / 3, 10 - 2 / 3], rtol=1e-14)
    np.testing.assert_allclose(found[0, 0], [-1 / math.sqrt(6), 1 / math.sqrt(6)], rtol=1e-14)
    assert found[0, 2].tolist() == [1, 1]
