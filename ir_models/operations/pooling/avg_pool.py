"""AvgPool: the average of each window (page AvgPool-14)."""

from ir_models.declaration import *
from ir_models.families import windows
from ir_models.families.windows import T, along_axes, pooling_example

BOTH = "exclude_pad=true|false"


def summable(layer, kind):
    """Integers whose sums f32 holds as well: larger ones have purposes of their own."""
    return Interval(-40_000, 40_000) if kind.is_integer and kind.bits > 16 else None


AvgPool = windows.pooling(
    "AvgPool-14",
    "opset14",
    values=Within(summable),
    outputs=[Output("y", T)],
    attributes=[
        along_axes("strides"),
        along_axes("pads_begin"),
        along_axes("pads_end"),
        along_axes("kernel", least=1),
        Attribute("exclude_pad", bool, required=True, ir_name="exclude-pad"),
        windows.ROUNDING_TYPE,
        windows.AUTO_PAD,
    ],
    plain="exclude_pad=true",
    examples=[
        pooling_example(
            f"{places}; pads_end=1,1; auto_pad={auto_pad}; exclude_pad={excludes}", size
        )
        for auto_pad, excludes, places, size in (
            ("same_upper", "true", "kernel=2,2; pads_begin=0,0; strides=2,2", 32),
            ("same_upper", "false", "kernel=5,5; pads_begin=0,0; strides=2,2", 32),
            ("explicit", "true", "kernel=5,5; pads_begin=1,1; strides=3,3", 10),
            ("explicit", "false", "kernel=5,5; pads_begin=1,1; strides=2,2", 15),
            ("valid", "true", "kernel=5,5; pads_begin=1,1; strides=2,2", 14),
        )
    ],
    too_large=["kernel=13,2|3,9", "auto_pad=valid; kernel=3,8"],
    rules=[
        rule(
            "exclude_pad: every window holds an element of data",
            windows.hold_data,
            unasked="the page does not say what the average of nothing is",
            exclude_pad=True,
        )
    ],
    also=BOTH,
    variants=variants(f"""
        whole-image: one window
            kernel=11,7; {windows.UNPADDED}; {BOTH}
        padding-window: windows of nothing but padding have an average if padding counts
            exclude_pad=false; pads_begin=5,0; pads_end=0,6
        many-terms: averages of many
            data=[1,8,40,36]; kernel=13,11; strides=2,3; {BOTH}
    """),
    readings=[
        Reading(
            "windows that stick out beyond the padding (rounding_type ceil), exclude-pad false",
            "Whether the places beyond the padding count is not judged.",
            "The page speaks of padding alone.",
            "silence",
        ),
    ],
)
