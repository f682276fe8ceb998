"""NV12toBGR (page NV12toBGR-8)."""

import numpy as np

from reference import implements
from reference.shared.colours import rgb_accuracy, to_rgb


@implements("NV12toBGR-8", accuracy=rgb_accuracy("NV12toBGR-8", interleaved=True, blue_first=True))
def nv12_to_bgr(y: np.ndarray, uv: np.ndarray | None = None) -> np.ndarray:
    """y [N, H, W, 1], uv [N, H/2, W/2, 2] -> [N, H, W, 3], blue, green, red.

    Of one plane y is [N, 3/2·H, W, 1], with rows of U and V in turn behind Y. Integers are rounded to the nearest.
    Raises ValueError for other shapes.
    """
    return to_rgb("NV12toBGR-8", y, uv, interleaved=True, blue_first=True)
