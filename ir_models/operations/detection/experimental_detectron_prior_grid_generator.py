"""ExperimentalDetectronPriorGridGenerator: priors moved to each cell of a grid (page of that name, -6)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point type")


def at_most(name, axis):
    return rule(
        f"{name} is at most featmap_{'height' if name == 'h' else 'width'}",
        lambda layer: (getattr(layer, name) or 0) <= layer.feature_map.shape[axis],
        f"{name}=9|100",
    )


def not_negative(name):
    return rule(
        f"{name} is not negative",
        lambda layer: (getattr(layer, name) or 0) >= 0,
        f"{name}=-0.5|-8.0",
    )


PriorGridGenerator = Operation(
    "ExperimentalDetectronPriorGridGenerator-6",
    "opset6",
    inputs=[
        Input("priors", T, shape="number_of_priors, 4", values=Interval(-10, 10)),
        Input("feature_map", T, shape="1, number_of_channels, featmap_height, featmap_width"),
        Input("image", T, shape="1, image_channels, image_height, image_width"),
    ],
    outputs=[Output("output", T)],
    # Each prior makes a box in each cell.
    grows=Growth("priors", 0, 10_000),
    attributes=[
        Attribute("flatten", bool, default=True),
        Attribute("h", int, default=0, least=0),
        Attribute("w", int, default=0, least=0),
        Attribute("stride_x", float, default=0.0),
        Attribute("stride_y", float, default=0.0),
    ],
    examples=examples("""
        priors=f32[3,4]; feature_map=f32[1,256,25,42]; image=f32[1,3,800,1344];
        flatten=true; h=0; stride_x=32.0; stride_y=32.0; w=0 -> [3150,4]
    """),
    rules=[
        at_most("h", 2),
        at_most("w", 3),
        not_negative("stride_x"),
        not_negative("stride_y"),
        rule(
            "feature_map and image have the same number of channels",
            lambda layer: True,
            unasked="the page's example has 256 channels in one and 3 in the other",
            reading=Reading(
                "'The number of channels of both feature map and input image tensors must match'",
                "They need not match.",
                "The example has 256 and 3, and a feature map has other channels than an image.",
                "contradiction",
                "A device that refuses other numbers of channels.",
            ),
        ),
    ],
    variants=variants("""
        flatten: two dimensions or four
            flatten=false|true; h=0|-; w=0|-
        steps: as stated, or so that the grid covers the image, along each axis
            stride_x=0.0|16.0|0.75; stride_y=0.0|2.5
        steps-alone: of one axis, the other one left out
            stride_x=-; stride_y=6.25
            stride_x=6.25; stride_y=-
        uneven: steps that are no whole numbers, below and above 1
            stride_x=0.0; stride_y=0.0; flatten=false|true; image=[1,2,33,50]
            stride_x=0.0; stride_y=0.0; image=[1,2,4,3]
        cells: fewer than the feature map has, along one axis or both; what is left has any value
            h=3|0; w=4|0; flatten=false|true
            h=1|-; w=2|-; flatten=false|true; stride_x=0.0; stride_y=0.0
        one-cell: a grid of one cell, or of one row or column
            feature_map=[1,3,1,1]; h=1|0; w=1|0
            feature_map=[1,3,1,6]; h=0; w=6
            feature_map=[1,3,4,1]; h=4; w=0
        priors: one, and boxes that are inverted, empty or far from the cell
            priors=[1,4]
            priors=f32:[[8,4,-8,-4],[0,0,0,0],[-100,-50,200,75]]
    """),
    readings=[
        Reading(
            "'stride_h', 'stride_w'",
            "The attributes stride_y and stride_x.",
            "No attribute has the other names.",
            "slip",
        ),
        Reading(
            "'coordinates of centres of boxes and adds strides with offset 0.5'",
            "Both corners of a prior are moved by ((column + 0.5) * step_x, (row + 0.5) * step_y).",
            "A prior has four numbers, as boxes of other pages do: x and y of a corner, and of the other one.",
        ),
        Reading(
            "'layer_height', 'layer_width'",
            "The number of cells that are generated, or the size of the feature map: the reference admits both.",
            "The page does not say what they are; they differ only where h or w is less than the feature map's size.",
            "silence",
        ),
        Reading(
            "'the output tensor is filled with undefined values for rest output tensor elements'",
            "The cells stand one after another from the beginning of the data, or each in the place of its row and "
            "column: the reference admits both.",
            "The page does not say which elements are the rest.",
            "silence",
        ),
        Reading(
            "the order of boxes",
            "Row by row of the grid, the priors of a cell side by side.",
            "The order of '[featmap_height, featmap_width, number_of_priors, 4]'.",
            "silence",
        ),
    ],
)


@PriorGridGenerator.plain
def plain():
    inputs = {"priors": [3, 4], "feature_map": [1, 3, 5, 7], "image": [1, 2, 22, 30]}
    return {**inputs, "flatten": False, "h": 5, "w": 7, "stride_x": 9.5, "stride_y": 7.25}


@PriorGridGenerator.random
def layer(draw):
    height, width = draw.integer(1, 9), draw.integer(1, 9)
    return {
        "priors": [draw.integer(1, 5), 4],
        "feature_map": [1, draw.integer(1, 4), height, width],
        "image": [1, draw.integer(1, 4), draw.integer(1, 90), draw.integer(1, 90)],
        "flatten": draw.choice([True, False, None]),
        "h": draw.choice([0, None, height, draw.integer(1, height)]),
        "w": draw.choice([0, None, width, draw.integer(1, width)]),
        "stride_x": draw.choice([0.0, None, 16.0, draw.real(0.5, 40)]),
        "stride_y": draw.choice([0.0, None, 16.0, draw.real(0.5, 40)]),
    }


@PriorGridGenerator.adapt
def cells_of_the_map(layer):
    return {"h": 0, "w": 0}
