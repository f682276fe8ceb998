"""Interpolate: an image is resized along axes (pages Interpolate-1, -4 and -11)."""

from ir_models.declaration import *
from ir_models.families.resizing import *

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
