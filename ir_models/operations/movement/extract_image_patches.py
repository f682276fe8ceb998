"""ExtractImagePatches: the patches of an image stacked in its depth (page ExtractImagePatches-3)."""

from ir_models.declaration import Attribute, Input, Operation, Output, exactly, example
from ir_models.element_types import ANY, f32, types

T = types("T", ANY)

ExtractImagePatches = Operation(
    "ExtractImagePatches-3",
    opset="opset3",
    inputs=[Input("data", T, exactly(4))],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("sizes", list, required=True),
        Attribute("strides", list, required=True),
        Attribute("rates", list, required=True),
        Attribute("auto_pad", ("same_upper", "same_lower", "valid"), required=True),
    ],
    examples=[
        example(
            data=f32[64, 3, 10, 10],
            sizes=[3, 3],
            strides=[5, 5],
            rates=[1, 1],
            auto_pad="valid",
            output=[64, 27, 2, 2],
            ports=[0, 1],
        )
    ],
    variants={
        # The five numeric examples of the page.
        "page-numbers": [
            {"data": [1, 1, 10, 10], "sizes": [3, 3], "strides": [5, 5], "rates": [1, 1]},
            {"data": [1, 1, 10, 10], "sizes": [4, 4], "strides": [8, 8], "rates": [1, 1]},
            {
                "data": [1, 1, 10, 10],
                "sizes": [4, 4],
                "strides": [9, 9],
                "rates": [1, 1],
                "auto_pad": "same_upper",
            },
            {"data": [1, 1, 10, 10], "sizes": [3, 3], "strides": [5, 5], "rates": [2, 2]},
            {"data": [1, 2, 5, 5], "sizes": [2, 2], "strides": [3, 3], "rates": [1, 1]},
        ],
        "sizes": [{"sizes": [1, 1]}, {"sizes": [4, 1]}, {"sizes": [1, 10]}],
        "strides": [{"strides": [1, 1]}, {"strides": [1, 4]}, {"strides": [100, 9]}],
        "rates": [{"rates": [1, 1]}, {"rates": [1, 4]}, {"rates": [5, 2]}],
        # Padding of an odd, an even and no total, and of patches larger than the image.
        "same-upper": [
            {"auto_pad": "same_upper", "sizes": [2, 4], "strides": [1, 1], "rates": [1, 1]},
            {"auto_pad": "same_upper", "sizes": [4, 3], "strides": [2, 1], "rates": [2, 3]},
            {"auto_pad": "same_upper", "sizes": [1, 2], "strides": [4, 5], "rates": [1, 2]},
            {"auto_pad": "same_upper", "sizes": [8, 13], "strides": [3, 4], "rates": [1, 1]},
        ],
        "same-lower": [
            {"auto_pad": "same_lower", "sizes": [2, 4], "strides": [1, 1], "rates": [1, 1]},
            {"auto_pad": "same_lower", "sizes": [4, 3], "strides": [2, 1], "rates": [2, 3]},
            {"auto_pad": "same_lower", "sizes": [1, 2], "strides": [4, 5], "rates": [1, 2]},
            {"auto_pad": "same_lower", "sizes": [8, 13], "strides": [3, 4], "rates": [1, 1]},
        ],
    },
)


@ExtractImagePatches.plain
def plain():
    """Padded to the same size the total is even in rows and odd in columns."""
    return {
        "data": [2, 3, 7, 10],
        "sizes": [2, 3],
        "strides": [3, 2],
        "rates": [2, 1],
        "auto_pad": "valid",
    }


@ExtractImagePatches.random
def layer(draw):
    sizes = [draw.integer(1, 4) for _ in range(2)]
    rates = [draw.integer(1, 3) for _ in range(2)]
    auto_pad = draw.choice(["same_upper", "same_lower", "valid"])
    spatial = []
    for size, rate in zip(sizes, rates, strict=True):
        window = (size - 1) * rate + 1
        # A smaller image than the rate may lie between the samples of every patch.
        spatial.append(draw.integer(window if auto_pad == "valid" else rate, window + 5))
    strides = [draw.integer(1, 4) for _ in range(2)]
    counts = [-(-d // stride) for d, stride in zip(spatial, strides, strict=True)]
    room = sizes[0] * sizes[1] * counts[0] * counts[1] <= 600
    return {
        "data": [*(draw.shape(2, most=3) if room else [1, 1]), *spatial],
        "sizes": sizes,
        "strides": strides,
        "rates": rates,
        "auto_pad": auto_pad,
    }


@ExtractImagePatches.rule(
    "sizes, strides and rates have two numbers",
    broken=[
        {"sizes": (2, 3, 1)},
        {"strides": (3,)},
        {"rates": (2, 1, 1)},
    ],
)
def pairs(layer):
    return all(len(pair) == 2 for pair in (layer.sizes, layer.strides, layer.rates))


@ExtractImagePatches.rule(
    "sizes, strides and rates are not negative",
    broken=[{"sizes": (-2, 3)}, {"strides": (3, -2)}, {"rates": (-2, 1)}],
)
def not_negative(layer):
    return min(layer.sizes + layer.strides + layer.rates) >= 0


# Never asked as an invalid layer: the page allows 0 and does not say what it means.
@ExtractImagePatches.rule("sizes, strides and rates are not 0")
def not_zero(layer):
    return 0 not in layer.sizes + layer.strides + layer.rates


# Nor this: the page is silent on an image without room for a patch.
@ExtractImagePatches.rule("valid: a patch fits into the image")
def patch_fits(layer):
    spatial = layer.data.shape[2:]
    if layer.auto_pad != "valid" or min(layer.sizes + layer.rates) < 1:
        return layer.auto_pad == "valid" or min(spatial) > 0
    windows = zip(spatial, layer.sizes, layer.rates, strict=True)
    return all((size - 1) * rate < image for image, size, rate in windows)


@ExtractImagePatches.rule("the type of data has a zero to pad with")
def has_zero(layer):
    return layer.auto_pad == "valid" or layer.data.element_type.has_zero
