"""NV12, I420 and RGB: colours worked by hand, the order of samples, and what is admissible."""

import numpy as np
import pytest

from reference import answer, compare, lookup

BYTES = np.uint8


def planes(y, *chroma):
    """Four pixels of Y in one block, and the samples of each plane of chroma."""
    found = [np.array(y, BYTES).reshape(1, 2, 2, 1)]
    return [*found, *(np.array(each, BYTES).reshape(1, 1, 1, -1) for each in chroma)]


def test_colours_of_a_block():
    # U - 128 = 20, V - 128 = -10. Y = 16: R = -15.96, G = 8.13 - 7.82 = 0.31, B = 40.36.
    # Y = 116: 116.4 more, 100.44, 116.71, 156.76. Y = 216 and 255: 232.8 and 278.196 more.
    expected = [[0, 0, 40], [100, 117, 157], [217, 233, 255], [255, 255, 255]]
    y = [16, 116, 216, 255]
    for name, chroma in (("NV12toRGB-8", [[148, 118]]), ("I420toRGB-8", [[148], [118]])):
        assert lookup(name)(*planes(y, *chroma)).reshape(4, 3).tolist() == expected
    for name, chroma in (("NV12toBGR-8", [[148, 118]]), ("I420toBGR-8", [[148], [118]])):
        found = lookup(name)(*planes(y, *chroma)).reshape(4, 3)
        assert found[:, ::-1].tolist() == expected


def test_real_colours_are_clipped_and_not_rounded():
    found = lookup("NV12toRGB-8")(np.full((1, 2, 2, 1), 116.0), np.array([[[[148.0, 118.0]]]]))
    np.testing.assert_allclose(found[0, 1, 1], [100.44, 116.71, 156.76], rtol=1e-14)
    found = lookup("NV12toRGB-8")(np.full((1, 2, 2, 1), 0.0), np.array([[[[300.0, 0.0]]]]))
    np.testing.assert_allclose(found[0, 0, 0], [0, 18.188, 255], rtol=1e-13)


@pytest.mark.parametrize("layout", ["NV12", "I420"])
def test_one_plane_holds_the_same_samples(layout):
    state = np.random.RandomState(3)
    y, u, v = (
        state.randint(0, 256, (2, *size, 1)).astype(BYTES) for size in ((6, 10), (3, 5), (3, 5))
    )
    if layout == "NV12":
        several = [np.concatenate([u, v], -1)]
        # U0 V0 U1 V1 ...: rows of 2·5 numbers.
        rest = several[0].reshape(2, 3, 10, 1)
    else:
        several = [u, v]
        # 15 numbers of U, and those of V: three rows of 10.
        rest = np.concatenate([u.reshape(2, 15), v.reshape(2, 15)], 1).reshape(2, 3, 10, 1)
    function = lookup(f"{layout}toRGB-8")
    found = function(np.concatenate([y, rest], 1))
    np.testing.assert_array_equal(found, function(y, *several))
    # The last pixel has the last samples.
    (only,) = function(
        y[:1, -1:, -1:].repeat(2, 1).repeat(2, 2), *(p[:1, -1:, -1:] for p in several)
    )
    np.testing.assert_array_equal(found[0, -1, -1], only[0, 0])


def test_luma_and_chroma():
    # R, G, B = 100, 50, 200. Y = 25.7 + 25.2 + 19.6 + 16, U = -14.8 - 14.55 + 87.8 + 128, V = 43.9 - 18.4 - 14.2 + 128.
    image = np.full((1, 2, 2, 3), (100.0, 50.0, 200.0))
    wanted = [[86.5] * 4, [186.45, 139.3]]
    for name, given in (("RGBtoNV12-17", image), ("BGRtoNV12-17", image[..., ::-1])):
        found = lookup(name)(given, single_plane=False)
        assert [each.shape for each in found] == [(1, 2, 2, 1), (1, 1, 1, 2)]
        for each, numbers in zip(found, wanted, strict=True):
            np.testing.assert_allclose(each.reshape(-1), numbers, rtol=1e-14)
        (one,) = lookup(name)(given)
        np.testing.assert_allclose(
            one[0, :, :, 0], [[86.5, 86.5], [86.5, 86.5], wanted[1]], rtol=1e-14
        )


def test_one_plane_of_chroma_alone_is_none():
    with pytest.raises(ValueError, match="there must be one plane or 3"):
        lookup("I420toBGR-8")(np.zeros((1, 2, 2, 1)), np.zeros((1, 1, 1, 1)))


def test_rules_of_images():
    with pytest.raises(ValueError, match="RGBtoNV12-17: image must be"):
        lookup("RGBtoNV12-17")(np.zeros((2, 2, 3)))


# --- what is admissible -------------------------------------------------------------------------------------------


def wrong(name, given, actual, **attributes):
    found = answer(name, given, attributes)
    given_back = actual if isinstance(actual, list) else [actual]
    return [compare(e.chosen(given_back), a).wrong for e, a in zip(found, given_back, strict=True)]


def test_either_neighbour_of_a_byte():
    given = planes([16, 116, 216, 255], [148, 118])
    exact = np.array([[0, 0.31, 40.36], [100.44, 116.71, 156.76], [216.84, 233.11, 255], [255] * 3])
    for rounded in (np.floor(exact), np.ceil(exact)):
        assert wrong("NV12toRGB-8", given, rounded.astype(BYTES).reshape(1, 2, 2, 3)) == [0]
    far = (np.floor(exact) + 2).clip(0, 255)  # all but those that are 255
    assert wrong("NV12toRGB-8", given, far.astype(BYTES).reshape(1, 2, 2, 3)) == [8]  # fmt: skip
    # 1.164 · 125 + 1.596 · 0 = 145.5, an integer below and above; 1.164 · 250 = 291 is 255 and no other.
    assert wrong("NV12toRGB-8", planes([141] * 4, [128, 128]), np.full((1, 2, 2, 3), 147, BYTES)) == [12]  # fmt: skip
    assert wrong("NV12toRGB-8", planes([255] * 4, [128, 128]), np.full((1, 2, 2, 3), 254, BYTES)) == [12]  # fmt: skip


def test_an_integer_may_be_missed_by_f32():
    # Black is an integer that nothing was added to.
    black = planes([16] * 4, [128, 128])
    assert wrong("NV12toRGB-8", black, np.zeros((1, 2, 2, 3), BYTES)) == [0]
    assert wrong("NV12toRGB-8", black, np.ones((1, 2, 2, 3), BYTES)) == [12]
    # Y - 16 = 50, V - 128 = 50: R = 58.2 + 79.8 = 138, which f32 may make 137.99999.
    given = planes([66] * 4, [128, 178])
    green = 58.2 - 40.65
    for red, count in ((137, 0), (138, 0), (139, 0), (136, 4), (140, 4)):
        actual = np.tile(np.array([red, green, 58]), (1, 2, 2, 1)).astype(BYTES)
        assert wrong("NV12toRGB-8", given, actual) == [count]


def test_chroma_of_any_pixel_of_a_block():
    state = np.random.RandomState(5)
    image = state.uniform(0, 255, (1, 4, 6, 3)).astype(np.float32)
    y, u, v = (
        image.astype(np.float64) @ np.array(row) + least
        for row, least in (((0.257, 0.504, 0.098), 16), ((-0.148, -0.291, 0.439), 128), ((0.439, -0.368, -0.071), 128))
    )  # fmt: skip
    luma = y[..., np.newaxis].astype(np.float32)
    blocks = [each.reshape(1, 2, 2, 3, 2).swapaxes(2, 3).reshape(1, 2, 3, 4) for each in (u, v)]
    for chosen in (lambda b: b.mean(-1), lambda b: b[..., 0], lambda b: b[..., 3]):
        chroma = np.stack([chosen(each) for each in blocks], -1).astype(np.float32)
        assert wrong("RGBtoNV12-17", [image], [luma, chroma], single_plane=False) == [0, 0]
    beyond = np.stack([each.max(-1) + 0.01 for each in blocks], -1).astype(np.float32)
    assert wrong("RGBtoNV12-17", [image], [luma, beyond], single_plane=False) == [0, 12]
    assert wrong("RGBtoNV12-17", [image], [luma + np.float32(0.01), chroma], single_plane=False) == [24, 0]  # fmt: skip


def test_small_errors_are_seen_and_those_behind_an_end_are_none():
    state = np.random.RandomState(4)
    given = [state.uniform(0, 255, s).astype(np.float32) for s in ((1, 8, 8, 1), (1, 4, 4, 2))]
    exact = lookup("NV12toBGR-8")(*given)
    actual = exact.astype(np.float32)
    assert wrong("NV12toBGR-8", given, actual) == [0]
    inside = (exact > 1) & (exact < 254)
    assert wrong("NV12toBGR-8", given, actual * np.float32(1 + 2.0**-14))[0] >= inside.sum()
    black = exact == 0
    assert wrong("NV12toBGR-8", given, np.where(black, np.float32(1e-3), actual)) == [black.sum()]
