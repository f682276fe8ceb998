"""ExtractImagePatches (page ExtractImagePatches-3)."""

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np

from reference import implements
from reference.shared.windows import windows


@implements("ExtractImagePatches-3")
def extract_image_patches(
    data: np.ndarray,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    auto_pad: Literal["same_upper", "same_lower", "valid"],
) -> np.ndarray:
    """Stack the patches of an image in its depth.

    data [batch, depth, in_rows, in_cols] -> [batch, sizes[0] * sizes[1] * depth, out_rows, out_cols];
    in the new depth the position in the patch comes before the old depth. The patches are
    ``strides`` apart, the samples of a patch ``rates``. Zeros pad the image as ``auto_pad`` says.
    Raises ValueError where no patch fits into the image.
    """
    name = "ExtractImagePatches-3"
    if data.ndim != 4:
        raise ValueError(f"{name}: data must have rank 4, got {data.ndim}")
    for key, pair in (("sizes", sizes), ("strides", strides), ("rates", rates)):
        if len(pair) != 2 or min(pair) < 1:
            raise ValueError(f"{name}: {key} must be two positive numbers, got {list(pair)}")
    moving = windows(
        name,
        data.shape[2:],
        sizes,
        strides=strides,
        pads_begin=(0, 0),
        pads_end=(0, 0),
        dilations=rates,
        auto_pad=auto_pad,
    )
    batch, depth, *image = data.shape
    # [out_rows, out_cols, size_rows, size_cols]: the place of each element in an image that begins with a zero.
    places = moving.over(np.arange(1, prod(image) + 1).reshape(1, 1, *image))[0, 0]
    zero = np.full((batch, depth, 1), 0, data.dtype)
    values = np.concatenate([zero, data.reshape(batch, depth, prod(image))], axis=2)
    patches = values[..., places].transpose(0, 4, 5, 1, 2, 3)
    return patches.reshape(batch, prod(sizes) * depth, *moving.counts)
