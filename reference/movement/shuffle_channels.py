"""ShuffleChannels (page ShuffleChannels-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("ShuffleChannels-1")
def shuffle_channels(data: np.ndarray, *, axis: int = 1, group: int = 1) -> np.ndarray:
    """Interleave ``group`` groups of channels along ``axis``: one channel of each group in turn.

    data of rank 1 or more -> the same shape. Raises ValueError where group does not divide the
    channels.
    """
    if data.ndim < 1:
        raise ValueError("ShuffleChannels-1: data must have rank 1 or more, got 0")
    axis = normalize_axis(axis, data.ndim, "ShuffleChannels-1: axis")
    channels = data.shape[axis]
    if not 1 <= group <= channels:
        raise ValueError(f"ShuffleChannels-1: group must be in [1, {channels}], got {group}")
    if channels % group:
        raise ValueError(
            f"ShuffleChannels-1: group must divide the {channels} channels, got {group}"
        )
    before, after = data.shape[:axis], data.shape[axis + 1 :]
    split = data.reshape([*before, group, channels // group, *after])
    return split.swapaxes(axis, axis + 1).reshape(data.shape)
