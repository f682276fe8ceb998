"""Parameter: an input of the model (page Parameter-1)."""

from ir_models.declaration import *
from ir_models.families.state import LISTED

T = types("T", LISTED)
NAMES = tuple(kind.name for kind in T.types)


def has_shape(layer):
    return len(layer.shape) == layer.value.rank and all(
        size in (-1, own) or size < -1
        for size, own in zip(layer.shape, layer.value.shape, strict=True)
    )


Parameter = Operation(
    "Parameter-1",
    "opset1",
    role="parameter",
    inputs=[Input("value", T)],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("element_type", NAMES, required=True, follows="type"),
        Attribute("shape", list, required=True, follows="shape"),
    ],
    examples=[
        example(
            "value=[1,3,224,224]; element_type=f32; shape=1,3,224,224",
            output=[1, 3, 224, 224],
            ports=[0],
            erratum="the attributes stand in the text of data, where XML has none",
        )
    ],
    rules=[
        rule(
            "each item of shape is at least 0, or -1 for an unknown dimension",
            lambda layer: min(layer.shape, default=0) >= -1,
            "shape=3,4,-2|-5,4,5",
            reading=Reading(
                "shape is a 'list of non-negative integers'",
                "-1 is a dimension that is not known, as is ?, a range 2..5 and, of an unknown rank, an ellipsis.",
                "Pages whose inputs have unknown shapes (NonZero-3) need Parameters that leave them open.",
                "silence",
            ),
        ),
        rule(
            "what is given has the shape",
            has_shape,
            ["value=[3,4,6]|[4,5]|[3,4,5,1]|[60]|[]", "shape=-1,4,6|-1,-1"],
        ),
        rule(
            "what is given has the element type",
            lambda layer: layer.element_type == layer.value.element_type.name,
            ["value=f16|i32|u8", "element_type=f16|i32|u8"],
        ),
    ],
    unasked={
        "value is required": "a model that is given nothing is not inferred",
        "value: T is one of": "other pages have inputs of types that the list lacks",
    },
    variants=variants("""
        unknown: some dimensions are known, others are not
            shape=-1,4,5|3,-1,5|3,4,-1|-1,-1,5|-1,-1,-1
    """),
    readings=[
        Reading(
            "element_type is one of 'u1, u4, u8, u16, u32, u64, i4, i8, i16, i32, i64, f16, f32, boolean, bf16'",
            "Other types are neither tested nor invalid.",
            "Inputs of other pages have f64 and string as well.",
            "contradiction",
        )
    ],
)


@Parameter.plain
def plain(rank=3):
    shape = [3, 4, 5, 2, 6, 1, 7, 2][:rank]
    return {"value": shape, "element_type": T.default.name, "shape": shape}


@Parameter.random
def layer(draw):
    shape = draw.shape(draw.integer(0, 5), most=6)
    stated = [size if draw.boolean() else -1 for size in shape]
    return {"value": shape, "element_type": T.default.name, "shape": stated}
