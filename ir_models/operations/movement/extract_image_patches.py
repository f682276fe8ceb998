"""ExtractImagePatches: the patches of an image stacked in its depth (page ExtractImagePatches-3)."""

from ir_models.declaration import *
from ir_models.families.windows import Axis

T = types("T", "any supported type")
SAME = "auto_pad=same_upper|same_lower"


def fits(layer):
    """Whether a patch fits into the image, along each axis."""
    lists = (layer.data.shape[2:], layer.sizes, layer.strides, layer.rates)
    return [Axis(*numbers).room >= 0 for numbers in zip(*lists, strict=True)]


# Padded to the same size the total is even in rows and odd in columns.
ExtractImagePatches = Operation(
    "ExtractImagePatches-3",
    "opset3",
    inputs=[Input("data", T, shape="batch, depth, in_rows, in_cols")],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("sizes", list, required=True, least=0, length="2", plain=(2, 3)),
        Attribute("strides", list, required=True, least=0, length="2", plain=(3, 2)),
        Attribute("rates", list, required=True, least=0, length="2", plain=(2, 1)),
        Attribute("auto_pad", ("same_upper", "same_lower", "valid"), required=True, plain="valid"),
    ],
    sizes={"batch": 2, "depth": 3, "in_rows": 7, "in_cols": 10},
    examples=examples(
        "data=f32[64,3,10,10]; sizes=3,3; strides=5,5; rates=1,1; auto_pad=valid -> [64,27,2,2]"
    ),
    rules=[
        rule(
            "sizes, strides and rates are not 0",
            lambda layer: 0 not in layer.sizes + layer.strides + layer.rates,
            unasked="the page allows 0 and does not say what it means",
        ),
        rule(
            "same_upper, same_lower: the image has a pixel",
            lambda layer: layer.auto_pad == "valid" or 0 not in layer.data.shape[2:],
            unasked="the page is silent on an image without pixels",
        ),
        rule(
            "valid: a patch fits into the image",
            lambda layer: all(fits(layer)),
            unasked="the page is silent on an image without room for a patch",
            auto_pad="valid",
        ),
        rule(
            "the type of data has a zero to pad with",
            lambda layer: layer.auto_pad == "valid" or layer.data.element_type.has_zero,
            unasked="the page pads data of any type with zeros",
        ),
    ],
    violations=["sizes=2,3,1|-2,3", "rates=2,1,1|-2,1", "strides=3,-2"],
    variants=variants(f"""
        page-numbers: the numeric examples of the page
            data=[1,1,10,10]; sizes=3,3; strides=5,5; rates=1,1
            data=[1,1,10,10]; sizes=4,4; strides=8,8; rates=1,1
            data=[1,1,10,10]; sizes=4,4; strides=9,9; rates=1,1; auto_pad=same_upper
            data=[1,1,10,10]; sizes=3,3; strides=5,5; rates=2,2
            data=[1,2,5,5]; sizes=2,2; strides=3,3; rates=1,1
        sizes: up to the image
            sizes=1,1|4,1|1,10
        strides: beyond the image
            strides=1,1|1,4|100,9
        rates: gaps inside a patch
            rates=1,1|1,4|5,2|3,3
        auto-pad: padding of an odd, an even and no total, and of patches larger than the image
            {SAME}; sizes=2,4; strides=1,1; rates=1,1
            {SAME}; sizes=4,3; strides=2,1; rates=2,3
            {SAME}; sizes=1,2; strides=4,5; rates=1,2
            {SAME}; sizes=8,13; strides=3,4; rates=1,1
    """),
)


@ExtractImagePatches.random
def layer(draw):
    sizes = [draw.integer(1, 4) for _ in range(2)]
    rates = [draw.integer(1, 3) for _ in range(2)]
    auto_pad = draw.choice(["same_upper", "same_lower", "valid"])
    windows = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates, strict=True)]
    # A smaller image than the rate may lie between the samples of every patch.
    least = windows if auto_pad == "valid" else rates
    spatial = [draw.integer(low, high + 5) for low, high in zip(least, windows, strict=True)]
    strides = [draw.integer(1, 4) for _ in range(2)]
    counts = [-(-d // stride) for d, stride in zip(spatial, strides, strict=True)]
    room = sizes[0] * sizes[1] * counts[0] * counts[1] <= 600
    data = [*(draw.shape(2, most=3) if room else [1, 1]), *spatial]
    return {"data": data, "sizes": sizes, "strides": strides, "rates": rates, "auto_pad": auto_pad}


@ExtractImagePatches.adapt
def smaller_patches(layer):
    return {"sizes": [n if fit else 1 for n, fit in zip(layer.sizes, fits(layer), strict=True)]}
