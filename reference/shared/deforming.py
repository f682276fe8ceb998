"""Deformable convolutions: windows whose elements are moved by offsets, between the elements of the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np

from reference.accuracy import (
    PRECISIONS,
    Arithmetic,
    Bounds,
    Call,
    Precision,
    accumulator,
    is_float,
)
from reference.shared.convolving import dot
from reference.shared.windows import windows


@dataclass(frozen=True)
class SampledPlaces:
    """The places that a layer samples, [N, deformable groups, KY, KX, Y, X] each: rows and columns of the image."""

    rows: np.ndarray
    columns: np.ndarray


def places(
    name: str,
    data: np.ndarray,
    offsets: np.ndarray,
    kernel: np.ndarray,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str = "explicit",
    group: int = 1,
    deformable_group: int = 1,
    **_: object,
) -> SampledPlaces:
    """Where each element of each window lies. Raises ValueError, in the ``name`` of the operation."""

    def require(rule: bool, text: str, got: object) -> None:
        if not rule:
            raise ValueError(f"{name}: {text}, got {got}")

    require(data.ndim == kernel.ndim == offsets.ndim == 4, "inputs must have rank 4", data.shape)
    require(group >= 1 and deformable_group >= 1, "groups must be 1 or more", group)
    fits = data.shape[1] == kernel.shape[1] * group and kernel.shape[0] % group == 0
    require(fits, f"{group} groups must divide the channels", f"{data.shape}, {kernel.shape}")
    fits = kernel.shape[0] % deformable_group == 0
    require(fits, f"deformable_group must divide {kernel.shape[0]}", deformable_group)
    moving = windows(
        name,
        data.shape[2:],
        kernel.shape[2:],
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        dilations=dilations,
        auto_pad=auto_pad,
    )
    window = kernel.shape[2:]
    wanted = (len(data), deformable_group * 2 * window[0] * window[1], *moving.counts)
    require(offsets.shape == wanted, f"offsets must have the shape {list(wanted)}", offsets.shape)
    moved = offsets.astype(np.float64)
    moved = moved.reshape(len(data), deformable_group, *window, 2, *moving.counts)
    start = [
        np.arange(count) * stride - begin
        for count, stride, begin in zip(
            moving.counts, moving.strides, moving.pads_begin, strict=True
        )
    ]
    steps = [np.arange(k) * d for k, d in zip(window, moving.dilations, strict=True)]
    rows = start[0][:, None] + steps[0][:, None, None, None] + moved[:, :, :, :, 0]
    columns = start[1] + steps[1][:, None, None] + moved[:, :, :, :, 1]
    return SampledPlaces(rows, columns)


def _corners(place: np.ndarray, size: int, pads: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """(element, weight) of the two neighbours of each place along an axis; the weight is 0 outside the image."""
    near = (place > -1) & (place < size)
    if not pads:
        place = place.clip(0, max(size - 1, 0))
    first = np.floor(place)
    part = place - first
    found = []
    for element, weight in ((first, 1 - part), (first + 1, part)):
        inside = near & (element >= 0) & (element < size)
        found.append((element.clip(0, size - 1).astype(np.int64), np.where(inside, weight, 0)))
    return found


Weights = Callable[[np.ndarray, int, bool], list[tuple[np.ndarray, np.ndarray]]]


def deformed(
    data: np.ndarray,
    kernel: np.ndarray,
    mask: np.ndarray | None,
    sampled: SampledPlaces,
    group: int,
    pads: bool,
    weights: tuple[Weights, Weights] = (_corners, _corners),
) -> np.ndarray:
    """The output [N, C_OUT, Y, X]: the products of filters and what is sampled, times ``mask``.

    ``pads``: places less than a pixel outside the image are between its border and 0, else on its border.
    ``weights`` are those of neighbours of places along the two axes.
    """
    if is_float(data.dtype):
        data, kernel = data.astype(np.float64), kernel.astype(np.float64)
    count, parts, *window = sampled.rows.shape[:4]
    counts = sampled.rows.shape[4:]
    filters, channels = kernel.shape[:2]
    # [C, ...]: what is added and multiplied lies together in memory, and so it does in the places of each channel.
    found = np.zeros((filters, count * prod(counts)), data.dtype)
    # Written again and again: as a new array each time its memory would cost more than the products.
    products = np.empty_like(found)
    images = np.ascontiguousarray(np.moveaxis(data, 1, 0))
    shaped = None if mask is None else mask.reshape(count, parts, *window, *counts)
    # Each run of filters that share the offsets and the group.
    ends = {filters * (n + 1) // parts for n in range(parts)}
    ends |= {filters * (n + 1) // group for n in range(group)}
    runs = list(pairwise([0, *sorted(ends)])) if filters else []
    for ky, kx in np.ndindex(*window):
        for first, end in runs:
            part = first * parts // filters
            own = slice(
                first * group // filters * channels, (first * group // filters + 1) * channels
            )
            value = _sampled(
                images[own],
                (sampled.rows[:, part, ky, kx], sampled.columns[:, part, ky, kx]),
                pads,
                weights,
            )
            if shaped is not None:
                value = value * shaped[:, part, ky, kx].astype(data.dtype)
            factors = np.ascontiguousarray(kernel[first:end, :, ky, kx])
            found[first:end] += dot(
                factors, value.reshape(channels, -1), [1], [0], products[first:end]
            )
    return np.moveaxis(found.reshape(filters, count, *counts), 0, 1)


def _sampled(
    images: np.ndarray,
    place: tuple[np.ndarray, np.ndarray],
    pads: bool,
    weights: tuple[Weights, Weights],
) -> np.ndarray:
    """images [C, N, Y, X] at places [N, *counts] -> [C, N, *counts]: neighbours, weighted along both axes."""
    value = np.zeros((len(images), *place[0].shape), images.dtype)
    if 0 in images.shape:
        return value
    count, height, width = images.shape[1:]
    pixels = images.reshape(len(images), -1)
    first = (np.arange(count) * height).reshape(-1, 1, 1)
    finite = not is_float(images.dtype) or np.isfinite(images).all()
    columns = weights[1](place[1], width, pads)
    for row, row_weight in weights[0](place[0], height, pads):
        for column, column_weight in columns:
            weight = (row_weight * column_weight).astype(images.dtype, copy=False)
            part = pixels.take((first + row) * width + column, axis=1)
            part *= weight
            # What has no weight is not multiplied: it may be infinite.
            value += part if finite else np.where(weight != 0, part, 0)
    return value


def _neighbours(place: np.ndarray, size: int, pads: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """(element, 1) of the two neighbours of a place, 0 outside: how fast weights change with the place."""
    first = np.floor(place)
    found = []
    for element in (first, first + 1):
        inside = (element >= 0) & (element < size)
        found.append((element.clip(0, size - 1).astype(np.int64), np.where(inside, 1.0, 0.0)))
    return found


def _arguments(call: Call) -> tuple[SampledPlaces, int, bool]:
    attributes = call.attributes
    sampled = places("Deformable", call.array(0), call.array(1), call.array(2), **attributes)
    pads = attributes.get("bilinear_interpolation_pad", False)
    return sampled, attributes.get("group", 1), pads


def _without_weight(call: Call) -> np.ndarray:
    """Outputs that an infinite or NaN number has part in with a weight of 0, or of nothing outside the image.

    The page does not say whether it is multiplied then.
    """
    data, kernel = call.array(0), call.array(2)
    foreign, filters = (~np.isfinite(each.astype(np.float64)) for each in (data, kernel))
    if not is_float(data.dtype) or not (foreign.any() or filters.any()):
        return np.zeros((), bool)
    sampled, group, pads = _arguments(call)
    ones = [np.ones(each.shape) for each in (data, kernel)]

    def some(
        image: np.ndarray, kernels: np.ndarray, weights: tuple[Weights, Weights]
    ) -> np.ndarray:
        return deformed(
            image.astype(np.float64),
            kernels.astype(np.float64),
            None,
            sampled,
            group,
            pads,
            weights,
        )

    def sure(place: np.ndarray, size: int, pads: bool) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(element, (weight > 0) * 1.0) for element, weight in _corners(place, size, pads)]

    of_data = some(foreign, ones[1], (_neighbours, _neighbours)) - some(
        foreign, ones[1], (sure, sure)
    )
    everywhere = np.broadcast_to(filters.sum(axis=(1, 2, 3))[:, None, None], of_data.shape)
    return (of_data > 0.5) | (some(ones[0], filters, (_corners, _corners)) < everywhere - 0.5)


@dataclass(frozen=True)
class Deformed(Arithmetic):
    """Sums of k products of filters and interpolated elements, whose places are computed as well.

    B is the sum of absolute values: 2·((k + 7)·u·B + 2·u·p·D + u·|y|). Weights are products of two that are rounded,
    and three more neighbours are added: 7 roundings besides those of the sum. A place of magnitude p is rounded twice,
    by u·p, with the accumulator's u, and with it the weights of its neighbours, along each axis: D is the sum of
    absolute values with 1 for them. Where the accumulator is finer than the working precision the bound has room for
    interpolated numbers that are rounded to it.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula for both tiers."""
        sizes = [np.abs(call.reals(index)) for index in (0, 2)]
        data, kernel = (np.where(np.isfinite(each), each, 0.0) for each in sizes)
        given = call.inputs[3] if len(call.inputs) > 3 else None
        mask = None if given is None else np.abs(given.astype(np.float64))
        sampled, group, pads = _arguments(call)
        total = deformed(data, kernel, mask, sampled, group, pads)
        moved = sum(
            deformed(data, kernel, mask, sampled, group, pads, weights)
            for weights in ((_neighbours, _corners), (_corners, _neighbours))
        )
        # Places outside the image do not count.
        furthest = max(*data.shape[2:], float(np.max(np.abs(call.reals(1)), initial=0)))
        exact = np.abs(call.outputs[output_index].astype(np.float64))
        terms = kernel[:1].size + 7
        coarse = accumulator(working)
        fine = PRECISIONS["f32"] if coarse.name == "f16" else coarse
        least = working.unit * working.smallest_normal

        def bound(acc: Precision, last: Precision) -> np.ndarray:
            return acc.unit * (terms * total + 2 * furthest * moved) + last.unit * exact

        between = working.unit * total if coarse.fraction_bits > working.fraction_bits else 0.0
        lost = ~np.isnan(exact) & (total >= coarse.overflow)
        outer = 2 * (bound(coarse, working) + between)
        # Products may be flushed to zero.
        outer = outer + np.minimum(total, terms * working.smallest_normal)
        return Bounds(outer + least, bound(fine, own) + least, free=lost)


DEFORMED = Deformed(silent=_without_weight, operands=1)
