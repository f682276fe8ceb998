"""ExtractImagePatches (page ExtractImagePatches-3)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.padding import auto_padding, pad, window_size


@implements("ExtractImagePatches-3")
def extract_image_patches(
    data: np.ndarray,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    auto_pad: str,
) -> np.ndarray:
    """Stack the patches of an image in its depth.

    data [batch, depth, in_rows, in_cols] -> [batch, sizes[0] * sizes[1] * depth, out_rows, out_cols];
    in the new depth the position in the patch comes before the old depth. The patches are
    ``strides`` apart, the samples of a patch ``rates``. Zeros pad the image as ``auto_pad`` says.
    Raises ValueError where no patch fits into the image.
    """
    if data.ndim != 4:
        raise ValueError(f"ExtractImagePatches-3: data must have rank 4, got {data.ndim}")
    for name, pair in (("sizes", sizes), ("strides", strides), ("rates", rates)):
        if len(pair) != 2 or min(pair) < 1:
            raise ValueError(
                f"ExtractImagePatches-3: {name} must be two positive numbers, got {list(pair)}"
            )
    begin, end, places = [0, 0], [0, 0], []
    for size, patch, stride, rate in zip(data.shape[2:], sizes, strides, rates, strict=True):
        window = window_size(patch, rate)
        before, after = auto_padding(auto_pad, size, window, stride)
        begin.append(before)
        end.append(after)
        room = before + size + after - window
        if room < 0:
            raise ValueError(
                f"ExtractImagePatches-3: a patch of {window} must fit into an image of {size}"
            )
        # [patch, out]: the position of each sample of each patch.
        starts = np.arange(0, room + 1, stride)
        places.append(np.arange(patch)[:, None] * rate + starts)
    padded = pad(data, begin, end) if any(begin + end) else data
    rows, cols = places
    # [batch, depth, size_rows, out_rows, size_cols, out_cols]
    patches = padded[:, :, rows][..., cols]
    batch, depth = data.shape[:2]
    return patches.transpose(0, 2, 4, 1, 3, 5).reshape(
        batch, rows.shape[0] * cols.shape[0] * depth, rows.shape[1], cols.shape[1]
    )
