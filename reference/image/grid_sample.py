"""GridSample (page GridSample-9)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import (
    EXACT,
    PRECISIONS,
    Arithmetic,
    Arrays,
    Bounds,
    Call,
    Choice,
    Depending,
    Precision,
    accumulator,
    integer_range,
    is_float,
)

# The default of cube_coeff in the pages of Interpolate; this page names none.
_CUBE_COEFF = -0.75
# Coordinates and weights are computed in f32 at least.
_UNIT = PRECISIONS["f32"].unit
# How far the pixels of a window are from the one before a coordinate.
_WINDOWS = {"bilinear": range(2), "bicubic": range(-1, 3)}
_REACH = {"bilinear": 1, "bicubic": 2}


@dataclass(frozen=True)
class _SampledAxis:
    """One axis of the image of ``size`` pixels, and normalized coordinates of it [N, H_out, W_out]."""

    normalized: np.ndarray
    size: int
    align_corners: bool
    padding_mode: str
    shift: float = 0.0

    @property
    def coordinates(self) -> np.ndarray:
        """-1 and 1 are the centers of the first and the last pixel, or their outer borders.

        They are moved by ``shift`` times their largest error in f32.
        """
        if self.align_corners:
            found = (self.normalized + 1) * (self.size - 1) / 2
        else:
            found = ((self.normalized + 1) * self.size - 1) / 2
        return found + self.shift * self.uncertainty if self.shift else found

    @property
    def uncertainty(self) -> np.ndarray:
        """The largest error of a coordinate in f32: one rounding each of a sum, a product and a difference."""
        length = self.size - 1 if self.align_corners else self.size
        return 3 * _UNIT * ((np.abs(self.normalized) + 1) * length / 2 + 0.5)

    def pixels(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pixels that stand for those of any number, and whether these are inside."""
        inside = (numbers >= 0) & (numbers < self.size)
        if self.padding_mode != "reflection":
            return numbers.clip(0, self.size - 1), inside
        # Mirrors stand where -1 and 1 are: in the first and last pixel, which have no image, or beside them.
        period = max(2 * (self.size - 1), 1) if self.align_corners else 2 * self.size
        once = numbers % period
        return np.minimum(once, period - once - (not self.align_corners)), inside

    @property
    def nearest(self) -> np.ndarray:
        """The number of the pixel that a coordinate is in."""
        return np.floor(self.coordinates + 0.5).astype(np.int64)

    def window(self, mode: str, more: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The numbers of the pixels around each coordinate, with so many more at each end, and their distances."""
        first = np.floor(self.coordinates).astype(np.int64)
        steps = _WINDOWS[mode]
        for step in range(steps.start - more, steps.stop + more):
            yield first + step, first + step - self.coordinates


def _weights(mode: str, distance: np.ndarray) -> np.ndarray:
    d, a = np.abs(distance), _CUBE_COEFF
    if mode == "bilinear":
        return np.maximum(0, 1 - d)
    near = ((a + 2) * d - (a + 3)) * d**2 + 1
    far = (((d - 5) * d + 8) * d - 4) * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _taken(
    data: np.ndarray, y: _SampledAxis, x: _SampledAxis, rows: np.ndarray, columns: np.ndarray
) -> Any:
    """The pixels of rows and columns [N, H_out, W_out] as [N, C, H_out, W_out]."""
    (row, row_inside), (column, column_inside) = y.pixels(rows), x.pixels(columns)
    batch = np.arange(len(data))[:, np.newaxis, np.newaxis]
    found = np.moveaxis(data[batch, :, row, column], -1, 1)
    if y.padding_mode != "zeros":
        return found
    zero = "" if data.dtype == object else np.zeros((), data.dtype)
    return np.where((row_inside & column_inside)[:, np.newaxis], found, zero).astype(data.dtype)


def _interpolated(data: np.ndarray, y: _SampledAxis, x: _SampledAxis, mode: str) -> np.ndarray:
    """The weighted sums of the windows [N, C, H_out, W_out], in float64."""
    found = np.zeros((*data.shape[:2], *y.normalized.shape[1:]))
    for row, down in y.window(mode):
        for column, across in x.window(mode):
            weights = _weights(mode, down) * _weights(mode, across)
            found += weights[:, np.newaxis] * _taken(data, y, x, row, column).astype(np.float64)
    return found


def _axes(
    data: np.ndarray, grid: np.ndarray, align_corners: bool, padding_mode: str
) -> list[_SampledAxis]:
    """The axes of height and width. Raises ValueError where a rule of the page is broken."""
    shapes = f"{list(data.shape)} and {list(grid.shape)}"
    if data.ndim != 4 or grid.ndim != 4 or grid.shape[3] != 2 or grid.shape[0] != data.shape[0]:
        raise ValueError(
            f"GridSample-9: data and grid must be [N, C, H, W] and [N, H_out, W_out, 2], got {shapes}"
        )
    if 0 in data.shape[2:]:
        raise ValueError(f"GridSample-9: data must have a pixel, got {list(data.shape)}")
    pairs = zip((grid[..., 1], grid[..., 0]), data.shape[2:], strict=True)
    return [_SampledAxis(g.astype(np.float64), n, align_corners, padding_mode) for g, n in pairs]


def _of(call: Call) -> list[_SampledAxis]:
    given = {"align_corners": False, "padding_mode": "zeros", **call.attributes}
    return _axes(call.array(0), call.array(1), given["align_corners"], given["padding_mode"])


def _mode(call: Call) -> str:
    return str(call.attributes.get("mode", "bilinear"))


def _moved(y: _SampledAxis, x: _SampledAxis) -> Iterator[tuple[_SampledAxis, _SampledAxis]]:
    """The coordinates with their largest errors, of either sign along either axis."""
    for down in (-1.0, 1.0):
        for across in (-1.0, 1.0):
            yield replace(y, shift=down), replace(x, shift=across)


def _nearest_to(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Between two pixels either is the nearest, where the coordinate's error may reach beyond their border too."""
    (output,), (given,) = call.outputs, actual
    if _mode(call) != "nearest" or given.shape != output.shape:
        return call.outputs
    for y, x in _moved(*_of(call)):
        candidate = _taken(call.array(0), y, x, y.nearest, x.nearest)
        typed = candidate.astype(given.dtype)
        same = (typed == given) | ((typed != typed) & (given != given))
        output = np.where(same, candidate, output)
    return (output,)


@dataclass(frozen=True)
class _Sampled(Arithmetic):
    """A weighted sum whose weights follow from the coordinates of a window.

    With B = Σ |w|·|v| over the k pixels of a window: 2·((k + 4)·u·B + u·|answer|) as for sums, whose weights are
    products; what the answer changes by when coordinates are moved by their largest errors, so that the bound follows
    the slope of the image and the size of coordinates; and some roundings of weights, relative to 1. The page leaves
    open in which order a device multiplies and adds: it may take differences of pixels first, or polynomials with
    coefficients up to 9/4.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        answer, mode = call.outputs[output_index], _mode(call)
        y, x = _of(call)
        data = call.reals(0)
        exact = np.abs(answer)
        total, weighed, reach, small = (np.zeros(exact.shape) for _ in range(4))
        lost = np.zeros(exact.shape, bool)
        # Cubic polynomials add up numbers that are larger than their result.
        own_error = {"bilinear": 1, "bicubic": 8}[mode] * _UNIT
        for row, down in y.window(mode, more=1):
            for column, across in x.window(mode, more=1):
                value = np.abs(_taken(data, y, x, row, column))
                touched = np.abs(down) < _REACH[mode] + y.uncertainty
                touched &= np.abs(across) < _REACH[mode] + x.uncertainty
                # The formula multiplies infinity by a weight that may be 0, a device may pass over it.
                lost |= ~np.isfinite(value) & touched[:, np.newaxis]
                value = np.where(np.isfinite(value) & touched[:, np.newaxis], value, 0)
                weights = [np.abs(_weights(mode, each))[:, np.newaxis] for each in (down, across)]
                product = weights[0] * weights[1] * value
                total += product
                weighed += (weights[0] + own_error) * (weights[1] + own_error) * value - product
                # What differences reach, and products that a device may flush to zero.
                reach += value
                small += np.where(product < working.smallest_normal, product, 0)
        finite = np.where(np.isfinite(data), data, 0)
        here = _interpolated(finite, y, x, mode)
        changes = [np.abs(_interpolated(finite, *each, mode) - here) for each in _moved(y, x)]
        moved = np.max(changes, axis=0) + weighed
        terms = len(_WINDOWS[mode]) ** 2
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse
        least = small + (terms + 4) * max(p.unit * p.smallest_normal for p in (own, working))
        # Accumulators that are finer leave weights and rows that are rounded to the working precision.
        between = 4 * total if coarse.fraction_bits > working.fraction_bits else 0.0
        bound = 2 * ((terms + 4) * coarse.unit * total + working.unit * (exact + between))
        quality = (terms + 4) * fine.unit * total + own.unit * exact
        lost |= 4 * reach >= coarse.overflow
        return Bounds(bound + 2 * moved + least, quality + moved + least, free=lost)


# The page does not say how integers are rounded: either neighbour of the weighted sum is admissible.
_SAMPLED = _Sampled(levels=1, operands=1)


def _class(call: Call, output_index: int) -> Any:
    return EXACT if _mode(call) == "nearest" else _SAMPLED


@implements("GridSample-9", accuracy=Choice(_nearest_to, within=Depending(_class)))
def grid_sample(
    data: np.ndarray,
    grid: np.ndarray,
    *,
    align_corners: bool = False,
    mode: Literal["bilinear", "bicubic", "nearest"] = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
) -> np.ndarray:
    """data [N, C, H, W], grid [N, H_out, W_out, 2] of pairs x, y -> [N, C, H_out, W_out].

    ``nearest`` keeps elements; other modes give float64, or for integers the nearest integer that the type holds.
    Raises ValueError for other shapes, and for an image without pixels.
    """
    y, x = _axes(data, grid, align_corners, padding_mode)
    if mode == "nearest":
        return np.asarray(_taken(data, y, x, y.nearest, x.nearest))
    found = _interpolated(data, y, x, mode)
    if is_float(data.dtype):
        return found
    least, most = integer_range(data.dtype)
    return np.clip(np.floor(found + 0.5), float(least), float(most)).astype(data.dtype)
