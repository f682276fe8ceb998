"""StridedSlice (page StridedSlice-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements

_NAME = "StridedSlice-1"


@implements("StridedSlice-1")
def strided_slice(
    data: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    stride: np.ndarray | None = None,
    *,
    begin_mask: Sequence[int],
    end_mask: Sequence[int],
    new_axis_mask: Sequence[int] = (0,),
    shrink_axis_mask: Sequence[int] = (0,),
    ellipsis_mask: Sequence[int] = (0,),
) -> np.ndarray:
    """Take elements from begin to end by stride, dimension by dimension, as the masks change it.

    data of any rank; begin, end and stride [M]. Step ``i`` slices the next dimension; where a mask
    has a 1 it starts or ends at the dimension's own end, inserts a dimension of 1, removes the
    dimension, or passes over the dimensions that the other steps leave. Begin and end that are the
    same place give one element. Raises ValueError where the steps do not fit the dimensions.
    """
    steps = begin.size
    strides = np.ones(steps, np.int64) if stride is None else stride
    if not begin.shape == end.shape == strides.shape == (steps,):
        raise ValueError(
            f"{_NAME}: begin, end and stride must have one length, "
            f"got shapes {list(begin.shape)}, {list(end.shape)} and {list(strides.shape)}"
        )
    begins, ends, by = begin.tolist(), end.tolist(), strides.tolist()
    if 0 in by:
        raise ValueError(f"{_NAME}: stride must not be 0, got {by}")
    from_first = _mask("begin_mask", begin_mask, steps)
    to_last = _mask("end_mask", end_mask, steps)
    new_axis = _mask("new_axis_mask", new_axis_mask, steps)
    shrink = _mask("shrink_axis_mask", shrink_axis_mask, steps)
    ellipsis = _mask("ellipsis_mask", ellipsis_mask, steps)
    if sum(ellipsis) > 1:
        raise ValueError(f"{_NAME}: ellipsis_mask must have one 1 at most, got {ellipsis}")
    skipped = data.ndim - (steps - sum(new_axis) - sum(ellipsis))
    if skipped < 0 or (skipped and not any(ellipsis)):
        raise ValueError(
            f"{_NAME}: the {steps - sum(new_axis) - sum(ellipsis)} steps that slice "
            f"must be as many as the dimensions, got {data.ndim} dimensions"
        )

    sliced, shape, axis = data, [], 0
    for i in range(steps):
        if new_axis[i]:
            shape.append(1)
        elif ellipsis[i]:
            shape += data.shape[axis : axis + skipped]
            axis += skipped
        else:
            size = data.shape[axis]
            if shrink[i]:
                places = [_single(begins[i], ends[i], size)]
            else:
                places = _places(
                    size, begins[i], ends[i], by[i], bool(from_first[i]), bool(to_last[i])
                )
                shape.append(len(places))
            sliced = sliced.take(np.array(places, np.int64), axis)
            axis += 1
    return sliced.reshape(shape)


def _mask(name: str, mask: Sequence[int], steps: int) -> list[int]:
    """The mask with as many bits as there are steps: zeros are added, bits left over do not count."""
    bits = [int(bit) for bit in mask]
    if not set(bits) <= {0, 1}:
        raise ValueError(f"{_NAME}: {name} must hold 0 and 1, got {bits}")
    return (bits + [0] * steps)[:steps]


def _single(begin: int, end: int, size: int) -> int:
    """The one place of a dimension that is removed."""
    if begin != end:
        raise ValueError(
            f"{_NAME}: begin and end must be equal where shrink_axis_mask is 1, "
            f"got {begin} and {end}"
        )
    place = max(begin + size if begin < 0 else begin, 0)
    if place >= size:
        raise ValueError(f"{_NAME}: begin must be in a dimension of {size}, got {begin}")
    return place


def _places(
    size: int, begin: int, end: int, stride: int, from_first: bool, to_last: bool
) -> list[int]:
    """The elements of a dimension that a slice takes, in order."""
    backwards = stride < 0
    begin = begin + size if begin < 0 else begin
    end = end + size if end < 0 else end
    if backwards:
        begin = size - 1 if from_first else min(max(begin, 0), size - 1)
        # The page's end of a backward slice is 0, which leaves the first element out.
        end = 0 if to_last else min(max(end, -1), size)
    else:
        begin = 0 if from_first else min(max(begin, 0), size)
        end = size if to_last else min(max(end, 0), size)
    if begin == end:
        return [begin] if begin < size else []
    return list(range(begin, end, stride))
