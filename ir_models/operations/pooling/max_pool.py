"""MaxPool: the largest element of each window and its place (page MaxPool-14)."""

from ir_models.declaration import Attribute, Input, Operation, Output, between
from ir_models.element_types import ELEMENT_TYPES, NUMERIC, f32, i64, types, u8
from ir_models.operations.pooling._pooling import SAME, VARIANTS, drawn, image_example, pooled
from ir_models.windows import AUTO_PAD, ROUNDING_TYPE, hold_data, window_rules

T = types("T", NUMERIC)

# Equal elements, the largest of their windows.
TIES = [[[[5, 1, 5, 2, 2], [1, 5, 3, 2, 2], [4, 3, 4, 4, 0], [4, 4, 1, 0, 4]]]]


def _index_type(layer):
    return ELEMENT_TYPES.get(layer.index_element_type, i64)


MaxPool = Operation(
    "MaxPool-14",
    opset="opset14",
    inputs=[Input("data", T, between(3, 5))],
    outputs=[Output("y", T), Output("indices", _index_type)],
    attributes=[
        Attribute("strides", list, required=True),
        Attribute("dilations", list),
        Attribute("pads_begin", list, required=True),
        Attribute("pads_end", list, required=True),
        Attribute("kernel", list, required=True),
        ROUNDING_TYPE,
        AUTO_PAD,
        Attribute("index_element_type", ("i64", "i32"), default="i64"),
        Attribute("axis", int, default=0),
    ],
    examples=[
        image_example(
            size,
            outputs=2,
            erratum=erratum,
            auto_pad=auto_pad,
            kernel=[2, 2],
            pads_begin=[1, 1],
            pads_end=[1, 1],
            strides=[2, 2],
        )
        for auto_pad, size, erratum in (
            ("same_upper", 32, SAME),
            ("explicit", 17, ""),
            ("valid", 16, ""),
        )
    ],
    variants={
        **VARIANTS,
        "rounding": [
            {**changes, "dilations": dilations}
            for changes in VARIANTS["rounding"]
            for dilations in ([1, 1], [2, 3])
        ],
        "whole-image": [
            {
                "kernel": [11, 7],
                "dilations": [1, 1],
                "pads_begin": [0, 0],
                "pads_end": [0, 0],
                "axis": 2,
            }
        ],
        "axis": [{"axis": axis} for axis in (0, 1, 3)],
        "negative-axis": [{"axis": axis} for axis in (-1, -2, -3, -4)],
        "dilations": [{"dilations": dilations} for dilations in ([1, 1], [3, 1], [1, 5])],
        "ties": [
            {
                "data": kind.tensor(TIES),
                "kernel": [2, 3],
                "strides": strides,
                "dilations": [1, 1],
                "axis": 0,
            }
            for kind in (f32, u8)
            for strides in ([1, 1], [2, 1])
        ],
    },
)


@MaxPool.plain
def plain(rank=4):
    return {
        **pooled(rank),
        "dilations": [1, 2, 3][-(rank - 2) :],
        "index_element_type": "i64",
        "axis": 2,
    }


@MaxPool.random
def layer(draw):
    changes = drawn(draw, with_dilations=True)
    rank = len(changes["data"])
    return {
        **changes,
        "index_element_type": draw.choice(["i64", "i32", None]),
        "axis": draw.choice([*range(-rank, rank), None]),
    }


@MaxPool.rule("axis is in [-rank, rank - 1]", broken=[{"axis": 4}, {"axis": -5}])
def axis_in_range(layer):
    return -layer.data.rank <= layer.axis < layer.data.rank


window_rules(
    MaxPool,
    lambda layer: layer.kernel,
    too_large=[{"kernel": [8, 2]}, {"kernel": [3, 4]}, {"auto_pad": "valid", "data": [2, 3, 4, 7]}],
    empty=[{"kernel": [0, 2]}, {"kernel": [3, 0]}],
)


# Never asked as an invalid layer: such a window has no index, and the page does not say what happens.
@MaxPool.rule("every window holds an element of data")
def windows_hold_data(layer):
    return hold_data(layer, layer.kernel)
