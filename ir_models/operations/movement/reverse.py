"""Reverse: elements in opposite order along some axes (page Reverse-1)."""

from ir_models.declaration import Attribute, Index, Input, Operation, Output, example
from ir_models.element_types import ANY, BOOLEAN, INTEGERS, boolean, f32, types

T1 = types("T1", ANY)
# The page's T2 (integers) and T3 (boolean): which of them it is depends on the mode, see the rules.
T2 = types("T2", INTEGERS, BOOLEAN)

Reverse = Operation(
    "Reverse-1",
    opset="opset1",
    inputs=[Input("data", T1), Index("axis", T2)],
    outputs=[Output("output", T1)],
    attributes=[Attribute("mode", ("index", "mask"), required=True)],
    examples=[
        # The page prints one axis and not which.
        example(
            data=f32[3, 10, 100, 200],
            axis=[1],
            mode="index",
            output=[3, 10, 100, 200],
            ports=[0, 1, 2],
        )
    ],
    variants={
        "one-axis": [{"axis": [axis]} for axis in range(4)],
        "all-axes": [{"axis": [3, 1, 0, 2]}],
        "empty-axes": [{"axis": []}],
        "mask": [
            {"axis": boolean.tensor(mask), "mode": "mask"}
            for mask in (
                [False, True, False, True],
                [True, False, False, False],
                [True, True, True, True],
                [False, False, False, False],
            )
        ],
    },
)


@Reverse.plain
def plain(rank=4):
    return {
        "data": [2, 3, 5, 4, 1, 2, 3, 1][:rank],
        "axis": [axis for axis in (3, 1, 6) if axis < rank] or list(range(rank)),
        "mode": "index",
    }


@Reverse.random
def layer(draw):
    rank = draw.integer(1, 6)
    given = {"data": draw.shape(rank, most=3 if rank > 4 else 5)}
    # One type in nine is boolean and keeps a mask: so many masks leave about half of the layers.
    if draw.integer(0, 9):
        return {**given, "axis": [draw.boolean() for _ in range(rank)], "mode": "mask"}
    return {**given, "axis": draw.subset(range(rank)), "mode": "index"}


@Reverse.rule(
    "axis is boolean in mask mode, of an integer type in index mode",
    broken={"mode": "mask", "axis": [1, 0, 1, 0]},
)
def type_of_the_mode(layer):
    if layer.axis.element_type not in T2:
        return True
    return layer.mode not in ("index", "mask") or (layer.axis.element_type is boolean) == (
        layer.mode == "mask"
    )


@Reverse.rule(
    "mask: axis has as many elements as data has dimensions",
    broken=[
        {"mode": "mask", "axis": boolean.tensor([True, False, True])},
        {"mode": "mask", "axis": boolean.tensor([True, False, True, False, True])},
    ],
)
def length_of_the_mask(layer):
    return layer.mode != "mask" or layer.axis.shape == (layer.data.rank,)


# The page counts axes from 0 and is silent on negative ones.
@Reverse.rule("index: axis holds dimensions of data", broken=[{"axis": [1, 4]}, {"axis": [100]}])
def axes_exist(layer):
    return layer.mode != "index" or all(0 <= a < layer.data.rank for a in layer.axis.value)


# Never asked as an invalid layer: the page is silent on what turning an axis round twice means.
@Reverse.rule("index: axes are different")
def axes_differ(layer):
    return layer.mode != "index" or len(set(layer.axis.value)) == len(layer.axis.value)
