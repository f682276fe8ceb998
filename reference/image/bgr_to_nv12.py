"""BGRtoNV12 (page BGRtoNV12-17)."""

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.colours import nv12_accuracy, to_nv12


@implements("BGRtoNV12-17", accuracy=nv12_accuracy("BGRtoNV12-17", blue_first=True))
def bgr_to_nv12(image: np.ndarray, *, single_plane: bool = True) -> Arrays:
    """image [N, H, W, 3] of blue, green, red -> [N, 3/2·H, W, 1], or [N, H, W, 1] and [N, H/2, W/2, 2].

    U and V are means of two by two pixels, which the page does not mention; integers are rounded to the nearest. Raises
    ValueError for other channels, odd heights and odd widths.
    """
    return to_nv12("BGRtoNV12-17", image, True, single_plane)
