"""Interpolate (pages Interpolate-1, -4 and -11)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.dividing import resized
from reference.shared.resizing import (
    Attributes,
    NearestMode,
    Padded,
    Transformation,
    accuracy,
    padded_image,
    resized_image,
)


def padded_by_version_1(
    data: np.ndarray,
    target_spatial_shape: np.ndarray,
    *,
    axes: Sequence[int],
    mode: str,
    align_corners: bool = True,
    antialias: bool = False,
    pads_begin: int = 0,
    pads_end: int = 0,
) -> Padded:
    """Like version 4, where each axis that is resized has the same pads, and coordinates are rounded anyhow."""
    pads = [
        [pad if axis in axes else 0 for axis in range(data.ndim)] for pad in (pads_begin, pads_end)
    ]
    attributes = Attributes(
        mode,
        "sizes",
        "align_corners" if align_corners else "asymmetric",
        antialias=antialias,
        pads_begin=pads[0],
        pads_end=pads[1],
        rounds_anyhow=True,
    )
    numbers = np.array(axes, np.int64)
    return padded_image(attributes, data, target_spatial_shape, numbers, name="Interpolate-1")


def of_version_1(call: Call) -> Padded:
    """The padded image of a call of version 1, and its axes."""
    return padded_by_version_1(call.array(0), call.array(1), **call.attributes)


def padded_by_version_4(
    attributes: Attributes,
    data: np.ndarray,
    sizes: np.ndarray,
    scales: np.ndarray,
    axes: np.ndarray | None = None,
) -> Padded:
    """Like version 11, with the sizes or the scales; coordinates are divided by scales as they are given."""
    if sizes.shape != scales.shape:
        shapes = f"{list(sizes.shape)} and {list(scales.shape)}"
        raise ValueError(f"Interpolate-4: there must be as many sizes as scales, got {shapes}")
    given = scales if attributes.shape_calculation_mode == "scales" else sizes
    return padded_image(attributes, data, given, axes, name="Interpolate-4", keeps_scales=True)


def of_version_4(call: Call) -> Padded:
    """The padded image of a call of version 4, and its axes."""
    data, sizes, scales = (call.array(number) for number in range(3))
    return padded_by_version_4(Attributes(**call.attributes), data, sizes, scales, *call.inputs[3:])


def of_version_11(call: Call) -> Padded:
    """The padded image of a call of version 11, and its axes."""
    attributes = Attributes(**call.attributes)
    image, given = call.array(0), call.array(1)
    return padded_image(attributes, image, given, *call.inputs[2:], name="Interpolate-11")


@implements("Interpolate-1", accuracy=accuracy(of_version_1, reach=1), parts=resized)
def interpolate_along_axes(
    data: np.ndarray,
    target_spatial_shape: np.ndarray,
    *,
    axes: Sequence[int],
    mode: Literal["nearest", "linear", "cubic", "area"],
    align_corners: bool = True,
    antialias: bool = False,
    pads_begin: int = 0,
    pads_end: int = 0,
) -> np.ndarray:
    """Resize data along ``axes`` [n], each with ``pads_begin`` zeros before and ``pads_end`` behind, to sizes [n].

    ``nearest`` keeps the element type; other modes give float64. Raises ValueError where a rule of the page is broken.
    """
    found = padded_by_version_1(
        data,
        target_spatial_shape,
        axes=axes,
        mode=mode,
        align_corners=align_corners,
        antialias=antialias,
        pads_begin=pads_begin,
        pads_end=pads_end,
    )
    return resized_image(mode, *found)


@implements("Interpolate-11", accuracy=accuracy(of_version_11, reach=2), parts=resized)
def interpolate(
    image: np.ndarray,
    scales_or_sizes: np.ndarray,
    axes: np.ndarray | None = None,
    *,
    mode: Literal["nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"],
    shape_calculation_mode: Literal["sizes", "scales"],
    coordinate_transformation_mode: Transformation = "half_pixel",
    nearest_mode: NearestMode = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Sequence[int] = (0,),
    pads_end: Sequence[int] = (0,),
    cube_coeff: float = -0.75,
) -> np.ndarray:
    """Resize an image along ``axes`` [n] (all, by default).

    ``scales_or_sizes`` [n] holds the new sizes, or what the sizes of the image, zeros of ``pads_begin`` and
    ``pads_end`` included, are multiplied by. In coordinates the scale is the quotient of the new size and the old one,
    however the new one was given. ``nearest`` keeps the element type; other modes give float64, or for integers the
    nearest integer that the type holds. Raises ValueError where a rule of the page is broken.
    """
    attributes = Attributes.of(locals())
    return resized_image(
        mode, *padded_image(attributes, image, scales_or_sizes, axes, name="Interpolate-11")
    )


@implements("Interpolate-4", accuracy=accuracy(of_version_4, reach=2), parts=resized)
def interpolate_by_sizes_or_scales(
    data: np.ndarray,
    sizes: np.ndarray,
    scales: np.ndarray,
    axes: np.ndarray | None = None,
    *,
    mode: Literal["nearest", "linear", "linear_onnx", "cubic"],
    shape_calculation_mode: Literal["sizes", "scales"],
    coordinate_transformation_mode: Transformation = "half_pixel",
    nearest_mode: NearestMode = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Sequence[int] = (0,),
    pads_end: Sequence[int] = (0,),
    cube_coeff: float = -0.75,
) -> np.ndarray:
    """Like version 11, with ``sizes`` [n] or ``scales`` [n]; the one that the mode does not name has nothing to say.

    Coordinates are divided by scales as they are given.
    """
    attributes = Attributes.of(locals())
    return resized_image(mode, *padded_by_version_4(attributes, data, sizes, scales, axes))
