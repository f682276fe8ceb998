"""Round (page Round-5)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, is_float
from reference.shared.dividing import elementwise


@implements("Round-5", accuracy=UNROUNDED, parts=elementwise)
def round(
    data: np.ndarray, *, mode: Literal["half_to_even", "half_away_from_zero"] = "half_to_even"
) -> np.ndarray:
    """The whole number nearest to each element, in float64; integers as they are.

    ``mode`` says where halves go: to the even one or to the one farther from zero.
    """
    if not is_float(data.dtype):
        return data
    reals = data.astype(np.float64)
    if mode == "half_to_even":
        return np.rint(reals)
    size = np.abs(reals)
    whole = np.floor(size)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        fraction = size - whole
    return np.copysign(np.where(fraction >= 0.5, whole + 1, whole), reals)
