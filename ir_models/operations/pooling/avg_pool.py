"""AvgPool: the average of each window (page AvgPool-14)."""

from ir_models.declaration import Attribute, Input, Interval, Operation, Output, Within, between
from ir_models.element_types import NUMERIC, types
from ir_models.operations.pooling._pooling import SAME, VARIANTS, drawn, image_example, pooled
from ir_models.windows import AUTO_PAD, ROUNDING_TYPE, hold_data, window_rules

T = types("T", NUMERIC)


def _summable(layer, kind):
    """Integers whose sums f32 holds as well: larger ones have purposes of their own."""
    return Interval(-40_000, 40_000) if kind.is_integer and kind.bits > 16 else None


AvgPool = Operation(
    "AvgPool-14",
    opset="opset14",
    inputs=[Input("data", T, between(3, 5), values=Within(_summable))],
    outputs=[Output("y", T)],
    attributes=[
        Attribute("strides", list, required=True),
        Attribute("pads_begin", list, required=True),
        Attribute("pads_end", list, required=True),
        Attribute("kernel", list, required=True),
        Attribute("exclude_pad", bool, required=True, ir_name="exclude-pad"),
        ROUNDING_TYPE,
        AUTO_PAD,
    ],
    examples=[
        image_example(
            size,
            erratum=erratum,
            auto_pad=auto_pad,
            exclude_pad=exclude_pad,
            kernel=[kernel] * 2,
            pads_begin=[pads_begin] * 2,
            pads_end=[1, 1],
            strides=[stride] * 2,
        )
        for auto_pad, exclude_pad, kernel, pads_begin, stride, size, erratum in (
            ("same_upper", True, 2, 0, 2, 32, SAME),
            ("same_upper", False, 5, 0, 2, 32, SAME),
            ("explicit", True, 5, 1, 3, 10, ""),
            ("explicit", False, 5, 1, 2, 15, ""),
            ("valid", True, 5, 1, 2, 14, ""),
        )
    ],
    variants={
        name: [
            {**changes, "exclude_pad": excludes} for changes in some for excludes in (True, False)
        ]
        for name, some in VARIANTS.items()
    }
    | {
        # Windows that hold nothing but padding have an average if padding counts.
        "padding-window": [{"exclude_pad": False, "pads_begin": [5, 0], "pads_end": [0, 6]}],
        "many-terms": [
            {"data": [1, 8, 40, 36], "kernel": [13, 11], "strides": [2, 3], "exclude_pad": excludes}
            for excludes in (True, False)
        ],
    },
)


@AvgPool.plain
def plain(rank=4):
    return {**pooled(rank), "exclude_pad": True}


@AvgPool.random
def layer(draw):
    changes = drawn(draw, with_dilations=False)
    del changes["dilations"]
    return {**changes, "exclude_pad": draw.boolean()}


window_rules(
    AvgPool,
    lambda layer: layer.kernel,
    too_large=[{"kernel": [13, 2]}, {"kernel": [3, 9]}, {"auto_pad": "valid", "kernel": [3, 8]}],
    empty=[{"kernel": [0, 2]}, {"kernel": [3, 0]}],
)


# Never asked as an invalid layer: the page does not say what the average of nothing is.
@AvgPool.rule("exclude_pad: every window holds an element of data")
def windows_hold_data(layer):
    return not layer.exclude_pad or hold_data(layer, layer.kernel)
