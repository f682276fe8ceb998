"""ScaledDotProductAttention: softmax of scaled products of queries and keys times values (page
ScaledDotProductAttention-13)."""

import numpy as np

from ir_models.declaration import *
from ir_models.families.elementwise import broadcast, repeats_to
from ir_models.families.optional import LEFT_OUT, in_order
from ir_models.vocabulary.element_types import boolean, f32

T = types("T", "any supported floating-point type")
T_MASK = types("T or boolean", "any supported floating-point type or boolean")

# Scores are spread, and values mostly of one sign, so that their sums show small errors.
NUMBERS = Interval(-1.5, 1.5)


def mask_values(layer, state):
    """Truth values with a true one in every row, so that the softmax is of something; or numbers like the weights."""
    shape = layer.attention_mask.shape
    if layer.attention_mask.element_type is not boolean:
        return state.uniform(-3, 3, shape)
    drawn = state.randint(0, 2, shape).astype(bool)
    if shape and drawn.size:
        one = state.randint(0, shape[-1], (*shape[:-1], 1))
        np.put_along_axis(drawn, one, True, -1)
    return drawn


def batches(layer):
    return [each.with_shape(*each.shape[:-2]) for each in (layer.query, layer.key, layer.value)]


def batches_broadcast(layer):
    q, k, v = batches(layer)
    return broadcast(q, k) and broadcast(q, v) and broadcast(k, v)


def weights_shape(layer):
    """[N, ..., L, S] as a tensor."""
    common = np.broadcast_shapes(*(each.shape for each in batches(layer)))
    shape = (*common, layer.query.shape[-2], layer.key.shape[-2])
    return f32[shape]


def row_of_mask(layer):
    """The last dimensions of a mask in the page's names, or 1."""
    sizes = layer.attention_mask.shape
    if len(sizes) < 2:
        return "scalar" if not sizes else "S"
    return f"*batch, {'1' if sizes[-2] == 1 else 'L'}, {'1' if sizes[-1] == 1 else 'S'}"


def is_scalar(layer):
    return layer.attention_mask is not None and not layer.attention_mask.rank


MASKS = "[5,7]|[1,7]|[3,1,7]|[2,3,1,7]|[2,1,5,7]|[1,3,5,7]|[2,3,5,7]|[1,1,1,7]"
BOOLEAN = "|".join(f"boolean{each}" for each in MASKS.split("|"))
NO_MASK = "attention_mask=f32:0.0"

ScaledDotProductAttention = Operation(
    "ScaledDotProductAttention-13",
    "opset13",
    inputs=[
        Input("query", T, at_least(3), shape=lambda _: "*batch, L, E", values=NUMBERS),
        Input("key", T, at_least(3), shape=lambda _: "*batch, S, E", values=NUMBERS),
        Input("value", T, at_least(3), shape=lambda _: "*batch, S, Ev", values=Interval(-0.5, 3.0)),
        Input("attention_mask", T_MASK, optional=True, shape=row_of_mask, values=mask_values),
        Input("scale", T, optional=True, shape="scalar or 1", values=Interval(0.25, 1.5)),
        Input(
            "sink",
            T,
            at_least(3),
            optional=True,
            shape=lambda layer: f"*batch, {'1' if layer.sink.shape[-2] == 1 else 'L'}, 1",
            values=Interval(-2.0, 3.0),
        ),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("causal", bool, required=True)],
    mixes=True,
    examples=[
        example(text, output=output, unknown="lengths of sequences; they are 5 and 7 here")
        for text, output in (
            (
                "query=[1,5,80]; key=[1,7,80]; value=[1,7,80]; attention_mask=f32[1,5,7]; causal=false",
                [1, 5, 80],
            ),
            (
                "query=[1,2,3,5,80]; key=[1,2,3,7,80]; value=[1,2,3,7,80]; causal=false; "
                "attention_mask=f32[1,2,3,5,7]",
                [1, 2, 3, 5, 80],
            ),
            (
                "query=[4,6,10,5,80]; key=[1,6,10,7,80]; value=[1,1,1,7,80]; causal=false; "
                "attention_mask=f32[1,1,1,5,7]",
                [4, 6, 10, 5, 80],
            ),
        )
    ]
    + examples("""
        query=[2,16,80]; key=[2,32,80]; value=[2,32,80]; attention_mask=f32[2,1,1]; causal=false -> [2,16,80]
    """),
    rules=[
        rule(
            "E is one size in query and key",
            lambda layer: layer.query.shape[-1] == layer.key.shape[-1],
            ["key=[2,3,7,5]|[2,3,7,1]", "query=[2,3,5,8]"],
        ),
        rule(
            "S is one size in key and value",
            lambda layer: layer.key.shape[-2] == layer.value.shape[-2],
            "value=[2,3,8,6]|[2,3,1,6]",
        ),
        rule(
            "the batch dimensions of query, key and value broadcast",
            batches_broadcast,
            "key=[2,2,7,4]|[4,3,7,4]; attention_mask=[1,7]|boolean[5,7]; sink=-",
        ),
        rule(
            "attention_mask is of type T or boolean",
            lambda layer: (
                layer.attention_mask is None
                or layer.attention_mask.element_type in (layer.query.element_type, boolean)
            ),
            "attention_mask=f16[5,7]|f64[2,3,5,7]",
        ),
        rule(
            "attention_mask has at least two dimensions, or none and the type T",
            lambda layer: (
                layer.attention_mask is None
                or layer.attention_mask.rank > 1
                or (is_scalar(layer) and layer.attention_mask.element_type is not boolean)
            ),
            "attention_mask=[7]|boolean[1]|boolean:false",
        ),
        rule(
            "an attention_mask without dimensions is 0",
            lambda layer: not is_scalar(layer) or layer.attention_mask.value == 0,
            "attention_mask=f32:1.0|f32:-2.0",
            reading=Reading(
                "'a scalar of type T with value 0'",
                "Another value is invalid.",
                "A mask for all weights has two dimensions of 1.",
            ),
        ),
        rule(
            "attention_mask broadcasts to [N, ..., L, S]",
            lambda layer: (
                layer.attention_mask is None
                or layer.attention_mask.rank < 2
                or not batches_broadcast(layer)
                or repeats_to(layer.attention_mask, weights_shape(layer))
            ),
            "attention_mask=[5,6]|[4,7]|[2,2,5,7]|[2,2,3,5,7]|boolean[7,5]|boolean[2,3,5,2]",
        ),
        rule(
            "sink has the rank of query",
            lambda layer: layer.sink is None or layer.sink.rank == layer.query.rank,
            "sink=[3,5,1]|[1,2,3,5,1]",
        ),
        rule(
            "the last dimension of sink is 1",
            lambda layer: layer.sink is None or layer.sink.shape[-1] == 1,
            "sink=[2,3,5,7]|[2,3,5,2]|[2,3,5,0]",
        ),
        rule(
            "the other dimensions of sink broadcast to [N, ..., L]",
            lambda layer: (
                layer.sink is None
                or layer.sink.rank != layer.query.rank
                or not batches_broadcast(layer)
                or repeats_to(
                    layer.sink.with_shape(*layer.sink.shape[:-1], 1), weights_shape(layer)
                )
            ),
            "sink=[2,3,4,1]|[2,2,5,1]|[3,3,5,1]",
        ),
        in_order("attention_mask", "scale", "sink"),
    ],
    violations=["scale=[2]|[0]"],
    variants=variants(
        f"""
        boolean-mask: of every shape that broadcasts to the weights
            attention_mask={BOOLEAN}
        additive-mask: of every shape that broadcasts to the weights
            attention_mask={MASKS}|[5,1]|[2,1,1,1]|[1,1]|[2,3,5,1]
        additive-mask-of-a-type: numbers of the type of the other inputs
            query=f16; key=f16; value=f16; scale=f16; sink=f16; attention_mask=f16[3,5,7]
            query=bf16; key=bf16; value=bf16; scale=bf16; sink=bf16; attention_mask=bf16[3,5,7]
            query=f64; key=f64; value=f64; scale=f64; sink=f64; attention_mask=f64[3,5,7]
        infinite-mask: numbers that take a weight away, as false does
            attention_mask=f32:[[0.0,-inf,1.0,-inf,0.5,-1.0,0.0]]; sink=-|[2,3,5,1]
        mask-of-0: a scalar 0 means no mask
            {NO_MASK}
            {NO_MASK}; causal=true
        masked-rows: a query that sees no key has the sink alone, whose column is dropped
            query=[2,3,2,4]; sink=[2,3,2,1]|[1,3,1,1];
                attention_mask=boolean:[[false,false,false,false,false,false,false],[false,true,true,false,true,true,true]]
        causal: a query sees keys up to its own position; the mask is ignored
            causal=true; attention_mask=boolean[2,3,5,7]|f32[5,7]
            causal=true; query=[2,3,7,4]; sink=[2,3,7,1]; attention_mask=boolean[7,7]
            causal=true; query=[2,3,9,4]; sink=[2,3,1,1]; attention_mask=boolean[9,7]
            causal=true; query=[2,3,1,4]; sink=[2,3,1,1]; attention_mask=boolean[1,7]
            causal=true; key=[2,3,1,4]; value=[2,3,1,6]; attention_mask=boolean[5,1]
            causal=true; attention_mask=-; scale=-; sink=-
        scale: a number or a tensor of one; left out, it is 1 over the root of E
            scale=[1]|f32:1.0|f32:0.0|f32:-0.75|f32:3.0
            query=[2,3,5,9]|[2,3,5,5]; key=[2,3,7,9]; scale=-; sink=-
            query=[2,3,5,5]; key=[2,3,7,5]; scale=-; sink=-
            query=[2,3,5,1]; key=[2,3,7,1]; scale=-; sink=-
        sink: of every shape that broadcasts to the rows of the weights
            sink=[1,1,1,1]|[1,3,1,1]|[2,1,5,1]|[2,3,1,1]|[1,1,5,1]|[2,1,1,1]
            sink=[1,3,1,1]; {NO_MASK}; causal=false|true
            sink=f32:[[[[50.0]],[[-50.0]],[[0.0]]]]; {NO_MASK}
        batches: batch dimensions broadcast
            query=[1,3,5,4]; sink=[2,3,5,1]|[1,3,1,1]|-
            key=[1,3,7,4]|[2,1,7,4]|[1,1,7,4]|[3,7,4]; value=[2,3,7,6]|[1,1,7,6]|[3,7,6]
            query=[2,1,5,4]; key=[1,3,7,4]; value=[1,1,7,6]; sink=[2,1,5,1]
            query=[3,5,4]; key=[2,3,7,4]; value=[2,3,7,6]; sink=[3,5,1]|-
            query=[3,5,4]; key=[3,7,4]; value=[2,3,7,6]; attention_mask=[5,7]; sink=-
        causal-batches: one query, whose batch dimensions broadcast to five dimensions
            causal=true; query=f64[1,3,2,1,4]; key=f64[2,3,2,7,4]; value=f64[2,3,2,7,6]; attention_mask=-; scale=-;
                sink=-
            causal=true; query=f64[2,1,3,1,4]; key=f64[2,1,3,7,4]; value=f64[2,1,3,7,6]; attention_mask=-; scale=-;
                sink=-
            causal=true; query=f64[1,2,1,4]; key=f64[3,1,2,5,4]; value=f64[1,1,2,5,6]; attention_mask=-; scale=-;
                sink=-
            causal=true; query=f64[1,3,2,1,4]; key=f64[2,3,2,7,4]; value=f64[3,2,7,6]; attention_mask=boolean[1,7];
                scale=-; sink=-
        value-batches: value alone has more batch dimensions than query and key
            query=[3,5,4]; key=[3,7,4]|[1,7,4]; value=[2,3,7,6]|[1,1,7,6]; attention_mask=-; scale=-; sink=-
            query=[3,5,4]; key=[3,7,4]; value=[2,1,7,6]; attention_mask=boolean[3,5,7]|[3,5,7]; scale=[]; sink=-
        large-scores: weights of one key alone
            query=f32:[[[30.0,-20.0],[-30.0,10.0],[1.0,40.0]]]; key=[1,7,2]; value=[1,7,6]; attention_mask=f32:0.0;
                scale=f32:1.0; sink=-
        long-sequences: many queries and keys, heads as in models
            query=[1,2,70,64]; key=[1,2,130,64]; value=[1,2,130,64]; attention_mask=[70,130]; scale=-; sink=-
            query=[2,3,33,80]; key=[2,3,65,80]; value=[2,3,65,48]; attention_mask=f32:0.0; scale=[]; sink=[1,3,1,1]
            query=[1,2,150,32]; key=[1,2,150,32]; value=[1,2,150,32]; attention_mask=-; scale=-; sink=-; causal=true
            query=[2,4,1,64]; key=[2,4,257,64]; value=[2,4,257,64]; attention_mask=[2,1,1,257]; scale=-; sink=-
            query=f16[1,2,40,64]; key=f16[1,2,50,64]; value=f16[1,2,50,64]; attention_mask=-; scale=-; sink=-
            query=bf16[1,2,40,64]; key=bf16[1,2,50,64]; value=bf16[1,2,50,64]; attention_mask=-; scale=-; sink=-
    """.replace(";\n                ", "; ")
    ),
    readings=[
        LEFT_OUT,
        Reading(
            "concatenate([attn_weight, sink], axis=-1), where sink is 'numpy-broadcastable to [N, ..., L]'",
            "sink is broadcast first.",
            "The sentence says that it may have other sizes, which the function does not join.",
            "contradiction",
        ),
        Reading(
            "attention_mask 'numpy-broadcastable to [N, ..., L, S]'",
            "N, ... are what the batch dimensions of query, key and value broadcast to.",
            "'they should be numpy-broadcastable to the same value'.",
        ),
        Reading(
            "rows without a key, and without a sink; infinite weights",
            "They are not judged.",
            "The softmax of -infinity alone, and of infinity, is 0 / 0 or infinity / infinity.",
            "silence",
        ),
        Reading(
            "'attention_mask is ignored if causal is set'",
            "Its shape and type are valid all the same.",
            "The lines on its shape are not about causal alone.",
        ),
    ],
)


@ScaledDotProductAttention.plain
def plain(rank=4):
    """A mask of truth values, a scale and a sink, none of them the default."""
    batch = [2, 3, 1, 2, 1, 2][: rank - 2]
    shape = (*batch, 5, 7)
    return {
        "query": [*batch, 5, 4],
        "key": [*batch, 7, 4],
        "value": [*batch, 7, 6],
        "attention_mask": boolean[shape],
        "scale": [],
        "sink": [*batch, 5, 1],
        "causal": False,
    }


@ScaledDotProductAttention.random
def layer(draw):
    batch = draw.shape(draw.integer(1, 3), most=3)
    length, source, size, of_values = draw.shape(4, most=8)
    query, key, value, mask, sink = (part(batch, draw) for _ in range(5))
    # The rank of sink is that of query.
    sink = [1] * (len(query) - len(sink)) + sink[max(len(sink) - len(query), 0) :]
    common = list(np.broadcast_shapes(query, key, value))
    fitted = [n if n == c else 1 for n, c in zip(reversed(mask), reversed(common), strict=False)]
    row = [draw.choice([length, 1]), source]
    shape = (*reversed(fitted), *row)
    offered = [boolean[shape], list(shape), f32.tensor(0.0)]
    fitted = [n if n == c else 1 for n, c in zip(reversed(sink), reversed(common), strict=False)]
    offered_sink = [*reversed(fitted), draw.choice([length, 1]), 1]
    present = draw.integer(0, 3)
    return {
        "query": [*query, length, size],
        "key": [*key, source, size],
        "value": [*value, source, of_values],
        "attention_mask": draw.choice(offered[:2] if draw.boolean() else offered)
        if present
        else None,
        "scale": draw.choice([[], [1]]) if present > 1 else None,
        "sink": offered_sink if present > 2 else None,
        "causal": draw.boolean(),
    }


def part(batch, draw):
    """Batch dimensions that broadcast with ``batch``; at least one."""
    start = draw.integer(1, len(batch)) - 1 if draw.integer(0, 2) == 0 else 0
    return [1 if draw.integer(0, 3) == 0 else size for size in batch[start:]]


@ScaledDotProductAttention.adapt
def sizes_of_query(layer):
    """Batches as those of query where they do not broadcast; a mask and a sink of the sizes that there are."""
    *batch, length, size = layer.query.shape
    source = layer.key.shape[-2]
    found = {}
    if not batches_broadcast(layer) or layer.key.shape[-1] != size:
        found["key"] = layer.key.with_shape(*batch, source, size)
        found["value"] = layer.value.with_shape(*batch, source, layer.value.shape[-1])
    if layer.attention_mask is not None and layer.attention_mask.value is None:
        found["attention_mask"] = layer.attention_mask.with_shape(*batch, length, source)
    if layer.sink is not None and layer.sink.value is None:
        found["sink"] = layer.sink.with_shape(*batch, length, 1)
    return found
