"""Images resized along axes: the arithmetic of all versions of Interpolate.

Weights are those of page Interpolate-4, in the Pillow modes Pillow's own, in ``area`` the share of each element in what
an element of the output covers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from math import floor, prod
from typing import Any, Literal, get_args

import numpy as np

from reference.accuracy import (
    PRECISIONS,
    Arithmetic,
    Arrays,
    Bounds,
    Call,
    Choice,
    Precision,
    accumulator,
    integer_range,
    is_float,
)
from reference.shared.padding import pad

Transformation = Literal[
    "half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"
]
NearestMode = Literal["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"]


@dataclass(frozen=True)
class Attributes:
    """The attributes of a layer, with the defaults of pages Interpolate-4 and -11.

    ``rounds_anyhow``: the page does not say how coordinates are rounded, so that each nearest_mode is right.
    """

    mode: str
    shape_calculation_mode: str
    coordinate_transformation_mode: str = "half_pixel"
    nearest_mode: str = "round_prefer_floor"
    antialias: bool = False
    pads_begin: Sequence[int] = (0,)
    pads_end: Sequence[int] = (0,)
    cube_coeff: float = -0.75
    rounds_anyhow: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Attributes":
        """The settings among the arguments of a reference."""
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in names})

    @property
    def is_pillow(self) -> bool:
        """Whether the mode is one of Pillow's, which have their own coordinates."""
        return self.mode.endswith("_pillow")

    @property
    def transformation(self) -> str:
        """How coordinates are transformed."""
        return "tf_half_pixel_for_nn" if self.is_pillow else self.coordinate_transformation_mode


@dataclass(frozen=True)
class _ResizedAxis:
    """One axis that is resized: ``size`` elements, padding included, become ``resized``.

    ``smooths``: ``antialias`` counts. ``given`` is the scale where coordinates have the one that was given, not the
    quotient of the sizes.
    """

    attributes: Attributes
    smooths: bool
    number: int
    size: int
    resized: int
    given: float | None = None

    @property
    def ratio(self) -> tuple[float, float]:
        """Two numbers whose quotient is the inverse of the scale."""
        return (self.size, self.resized) if self.given is None else (1.0, self.given)

    @property
    def scale(self) -> float:
        """What coordinates are divided by."""
        old, new = self.ratio
        return new / old

    def coordinates(self) -> np.ndarray:
        """The position of each output element in the input [resized]: a quotient of integers, rounded once."""
        x, mode = np.arange(self.resized), self.attributes.transformation
        if self.resized == 1 and mode in ("pytorch_half_pixel", "align_corners"):
            # With a single output element these two modes take the first input element.
            return np.zeros(1)
        if mode == "align_corners":
            return x * (self.size - 1) / (self.resized - 1)
        size, resized = self.ratio
        if mode == "asymmetric":
            return x * size / resized
        if mode == "tf_half_pixel_for_nn":
            return (2 * x + 1) * size / (2 * resized)
        return ((2 * x + 1) * size - resized) / (2 * resized)

    def uncertainty(self) -> np.ndarray:
        """The largest error of a coordinate that is computed in f32 [resized].

        A scale that is a power of two is exact, and so are the coordinates. Others are rounded, and so
        are the scale's inverse, the quotient and the difference.
        """
        scale = self.scale
        if self.attributes.transformation == "align_corners":
            scale = max(self.resized - 1, 1) / max(self.size - 1, 1)
        if np.frexp(scale)[0] == 0.5:
            return np.zeros(self.resized)
        return 4 * PRECISIONS["f32"].unit * (np.abs(self.coordinates()) + 1)

    def places(self, shift: float = 0.0) -> np.ndarray:
        """The element that ``nearest`` takes [resized], coordinates moved by ``shift`` times their uncertainty."""
        rounding: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "round_prefer_floor": lambda x: np.ceil(x - 0.5),
            "round_prefer_ceil": lambda x: np.floor(x + 0.5),
            "floor": np.floor,
            "ceil": np.ceil,
            "simple": np.ceil if self.scale < 1 else np.trunc,
        }
        x = self.coordinates() + shift * self.uncertainty()
        return rounding[self.attributes.nearest_mode](x).astype(np.int64).clip(0, self.size - 1)

    def choices(self) -> list[np.ndarray]:
        """The places that are admissible: coordinates computed in f32 may lie on either side of a boundary."""
        attributes = self.attributes
        modes = get_args(NearestMode) if attributes.rounds_anyhow else [attributes.nearest_mode]
        axes = [replace(self, attributes=replace(attributes, nearest_mode=mode)) for mode in modes]
        found = [axis.places(shift) for axis in axes for shift in (0, -1, 1)]
        return list({places.tobytes(): places for places in found}.values())

    def weights(self, shift: float = 0.0) -> np.ndarray:
        """One row of weights for each element of the output [resized, size], coordinates moved likewise."""
        mode, a, size = self.attributes.mode, self.attributes.cube_coeff, self.size
        x = self.coordinates() + shift * self.uncertainty()
        if mode in ("linear_onnx", "cubic"):
            return _gathered(size, *self._window(x))
        if mode == "area":
            places = np.arange(size)
            begin, end = (np.arange(self.resized)[:, None] + step for step in (0, 1))
            ratio = size / self.resized
            weights = np.minimum(end * ratio, places + 1) - np.maximum(begin * ratio, places)
            weights = weights.clip(0)
        elif mode == "linear":
            # A triangle over the elements of the input, wider where an image is made smaller.
            scale = self.scale if self.smooths else 1.0
            weights = np.maximum(0, 1 - np.abs(scale * (x[:, None] - np.arange(size))))
        else:
            # A kernel as wide as the wider of an element of the output and one of the input.
            centers = np.arange(size) + 0.5
            distance = np.abs((centers - x[:, None]) / max(size / self.resized, 1.0))
            near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
            far = (((distance - 5) * distance + 8) * distance - 4) * a
            if mode == "bicubic_pillow":
                weights = np.where(distance < 1, near, np.where(distance < 2, far, 0))
            else:
                weights = np.maximum(0, 1 - distance)
        total = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)

    def _window(self, x: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """The first element of the window of each coordinate [resized], and the weights of it and of the next ones."""
        a = self.attributes.cube_coeff
        if self.attributes.mode == "linear_onnx":
            # Between two neighbours, coordinates kept inside.
            x = x.clip(0, self.size - 1)
            first = x.astype(np.int64)
            return first, (1 - (x - first), x - first)
        first = np.floor(x).astype(np.int64)
        s = x - first
        return first - 1, (
            a * (s - 1) ** 2 * s,
            ((a + 2) * s - (a + 3)) * s**2 + 1,
            ((-(a + 2) * s + (2 * a + 3)) * s - a) * s,
            -a * s**2 * (s - 1),
        )

    def each_counts(self) -> np.ndarray:
        """The elements all of whose weights in an element of the output have one sign and are not 0 [resized, size].

        A window that reaches beyond the end has the last element several times. With weights of both signs, or with a
        weight of zero besides another one, infinities make NaN where products are added, none where weights are.
        """
        weights, room = self.weights_and_uncertainty()
        sure = np.asarray(np.abs(weights) > 2 * room)
        if self.attributes.mode in ("linear_onnx", "cubic"):
            first, values = self._window(self.coordinates())
            rows = np.arange(self.resized)
            for step, value in enumerate(values):
                places = (first + step).clip(0, self.size - 1)
                same = np.sign(value) == np.sign(weights[rows, places])
                sure[rows, places] &= same & (np.abs(value) > 2 * room[rows, places])
        return sure

    def weights_and_uncertainty(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights, and by how much they may be off in f32: for their coordinates, and for some roundings of their own.

        Those roundings are relative to the largest weight, for small ones come from differences.
        """
        weights = self.weights()
        moved = np.maximum(*(np.abs(self.weights(shift) - weights) for shift in (-1, 1)))
        largest = np.abs(weights).max(axis=1, keepdims=True, initial=0)
        own = 8 * PRECISIONS["f32"].unit * largest * _widened(np.abs(weights) + moved > 0, 1)
        return weights, moved + own


def _gathered(size: int, first: np.ndarray, values: Sequence[np.ndarray]) -> np.ndarray:
    """Weights of the places first, first + 1, ...; outside, the first or last element counts instead."""
    weights = np.zeros((len(first), size))
    for step, value in enumerate(values):
        np.add.at(weights, (np.arange(len(first)), (first + step).clip(0, size - 1)), value)
    return weights


def _widened(near: np.ndarray, by: int) -> np.ndarray:
    """A mask [resized, size] with the neighbours of what it marks in the input."""
    grown = near.copy()
    for step in range(1, by + 1):
        grown[:, step:] |= near[:, :-step]
        grown[:, :-step] |= near[:, step:]
    return grown


def _selected(
    image: np.ndarray, axes: Sequence[_ResizedAxis], places: Sequence[np.ndarray]
) -> np.ndarray:
    for axis, place in zip(axes, places, strict=True):
        image = image.take(place, axis.number)
    return image


def _weighted(image: np.ndarray, axes: Sequence[_ResizedAxis], all_weights: Arrays) -> np.ndarray:
    """An image with each axis multiplied by its weights."""
    for axis, weights in zip(axes, all_weights, strict=True):
        image = np.moveaxis(np.tensordot(weights, image, (1, axis.number)), 0, axis.number)
    return image


Padded = tuple[np.ndarray, list[_ResizedAxis]]
Reader = Callable[[Call], Padded]


def padded_image(
    attributes: Attributes,
    image: np.ndarray,
    given: np.ndarray,
    axes: np.ndarray | None = None,
    *,
    name: str,
    keeps_scales: bool = False,
) -> Padded:
    """The padded image and its axes that are resized. Raises ValueError where a rule of the page is broken.

    ``keeps_scales``: coordinates are divided by the scales that are given.
    """

    def require(rule: bool, text: str, got: object) -> None:
        if not rule:
            raise ValueError(f"{name}: {text}, got {got}")

    rank, mode = image.ndim, attributes.mode
    is_scales = attributes.shape_calculation_mode == "scales"
    numbers = list(range(rank)) if axes is None else axes.tolist()
    fits = is_float(given.dtype) == is_scales
    text = "scales_or_sizes must be integers for sizes and reals for scales"
    require(fits, text, given.dtype)
    require(given.shape == (len(numbers),), f"there must be {len(numbers)} scales or sizes", given)
    known = len(set(numbers)) == len(numbers) and set(numbers) <= set(range(rank))
    require(known, f"axes must be different numbers from 0 to {rank - 1}", numbers)
    if attributes.is_pillow:
        fits = set(numbers) in ({rank - 2, rank - 1}, {rank - 3, rank - 2})
        require(fits, f"{mode} takes the axes of height and width", numbers)
    both = (attributes.pads_begin, attributes.pads_end)
    for pads in both:
        fits = len(pads) <= rank and min(pads, default=0) >= 0
        require(fits, f"pads must be at most {rank} numbers from 0 on", list(pads))
    # Fewer pads are those of the first axes.
    begin, end = ([*pads, *[0] * (rank - len(pads))] for pads in both)
    padded = pad(image, begin, end)
    sizes = [padded.shape[axis] for axis in numbers]
    pairs = zip(given, sizes, strict=True)
    resized = [floor(float(n) * size) if is_scales else int(n) for n, size in pairs]
    fits = min([*resized, *sizes], default=1) >= 1
    require(fits, "axes must keep an element", f"{sizes} resized to {resized}")
    kept = list(map(float, given)) if is_scales and keeps_scales else [None] * len(sizes)
    each_axis = list(zip(numbers, sizes, resized, kept, strict=True))
    found = [_ResizedAxis(attributes, False, *each) for each in each_axis]
    smooths = attributes.antialias and any(axis.scale < 1 for axis in found)
    return padded, [replace(axis, smooths=smooths) for axis in found]


def _nearest_to(of: Reader, call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Where a coordinate, computed in f32, may lie on either side of a boundary, either element is admissible."""
    (output,), (given,) = call.outputs, actual
    if call.attributes["mode"] != "nearest" or given.shape != output.shape:
        return call.outputs
    image, axes = of(call)
    for places in product(*(axis.choices() for axis in axes)):
        other = _selected(image, axes, places).astype(output.dtype)
        moved = other.astype(given.dtype)
        output = np.where((moved == given) | ((moved != moved) & (given != given)), other, output)
    return (output,)


def _with_zero_weight(of: Reader, reach: int, call: Call) -> np.ndarray:
    """Elements whose window has an infinity or NaN with a weight that may be zero, or that is a sum which may cancel.

    The page's formulas multiply it by zero, a device may skip it. ``reach``: see `accuracy`.
    """
    image, axes = of(call)
    is_nearest = call.attributes["mode"] == "nearest"
    if is_nearest or not is_float(image.dtype) or np.isfinite(image).all():
        return np.zeros((), bool)
    values = image.astype(np.float64)
    pairs = [axis.weights_and_uncertainty() for axis in axes]
    wide = tuple(_widened(room > 0, reach).astype(np.float64) for _, room in pairs)
    # NaN remains where any of its weights counts, infinities may cancel.
    any_weight = tuple((np.abs(weights) > 2 * room).astype(np.float64) for weights, room in pairs)
    each_weight = tuple(axis.each_counts().astype(np.float64) for axis in axes)
    unsure = np.zeros((), bool)
    for foreign, sure in ((np.isnan(values), any_weight), (np.isinf(values), each_weight)):
        holds = foreign.astype(np.float64)
        unsure = unsure | (_weighted(holds, axes, wide) > _weighted(holds, axes, sure) + 0.5)
    return unsure


@dataclass(frozen=True)
class _Interpolated(Arithmetic):
    """A weighted sum whose weights follow from coordinates.

    With B = Σ |w|·|x| over k elements along n axes: 2·((k + 2·n)·u·B + u·|y|) as for sums, whose weights are multiplied
    and normalized, and Σ |Δw|·|x| where Δw is what f32 arithmetic may do to a weight. Where accumulators are finer than
    the working precision, the bound has room for a rounding of weights and of intermediate results to it along each
    axis; else these are among the 2·n. ``nearest`` rounds nothing.
    """

    of: Reader

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        exact = np.abs(call.outputs[output_index])
        if call.attributes["mode"] == "nearest":
            return Bounds(np.zeros(exact.shape), np.zeros(exact.shape))
        image, axes = self.of(call)
        wide = image.astype(np.float64)
        size = np.abs(np.where(np.isfinite(wide), wide, 0.0))
        pairs = [axis.weights_and_uncertainty() for axis in axes]
        weights = tuple(np.abs(weight) for weight, _ in pairs)
        total = _weighted(size, axes, weights)
        moved = np.zeros(exact.shape)
        for number, (_, room) in enumerate(pairs):
            one_moved = (*weights[:number], room, *weights[number + 1 :])
            moved = moved + _weighted(size, axes, one_moved)
        terms = prod(int(np.count_nonzero(weight, axis=1).max(initial=1)) for weight in weights)
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse
        steps = terms + 2 * len(axes)
        # Each step may round to the next subnormal number.
        least = steps * max(p.unit * p.smallest_normal for p in (own, working))
        is_finer = coarse.fraction_bits > working.fraction_bits
        between = 2 * len(axes) * total if is_finer else 0.0
        bound = 2 * (steps * coarse.unit * total + working.unit * (exact + between))
        # Products may be flushed to zero.
        bound = bound + np.minimum(total, terms * working.smallest_normal)
        quality = steps * fine.unit * total + own.unit * exact
        # Weights of both signs may overflow on the way to a finite sum.
        lost = ~np.isnan(exact) & (total >= coarse.overflow)
        return Bounds(bound + 2 * moved + least, quality + moved + least, free=lost)


def accuracy(of: Reader, reach: int) -> Choice:
    """The page does not define how integers are rounded: any neighbour of the weighted sum is admissible.

    ``reach``: how many elements further than a weight the windows of the page's formulas may reach.
    """
    silent = partial(_with_zero_weight, of, reach)
    within = _Interpolated(of=of, silent=silent, levels=1, operands=1)
    return Choice(partial(_nearest_to, of), within=within)


def resized_image(mode: str, padded: np.ndarray, resized: Sequence[_ResizedAxis]) -> np.ndarray:
    """The padded image resized along its axes."""
    if mode == "nearest":
        return _selected(padded, resized, [axis.places() for axis in resized])
    weights = tuple(axis.weights() for axis in resized)
    values = padded.astype(np.float64)
    if not is_float(padded.dtype):
        least, most = integer_range(padded.dtype)
        found = np.floor(_weighted(values, resized, weights) + 0.5)
        return np.clip(found, float(least), float(most)).astype(padded.dtype)
    # A number that is not finite counts only with a weight other than zero.
    finite, infinite = np.isfinite(values), np.isinf(values)
    found = _weighted(np.where(finite, values, 0), resized, weights)
    if finite.all():
        return found
    signs = tuple(np.sign(weight) for weight in weights)
    touched = tuple(np.abs(sign) for sign in signs)
    count = _weighted(infinite.astype(np.float64), resized, touched)
    balance = _weighted(np.where(infinite, np.sign(values), 0), resized, signs)
    found = np.where(count > 0, np.where(np.abs(balance) == count, balance * np.inf, np.nan), found)
    holds_nan = _weighted(np.isnan(values).astype(np.float64), resized, touched) > 0
    return np.where(holds_nan, np.nan, found)
