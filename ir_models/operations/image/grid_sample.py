"""GridSample: pixels of an image at the normalized coordinates of a grid (page GridSample-9)."""

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import FLOATS, INTEGERS, NUMERIC, f8e8m0, string

T = types("T", "any type supported by OpenVINO")
T1 = types("T1", "any supported floating-point type")

MODES = "mode=bilinear|bicubic|nearest"
PADDINGS = "padding_mode=zeros|border|reflection"
WAYS = f"{PADDINGS}; align_corners=false|true"


def coordinates(layer, state):
    """Between the centers of two pixels and their border, inside the image, around it, and far from it.

    A grid of two points for each pixel and seven more, in both directions, has the centers and the borders themselves,
    from the second pixel before the image on.
    """
    n, rows, columns, _ = layer.grid.shape
    (height, width), found = layer.data.shape[2:], []
    on_borders = (rows, columns) == (2 * height + 7, 2 * width + 7)
    steps = np.mgrid[:rows, :columns].astype(float)
    for size, step in ((width, steps[1]), (height, steps[0])):
        pixel = state.randint(-2, size + 2, (n, rows, columns))
        far = state.randint(-3 * size, 4 * size, (n, rows, columns))
        beside = state.uniform(0.06, 0.44, (n, rows, columns)) * state.choice(
            [-1, 1], (n, rows, columns)
        )
        place = np.where(state.random_sample((n, rows, columns)) < 0.2, far, pixel) + beside
        if on_borders:
            place = np.broadcast_to(step / 2 - 2, (n, rows, columns))
        length = max(size - 1, 1) if layer.align_corners else size
        found.append((2 * place + (not layer.align_corners)) / length - 1)
    return np.stack(found, -1)


def summable(layer, kind):
    """Integers that f32 holds, away from the ends of their type, which weights of both signs may overstep."""
    if not kind.is_integer or layer.mode == "nearest":
        return None
    most = min(40_000, 2 ** (kind.bits - (kind.kind == "int")) * 5 // 8)
    return Interval(-most, most)


GridSample = Operation(
    "GridSample-9",
    "opset9",
    inputs=[
        Input("data", T, shape="N, C, H, W", values=Within(summable)),
        Input("grid", T1, shape="N, H_out, W_out, 2", values=coordinates),
    ],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        Attribute("align_corners", bool, default=False),
        Attribute("mode", ("bilinear", "bicubic", "nearest"), default="bilinear"),
        Attribute("padding_mode", ("zeros", "border", "reflection"), default="zeros"),
    ],
    examples=examples(
        """
        data=[1,3,100,100]; grid=[1,10,10,2]; align_corners=true; mode=nearest; padding_mode=border -> [1,3,10,10]
        """,
        ports=[0, 1, 0],
    ),
    rules=[
        rule(
            "the image has a pixel",
            lambda layer: 0 not in layer.data.shape[2:],
            unasked="the page does not say what is selected of an image without pixels",
        ),
        rule(
            "what is interpolated are numbers",
            lambda layer: layer.mode == "nearest" or layer.data.element_type in NUMERIC,
            unasked="the page takes any type, although only numbers have weighted sums",
        ),
        rule(
            "padding of zeros has a type with a zero",
            lambda layer: (
                layer.padding_mode != "zeros" or layer.data.element_type not in (f8e8m0, string)
            ),
            unasked="the page takes any type, although not all of them have a zero",
        ),
    ],
    variants=variants(f"""
        ways: each interpolation with each padding, from each coordinate
            {MODES}; {WAYS}
        pixel-borders: coordinates on the centers and the borders of pixels, and on those of the image
            data=[2,3,4,8]; grid=[2,15,23,2]; {MODES}; {PADDINGS}; align_corners=false
            data=[2,3,5,9]; grid=[2,17,25,2]; {MODES}; {PADDINGS}; align_corners=true
            data=[2,3,3,6]; grid=[2,13,19,2]; {MODES}; {WAYS}
        one-pixel: images of one row, one column and one pixel
            data=[3,2,1,7]|[3,2,6,1]; mode=bilinear|nearest; padding_mode=border|reflection; align_corners=false|true
            data=[3,2,1,1]; {MODES}; padding_mode=zeros|reflection; align_corners=false|true
        tails: any number of points, and of channels
            grid=[3,1,7,2]|[3,1,8,2]|[3,1,15,2]|[3,1,16,2]|[3,3,11,2]; {MODES}
            data=[3,1,5,7]|[3,19,5,7]; {MODES}; padding_mode=border|reflection
        large-image: coordinates of hundreds of pixels
            data=[1,2,97,330]; grid=[1,21,30,2]; {MODES}; {WAYS}
        interpolated-types: integers and short numbers in each interpolation
            data={"|".join(str(t) for t in (*FLOATS, *INTEGERS))}; mode=bicubic|nearest; padding_mode=border
        moved-types: what is selected may have any type
            data=boolean|u4|i4|u1|nf4|f8e4m3|f8e5m2; mode=nearest; padding_mode=zeros
            data=string|f8e8m0|boolean; mode=nearest; padding_mode=border
        grid-types: coordinates of any floating-point type
            grid=f16|bf16|f64; mode=bilinear|nearest
    """),
    readings=[
        Reading(
            "align_corners: 'false - map extrema values to the center of pixels', 'true - ... to the borders'",
            "The other way round: with true -1 and 1 are the centers of the first and the last pixel, with false their "
            "outer borders.",
            "In the pages of Interpolate align_corners has the first and the last center of both images meet, which is "
            "what the name says. The formulas for it are not on the page.",
            "slip",
            admits="The values as they are printed.",
        ),
        Reading(
            "'Those values have to be denormalized first'",
            "A coordinate x is ((x + 1)·(W - 1))/2 with align_corners, ((x + 1)·W - 1)/2 without.",
            "They are the linear maps of the ends that align_corners names.",
            "silence",
        ),
        Reading(
            "'a pair of float numbers for each output element'",
            "The first is that of the width.",
            "The page says 'left/top' and 'right/bottom', and 'width and height', in this order.",
            "silence",
        ),
        Reading(
            "'nearest', between two pixels",
            "Either is right.",
            "Both are at the same distance.",
            "silence",
        ),
        Reading(
            "'bicubic'",
            "Cubic convolution with the coefficient -0.75.",
            "The pages of Interpolate have it as the default of cube_coeff.",
            "silence",
            admits="Another coefficient.",
        ),
        Reading(
            "padding_mode, of the pixels around a coordinate",
            "Each of them that is out of bounds is zero, the nearest one inside, or its mirror image. Mirrors stand "
            "where -1 and 1 are.",
            "The bounds of coordinates are -1 and 1, and interpolation takes the pixels of the padded image.",
        ),
        Reading(
            "'any type supported by OpenVINO', of elements that are interpolated",
            "Numeric types of whole bytes; nearest moves elements of any type, with zeros those that have a zero.",
            "Only numbers have weighted sums.",
        ),
        Reading(
            "integers that are interpolated",
            "Either neighbour of the weighted sum is right.",
            "The page does not say how they are rounded.",
            "silence",
        ),
        Reading(
            "NaN and infinities in the window of a coordinate",
            "Not judged, but for nearest.",
            "A weight may be zero, and the page gives no formula.",
            "silence",
        ),
    ],
)


@GridSample.plain
def plain():
    return {
        "data": [3, 2, 5, 7],
        "grid": [3, 4, 9, 2],
        "align_corners": False,
        "mode": "bilinear",
        "padding_mode": "zeros",
    }


@GridSample.random
def layer(draw):
    n, c, h, w = (draw.integer(1, most) for most in (3, 5, 9, 12))
    points = [draw.integer(1, 6), draw.integer(3, 20)]
    return {
        "data": [n, c, h, w],
        "grid": [n, *points, 2],
        "align_corners": draw.choice([False, True, None]),
        "mode": draw.choice(["bilinear", "bicubic", "nearest", None]),
        "padding_mode": draw.choice(["zeros", "border", "reflection", None]),
    }
