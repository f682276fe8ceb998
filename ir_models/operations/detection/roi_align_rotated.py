"""ROIAlignRotated: averages of points in boxes that are turned about their centers (page ROIAlignRotated-15)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families import regions

T = types("T", "any supported floating-point type")


def boxes(layer, state):
    """Boxes that stay inside the map however they are turned, if it is large enough; angles of whole eighths."""
    height, width = layer.data.shape[2:]
    # The sides of a square whose corners are as far from its center as the nearest edge of the map.
    side = max(int(min(height, width) / 1.5), 1)
    found = []
    for _ in range(layer.rois.shape[0]):
        sides = (
            regions.span(side, bins, layer.sampling_ratio, 0.25, state)[1]
            for bins in (layer.pooled_w, layer.pooled_h)
        )
        box_width, box_height = sides
        room = np.ceil(np.hypot(box_width, box_height) * 2) / 4
        center = (
            room + state.randint(0, max(int(4 * (size - 1 - 2 * room)), 0) + 1) / 4 + 0.5
            for size in (width, height)
        )
        found.append([*center, box_width, box_height])
    numbers = np.array(found).reshape(-1, 4) / (layer.spatial_scale or 1.0)
    return np.column_stack([numbers, state.randint(-25, 26, len(numbers)) / 8])


RIGHT = np.pi / 2
ONES = "data=[2,3,9,11]; spatial_scale=1.0"
TURNS = [0.0, RIGHT, np.pi, -RIGHT, 2 * np.pi, 1.0]
SIX = "batch_indices=[6]"
PRINTED = "data=f32[7,256,200,200]; rois=f32[1000,5]; batch_indices=[1000]"
ATTRIBUTES = "pooled_h=6; pooled_w=6; spatial_scale=16.0; sampling_ratio=2; clockwise_mode=true"


def turned(box):
    """A box at right angles and at another one."""
    return f"{SIX}; rois=f32:[{','.join(f'[{box},{np.float32(turn)}]' for turn in TURNS)}]"


ROIAlignRotated = Operation(
    "ROIAlignRotated-15",
    "opset15",
    inputs=regions.align_inputs(T, 5, boxes),
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[
        *regions.ALIGNING,
        Attribute("clockwise_mode", bool, default=False),
    ],
    examples=examples(f"""
        data=f32[2,3,20,20]; rois=f32[10,5]; batch_indices=[10]; {ATTRIBUTES} -> [10,3,6,6]
        scaled: the page has 72 million numbers
        printed: {PRINTED}; {ATTRIBUTES} -> [1000,256,6,6]
    """),
    rules=regions.align_rules(4),
    variants=variants(f"""
        turns: 0, 90, 180, -90 and 360 degrees, and one radian; either way
            {ONES}; clockwise_mode=false|true; {turned("5.5,4.5,4,3")}
            {ONES}; clockwise_mode=false|true; sampling_ratio=1; pooled_h=1; pooled_w=4; {turned("5.25,5,5.5,1")}
        ratio: points in each direction of a bin, as many as it is long, rounded up, for 0
            sampling_ratio=0|1|2|3
            sampling_ratio=0; pooled_h=1; pooled_w=1
        whole-ratio: bins that are whole numbers long
            {ONES}; sampling_ratio=0; pooled_h=2; pooled_w=3; {turned("5.5,4.5,6,2")}
        scale: of the center and of the sizes
            spatial_scale=0.0625|1.0|2.0|0.3
        pooled: a row, a column, one element, more than the box has
            pooled_h=1|5; pooled_w=1|7
        no-size: boxes without a width, a height, or both
            {ONES}; {turned("5.5,4.5,0,3")}
            {ONES}; {turned("5.5,4.5,4,0")}
            {ONES}; {turned("5.25,4.75,0,0")}
        negative-sizes: bins in the opposite direction
            {ONES}; {turned("5.5,4.5,-4,3")}
            {ONES}; {turned("5.5,4.5,4,-3")}
            {ONES}; {turned("5.5,4.5,-4,-3")}
        edge: the half that centers are moved by leaves the first row; partly beyond the map, by less than one element
            {ONES}; {turned("0.5,0.5,1,1")}
            {ONES}; {turned("10.5,8.5,1.5,0.5")}
        outside: boxes partly, or all, far beyond the map: such bins have any value
            {ONES}; {turned("9.5,4.5,8,6")}
            {ONES}; batch_indices=[2]; rois=f32:[[5.5,4.5,4,3,0.5],[30,30,4,3,0.5]]
        contained: boxes that touch, or contain each other, or are the same
            {ONES}; batch_indices=[3]; rois=f32:[[5.5,4.5,4,4,0.5],[5.5,4.5,2,2,0.5],[5.5,4.5,2,2,0.5]]
    """),
    readings=[
        regions.BEYOND,
        Reading(
            "'clockwise', 'counterclockwise rotation'",
            "As the map is seen, the first row at the top.",
            "The page does not say where the y axis points; rows are counted downwards.",
            "silence",
        ),
        Reading(
            "'ceil(roi_height / pooled_h)'",
            "Of the height after scaling.",
            "Scaling is the first step.",
        ),
        Reading(
            "sampling_ratio 0 with boxes whose size is negative or zero",
            "Any value.",
            "There is then no point.",
            "silence",
        ),
    ],
)


@ROIAlignRotated.plain
def plain():
    sizes = {"data": [2, 3, 9, 11], "rois": [4, 5], "batch_indices": [4]}
    numbers = {"pooled_h": 3, "pooled_w": 2, "sampling_ratio": 2, "spatial_scale": 0.5}
    return {**sizes, **numbers, "clockwise_mode": True}


@ROIAlignRotated.random
def layer(draw):
    return {**regions.drawn_sizes(draw, 5), "clockwise_mode": draw.choice([True, False, None])}


ROIAlignRotated.adapt(regions.no_images(5))
