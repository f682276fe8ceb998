"""Convert (page Convert-1)."""

import numpy as np

from reference import implements
from reference.shared.conversion import conversion, converted
from reference.shared.dividing import elementwise


@implements("Convert-1", accuracy=conversion(), parts=elementwise)
def convert(data: np.ndarray, *, destination_type: object) -> np.ndarray:
    """The numbers of ``data`` in the element type that ``destination_type`` names, as ``converted`` has them.

    Negative integers become unsigned ones modulo 2^N. Raises ValueError for a type that holds no numbers.
    """
    return converted(data, str(destination_type), "Convert-1: destination_type")
