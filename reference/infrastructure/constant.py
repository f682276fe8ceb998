"""Constant (page Constant-1)."""

from collections.abc import Sequence
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.stated import has_type


@implements("Constant-1")
def constant(
    value: np.ndarray,
    *,
    offset: int,
    size: int,
    element_type: str,
    shape: Sequence[int],
    also: str | None = None,
    file_size: int | None = None,
) -> Arrays:
    """The content of the weights file from ``offset`` on, ``size`` bytes, which are those of ``value``.

    ``also``: another constant that reads the ``same`` bytes, in one dimension (``flat``), the second ``half`` of the
    elements, or the ``bytes`` as numbers. ``file_size`` is the length of the file where it does not end with the
    content. Raises ValueError where types or sizes do not fit.
    """
    if not has_type(value, element_type):
        raise ValueError(f"Constant-1: element_type must be that of {value.dtype}")
    # Elements of one bit fill bytes, the last one in part.
    bits = 1 if element_type == "u1" else 8 * value.itemsize
    wanted = -(-prod(shape) * bits // 8)
    if size != wanted:
        raise ValueError(f"Constant-1: size must be {wanted}, got {size}")
    if offset < 0 or (file_size is not None and offset + size > file_size):
        raise ValueError(f"Constant-1: the file must have the bytes at {offset}, got {file_size}")
    found = value.reshape(tuple(shape))
    flat = value.reshape(-1)
    readers = {
        "same": lambda: found,
        "flat": lambda: flat,
        "half": lambda: flat[flat.size // 2 :],
        "bytes": lambda: np.ascontiguousarray(flat).view(np.uint8),
    }
    return (found,) if also is None else (found, readers[also]())
