"""ShapeOf: the shape as data (pages ShapeOf-1, ShapeOf-3)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64


def shape_of(name, opset, said, output, attributes=(), printed="", readings=()):
    """The versions differ in types and in an attribute; ``printed`` is what the example prints of it."""
    operation = Operation(
        name,
        opset,
        inputs=[Input("data", types("T", said))],
        outputs=[Output("shape", output)],
        attributes=attributes,
        readings=readings,
        reads_shapes_alone=True,
        examples=[example(f"data=f32[2,3,224,224]{printed}", output=[4])],
    )

    @operation.plain
    def plain(rank=4):
        return {"data": [3, 5, 2, 4, 6, 2, 3, 1][:rank], **{a.name: a.plain for a in attributes}}

    @operation.random
    def layer(draw):
        rank = draw.integer(1, 7)
        # A dimension of 0 is a number like any other here.
        shape = draw.shape(rank, least=draw.integer(0, 1), most=6 if rank < 5 else 3)
        return {"data": shape, **{a.name: draw.choice(a.type) for a in attributes}}

    return operation


ShapeOf1 = shape_of(
    "ShapeOf-1",
    "opset1",
    "any type",
    types("T_IND", "int64"),
    readings=[
        Reading(
            "the type of the output",
            "i64.",
            "The page names none; it is the default of ShapeOf-3.",
            "silence",
        ),
    ],
)

ShapeOf3 = shape_of(
    "ShapeOf-3",
    "opset3",
    "any numeric type",
    lambda layer: ELEMENT_TYPES.get(layer.output_type, i64),
    attributes=[Attribute("output_type", ("i64", "i32"), default="i64", plain="i32")],
    printed="; output_type=i64",
    readings=[
        Reading(
            "'any numeric type', although no element is read",
            "Other types are invalid.",
            "The page excludes them by its list.",
            admits="Shapes of tensors of any type.",
        ),
    ],
)
