"""DFT, by hand and by the identities of the transform."""

import numpy as np
import pytest

from reference import answer, lookup

dft = lookup("DFT-7")


def pairs(values):
    values = np.asarray(values, complex)
    return np.stack([values.real, values.imag], axis=-1)


def transformed(values, axes=(0,), signal_size=None):
    size = None if signal_size is None else np.array(signal_size)
    found = dft(pairs(values), np.array(axes, np.int64), size)
    return found[..., 0] + 1j * found[..., 1]


def test_four_points():
    np.testing.assert_allclose(transformed([1, 2, 3, 4]), [10, -2 + 2j, -2, -2 - 2j], atol=1e-14)


def test_the_sign_of_the_exponent_is_negative():
    wave = np.exp(2j * np.pi * np.arange(8) * 3 / 8)
    np.testing.assert_allclose(transformed(wave), [0, 0, 0, 8, 0, 0, 0, 0], atol=1e-14)


def test_an_impulse_has_all_frequencies():
    np.testing.assert_allclose(
        transformed([0, 1, 0]), np.exp(-2j * np.pi * np.arange(3) / 3), atol=1e-15
    )


def test_signals_are_cut_or_padded_at_the_end():
    np.testing.assert_allclose(transformed([1, 2, 9, 9], signal_size=[2]), [3, -1], atol=1e-15)
    padded = transformed([1, 2], signal_size=[4])
    np.testing.assert_allclose(padded, transformed([1, 2, 0, 0]), atol=1e-15)
    np.testing.assert_allclose(transformed([1, 2], signal_size=[-1]), [3, -1], atol=1e-15)


def test_sizes_belong_to_axes_in_their_order():
    values = np.arange(12).reshape(3, 4)
    assert transformed(values, [1, 0], [5, 2]).shape == (2, 5)
    np.testing.assert_allclose(
        transformed(values, [1, 0], [5, 2]), transformed(values, [0, 1], [2, 5]), atol=1e-12
    )


def test_negative_axes_do_not_count_the_pairs():
    values = np.random.RandomState(0).normal(size=(2, 3, 4))
    assert np.array_equal(transformed(values, [-1]), transformed(values, [2]))
    assert np.array_equal(transformed(values, [-3]), transformed(values, [0]))


def test_no_axes():
    np.testing.assert_array_equal(transformed([1, 2j], []), [1, 2j])


@pytest.mark.parametrize("seed", range(5))
def test_energy_stays_and_the_inverse_is_the_conjugate(seed):
    state = np.random.RandomState(seed)
    shape = state.randint(1, 9, 3)
    values = state.normal(size=shape) + 1j * state.normal(size=shape)
    found = transformed(values, [2, 0])
    count = shape[0] * shape[2]
    np.testing.assert_allclose(np.sum(abs(found) ** 2), count * np.sum(abs(values) ** 2))
    again = np.conj(transformed(np.conj(found), [2, 0])) / count
    np.testing.assert_allclose(again, values, atol=1e-13)


@pytest.mark.parametrize(
    "data, axes, size, message",
    [
        (np.ones((3, 4, 2)), [2], None, r"axes must be in \[-2, 2\), got 2"),
        (np.ones((3, 4, 2)), [-3], None, "axes must be in"),
        (np.ones((3, 4, 2)), [1, -1], None, "axes must be different axes"),
    ],
)
def test_rules(data, axes, size, message):
    with pytest.raises(ValueError, match=message):
        dft(data, np.array(axes), None if size is None else np.array(size))


def test_infinities_and_sums_that_may_overflow_are_left_open():
    signals = pairs([[1, np.inf], [3e38, 3e38], [1, np.nan], [1, 2]]).astype(np.float32)
    axes = np.array([1], np.int64)
    (right,) = answer("DFT-7", [signals, axes], {}, ["f32"])
    open_ = np.isinf(np.broadcast_to(right.bound, right.value.shape))
    assert open_[:2].all()
    assert not open_[2:, :, 0].any()
    assert not open_[3].any()


def open_parts(operation, data, axes, size=None):
    """Where the answer for f32 is open."""
    inputs = [data.astype(np.float32), np.array(axes, np.int64)]
    inputs += [] if size is None else [np.array(size, np.int64)]
    (right,) = answer(operation, inputs, {}, ["f32"])
    assert np.isnan(right.value).any()
    return np.isinf(np.broadcast_to(right.bound, right.value.shape))


def test_nan_times_a_factor_that_is_0_is_left_open():
    # exp(-iπm/2): the real part is 0 for odd m, the imaginary one for even m.
    found = open_parts("DFT-7", pairs([1, np.nan, 2, 3]), [0])
    np.testing.assert_array_equal(found, [[False, True], [True, False]] * 2)
    # NaN in the imaginary part of X[0], of which the factor is 1: the real parts have it times sin 0.
    data = pairs([[1, 2, 3], [4, 5, 6]])
    data[0, 0, 1] = np.nan
    np.testing.assert_array_equal(
        open_parts("DFT-7", data, [1]), [[[True, False]] * 3, [[False, False]] * 3]
    )
    assert open_parts("IRDFT-9", data, [1])[0].all()
    # NaN in X[1] of four points: its sine is 0 where m is even.
    data[0, 0, 1], data[0, 1, 1] = 0, np.nan
    np.testing.assert_array_equal(
        open_parts("IRDFT-9", data, [1]), [[True, False, True, False], [False] * 4]
    )
    # Along two axes one factor that is not 0 in each is enough.
    assert not open_parts("IRDFT-9", data, [0, 1])[:, 1::2].any()
    # The half of the transform that RDFT gives.
    found = open_parts("RDFT-9", np.array([[1, np.nan, 2, 3, 4]]), [1], [4])
    np.testing.assert_array_equal(found[0], [[False, True], [True, False], [False, True]])


def test_nan_stays_in_the_part_that_it_is_in():
    data = np.array([[np.nan, 1], [2, np.nan]])
    np.testing.assert_array_equal(dft(data, np.array([], np.int64)), data)
