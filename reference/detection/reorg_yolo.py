"""ReorgYolo (page ReorgYolo-1)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice

_Order = Literal["blocks", "channels", "memory"]


def _moved(data: np.ndarray, stride: int, order: str) -> np.ndarray:
    batch, channels, height, width = data.shape
    shape = (batch, channels * stride**2, height // stride, width // stride)
    if order == "memory":
        # The elements as they lie, taken for a map of stride² times fewer channels of as many times more elements.
        few = data.reshape(batch, channels // stride**2, height, stride, width, stride)
        return few.transpose(0, 3, 5, 1, 2, 4).reshape(shape)
    blocks = data.reshape(batch, channels, height // stride, stride, width // stride, stride)
    axes = (0, 3, 5, 1, 2, 4) if order == "blocks" else (0, 1, 3, 5, 2, 4)
    return blocks.transpose(axes).reshape(shape)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """The order in which the most elements are those of the device."""
    data, stride = call.array(0), call.attributes["stride"]
    orders = ["blocks", "channels", *["memory"] * (data.shape[1] % stride**2 == 0)]
    answers = [_moved(data, stride, order) for order in orders]
    if actual[0].shape != call.outputs[0].shape:
        return call.outputs
    return (max(answers, key=lambda answer: int(np.sum(answer == actual[0]))),)


@implements("ReorgYolo-1", accuracy=Choice(_nearest))
def reorg_yolo(data: np.ndarray, *, stride: int, order: _Order = "blocks") -> np.ndarray:
    """Blocks of stride x stride elements move into the channels.

    data [N, C, H, W] -> [N, C * stride * stride, H / stride, W / stride]. The page leaves their ``order`` open: the
    places of a block before the channels, or behind them; or blocks of a map of C / stride² channels in place of C.
    Raises ValueError where H or W is not divisible by stride, or C is below stride * stride.
    """
    if data.ndim != 4 or stride < 1:
        raise ValueError(
            f"ReorgYolo-1: data must be [N, C, H, W] and stride positive, got {list(data.shape)} and {stride}"
        )
    if data.shape[2] % stride or data.shape[3] % stride or data.shape[1] < stride**2:
        raise ValueError(
            f"ReorgYolo-1: H and W must be divisible by {stride} and C at least {stride**2}, got {list(data.shape)}"
        )
    return _moved(data, stride, order)
