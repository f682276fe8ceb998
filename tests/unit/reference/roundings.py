"""What a device may make of the numbers of f32 that it multiplies, as float64."""

import ml_dtypes
import numpy as np


def bf16(values):
    """The nearest numbers of bf16, ties to even."""
    return np.asarray(values, np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)


def cut(values):
    """Numbers of bf16, cut off."""
    bits = np.asarray(values, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


def same(values):
    """The numbers themselves."""
    return np.asarray(values, np.float64)
