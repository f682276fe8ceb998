"""I420toRGB (page I420toRGB-8)."""

import numpy as np

from reference import implements
from reference.shared.colours import rgb_accuracy, to_rgb


@implements(
    "I420toRGB-8", accuracy=rgb_accuracy("I420toRGB-8", interleaved=False, blue_first=False)
)
def i420_to_rgb(
    y: np.ndarray, u: np.ndarray | None = None, v: np.ndarray | None = None
) -> np.ndarray:
    """y [N, H, W, 1], u and v [N, H/2, W/2, 1] -> [N, H, W, 3], red, green, blue.

    Of one plane y is [N, 3/2·H, W, 1], with all of U, then all of V behind Y. Integers are rounded to the nearest.
    Raises ValueError for other shapes.
    """
    return to_rgb("I420toRGB-8", y, u, v, interleaved=False, blue_first=False)
