"""ExperimentalDetectronROIFeatureExtractor: boxes of each size from a layer of a pyramid (page of that name, -6)."""

from functools import cache
from math import log2, sqrt

import numpy as np

from ir_models.declaration import *
from ir_models.families.regions import BEYOND

T = types("T", "any supported floating-point type")


def image_size(layer):
    """Height and width of the image."""
    return [size * layer.pyramid_scales[0] for size in layer.pyramid[0].shape[2:]]


def sizes_fit(layer):
    if any(each.rank != 4 for each in layer.pyramid):
        return True  # another rule
    scaled = zip(layer.pyramid_scales, layer.pyramid, strict=False)
    return len({tuple(scale * size for size in each.shape[2:]) for scale, each in scaled}) == 1


def level_of(width, height):
    """The exact number of the level, before it is rounded down."""
    return 2 + log2(sqrt(width * height) / 224)


def usual(layer):
    """What tells whether a box is inside the image, far from another level and from another number of points."""
    height, width = image_size(layer)
    scales, last = layer.pyramid_scales, len(layer.pyramid) - 1
    is_valid = min(scales) >= 1

    @cache
    def bins():
        # Asked for only where a box has a level: an invalid layer may lack them.
        return max(layer.output_size, 1), layer.sampling_ratio > 0

    def is_usual(x_1, y_1, x_2, y_2):
        level = level_of(x_2 - x_1, y_2 - y_1)
        if not 0.04 < level % 1 < 0.96:
            return False
        if not is_valid:
            return True  # another rule
        scale = scales[min(max(int(level // 1), 0), last)]
        size, any_length = bins()
        lengths = (x_2 - x_1) / scale, (y_2 - y_1) / scale
        inside = min(x_1, y_1) >= scale / 2 and x_2 <= width - scale and y_2 <= height - scale
        if not inside or min(lengths) < 1:
            return False
        return any_length or all(0.1 < each / size % 1 < 0.9 for each in lengths)

    return is_usual


def boxes(layer, state):
    """Boxes in eighths of the image's pixels, those of small ones first, as their levels are."""
    height, width = (max(size // 8, 2) for size in image_size(layer))
    found, is_usual = [], usual(layer)
    for _ in range(layer.rois.shape[0]):
        for _ in range(200):
            # Half of the boxes are small ones.
            most = state.choice([1.0, 0.4])
            w, h = (1 + state.randint(0, max(int(most * n), 1)) for n in (width, height))
            x, y = state.randint(0, max(width - w, 0) + 1), state.randint(0, max(height - h, 0) + 1)
            corners = [8 * each for each in (x, y, x + w, y + h)]
            if is_usual(*corners):
                break
        found.append(corners)
    found.sort(key=lambda each: level_of(each[2] - each[0], each[3] - each[1]))
    return np.array(found, float).reshape(-1, 4)


def rois(*corners):
    return "rois=f32:" + str([list(each) for each in corners]).replace(" ", "")


# Levels 0, 1 and 2, and the other way round.
ORDERED = (32, 40, 120, 110), (20, 30, 200, 190), (16, 16, 420, 300)
FOUR = "pyramid=[1,2,16,32],[1,2,8,16],[1,2,4,8],[1,2,2,4]; pyramid_scales=32,64,128,256"
BELOW, ABOVE = (40, 40, 72, 80), (128, 128, 760, 384)
SQUARES = (32, 40, 88, 96), (32, 40, 144, 152), (16, 32, 240, 256), (128, 16, 576, 464)
AS_LARGE = (32, 40, 256, 96), (32, 40, 480, 152), (16, 16, 912, 240)
SHAPES = "[1,{0},200,336],f32[1,{0},100,168],f32[1,{0},50,84],f32[1,{0},25,42]"
PRINTED = "aligned=false; output_size=7; pyramid_scales=4,8,16,32,64; sampling_ratio=2"

FeatureExtractor = Operation(
    "ExperimentalDetectronROIFeatureExtractor-6",
    "opset6",
    inputs=[
        Input("rois", T, shape="number_of_ROIs, 4", values=boxes),
        Input("pyramid", T, exactly(4), many=True, values=Interval(-2, 6)),
    ],
    outputs=[Output("features", T), Output("reordered_rois", T)],
    mixes=True,
    # Each box takes long.
    grows=Growth("rois", 0, 40_000),
    attributes=[
        Attribute("output_size", int, required=True, least=1),
        Attribute("sampling_ratio", int, required=True, least=0),
        Attribute("pyramid_scales", list, required=True, least=1),
        Attribute("aligned", bool, default=False),
    ],
    examples=examples(f"""
        rois=f32[11,4]; pyramid=f32{SHAPES.format(3)}; {PRINTED} -> [11,3,7,7],[11,4]
        scaled: the page has 12.5 million averages of four interpolated numbers
        printed: rois=f32[1000,4]; pyramid=f32{SHAPES.format(256)}; {PRINTED} -> [1000,256,7,7],[1000,4]
    """),
    rules=[
        rule(
            "each layer of the pyramid is one image",
            lambda layer: all(each.shape[:1] == (1,) for each in layer.pyramid),
            "pyramid=[2,3,12,16],[2,3,6,8],[2,3,3,4]",
        ),
        rule(
            "all layers of the pyramid have the same number of channels",
            lambda layer: len({each.shape[1:2] for each in layer.pyramid}) == 1,
            "pyramid=[1,3,12,16],[1,2,6,8],[1,3,3,4]|[1,3,12,16],[1,3,6,8],[1,4,3,4]",
        ),
        rule(
            "there is a scale for each layer of the pyramid",
            lambda layer: len(layer.pyramid_scales) >= len(layer.pyramid),
            "pyramid_scales=32,64|32",
            reading=Reading(
                "'pyramid_scales ... for pyramid layers l=1,...,L', and an example of 5 scales and 4 layers",
                "There may be more scales than layers: the last ones then do not count.",
                "The example; the shapes of its layers are 800 x 1344 divided by the first four scales.",
                "contradiction",
            ),
        ),
        rule(
            "layer_size is image_size / pyramid_scales",
            sizes_fit,
            ["pyramid_scales=32,64,64", "pyramid=[1,3,12,16],[1,3,6,9],[1,3,3,4]"],
        ),
        rule(
            "a layer of the pyramid has elements",
            lambda layer: all(0 not in each.shape[2:] for each in layer.pyramid),
            unasked="the page does not say what a box is on a map without elements",
        ),
    ],
    variants=variants(f"""
        levels: boxes of each level, below the first and above the last
            {FOUR}; {rois(BELOW, *ORDERED, ABOVE)}
            pyramid=[1,3,12,16],[1,3,6,8]; pyramid_scales=32,64; {rois(*ORDERED)}
            pyramid=[1,3,12,16]; pyramid_scales=32; {rois(*ORDERED)}
        boundary: boxes whose level is a whole number: 112, 224 and 448 squared
            {FOUR}; {rois(*SQUARES)}
            {FOUR}; {rois(*AS_LARGE)}
        order: boxes that are not in the order of their levels
            {rois(ORDERED[2], ORDERED[0], ORDERED[1], ORDERED[0])}
        ratio: points in each direction of a bin, as many as it is long, rounded up, for 0
            sampling_ratio=0|1|3; aligned=false|true
        pooled: one element, and more than the box has
            output_size=1|7; sampling_ratio=0|2
        scales: of other pyramids; more of them than layers
            pyramid_scales=32,64,128,256
            pyramid=[1,3,24,30],[1,3,8,10]; pyramid_scales=16,48
        small: boxes of less than one element are of size 1 x 1, those without a size have any value
            {rois((32, 40, 40, 56), (64, 64, 64, 64), (16, 16, 32, 17))}
        inverted: boxes whose second corner is before the first have any value
            {rois((200, 30, 20, 190), (32, 40, 120, 110), (200, 190, 20, 30), (16, 16, 420, 300))}
        edge: boxes to the edge of the image
            aligned=false|true; {rois((0, 0, 96, 96), (416, 288, 512, 384), (0, 0, 512, 384))}
        outside: boxes partly, or all, beyond the image
            {rois((-60, -60, 30, 30), (32, 40, 120, 110), (800, 800, 900, 900), (480, 340, 600, 500))}
    """),
    readings=[
        BEYOND,
        Reading(
            "'j = floor(2 + log2(sqrt(w * h) / 224)'",
            "The first layer for numbers below 0, the last one for those behind it; w and h are those of the image.",
            "There are no other layers; the page does not say it.",
            "silence",
        ),
        Reading(
            "'output[i] = ROIAlign(inputPyramid[j], rois[i])'",
            "The average of points, as ROIAlign-3 has it, with 1 / pyramid_scales[j] as spatial_scale.",
            "The page does not say which mode; features are averaged in the paper that it names.",
            "silence",
        ),
        Reading(
            "'reordered ROIs according to their mapping to the pyramid levels'",
            "Sorted by level, those of a level in their order; the features are those of the input's order.",
            "The formula of the first output has rois[i].",
            "ambiguity",
            "The ROIs as they came: the order of the features.",
        ),
        Reading(
            "'aligned ... specifies add offset (-0.5) to ROIs sizes'",
            "To coordinates on the layer, after scaling. Whether a box is then at least 1 x 1 is open: both are right.",
            "With an offset to both corners sizes do not change; so has ROIAlign-9 its mode half_pixel_for_nn.",
        ),
        Reading(
            "'[1, number_of_channels, layer_size[l], layer_size[l]]'",
            "The height and the width may differ.",
            "The example has 200 x 336.",
            "contradiction",
        ),
        Reading(
            "boxes whose second corner is before the first, or on a line with it",
            "Any value.",
            "Neither the root of a negative number nor the logarithm of 0 has a level.",
            "silence",
        ),
    ],
)


@FeatureExtractor.plain
def plain():
    return {
        "rois": [5, 4],
        "pyramid": [[1, 2, 12, 16], [1, 2, 6, 8], [1, 2, 3, 4]],
        "output_size": 2,
        "sampling_ratio": 2,
        "pyramid_scales": [32, 64, 128],
        "aligned": True,
    }


@FeatureExtractor.random
def layer(draw):
    count, channels = draw.integer(1, 4), draw.integer(1, 4)
    height, width = (draw.integer(2, 4), draw.integer(2, 4))
    first = draw.choice([16, 32, 48])
    sizes = [[1, channels, height * 2**n, width * 2**n] for n in range(count - 1, -1, -1)]
    return {
        "rois": [draw.integer(1, 6), 4],
        "pyramid": sizes,
        "output_size": draw.integer(1, 4),
        "sampling_ratio": draw.integer(0, 3),
        "pyramid_scales": [first * 2**n for n in range(count)],
        "aligned": draw.choice([True, False, None]),
    }
