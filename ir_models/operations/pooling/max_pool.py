"""MaxPool: the largest element of each window and its place (page MaxPool-14)."""

from ir_models.declaration import *
from ir_models.element_types import ELEMENT_TYPES, i64
from ir_models.families import windows
from ir_models.families.windows import T, along_axes, pooling_example

TIES = "[[[[5,1,5,2,2],[1,5,3,2,2],[4,3,4,4,0],[4,4,1,0,4]]]]; kernel=2,3; dilations=1,1; axis=0"

MaxPool = windows.pooling(
    "MaxPool-14",
    "opset14",
    outputs=[
        Output("y", T),
        Output("indices", lambda layer: ELEMENT_TYPES.get(layer.index_element_type, i64)),
    ],
    attributes=[
        along_axes("strides"),
        along_axes("dilations", required=False),
        along_axes("pads_begin"),
        along_axes("pads_end"),
        along_axes("kernel", least=1),
        windows.ROUNDING_TYPE,
        windows.AUTO_PAD,
        Attribute("index_element_type", ("i64", "i32"), default="i64"),
        Attribute("axis", int, default=0, axis_of="data"),
    ],
    plain="dilations=1,2,3; index_element_type=i64; axis=2",
    examples=[
        pooling_example(
            f"strides=2,2; pads_begin=1,1; pads_end=1,1; kernel=2,2; auto_pad={auto_pad}", size, 2
        )
        for auto_pad, size in (("same_upper", 32), ("explicit", 17), ("valid", 16))
    ],
    too_large=["kernel=8,2|3,4", "auto_pad=valid; data=[2,3,4,7]"],
    rules=[
        rule(
            "every window holds an element of data",
            windows.hold_data,
            unasked="the page does not say what is the index of padding",
        )
    ],
    also="dilations=2,3|1,1",
    variants=[
        variant("whole-image", "one window", f"kernel=11,7; {windows.UNPADDED}; dilations=1,1"),
        variant("axis", "indices count from this axis on", "axis=0|1|3"),
        variant("negative-axis", "an axis from the end", "axis=-1|-2|-3|-4"),
        variant("dilations", "gaps inside a window", "dilations=1,1|3,1|1,5"),
        variant(
            "ties",
            "equal elements, the largest of their windows",
            *(f"strides=1,1|2,1; data={kind}:{TIES}" for kind in ("f32", "u8")),
        ),
    ],
    readings=[
        Reading(
            "the index of several largest elements of a window",
            "The index of any of them is right.",
            "The page speaks of 'indices of values' and does not say which.",
            "silence",
        ),
    ],
)
