"""Operations with a window that moves over an image: convolutions and poolings.

``along_axes``, ``window_rules``, ``window_violations``, ``window_variants`` and ``fit_padding`` are for every operation
whose window is its attribute or its input ``kernel``; ``convolution`` and ``pooling`` return operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt, prod
from typing import Any

from ir_models.declaration import (
    Attribute,
    Changes,
    Draw,
    Example,
    Input,
    Interval,
    Layer,
    Operation,
    Output,
    Rule,
    Variant,
    Within,
    between,
    example,
    rule,
    variant,
)
from ir_models.element_types import FLOATS, NUMERIC, ElementType, Tensor, i8, i32, i64, types, u64

T = types("T", NUMERIC)
AUTO_PADS = ("explicit", "same_upper", "same_lower", "valid")
AUTO_PAD = Attribute("auto_pad", AUTO_PADS, default="explicit")
ROUNDINGS = ("floor", "ceil", "ceil_torch")
ROUNDING_TYPE = Attribute("rounding_type", ROUNDINGS, default="floor")
UNPADDED = "pads_begin=0,0; pads_end=0,0"
UNDILATED = "dilations=1,1"


def along_axes(name: str, least: int = 0, required: bool = True) -> Attribute:
    """An attribute with one number for each spatial axis."""
    return Attribute(name, list, required=required, least=least, length="rank(data) - 2")


# --- rules --------------------------------------------------------------------------------------------------------


def window(layer: Layer) -> Sequence[int]:
    """The size of the window along each spatial axis."""
    kernel = layer.kernel
    return kernel.shape[2 - layer.data.rank :] if isinstance(kernel, Tensor) else kernel


def dilations(layer: Layer) -> Sequence[int]:
    """The layer's dilations; 1 along each axis where it has none."""
    given = layer.attributes.get("dilations")
    return [1] * (layer.data.rank - 2) if given is None else given


def places(layer: Layer) -> list[tuple[int, int, int, int, int]]:
    """(size, extent of the window, stride, padding at begin, at end) for each spatial axis."""
    found = []
    steps = zip(window(layer), layer.strides, dilations(layer), strict=True)
    pads = zip(layer.pads_begin, layer.pads_end, strict=True)
    for size, (count, stride, dilation), (begin, end) in zip(
        layer.data.shape[2:], steps, pads, strict=True
    ):
        extent = (count - 1) * dilation + 1
        if layer.auto_pad == "valid":
            begin = end = 0
        elif layer.auto_pad in ("same_upper", "same_lower"):
            total = max((-(-size // stride) - 1) * stride + extent - size, 0)
            less, more = total // 2, -(-total // 2)
            begin, end = (less, more) if layer.auto_pad == "same_upper" else (more, less)
        found.append((size, extent, stride, begin, end))
    return found


def window_rules(too_large: Sequence[str]) -> list[Rule]:
    """The rules of all windows; ``too_large``: changes that make it larger than the padded data."""
    return [
        # The pages that begin strides and dilations at 0 do not say what that means: never asked.
        rule(
            "strides and dilations are not 0",
            lambda layer: (
                0 not in (*layer.strides, *dilations(layer))
                or any(a.name == "strides" and a.least == 1 for a in layer.operation.attributes)
            ),
        ),
        rule(
            "the window fits into the padded data",
            lambda layer: all(
                begin + size + end >= extent for size, extent, _, begin, end in places(layer)
            ),
            too_large,
        ),
        # Nor this: an attribute ``kernel`` has a range of its own.
        rule(
            "the window is not empty",
            lambda layer: not isinstance(layer.kernel, Tensor) or min(window(layer)) > 0,
        ),
    ]


def window_violations(attributes: Sequence[Attribute]) -> list[str]:
    """Lists that are too short or too long, and negative pads."""
    names = [a.name for a in attributes if a.type is list]
    return [
        *(f"{name}={numbers}" for name in names for numbers in ("1", "1,1,1")),
        *(f"pads_{end}={numbers}" for end in ("begin", "end") for numbers in ("-1,1", "1,-1")),
    ]


def hold_data(layer: Layer) -> bool:
    """Whether every window holds an element of data, and not padding alone; so too where there is no right window."""
    return all(
        _along(axis, steps, dilation, layer.rounding_type)
        for axis, steps, dilation in zip(
            places(layer), window(layer), dilations(layer), strict=True
        )
    )


def _along(
    axis: tuple[int, int, int, int, int], steps: int, dilation: int, rounding_type: str
) -> bool:
    """Whether the windows of ``steps`` elements hold data along one axis."""
    size, extent, stride, begin, end = axis
    room = begin + size + end - extent
    if steps < 1 or room < 0:
        return True
    last = room // stride if rounding_type == "floor" else -(-room // stride)
    if rounding_type == "ceil_torch" and last * stride >= begin + size:
        last -= 1
    return all(
        any(0 <= place * stride + step * dilation - begin < size for step in range(steps))
        for place in range(last + 1)
    )


# --- layers -------------------------------------------------------------------------------------------------------


def window_variants(
    kernel: str,
    large_strides: str,
    windows: Sequence[str],
    strides: Sequence[str],
    also: Sequence[str],
    more: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> list[Variant]:
    """Factors of every window, on two spatial axes.

    ``kernel`` is the text of a window, ``"kernel=[6,4,{}]"``; ``windows`` and ``strides`` meet with automatic padding;
    each layer is asked with each of the changes ``also``. ``more`` factors: (name, about) and changes.
    """
    changes: dict[tuple[str, str], Sequence[str]] = {
        ("unit-strides", "windows at every place"): ["strides=1,1"],
        ("large-strides", "windows with gaps between"): [f"strides={large_strides}"],
        ("no-padding", "pads may be 0"): [UNPADDED],
        ("pads-only-begin", "padding before the data"): ["pads_end=0,0"],
        ("pads-only-end", "padding behind the data"): ["pads_begin=0,0"],
        ("pointwise", "a window of one element"): [f"{kernel.format('1,1')}; {UNPADDED}"],
        ("auto-pad", "of an odd padding one end gets more; unit strides keep the size"): [
            f"auto_pad={auto_pad}; strides={each}; {kernel.format(size)}"
            for auto_pad in ("same_upper", "same_lower")
            for size in windows
            for each in strides
        ],
        **(more or {}),
    }
    return [
        variant(name, about, *("; ".join(filter(None, (c, a))) for c in found for a in also))
        for (name, about), found in changes.items()
    ]


def last_axes(operation: Operation, text: str, rank: int) -> dict[str, Any]:
    """A layer of three spatial axes, without the first ones where data has a lower rank."""
    layer = operation.layer(**operation.parameters(text))
    tensors = {i.name: layer.tensors(i.name)[0] for i in operation.inputs}
    inputs = {n: t.shape[:-3] + t.shape[t.rank + 2 - rank :] for n, t in tensors.items()}
    lists = {n: v[5 - rank :] for n, v in layer.attributes.items() if isinstance(v, tuple)}
    return {**layer.attributes, **inputs, **lists}


def fit_padding(layer: Layer) -> Mapping[str, Any]:
    """Padding at the end where the window would not fit."""
    pads = [
        (begin, end) if begin + size + end >= extent else (0, extent - size)
        for size, extent, _, begin, end in places(layer)
    ]
    return {"pads_begin": [begin for begin, _ in pads], "pads_end": [end for _, end in pads]}


_AUTO_PAD_DRAWN = ["explicit", *AUTO_PADS, None]


# --- convolutions -------------------------------------------------------------------------------------------------


def convolution(
    name: str,
    *,
    channels: str,
    kernel: str,
    plain: str,
    drawn: Callable[[Draw], tuple[list[int], list[int]]],
    attributes: Sequence[Attribute],
    examples: Sequence[Example],
    variants: Sequence[Variant],
    too_large: Sequence[str],
    violations: Sequence[str],
) -> Operation:
    """A convolution of opset1. ``channels`` of data and ``kernel``: the names of dimensions before the spatial ones.

    ``plain`` is the layer of three spatial axes; ``drawn`` gives sizes before the spatial ones, of data and kernel.
    """
    values = summable(lambda layer: prod(layer.kernel.shape[1 - layer.data.rank :]))
    more = kernel.count(",") - 1
    operation = Operation(
        name,
        "opset1",
        inputs=[
            Input("data", T, shape=_shapes(f"N, {channels}", "ZYX"), values=values),
            Input("kernel", T, shape=_shapes(kernel, ["KZ", "KY", "KX"]), values=values),
        ],
        outputs=[Output("y", T)],
        attributes=attributes,
        examples=examples,
        rules=[
            rule(
                f"kernel has the rank of data{' + 1' * more}",
                lambda layer: layer.kernel.rank == layer.data.rank + more,
            ),
            rule("there is a group", lambda layer: not more or layer.kernel.shape[0] > 0),
            *window_rules(too_large),
        ],
        violations=[*window_violations(attributes), *violations],
        variants=variants,
    )

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        return last_axes(operation, plain, rank)

    @operation.random
    def random_layer(draw: Draw) -> Mapping[str, Any]:
        """A window always fits."""
        axes = range(draw.integer(1, 3))
        windows, dilated, strides = ([draw.integer(1, 3) for _ in axes] for _ in range(3))
        auto_pad = draw.choice(_AUTO_PAD_DRAWN)
        extents = [(w - 1) * d + 1 for w, d in zip(windows, dilated, strict=True)]
        sizes = [extent + draw.integer(0, 3) for extent in extents]
        # Less than a window, so that some of the output is not zero.
        begin, end = ([draw.integer(0, min(e - 1, 3)) for e in extents] for _ in range(2))
        data, filters = drawn(draw)
        return {
            "data": [*data, *sizes],
            "kernel": [*filters, *windows],
            "strides": strides,
            "pads_begin": begin,
            "pads_end": end,
            "dilations": dilated,
            "auto_pad": auto_pad,
        }

    operation.adapt(fit_padding)
    return operation


def _shapes(leading: str, axes: Sequence[str]) -> str:
    return " or ".join(f"{leading}, {', '.join(axes[-count:])}" for count in (1, 2, 3))


def convolution_attributes(least: int) -> list[Attribute]:
    """Those of convolutions; ``least``: where the page begins strides and dilations."""
    names = {"strides": least, "pads_begin": 0, "pads_end": 0, "dilations": least}
    return [*(along_axes(name, from_) for name, from_ in names.items()), AUTO_PAD]


def summable(terms: Callable[[Layer], int]) -> Within:
    """Numbers of which ``terms(layer)`` products add up to something that the type holds."""

    def interval(layer: Layer, kind: ElementType) -> Interval:
        if kind.is_float:
            return Interval(-2, 2)
        most = 2 ** (kind.bits - (kind.kind == "int")) - 1
        largest = min(max(isqrt(most // max(terms(layer), 1)), 1), 40)
        return Interval(-largest, largest)

    return Within(interval)


# A filter for large integers, and weights that every type of the page but the unsigned ones holds.
LARGE_FILTER = [[4099, 2], [1, 4097]]
FILTERS = [
    [[[1, -2, 3], [0, 2, -1]], [[-3, 1, 2], [2, -2, 1]]],
    [[[0, 1, -1], [3, -3, 2]], [[1, 2, -2], [-1, 0, 3]]],
    [[[2, 0, 1], [-2, 1, 3]], [[-1, 3, 0], [1, -3, -2]]],
]


def large_integers(kernel: Any) -> Variant:
    """A kernel of one channel, and data, whose sums of products no f32, or no 32-bit integer, holds."""
    unit = {name: [1, 1] for name in ("strides", "dilations")}
    unpadded = {name: [0, 0] for name in ("pads_begin", "pads_end")}
    data = (
        (kind, [[[[one, 3, 5], [7, other, 9], [2, 4, one + 6]]]])
        for kind, one, other in (
            (i32, 2**15 + 1, -(2**17) - 3),
            (i64, 2**33 + 1, -(2**40) - 3),
            (u64, 2**33 + 1, 2**40 + 3),
        )
    )
    return variant(
        "large-integers",
        "integers are numeric types and sums of them exact",
        *(
            {"data": kind.tensor(numbers), "kernel": kind.tensor(kernel), **unit, **unpadded}
            for kind, numbers in data
        ),
    )


def constant_kernel(data: Sequence[int], kernel: Any, *more: Changes) -> Variant:
    """A kernel that is known when the model is compiled, in types with a sign; ``more`` in others."""
    return variant(
        "constant-kernel",
        "weights are nearly always constants",
        *(
            {"data": kind[tuple(data)], "kernel": kind.tensor(kernel), "auto_pad": auto_pad}
            for kind in (*FLOATS, i8, i32)
            for auto_pad in ("explicit", "same_lower")
        ),
        *more,
    )


# --- poolings -----------------------------------------------------------------------------------------------------

_POOLED = (
    "data=[2,3,6,11,7]; strides=1,2,3; pads_begin=2,1,0; pads_end=1,0,1; kernel=4,3,2;"
    "rounding_type=floor; auto_pad=explicit"
)
# A last window that sticks out, and for ceil_torch one that would start in the padding.
_ROUNDED = (
    ("ceil", "2,3", "0,1"),
    ("ceil", "5,3", "0,0"),
    ("ceil_torch", "2,3", "0,1"),
    ("ceil_torch", "4,4", "1,1"),
    ("ceil_torch", "4,2", "0,2"),
)


def pooling(
    name: str,
    opset: str,
    *,
    outputs: Sequence[Output],
    attributes: Sequence[Attribute],
    plain: str,
    examples: Sequence[Example],
    too_large: Sequence[str],
    also: Sequence[str],
    values: Any = None,
    rules: Sequence[Rule] = (),
    variants: Sequence[Variant] = (),
) -> Operation:
    """A pooling of windows of a size ``kernel``; ``plain``: values of attributes that not every pooling has.

    Each factor of the window is asked with each of the changes ``also``.
    """
    roundings = next((a.type for a in attributes if a.name == "rounding_type"), ROUNDINGS)
    whole = f"kernel=11,7; {UNPADDED}"
    operation = Operation(
        name,
        opset,
        inputs=[Input("data", T, between(3, 5), values=values)],
        outputs=outputs,
        attributes=attributes,
        examples=examples,
        rules=[*window_rules(too_large), *rules],
        violations=[*window_violations(attributes), "kernel=0,2"],
        variants=[
            *window_variants(
                "kernel={}", "4,5", ["2,4", "3,3"], ["1,1", "2,3", "4,1"], also,
                {
                    ("rounding", "windows that stick out, or start in the padding"): [
                        f"rounding_type={rounding}; strides={strides}; pads_end={end}"
                        for rounding, strides, end in _ROUNDED
                        if rounding in roundings
                    ],
                    ("rounding-valid", "rounding without padding"): [
                        f"rounding_type={rounding}; auto_pad=valid; strides=3,2"
                        for rounding in roundings
                    ],
                },
            ),
            variant("whole-image", "the window may be the image", *(f"{whole}; {a}" for a in also if a)),
            *variants,
        ],
    )  # fmt: skip

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        return last_axes(operation, f"{_POOLED}; {plain}", rank)

    @operation.random
    def random_layer(draw: Draw) -> Mapping[str, Any]:
        spatial = draw.integer(1, 3)
        kernel = [draw.integer(1, 4) for _ in range(spatial)]
        dilated = any(a.name == "dilations" for a in attributes)
        steps = [draw.integer(1, 3) if dilated else 1 for _ in range(spatial)]
        extents = [(k - 1) * d + 1 for k, d in zip(kernel, steps, strict=True)]
        most = {1: 9, 2: 7, 3: 4}[spatial]
        begin, end = ([draw.integer(0, min(e - 1, 3)) for e in extents] for _ in range(2))
        batch, channels = draw.integer(1, 3), draw.integer(2, 4)
        given = {
            "data": [batch, channels, *(e + draw.integer(0, most) for e in extents)],
            "strides": [draw.integer(1, 4) for _ in range(spatial)],
            "dilations": draw.choice([steps, None]) if max(steps) == 1 else steps,
            "pads_begin": begin,
            "pads_end": end,
            "kernel": kernel,
            "rounding_type": draw.choice([*ROUNDINGS, None]),
            "auto_pad": draw.choice(_AUTO_PAD_DRAWN),
        }
        own = {a.name: _drawn(a, 2 + spatial, draw) for a in attributes if a.name not in given}
        return {n: v for n, v in given.items() if n != "dilations" or dilated} | own

    operation.adapt(fit_padding)
    return operation


def _drawn(attribute: Attribute, rank: int, draw: Draw) -> Any:
    """Any value of an attribute that not every pooling has."""
    values: Sequence[Any] = (False, True) if attribute.type is bool else range(-rank, rank)
    if attribute.is_enumeration:
        values = attribute.type
    return draw.choice([*values, *([] if attribute.required else [None])])


# With an output as large as the input most windows would hold nothing but padding.
_SAME = "same_upper with strides of 2 gives 16 places along an axis of 32, also by the formula for the printed pads"


def pooling_example(text: str, size: int, outputs: int = 1) -> Example:
    """An example of the pages: an image of 32 x 32 that becomes ``size`` x ``size``."""
    return example(
        f"data=f32[1,3,32,32]; {text}",
        output=[[1, 3, size, size]] * outputs,
        erratum=_SAME if "same_upper" in text else "",
    )
