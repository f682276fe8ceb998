"""MaxPool: the largest element of each window and its place (pages MaxPool-1, MaxPool-8, MaxPool-14)."""

from ir_models.declaration import *
from ir_models.families import windows
from ir_models.families.windows import T, along_axes, pooling_example
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

TIES = "[[[[5,1,5,2,2],[1,5,3,2,2],[4,3,4,4,0],[4,4,1,0,4]]]]; kernel=2,3"
# Of the first layer with data, where a window holds 3, -6 and two paddings.
LARGER = "the page prints -6 (index 5) at [0, 0, 1, 3], where the window holds 3 (index 2) as well"
UNPADDED = "the page prints no pads, which it requires; auto_pad ignores them"
# The page's layers with data: attributes, the largest elements and where they are.
PLUS_MINUS = "data=f32:[[[[-1,2,3],[4,5,-6],[-7,8,9]]]]"
NINE = "[[1,2,3],[4,5,6],[7,8,9]]"
WITH_VALUES = (
    (
        f"{PLUS_MINUS}; strides=1,1; pads_begin=1,1; pads_end=1,1; kernel=2,2; auto_pad=explicit",
        [[[[-1, 2, 3, 3], [4, 5, 5, 3], [4, 8, 9, 9], [-7, 8, 9, 9]]]],
        [[[[0, 1, 2, 2], [3, 4, 4, 2], [3, 7, 8, 8], [6, 7, 8, 8]]]],
    ),
    (
        "data=f32:[[[-1,2,3,5,-7,9,1]]]; strides=1; pads_begin=0; pads_end=0; kernel=3; auto_pad=valid",
        [[[3, 5, 5, 9, 9]]],
        [[[2, 3, 3, 5, 5]]],
    ),
    (
        f"{PLUS_MINUS}; strides=1,1; pads_begin=0,0; pads_end=0,0; kernel=2,2; auto_pad=same_lower",
        [[[[-1, 2, 3], [4, 5, 5], [4, 8, 9]]]],
        [[[[0, 1, 2], [3, 4, 4], [3, 7, 8]]]],
    ),
    (
        "data=f32:[[[[-1,2,3],[4,5,-6],[-7,8,9]],[[2,-1,5],[6,-7,1],[8,2,-3]]]];"
        "strides=1,1; pads_begin=0,0; pads_end=0,0; kernel=2,2; auto_pad=same_upper",
        [[[[5, 5, 3], [8, 9, 9], [8, 9, 9]], [[6, 5, 5], [8, 2, 1], [8, 2, -3]]]],
        [[[[4, 4, 2], [7, 8, 8], [7, 8, 8]], [[12, 11, 11], [15, 16, 14], [15, 16, 17]]]],
    ),
    (
        f"{PLUS_MINUS}; strides=2,2; pads_begin=0,0; pads_end=0,0; kernel=2,2; rounding_type=ceil; auto_pad=valid",
        [[[[5, 3], [8, 9]]]],
        [[[[4, 2], [7, 8]]]],
    ),
)
WITH_GAPS_OR_AXIS = (
    (
        f"data=f32:[[{NINE}]]; strides=1,1; dilations=2,2; pads_begin=1,1; pads_end=1,1; kernel=2,2; auto_pad=explicit",
        [[[[5, 6, 5], [8, 9, 8], [5, 6, 5]]]],
        [[[[4, 5, 4], [7, 8, 7], [4, 5, 4]]]],
    ),
    (
        f"data=f32:[[{NINE},[[10,11,12],[13,14,15],[16,17,18]]]]; strides=1,1; dilations=1,1;"
        "pads_begin=0,0; pads_end=0,0; kernel=2,2; auto_pad=explicit; axis=2",
        [[[[5, 6], [8, 9]], [[14, 15], [17, 18]]]],
        [[[[4, 5], [7, 8]], [[4, 5], [7, 8]]]],
    ),
)


def printed(rows, outputs):
    """The page's examples with numbers; all have rounding_type floor but where ceil is printed."""
    return [
        example(
            text if "rounding_type" in text else f"{text}; rounding_type=floor",
            output=[shape_of(values[0])] * outputs,
            values=values[:outputs],
            erratum=erratum_of(text),
        )
        for text, *values in rows
    ]


def erratum_of(text):
    if "explicit" not in text:
        return UNPADDED
    return LARGER if text.startswith(PLUS_MINUS) else ""


def shape_of(nested):
    return [len(nested), *shape_of(nested[0])] if isinstance(nested, list) else []


INDICES = Output("indices", lambda layer: ELEMENT_TYPES.get(layer.index_element_type, i64))
OWN = [
    Attribute("index_element_type", ("i64", "i32"), default="i64"),
    Attribute("axis", int, default=0, axis_of="data"),
]


def largest(name, readings, *, rounding=windows.ROUNDING_TYPE, values=(), indexed=True):
    """A maximum pooling; ``indexed``: its windows may have gaps, and a second output says where the elements are."""
    opset, outputs = f"opset{name.rpartition('-')[2]}", 1 + indexed
    undilated = "; dilations=1,1" if indexed else ""
    from_batch = "; axis=0" if indexed else ""
    return windows.pooling(
        name,
        opset,
        outputs=[Output("y", T), *([INDICES] if indexed else [])],
        attributes=[
            along_axes("strides"),
            *([along_axes("dilations", required=False)] if indexed else []),
            along_axes("pads_begin"),
            along_axes("pads_end"),
            along_axes("kernel", least=1),
            rounding,
            windows.AUTO_PAD,
            *(OWN if indexed else []),
        ],
        plain="dilations=1,2,3; index_element_type=i64; axis=2" if indexed else "",
        examples=[
            *(
                pooling_example(
                    f"strides=2,2; pads_begin=1,1; pads_end=1,1; kernel=2,2; auto_pad={auto_pad}",
                    size,
                    outputs,
                )
                for auto_pad, size in (("same_upper", 32), ("explicit", 17), ("valid", 16))
            ),
            *printed(values, outputs),
        ],
        too_large=(
            ["kernel=8,2|3,4", "auto_pad=valid; data=[2,3,4,7]"]
            if indexed
            else ["kernel=13,2|3,9", "auto_pad=valid; kernel=3,8"]
        ),
        rules=[HOLD_DATA_INDEXED if indexed else HOLD_DATA],
        also="dilations=2,3|1,1" if indexed else "",
        variants=[
            *variants(f"""
                whole-image: one window
                    kernel=11,7; {windows.UNPADDED}{undilated}
            """),
            variant(
                "ties",
                "equal elements, the largest of their windows",
                *(
                    f"strides=1,1|2,1; data={kind}:{TIES}{undilated}{from_batch}"
                    for kind in ("f32", "u8")
                ),
            ),
            *(OF_INDICES if indexed else OF_PADDING),
        ],
        readings=readings,
    )


HOLD_DATA_INDEXED = rule(
    "every window holds an element of data",
    windows.hold_data,
    unasked="the page does not say what is the index of padding",
)
HOLD_DATA = rule(
    "every window of integers holds an element of data",
    lambda layer: layer.data.element_type.is_float or windows.hold_data(layer),
    unasked="padding is -inf, which no integer is",
)
OF_INDICES = variants("""
    axis: indices count from this axis on
        axis=0|1|3
    negative-axis: an axis from the end
        axis=-1|-2|-3|-4
    dilations: gaps inside a window
        dilations=1,1|3,1|1,5
""")
OF_PADDING = variants("""
    padding-window: 'If paddings are used then ... their value are -inf', and so is a window of padding alone
        pads_begin=3,0; strides=1,3|2,3
        pads_end=0,3; strides=2,3
        pads_begin=4,3; pads_end=4,3; strides=1,1
""")
INDEX = Reading(
    "the index of several largest elements of a window",
    "The index of any of them is right.",
    "The page speaks of 'indices of values' and does not say which.",
    "silence",
)

MaxPool1 = largest(
    "MaxPool-1",
    [windows.BRACKETS, windows.SAME, windows.PRINTED_PADS],
    rounding=windows.OLD_ROUNDING_TYPE,
    values=WITH_VALUES,
    indexed=False,
)
MaxPool8 = largest(
    "MaxPool-8",
    [windows.VALID, windows.SAME, windows.PRINTED_PADS, INDEX],
    rounding=windows.OLD_ROUNDING_TYPE,
    values=[*WITH_VALUES, *WITH_GAPS_OR_AXIS],
)
MaxPool14 = largest("MaxPool-14", [windows.VALID, windows.SAME, windows.PRINTED_PADS, INDEX])
