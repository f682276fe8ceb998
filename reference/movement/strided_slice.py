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
    same place give one element. The page has a step for each dimension, unless an ellipsis passes over some; dimensions
    behind the last step stay whole. Raises ValueError where the steps do not fit the dimensions.
    """
    steps = begin.size
    strides = np.ones(steps, np.int64) if stride is None else stride
    if not begin.shape == end.shape == strides.shape == (steps,):
        shapes = f"{list(begin.shape)}, {list(end.shape)} and {list(strides.shape)}"
        raise ValueError(
            f"{_NAME}: begin, end and stride must have one length, got shapes {shapes}"
        )
    if 0 in strides:
        raise ValueError(f"{_NAME}: stride must not be 0, got {strides.tolist()}")
    masks = (begin_mask, end_mask, new_axis_mask, shrink_axis_mask, ellipsis_mask)
    from_first, to_last, new_axis, shrink, ellipsis = (_bits(mask, steps) for mask in masks)
    if sum(ellipsis) > 1:
        raise ValueError(f"{_NAME}: ellipsis_mask must have one 1 at most, got {ellipsis}")
    slicing = steps - sum(new_axis) - sum(ellipsis)
    skipped = data.ndim - slicing
    if skipped < 0:
        raise ValueError(
            f"{_NAME}: there must be a dimension for each of the {slicing} steps that slice, got {data.ndim} dimensions"
        )
    sliced, shape, axis = data, [], 0
    for i, limits in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist(), strict=True)):
        if new_axis[i]:
            shape.append(1)
        elif ellipsis[i]:
            shape += data.shape[axis : axis + skipped]
            axis += skipped
        else:
            places = _places(data.shape[axis], *limits, from_first[i], to_last[i], shrink[i])
            if not shrink[i]:
                shape.append(len(places))
            sliced = sliced.take(np.array(places, np.int64), axis)
            axis += 1
    return sliced.reshape([*shape, *data.shape[axis:]])


def _bits(mask: Sequence[int], steps: int) -> list[int]:
    """The mask with as many bits as there are steps: zeros are added, bits left over do not count."""
    if not set(mask) <= {0, 1}:
        raise ValueError(f"{_NAME}: a mask must hold 0 and 1, got {list(mask)}")
    return ([*mask] + [0] * steps)[:steps]


def _places(
    size: int, begin: int, end: int, stride: int, from_first: int, to_last: int, shrink: int
) -> Sequence[int]:
    """The elements of a dimension that a slice takes, in order; one where the dimension is removed."""
    first, last = (place + size if place < 0 else place for place in (begin, end))
    if shrink:
        if begin != end or first >= size:
            raise ValueError(
                f"{_NAME}: begin and end must be equal and in a dimension of {size} where shrink_axis_mask is 1, "
                f"got {begin} and {end}"
            )
        return [max(first, 0)]
    if stride < 0:
        first = size - 1 if from_first else min(max(first, 0), size - 1)
        # The page's end of a backward slice is 0, which leaves the first element out.
        last = 0 if to_last else min(max(last, -1), size)
    else:
        first = 0 if from_first else min(max(first, 0), size)
        last = size if to_last else min(max(last, 0), size)
    if first == last:
        return [first] if first < size else []
    return range(first, last, stride)
