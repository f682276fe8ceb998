"""MatMul: products of matrices (page MatMul-1)."""

from ir_models.declaration import (
    Attribute,
    Input,
    Interval,
    Operation,
    Output,
    Sums,
    Within,
    at_least,
    example,
)
from ir_models.element_types import FLOATS, INTEGERS, f32, i32, i64, types, u64

T = types("T", FLOATS, INTEGERS)


def terms(layer):
    """How many products one element of the output adds."""
    a = layer.a
    return a.shape[-2] if layer.transpose_a and a.rank > 1 else a.shape[-1]


def factors(layer, kind):
    """Integers of which that many products fit together."""
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    most = int((min(high, 2**24) / max(terms(layer), 1)) ** 0.5)
    return Interval(max(low, -most), most)


def of_examples(a, b, output, **attributes):
    return example(a=f32[a], b=f32[b], output=output, ports=[0, 1, 2], **attributes)


MatMul = Operation(
    "MatMul-1",
    opset="opset1",
    inputs=[
        Input("a", T, at_least(1), values=Within(factors)),
        Input("b", T, at_least(1), values=Within(factors)),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("transpose_a", bool, default=False),
        Attribute("transpose_b", bool, default=False),
    ],
    examples=[
        of_examples((1024,), (1024, 1000), [1000]),
        of_examples((1000, 1024), (1024,), [1000]),
        of_examples((1, 1024), (1024, 1000), [1, 1000]),
        of_examples((1024,), (1000, 1024), [1000], transpose_b=True),
        of_examples((10, 1024), (1024, 1000), [10, 1000]),
        of_examples((5, 10, 1024), (1024, 1000), [5, 10, 1000]),
    ],
    sums=Sums(
        lambda layer: {
            "a": (-2 if layer.transpose_a else -1,),
            "b": (-1 if layer.transpose_b else -2,),
        },
        {"a": [40, 200], "b": [200, 40]},
    ),
    variants={
        "vectors": [
            {"a": [7], "b": [7]},
            {"a": [7], "b": [7, 4]},
            {"a": [7], "b": [3, 7, 4]},
            {"a": [3, 7], "b": [7]},
            {"a": [2, 3, 7], "b": [7]},
        ],
        # Ignored for a vector.
        "transposed-vectors": [
            {"a": [7], "b": [7, 4], "transpose_a": True},
            {"a": [3, 7], "b": [7], "transpose_b": True},
            {"a": [7], "b": [7], "transpose_a": True, "transpose_b": True},
            {"a": [7], "b": [2, 4, 7], "transpose_a": True, "transpose_b": True},
        ],
        "transpose": [
            {"a": [2, 7, 3], "b": [2, 7, 4], "transpose_a": True, "transpose_b": False},
            {"a": [2, 3, 7], "b": [2, 4, 7], "transpose_a": False, "transpose_b": True},
            {"a": [2, 7, 3], "b": [2, 4, 7], "transpose_a": True, "transpose_b": True},
            {"a": [7, 3], "b": [4, 7], "transpose_a": True, "transpose_b": True},
        ],
        "broadcast": [
            {"a": [3, 7], "b": [5, 2, 7, 4]},
            {"a": [5, 2, 3, 7], "b": [7, 4]},
            {"a": [5, 1, 3, 7], "b": [2, 7, 4]},
            {"a": [5, 1, 3, 7], "b": [1, 2, 7, 4]},
            {"a": [1, 3, 7], "b": [5, 7, 4]},
            {"a": [7], "b": [5, 2, 7, 4]},
            {"a": [5, 2, 3, 7], "b": [7]},
        ],
        # Sums that no f32, f64 or 32-bit integer holds.
        "large-integers": [
            {
                "a": kind.tensor([[one, -3 * sign, 7], [5, other, 2]]),
                "b": kind.tensor([[8191, 1], [2, 1025], [3, -4 * sign]]),
            }
            for kind, one, other, sign in (
                (i32, 4099, 2**20 + 1, 1),
                (i64, 2**33 + 1, -(2**52) - 1, 1),
                (u64, 2**33 + 1, 2**53 + 1, -1),
            )
        ],
        "large-matrices": [
            {"a": [64, 300], "b": [300, 48]},
            {"a": [64, 300], "b": [48, 300], "transpose_b": True},
            {"a": [3, 40, 1024], "b": [3, 1024, 40]},
            {"a": [1, 4096], "b": [4096, 33]},
        ],
    },
)


@MatMul.plain
def plain(rank=4):
    if rank == 1:
        return {"a": [7], "b": [7], "transpose_a": False, "transpose_b": False}
    batch = [2, 5, 1, 3, 2, 1][: rank - 2]
    return {
        "a": [*batch, 3, 7],
        "b": [*batch, 7, 4],
        "transpose_a": False,
        "transpose_b": False,
    }


@MatMul.random
def layer(draw):
    rows, inner, columns = draw.shape(3, most=8)
    batch = draw.shape(draw.integer(0, 3), most=3)
    first = draw.choice([None, False, True])
    second = draw.choice([None, False, True])
    a = [inner] if draw.integer(0, 4) == 0 else [inner, rows] if first else [rows, inner]
    b = [inner] if draw.integer(0, 4) == 0 else [columns, inner] if second else [inner, columns]
    if len(a) > 1:
        a = [*_part(batch, draw), *a]
    if len(b) > 1:
        b = [*_part(batch, draw), *b]
    return {"a": a, "b": b, "transpose_a": first, "transpose_b": second}


def _part(batch, draw):
    kept = batch[draw.integer(0, len(batch)) :] if draw.boolean() else batch
    return [1 if draw.integer(0, 3) == 0 else size for size in kept]


@MatMul.rule(
    "a has as many columns as b has rows, after transposing",
    broken=[
        {"a": [2, 5, 3, 6]},
        {"b": [2, 5, 4, 7]},
        {"transpose_a": True},
        {"transpose_b": True},
        {"b": [6]},
    ],
)
def inner_dimensions_agree(layer):
    b = layer.b
    rows = b.shape[-1] if layer.transpose_b and b.rank > 1 else b.shape[max(b.rank - 2, 0)]
    return terms(layer) == rows


@MatMul.rule(
    "the batch dimensions of a and b broadcast",
    broken=[{"a": [3, 5, 3, 7]}, {"b": [2, 3, 7, 4]}, {"b": [4, 7, 4]}],
)
def batches_broadcast(layer):
    pairs = zip(reversed(layer.a.shape[:-2]), reversed(layer.b.shape[:-2]), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)
