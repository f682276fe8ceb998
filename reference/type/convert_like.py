"""ConvertLike (page ConvertLike-1)."""

import numpy as np

from reference import implements
from reference.shared.conversion import conversion, converted, type_name
from reference.shared.dividing import of_data


# The page calls the conversion of negative integers to unsigned types undefined.
@implements("ConvertLike-1", accuracy=conversion(wraps=False), parts=of_data)
def convert_like(data: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The numbers of ``data`` in the element type of the array ``like``, as ``converted`` has them.

    Arrays cannot tell nf4 from f32, nor u1, u3 and u6 from u8. Raises ValueError for a type that holds no numbers.
    """
    return converted(data, type_name(like.dtype), "ConvertLike-1: like")
