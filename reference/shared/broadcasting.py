"""Broadcasting (page Broadcast Rules For Elementwise Operations).

Shapes first, for those who need no arrays; then arrays in the shape that an operation works in.
"""

from __future__ import annotations

import numpy as np

Shape = tuple[int, ...]


def numpy_shape(*shapes: Shape) -> Shape:
    """The common shape: aligned right, each dimension equal or 1.

    Raises ValueError where there is none.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    aligned = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    common = []
    for sizes in zip(*aligned, strict=True):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            texts = " and ".join(str(list(shape)) for shape in shapes)
            raise ValueError(f"dimensions must be equal or 1, got shapes {texts}")
        common.append(others.pop() if others else 1)
    return tuple(common)


def pdpd_axis(a: Shape, b: Shape, axis: int = -1) -> int:
    """Where the dimensions of ``b`` start among those of ``a``; -1 aligns right.

    Trailing dimensions of 1 in ``b`` do not count. Raises ValueError where ``b`` does not fit.
    """
    if axis < -1:
        raise ValueError(f"axis must be -1 or a dimension, got {axis}")
    start = len(a) - len(b) if axis == -1 else axis
    covered = _without_trailing_ones(b)
    fits = len(b) <= len(a) and start + len(covered) <= len(a)
    if not fits or any(size not in (1, a[start + i]) for i, size in enumerate(covered)):
        raise ValueError(f"shape {list(b)} must be a part of {list(a)} from axis {start} on")
    return start


def _without_trailing_ones(shape: Shape) -> Shape:
    kept = len(shape)
    while kept and shape[kept - 1] == 1:
        kept -= 1
    return tuple(shape[:kept])


def broadcast(*tensors: np.ndarray, auto_broadcast: str = "numpy") -> list[np.ndarray]:
    """The inputs of an elementwise operation, all in the shape of its output.

    ``auto_broadcast``: ``none`` demands one shape, ``numpy`` aligns right, ``pdpd`` brings the
    later tensors, aligned right, to the shape of the first. Raises ValueError where shapes do
    not allow it.
    """
    first = tensors[0].shape
    if auto_broadcast == "numpy":
        if all(tensor.shape == first for tensor in tensors):
            return list(tensors)
        shape = numpy_shape(*(tensor.shape for tensor in tensors))
        # broadcast_to takes longer than the arithmetic on small tensors.
        return [t if t.shape == shape else np.broadcast_to(t, shape) for t in tensors]
    if auto_broadcast == "pdpd":
        return [tensors[0], *(pdpd(tensor, first) for tensor in tensors[1:])]
    if auto_broadcast != "none":
        raise ValueError(f"auto_broadcast must be none, numpy or pdpd, got {auto_broadcast!r}")
    if any(tensor.shape != first for tensor in tensors):
        shapes = " and ".join(str(list(tensor.shape)) for tensor in tensors)
        raise ValueError(f"shapes must be the same without broadcasting, got {shapes}")
    return list(tensors)


def pdpd(b: np.ndarray, shape: Shape, axis: int = -1) -> np.ndarray:
    """``b`` in ``shape``, its dimensions starting at ``axis``.

    Raises ValueError where it does not fit.
    """
    start = pdpd_axis(shape, b.shape, axis)
    covered = _without_trailing_ones(b.shape)
    after = len(shape) - start - len(covered)
    return np.broadcast_to(b.reshape((1,) * start + covered + (1,) * after), shape)


def one_directional(data: np.ndarray, target_shape: Shape) -> np.ndarray:
    """``data`` in ``target_shape`` by numpy's rules, which may not change that shape.

    Raises ValueError where they would.
    """
    if numpy_shape(data.shape, target_shape) != tuple(target_shape):
        raise ValueError(f"shape {list(data.shape)} must fit into {list(target_shape)}")
    return np.broadcast_to(data, target_shape)


def bidirectional(data: np.ndarray, target_shape: Shape) -> np.ndarray:
    """``data`` in the common shape of both: larger than ``target_shape`` where that is 1.

    Raises ValueError where two dimensions differ and neither is 1.
    """
    return np.broadcast_to(data, numpy_shape(data.shape, target_shape))
