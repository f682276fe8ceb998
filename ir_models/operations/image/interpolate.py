"""Interpolate: an image is resized along axes (pages Interpolate-1, -4 and -11)."""

from ir_models.declaration import *
from ir_models.element_types import FLOATS, f32

T = types("T", "any supported numeric type")
# Sizes are integers and scales reals: one input takes either.
T_SIZES_OR_SCALES = types(
    "T_SIZES_OR_SCALES", "any supported integer type", "any supported floating-point type"
)
T_AXES = types("T_AXES", "any supported integer type")
T_SIZE = types("T_SIZE", "any supported integer type")
T_SCALES = types("T_SCALES", "any supported floating-point type")

MODES_4 = ("nearest", "linear", "linear_onnx", "cubic")
MODES = (*MODES_4, "bilinear_pillow", "bicubic_pillow")
COORDINATES = "half_pixel|pytorch_half_pixel|asymmetric|tf_half_pixel_for_nn|align_corners"
TRANSFORMATIONS = tuple(COORDINATES.split("|"))
NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
ONNX_AXES = {2: [0, 1], 3: [0, 1, 2], 4: [2, 3], 5: [2, 3, 4]}

ANY_TRANSFORMATION = f"coordinate_transformation_mode={COORDINATES}"
ANY_NEAREST_MODE = f"nearest_mode={'|'.join(NEAREST_MODES)}"
# Of the plain image, padded [2, 3, 6, 9]: exact halves and quarters (larger, smaller), other ratios, and both at once.
SIZES = "scales_or_sizes=12,18|24,9|3,9|7,13|4,5|5,11"
NOT_PADDED = "pads_begin=-; pads_end=-"
PILLOW = "mode=bilinear_pillow|bicubic_pillow"
FRACTIONS = (
    "shape_calculation_mode=scales; scales_or_sizes=f32:1.25,0.75; "
    "coordinate_transformation_mode=half_pixel|asymmetric"
)


def summable(layer, kind):
    """Integers that f32 holds, away from the ends of their type, which weights of both signs may overstep."""
    if not kind.is_integer:
        return None
    most = min(40_000, 2 ** (kind.bits - (kind.kind == "int")) * 5 // 8)
    return Interval(-most, most)


def image_of(layer):
    """The image, by the name that it has in either version."""
    return next(iter(layer.inputs.values()))


def given(layer):
    """The sizes or scales that count."""
    one = layer.inputs.get("scales_or_sizes")
    return one or layer.inputs[layer.shape_calculation_mode]


def resized_axes(layer):
    return list(range(image_of(layer).rank) if layer.axes is None else layer.axes.value)


def type_follows_mode(layer):
    modes = {"sizes": False, "scales": True}
    is_float = layer.scales_or_sizes.element_type.is_float
    return modes.get(layer.shape_calculation_mode, is_float) == is_float


def has_pillow_axes(layer):
    axes = sorted(axis - image_of(layer).rank for axis in resized_axes(layer))
    return axes in ([-2, -1], [-3, -2])


def something_is_left(layer):
    image = image_of(layer)
    rank = image.rank
    begin, end = ([*pads, *[0] * (rank - len(pads))] for pads in (layer.pads_begin, layer.pads_end))
    sizes = [sum(each) for each in zip(image.shape, begin, end, strict=True)]
    wanted = given(layer).value
    if layer.shape_calculation_mode == "scales":
        wanted = [n * sizes[axis] for n, axis in zip(wanted, resized_axes(layer), strict=True)]
    return min([*sizes, *map(int, wanted)]) > 0


PILLOW_VARIANTS = f"""
        pillow: height and width last or before; coefficients; attributes that have nothing to say
            {PILLOW}; {SIZES}; cube_coeff=-0.5; {NOT_PADDED}
            {PILLOW}; axes=1,2; scales_or_sizes=7,3
            {PILLOW}; axes=3,2; scales_or_sizes=13,4
            {PILLOW}; cube_coeff=-0.75
            {PILLOW}; coordinate_transformation_mode=asymmetric
            {PILLOW}; antialias=true
"""


def resizings(modes):
    """The variants of a version with these modes, in the names of version 11."""
    any_mode = f"mode={'|'.join(modes)}"
    fractional = f"mode={'|'.join(m for m in modes if m != 'bicubic_pillow')}"
    pillow = PILLOW_VARIANTS.strip() if "bilinear_pillow" in modes else ""
    scales_of_types = "|".join(f"{t}:1.5,2.0" for t in FLOATS)
    images_of_types = "|".join([*map(str, FLOATS), "i8", "u8"])
    return f"""
        nearest: each way to round, from each coordinate
            mode=nearest; {SIZES}; {ANY_NEAREST_MODE}; {ANY_TRANSFORMATION}
            mode=nearest; scales_or_sizes=12,18|3,9; nearest_mode=-
        linear: antialias widens the kernel where the image gets smaller
            mode=linear; {SIZES}; antialias=false|true; {ANY_TRANSFORMATION}
        linear-onnx: as ONNX has it, of 2 or 3 axes
            mode=linear_onnx; {SIZES}; {ANY_TRANSFORMATION}
            mode=linear_onnx; image=[5,7]; axes=0,1; scales_or_sizes=8,3; {NOT_PADDED}
            mode=linear_onnx; image=[4,5,7]; axes=0,1,2; scales_or_sizes=6,3,11; {NOT_PADDED}
            mode=linear_onnx; image=[2,3,4,5,7]; axes=2,3,4; scales_or_sizes=6,3,11; {NOT_PADDED}
            mode=linear_onnx; image=[2,3,4,5,7]; axes=4,2,3; scales_or_sizes=11,6,3; {NOT_PADDED}
            mode=linear_onnx; axes=3,2; scales_or_sizes=13,4
        cubic: with each coefficient
            mode=cubic; {SIZES}; cube_coeff=-0.75; {ANY_TRANSFORMATION}
            mode=cubic; {SIZES}; cube_coeff=-0.5; coordinate_transformation_mode=half_pixel
        {pillow}
        axes: the last axis alone, axes out of order, all of them, none of them
            mode=nearest|linear|cubic; axes=3; scales_or_sizes=13
            mode=nearest|linear|cubic; axes=3,2; scales_or_sizes=13,4
            mode=nearest|linear|cubic; axes=0,1; scales_or_sizes=3,5
            mode=nearest|linear|cubic; axes=1,3,2; scales_or_sizes=5,12,4
            mode=nearest|linear|cubic; axes=-; scales_or_sizes=3,2,9,7
        same-size: nothing changes
            {any_mode}; scales_or_sizes=6,9
        one-element: the image becomes one element
            mode=nearest|linear|linear_onnx|cubic; scales_or_sizes=1,1; {ANY_TRANSFORMATION}; {NOT_PADDED}
        no-padding: pads are 0
            {any_mode}; {NOT_PADDED}; scales_or_sizes=7,14
        pads: padding along axes that are not resized grows them
            mode=nearest|linear|cubic; pads_begin=0,1,0,2; pads_end=1,0,3,0
        scales: sizes follow from scales
            {any_mode}; shape_calculation_mode=scales; scales_or_sizes=f32:0.5,2.0|f32:1.5,1.0|f32:2.5,3.0
        fractional-scales: the new size is rounded down: its quotient with the old one is less than the scale
            {fractional}; {FRACTIONS}
        scales-type: scales of any floating-point type
            shape_calculation_mode=scales; scales_or_sizes={scales_of_types}
        type-of-mode: each mode in several types
            {any_mode}; image={images_of_types}
    """


def of_version_4(text):
    """The same variants where sizes and scales are inputs of their own."""

    def line(each):
        name = "scales" if "shape_calculation_mode=scales" in each else "sizes"
        return each.replace("scales_or_sizes=", f"{name}=").replace("image=", "data=")

    return "\n".join(map(line, text.splitlines()))


READINGS = [
    Reading(
        "integers that are interpolated",
        "Either neighbour of the weighted sum is right.",
        "The page does not say how they are rounded.",
        "silence",
    ),
    Reading(
        "NaN and infinities under a weight of zero",
        "Not judged.",
        "The formulas multiply them, a device may pass over them.",
        "silence",
    ),
]


def attributes(modes):
    return [
        Attribute("mode", modes, required=True),
        Attribute("shape_calculation_mode", ("sizes", "scales"), required=True),
        Attribute("coordinate_transformation_mode", TRANSFORMATIONS, default="half_pixel"),
        Attribute("nearest_mode", NEAREST_MODES, default="round_prefer_floor"),
        Attribute("antialias", bool, default=False),
        Attribute("pads_begin", list, default=(0,), least=0),
        Attribute("pads_end", list, default=(0,), least=0),
        Attribute("cube_coeff", float, default=-0.75),
    ]


def onnx_axes_fit(layer):
    return sorted(resized_axes(layer)) == ONNX_AXES.get(image_of(layer).rank)


Interpolate = Operation(
    "Interpolate-11",
    "opset11",
    inputs=[
        Input("image", T, at_least(1), values=Within(summable)),
        Index("scales_or_sizes", T_SIZES_OR_SCALES),
        Index("axes", T_AXES, optional=True, axis_of="image", least=0, distinct=True),
    ],
    outputs=[Output("y", T)],
    attributes=attributes(MODES),
    examples=examples(
        """image=[1,2,48,80]; scales_or_sizes=f32:0.5,2.0; axes=2,3; shape_calculation_mode=scales;
        pads_begin=0; pads_end=0; mode=bicubic_pillow -> [1,2,24,160]""",
        ports=[0, 2, 3, 0],
    ),
    rules=[
        rule(
            "scales_or_sizes has as many elements as axes",
            lambda layer: layer.scales_or_sizes.shape == (len(resized_axes(layer)),),
            ["scales_or_sizes=8", "scales_or_sizes=8,5,2", "axes=-"],
        ),
        rule(
            "scales_or_sizes has an integer type for sizes, a floating-point type for scales",
            type_follows_mode,
            ["shape_calculation_mode=scales", "scales_or_sizes=f32:8.0,5.0"],
        ),
        rule(
            "linear_onnx takes axes {0, 1}, {0, 1, 2}, {2, 3}, {2, 3, 4} of ranks 2 to 5",
            onnx_axes_fit,
            ["mode=linear_onnx; axes=1,3", "mode=linear_onnx; axes=0,1"],
            mode="linear_onnx",
        ),
        rule(
            "the Pillow modes take the axes of height and width",
            lambda layer: not layer.mode.endswith("_pillow") or has_pillow_axes(layer),
            ["mode=bilinear_pillow; axes=0,1", "mode=bicubic_pillow; axes=0,1"],
        ),
        rule(
            "axes have elements before and after, and pads are at most one for each axis",
            something_is_left,
            unasked="the page does not say what becomes of nothing, or of more pads than axes",
        ),
    ],
    violations=["axes=3,3", "pads_begin=0,0,-1,0", "pads_end=0,0,0,-2"],
    variants=variants(resizings(MODES)),
    readings=[
        Reading(
            "the sizes [24, 160] on a port 1 of the example, beside scales",
            "One input, scales_or_sizes.",
            "The list of inputs has no second one.",
            "slip",
        ),
        *READINGS,
    ],
)


PLAIN_IMAGES = {rank: [3, 5, 4, 2, 3, 2, 1, 2][:rank] for rank in range(1, 9)} | {4: [2, 3, 5, 7]}


def plain_but_sizes(rank):
    """The last two axes, one larger and one smaller, padded differently at each end."""
    many = min(rank, 2)
    return {
        "axes": [*range(rank - many, rank)],
        "mode": "linear",
        "shape_calculation_mode": "sizes",
        "coordinate_transformation_mode": "half_pixel",
        "nearest_mode": "round_prefer_floor",
        "antialias": False,
        "pads_begin": [0] * (rank - many) + [1, 0][-many:],
        "pads_end": [0] * (rank - many) + [0, 2][-many:],
        "cube_coeff": -0.75,
    }


@Interpolate.plain
def plain(rank=4):
    sizes = {"image": PLAIN_IMAGES[rank], "scales_or_sizes": [8, 5][-min(rank, 2) :]}
    return {**sizes, **plain_but_sizes(rank)}


def _drawn_axes(draw, rank, mode):
    if mode == "linear_onnx":
        return ONNX_AXES[rank]
    if mode.endswith("_pillow"):
        last = draw.choice([rank - 1, rank - 2]) if rank > 2 else 1
        return [last - 1, last]
    return draw.subset(range(rank), least=1, most=3)


@Interpolate.random
def layer(draw):
    return drawn(draw, MODES)


def drawn(draw, modes):
    """A layer of version 11."""
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
    return {
        "image": shape,
        "scales_or_sizes": scales if by_scales else sizes,
        "axes": axes,
        "mode": mode,
        "shape_calculation_mode": "scales" if by_scales else "sizes",
        "coordinate_transformation_mode": draw.choice([*TRANSFORMATIONS, None]),
        "nearest_mode": draw.choice([*NEAREST_MODES, None]),
        "antialias": draw.choice([True, False, None]),
        "pads_begin": draw.choice([begin, None]),
        "pads_end": draw.choice([end, None]),
        "cube_coeff": draw.choice([-0.75, -0.5, -1.0, None]),
    }


Interpolate4 = Operation(
    "Interpolate-4",
    "opset4",
    inputs=[
        Input("data", T, at_least(1), values=Within(summable)),
        Index("sizes", T_SIZE),
        Index("scales", T_SCALES),
        Index("axes", T_AXES, optional=True, axis_of="data", least=0, distinct=True),
    ],
    outputs=[Output("y", T)],
    attributes=attributes(MODES_4),
    examples=examples(
        """
        data=[1,2,48,80]; sizes=24,160; scales=0.5,2.0; axes=2,3; shape_calculation_mode=scales;
        pads_begin=0; pads_end=0; mode=linear -> [1,2,24,160]
        """,
        ports=[0, 1, 2, 3, 0],
    ),
    rules=[
        rule(
            "sizes has as many elements as axes",
            lambda layer: layer.sizes.shape == (len(resized_axes(layer)),),
            ["sizes=8", "sizes=8,5,2"],
        ),
        rule(
            "scales has as many elements as axes",
            lambda layer: layer.scales.shape == (len(resized_axes(layer)),),
            ["scales=2.5", "scales=2.5,0.25,1.5"],
        ),
        rule(
            "linear_onnx takes axes {0, 1}, {0, 1, 2}, {2, 3}, {2, 3, 4} of ranks 2 to 5",
            onnx_axes_fit,
            ["mode=linear_onnx; axes=1,3", "mode=linear_onnx; axes=0,1"],
            mode="linear_onnx",
        ),
        rule(
            "axes have elements before and after, and pads are at most one for each axis",
            something_is_left,
            unasked="the page does not say what becomes of nothing, or of more pads than axes",
        ),
    ],
    violations=["axes=3,3", "pads_begin=0,0,-1,0", "pads_end=0,0,0,-2"],
    variants=[
        *variants(of_version_4(resizings(MODES_4))),
        variant(
            "defaults",
            "the default of an attribute that the plain layer cannot show",
            "mode=cubic; cube_coeff=-",
            f"mode=linear|nearest; coordinate_transformation_mode=-; sizes=1,1; {NOT_PADDED}",
        ),
    ],
    readings=[
        Reading(
            "'scale[x] is output_shape[x] / input_shape[x]', against 'self.scales = scales'",
            "Where shape_calculation_mode is scales, coordinates are divided by the scales that are given.",
            "The calculation is 'performed according to the following rules', which are the code.",
            "contradiction",
            admits="The quotient of the sizes.",
        ),
        Reading(
            "round_prefer_ceil: 'round half up mode', against 'int(round(x_original))'",
            "Halves are rounded up.",
            "The sentence and the name agree; round of Python takes the even neighbour.",
            "contradiction",
            admits="The even neighbour.",
        ),
        Reading(
            "nearest: 'for axis, scale in enumerate(self.all_scales)', against 'Other dimensions do not change'",
            "Axes that are not named keep their elements, whatever the coordinates are.",
            "Interpolation is one of independent slices, applied to axes.",
            "contradiction",
        ),
        Reading(
            "linear_onnx: 'depth_scale = self.scales[0]', of axes in another order than ascending",
            "Each axis has its own size and scale.",
            "Sizes are 'mapped directly' to axes, in their order.",
            "contradiction",
            admits="The first scale for the first axis.",
        ),
        *READINGS,
    ],
)


@Interpolate4.plain
def plain_of_version_4(rank=4):
    """The scales, which have nothing to say here, are others than those of the sizes."""
    many = min(rank, 2)
    sizes = {"sizes": [8, 5][-many:], "scales": f32.tensor([2.5, 0.25][-many:])}
    return {"data": PLAIN_IMAGES[rank], **sizes, **plain_but_sizes(rank)}


@Interpolate4.adapt
def as_many_as_axes(layer):
    """Of what counts and what does not; without axes, the sizes are those of the padded image."""
    many = len(resized_axes(layer))
    fill = {"sizes": [3, 2, 9, 7, 4, 3, 2, 3][:many], "scales": f32.tensor([1.5] * many)}
    return {name: new for name, new in fill.items() if layer.inputs[name].shape != (many,)}


@Interpolate4.random
def layer_of_version_4(draw):
    found = drawn(draw, MODES_4)
    wanted, many = found.pop("scales_or_sizes"), len(found["axes"])
    by_scales = found["shape_calculation_mode"] == "scales"
    sizes = [draw.integer(1, 9) for _ in range(many)] if by_scales else wanted
    scales = wanted if by_scales else f32.tensor([draw.integer(1, 9) / 4 for _ in range(many)])
    return {"data": found.pop("image"), "sizes": sizes, "scales": scales, **found}


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
        Reading(
            "align_corners: 'whether to align corners or not'",
            "Coordinates are those of align_corners of Interpolate-4, else of its asymmetric.",
            "The page has no formula; without alignment nothing moves a coordinate but the quotient of the sizes.",
            "silence",
            admits="Another transformation of coordinates that are not aligned.",
        ),
        Reading(
            "mode: 'one of nearest, linear, cubic, area'",
            "Weights are those of Interpolate-4, of cubic with its default coefficient; area is the mean of what an "
            "element of the output covers. A coordinate of nearest may be rounded to either neighbour.",
            "The page does not say how the modes interpolate.",
            "silence",
            admits="Another area, and another cubic.",
        ),
        Reading(
            "pads_begin is a 'list of non-negative integer numbers' of the type int, 'a scalar that specifies padding "
            "for each spatial dimension'",
            "One number for every axis that is named.",
            "Type, default and the sentence agree; axes 'specify spatial dimension indices'.",
            "contradiction",
            admits="A list of pads, one for each dimension of data from the first on.",
        ),
        Reading(
            "pads_end: 'number of pixels to add to the beginning of the image'",
            "They are added to the end.",
            "Its name, and pads_begin, which has the same sentence.",
            "slip",
        ),
        Reading(
            "target_spatial_shape is a '1D tensor describing output shape'",
            "Of any integer type.",
            "The page does not say its type.",
            "silence",
        ),
        READINGS[1],
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
