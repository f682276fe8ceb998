"""NonZero: where the elements stand that are not zero (page NonZero-3)."""

from ir_models.declaration import Attribute, Input, Operation, Output, Within, example
from ir_models.element_types import ANY, ELEMENT_TYPES, bf16, f16, f32, f64, i64, string, types, u64

# A string is neither zero nor another number.
T = types("T", (kind for kind in ANY if kind is not string))


def _half_zeros(layer, kind):
    if not kind.has_zero:
        return None
    return [0, 0, 1, 100] if kind.bits >= 8 and kind.kind != "boolean" else [0, 1]


def _output_type(layer):
    return ELEMENT_TYPES.get(layer.output_type, i64)


_INFINITY = float("inf")

# The example's output has a dimension of -1: how many there are, only the data says.
NonZero = Operation(
    "NonZero-3",
    opset="opset3",
    inputs=[Input("data", T, values=Within(_half_zeros))],
    outputs=[Output("indices", _output_type)],
    attributes=[Attribute("output_type", ("i64", "i32"), default="i64")],
    examples=[example(data=f32[3, 10, 100, 200], output_type="i64", output=None, ports=[0, 1])],
    variants={
        # The example of the page's text.
        "stated-data": [{"data": f32.tensor([[1, 0], [1, 1]])}],
        "all-zeros-empty": [
            {"data": data} for data in (f32.tensor([[0.0] * 3] * 2), i64.tensor([0, 0, 0]))
        ],
        "no-zeros": [
            {"data": data}
            for data in (f32.tensor([[5, -3, 1], [2, 9, 4]]), i64.tensor([7, -1, 3, 5, 2]))
        ],
        "scalar": [{"data": f32.tensor(value)} for value in (0.0, 5.0)],
        "special-values": [
            {"data": kind.tensor([1.0, 0.0, _INFINITY, -0.0, -_INFINITY, 0.0, smallest, 2.0])}
            for kind, smallest in (
                (f16, 2.0**-14),
                (f32, 2.0**-126),
                (f64, 2.0**-126),
                (bf16, 2.0**-126),
            )
        ],
        # Zero in the lower half of their bits, or in f32.
        "zero-if-narrowed": [
            {"data": data}
            for data in (
                i64.tensor([0, 2**32, 1, 0, -(2**63), 2**40]),
                u64.tensor([0, 2**32, 1, 0, 2**63, 2**40]),
                f64.tensor([0.0, 1e-300, 1.0, 0.0, -1e-300, 5.0]),
            )
        ],
        # What an integer makes of them is zero.
        "fractions": [
            {"data": kind.tensor([0.0, 0.25, -0.25, 0.0, 0.75, -0.75])} for kind in (f16, f32, bf16)
        ],
    },
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
