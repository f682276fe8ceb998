"""STFT (page STFT-15)."""

import numpy as np

from reference import implements
from reference.accuracy import Call
from reference.shared.fourier import Signals, fourier, padded_window, pairs, transform


def _frames(
    signal: np.ndarray,
    window: np.ndarray,
    frame_size: np.ndarray,
    frame_step: np.ndarray,
    transpose_frames: bool,
) -> Signals:
    """Each frame times the window, zeros on both sides of it, and the axis of a frame's numbers."""
    size, step = int(frame_size), int(frame_step)
    length = signal.shape[-1]
    if not 1 <= size <= length or step < 1 or window.shape[0] > size:
        given = f"frame_size {size}, frame_step {step}, {window.shape[0]} numbers of window"
        raise ValueError(f"STFT-15: frames must fit a signal of {length} numbers, got {given}")
    padded = padded_window(window, size)
    starts = step * np.arange((length - size) // step + 1)
    with np.errstate(all="ignore"):
        values = signal.astype(np.float64)[..., starts[:, np.newaxis] + np.arange(size)] * padded
    if transpose_frames:
        return values.swapaxes(-1, -2), [values.ndim - 2]
    return values, [values.ndim - 1]


def _signals(call: Call) -> Signals:
    signal, window, frame_size, frame_step = (call.array(number) for number in range(4))
    is_transposed = call.attributes["transpose_frames"]
    return _frames(signal, window, frame_size, frame_step, is_transposed)


@implements("STFT-15", accuracy=fourier(_signals))
def stft(
    signal: np.ndarray,
    window: np.ndarray,
    frame_size: np.ndarray,
    frame_step: np.ndarray,
    *,
    transpose_frames: bool,
) -> np.ndarray:
    """The first half of the discrete Fourier transform of each frame of a real signal, times a window.

    signal [signal_size] or [batch, signal_size], window [window_length], scalars frame_size and frame_step ->
    [..., frames, frame_size // 2 + 1, 2], pairs of real and imaginary part; with ``transpose_frames``
    [..., frame_size // 2 + 1, frames, 2]. Raises ValueError where no frame fits, or the window does not fit a frame.
    """
    if signal.ndim not in (1, 2) or window.ndim != 1 or frame_size.ndim or frame_step.ndim:
        shapes = [list(each.shape) for each in (signal, window, frame_size, frame_step)]
        raise ValueError(f"STFT-15: ranks must be 1 or 2, 1, 0 and 0, got shapes {shapes}")
    values, (axis,) = _frames(signal, window, frame_size, frame_step, transpose_frames)
    return pairs(transform(values, [axis]).take(range(int(frame_size) // 2 + 1), axis))
