"""ShuffleChannels (page ShuffleChannels-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("ShuffleChannels-1")
def shuffle_channels(data: np.ndarray, *, axis: int = 1, group: int = 1) -> np.ndarray:
    """Interleave ``group`` groups of channels along ``axis``: one channel of each group in turn.

    Raises ValueError where group does not divide the channels.
    """
    axis = normalize_axis(axis, data.ndim, "ShuffleChannels-1: axis")
    channels = data.shape[axis]
    if not 1 <= group <= channels or channels % group:
        raise ValueError(f"ShuffleChannels-1: group must divide {channels} channels, got {group}")
    split = data.reshape(*data.shape[:axis], group, channels // group, *data.shape[axis + 1 :])
    return split.swapaxes(axis, axis + 1).reshape(data.shape)
