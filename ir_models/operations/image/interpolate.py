"""Interpolate: an image is resized along axes to sizes, or by scales (pages Interpolate-1, -4 and -11).

Layers are described in the names of version 11, from which those of version 4 follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_models.declaration import *
from ir_models.vocabulary.element_types import FLOATS, ElementType, f32

_T = types("T", "any supported numeric type")
_T_AXES = types("T_AXES", "any supported integer type")
_TRANSFORMATIONS = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
)
_NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
_ONNX_AXES = {2: [0, 1], 3: [0, 1, 2], 4: [2, 3], 5: [2, 3, 4]}
PLAIN_IMAGES = {rank: [3, 5, 4, 2, 3, 2, 1, 2][:rank] for rank in range(1, 9)} | {4: [2, 3, 5, 7]}

NAN_UNDER_ZERO, *_OF_BOTH = readings("""
    silence: NaN and infinities under a weight of zero
        Not judged.
        The formulas multiply them, a device may pass over them.
    silence: integers that are interpolated
        Either neighbour of the weighted sum is right.
        The page does not say how they are rounded.
""")


def _summable(layer: Layer, kind: ElementType) -> Interval | None:
    """Integers that f32 holds, away from the ends of their type, which weights of both signs may overstep."""
    if not kind.is_integer:
        return None
    most = min(40_000, 2 ** (kind.bits - (kind.kind == "int")) * 5 // 8)
    return Interval(-most, most)


# --- what a layer is resized to -----------------------------------------------------------------------------------


def _image(layer: Layer) -> Any:
    """The image, by the name that it has in either version."""
    return next(iter(layer.inputs.values()))


def resized_axes(layer: Layer) -> list[int]:
    """The axes, all where they are left out."""
    return list(range(_image(layer).rank) if layer.axes is None else layer.axes.value)


def _something_is_left(layer: Layer) -> bool:
    image = _image(layer)
    if max(len(layer.pads_begin), len(layer.pads_end)) > image.rank:
        return False
    begin, end = (
        [*pads, *[0] * (image.rank - len(pads))] for pads in (layer.pads_begin, layer.pads_end)
    )
    sizes = [sum(each) for each in zip(image.shape, begin, end, strict=True)]
    given: Any = layer.inputs.get("scales_or_sizes") or layer.inputs[layer.shape_calculation_mode]
    wanted = given.value
    if layer.shape_calculation_mode == "scales":
        wanted = [n * sizes[axis] for n, axis in zip(wanted, resized_axes(layer), strict=True)]
    return min([*sizes, *map(int, wanted)]) > 0


def as_many_as_axes(name: str, *broken: str) -> Rule:
    """Whether an input has an element for each axis."""
    return rule(
        f"{name} has as many elements as axes",
        lambda layer: getattr(layer, name).shape == (len(resized_axes(layer)),),
        broken,
    )


# --- variants -----------------------------------------------------------------------------------------------------

NOT_PADDED = "pads_begin=-; pads_end=-"
# Of the plain image, padded [2, 3, 6, 9]: exact halves and quarters (larger, smaller), other ratios, and both at once.
_SIZES = "scales_or_sizes=12,18|24,9|3,9|7,13|4,5|5,11"
_ANY_TRANSFORMATION = f"coordinate_transformation_mode={'|'.join(_TRANSFORMATIONS)}"
_ANY_NEAREST_MODE = f"nearest_mode={'|'.join(_NEAREST_MODES)}"
_FRACTIONS = (
    "shape_calculation_mode=scales; scales_or_sizes=f32:1.25,0.75; "
    "coordinate_transformation_mode=half_pixel|asymmetric"
)
_PILLOW = "mode=bilinear_pillow|bicubic_pillow"


def _variants(modes: Sequence[str], has_two_inputs: bool) -> list[Variant]:
    any_mode = f"mode={'|'.join(modes)}"
    fractional = f"mode={'|'.join(mode for mode in modes if mode != 'bicubic_pillow')}"
    scales_of_types = "|".join(f"{kind}:1.5,2.0" for kind in FLOATS)
    images_of_types = "|".join([*map(str, FLOATS), "i8", "u8"])
    text = f"""
        nearest: each way to round, from each coordinate
            mode=nearest; {_SIZES}; {_ANY_NEAREST_MODE}; {_ANY_TRANSFORMATION}
            mode=nearest; scales_or_sizes=12,18|3,9; nearest_mode=-
        linear: antialias widens the kernel where the image gets smaller
            mode=linear; {_SIZES}; antialias=false|true; {_ANY_TRANSFORMATION}
        linear-onnx: as ONNX has it, of 2 or 3 axes
            mode=linear_onnx; {_SIZES}; {_ANY_TRANSFORMATION}
            mode=linear_onnx; image=[5,7]; axes=0,1; scales_or_sizes=8,3; {NOT_PADDED}
            mode=linear_onnx; image=[4,5,7]; axes=0,1,2; scales_or_sizes=6,3,11; {NOT_PADDED}
            mode=linear_onnx; image=[2,3,4,5,7]; axes=2,3,4; scales_or_sizes=6,3,11; {NOT_PADDED}
            mode=linear_onnx; image=[2,3,4,5,7]; axes=4,2,3; scales_or_sizes=11,6,3; {NOT_PADDED}
            mode=linear_onnx; axes=3,2; scales_or_sizes=13,4
        cubic: with each coefficient
            mode=cubic; {_SIZES}; cube_coeff=-0.75; {_ANY_TRANSFORMATION}
            mode=cubic; {_SIZES}; cube_coeff=-0.5; coordinate_transformation_mode=half_pixel
        pillow: height and width last or before; coefficients; attributes that have nothing to say
            {_PILLOW}; {_SIZES}; cube_coeff=-0.5; {NOT_PADDED}
            {_PILLOW}; axes=1,2; scales_or_sizes=7,3
            {_PILLOW}; axes=3,2; scales_or_sizes=13,4
            {_PILLOW}; cube_coeff=-0.75
            {_PILLOW}; coordinate_transformation_mode=asymmetric
            {_PILLOW}; antialias=true
        pillow-without-batch: an image of height, width and channels
            {_PILLOW}; image=[4,6,2]|[7,3,5]; axes=0,1; scales_or_sizes=6,4; {NOT_PADDED}
            {_PILLOW}; image=u8[4,6,2]|bf16[4,6,2]; axes=0,1; scales_or_sizes=3,8; {NOT_PADDED}
        pillow-of-rank-5: integers of 64 bits
            {_PILLOW}; image=i64[2,3,4,5,6]; axes=2,3|3,4; scales_or_sizes=7,3; {NOT_PADDED}
        cubic-of-rank-5: integers of 32 and 64 bits
            mode=cubic; image=i32[2,3,4,5,6]|i64[2,3,4,5,6]; axes=3,4; scales_or_sizes=7,3; {NOT_PADDED}
            mode=cubic; image=i32[2,3,4,5,6]|i64[2,3,4,5,6]; axes=0,2,3; scales_or_sizes=3,2,8; {NOT_PADDED}
        axes: the last axis alone, axes out of order, all of them, none of them
            mode=nearest|linear|cubic; axes=3; scales_or_sizes=13
            mode=nearest|linear|cubic; axes=3,2; scales_or_sizes=13,4
            mode=nearest|linear|cubic; axes=0,1; scales_or_sizes=3,5
            mode=nearest|linear|cubic; axes=1,3,2; scales_or_sizes=5,12,4
            mode=nearest|linear|cubic; axes=-; scales_or_sizes=3,2,9,7
        same-size: nothing changes
            {any_mode}; scales_or_sizes=6,9
        one-element: the image becomes one element
            mode=nearest|linear|linear_onnx|cubic; scales_or_sizes=1,1; {_ANY_TRANSFORMATION}; {NOT_PADDED}
        no-padding: pads are 0
            {any_mode}; {NOT_PADDED}; scales_or_sizes=7,14
        pads: padding along axes that are not resized grows them
            mode=nearest|linear|cubic; pads_begin=0,1,0,2; pads_end=1,0,3,0
        scales: sizes follow from scales
            {any_mode}; shape_calculation_mode=scales; scales_or_sizes=f32:0.5,2.0|f32:1.5,1.0|f32:2.5,3.0
        fractional-scales: the new size is rounded down: its quotient with the old one is less than the scale
            {fractional}; {_FRACTIONS}
        scales-type: scales of any floating-point type
            shape_calculation_mode=scales; scales_or_sizes={scales_of_types}
        type-of-mode: each mode in several types
            {any_mode}; image={images_of_types}
    """
    found = variants(_with_two_inputs(text) if has_two_inputs else text)
    return [
        each for each in found if not each.name.startswith("pillow") or "bilinear_pillow" in modes
    ]


def _with_two_inputs(text: str) -> str:
    """The same variants where sizes and scales are inputs of their own."""

    def line(each: str) -> str:
        name = "scales" if "shape_calculation_mode=scales" in each else "sizes"
        return each.replace("scales_or_sizes=", f"{name}=").replace("image=", "data=")

    return "\n".join(map(line, text.splitlines()))


# --- the operations -----------------------------------------------------------------------------------------------


def _rules(rules: Sequence[Rule], also: Sequence[Rule], has_two_inputs: bool) -> list[Rule]:
    return [
        *rules,
        rule(
            "linear_onnx takes axes {0, 1}, {0, 1, 2}, {2, 3}, {2, 3, 4} of ranks 2 to 5",
            lambda layer: sorted(resized_axes(layer)) == _ONNX_AXES.get(_image(layer).rank),
            [
                "mode=linear_onnx; axes=1,3",
                "mode=linear_onnx; axes=0,1",
                "mode=linear_onnx; axes=3; "
                + ("sizes=8; scales=f32:[2.5]" if has_two_inputs else "scales_or_sizes=8"),
            ],
            reading=Reading(
                "'Only 2D, 3D, 4D, 5D tensors with axes = {0, 1}, axes = {0, 1, 2}, axes = {2, 3}, axes = "
                "{2, 3, 4} respectively are supported for mode == linear_onnx'",
                "Other axes are invalid, one axis among them.",
                "The page's code asserts it.",
                admits="The formula along the axes that are given: between two neighbours along each.",
            ),
            is_answered=True,
            mode="linear_onnx",
        ),
        *also,
        rule(
            "axes have elements before and after, and pads are at most one for each axis",
            _something_is_left,
            unasked="the page does not say what becomes of nothing, or of more pads than axes",
        ),
    ]


def _attributes(modes: tuple[str, ...]) -> list[Attribute]:
    return [
        Attribute("mode", modes, required=True),
        Attribute("shape_calculation_mode", ("sizes", "scales"), required=True),
        Attribute("coordinate_transformation_mode", _TRANSFORMATIONS, default="half_pixel"),
        Attribute("nearest_mode", _NEAREST_MODES, default="round_prefer_floor"),
        Attribute("antialias", bool, default=False),
        Attribute("pads_begin", list, default=(0,), least=0),
        Attribute("pads_end", list, default=(0,), least=0),
        Attribute("cube_coeff", float, default=-0.75),
    ]


def _of_as_many_as_axes(layer: Layer) -> dict[str, Any]:
    """Give sizes and scales a value for each axis; without axes, the sizes are those of the padded image."""
    many = len(resized_axes(layer))
    fill = {"sizes": [3, 2, 9, 7, 4, 3, 2, 3][:many], "scales": f32.tensor([1.5] * many)}
    return {name: new for name, new in fill.items() if getattr(layer, name).shape != (many,)}


def _random(draw: Draw, image: str, modes: Sequence[str], has_two_inputs: bool) -> dict[str, Any]:
    shape, wanted, found = _drawn(draw, modes)
    if not has_two_inputs:
        return {image: shape, "scales_or_sizes": wanted, **found}
    # What does not count has other numbers.
    by_scales = found["shape_calculation_mode"] == "scales"
    others = [draw.integer(1, 9) for _ in found["axes"]]
    numbers = {
        "sizes": others if by_scales else wanted,
        "scales": wanted if by_scales else f32.tensor([each / 4 for each in others]),
    }
    return {image: shape, **numbers, **found}


def _plain(rank: int, image: str, has_two_inputs: bool) -> dict[str, Any]:
    """The last two axes, one larger and one smaller, padded differently at each end; scales do not count."""
    many = min(rank, 2)
    rest = [0] * (rank - many)
    numbers = {"sizes": [8, 5][-many:], "scales": f32.tensor([2.5, 0.25][-many:])}
    return {
        image: PLAIN_IMAGES[rank],
        **(numbers if has_two_inputs else {"scales_or_sizes": numbers["sizes"]}),
        "axes": [*range(rank - many, rank)],
        "mode": "linear",
        "shape_calculation_mode": "sizes",
        "coordinate_transformation_mode": "half_pixel",
        "nearest_mode": "round_prefer_floor",
        "antialias": False,
        "pads_begin": rest + [1, 0][-many:],
        "pads_end": rest + [0, 2][-many:],
        "cube_coeff": -0.75,
    }


def resizing(
    name: str,
    opset: str,
    image: str,
    sizes: Sequence[Input],
    modes: tuple[str, ...],
    *,
    example: str,
    ports: Sequence[int],
    rules: Sequence[Rule],
    also: Sequence[Rule] = (),
    more_variants: Sequence[Variant] = (),
    readings: Sequence[Reading],
) -> Operation:
    """The operation of a page: an input ``image``, those of its new sizes, and axes.

    ``rules`` are those of the sizes, ``also`` those of modes that only one page has.
    """
    has_two_inputs = len(sizes) == 2
    operation = Operation(
        name,
        opset,
        inputs=[
            Input(image, _T, at_least(1), values=Within(_summable)),
            *sizes,
            Index("axes", _T_AXES, optional=True, axis_of=image, least=0, distinct=True),
        ],
        outputs=[Output("y", _T)],
        attributes=_attributes(modes),
        examples=examples(example, ports=ports),
        rules=_rules(rules, also, has_two_inputs),
        violations=["axes=3,3", "pads_begin=0,0,-1,0", "pads_end=0,0,0,-2"],
        variants=[*_variants(modes, has_two_inputs), *more_variants],
        readings=[*readings, *_OF_BOTH, NAN_UNDER_ZERO],
    )

    operation.plain(lambda rank=4: _plain(rank, image, has_two_inputs))
    operation.random(lambda draw: _random(draw, image, modes, has_two_inputs))

    if has_two_inputs:
        operation.adapt(_of_as_many_as_axes)

    return operation


def _drawn(draw: Draw, modes: Sequence[str]) -> tuple[list[int], Any, dict[str, Any]]:
    """The shape of an image, its new sizes or scales, and axes and attributes by name."""
    mode = draw.choice(modes)
    rank = draw.integer(2 if mode not in ("nearest", "linear", "cubic") else 1, 5)
    axes = _drawn_axes(draw, rank, mode)
    shape = draw.shape(rank, most=5)
    begin, end = ([draw.integer(0, 1) for _ in range(rank)] for _ in range(2))
    # Something to tell apart.
    shape[axes[0]] += 2
    by_scales = draw.integer(0, 3) == 3
    sizes = [draw.integer(1, 8) for _ in axes]
    sizes[0] += 1
    if by_scales:
        begin = end = [0] * rank
        for axis in axes:
            shape[axis] += shape[axis] % 2
    # Of even sizes these are whole.
    scales = f32.tensor([draw.integer(0, 2) + 0.5 for _ in axes])
    rest = {
        "axes": axes,
        "mode": mode,
        "shape_calculation_mode": "scales" if by_scales else "sizes",
        "coordinate_transformation_mode": draw.choice([*_TRANSFORMATIONS, None]),
        "nearest_mode": draw.choice([*_NEAREST_MODES, None]),
        "antialias": draw.choice([True, False, None]),
        "pads_begin": draw.choice([begin, None]),
        "pads_end": draw.choice([end, None]),
        "cube_coeff": draw.choice([-0.75, -0.5, -1.0, None]),
    }
    return shape, scales if by_scales else sizes, rest


def _drawn_axes(draw: Draw, rank: int, mode: str) -> list[int]:
    if mode == "linear_onnx":
        return _ONNX_AXES[rank]
    if mode.endswith("_pillow"):
        last = draw.choice([rank - 1, rank - 2]) if rank > 2 else 1
        return [last - 1, last]
    return draw.subset(range(rank), least=1, most=3)


T_SIZES_OR_SCALES = types(  # Sizes are integers and scales reals: one input takes either.
    "T_SIZES_OR_SCALES", "any supported integer type", "any supported floating-point type"
)
T_SIZE = types("T_SIZE", "any supported integer type")
T_SCALES = types("T_SCALES", "any supported floating-point type")
MODES = ("nearest", "linear", "linear_onnx", "cubic")


def type_follows_mode(layer):
    modes = {"sizes": False, "scales": True}
    is_float = layer.scales_or_sizes.element_type.is_float
    return modes.get(layer.shape_calculation_mode, is_float) == is_float


def has_pillow_axes(layer):
    axes = sorted(axis - layer.image.rank for axis in resized_axes(layer))
    return axes in ([-2, -1], [-3, -2])


Interpolate11 = resizing(
    "Interpolate-11",
    "opset11",
    "image",
    [Index("scales_or_sizes", T_SIZES_OR_SCALES)],
    (*MODES, "bilinear_pillow", "bicubic_pillow"),
    example="""image=[1,2,48,80]; scales_or_sizes=f32:0.5,2.0; axes=2,3; shape_calculation_mode=scales;
        pads_begin=0; pads_end=0; mode=bicubic_pillow -> [1,2,24,160]""",
    ports=[0, 2, 3, 0],
    rules=[
        as_many_as_axes("scales_or_sizes", "scales_or_sizes=8", "scales_or_sizes=8,5,2", "axes=-"),
        rule(
            "scales_or_sizes has an integer type for sizes, a floating-point type for scales",
            type_follows_mode,
            ["shape_calculation_mode=scales", "scales_or_sizes=f32:8.0,5.0"],
        ),
    ],
    also=[
        rule(
            "the Pillow modes take the axes of height and width",
            lambda layer: not layer.mode.endswith("_pillow") or has_pillow_axes(layer),
            ["mode=bilinear_pillow; axes=0,1", "mode=bicubic_pillow; axes=0,1"],
        ),
    ],
    readings=readings("""
        slip: the sizes [24, 160] on a port 1 of the example, beside scales
            One input, scales_or_sizes.
            The list of inputs has no second one.
        silence: the Pillow modes, of integers that are resized along two axes
            Rounded once, after the last axis.
            The page names no type for what stands between the axes.
            admits: Values between the axes that are rounded and clipped to the type.
    """),
)

Interpolate4 = resizing(
    "Interpolate-4",
    "opset4",
    "data",
    [Index("sizes", T_SIZE), Index("scales", T_SCALES)],
    MODES,
    example="""data=[1,2,48,80]; sizes=24,160; scales=0.5,2.0; axes=2,3; shape_calculation_mode=scales;
        pads_begin=0; pads_end=0; mode=linear -> [1,2,24,160]""",
    ports=[0, 1, 2, 3, 0],
    rules=[
        as_many_as_axes("sizes", "sizes=8", "sizes=8,5,2"),
        as_many_as_axes("scales", "scales=2.5", "scales=2.5,0.25,1.5"),
    ],
    more_variants=variants(f"""
        defaults: the default of an attribute that the plain layer cannot show
            mode=cubic; cube_coeff=-
            mode=linear|nearest; coordinate_transformation_mode=-; sizes=1,1; {NOT_PADDED}
    """),
    readings=readings("""
        contradiction: 'scale[x] is output_shape[x] / input_shape[x]', against 'self.scales = scales'
            Where shape_calculation_mode is scales, coordinates are divided by the scales that are given.
            The calculation is 'performed according to the following rules', which are the code.
            admits: The quotient of the sizes.
        contradiction: round_prefer_ceil: 'round half up mode', against 'int(round(x_original))'
            Halves are rounded up.
            The sentence and the name agree; round of Python takes the even neighbour.
            admits: The even neighbour.
        contradiction: nearest: 'for axis, scale in enumerate(self.all_scales)', against
                'Other dimensions do not change'
            Axes that are not named keep their elements, whatever the coordinates are.
            Interpolation is one of independent slices, applied to axes.
        contradiction: linear_onnx: 'depth_scale = self.scales[0]', of axes in another order than ascending
            Each axis has its own size and scale.
            Sizes are 'mapped directly' to axes, in their order.
            admits: The first scale for the first axis.
    """),
)

T_REAL = types("T", "any supported floating-point type")
T_TARGET = types("T_TARGET", "any integer type")
# Of the plain image [2, 3, 5, 7]: exact multiples and parts, other ratios, larger and smaller at once.
TARGETS = "target_spatial_shape=10,14|20,28|5,7|2,3|8,5|3,13; align_corners=false|true"

Interpolate1 = Operation(
    "Interpolate-1",
    "opset1",
    inputs=[
        Input("data", T_REAL, at_least(1)),
        Index("target_spatial_shape", T_TARGET),
    ],
    outputs=[Output("y", T_REAL)],
    attributes=[
        Attribute("axes", list, required=True, least=0, axis_of="data", distinct=True),
        Attribute("mode", ("nearest", "linear", "cubic", "area"), required=True),
        Attribute("align_corners", bool, default=True),
        Attribute("antialias", bool, default=False),
        Attribute("pads_begin", int, default=0, least=0),
        Attribute("pads_end", int, default=0, least=0),
    ],
    examples=examples(
        """
        data=[1,2,48,80]; target_spatial_shape=50,60; axes=2,3; align_corners=false; pads_begin=0;
        pads_end=0; mode=linear -> [1,2,50,60]
        """,
        ports=[0, 1, 0],
    ),
    rules=[
        rule(
            "target_spatial_shape has as many elements as axes",
            lambda layer: layer.target_spatial_shape.shape == (len(layer.axes),),
            ["target_spatial_shape=8", "target_spatial_shape=8,5,2"],
        ),
        rule(
            "axes have elements before and after",
            lambda layer: (
                min(
                    *(
                        layer.data.shape[axis] + layer.pads_begin + layer.pads_end
                        for axis in layer.axes
                    ),
                    *layer.target_spatial_shape.value,
                    1,
                )
                > 0
            ),
            unasked="the page does not say what becomes of nothing",
        ),
    ],
    variants=variants(f"""
        nearest: the element that is next, where corners are aligned and where not
            mode=nearest; {TARGETS}
        linear: antialias widens the kernel where the image gets smaller
            mode=linear; antialias=false|true; {TARGETS}
        cubic: four elements along each axis count
            mode=cubic; {TARGETS}
        area: what an element of the output covers
            mode=area; {TARGETS}
        axes: the first axes, the last one alone, axes out of order, all of them
            mode=nearest|linear|cubic; axes=3; target_spatial_shape=13
            mode=nearest|linear|cubic; axes=3,2; target_spatial_shape=13,4
            mode=nearest|linear|cubic; axes=0,1; target_spatial_shape=3,5
            mode=nearest|linear; axes=1,3,2; target_spatial_shape=5,12,4
            mode=linear; axes=2,0,3,1; target_spatial_shape=8,3,5,2
        one-element: the image becomes one element
            mode=nearest|linear|cubic; target_spatial_shape=1,1; align_corners=false|true
        pads: each axis that is resized is padded by the same number
            mode=nearest|linear|cubic; pads_begin=1; pads_end=0
            mode=nearest|linear|cubic; pads_begin=0; pads_end=2
            mode=linear; pads_begin=1; pads_end=2; axes=3; target_spatial_shape=13
    """),
    readings=[
        *readings("""
            silence: align_corners: 'whether to align corners or not'
                Coordinates are those of align_corners of Interpolate-4, else of its asymmetric.
                The page has no formula; without alignment nothing moves a coordinate but the quotient of the sizes.
                admits: Another transformation of coordinates that are not aligned.
            silence: mode: 'one of nearest, linear, cubic, area'
                Weights are those of Interpolate-4, of cubic with its default coefficient; area is the mean of what an
                    element of the output covers. A coordinate of nearest may be rounded to either neighbour.
                The page does not say how the modes interpolate.
                admits: Another area, and another cubic.
            contradiction: pads_begin is a 'list of non-negative integer numbers' of the type int, 'a scalar that
                    specifies padding for each spatial dimension'
                One number for every axis that is named.
                Type, default and the sentence agree; axes 'specify spatial dimension indices'.
                admits: A list of pads, one for each dimension of data from the first on.
            slip: pads_end: 'number of pixels to add to the beginning of the image'
                They are added to the end.
                Its name, and pads_begin, which has the same sentence.
            silence: target_spatial_shape is a '1D tensor describing output shape'
                Of any integer type.
                The page does not say its type.
        """),
        NAN_UNDER_ZERO,
    ],
)


@Interpolate1.plain
def plain_of_version_1(rank=4):
    many = min(rank, 2)
    return {
        "data": PLAIN_IMAGES[rank],
        "target_spatial_shape": [8, 5][-many:],
        "axes": [*range(rank - many, rank)],
        "mode": "linear",
        "align_corners": False,
        "antialias": False,
        "pads_begin": 0,
        "pads_end": 0,
    }


@Interpolate1.random
def layer_of_version_1(draw):
    rank = draw.integer(1, 5)
    shape = draw.shape(rank, most=5)
    axes = draw.subset(range(rank), least=1, most=3)
    # Something to tell apart.
    shape[axes[0]] += 2
    target = [draw.integer(1, 8) for _ in axes]
    target[0] += 1
    mode = draw.choice(["nearest", "linear", "cubic", "area"])
    # A few elements could all be padding.
    is_padded = mode != "nearest" and min(target) > 1
    return {
        "data": shape,
        "target_spatial_shape": target,
        "axes": axes,
        "mode": mode,
        "align_corners": draw.choice([True, False, None]),
        "antialias": draw.choice([True, False, None]),
        "pads_begin": draw.choice([int(is_padded), 0, None]),
        "pads_end": draw.choice([2 * is_padded, 0, None]),
    }
