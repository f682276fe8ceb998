"""NonZero: where the elements stand that are not zero (page NonZero-3)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64, string

T = types("T", "any type", unasked=[string])
SPECIAL = f"[1.0,0.0,inf,-0.0,-inf,0.0,{2.0**-126},2.0]"
FRACTIONS = "[0.0,0.25,-0.25,0.0,0.75,-0.75]"


def half_zeros(layer, kind):
    if not kind.has_zero:
        return None
    return [0, 0, 1, 100] if kind.bits >= 8 and kind.kind != "boolean" else [0, 1]


NonZero = Operation(
    "NonZero-3",
    "opset3",
    inputs=[Input("data", T, values=Within(half_zeros))],
    outputs=[Output("indices", lambda layer: ELEMENT_TYPES.get(layer.output_type, i64))],
    attributes=[Attribute("output_type", ("i64", "i32"), default="i64")],
    # How many there are, only the data says.
    examples=examples("data=[3,10,100,200]; output_type=i64 -> [4,-1]"),
    variants=variants(f"""
        stated-data: the example of the page's text
            data=f32:[[1,0],[1,1]]
        all-zeros (may be empty): no indices
            data=f32:[[0.0,0.0,0.0],[0.0,0.0,0.0]]|i64:[0,0,0]
        no-zeros: all indices
            data=f32:[[5,-3,1],[2,9,4]]|i64:[7,-1,3,5,2]
        scalar (may be empty): indices without rows
            data=f32:0.0|f32:5.0
        special-values: the smallest number is not zero, -0 is
            data=f16:[1.0,0.0,inf,-0.0,-inf,0.0,{2.0**-14},2.0]|f32:{SPECIAL}|f64:{SPECIAL}|bf16:{SPECIAL}
        zero-if-narrowed: zero in the lower half of their bits, or in f32
            data=i64:[0,{2**32},1,0,{-(2**63)},{2**40}]
            data=u64:[0,{2**32},1,0,{2**63},{2**40}]
            data=f64:[0.0,1e-300,1.0,0.0,-1e-300,5.0]
        fractions: what an integer makes of them is zero
            data=f16:{FRACTIONS}|f32:{FRACTIONS}|bf16:{FRACTIONS}
    """),
    readings=[
        Reading(
            "'any type'",
            "string is not tested.",
            "A string is neither zero nor another number.",
            "silence",
        ),
    ],
)


@NonZero.plain
def plain(rank=3):
    return {"data": [3, 6, 4, 2, 2, 3, 1, 2][:rank], "output_type": "i32"}


@NonZero.random
def layer(draw):
    rank = draw.integer(1, 6)
    # Long enough that hardly ever all are zero.
    return {
        "data": [*draw.shape(rank - 1, most=6 if rank < 4 else 3), draw.integer(6, 12)],
        "output_type": draw.choice(["i64", "i32", None]),
    }
