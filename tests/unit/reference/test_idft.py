"""IDFT, RDFT and IRDFT, by hand and by the identities of the transforms."""

import numpy as np
import pytest

from reference import lookup

idft, rdft, irdft = lookup("IDFT-7"), lookup("RDFT-9"), lookup("IRDFT-9")
dft = lookup("DFT-7")


def pairs(values):
    values = np.asarray(values, complex)
    return np.stack([values.real, values.imag], axis=-1)


def numbers(found):
    return found[..., 0] + 1j * found[..., 1]


def given(size):
    return None if size is None else np.array(size)


def test_idft_in_numbers():
    # (1/4)·Σ X[j]·i^(m·j)
    found = numbers(idft(pairs([10, -2 + 2j, -2, -2 - 2j]), np.array([0])))
    np.testing.assert_allclose(found, [1, 2, 3, 4], atol=1e-14)
    np.testing.assert_allclose(
        numbers(idft(pairs([0, 4, 0, 0]), np.array([0]))), [1, 1j, -1, -1j], atol=1e-14
    )


@pytest.mark.parametrize("axes", [[0], [1, 0], [-1, 0, 1]])
def test_idft_inverts_dft(axes):
    data = np.random.RandomState(0).normal(size=(3, 4, 5, 2))
    np.testing.assert_allclose(idft(dft(data, np.array(axes)), np.array(axes)), data, atol=1e-14)


def test_idft_divides_by_the_sizes_of_signals():
    found = numbers(idft(pairs([6, 9, 9]), np.array([0]), np.array([1])))
    assert found.tolist() == [6]
    found = numbers(idft(pairs([6]), np.array([0]), np.array([3])))
    np.testing.assert_allclose(found, [2, 2, 2], atol=1e-15)


def test_rdft_in_numbers():
    found = numbers(rdft(np.array([1.0, 2, 3, 4]), np.array([0])))
    np.testing.assert_allclose(found, [10, -2 + 2j, -2], atol=1e-14)
    # Of five numbers three remain; the fourth of 1, 2, 3 is a 0.
    assert rdft(np.zeros(5), np.array([0])).shape == (3, 2)
    found = numbers(rdft(np.array([1.0, 2, 3]), np.array([0]), np.array([4])))
    np.testing.assert_allclose(found, [6, -2 - 2j, 2], atol=1e-14)


def test_rdft_of_no_number_is_an_empty_sum():
    assert rdft(np.zeros((2, 0)), np.array([1])).tolist() == [[[0, 0]], [[0, 0]]]
    assert rdft(np.zeros((0, 3)), np.array([0, 1])).shape == (0, 2, 2)


def test_rdft_halves_the_last_of_axes():
    data = np.random.RandomState(0).normal(size=(3, 4, 5))
    whole = dft(pairs(data), np.array([2, 1]))
    np.testing.assert_allclose(rdft(data, np.array([2, 1])), whole[:, :3], atol=1e-14)
    np.testing.assert_allclose(
        rdft(data, np.array([-2, -1])), dft(pairs(data), np.array([1, 2]))[:, :, :3], atol=1e-14
    )


def test_irdft_in_numbers():
    found = irdft(pairs([10, -2 + 2j, -2]), np.array([0]))
    np.testing.assert_allclose(found, [1, 2, 3, 4], atol=1e-14)
    # F is 3, 1 + i, 1 - i: (3 + 2·Re((1 + i)·w^m)) / 3 with w = e^(2πi/3)
    found = irdft(pairs([3, 1 + 1j, 9]), np.array([0]), np.array([3]))
    root = 3**0.5
    np.testing.assert_allclose(found, [5 / 3, (2 - root) / 3, (2 + root) / 3], atol=1e-14)


@pytest.mark.parametrize("axes", [[2], [0, 2], [2, 1], [0, 2, 1], [-1, -3]])
@pytest.mark.parametrize("odd", [0, 1])
def test_irdft_inverts_rdft(axes, odd):
    data = np.random.RandomState(0).normal(size=[4 + odd] * 3)
    sizes = np.array([4 + odd] * len(axes))
    found = irdft(rdft(data, np.array(axes)), np.array(axes), sizes)
    np.testing.assert_allclose(found, data, atol=1e-14)
    if not odd:
        found = irdft(rdft(data, np.array(axes)), np.array(axes))
        np.testing.assert_allclose(found, data, atol=1e-14)


def test_irdft_takes_the_real_part_of_what_no_real_signal_has():
    # F of size 2 is [5i, 1 + 7i]: its sums are 1 + 12i and -1 - 2i.
    assert irdft(pairs([5j, 1 + 7j]), np.array([0])).tolist() == pytest.approx([0.5, -0.5])


@pytest.mark.parametrize(
    "function, data, axes, size, message",
    [
        (irdft, np.zeros((3, 2)), [1], None, r"IRDFT-9: axes must be in \[-1, 1\), got 1"),
        (rdft, np.zeros((3, 2)), [1, -1], None, "RDFT-9: axes"),
    ],
)
def test_rules(function, data, axes, size, message):
    with pytest.raises(ValueError, match=message):
        function(data, np.array(axes), given(size))
