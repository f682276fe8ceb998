"""AvgPool: the average of each window (pages AvgPool-1, AvgPool-14, AvgPool-16)."""

from ir_models.declaration import *
from ir_models.families import windows
from ir_models.families.windows import T, along_axes, pooling_example

BOTH = "exclude_pad=true|false"
PRINTED = (
    ("same_upper", "true", "kernel=2,2; pads_begin=0,0; strides=2,2", 32),
    ("same_upper", "false", "kernel=5,5; pads_begin=0,0; strides=2,2", 32),
    ("explicit", "true", "kernel=5,5; pads_begin=1,1; strides=3,3", 10),
    ("explicit", "false", "kernel=5,5; pads_begin=1,1; strides=2,2", 15),
    ("valid", "true", "kernel=5,5; pads_begin=1,1; strides=2,2", 14),
)
BEYOND = Reading(
    "windows that stick out beyond the padding (rounding_type ceil), exclude-pad false",
    "Whether the places beyond the padding count is not judged.",
    "The page speaks of padding alone.",
    "silence",
)


def summable(layer, kind):
    """Integers whose sums f32 holds as well: larger ones have purposes of their own."""
    return Interval(-40_000, 40_000) if kind.is_integer and kind.bits > 16 else None


OF_GAPS = variants("""
    dilations: gaps inside a window
        dilations=3,1|1,5
""")


def average(name, readings, *, rounding=windows.ROUNDING_TYPE, dilated=False):
    """An average pooling; ``dilated``: its windows may have gaps."""
    dilations = [along_axes("dilations", required=False)] if dilated else []
    undilated = "; dilations=1,1" if dilated else ""
    printed = [(*row, undilated) for row in PRINTED]
    if dilated:
        printed.append((*PRINTED[3][:3], 13, "; dilations=2,2"))
    return windows.pooling(
        name,
        f"opset{name.rpartition('-')[2]}",
        values=Within(summable),
        outputs=[Output("y", T)],
        attributes=[
            along_axes("strides"),
            *dilations,
            along_axes("pads_begin"),
            along_axes("pads_end"),
            along_axes("kernel", least=1),
            Attribute("exclude_pad", bool, required=True, ir_name="exclude-pad"),
            rounding,
            windows.AUTO_PAD,
        ],
        plain="exclude_pad=true" + ("; dilations=1,2,3" if dilated else ""),
        examples=[
            pooling_example(
                f"{places}; pads_end=1,1; auto_pad={auto_pad}; exclude_pad={excludes}{gaps}", size
            )
            for auto_pad, excludes, places, size, gaps in printed
        ],
        too_large=(
            ["kernel=8,2|3,4", "auto_pad=valid; data=[2,3,4,7]"]
            if dilated
            else ["kernel=13,2|3,9", "auto_pad=valid; kernel=3,8"]
        ),
        rules=[
            rule(
                "exclude_pad: every window holds an element of data",
                windows.hold_data,
                unasked="the page does not say what the average of nothing is",
                exclude_pad=True,
            )
        ],
        also=BOTH + ("; dilations=2,3|1,1" if dilated else ""),
        variants=variants(f"""
            whole-image: one window
                kernel=11,7; {windows.UNPADDED}; {BOTH}{undilated}
            padding-window: windows of nothing but padding have an average if padding counts
                exclude_pad=false; pads_begin=5,0; pads_end=0,6
            many-terms: averages of many
                data=[1,8,40,36]; kernel=13,11; strides=2,3; {BOTH}
        """)
        + (OF_GAPS if dilated else []),
        readings=[*readings, BEYOND],
    )


SAME = Reading(
    "examples with same_upper, strides of 2 and an output as large as the input",
    "There are ceil(H / stride) windows, whatever rounding_type, and the padding is the least that has room for them.",
    "'the input is padded to match the output size': with strides of 2 and an output of 32 most windows would hold "
    "nothing but padding.",
    "contradiction",
    admits="Windows that are counted with these pads as with explicit ones, rounded as rounding_type says.",
)
TYPES = Reading(
    "element types, of which the page says nothing",
    "Floating-point and integer types, as AvgPool-14 has them.",
    "The operation is the same.",
    "silence",
)
AvgPool1 = average(
    "AvgPool-1",
    [windows.BRACKETS, SAME, windows.PRINTED_PADS, TYPES],
    rounding=windows.OLD_ROUNDING_TYPE,
)
AvgPool14 = average("AvgPool-14", [windows.VALID, windows.SAME, windows.PRINTED_PADS])
AvgPool16 = average("AvgPool-16", [windows.VALID, windows.SAME, windows.PRINTED_PADS], dilated=True)
