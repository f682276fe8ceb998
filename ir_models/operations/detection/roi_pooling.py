"""ROIPooling: the parts of feature maps in boxes, pooled to one size (page ROIPooling-1)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.regions import has_elements, has_images, image_ids, without_images

T = types("T", "any supported floating-point type")


def features(layer, state):
    """Low at the first and the last of every four elements, where the bins of ordinary boxes have their edges."""
    if layer.method == "bilinear" or layer.rois.value is not None or layer.data.rank != 4:
        return None
    drawn = state.random_sample(layer.data.shape) * 7 + 1
    is_inner = [np.isin(np.arange(n) % 4, (1, 2)) | (n < 4) for n in layer.data.shape[2:]]
    return np.where(is_inner[0][:, None] & is_inner[1], drawn, drawn - 9)


def along(size, bins, layer, state):
    """The ends of a box along one axis in elements of the map: bins of four elements each, or one element alone."""
    # One element alone must be exactly where a box begins.
    is_exact = (64 * layer.spatial_scale).is_integer()
    if size < 4 * bins or bins == 0 or (is_exact and state.randint(0, 5) == 0):
        at = state.randint(0, max(size, 1))
        # An inner one, whatever the bins along the other axis are.
        at = at if size < 4 else at // 4 * 4 + 1 - 4 * (at // 4 * 4 + 1 >= size)
        return at, at - state.randint(0, 2)
    length = 4 * bins * state.randint(1, size // (4 * bins) + 1)
    begin = 4 * state.randint(0, (size - length) // 4 + 1)
    return begin, begin + length


def boxes(layer, state):
    count, (height, width) = layer.rois.shape[0], layer.data.shape[2:]
    ids = image_ids(layer, count, state, "data")
    if layer.method == "bilinear":
        corners = np.concatenate(
            [state.randint(1, 8, (count, 2)), state.randint(9, 16, (count, 2))], axis=1
        )
        return np.column_stack([ids, corners / 16])
    found = []
    for image in ids:
        x, y = (
            along(size, bins, layer, state)
            for size, bins in ((width, layer.pooled_w), (height, layer.pooled_h))
        )
        found.append([image, *(at / layer.spatial_scale for at in (x[0], y[0], x[1], y[1]))])
    return np.array(found).reshape(count, 5)


BILINEAR = "method=bilinear"
ONES = "data=[2,3,9,11]; spatial_scale=1.0"
SMALL = "data=[2,3,9,11]; pooled_h=3; pooled_w=2; spatial_scale=0.5"

ROIPooling = Operation(
    "ROIPooling-1",
    "opset2",
    inputs=[
        Input("data", T, shape="N, C, H, W", values=features),
        Input("rois", T, shape="NUM_ROIS, 5", values=boxes),
    ],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        Attribute("pooled_h", int, required=True, least=0),
        Attribute("pooled_w", int, required=True, least=0),
        Attribute("spatial_scale", float, required=True),
        Attribute("method", ("max", "bilinear"), default="max"),
    ],
    examples=[
        example(
            "data=f32[1,3,38,63]; rois=f32[7,5]; pooled_h=6; pooled_w=6; spatial_scale=0.0625",
            output=None,
            altered="the page prints no ports; these shapes are ours",
        )
    ],
    rules=[
        rule(
            "spatial_scale is positive",
            lambda layer: layer.spatial_scale > 0,
            "spatial_scale=0.0|-0.5",
        ),
        has_images(
            "data",
            "rois",
            "rois=f32:[[2,0,0,8,8]]|f32:[[-1,0,0,8,8]]|f32:[[0,0,0,8,8],[7,0,0,8,8]]",
        ),
        has_elements("data"),
    ],
    variants=variants(f"""
        scale: from the image to the map
            spatial_scale=0.0625|1.0|2.0
            data=[2,3,24,40]; spatial_scale=0.3|0.7
        pooled: a row, a column, one element
            pooled_h=1|3; pooled_w=1|2
        no-bins (may be empty): the range of values has 0
            pooled_h=0|3; pooled_w=0
            pooled_h=0; pooled_w=2
        malformed: boxes that are inverted, or have no size, are of size 1 x 1
            {SMALL}; rois=f32:[[0,4,6,4,6],[1,8,10,2,4],[0,6,2,6,1],[1,0,0,-4,-6],[0,16,14,15,14]]
        bins: a bin has a fraction of the box's size, and takes the elements that it touches
            {SMALL}; rois=f32:[[0,2,4,12,14],[1,0,0,14,8],[0,4,2,10,16]]
            {SMALL}; rois=f32:[[0,3,5,12,13],[1,1,1,15,7]]; pooled_h=4; pooled_w=3
            data=[1,2,7,8]; pooled_h=5; pooled_w=4; spatial_scale=1.0; rois=f32:[[0,2,1,5,4],[0,0,0,2,2]]
        contained: boxes that touch, or contain each other, or are the same
            {ONES}; rois=f32:[[0,0,0,8,8],[0,2,2,6,6],[0,2,2,6,6],[0,8,0,10,8],[1,0,0,8,8]]
        partly-outside: what there is of a bin
            {ONES}; pooled_h=2; pooled_w=2; rois=f32:[[0,-3,-3,5,5],[1,6,4,16,12]]
        outside: boxes beyond the map have any value
            {ONES}; rois=f32:[[0,0,0,8,8],[0,20,20,28,28],[1,-20,-20,-12,-12],[1,40,0,50,8],[0,0,40,8,50]]
        negative: maxima below zero
            data=f32:[[[[-5,-3,-9],[-7,-2,-8],[-6,-1,-4]]]]; spatial_scale=1.0; rois=f32:[[0,0,0,0,0],[0,1,2,1,2]]
        bilinear: each type, one point, a row, a column
            {BILINEAR}; data=f16; rois=f16
            {BILINEAR}; data=bf16; rois=bf16
            {BILINEAR}; data=f64; rois=f64
            {BILINEAR}; pooled_h=1|4; pooled_w=1|5
            {BILINEAR}; spatial_scale=1.0
        bilinear-boxes: the whole map, boxes without a size, inverted ones, halves that touch
            {BILINEAR}; rois=f32:[[0,0,0,1,1],[1,0.5,0.25,0.5,0.25],[0,0.75,0.5,0.25,0.125],[1,0,0,0.5,1],[1,0.5,0,1,1]]
            {BILINEAR}; data=[2,3,13,16]; pooled_h=7; pooled_w=6; rois=f32:[[1,0,0,1,1],[0,0.25,0.5,1,1]]
        bilinear-outside: the coordinates are not in [0, 1]
            {BILINEAR}; rois=f32:[[0,-0.5,-0.5,0.5,0.5],[1,0.5,0.5,1.5,1.75],[0,2,2,3,3]]
    """),
    readings=[
        Reading(
            "'Divide the box into bins' and 'apply maximum': the elements of a bin",
            "Those at places from floor(begin) to ceil(end) - 1: an element is as long as 1.",
            "The page gives the width of a box, which is not rounded, and does not say which elements are in it. "
            "Ordinary cases have boxes whose choice of elements does not matter.",
            "silence",
            "Corners that are rounded first, with both corners' elements in the box.",
        ),
        Reading(
            "'apply bilinear interpolation pooling, for each bin'",
            "One point of each bin, the points from one edge of the box to the other, or in the middles of the bins: "
            "the reference admits both.",
            "The page does not say where a bin is interpolated.",
            "silence",
        ),
        Reading(
            "a bin without an element, NaN in a bin, points of bilinear outside [0, 1]",
            "Any value.",
            "The page does not say.",
            "silence",
        ),
        Reading(
            "'Expressed in absolute coordinates and normalized to the [0, 1] interval'",
            "Fractions of W - 1 and H - 1; spatial_scale does not count.",
            "The formulas of the width and the height for bilinear.",
            "contradiction",
        ),
    ],
)


@ROIPooling.plain
def plain():
    return {
        "data": [2, 3, 13, 18],
        "rois": [4, 5],
        "pooled_h": 3,
        "pooled_w": 2,
        "spatial_scale": 0.5,
        "method": "max",
    }


@ROIPooling.random
def layer(draw):
    pooled_h, pooled_w = draw.integer(1, 4), draw.integer(1, 4)
    return {
        "data": [draw.integer(1, 3), draw.integer(1, 5), draw.integer(1, 24), draw.integer(1, 24)],
        "rois": [draw.integer(1, 6), 5],
        "pooled_h": pooled_h,
        "pooled_w": pooled_w,
        "spatial_scale": draw.choice([0.0625, 0.25, 1.0, 2.0]),
        "method": draw.choice(["max", "bilinear", None]),
    }


@ROIPooling.adapt
def boxes_of_images(layer):
    return without_images(layer, "data", {"rois": [0, 5]})
