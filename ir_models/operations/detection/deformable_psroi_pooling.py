"""DeformablePSROIPooling: averages of points in bins that offsets move (page DeformablePSROIPooling-1)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.regions import (
    CORNERS,
    INVERTED,
    OUTSIDE,
    has_elements,
    has_images,
    image_ids,
    pixel_corners,
    positive_scale,
    without_images,
)

T = types("T", "Any floating-point type")


def boxes(layer, state):
    """Boxes whose points stay on the map, half an element from its ends, wherever offsets move them."""
    count, (height, width) = layer.rois.shape[0], layer.data.shape[2:]
    scale = layer.spatial_scale if layer.spatial_scale > 0 else 1.0
    moved = abs(layer.trans_std) if layer.offsets else 0.0

    def on_map(begin, end, size):
        most = moved * (end - begin + scale)
        return (begin - most >= 0.5) & (end + scale - 0.5 + most <= size - 1)

    x, y = (pixel_corners(size, scale, count, on_map, state) for size in (width, height))
    ids = image_ids(layer, count, state, "data")
    return np.column_stack([ids, x[:, 0], y[:, 0], x[:, 1], y[:, 1]])


def divides_channels(layer):
    classes, odd = divmod(layer.offsets.shape[1], 2)
    return not odd and classes > 0 and layer.output_dim % classes == 0


ONES = "spatial_scale=1.0; trans_std=0.125"
POINTS = "spatial_scale=0.0625; mode=bilinear_deformable; spatial_bins_x=4; spatial_bins_y=4"
THREE = f"group_size=3; {POINTS}; trans_std=0.0; part_size=3"

DeformablePSROIPooling = Operation(
    "DeformablePSROIPooling-1",
    "opset1",
    inputs=[
        Input("data", T, shape="N_in, C_in, H_in, W_in", values=Interval(-2, 6)),
        Input("rois", T, shape="NUM_ROIS, 5", values=boxes),
        Input(
            "offsets",
            T,
            shape="NUM_ROIS, 2*NUM_CLASSES, group_size, group_size",
            optional=True,
            values=lambda layer, state: state.random_sample(layer.offsets.shape),
        ),
    ],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        Attribute("output_dim", int, required=True, least=1),
        Attribute("spatial_scale", float, required=True),
        Attribute("group_size", int, default=1, least=1),
        Attribute("mode", ("bilinear_deformable",), default="bilinear_deformable"),
        Attribute("spatial_bins_x", int, default=1, least=1),
        Attribute("spatial_bins_y", int, default=1, least=1),
        Attribute("trans_std", float, default=1.0),
        Attribute("part_size", int, default=1, least=1),
    ],
    examples=examples(f"""
        data=f32[1,54,25,20]; rois=f32[7,5]; output_dim=6; {THREE} -> [7,6,3,3]
        scaled: the page has 2.4 million averages of sixteen interpolated numbers
        printed: data=f32[1,7938,63,38]; rois=f32[300,5]; output_dim=882; {THREE} -> [300,882,3,3]
        data=f32[1,392,38,63]; rois=f32[300,5]; offsets=f32[300,2,7,7];
        group_size=7; output_dim=8; part_size=7; {POINTS}; trans_std=0.1 -> [300,8,7,7]
    """),
    rules=[
        positive_scale(),
        has_images(
            "data",
            "rois",
            "offsets=-; rois=f32:[[2,0,0,8,8]]|f32:[[-1,0,0,8,8]]|f32:[[0,0,0,8,8],[7,0,0,8,8]]",
        ),
        has_elements("data"),
        rule(
            "C_in is output_dim * group_size * group_size",
            lambda layer: layer.data.shape[1] == layer.output_dim * layer.group_size**2,
            ["data=[2,17,7,8]", "data=[2,4,7,8]", "output_dim=2"],
        ),
        rule(
            "part_size is the height and the width of the offsets",
            lambda layer: not layer.offsets or layer.part_size == layer.offsets.shape[2],
            "part_size=3|1",
            reading=Reading(
                "'part_size is the size of H and W dimensions of the third input', whose shape has group_size",
                "part_size is group_size where there are offsets; without offsets it is any number.",
                "Both sentences hold then, and both examples have it so.",
                "contradiction",
            ),
        ),
        rule(
            "NUM_CLASSES divides output_dim",
            lambda layer: not layer.offsets or divides_channels(layer),
            unasked="the page does not say which channels belong to a class",
            reading=Reading(
                "NUM_CLASSES",
                "The output channels are divided evenly among the classes, in their order.",
                "The page does not say it.",
                "silence",
            ),
        ),
    ],
    variants=variants(f"""
        scale: from the image to the map
            spatial_scale=0.0625|1.0|0.25
        groups: each bin has its map and its offset
            group_size=3; part_size=3; output_dim=2; data=[2,18,7,8]; offsets=[3,2,3,3]
            group_size=1; part_size=1; output_dim=5; data=[2,5,7,8]; offsets=[3,2,1,1]
            group_size=1|-; part_size=1|-; output_dim=5; data=[2,5,7,8]; offsets=-
            group_size=1; part_size=-; output_dim=5; data=[2,5,7,8]; offsets=[3,2,1,1]
        points: in each bin along each axis
            spatial_bins_x=1|4; spatial_bins_y=1|3
        classes: offsets of each
            offsets=[3,2,2,2]|[3,8,2,2]
        trans: how far a bin is moved; not at all, further, back
            trans_std=0.0|0.5|-0.125; spatial_scale=1.0
        no-offsets: bins stay where they are, whatever part_size and trans_std are
            offsets=-; part_size=1|3; trans_std=0.0|0.5
        moved: each bin by its own offset
            {ONES}; rois=f32:[[0,1,1,4,4],[1,2,2,4,3],[0,1,2,5,4]]
        one-pixel: boxes whose corners are the same
            {ONES}; rois=f32:[[0,3,2,3,2],[1,1,1,1,1],[0,5,1,5,4]]
        contained: boxes that touch, or contain each other, or are the same
            {ONES}; offsets=-; rois=f32:[[0,1,1,5,5],[0,2,2,4,4],[0,2,2,4,4],[1,1,1,5,5]]
        between-pixels: corners that are no whole numbers
            {ONES}; offsets=-; rois=f32:[[0,1.25,2.375,5.75,4.25],[1,1.25,0.75,5.375,4.25]]
        edge: boxes of the whole map
            {ONES}; offsets=-; rois=f32:[[0,0,0,7,6],[1,0,0,8,7]]
        outside: boxes partly, or all, beyond the map
            {ONES}; offsets=-; rois=f32:[[0,-3,-3,5,5],[1,5,4,10,9],[0,1,1,5,5],[1,20,20,28,28]]
        inverted: boxes whose second corner is before the first have any value
            {ONES}; offsets=-; rois=f32:[[0,6,5,2,1],[1,1,2,5,4],[0,2,5,6,1]]
    """),
    readings=[
        CORNERS,
        Reading(
            "'to divide ROI single bin' into 'spatial_bins_x*spatial_bins_y sub-bins': the point of a sub-bin",
            "Its left top corner, or its middle: the reference admits both.",
            "The page does not say where it is interpolated.",
            "silence",
        ),
        Reading(
            "'normalized [0, 1] offsets'",
            "Fractions of the width and the height of the box, times trans_std.",
            "The page does not say of what; in the paper that it names they are multiplied by the box's size.",
            "silence",
        ),
        Reading(
            "'two (x, y) coordinates' of the third input's channels",
            "Of each class first x, then y.",
            "The order in which they are named.",
        ),
        Reading(
            "the map of a bin",
            "The channel c * group_size^2 + row * group_size + column.",
            "'Each group corresponds to the exactly one output channel'; bins row by row, as in the output.",
        ),
        INVERTED,
        OUTSIDE,
    ],
)


@DeformablePSROIPooling.plain
def plain():
    return {
        "data": [2, 16, 7, 8],
        "rois": [3, 5],
        "offsets": [3, 4, 2, 2],
        "output_dim": 4,
        "spatial_scale": 0.5,
        "group_size": 2,
        "mode": "bilinear_deformable",
        "spatial_bins_x": 3,
        "spatial_bins_y": 2,
        "trans_std": 0.125,
        "part_size": 2,
    }


@DeformablePSROIPooling.random
def layer(draw):
    group_size, classes, count = draw.integer(1, 4), draw.integer(1, 3), draw.integer(1, 6)
    output_dim = classes * draw.integer(1, 3)
    maps = output_dim * group_size**2
    has_offsets = draw.choice([True, False])
    return {
        "data": [draw.integer(1, 3), maps, draw.integer(1, 14), draw.integer(1, 14)],
        "rois": [count, 5],
        "offsets": [count, 2 * classes, group_size, group_size] if has_offsets else None,
        "output_dim": output_dim,
        "spatial_scale": draw.choice([0.0625, 0.25, 0.5, 1.0]),
        "group_size": group_size,
        "mode": draw.choice(["bilinear_deformable", None]),
        "spatial_bins_x": draw.integer(1, 4),
        "spatial_bins_y": draw.integer(1, 4),
        "trans_std": draw.choice([0.0, 0.1, draw.real(0.01, 0.3)]),
        "part_size": group_size,
    }


@DeformablePSROIPooling.adapt
def maps_of_bins(layer):
    batch, _, height, width = layer.data.shape
    size = min(layer.group_size, layer.part_size) if layer.offsets else layer.group_size
    same = {name: size for name in ("group_size", "part_size") if getattr(layer, name) > size}
    fitting = {"data": [batch, layer.output_dim * size**2, height, width], **same}
    if layer.offsets:
        fitting["offsets"] = [*layer.offsets.shape[:2], size, size]
    none = {"rois": [0, 5]}
    if layer.offsets:
        none["offsets"] = [0, *layer.offsets.shape[1:]]
    return {**fitting, **without_images(layer, "data", none)}
