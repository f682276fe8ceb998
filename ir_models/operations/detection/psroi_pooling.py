"""PSROIPooling: each bin of a box is pooled from a map of its own (page PSROIPooling-1)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.regions import (
    CORNERS,
    INVERTED,
    OUTSIDE,
    between_edges,
    has_elements,
    has_images,
    image_ids,
    pixel_corners,
    positive_scale,
    without_images,
)

T = types("T", "any supported floating-point type")


def channels(layer):
    """How many maps the output channels are pooled from."""
    if layer.mode == "bilinear":
        return layer.output_dim * layer.spatial_bins_x * layer.spatial_bins_y
    return layer.output_dim * layer.group_size**2


def boxes(layer, state):
    count, (height, width) = layer.rois.shape[0], layer.data.shape[2:]
    ids = image_ids(layer, count, state, "data")
    if layer.mode == "bilinear":
        first, second = state.randint(1, 8, (count, 2)), state.randint(9, 16, (count, 2))
        return np.column_stack([ids, np.concatenate([first, second], axis=1) / 16])
    scale = layer.spatial_scale if layer.spatial_scale > 0 else 1.0
    usual = between_edges(max(layer.group_size, 1), scale)
    x, y = (
        pixel_corners(size, scale, count, usual, state, max(int(1 / scale), 1))
        for size in (width, height)
    )
    return np.column_stack([ids, x[:, 0], y[:, 0], x[:, 1], y[:, 1]])


BILINEAR = "mode=bilinear; spatial_scale=1.0; group_size=3"
WIDE = f"{BILINEAR}; output_dim=2; data=[2,12,7,9]; spatial_bins_x=3; spatial_bins_y=2"
SQUARE = "mode=bilinear; spatial_scale=1.0; data=[2,8,7,9]; spatial_bins_x=2; spatial_bins_y=2"
ONES = "spatial_scale=1.0; mode=average"
POINTS = "mode=bilinear; spatial_bins_x=3; spatial_bins_y=3; spatial_scale=1.0"

PSROIPooling = Operation(
    "PSROIPooling-1",
    "opset1",
    inputs=[
        Input("data", T, shape="N, C, H, W", values=Interval(-2, 6)),
        Input("rois", T, shape="num_boxes, 5", values=boxes),
    ],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        Attribute("output_dim", int, required=True, least=1),
        Attribute("group_size", int, default=1, least=1),
        Attribute("spatial_scale", float, required=True),
        Attribute("mode", ("average", "bilinear"), default="average"),
        Attribute("spatial_bins_x", int, default=1, least=1),
        Attribute("spatial_bins_y", int, default=1, least=1),
    ],
    examples=examples(f"""
        data=f32[1,54,10,12]; rois=f32[9,5]; group_size=6; output_dim=6; {POINTS} -> [9,6,6,6]
        scaled: the page has 1.3 million averages of nine interpolated numbers
        printed: data=f32[1,3240,38,38]; rois=f32[100,5]; group_size=6; output_dim=360; {POINTS} -> [100,360,6,6]
    """),
    rules=[
        positive_scale(),
        has_images(
            "data",
            "rois",
            "rois=f32:[[2,0,0,8,8]]|f32:[[-1,0,0,8,8]]|f32:[[0,0,0,8,8],[7,0,0,8,8]]",
        ),
        has_elements("data"),
        rule(
            "C is output_dim * group_size * group_size, for bilinear output_dim * spatial_bins_x * spatial_bins_y",
            lambda layer: layer.data.shape[1] == channels(layer),
            ["data=[2,9,9,13]", "data=[2,2,9,13]", "group_size=3", "output_dim=1"],
            reading=Reading(
                "'position-sensitive', 'the number of groups to encode position-sensitive score maps'",
                "Each output channel has a map for each bin: group_size by group_size for average, spatial_bins_y by "
                "spatial_bins_x for bilinear.",
                "The page does not say how many channels there are; DeformablePSROIPooling-1 says it of group_size; "
                "of bilinear the example has 3240 = 360 * 3 * 3 channels.",
                "silence",
            ),
        ),
    ],
    variants=variants(f"""
        scale: from the image to the map
            spatial_scale=0.0625|1.0|2.0
        groups: each bin has its map
            group_size=1|-; output_dim=5; data=[2,5,9,13]
            group_size=3; output_dim=2; data=[2,18,7,9]; spatial_scale=1.0|0.25
            group_size=5; output_dim=1; data=[2,25,6,5]; spatial_scale=1.0
        bins: a bin takes the elements that it touches
            {ONES}; rois=f32:[[0,1,2,5,6],[1,0,0,12,8],[0,4,1,9,6]]
            {ONES}; group_size=3; data=[2,18,9,13]; rois=f32:[[0,1,1,4,7],[1,2,0,9,6]]
        one-pixel: boxes whose corners are the same
            {ONES}; rois=f32:[[0,3,2,3,2],[1,0,0,0,0],[0,5,1,5,6],[0,1,2,7,8]]
        contained: boxes that touch, or contain each other, or are the same
            {ONES}; rois=f32:[[0,0,0,8,8],[0,2,2,6,6],[0,2,2,6,6],[0,8,0,10,8],[1,0,0,8,8]]
        between-pixels: corners that are no whole numbers
            spatial_scale=1.0|0.5; rois=f32:[[0,1.25,2.375,5.75,6.25],[1,0.25,0.75,7.375,8.25]]
        edge: boxes of the whole map
            {ONES}; rois=f32:[[0,0,0,12,8],[1,0,0,13,9]]
        outside: boxes partly, or all, beyond the map
            {ONES}; rois=f32:[[0,-3,-3,5,5],[1,6,4,16,12],[0,0,0,8,8],[1,20,20,28,28],[0,-20,-20,-12,-12]]
        inverted: boxes whose second corner is before the first have any value
            {ONES}; rois=f32:[[0,8,6,2,1],[1,1,2,9,6],[0,2,6,8,1]]
        bilinear: each type, and bins along one axis or both
            {WIDE}; data=f16[2,12,7,9]; rois=f16[4,5]
            {WIDE}; data=bf16[2,12,7,9]; rois=bf16[4,5]
            {WIDE}; data=f64[2,12,7,9]; rois=f64[4,5]
            {WIDE}
            {BILINEAR}; output_dim=2; data=[2,6,7,9]; spatial_bins_x=3; spatial_bins_y=1|-
            {BILINEAR}; output_dim=2; data=[2,6,7,9]; spatial_bins_x=1|-; spatial_bins_y=3
        bilinear-groups: points along each axis of a bin; one is in its middle
            {SQUARE}; group_size=1|2|5|-; output_dim=2
            {BILINEAR}; output_dim=1; data=[2,1,7,9]; spatial_bins_x=1; spatial_bins_y=1
        bilinear-scale: of coordinates that are fractions of the map
            {WIDE}; spatial_scale=0.5; rois=f32:[[0,0.25,0.5,1.75,1],[1,0.5,0.25,1.25,2]]
        bilinear-boxes: the whole map, boxes without a size, halves that touch
            {WIDE}; rois=f32:[[0,0,0,1,1],[1,0.5,0.25,0.5,0.25],[1,0,0,0.5,1],[1,0.5,0,1,1]]
        bilinear-outside: the coordinates are not in [0, 1]
            {WIDE}; rois=f32:[[0,-0.5,-0.5,0.5,0.5],[1,0.5,0.5,1.5,1.75],[0,2,2,3,3],[1,0.25,0.25,0.75,0.5]]
    """),
    readings=[
        CORNERS,
        Reading(
            "average: the elements of a bin",
            "Those at places from floor(begin) to ceil(end) - 1; of a bin that is partly beyond the map those that "
            "there are. A bin without an element has any value.",
            "The paper that the page names; the page has no formula.",
            "silence",
        ),
        Reading(
            "the map of a bin",
            "For average the channel c * group_size^2 + row * group_size + column. For bilinear the maps of an output "
            "channel stand side by side as well, or those of a bin do: the reference admits both.",
            "The groups of DeformablePSROIPooling-1; this page does not say it.",
            "silence",
        ),
        Reading(
            "'perform pooling with bilinear interpolation', 'bins to divide the input feature maps'",
            "A box is divided into spatial_bins_y by spatial_bins_x bins; an output element is the average of one "
            "point of each, with group_size points along each axis, from edge to edge of a bin or in the middles "
            "of its parts: the reference admits both. One point is in the middle.",
            "The page has no formula.",
            "silence",
        ),
        Reading(
            "'in normalized values (to [0,1] interval) for bilinear interpolation'",
            "Fractions of W - 1 and H - 1, after spatial_scale.",
            "As ROIPooling-1 has it of its method bilinear; spatial_scale translates coordinates in any mode.",
        ),
        INVERTED,
        OUTSIDE,
        Reading(
            "the type of the second input",
            "T.",
            "The page gives none; that of ROIPooling-1 is T.",
            "silence",
        ),
    ],
)


@PSROIPooling.plain
def plain():
    return {
        "data": [2, 8, 9, 13],
        "rois": [4, 5],
        "output_dim": 2,
        "group_size": 2,
        "spatial_scale": 0.5,
        "mode": "average",
        "spatial_bins_x": 4,
        "spatial_bins_y": 1,
    }


@PSROIPooling.random
def layer(draw):
    output_dim, group_size = draw.integer(1, 3), draw.integer(1, 4)
    bins = draw.integer(1, 3), draw.integer(1, 3)
    mode = draw.choice(["average", "bilinear", None])
    count = output_dim * (bins[0] * bins[1] if mode == "bilinear" else group_size**2)
    sizes = draw.integer(1, 14), draw.integer(1, 14)
    return {
        "data": [draw.integer(1, 3), count, *sizes],
        "rois": [draw.integer(1, 6), 5],
        "output_dim": output_dim,
        "group_size": group_size,
        "spatial_scale": 1.0 if mode == "bilinear" else draw.choice([0.0625, 0.25, 0.5, 1.0]),
        "mode": mode,
        "spatial_bins_x": bins[0],
        "spatial_bins_y": bins[1],
    }


@PSROIPooling.adapt
def maps_of_bins(layer):
    batch, _, height, width = layer.data.shape
    fitting = {"data": [batch, channels(layer), height, width]}
    return {**fitting, **without_images(layer, "data", {"rois": [0, 5]})}
