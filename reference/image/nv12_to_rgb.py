"""NV12toRGB (page NV12toRGB-8)."""

import numpy as np

from reference import implements
from reference.shared.colours import rgb_accuracy, to_rgb


@implements("NV12toRGB-8", accuracy=rgb_accuracy("NV12toRGB-8", interleaved=True, blue_first=False))
def nv12_to_rgb(y: np.ndarray, uv: np.ndarray | None = None) -> np.ndarray:
    """y [N, H, W, 1], uv [N, H/2, W/2, 2] -> [N, H, W, 3], red, green, blue.

    Of one plane y is [N, 3/2·H, W, 1], with rows of U and V in turn behind Y. Integers are rounded to the nearest.
    Raises ValueError for other shapes.
    """
    return to_rgb("NV12toRGB-8", y, uv, interleaved=True, blue_first=False)
