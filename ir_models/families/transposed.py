"""Transposed convolutions: each element of an image adds its multiple of a filter to the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from ir_models.declaration import *
from ir_models.families.windows import (
    AUTO_PAD,
    AUTO_PADS,
    NOT_EMPTY,
    UNDILATED,
    UNPADDED,
    along_axes,
    kernel_rank,
    last_axes,
    spatial_shapes,
    summable,
    window_violations,
)

T1 = types("T1", "any numeric type")
T2 = types("T2", "any integer type")
_MAY_BE_OMITTED = "the page says as well that they may be omitted"
# Along every axis strides, dilations and paddings of its own.
_PLAIN = (
    "strides=2,2,3; pads_begin=1,2,4; pads_end=2,4,5; dilations=1,2,3; auto_pad=explicit;"
    "output_padding=1,1,2"
)
_READINGS = [
    Reading(
        "'if auto_pads != None', with the default None, or explicit in GroupConvolutionBackpropData-1",
        "An auto_pad that is left out is explicit.",
        "'explicit: use explicit padding values'; the pads of the examples with explicit count in their outputs.",
        "contradiction",
    ),
    Reading(
        "same_upper and same_lower without output_shape: 'the input is padded to match the output size', against "
        "'if auto_pads != None: pads_begin[i] = 0; pads_end[i] = 0'",
        "No padding, as for valid.",
        "The formula; there is no output size to match where output_shape is left out.",
        "contradiction",
    ),
    Reading(
        "pads_begin, pads_end: 'Required: yes', against 'May be omitted'",
        "All layers have them, and none is tested without them.",
        "The two sentences leave no case that is surely valid or surely not.",
        "contradiction",
    ),
    Reading(
        "total_padding[i] that is negative: output_shape is larger than what the filters cover",
        "The formulas hold: negative pads are zeros around it, total_padding[i] // 2 rounded down.",
        "The page has no other formula, and its third example needs -224; // rounds down in Python.",
        "silence",
        admits="All zeros behind what the filters cover.",
    ),
    Reading(
        "output_padding of a stride and more",
        "Any number; the output is 0 where no filter reaches.",
        "'Range of values: non-negative integer values', and the second example has such elements.",
        "silence",
    ),
    Reading(
        "an output without an element along an axis",
        "Not tested; a negative size is invalid.",
        "The formula gives both, and the page has no least size.",
        "silence",
    ),
    Reading(
        "infinities and NaN between the elements of data",
        "Outputs for which a weight that is not finite lies on no element of data are not judged.",
        "The page does not say whether zeros are multiplied there.",
        "silence",
    ),
]


def whole(layer: Layer) -> list[int]:
    """How far the filters of all elements reach along each spatial axis. Raises ValueError for wrong lists."""
    rank = layer.data.rank - 2
    lists = (layer.data.shape[2:], layer.kernel.shape[-rank:], layer.strides, layer.dilations)
    return [
        stride * (size - 1) + (window - 1) * dilation + 1
        for size, window, stride, dilation in zip(*lists, strict=True)
    ]


def _padding(layer: Layer) -> list[tuple[int, int]]:
    """For each spatial axis where the output begins on what the filters cover, and its size."""
    lengths, more = whole(layer), layer.output_padding or [0] * len(layer.strides)
    if layer.output_shape is not None:
        sizes = layer.output_shape.value
        totals = [n + extra - size for n, extra, size in zip(lengths, more, sizes, strict=True)]
        up = layer.auto_pad == "same_upper"
        return [((total + up) // 2, size) for total, size in zip(totals, sizes, strict=True)]
    if layer.auto_pad != "explicit":
        return [(0, n + extra) for n, extra in zip(lengths, more, strict=True)]
    axes = zip(lengths, more, layer.pads_begin, layer.pads_end, strict=True)
    return [(begin, n + extra - begin - end) for n, extra, begin, end in axes]


def _shows_data(layer: Layer) -> bool:
    """Whether a filter reaches an element of the output."""
    axes = zip(
        *(_padding(layer), layer.data.shape[2:], layer.kernel.shape[2 - layer.data.rank :]),
        *(layer.strides, layer.dilations),
        strict=True,
    )
    return all(
        any(0 <= i * stride + k * dilation - begin < length for i in range(size) for k in range(w))
        for (begin, length), size, w, stride, dilation in axes
    )


def _leaves_output(layer: Layer) -> bool:
    return layer.output_shape is not None or all(size > 0 for _, size in _padding(layer))


def uncropped(layer: Layer) -> dict[str, Any]:
    """No padding, where too little would be left."""
    nothing = [0] * (layer.data.rank - 2)
    return {"pads_begin": nothing, "pads_end": nothing}


def _drawn_layer(
    draw: Draw, operation: Operation, drawn: Callable[[Draw], tuple[list[int], list[int]]]
) -> Mapping[str, Any]:
    count = range(draw.integer(1, 3))
    most = {1: 7, 2: 5, 3: 3}[len(count)]
    sizes, windows = ([draw.integer(1, most) for _ in count] for most in (most, 3))
    strides, dilations = ([draw.integer(1, 3) for _ in count] for _ in range(2))
    data, filters = drawn(draw)
    begin, end, extra = ([draw.integer(0, 2) for _ in count] for _ in range(3))
    parameters = {
        "data": [*data, *sizes],
        "kernel": [*filters, *windows],
        "strides": strides,
        "pads_begin": begin,
        "pads_end": end,
        "dilations": dilations,
        "auto_pad": draw.choice(["explicit", *AUTO_PADS, None]),
        "output_padding": draw.choice([extra, None]),
    }
    if draw.boolean():
        lengths = whole(operation.layer(**parameters))
        parameters["output_shape"] = [max(n - draw.integer(-2, 4), 1) for n in lengths]
    drawn_layer = operation.layer(**parameters)
    if _shows_data(drawn_layer):
        return parameters
    return {**parameters, **uncropped(drawn_layer), "output_shape": None}


_LEAVES_OUTPUT = rule(
    "the padding leaves an output", _leaves_output, "pads_begin=25,4|2,25; output_padding=1,2|-"
)


_ATTRIBUTES = [
    along_axes("strides", 1),
    along_axes("pads_begin"),
    along_axes("pads_end"),
    along_axes("dilations", 1),
    AUTO_PAD,
    Attribute("output_padding", list, least=0, length="rank(data) - 2"),
]


def transposed(
    name: str,
    *,
    channels: str,
    kernel: str,
    plain: str,
    drawn: Callable[[Draw], tuple[list[int], list[int]]],
    examples: Sequence[Example],
    violations: Sequence[str],
    own: Sequence[Variant],
    readings: Sequence[Reading] = (),
) -> Operation:
    """A transposed convolution of opset1.

    ``channels`` of data and ``kernel``: the names of dimensions before the spatial ones. ``plain``: the shapes of the
    layer of three spatial axes, windows of 2, 4 and 3 on data of 5, 4 and 3; ``drawn`` gives sizes before the spatial
    ones, of data and kernel; ``own``: its own variants.
    """
    more = kernel.count(",") - 1
    # Input channels times the window.
    values = summable(lambda layer: layer.kernel.shape[more] * prod(layer.kernel.shape[2 + more :]))
    operation = Operation(
        name,
        "opset1",
        mixes=True,
        inputs=[
            Input(
                "data", T1, shape=spatial_shapes(f"N, {channels}", ["Z", "Y", "X"]), values=values
            ),
            Input("kernel", T1, shape=spatial_shapes(kernel, ["KZ", "KY", "KX"]), values=values),
            Index("output_shape", T2, shape="rank(data) - 2", optional=True, least=0),
        ],
        outputs=[Output("y", T1)],
        attributes=_ATTRIBUTES,
        examples=examples,
        rules=[kernel_rank(more), _LEAVES_OUTPUT, NOT_EMPTY],
        unasked={f"{each} is required": _MAY_BE_OMITTED for each in ("pads_begin", "pads_end")},
        violations=[
            *window_violations(_ATTRIBUTES),
            "output_padding=-1,1|1,-1",
            "output_shape=10|10,9,3|-1,9|10,-1",
            *violations,
        ],
        variants=[*_variants(), *own],
        readings=[*_READINGS, *readings],
    )

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        return last_axes(operation, f"{plain}; {_PLAIN}", rank)

    operation.random(lambda draw: _drawn_layer(draw, operation, drawn))
    operation.adapt(uncropped)
    return operation


def _variants() -> list[Variant]:
    """Factors of every transposed convolution, of a window of 4 x 3 on data of 4 x 3."""
    return variants(f"""
        unit-strides: filters at every place
            strides=1,1
            strides=1,1; {UNDILATED}; {UNPADDED}
        large-strides: gaps between the filters, where the output is 0
            strides=5,6; {UNDILATED}
        no-dilation: the elements of a filter are neighbours
            {UNDILATED}
            {UNDILATED}; strides=2,2; {UNPADDED}; output_padding=-
        large-dilations: wide gaps inside a filter
            dilations=7,4
        no-padding: pads may be 0
            {UNPADDED}; output_padding=-|1,2
        pads-only-begin: cut off at the begin
            pads_end=0,0; pads_begin=3,5
        pads-only-end: cut off at the end
            pads_begin=0,0; pads_end=4,3
        large-pads: more is cut off than a filter covers
            pads_begin=9,3; pads_end=2,10
        large-output-padding: elements that no filter reaches
            output_padding=4,7; {UNPADDED}
        output-padding: 'Elements are added at the higher coordinate indices'
            output_padding=2,0|0,1
        output-shape: 'auto_pad defines how to distribute padding amount', here odd and even ones, and none
            output_shape=9,8|10,9; auto_pad=explicit|same_upper|same_lower|valid|-
            output_shape=14,15; auto_pad=explicit
            output_shape=12,8; output_padding=-; auto_pad=same_upper|valid
        wide-output-shape: 'if output_shape is specified', larger than what the filters cover
            output_shape=17,16|16,20; auto_pad=explicit|same_upper
            output_shape=15,18; output_padding=-; auto_pad=same_lower
    """)
