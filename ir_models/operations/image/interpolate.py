"""Interpolate: an image is resized along axes (page Interpolate-11)."""

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Interval,
    Operation,
    Output,
    Within,
    at_least,
    example,
)
from ir_models.element_types import FLOATS, INTEGERS, NUMERIC, f32, i8, types, u8

T = types("T", NUMERIC)
# Sizes are integers and scales reals: one input takes either.
T_SIZES_OR_SCALES = types("T_SIZES_OR_SCALES", INTEGERS, FLOATS)
T_AXES = types("T_AXES", INTEGERS)

MODES = ("nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow")
TRANSFORMATIONS = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
)
NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
ONNX_AXES = {2: [{0, 1}], 3: [{0, 1, 2}], 4: [{2, 3}], 5: [{2, 3, 4}]}

# Of the plain image, padded [2, 3, 6, 9]: exact halves and quarters (larger, smaller), other ratios, and both at once.
SIZES = ([12, 18], [24, 9], [3, 9], [7, 13], [4, 5], [5, 11])


def _summable(layer, kind):
    """Integers that f32 holds, away from the ends of their type, which weights of both signs may overstep."""
    if not kind.is_integer:
        return None
    most = min(40_000, 2 ** (kind.bits - (kind.kind == "int")) * 5 // 8)
    return Interval(-most, most)


Interpolate = Operation(
    "Interpolate-11",
    opset="opset11",
    inputs=[
        Input("image", T, at_least(1), values=Within(_summable)),
        Index("scales_or_sizes", T_SIZES_OR_SCALES),
        Index("axes", T_AXES, optional=True),
    ],
    outputs=[Output("y", T)],
    attributes=[
        Attribute("mode", MODES, required=True),
        Attribute("shape_calculation_mode", ("sizes", "scales"), required=True),
        Attribute("coordinate_transformation_mode", TRANSFORMATIONS, default="half_pixel"),
        Attribute("nearest_mode", NEAREST_MODES, default="round_prefer_floor"),
        Attribute("antialias", bool, default=False),
        Attribute("pads_begin", list, default=(0,)),
        Attribute("pads_end", list, default=(0,)),
        Attribute("cube_coeff", float, default=-0.75),
    ],
    examples=[
        # The page prints sizes [24, 160] as well, on port 1; by its text one input holds either.
        example(
            image=f32[1, 2, 48, 80],
            scales_or_sizes=f32.tensor([0.5, 2.0]),
            axes=[2, 3],
            shape_calculation_mode="scales",
            pads_begin=[0],
            pads_end=[0],
            mode="bicubic_pillow",
            output=[1, 2, 24, 160],
            ports=[0, 2, 3, 0],
        )
    ],
    variants={
        "nearest": [
            {
                "mode": "nearest",
                "scales_or_sizes": sizes,
                "nearest_mode": nearest_mode,
                "coordinate_transformation_mode": transformation,
            }
            for nearest_mode in NEAREST_MODES
            for transformation in TRANSFORMATIONS
            for sizes in SIZES
        ]
        + [
            {"mode": "nearest", "scales_or_sizes": sizes, "nearest_mode": None}
            for sizes in ([12, 18], [3, 9])
        ],
        "linear": [
            {
                "mode": "linear",
                "scales_or_sizes": sizes,
                "antialias": antialias,
                "coordinate_transformation_mode": transformation,
            }
            for antialias in (False, True)
            for transformation in TRANSFORMATIONS
            for sizes in SIZES
        ],
        "linear-onnx": [
            {
                "mode": "linear_onnx",
                "scales_or_sizes": sizes,
                "coordinate_transformation_mode": transformation,
            }
            for transformation in TRANSFORMATIONS
            for sizes in SIZES
        ]
        + [
            {
                "mode": "linear_onnx",
                "image": image,
                "axes": axes,
                "scales_or_sizes": sizes,
                "pads_begin": None,
                "pads_end": None,
            }
            for image, axes, sizes in (
                ([5, 7], [0, 1], [8, 3]),
                ([4, 5, 7], [0, 1, 2], [6, 3, 11]),
                ([2, 3, 4, 5, 7], [2, 3, 4], [6, 3, 11]),
            )
        ],
        "cubic": [
            {
                "mode": "cubic",
                "scales_or_sizes": sizes,
                "cube_coeff": cube_coeff,
                "coordinate_transformation_mode": transformation,
            }
            for transformation in TRANSFORMATIONS
            for sizes in SIZES
            for cube_coeff in ([-0.75, -0.5] if transformation == "half_pixel" else [-0.75])
        ],
        "pillow": [
            {
                "mode": mode,
                "scales_or_sizes": sizes,
                "cube_coeff": -0.5,
                "pads_begin": None,
                "pads_end": None,
            }
            for mode in ("bilinear_pillow", "bicubic_pillow")
            for sizes in SIZES
        ]
        # Height and width in the middle; coefficients of its own; attributes that have nothing to say.
        + [
            {"mode": mode, **changes}
            for mode in ("bilinear_pillow", "bicubic_pillow")
            for changes in (
                {"axes": [1, 2], "scales_or_sizes": [7, 3]},
                {"cube_coeff": -0.75},
                {"coordinate_transformation_mode": "asymmetric"},
                {"antialias": True},
            )
        ],
        # The last axis alone, axes out of order, all of them, none of them.
        "axes": [
            {"mode": mode, "axes": axes, "scales_or_sizes": sizes}
            for mode in ("nearest", "linear", "cubic")
            for axes, sizes in (
                ([3], [13]),
                ([3, 2], [13, 4]),
                ([0, 1], [3, 5]),
                ([1, 3, 2], [5, 12, 4]),
                (None, [3, 2, 9, 7]),
            )
        ],
        "same-size": [{"mode": mode, "scales_or_sizes": [6, 9]} for mode in MODES],
        "one-element": [
            {
                "mode": mode,
                "scales_or_sizes": [1, 1],
                "coordinate_transformation_mode": transformation,
                "pads_begin": None,
                "pads_end": None,
            }
            for mode in ("nearest", "linear", "linear_onnx", "cubic")
            for transformation in TRANSFORMATIONS
        ],
        "no-padding": [
            {"mode": mode, "pads_begin": None, "pads_end": None, "scales_or_sizes": [7, 14]}
            for mode in MODES
        ],
        # Padding along axes that are not resized grows them.
        "pads": [
            {"mode": mode, "pads_begin": [0, 1, 0, 2], "pads_end": [1, 0, 3, 0]}
            for mode in ("nearest", "linear", "cubic")
        ],
        "scales": [
            {
                "mode": mode,
                "shape_calculation_mode": "scales",
                "scales_or_sizes": f32.tensor(scales),
            }
            for mode in MODES
            for scales in ([0.5, 2.0], [1.5, 1.0], [2.5, 3.0])
        ],
        # The new size is rounded down, so that its quotient with the old one is less than the scale.
        "fractional-scales": [
            {
                "mode": mode,
                "shape_calculation_mode": "scales",
                "scales_or_sizes": f32.tensor([1.25, 0.75]),
                "coordinate_transformation_mode": transformation,
            }
            for mode in ("nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow")
            for transformation in ("half_pixel", "asymmetric")
        ],
        "scales-type": [
            {"shape_calculation_mode": "scales", "scales_or_sizes": kind.tensor([1.5, 2.0])}
            for kind in FLOATS
        ],
        "type-of-mode": [
            {"mode": mode, "image": kind[2, 3, 5, 7]}
            for mode in MODES
            for kind in (*FLOATS, i8, u8)
        ],
    },
)


@Interpolate.plain
def plain(rank=4):
    """The last two axes, one larger and one smaller, padded differently at each end."""
    many = min(rank, 2)
    return {
        "image": [2, 3, 5, 7] if rank == 4 else [3, 5, 4, 2, 3, 2, 1, 2][:rank],
        "scales_or_sizes": [8, 5][-many:],
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


def _drawn_axes(draw, rank, mode):
    if mode == "linear_onnx":
        axes = sorted(ONNX_AXES[rank][0])
    elif mode.endswith("_pillow"):
        last = draw.choice([rank - 1, rank - 2]) if rank > 2 else 1
        axes = [last - 1, last]
    else:
        return draw.subset(range(rank), least=1, most=3)
    return axes


@Interpolate.random
def layer(draw):
    mode = draw.choice(MODES)
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


def axes_of(layer):
    return range(layer.image.rank) if layer.axes is None else layer.axes.value


@Interpolate.rule(
    "scales_or_sizes has as many elements as axes",
    broken=[{"scales_or_sizes": [8]}, {"scales_or_sizes": [8, 5, 2]}, {"axes": None}],
)
def lengths(layer):
    return layer.scales_or_sizes.shape == (len(axes_of(layer)),)


@Interpolate.rule(
    "axes are different numbers from 0 to rank(image) - 1",
    broken=[{"axes": [2, 4]}, {"axes": [3, 3]}, {"axes": [2, -1]}],
)
def axes_in_range(layer):
    axes = axes_of(layer)
    return len(set(axes)) == len(axes) and set(axes) <= set(range(layer.image.rank))


@Interpolate.rule(
    "scales_or_sizes has an integer type for sizes, a floating-point type for scales",
    broken=[{"shape_calculation_mode": "scales"}, {"scales_or_sizes": f32.tensor([8.0, 5.0])}],
)
def type_follows_mode(layer):
    kind = layer.scales_or_sizes.element_type
    if layer.shape_calculation_mode not in ("sizes", "scales"):
        return True
    return kind.is_float == (layer.shape_calculation_mode == "scales")


@Interpolate.rule(
    "pads are not negative", broken=[{"pads_begin": [0, 0, -1, 0]}, {"pads_end": [0, 0, 0, -2]}]
)
def pads_not_negative(layer):
    return min([*layer.pads_begin, *layer.pads_end]) >= 0


@Interpolate.rule(
    "linear_onnx takes axes {0, 1}, {0, 1, 2}, {2, 3}, {2, 3, 4} of ranks 2 to 5",
    broken=[{"mode": "linear_onnx", "axes": [1, 3]}, {"mode": "linear_onnx", "axes": [0, 1]}],
)
def onnx_axes(layer):
    # Axes that are out of range break another rule.
    if layer.mode != "linear_onnx" or not axes_in_range(layer):
        return True
    return set(axes_of(layer)) in ONNX_AXES.get(layer.image.rank, [])


@Interpolate.rule(
    "the Pillow modes take the axes of height and width",
    broken=[{"mode": mode, "axes": [0, 1]} for mode in ("bilinear_pillow", "bicubic_pillow")],
)
def pillow_axes(layer):
    if layer.mode not in ("bilinear_pillow", "bicubic_pillow") or not axes_in_range(layer):
        return True
    rank = layer.image.rank
    return list(axes_of(layer)) in ([rank - 2, rank - 1], [rank - 3, rank - 2])


# Never asked as invalid layers: the page does not say what becomes of nothing, or of more pads than axes.
@Interpolate.rule("axes have elements before and after, and pads are at most one for each axis")
def something_is_left(layer):
    rank = layer.image.rank
    begin, end = ([*pads, *[0] * (rank - len(pads))] for pads in (layer.pads_begin, layer.pads_end))
    sizes = [sum(each) for each in zip(layer.image.shape, begin, end, strict=True)]
    given = layer.scales_or_sizes.value
    if layer.shape_calculation_mode == "scales":
        given = [scale * sizes[axis] for scale, axis in zip(given, axes_of(layer), strict=True)]
    return min([*sizes, *map(int, given)]) > 0
