"""How outputs are divided into parts that do not depend on each other: see ``reference.accuracy.parts``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from reference.accuracy.parts import Box, Division, Inputs, Taken
from reference.shared.axes import normalize_axes, normalize_axis
from reference.shared.broadcasting import numpy_shape
from reference.shared.padding import window_size
from reference.shared.windows import Windows, windows

Attributes = Mapping[str, Any]
Divide = Callable[[Inputs, Attributes], "Division | None"]


def _data(inputs: Inputs) -> np.ndarray:
    data = inputs[0]
    assert data is not None
    return data


def _aligned(shape: tuple[int, ...], box: Box) -> Box:
    """The box of an input that broadcasts to the output; a dimension of 1 is taken whole."""
    own = box[len(box) - len(shape) :]
    return tuple(slice(0, 1) if n == 1 else each for n, each in zip(shape, own, strict=True))


def elementwise(inputs: Inputs, attributes: Attributes) -> Division | None:
    """Along any axis: an element of the output depends on one element of each input, which numpy's rules broadcast."""
    shapes = [each.shape for each in inputs if each is not None]
    is_one = all(shape == shapes[0] for shape in shapes)
    if not is_one and attributes.get("auto_broadcast", "numpy") != "numpy":
        return None
    shape = numpy_shape(*shapes)

    def take(box: Box) -> Taken:
        return Taken([None if each is None else _aligned(each.shape, box) for each in inputs])

    return Division(shape, dict.fromkeys(range(len(shape)), 1), take)


def of_data(inputs: Inputs, attributes: Attributes) -> Division:
    """Along any axis of the first input, whose shape the output has; the others are taken whole."""
    return _kept(inputs, ())


def _kept(inputs: Inputs, along: Sequence[int], channels: Sequence[int] = ()) -> Division:
    """Along all axes of the first input but some; of the inputs in ``channels`` those that belong to axis 1."""
    shape = _data(inputs).shape

    def take(box: Box) -> Taken:
        others = [box[1:2] if place in channels else None for place in range(1, len(inputs))]
        return Taken([box, *others])

    return Division(shape, {axis: 1 for axis in range(len(shape)) if axis not in along}, take)


def but_the_axis(inputs: Inputs, attributes: Attributes) -> Division:
    """Along all axes but that of the attribute ``axis``, 1 where it is left out."""
    axis = attributes.get("axis", 1)
    return _kept(inputs, [normalize_axis(axis, _data(inputs).ndim, "axis")])


def but_the_axes(inputs: Inputs, attributes: Attributes) -> Division:
    """Along all axes but those of the second input."""
    return _kept(inputs, _axes(inputs))


def but_axes(along: Callable[[np.ndarray, Attributes], Sequence[int]]) -> Divide:
    """Along all axes but those that the function gives for the first input and the attributes."""

    def divide(inputs: Inputs, attributes: Attributes) -> Division:
        return _kept(inputs, along(_data(inputs), attributes))

    return divide


def with_channels(inputs: Inputs, attributes: Attributes) -> Division:
    """Along any axis of the first input; the others have an element for each of its channels."""
    return _kept(inputs, (), range(1, len(inputs)))


def with_slopes(inputs: Inputs, attributes: Attributes) -> Division | None:
    """Along any axis of the first input; of the second, which has one element for each of its channels, or just one."""
    data, slopes = inputs
    assert data is not None
    assert slopes is not None
    if slopes.ndim == 1 and slopes.shape == data.shape[1:2]:
        return _kept(inputs, (), [1])
    return of_data(inputs, attributes) if slopes.size == 1 and slopes.ndim else None


def batches(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch alone."""
    return _kept(inputs, range(1, _data(inputs).ndim))


def _axes(inputs: Inputs) -> list[int]:
    axes = inputs[1]
    assert axes is not None
    return normalize_axes(np.ravel(axes), _data(inputs).ndim, "axes")


def reduced(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the axes that are not reduced, those of the second input are."""
    data, along = _data(inputs), _axes(inputs)
    keeps = attributes.get("keep_dims", False)
    # For each axis of the output that of the data, None where it was reduced.
    places = [None if a in along else a for a in range(data.ndim) if keeps or a not in along]
    shape = tuple(1 if place is None else data.shape[place] for place in places)

    def take(box: Box) -> Taken:
        own = [slice(0, size) for size in data.shape]
        for place, each in zip(places, box, strict=True):
            if place is not None:
                own[place] = each
        return Taken([tuple(own), None])

    steps = {axis: 1 for axis, place in enumerate(places) if place is not None}
    return Division(shape, steps, take)


def multiplied(inputs: Inputs, attributes: Attributes) -> Division | None:
    """Along batches, rows of the first and columns of the second factor of a matrix product."""
    a, b = inputs
    assert a is not None
    assert b is not None
    if a.ndim < 2 or b.ndim < 2:
        return None
    is_turned = [attributes.get(name, False) for name in ("transpose_a", "transpose_b")]
    rows, columns = a.shape[-1 if is_turned[0] else -2], b.shape[-2 if is_turned[1] else -1]
    shape = (*numpy_shape(a.shape[:-2], b.shape[:-2]), rows, columns)

    def take(box: Box) -> Taken:
        *batch, row, column = box
        taken = []
        for each, own, turned, is_first in zip(
            (a, b), (row, column), is_turned, (True, False), strict=True
        ):
            inner = slice(0, each.shape[-1 if is_first != turned else -2])
            matrix = (own, inner) if is_first != turned else (inner, own)
            taken.append((*_aligned(each.shape[:-2], tuple(batch)), *matrix))
        return Taken(taken)

    return Division(shape, dict.fromkeys(range(len(shape)), 1), take)


# --- windows ------------------------------------------------------------------------------------------------------


def _spatial(moving: Windows) -> list[int]:
    """The spatial axes, from 0, along which windows are divided: where none lies in the padding or beyond it."""
    found = []
    for axis, size in enumerate(moving.sizes):
        extent = window_size(moving.kernel[axis], moving.dilations[axis])
        begin, end = moving.pads_begin[axis], moving.pads_end[axis]
        reached = (moving.counts[axis] - 1) * moving.strides[axis] + extent
        if max(begin, end) < extent <= size and reached <= begin + size + end:
            found.append(axis)
    return found


def _under(moving: Windows, box: Box) -> tuple[list[slice], dict[str, Any]]:
    """What of the image lies under the windows of a box of places, and the attributes that pad it."""
    own, begins, ends = [], [], []
    for axis, places in enumerate(box):
        extent = window_size(moving.kernel[axis], moving.dilations[axis])
        begin, end, size = moving.pads_begin[axis], moving.pads_end[axis], moving.sizes[axis]
        first = places.start * moving.strides[axis] - begin
        last = (places.stop - 1) * moving.strides[axis] - begin + extent
        if last <= 0 or last > size + end:
            # The last window lies in the padding, or reaches beyond: this axis is not divided.
            own.append(slice(0, size))
            begins.append(begin)
            ends.append(end)
            continue
        own.append(slice(max(first, 0), min(last, size)))
        begins.append(max(-first, 0))
        ends.append(max(last - size, 0))
    return own, {"pads_begin": begins, "pads_end": ends, "auto_pad": "explicit"}


def _moving(data: np.ndarray, kernel: Sequence[int], attributes: Attributes) -> Windows:
    return windows(
        "windows",
        data.shape[2:],
        kernel,
        strides=attributes["strides"],
        pads_begin=attributes["pads_begin"],
        pads_end=attributes["pads_end"],
        dilations=attributes.get("dilations"),
        auto_pad=attributes.get("auto_pad", "explicit"),
        rounding_type=attributes.get("rounding_type", "floor"),
    )


def convolved(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch, the places of the window, and the filters; those of a group stay together."""
    data, kernel = inputs
    assert data is not None
    assert kernel is not None
    has_groups = kernel.ndim > data.ndim
    moving = _moving(data, kernel.shape[1 - data.ndim :][1:], attributes)
    filters = prod(kernel.shape[: 2 if has_groups else 1])
    together = kernel.shape[1] if has_groups else 1
    channels = kernel.shape[2] if has_groups else 0

    def take(box: Box) -> Taken:
        batch, made, *places = box
        own, pads = _under(moving, tuple(places))
        groups = slice(made.start // together, -(-made.stop // together))
        read = slice(0, data.shape[1])
        if has_groups:
            read = slice(groups.start * channels, groups.stop * channels)
        chosen = (groups, *(slice(0, size) for size in kernel.shape[1:]))
        return Taken([(batch, read, *own), chosen], pads)

    steps = {0: 1, **{2 + axis: 1 for axis in _spatial(moving)}, 1: max(together, 1)}
    return Division((len(data), filters, *moving.counts), steps, take)


def pooled(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch, the channels, and the places of the window."""
    data = _data(inputs)
    moving = _moving(data, attributes["kernel"], attributes)

    def take(box: Box) -> Taken:
        batch, channels, *places = box
        own, pads = _under(moving, tuple(places))
        return Taken([(batch, channels, *own)], pads)

    steps = {0: 1, 1: 1, **{2 + axis: 1 for axis in _spatial(moving)}}
    return Division((*data.shape[:2], *moving.counts), steps, take)


def pooled_with_indices(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch, or the channels of a batch of 1: indices count the elements of data from ``axis`` on."""
    data = _data(inputs)
    moving = _moving(data, attributes["kernel"], attributes)
    first = normalize_axis(attributes.get("axis", 0), data.ndim, "axis")

    def take(box: Box) -> Taken:
        own = (*box[:2], *(slice(0, size) for size in moving.sizes))
        strides = [prod(data.shape[axis + 1 :]) for axis in range(2)]
        missing = sum(box[axis].start * strides[axis] for axis in range(2) if axis >= first)
        return Taken([own], offsets={1: missing})

    steps = {1: 1} if len(data) == 1 else {0: 1}
    return Division((*data.shape[:2], *moving.counts), steps, take)


def transposed_filters(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch and the filters, where those of a group stay together; the sizes of images are not divided."""
    data, kernel = inputs[:2]
    assert data is not None
    assert kernel is not None
    has_groups = kernel.ndim > data.ndim
    together = kernel.shape[2] if has_groups else 1
    filters = kernel.shape[0] * together if has_groups else kernel.shape[1]

    def take(box: Box) -> Taken:
        batch, made = box[:2]
        own = [slice(0, size) for size in kernel.shape]
        read = slice(0, data.shape[1])
        if has_groups:
            own[0] = slice(made.start // together, made.stop // together)
            read = slice(own[0].start * kernel.shape[1], own[0].stop * kernel.shape[1])
        else:
            own[1] = made
        image = (batch, read, *(slice(0, size) for size in data.shape[2:]))
        return Taken([image, tuple(own), *[None] * (len(inputs) - 2)])

    # An output is about as many times the image as windows are apart.
    sizes = [size * step for size, step in zip(data.shape[2:], attributes["strides"], strict=True)]
    return Division((len(data), filters, *sizes), {0: 1, 1: max(together, 1)}, take)


def images(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the batch and the channels of the first input."""
    return _kept(inputs, range(2, _data(inputs).ndim))


def resized(inputs: Inputs, attributes: Attributes) -> Division | None:
    """Along the axes of the first input that are not resized: those named by an attribute or the last input are."""
    named = attributes.get("axes", inputs[-1])
    pads = [attributes.get(name, 0) for name in ("pads_begin", "pads_end")]
    if named is None or (len(inputs) == 2 and "axes" not in attributes) or any(map(np.any, pads)):
        return None
    return _kept(inputs, normalize_axes(np.ravel(named), _data(inputs).ndim, "axes"))


# --- movement -----------------------------------------------------------------------------------------------------


def transposed(inputs: Inputs, attributes: Attributes) -> Division:
    """Along any axis."""
    data, order = inputs
    assert data is not None
    assert order is not None
    axes = [int(axis) for axis in order] or list(range(data.ndim))[::-1]
    if sorted(axes) != list(range(data.ndim)):
        raise ValueError(f"input_order must have every axis once, got {axes}")

    def take(box: Box) -> Taken:
        return Taken([tuple(box[axes.index(axis)] for axis in range(data.ndim)), None])

    shape = tuple(data.shape[axis] for axis in axes)
    return Division(shape, dict.fromkeys(range(len(shape)), 1), take)


def concatenated(inputs: Inputs, attributes: Attributes) -> Division:
    """Along all axes but that of the attribute ``axis``."""
    data = [each for each in inputs if each is not None]
    axis = normalize_axis(attributes["axis"], data[0].ndim, "axis")
    shape = list(data[0].shape)
    if any(
        [*each.shape[:axis], *each.shape[axis + 1 :]] != [*shape[:axis], *shape[axis + 1 :]]
        for each in data
    ):
        raise ValueError("shapes must match except at the axis")
    shape[axis] = sum(each.shape[axis] for each in data)

    def take(box: Box) -> Taken:
        return Taken([(*box[:axis], slice(0, each.shape[axis]), *box[axis + 1 :]) for each in data])

    return Division(tuple(shape), {a: 1 for a in range(len(shape)) if a != axis}, take)


def separated(inputs: Inputs, attributes: Attributes) -> Division:
    """Along all axes but that of the second input."""
    data, (axis,) = _data(inputs), _axes(inputs)

    def take(box: Box) -> Taken:
        own = (*box[:axis], slice(0, data.shape[axis]), *box[axis + 1 :])
        return Taken([own, *[None] * (len(inputs) - 1)])

    return Division(data.shape, {a: 1 for a in range(data.ndim) if a != axis}, take)


def reshaped(inputs: Inputs, attributes: Attributes) -> Division:
    """Along the first axes that the shapes have in common, and the next one where it joins or separates axes."""
    data, wanted = inputs
    assert data is not None
    assert wanted is not None
    sizes = [int(size) for size in wanted]
    if attributes["special_zero"]:
        sizes = [size or data.shape[axis] for axis, size in enumerate(sizes)]
    if -1 in sizes:
        sizes[sizes.index(-1)] = data.size // max(-prod(sizes), 1)
    if prod(sizes) != data.size:
        raise ValueError("the elements must fit")
    shape, before = tuple(sizes), 0
    while before < min(len(shape), data.ndim) and shape[before] == data.shape[before]:
        before += 1
    steps, many = dict.fromkeys(range(before), 1), 0
    if before < min(len(shape), data.ndim) and data.size:
        own, other = data.shape[before], shape[before]
        if other % own == 0 and _has_product(data.shape[before + 1 :], other // own):
            steps[before] = other // own
        elif own % other == 0 and _has_product(shape[before + 1 :], own // other):
            steps[before], many = 1, own // other

    def take(box: Box) -> Taken:
        own = [slice(0, size) for size in data.shape]
        for axis, step in steps.items():
            one = box[axis]
            if axis == before:
                one = (
                    slice(one.start * many, one.stop * many)
                    if many
                    else slice(one.start // step, one.stop // step)
                )
            own[axis] = one
        return Taken([tuple(own), np.array([each.stop - each.start for each in box], np.int64)])

    return Division(shape, steps, take)


def _has_product(sizes: Sequence[int], wanted: int) -> bool:
    """Whether the first ones of these sizes have this product."""
    return wanted in [prod(sizes[:count]) for count in range(1, len(sizes) + 1)]


def with_axes_of_one(inputs: Inputs, attributes: Attributes) -> Division:
    """Along all axes of the first input, beside which the output has dimensions of 1, those of the second input."""
    data, axes = inputs
    assert data is not None
    assert axes is not None
    rank = data.ndim + axes.size
    added = normalize_axes(axes.reshape(-1).tolist(), rank, "axes")
    places = [axis for axis in range(rank) if axis not in added]
    shape = [1] * rank
    for place, size in zip(places, data.shape, strict=True):
        shape[place] = size

    def take(box: Box) -> Taken:
        return Taken([tuple(box[place] for place in places), None])

    return Division(tuple(shape), dict.fromkeys(places, 1), take)


def without_axes_of_one(inputs: Inputs, attributes: Attributes) -> Division | None:
    """Along all axes but those of the second input, which are 1 and vanish."""
    data, axes = inputs[0], inputs[1] if len(inputs) > 1 else None
    assert data is not None
    if axes is None or not axes.size:
        return None
    gone = normalize_axes(axes.reshape(-1).tolist(), data.ndim, "axes")
    places = [axis for axis in range(data.ndim) if axis not in gone or data.shape[axis] != 1]
    # An axis that is named and is not 1 stays, and would vanish from a part of length 1.
    steps = {place: 1 for place, axis in enumerate(places) if axis not in gone}

    def take(box: Box) -> Taken:
        own = [slice(0, size) for size in data.shape]
        for place, each in zip(places, box, strict=True):
            own[place] = each
        return Taken([tuple(own), None])

    return Division(tuple(data.shape[axis] for axis in places), steps, take)
