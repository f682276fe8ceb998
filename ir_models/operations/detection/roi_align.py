"""ROIAlign: averages or maxima of points in boxes on feature maps (pages ROIAlign-3 and ROIAlign-9)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families import regions

T = types("T", "any supported floating-point type")
MODES = ("asymmetric", "half_pixel_for_nn", "half_pixel")


def aligned_mode(layer):
    return getattr(layer, "aligned_mode", None) if "-9" in layer.operation.name else "asymmetric"


def boxes(layer, state):
    height, width = layer.data.shape[2:]
    mode, scale, ratio = aligned_mode(layer), layer.spatial_scale or 1.0, layer.sampling_ratio
    least = 1.0 if mode == "asymmetric" else 0.25
    found = []
    for _ in range(layer.rois.shape[0]):
        (x, w), (y, h) = (
            regions.span(size, bins, ratio, least, state)
            for size, bins in ((width, layer.pooled_w), (height, layer.pooled_h))
        )
        found.append([x, y, x + w, y + h])
    shift = {"asymmetric": 0.0, "half_pixel_for_nn": 0.5, "half_pixel": 0.5}.get(mode, 0.0)
    corners = (np.array(found).reshape(-1, 4) + shift) / scale
    return corners - 0.5 if mode == "half_pixel" else corners


ONES = "data=[2,3,9,11]; spatial_scale=1.0"
PRINTED = "data=f32[7,256,200,200]; rois=f32[1000,4]; batch_indices=[1000]"
UNSORTED = "[[2,3,2,3],[7,6,3,2],[3,2,3.5,6],[6,1,2,5]]"
WHOLE = "[[0,0,3,2],[1,1,7,5],[2,0,8,8],[0,2,9,6]]"
AT_EDGE = "[[0,0,11,9],[0,0,10,8],[9.5,7.5,11,9],[-0.5,-0.5,1,1]]"
BELOW_ZERO = "data=f32:[[[[-5,-3,-9],[-7,-2,-8],[-6,-1,-4]]]]; batch_indices=[1]"
FOUR = "batch_indices=[4]"


ALIGNED_MODE = Attribute("aligned_mode", MODES, default="asymmetric")
NO_POINT = Reading(
    "sampling_ratio 0 with boxes whose size is negative or zero, in modes other than asymmetric",
    "Any value.",
    "There is then no point.",
    "silence",
)


def variants_of(aligned):
    with_mode = "aligned_mode=asymmetric; " if aligned else ""
    any_mode = f"aligned_mode={'|'.join(MODES)}; " if aligned else ""
    of_modes = f"""
        modes: how coordinates are moved, with each way to count points
            aligned_mode=asymmetric|half_pixel_for_nn|half_pixel; sampling_ratio=0|1|3; mode=avg|max
        sizes-of-modes: but for asymmetric, boxes without a size, and inverted ones, stay what they are
            {ONES}; aligned_mode=half_pixel|half_pixel_for_nn; {FOUR}; rois=f32:{UNSORTED}
    """
    return variants(f"""
        ratio: points in each direction of a bin, as many as it is long, rounded up, for 0
            {with_mode}sampling_ratio=0|1|2|3; mode=avg|max
            {with_mode}sampling_ratio=0; pooled_h=1; pooled_w=1; mode=avg|max
        whole-ratio: bins that are whole numbers long
            {with_mode}{ONES}; sampling_ratio=0; pooled_h=2; pooled_w=3; {FOUR}; rois=f32:{WHOLE}
        scale: from the image to the map
            {any_mode}spatial_scale=0.0625|1.0|2.0
            {with_mode}spatial_scale=0.3
        pooled: a row, a column, one element, more than the box has
            {with_mode}pooled_h=1|5; pooled_w=1|7
        malformed: boxes that are inverted, or have no size, are of size 1 x 1
            {with_mode}{ONES}; {FOUR}; rois=f32:[[2,3,2,3],[7,6,3,2],[3,2,3.5,2.25],[9,1,8,5]]
        contained: boxes that touch, or contain each other, or are the same
            {any_mode}{ONES}; {FOUR}; rois=f32:[[1,1,8,8],[2,2,6,6],[2,2,6,6],[8,2,10,6]]
        edge: boxes to the edge of the map, and partly beyond it, by less than one element
            {any_mode}{ONES}; {FOUR}; sampling_ratio=1|2; rois=f32:{AT_EDGE}
        outside: boxes beyond the map have any value
            {any_mode}{ONES}; {FOUR}; mode=avg|max; rois=f32:[[1,1,8,8],[20,20,28,28],[-20,-20,-12,-12],[5,5,20,20]]
        negative: maxima below zero
            {with_mode}{BELOW_ZERO}; mode=max|avg; spatial_scale=1.0; rois=f32:[[0.5,0.25,2,1.75]]
    """) + (variants(of_modes) if aligned else [])


def roi_align(name, aligned):
    """The operation of a page; ``aligned``: it has the attribute aligned_mode."""
    example_mode = "; aligned_mode=half_pixel" if aligned else ""
    attributes = (
        "; pooled_h=6; pooled_w=6; spatial_scale=16.0; sampling_ratio=2; mode=avg" + example_mode
    )
    operation = Operation(
        name,
        f"opset{name.rpartition('-')[2]}",
        inputs=regions.align_inputs(T, 4, boxes),
        outputs=[Output("output", T)],
        mixes=True,
        attributes=[
            *regions.ALIGNING,
            Attribute("mode", ("avg", "max"), required=True),
            *([ALIGNED_MODE] if aligned else []),
        ],
        examples=examples(f"""
            data=f32[2,3,20,20]; rois=f32[10,4]; batch_indices=[10]{attributes} -> [10,3,6,6]
            scaled: the page has 72 million numbers
            printed: {PRINTED}{attributes} -> [1000,256,6,6]
        """),
        rules=regions.align_rules(5),
        variants=variants_of(aligned),
        readings=[
            regions.BEYOND,
            Reading(
                "'Apply bilinear interpolation with 4 points in each bin and apply maximum or average pooling'",
                "Each point of a bin is interpolated between 4 elements; then their average, or the largest, is taken.",
                "The order of the sentence.",
            ),
            Reading(
                "'sampling_ratio is the number of bins over height and width to use to calculate each output element'",
                "The points are in the middles of equal parts of a bin, sampling_ratio along each axis.",
                "The page does not say where in a bin a point is; in the paper that it names they are spread evenly.",
                "silence",
            ),
            *([NO_POINT] if aligned else []),
        ],
    )

    @operation.plain
    def plain():
        mode = {"aligned_mode": "half_pixel"} if aligned else {}
        sizes = {"data": [2, 3, 9, 11], "rois": [5, 4], "batch_indices": [5]}
        numbers = {"pooled_h": 3, "pooled_w": 2, "sampling_ratio": 2, "spatial_scale": 0.5}
        return {**sizes, **numbers, "mode": "avg", **mode}

    @operation.random
    def layer(draw):
        mode = {"aligned_mode": draw.choice([*MODES, None])} if aligned else {}
        return {**regions.drawn_sizes(draw, 4), "mode": draw.choice(["avg", "max"]), **mode}

    operation.adapt(regions.no_images(4))
    return operation


ROIAlign3 = roi_align("ROIAlign-3", False)
ROIAlign9 = roi_align("ROIAlign-9", True)
