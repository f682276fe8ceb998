"""BatchNormInference: channels normalized by hand."""

import numpy as np

from reference.normalization.batch_norm_inference import batch_norm_inference

DATA = np.array([[[1.0, 5.0], [2.0, 0.0]]])


def asked(epsilon=0.0, data=DATA, gamma=(2.0, -1.0)):
    others = ([10.0, 0.5], [3.0, 1.0], [4.0, 0.25])
    return batch_norm_inference(data, np.array(gamma), *map(np.array, others), epsilon=epsilon)


def test_each_channel_has_its_own_numbers():
    # Channel 0: 2 (x - 3) / 2 + 10. Channel 1: -(x - 1) / 0.5 + 0.5.
    assert asked().tolist() == [[[8, 12], [-1.5, 2.5]]]


def test_epsilon_is_added_to_the_variance():
    # Roots of 4 + 5 = 9 and 0.25 + 5 = 5.25.
    found = asked(epsilon=5.0)
    np.testing.assert_allclose(found[0, 0], [2 * -2 / 3 + 10, 2 * 2 / 3 + 10], rtol=1e-15)
    np.testing.assert_allclose(found[0, 1], [-1 / 5.25**0.5 + 0.5, 1 / 5.25**0.5 + 0.5], rtol=1e-15)


def test_no_spatial_axes():
    assert asked(data=DATA[:, :, 0]).tolist() == [[8, -1.5]]
