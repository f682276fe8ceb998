"""ShapeOf: the shape as data (pages ShapeOf-1, ShapeOf-3)."""

from ir_models.declaration import ANY_RANK, Attribute, Input, Operation, Output, example
from ir_models.element_types import ANY, ELEMENT_TYPES, NUMERIC, f32, i64, types

# The page names no type of the output; this is the default of ShapeOf-3.
T_IND = types("T_IND", i64)

ShapeOf1 = Operation(
    "ShapeOf-1",
    opset="opset1",
    inputs=[Input("data", types("T", ANY), ANY_RANK)],
    outputs=[Output("shape", T_IND)],
    examples=[example(data=f32[2, 3, 224, 224], output=[4], ports=[0, 1])],
)

ShapeOf3 = Operation(
    "ShapeOf-3",
    opset="opset3",
    inputs=[Input("data", types("T", NUMERIC), ANY_RANK)],
    outputs=[Output("shape", lambda layer: ELEMENT_TYPES.get(layer.output_type, i64))],
    attributes=[Attribute("output_type", ("i64", "i32"), default="i64")],
    examples=[example(data=f32[2, 3, 224, 224], output_type="i64", output=[4], ports=[0, 1])],
)


@ShapeOf1.plain
def plain_1(rank=4):
    return {"data": [3, 5, 2, 4, 6, 2, 3, 1][:rank]}


@ShapeOf3.plain
def plain_3(rank=4):
    return {**plain_1(rank), "output_type": "i32"}


@ShapeOf1.random
def layer_1(draw):
    rank = draw.integer(1, 7)
    # A dimension of 0 is a number like any other here.
    return {"data": draw.shape(rank, least=draw.integer(0, 1), most=6 if rank < 5 else 3)}


@ShapeOf3.random
def layer_3(draw):
    return {**layer_1(draw), "output_type": draw.choice(["i64", "i32"])}
