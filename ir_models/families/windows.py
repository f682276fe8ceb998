"""Operations with a window that moves over an image: convolutions and poolings.

``along_axes``, ``axes``, ``window_rules``, ``window_violations``, ``window_variants``, ``last_axes`` and
``fit_padding`` are for every operation whose window is its attribute or its input ``kernel``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Any

from ir_models.declaration import *
from ir_models.vocabulary.element_types import FLOATS, ElementType, Tensor, i8, i32

T = types("T", "any numeric type")
AUTO_PADS = ("explicit", "same_upper", "same_lower", "valid")
AUTO_PAD = Attribute("auto_pad", AUTO_PADS, default="explicit")
ROUNDINGS = ("floor", "ceil", "ceil_torch")
ROUNDING_TYPE = Attribute("rounding_type", ROUNDINGS, default="floor")
# Before opset14.
OLD_ROUNDING_TYPE = Attribute("rounding_type", ROUNDINGS[:2], default="floor")
UNPADDED = "pads_begin=0,0; pads_end=0,0"
UNDILATED = "dilations=1,1"
_DRAWN_AUTO_PADS = ["explicit", *AUTO_PADS, None]


def along_axes(name: str, least: int = 0, required: bool = True) -> Attribute:
    """An attribute with one number for each spatial axis."""
    return Attribute(name, list, required=required, least=least, length="rank(data) - 2")


@dataclass(frozen=True)
class Axis:
    """The window along one spatial axis; ``size`` is that of data, ``begin`` and ``end`` the padding.

    Raises ValueError for numbers that make no window: rules on attributes say which.
    """

    size: int
    window: int
    stride: int = 1
    dilation: int = 1
    begin: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        if min(self.window, self.stride) < 1 or min(self.dilation, self.begin, self.end) < 0:
            raise ValueError(f"{self} is no window")

    @property
    def extent(self) -> int:
        """From the first element of the window to behind the last one."""
        return (self.window - 1) * self.dilation + 1

    @property
    def room(self) -> int:
        """How far the window can move; negative where it does not fit."""
        return self.begin + self.size + self.end - self.extent

    @property
    def places(self) -> int:
        """How many windows there are; not positive where none fits."""
        return self.room // self.stride + 1

    def last(self, rounding: str) -> int:
        """The number of the last window, from 0 on; negative where there is none."""
        last = self.room // self.stride if rounding == "floor" else -(-self.room // self.stride)
        if rounding == "ceil_torch" and last * self.stride >= self.begin + self.size:
            last -= 1
        return last

    def holds_data(self, rounding: str) -> bool:
        """Whether every window holds an element of data, and not padding alone."""
        last = self.last(rounding)
        return all(
            any(0 <= at + step * self.dilation < self.size for step in range(self.window))
            for at in range(-self.begin, last * self.stride - self.begin + 1, self.stride)
        )


def axes(layer: Layer) -> list[Axis]:
    """The spatial axes, with the padding that ``auto_pad`` gives. Raises ValueError for lists of wrong lengths."""
    rank, kernel = layer.data.rank - 2, layer.kernel
    dilations = layer.attributes.get("dilations") or [1] * rank
    lists = (
        layer.data.shape[2:],
        kernel.shape[-rank:] if isinstance(kernel, Tensor) else kernel,
        *(layer.strides, dilations, layer.pads_begin, layer.pads_end),
    )
    return [_padded(Axis(*numbers), layer.auto_pad) for numbers in zip(*lists, strict=True)]


def rounding(layer: Layer) -> str:
    """How places are counted: rounding_type does not count where padding is made for a number of them."""
    if layer.auto_pad in ("same_upper", "same_lower"):
        return "floor"
    return layer.attributes.get("rounding_type") or "floor"


def hold_data(layer: Layer) -> bool:
    """Whether every window holds an element of data; so too where no window fits."""
    found = rounding(layer)
    return all(axis.last(found) < 0 or axis.holds_data(found) for axis in axes(layer))


def _padded(axis: Axis, auto_pad: str) -> Axis:
    begin, end = axis.begin, axis.end
    if auto_pad == "valid":
        begin = end = 0
    elif auto_pad in ("same_upper", "same_lower"):
        last = (-(-axis.size // axis.stride) - 1) * axis.stride
        total = max(last + axis.extent - axis.size, 0)
        begin = total // 2 if auto_pad == "same_upper" else -(-total // 2)
        end = total - begin
    return Axis(axis.size, axis.window, axis.stride, axis.dilation, begin, end)


NOT_EMPTY = rule(
    "there is a group, and the window is not empty",
    lambda layer: (
        not isinstance(layer.kernel, Tensor)
        or (
            0 not in layer.kernel.shape[: layer.kernel.rank - layer.data.rank]
            and 0 not in layer.kernel.shape[2 - layer.data.rank :]
        )
    ),
    unasked="the page does not say what an empty window gives",
)


def window_rules(too_large: Sequence[str]) -> list[Rule]:
    """The rules of all windows; ``too_large``: changes that make it larger than the padded data."""
    return [
        rule(
            "strides and dilations are not 0",
            lambda layer: all(
                0 not in layer.attributes.get(a.name, ())
                for a in layer.operation.attributes
                if a.name in ("strides", "dilations") and a.least == 0
            ),
            unasked="the page allows 0 and does not say what it means",
        ),
        rule(
            "the window fits into the padded data",
            lambda layer: all(axis.last(rounding(layer)) >= 0 for axis in axes(layer)),
            too_large,
        ),
        NOT_EMPTY,
    ]


def kernel_rank(more: int) -> Rule:
    """The rule that kernel has ``more`` dimensions than data."""
    return rule(
        f"kernel has the rank of data{' + 1' if more else ''}",
        lambda layer: layer.kernel.rank == layer.data.rank + more,
    )


def window_violations(attributes: Sequence[Attribute]) -> list[str]:
    """Lists that are too short or too long, and negative pads."""
    lists = [f"{a.name}=1|1,1,1" for a in attributes if a.type is list]
    return [*lists, "pads_begin=-1,1|1,-1", "pads_end=-1,1|1,-1"]


def window_variants(
    kernel: str, windows: Sequence[str], strides: str, large: str, also: str
) -> list[Variant]:
    """Factors of every window, on two spatial axes, each with all the changes ``also``.

    ``kernel`` is the text of one with a window, ``[6,4,{}]``; ``windows`` meet ``strides`` where padding is automatic;
    ``large`` are strides.
    """
    given = "|".join(kernel.format(window) for window in windows)
    same = f"auto_pad=same_upper|same_lower; kernel={given}; strides={strides}"
    factors = (
        ("unit-strides", "windows at every place", "strides=1,1"),
        ("large-strides", "windows with gaps between", f"strides={large}"),
        ("no-padding", "pads may be 0", UNPADDED),
        ("pads-only-begin", "padding before the data", "pads_end=0,0"),
        ("pads-only-end", "padding behind the data", "pads_begin=0,0"),
        ("pointwise", "one element", f"kernel={kernel.format('1,1')}; {UNPADDED}"),
        ("auto-pad", "one end gets more of an odd padding", same),
    )
    return [variant(name, about, _with(changes, also)) for name, about, changes in factors]


def _with(changes: str, also: str) -> str:
    return f"{changes}; {also}" if also else changes


def last_axes(operation: Operation, text: str, rank: int) -> dict[str, Any]:
    """A layer of three spatial axes, without the first ones where data has a lower rank."""
    layer = operation.layer(**operation.parameters(text))
    tensors = {i.name: each for i in operation.inputs for each in layer.tensors(i.name)}
    inputs = {n: t.shape[:-3] + t.shape[t.rank + 2 - rank :] for n, t in tensors.items()}
    lists = {n: v[5 - rank :] for n, v in layer.attributes.items() if isinstance(v, tuple)}
    return {**layer.attributes, **inputs, **lists}


def fit_padding(layer: Layer) -> dict[str, Any]:
    """Padding at the end where the window would not fit."""
    pads = [(a.begin, a.end) if a.room >= 0 else (0, a.extent - a.size) for a in axes(layer)]
    return dict(zip(("pads_begin", "pads_end"), zip(*pads, strict=True), strict=True))


# --- convolutions -------------------------------------------------------------------------------------------------


_PADDING = [
    Reading(
        "infinities and NaN beside the padding",
        "Elements whose window meets the padding where the kernel is not finite are not judged.",
        "The page does not say whether the zeros of the padding are multiplied at all.",
        "silence",
    ),
]


_OF_WINDOWS = [
    variant("no-dilation", "the elements of a window are neighbours", UNDILATED),
    variant(
        "window-at-pads",
        "padding as large as the window, of which some hold nothing else, and strides larger than it",
        f"{UNDILATED}; pads_begin=2,3; pads_end=2,3; strides=1,1",
        f"{UNDILATED}; pads_begin=2,3; pads_end=2,3; strides=4,5",
        "pads_begin=4,0; pads_end=0,6; strides=5,1",
    ),
]


def _drawn_convolution(
    draw: Draw,
    spatial: Sequence[int],
    begins: Mapping[str, int],
    drawn: Callable[[Draw], tuple[list[int], list[int]]],
    own: Mapping[Attribute, Callable[[Draw], Any]],
) -> Mapping[str, Any]:
    """A window always fits."""
    count = range(draw.integer(min(spatial), max(spatial)))
    windows, dilations, strides = ([draw.integer(1, 3) for _ in count] for _ in range(3))
    auto_pad = draw.choice(_DRAWN_AUTO_PADS)
    extents = [(w - 1) * d + 1 for w, d in zip(windows, dilations, strict=True)]
    sizes = [extent + draw.integer(0, 3) for extent in extents]
    # Less than a window, so that some of the output is not zero.
    begin, end = ([draw.integer(0, min(e - 1, 3)) for e in extents] for _ in range(2))
    data, filters = drawn(draw)
    lists = zip(begins, (strides, begin, end, dilations), strict=True)
    shapes = {"data": [*data, *sizes], "kernel": [*filters, *windows]}
    others = {each.name: drawn_value(draw) for each, drawn_value in own.items()}
    return {**shapes, **dict(lists), **others, "auto_pad": auto_pad}


def convolution(
    name: str,
    *,
    channels: str,
    kernel: str,
    plain: str,
    drawn: Callable[[Draw], tuple[list[int], list[int]]],
    least: int,
    examples: Sequence[Example],
    variants: Sequence[Variant],
    too_large: Sequence[str],
    violations: Sequence[str],
    readings: Sequence[Reading] = (),
    kinds: tuple[TypeSet, TypeSet] = (T, T),
    spatial: Sequence[int] = (1, 2, 3),
    values: tuple[Any, Any] | None = None,
    own: Mapping[Attribute, Callable[[Draw], Any]] | None = None,
    rules: Sequence[Rule] = (),
    not_judged: Sequence[Reading] = _PADDING,
) -> Operation:
    """A convolution of opset1. ``channels`` of data and ``kernel``: the names of dimensions before the spatial ones.

    ``plain`` is the layer of the most spatial axes; their number is one of ``spatial``; ``drawn`` gives sizes before
    the spatial ones, of data and kernel; ``least``: where the page begins strides and dilations. ``kinds`` and
    ``values`` are those of data and kernel. ``own``: attributes before auto_pad that not every convolution has, with
    how they are drawn. ``not_judged``: readings of what the padding gives.
    """
    own = own or {}
    products = summable(lambda layer: prod(layer.kernel.shape[1 - layer.data.rank :]))
    of_image, of_filters = values or (products, products)
    begins = {"strides": least, "pads_begin": 0, "pads_end": 0, "dilations": least}
    attributes = [*(along_axes(*begin) for begin in begins.items()), *own, AUTO_PAD]
    of_data = spatial_shapes(f"N, {channels}", ["Z", "Y", "X"], spatial)
    of_kernel = spatial_shapes(kernel, ["KZ", "KY", "KX"], spatial)
    more = kernel.count(",") - 1
    operation = Operation(
        name,
        "opset1",
        mixes=True,
        inputs=[
            Input("data", kinds[0], shape=of_data, values=of_image),
            Input("kernel", kinds[1], shape=of_kernel, values=of_filters),
        ],
        outputs=[Output("y", kinds[0])],
        attributes=attributes,
        examples=examples,
        rules=[kernel_rank(more), *window_rules(too_large), *rules],
        violations=[*window_violations(attributes), *violations],
        variants=[*variants, *_OF_WINDOWS],
        readings=[*not_judged, *readings],
    )

    if len(spatial) == 1:
        operation.plain(lambda: plain)
    else:
        operation.plain(lambda rank=4: last_axes(operation, plain, rank))

    operation.random(lambda draw: _drawn_convolution(draw, spatial, begins, drawn, own))
    operation.adapt(fit_padding)
    return operation


def spatial_shapes(leading: str, names: Sequence[str], counts: Sequence[int] = (1, 2, 3)) -> str:
    """The shapes with so many spatial axes behind ``leading``."""
    return " or ".join(f"{leading}, {', '.join(names[-count:])}" for count in counts)


def summable(terms: Callable[[Layer], int]) -> Within:
    """Numbers such that the type holds a sum of ``terms(layer)`` products."""

    def interval(layer: Layer, kind: ElementType) -> Interval:
        if kind.is_float:
            return Interval(-2, 2)
        most = 2 ** (kind.bits - (kind.kind == "int")) - 1
        largest = min(max(isqrt(most // max(terms(layer), 1)), 1), 40)
        return Interval(-largest, largest)

    return Within(interval)


# Weights that every type of the page but the unsigned ones holds: three filters of two channels.
_FILTERS = (
    "[[[1,-2,3],[0,2,-1]],[[-3,1,2],[2,-2,1]]]",
    "[[[0,1,-1],[3,-3,2]],[[1,2,-2],[-1,0,3]]]",
    "[[[2,0,1],[-2,1,3]],[[-1,3,0],[1,-3,-2]]]",
)


def stated_kernels(data: str, filter_: str, *constants: Changes) -> list[Variant]:
    """Kernels whose values are stated; ``filter_`` is the form that a filter has in them, ``{}`` or ``[{}]``.

    ``data`` is the shape that suits three filters of two channels; ``constants`` are more constant kernels.
    """
    kernel = f"[{','.join(filter_.format(each) for each in _FILTERS)}]"
    large = filter_.format("[[[4099,2],[1,4097]]]")
    return [
        variant(
            "large-integers",
            "sums of integers are exact, also those that no f32 or no 32-bit integer holds",
            *(
                f"data={kind}:[[[[{one},3,5],[7,{other},9],[2,4,{one + 6}]]]];"
                f"kernel={kind}:[{large}]; strides=1,1; {UNPADDED}; {UNDILATED}"
                for kind, one, other in (
                    ("i32", 2**15 + 1, -(2**17) - 3),
                    ("i64", 2**33 + 1, -(2**40) - 3),
                    ("u64", 2**33 + 1, 2**40 + 3),
                )
            ),
        ),
        variant(
            "constant-kernel",
            "weights are nearly always constants",
            *(
                f"data={kind.name}{data}; kernel={kind.name}:{kernel}; auto_pad=explicit|same_lower"
                for kind in (*FLOATS, i8, i32)
            ),
            *constants,
        ),
    ]


# --- poolings -----------------------------------------------------------------------------------------------------

_POOLED = (
    "data=[2,3,6,11,7]; strides=1,2,3; pads_begin=2,1,0; pads_end=1,0,1; kernel=4,3,2;"
    "rounding_type=floor; auto_pad=explicit"
)


VALID = Reading(
    "auto_pad = valid: H_out = ceil((H - window + 1) / strides), against 'the result is "
    "rounded with respect to the rounding_type attribute'",
    "rounding_type counts for valid too.",
    "The formula has no rounding_type; the sentence and the example with valid and ceil need one.",
    "contradiction",
)
SAME = Reading(
    "auto_pad = same_upper / same_lower: 'H_out = H'",
    "There are ceil(H / stride) windows, whatever rounding_type, and the padding is the least that has room for them.",
    "An output as large as the input follows for a stride of 1 alone; with larger strides most windows would hold "
    "nothing but padding. The page has one formula for both values of rounding_type.",
    "contradiction",
    admits="Windows that are counted with these pads as with explicit ones, rounded as rounding_type says.",
)
LARGER = Reading(
    "a window larger than the padded data, rounding_type ceil: H_out = ceil((H + pads - window) / stride) + 1",
    "There is one window, which sticks out, where the formula gives 1.",
    "The page has no other limit of the window.",
    "silence",
    admits="A refusal: no window fits.",
)
PRINTED_PADS = Reading(
    "pads_begin and pads_end printed in examples with same_upper",
    "They are ignored, as auto_pad says; the output is not that of the printed pads.",
    "'pads_begin and pads_end attributes are ignored when auto_pad is not equal to explicit'.",
    "slip",
)
BRACKETS = Reading(
    "H_out = (H + pads_begin[0] + pads_end[0] - kernel[0] / strides[0]) + 1",
    "The whole difference is divided by strides[0], and rounded as rounding_type says.",
    "The printed sizes of the examples follow from no other brackets; MaxPool-14's rules have them.",
    "slip",
)


def _roundings(attributes: Sequence[Attribute]) -> Sequence[str]:
    """The values that a pooling has for rounding_type."""
    return next(a.type for a in attributes if a.name == ROUNDING_TYPE.name)


def _pooling_variants(attributes: Sequence[Attribute], also: str) -> list[Variant]:
    """The variants of each pooling, with all the changes ``also``."""
    roundings = _roundings(attributes)
    return [
        *window_variants("{}", ["2,4", "3,3"], "1,1|2,3|4,1", large="4,5", also=also),
        variant(
            "rounding",
            "a last window that sticks out, or would start in the padding",
            *(
                _with(f"rounding_type={rounding}; {changes}", also)
                for rounding, changes in (
                    ("|".join(roundings[1:]), "strides=2,3; pads_end=0,1"),
                    ("|".join(roundings[1:]), "strides=5,3; pads_end=0,0"),
                    ("ceil_torch", "strides=4,4; pads_end=1,1"),
                    ("ceil_torch", "strides=4,2; pads_end=0,2"),
                )
                # Where rounding is up, the last of these windows hold nothing but padding.
                if rounding != "ceil_torch" or rounding in roundings
            ),
        ),
        variant(
            "larger-window",
            "by the formula there is one window, which is larger than the padded data",
            f"rounding_type={'|'.join(roundings[1:])}; data=[2,3,7,6]; kernel=10,4; strides=5,3; {UNPADDED}"
            + f"; {UNDILATED}" * any(a.name == "dilations" for a in attributes),
        ),
        variant(
            "rounding-same",
            "rounding does not count where padding is made for ceil(H / stride) windows",
            _with(
                f"rounding_type={'|'.join(roundings)}; auto_pad=same_upper|same_lower; data=[2,3,5,7];"
                "kernel=1,2; strides=3,4",
                also,
            ),
        ),
        variant(
            "window-at-pads",
            "padding as large as the window, and strides larger than it",
            *(
                _with(changes, also)
                for changes in (
                    "kernel=2,3; pads_begin=1,2; pads_end=1,2; strides=5,4",
                    "kernel=3,2; pads_begin=2,1; pads_end=2,1; strides=1,1",
                )
            ),
        ),
        variant(
            "rounding-valid",
            "rounding without padding",
            _with(f"rounding_type={'|'.join(roundings)}; auto_pad=valid; strides=3,2", also),
        ),
    ]


def _drawn_pooling(draw: Draw, attributes: Sequence[Attribute]) -> Mapping[str, Any]:
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
        "rounding_type": draw.choice([*_roundings(attributes), None]),
        "auto_pad": draw.choice(_DRAWN_AUTO_PADS),
    }
    own = {a.name: _drawn(a, 2 + spatial, draw) for a in attributes if a.name not in given}
    return {n: v for n, v in given.items() if n != "dilations" or dilated} | own


def pooling(
    name: str,
    opset: str,
    *,
    outputs: Sequence[Output],
    attributes: Sequence[Attribute],
    plain: str,
    examples: Sequence[Example],
    too_large: Sequence[str],
    also: str,
    readings: Sequence[Reading],
    values: Any = None,
    rules: Sequence[Rule] = (),
    variants: Sequence[Variant] = (),
) -> Operation:
    """A pooling of windows of a size ``kernel``; ``plain``: values of attributes that not every pooling has.

    Each factor of the window is asked with all the changes ``also``, if there are any.
    """
    operation = Operation(
        name,
        opset,
        mixes=True,
        inputs=[Input("data", T, between(3, 5), values=values)],
        outputs=outputs,
        attributes=attributes,
        examples=examples,
        rules=[*window_rules(too_large), *rules],
        violations=[*window_violations(attributes), "kernel=0,2"],
        variants=[*_pooling_variants(attributes, also), *variants],
        readings=[*readings, LARGER],
    )

    @operation.plain
    def layer(rank: int = 4) -> Mapping[str, Any]:
        return last_axes(operation, _with(_POOLED, plain), rank)

    operation.random(lambda draw: _drawn_pooling(draw, attributes))
    operation.adapt(fit_padding)
    return operation


def _drawn(attribute: Attribute, rank: int, draw: Draw) -> Any:
    """Any value of an attribute that not every pooling has."""
    values: Sequence[Any] = (False, True) if attribute.type is bool else range(-rank, rank)
    values = attribute.type if attribute.is_enumeration else values
    return draw.choice([*values, *([] if attribute.required else [None])])


# With an output as large as the input most windows would hold nothing but padding.
_SAME = "same_upper with strides of 2 gives 16 places along an axis of 32, also by the formula for the printed pads"


def pooling_example(text: str, size: int, outputs: int = 1) -> Example:
    """An example of the pages: an image of 32 x 32 that becomes ``size`` x ``size``."""
    return example(
        f"data=f32[1,3,32,32]; {text}",
        output=[[1, 3, size, size]] * outputs,
        erratum=_SAME if "same_upper" in text else "",
        corrected=[[1, 3, 16, 16]] * outputs if "same_upper" in text else None,
    )
