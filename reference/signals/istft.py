"""ISTFT (page ISTFT-16)."""

from dataclasses import dataclass

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.axes import one_number
from reference.shared.fourier import (
    complex_numbers,
    inverse,
    padded_window,
    rounding_of_transforms,
)


@dataclass(frozen=True)
class _Frames:
    """data [..., frame_size // 2 + 1, frames] as complex numbers, and where their frames are in the signal."""

    data: np.ndarray
    window: np.ndarray
    step: int
    length: int
    center: bool
    factor: float

    @property
    def size(self) -> int:
        return self.window.shape[0]

    @property
    def values(self) -> np.ndarray:
        """The real numbers of each frame [..., frames, size]."""
        half = np.moveaxis(self.data, -1, -2)
        # The numbers behind the half are the conjugates of those before it, in the other order.
        rest = half[..., 1 : (self.size + 1) // 2][..., ::-1].conj()
        return inverse(np.concatenate([half, rest], axis=-1), [half.ndim - 1]).real * self.factor

    def overlapped(self, frames: np.ndarray) -> np.ndarray:
        """Frames [..., frames, size] added up where they overlap, in the default length."""
        count = frames.shape[-2]
        total = np.zeros((*frames.shape[:-2], (count - 1) * self.step + self.size))
        for number in range(count):
            first = number * self.step
            total[..., first : first + self.size] += frames[..., number, :]
        if self.center:
            first = self.size // 2
            return total[..., first : first + (count - 1) * self.step]
        return total

    @property
    def squares(self) -> np.ndarray:
        """The sum of the squares of the windows, in the default length."""
        return self.overlapped(np.tile(self.window**2, (self.data.shape[-1], 1)))

    def restored(self, frames: np.ndarray) -> np.ndarray:
        """Overlapped frames over the sum of squares, cut or padded with zeros to the length; 0 without a window."""
        total, squares = self.overlapped(frames), self.squares
        return self.fitted(np.divide(total, squares, out=np.zeros_like(total), where=squares != 0))

    def fitted(self, signal: np.ndarray) -> np.ndarray:
        """A signal of the default length cut or padded with zeros."""
        signal = signal[..., : self.length]
        missing = self.length - signal.shape[-1]
        return np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, missing)])


def _frames(
    data: np.ndarray,
    window: np.ndarray,
    frame_size: np.ndarray,
    frame_step: np.ndarray,
    signal_length: np.ndarray | None,
    center: bool,
    normalized: bool,
) -> _Frames:
    """The frames of a call. Raises ValueError where shapes do not fit."""
    size, step = int(frame_size), int(frame_step)
    if data.ndim not in (3, 4) or window.ndim != 1 or frame_size.ndim or frame_step.ndim:
        shapes = [list(each.shape) for each in (data, window, frame_size, frame_step)]
        raise ValueError(f"ISTFT-16: ranks must be 3 or 4, 1, 0 and 0, got shapes {shapes}")
    numbers, count = data.shape[-3:-1]
    if numbers != size // 2 + 1 or count < 1 or size < 1 or step < 1 or len(window) > size:
        given = f"frame_size {size}, frame_step {step}, {len(window)} numbers of window"
        raise ValueError(f"ISTFT-16: frames must fit data {list(data.shape)}, got {given}")
    length = (count - 1) * step + (0 if center else size)
    if signal_length is not None:
        length = int(one_number(signal_length, "ISTFT-16: signal_length"))
    if length < 0:
        raise ValueError(f"ISTFT-16: signal_length must not be negative, got {length}")
    factor = size**0.5 if normalized else 1.0
    return _Frames(
        complex_numbers("ISTFT-16", data),
        padded_window(window, size),
        step,
        length,
        center,
        factor,
    )


def _of_call(call: Call) -> _Frames:
    data, window, size, step = (call.array(number) for number in range(4))
    return _frames(data, window, size, step, (*call.inputs, None)[4], **call.attributes)


def _scale(call: Call) -> np.ndarray:
    """The errors of inverse transforms, and those of products with the window and of their sums, over the squares.

    ``rounding_of_transforms`` are six deviations: where frames overlap, deviations add up as squares do.
    """
    frames = _of_call(call)
    # The norm of a whole transform is at most √2 times that of its half.
    norm = np.sqrt(2 * np.sum(np.abs(frames.data) ** 2, axis=-2))[..., np.newaxis]
    ulps = rounding_of_transforms(frames.size, call.precision(0))
    errors = ulps * norm / frames.size * frames.factor * frames.window
    squares = frames.fitted(frames.squares)
    turned = np.sqrt(frames.fitted(frames.overlapped(errors**2)))
    turned = np.divide(turned, squares, out=np.zeros_like(turned), where=squares != 0)
    overlap = min(frames.data.shape[-1], -(-frames.size // frames.step))
    return turned + frames.restored(np.abs(frames.values * frames.window)) * (1 + overlap / 2)


def _flushed(call: Call) -> np.ndarray:
    """Numbers of frames, and their products with the window, that may be zero, over the squares."""
    frames, tiny = _of_call(call), call.precision(0).smallest_normal
    products = np.abs(frames.values * frames.window)
    of_frames = np.minimum(products, 2 * tiny * frames.factor * np.abs(frames.window))
    return frames.restored(of_frames + np.minimum(products, tiny))


def _undefined(call: Call) -> np.ndarray:
    """Where no window reaches, in frames with numbers that are not finite, and where sums leave the type's range."""
    frames, precision = _of_call(call), call.precision(0)
    sums = 2 * np.sum(np.abs(frames.data), axis=-2)[..., np.newaxis] * np.maximum(frames.factor, 1)
    largest = sums * np.maximum(np.abs(frames.window), 1)
    far = frames.overlapped(np.nan_to_num(largest, nan=np.inf)) >= precision.overflow
    squares = frames.squares
    return frames.fitted(
        far | ~(squares >= precision.smallest_normal) | (squares >= precision.overflow)
    )


# The quotient and the sum of squares have errors of a few ulps.
@implements(
    "ISTFT-16",
    accuracy=Function(k=4, a=1, scale=_scale, quality_a=0.5, flushed=_flushed, silent=_undefined),
)
def istft(
    data: np.ndarray,
    window: np.ndarray,
    frame_size: np.ndarray,
    frame_step: np.ndarray,
    signal_length: np.ndarray | None = None,
    *,
    center: bool,
    normalized: bool,
) -> np.ndarray:
    """The real signal that has these transforms of its frames, times a window.

    data [(batch,) frame_size // 2 + 1, frames, 2], pairs of real and imaginary part, window [window_length], scalars
    frame_size and frame_step -> float64 [(batch,) signal_length]. Overlapping frames are weighted with the window
    again, and divided by the sum of its squares; ``center`` leaves out the first half of a frame, ``normalized``
    multiplies by the root of frame_size. The default length is cut or padded with zeros to ``signal_length``.
    Raises ValueError where shapes do not fit.
    """
    frames = _frames(data, window, frame_size, frame_step, signal_length, center, normalized)
    return frames.restored(frames.values * frames.window)
