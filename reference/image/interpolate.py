"""Interpolate (page Interpolate-11).

The page gives no formulas for weights: they are those of page Interpolate-4, and for the Pillow modes Pillow's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, prod

import numpy as np

from reference import implements
from reference.accuracy import (
    PRECISIONS,
    Arithmetic,
    Arrays,
    Bounds,
    Call,
    Choice,
    Precision,
    accumulator,
    is_float,
)
from reference.shared.checks import require_one_of
from reference.shared.padding import pad

MODES = ("nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow")
SHAPE_CALCULATION_MODES = ("sizes", "scales")
TRANSFORMATIONS = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
)
NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
_ONNX_AXES = {2: [{0, 1}], 3: [{0, 1, 2}], 4: [{2, 3}], 5: [{2, 3, 4}]}


# --- coordinates --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Axis:
    """One axis that is resized: ``size`` elements, padding included, become ``resized``."""

    number: int
    size: int
    resized: int

    @property
    def shrinks(self) -> bool:
        """Whether the scale is below 1."""
        return self.resized < self.size

    def coordinates(self, mode: str) -> np.ndarray:
        """The position of each output element in the input [resized]: a quotient of integers, rounded once."""
        x, size, resized = np.arange(self.resized), self.size, self.resized
        if mode == "half_pixel" or (mode == "pytorch_half_pixel" and resized > 1):
            return ((2 * x + 1) * size - resized) / (2 * resized)
        if mode == "asymmetric":
            return x * size / resized
        if mode == "tf_half_pixel_for_nn":
            return (2 * x + 1) * size / (2 * resized)
        if mode == "align_corners" and resized > 1:
            return x * (size - 1) / (resized - 1)
        # With a single output element these two modes take the first input element.
        return np.zeros(1)

    def uncertainty(self, mode: str) -> np.ndarray:
        """The largest error of a coordinate that is computed in f32 [resized].

        A scale that is a power of two is exact, and so are the coordinates. Others are rounded, and so
        are the scale's inverse, the quotient and the difference.
        """
        size, resized = self.size, self.resized
        if mode == "align_corners":
            size, resized = max(size - 1, 1), max(resized - 1, 1)
        larger, smaller = max(size, resized), min(size, resized)
        ratio = larger // smaller
        if larger % smaller == 0 and ratio & (ratio - 1) == 0:
            return np.zeros(self.resized)
        return 4 * PRECISIONS["f32"].unit * (np.abs(self.coordinates(mode)) + 1)


def _nearest(coordinates: np.ndarray, axis: _Axis, nearest_mode: str) -> np.ndarray:
    """The element of the input that is selected for each of the output."""
    rounding: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "round_prefer_floor": lambda x: np.ceil(x - 0.5),
        "round_prefer_ceil": lambda x: np.floor(x + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
        "simple": np.ceil if axis.shrinks else np.trunc,
    }
    return rounding[nearest_mode](coordinates).astype(np.int64).clip(0, axis.size - 1)


# --- weights: [resized, size], one row for each element of the output ------------------------------------------------


def _linear(coordinates: np.ndarray, size: int, a: float) -> np.ndarray:
    """A triangle of width 2 / a over the elements of the input; weights of 0 where it covers none."""
    distance = coordinates[:, None] - np.arange(size)
    return _normalized(np.maximum(0, 1 - np.abs(a * distance)))


def _linear_onnx(coordinates: np.ndarray, size: int) -> np.ndarray:
    """Between two neighbours, coordinates kept inside."""
    inside = coordinates.clip(0, size - 1)
    first = inside.astype(np.int64)
    second = np.minimum(first + 1, size - 1)
    return _gathered(size, (first, 1 - (inside - first)), (second, inside - first))


def _cubic(coordinates: np.ndarray, size: int, a: float) -> np.ndarray:
    """Four neighbours; those outside are replaced by the first or last element."""
    first = np.floor(coordinates).astype(np.int64)
    s = coordinates - first
    coefficients = (
        a * (s - 1) ** 2 * s,
        ((a + 2) * s - (a + 3)) * s**2 + 1,
        ((-(a + 2) * s + (2 * a + 3)) * s - a) * s,
        -a * s**2 * (s - 1),
    )
    pairs = [
        ((first + step).clip(0, size - 1), value)
        for step, value in zip((-1, 0, 1, 2), coefficients, strict=True)
    ]
    return _gathered(size, *pairs)


def _pillow(
    centers: np.ndarray, axis: _Axis, kernel: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """A kernel around the center, as wide as the wider of an element of the output and one of the input."""
    width = max(axis.size / axis.resized, 1.0)
    distance = (np.arange(axis.size) + 0.5 - centers[:, None]) / width
    return _normalized(kernel(np.abs(distance)))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - x)


def _bicubic(a: float) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        near = ((a + 2) * x - (a + 3)) * x**2 + 1
        far = (((x - 5) * x + 8) * x - 4) * a
        return np.where(x < 1, near, np.where(x < 2, far, 0))

    return kernel


def _normalized(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)


def _gathered(size: int, *pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Weights from (places [resized], weights [resized]); those of one place add up."""
    weights = np.zeros((len(pairs[0][0]), size))
    rows = np.arange(len(weights))
    for places, values in pairs:
        np.add.at(weights, (rows, places), values)
    return weights


# --- the layer ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """The resizing of a padded image, axis by axis."""

    mode: str
    axes: tuple[_Axis, ...]
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    cube_coeff: float

    @property
    def _pillow_mode(self) -> bool:
        return self.mode.endswith("_pillow")

    @property
    def transformation(self) -> str:
        """How coordinates are transformed; the Pillow modes have their own centers."""
        return "tf_half_pixel_for_nn" if self._pillow_mode else self.coordinate_transformation_mode

    def weights(self, axis: _Axis, shift: float = 0.0) -> np.ndarray:
        """The weights of an axis, with coordinates moved by ``shift`` times their uncertainty."""
        where = axis.coordinates(self.transformation) + shift * axis.uncertainty(
            self.transformation
        )
        if self.mode == "linear":
            smooth = self.antialias and any(each.shrinks for each in self.axes)
            return _linear(where, axis.size, axis.resized / axis.size if smooth else 1.0)
        if self.mode == "linear_onnx":
            return _linear_onnx(where, axis.size)
        if self.mode == "cubic":
            return _cubic(where, axis.size, self.cube_coeff)
        return _pillow(
            where, axis, _triangle if self.mode == "bilinear_pillow" else _bicubic(self.cube_coeff)
        )

    def places(self, axis: _Axis, shift: float = 0.0) -> np.ndarray:
        """The element of an axis that ``nearest`` takes for each of the output, coordinates moved likewise."""
        where = axis.coordinates(self.transformation) + shift * axis.uncertainty(
            self.transformation
        )
        return _nearest(where, axis, self.nearest_mode)

    def selected(self, image: np.ndarray, places: Sequence[np.ndarray]) -> np.ndarray:
        """The elements of an image at these places of the axes."""
        for axis, place in zip(self.axes, places, strict=True):
            image = image.take(place, axis.number)
        return image

    def weighted(self, image: np.ndarray, weights: Sequence[np.ndarray]) -> np.ndarray:
        """An image with each axis multiplied by its weights."""
        for axis, weight in zip(self.axes, weights, strict=True):
            image = np.moveaxis(np.tensordot(weight, image, (1, axis.number)), 0, axis.number)
        return image


def _planned(
    image: np.ndarray,
    scales_or_sizes: np.ndarray,
    axes: np.ndarray | None = None,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Sequence[int] = (0,),
    pads_end: Sequence[int] = (0,),
    cube_coeff: float = -0.75,
) -> tuple[np.ndarray, _Plan]:
    """The padded image, and the plan of its resizing. Raises ValueError where a rule of the page is broken."""
    rank = image.ndim
    for name, given, known in (
        ("mode", mode, MODES),
        ("shape_calculation_mode", shape_calculation_mode, SHAPE_CALCULATION_MODES),
        ("coordinate_transformation_mode", coordinate_transformation_mode, TRANSFORMATIONS),
        ("nearest_mode", nearest_mode, NEAREST_MODES),
    ):
        require_one_of(given, known, f"Interpolate-11: {name}")
    if is_float(scales_or_sizes.dtype) != (shape_calculation_mode == "scales"):
        raise ValueError(
            "Interpolate-11: scales_or_sizes must be integers for sizes and reals for scales, "
            f"got {scales_or_sizes.dtype} for {shape_calculation_mode}"
        )
    if scales_or_sizes.ndim != 1 or (axes is not None and axes.ndim != 1):
        raise ValueError("Interpolate-11: scales_or_sizes and axes must have rank 1")
    numbers = list(range(rank)) if axes is None else [int(axis) for axis in axes]
    if len(scales_or_sizes) != len(numbers):
        raise ValueError(
            f"Interpolate-11: scales_or_sizes must have {len(numbers)} elements, got {len(scales_or_sizes)}"
        )
    if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(rank)):
        raise ValueError(
            f"Interpolate-11: axes must be different numbers from 0 to {rank - 1}, got {numbers}"
        )
    if mode == "linear_onnx" and set(numbers) not in _ONNX_AXES.get(rank, []):
        raise ValueError(f"Interpolate-11: linear_onnx takes no axes {numbers} of a rank of {rank}")
    if mode.endswith("_pillow") and (
        len(numbers) != 2 or set(numbers) not in ({rank - 2, rank - 1}, {rank - 3, rank - 2})
    ):
        raise ValueError(
            f"Interpolate-11: {mode} takes the axes of height and width, got {numbers}"
        )
    pads = []
    for name, each in (("pads_begin", pads_begin), ("pads_end", pads_end)):
        if min(each, default=0) < 0 or len(each) > rank:
            raise ValueError(
                f"Interpolate-11: {name} must be at most {rank} numbers that are not negative, got {list(each)}"
            )
        # Fewer are those of the first axes.
        pads.append([*each, *[0] * (rank - len(each))])
    padded = pad(image, pads[0], pads[1])
    resized = _resized(
        scales_or_sizes, [padded.shape[axis] for axis in numbers], shape_calculation_mode
    )
    plan = _Plan(
        mode,
        tuple(
            _Axis(axis, padded.shape[axis], size)
            for axis, size in zip(numbers, resized, strict=True)
        ),
        coordinate_transformation_mode,
        nearest_mode,
        antialias,
        cube_coeff,
    )
    return padded, plan


def _resized(given: np.ndarray, sizes: Sequence[int], shape_calculation_mode: str) -> list[int]:
    if shape_calculation_mode == "sizes":
        resized = [int(size) for size in given]
    else:
        resized = [floor(float(scale) * size) for scale, size in zip(given, sizes, strict=True)]
    if min([*resized, *sizes], default=1) < 1:
        raise ValueError(
            f"Interpolate-11: axes must keep an element, got {list(sizes)} resized to {resized}"
        )
    return resized


# --- accuracy -----------------------------------------------------------------------------------------------------


def _plan_of(call: Call) -> tuple[np.ndarray, _Plan]:
    return _planned(*call.inputs, **call.attributes)  # type: ignore[arg-type]


def _nearest_to(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Where a coordinate, computed in f32, may lie on either side of a boundary, either element is admissible."""
    image, plan = _plan_of(call)
    output = call.outputs[0]
    if plan.mode != "nearest" or actual[0].shape != output.shape:
        return call.outputs
    choices = []
    for axis in plan.axes:
        found = [plan.places(axis, shift) for shift in (0, -1, 1)]
        choices.append(list({places.tobytes(): places for places in found}.values()))
    for places in product(*choices):
        other = plan.selected(image, places).astype(output.dtype)
        output = np.where(_same(other.astype(actual[0].dtype), actual[0]), other, output)
    return (output,)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a == b) | ((a != a) & (b != b))


def _with_zero_weight(call: Call) -> np.ndarray:
    """Elements whose window has an infinity or NaN with a weight that may be zero.

    The page's formulas multiply it by zero, a device may skip it.
    """
    image, plan = _plan_of(call)
    if plan.mode == "nearest" or not is_float(image.dtype) or np.isfinite(image).all():
        return np.zeros((), bool)
    foreign = (~np.isfinite(image.astype(np.float64))).astype(np.float64)
    sure, wide = [], []
    for axis in plan.axes:
        weights, uncertainty = _weights_and_uncertainty(plan, axis)
        sure.append((np.abs(weights) > 2 * uncertainty).astype(np.float64))
        # The page's windows reach two elements further than a weight does.
        wide.append(_widened(uncertainty > 0, 2).astype(np.float64))
    return plan.weighted(foreign, wide) > plan.weighted(foreign, sure) + 0.5


def _weights_and_uncertainty(plan: _Plan, axis: _Axis) -> tuple[np.ndarray, np.ndarray]:
    """Weights, and by how much they may be off in f32: for their coordinates, and for some roundings of their own.

    Those roundings are relative to the largest weight, for small ones come from differences.
    """
    weights = plan.weights(axis)
    moved = np.maximum(*(np.abs(plan.weights(axis, shift) - weights) for shift in (-1, 1)))
    largest = np.abs(weights).max(axis=1, keepdims=True, initial=0)
    own = 8 * PRECISIONS["f32"].unit * largest * _widened(np.abs(weights) + moved > 0, 1)
    return weights, moved + own


def _widened(near: np.ndarray, by: int) -> np.ndarray:
    """A mask [resized, size] with the neighbours of what it marks in the input."""
    grown = near.copy()
    for step in range(1, by + 1):
        grown[:, step:] |= near[:, :-step]
        grown[:, :-step] |= near[:, step:]
    return grown


@dataclass(frozen=True)
class _Interpolated(Arithmetic):
    """A weighted sum whose weights follow from coordinates.

    With B = Σ |w|·|x| over k elements along n axes: 2·((k + 2·n)·u·B + u·|y|) as for sums, whose weights are multiplied
    and normalized, and Σ |Δw|·|x| where Δw is what f32 arithmetic may do to a weight. The gate has room for a rounding
    of weights and of intermediate results to the working precision along each axis. ``nearest`` rounds nothing.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        image, plan = _plan_of(call)
        exact = np.abs(call.outputs[output_index])
        if plan.mode == "nearest":
            return Bounds(np.zeros(exact.shape), np.zeros(exact.shape))
        wide = image.astype(np.float64)
        size = np.abs(np.where(np.isfinite(wide), wide, 0.0))
        pairs = [_weights_and_uncertainty(plan, axis) for axis in plan.axes]
        weights = [np.abs(weight) for weight, _ in pairs]
        total = plan.weighted(size, weights)
        moved = np.zeros(exact.shape)
        for number, (_, uncertainty) in enumerate(pairs):
            moved = moved + plan.weighted(
                size, [*weights[:number], uncertainty, *weights[number + 1 :]]
            )
        axes = len(plan.axes)
        terms = prod(int(np.count_nonzero(weight, axis=1).max(initial=1)) for weight in weights)
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse
        least = max(p.unit * p.smallest_normal for p in (own, working))
        steps = terms + 2 * axes
        gate = 2 * (steps * coarse.unit * total + working.unit * (exact + 2 * axes * total))
        quality = steps * fine.unit * total + own.unit * exact
        # Weights of both signs may overflow on the way to a finite sum.
        lost = ~np.isnan(exact) & (total >= coarse.overflow)
        return Bounds(gate + 2 * moved + least, quality + moved + least, free=lost)


@implements(
    "Interpolate-11",
    # The page does not define how integers are rounded: any neighbour of the weighted sum is admissible.
    accuracy=Choice(
        _nearest_to, within=_Interpolated(silent=_with_zero_weight, levels=1, operands=1)
    ),
)
def interpolate(
    image: np.ndarray,
    scales_or_sizes: np.ndarray,
    axes: np.ndarray | None = None,
    *,
    mode: str,
    shape_calculation_mode: str,
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    antialias: bool = False,
    pads_begin: Sequence[int] = (0,),
    pads_end: Sequence[int] = (0,),
    cube_coeff: float = -0.75,
) -> np.ndarray:
    """Resize an image along ``axes`` [n] (all, by default).

    ``scales_or_sizes`` [n] holds the new sizes, or what the sizes of the image, zeros of ``pads_begin`` and
    ``pads_end`` included, are multiplied by. In coordinates the scale is the quotient of the new size and the old one,
    however the new one was given. ``nearest`` keeps the element type; other modes give float64, or for integers the
    nearest integer that the type holds. Raises ValueError where a rule of the page is broken.
    """
    padded, plan = _planned(
        image,
        scales_or_sizes,
        axes,
        mode=mode,
        shape_calculation_mode=shape_calculation_mode,
        coordinate_transformation_mode=coordinate_transformation_mode,
        nearest_mode=nearest_mode,
        antialias=antialias,
        pads_begin=pads_begin,
        pads_end=pads_end,
        cube_coeff=cube_coeff,
    )
    if mode == "nearest":
        return plan.selected(padded, [plan.places(axis) for axis in plan.axes])
    weights = [plan.weights(axis) for axis in plan.axes]
    if is_float(image.dtype):
        return _with_infinities(padded.astype(np.float64), plan, weights)
    ends = np.iinfo(image.dtype)
    found = np.floor(plan.weighted(padded.astype(np.float64), weights) + 0.5)
    return np.clip(found, float(ends.min), float(ends.max)).astype(image.dtype)


def _with_infinities(image: np.ndarray, plan: _Plan, weights: Sequence[np.ndarray]) -> np.ndarray:
    """The weighted sum, where a number that is not finite counts only with a weight other than zero."""
    finite = np.isfinite(image)
    found = plan.weighted(np.where(finite, image, 0), weights)
    if finite.all():
        return found
    signs = [np.sign(weight) for weight in weights]
    touched = [np.abs(sign) for sign in signs]
    infinite = np.isinf(image)
    count = plan.weighted(infinite.astype(np.float64), touched)
    balance = plan.weighted(np.where(infinite, np.sign(image), 0), signs)
    found = np.where(count > 0, np.where(np.abs(balance) == count, balance * np.inf, np.nan), found)
    return np.where(plan.weighted(np.isnan(image).astype(np.float64), touched) > 0, np.nan, found)
