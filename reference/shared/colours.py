"""Conversions between YUV and RGB: the pages' coefficients, in thousandths, and how exact their results are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reference.accuracy import (
    PRECISIONS,
    Arithmetic,
    Arrays,
    Bounds,
    Call,
    Choice,
    Precision,
    Sum,
    is_float,
)

_TO_RGB = ((1164, 0, 1596), (1164, -391, -813), (1164, 2018, 0))
_TO_YUV = ((257, 504, 98), (-148, -291, 439), (439, -368, -71))
_LEAST_YUV = (16, 128, 128)

Rows = Sequence[Sequence[int]]
Ranges = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The least and the largest admissible number before it is clipped, and the magnitude of what was added up."""


def _mixed(rows: Rows, channels: np.ndarray) -> np.ndarray:
    """The sums of the last axis of ``channels`` times the thousandths of each row [..., rows].

    A channel with the coefficient 0 has no part, even if it is infinite.
    """
    sums = [sum(c * channels[..., n] for n, c in enumerate(row) if c) for row in rows]
    return np.stack(sums, axis=-1) / 1000


def _magnitudes(rows: Rows, channels: np.ndarray) -> np.ndarray:
    return _mixed(np.abs(rows).tolist(), np.abs(channels))


def _clipped(values: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Numbers from 0 to 255, rounded to the nearest for integers."""
    inside = np.clip(values, 0, 255)
    return inside if is_float(like.dtype) else np.floor(inside + 0.5).astype(like.dtype)


# --- to RGB -------------------------------------------------------------------------------------------------------


def _yuv(name: str, y: np.ndarray, *chroma: np.ndarray | None, interleaved: bool) -> np.ndarray:
    """Y, U and V of each pixel [N, H, W, 3] from one plane or several. Raises ValueError for shapes that do not fit.

    One plane has 3/2·H rows: those of Y, and then all samples of chroma, pairs of U and V where they are
    ``interleaved``, else all of U before all of V.
    """
    shapes = [list(each.shape) for each in (y, *chroma) if each is not None]
    planes = [each for each in chroma if each is not None]

    def require(rule: bool, text: str) -> None:
        if not rule:
            raise ValueError(f"{name}: {text}, got shapes {shapes}")

    require(y.ndim == 4 and y.shape[3] == 1, "the first plane must be [N, H, W, 1]")
    require(len(planes) in (0, len(chroma)), f"there must be one plane or {1 + len(chroma)}")
    count, rows, width, _ = y.shape
    require(bool(planes) or rows % 3 == 0, "the rows of one plane must be a multiple of 3")
    height = rows if planes else rows // 3 * 2
    require(height % 2 == width % 2 == 0, "height and width of an image must be even")
    half = (height // 2, width // 2)
    channels = 2 if interleaved else 1
    for plane in planes:
        wanted = (count, *half, channels)
        require(plane.shape == wanted, f"a plane of chroma must be {list(wanted)}")
    if planes:
        samples = np.concatenate(planes, axis=-1)
    else:
        rest = y[:, height:].reshape(count, half[0] * half[1] * 2)
        samples = (
            rest.reshape(count, *half, 2)
            if interleaved
            else np.moveaxis(rest.reshape(count, 2, *half), 1, -1)
        )
    each_pixel = samples.repeat(2, axis=1).repeat(2, axis=2)
    return np.concatenate([y[:, :height], each_pixel], axis=-1)


def to_rgb(
    name: str, y: np.ndarray, *chroma: np.ndarray | None, interleaved: bool, blue_first: bool
) -> np.ndarray:
    """[N, H, W, 3] of the input's integers, or of float64, from one plane or several; see ``_yuv``."""
    yuv = _yuv(name, y, *chroma, interleaved=interleaved)
    found = _mixed(_TO_RGB, yuv.astype(np.float64) - _LEAST_YUV)
    return _clipped(found[..., ::-1] if blue_first else found, yuv)


def rgb_accuracy(name: str, *, interleaved: bool, blue_first: bool) -> Choice:
    """The class of ``to_rgb``."""

    def ranges(call: Call) -> list[Ranges]:
        yuv = _yuv(name, call.array(0), *call.inputs[1:], interleaved=interleaved)
        centred = yuv.astype(np.float64) - _LEAST_YUV
        found = [_mixed(_TO_RGB, centred), _magnitudes(_TO_RGB, centred)]
        values, size = (each[..., ::-1] if blue_first else each for each in found)
        return [(values, values, size)]

    return _choice(ranges)


# --- to NV12 ------------------------------------------------------------------------------------------------------


def _rgb(name: str, image: np.ndarray, blue_first: bool) -> np.ndarray:
    shape = list(image.shape)
    if image.ndim != 4 or shape[3] != 3 or shape[1] % 2 or shape[2] % 2:
        raise ValueError(f"{name}: image must be [N, H, W, 3] of even H and W, got {shape}")
    wide = image.astype(np.float64)
    return wide[..., ::-1] if blue_first else wide


def _blocks(pixels: np.ndarray) -> np.ndarray:
    """The four pixels of each block [N, H/2, W/2, 4, channels]."""
    count, height, width, channels = pixels.shape
    split = pixels.reshape(count, height // 2, 2, width // 2, 2, channels)
    return split.swapaxes(2, 3).reshape(count, height // 2, width // 2, 4, channels)


def _planes(y: np.ndarray, uv: np.ndarray, single_plane: bool) -> Arrays:
    if not single_plane:
        return y, uv
    count, height, width, _ = y.shape
    return (np.concatenate([y, uv.reshape(count, height // 2, width, 1)], axis=1),)


def to_nv12(name: str, image: np.ndarray, blue_first: bool, single_plane: bool) -> Arrays:
    """One plane [N, 3/2·H, W, 1], or [N, H, W, 1] and [N, H/2, W/2, 2], of the image's integers or of float64.

    U and V are the means of those of the four pixels of a block.
    """
    yuv = _mixed(_TO_YUV, _rgb(name, image, blue_first)) + _LEAST_YUV
    found = _planes(yuv[..., :1], _blocks(yuv[..., 1:]).mean(axis=3), single_plane)
    return tuple(_clipped(each, image) for each in found)


def nv12_accuracy(name: str, blue_first: bool) -> Choice:
    """The class of ``to_nv12``: the page leaves open which of the four U and V, or what between them, counts."""

    def ranges(call: Call) -> list[Ranges]:
        rgb = _rgb(name, call.array(0), blue_first)
        yuv = _mixed(_TO_YUV, rgb) + _LEAST_YUV
        size = _magnitudes(_TO_YUV, rgb) + _LEAST_YUV
        least, most, largest = _blocks(yuv), _blocks(yuv), _blocks(size)
        pairs = zip(
            (yuv, yuv, size),
            (least.min(axis=3), most.max(axis=3), largest.max(axis=3)),
            strict=True,
        )
        single_plane = call.attributes.get("single_plane", True)
        planes = [_planes(y[..., :1], uv[..., 1:], single_plane) for y, uv in pairs]
        return [(low, high, sizes) for low, high, sizes in zip(*planes, strict=True)]

    return _choice(ranges)


# --- accuracy -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Clipped(Arithmetic):
    """A sum of three products that is clipped: of its error counts what is left between 0 and 255.

    A product has three roundings, its difference from the middle and its coefficient among them, and there are two
    additions: within the 2·3 of a sum of 3 terms.
    """

    ranges: Callable[[Call], list[Ranges]] = lambda call: []

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bounds of a sum, of either end of the admissible numbers; NaN is neither below nor above an end."""
        low, high, size = self.ranges(call)[output_index]
        found = Sum(terms=3, magnitude=lambda _: size).real_bounds(call, output_index, own, working)
        assert found.bound is not None
        assert found.quality is not None

        def left(error: np.ndarray) -> np.ndarray:
            above = np.clip(high + error, 0, 255) - np.clip(high, 0, 255)
            return np.maximum(above, np.clip(low, 0, 255) - np.clip(low - error, 0, 255))

        free = found.free | np.isnan(call.outputs[output_index])
        return Bounds(left(found.bound), left(found.quality), free=free)


def _choice(ranges: Callable[[Call], list[Ranges]]) -> Choice:
    """Numbers from the least to the largest admissible one, the neighbours of these where results are integers."""

    def cached(call: Call) -> list[Ranges]:
        if "ranges" not in call.cache:
            with np.errstate(all="ignore"):
                call.cache["ranges"] = ranges(call)
        found: list[Ranges] = call.cache["ranges"]
        return found

    def nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
        return tuple(map(_nearest, cached(call), call.outputs, actual))

    return Choice(nearest, within=_Clipped(ranges=cached))


def _nearest(ranges: Ranges, output: np.ndarray, given: np.ndarray) -> np.ndarray:
    if output.shape != given.shape:
        return output
    low, high, size = ranges
    wide = given.astype(np.float64)
    if is_float(output.dtype):
        inside = np.clip(wide, np.clip(low, 0, 255), np.clip(high, 0, 255))
        return np.where(np.isnan(inside), output, inside)
    # Honest arithmetic may fall on either side of an integer before it is rounded down or up. Behind an end there is
    # that end alone.
    room = 1 + 6 * PRECISIONS["f32"].unit * size
    above, below = wide > np.minimum(low - room, 254.5), wide < np.maximum(high + room, 0.5)
    return np.where(above & below, given, output)
