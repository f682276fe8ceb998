"""GroupedMatMul: a product of matrices for each group of tokens (page GroupedMatMul-17)."""

from ir_models.declaration import *

T = types("T", "any supported floating-point or integer type")
T_IDX = types("T_IDX", "int32 or int64")


def case(layer):
    """The page's number of the combination of ranks, 0 for another one."""
    return {(2, 3): 1, (3, 3): 2, (2, 2): 3}.get((layer.mat_a.rank, layer.mat_b.rank), 0)


def a_shape(layer):
    return {2: "G, M, K", 3: "K, total_tokens"}.get(case(layer), "total_tokens, K")


def b_shape(layer):
    return "total_tokens, N" if case(layer) == 3 else "G, K, N"


def inner(layer):
    """How many products one element of the output adds, as both inputs have it; of tokens those of all groups."""
    return layer.mat_a.shape[-1], layer.mat_b.shape[0 if case(layer) == 3 else 1]


def tokens(layer):
    return layer.mat_a.shape[1 if case(layer) == 3 else 0]


def factors(layer, kind):
    """Integers such that the sum of that many products fits."""
    if not kind.is_integer:
        return Interval(-4.0, 4.0)
    low, high = kind.integer_range
    most = int((min(high, 2**24) / max(inner(layer)[0], 1)) ** 0.5)
    return Interval(max(low, -most), most)


def even(total, groups):
    """Offsets of groups of different sizes, as far as there are tokens."""
    return [
        total * (number + 1) * (number + 2) // (groups * (groups + 1)) for number in range(groups)
    ]


EXPERTS = "[[[8191,1],[2,1025],[3,4]],[[1,2],[193,4],[5,6]]]"
LARGE = "[[8589934593,3,7],[5,4503599627370497,2]]"

GroupedMatMul = Operation(
    "GroupedMatMul-17",
    "opset17",
    inputs=[
        Input("mat_a", T, between(2, 3), shape=a_shape, values=Within(factors)),
        Input("mat_b", T, between(2, 3), shape=b_shape, values=Within(factors)),
        Index("offsets", T_IDX, optional=True),
    ],
    outputs=[Output("output", T)],
    sums=Sums(
        lambda layer: {"mat_a": (-1,), "mat_b": (0 if case(layer) == 3 else 1,)},
        "mat_a=[40,200]; mat_b=[3,200,40]; offsets=10,25,40",
    ),
    examples=examples("""
        mat_a=[10,64]; mat_b=[3,64,128]; offsets=3,8,10 -> [10,128]
        mat_a=[3,4,64]; mat_b=[3,64,128] -> [3,4,128]
        mat_a=[64,16]; mat_b=[16,128]; offsets=4,12,16 -> [3,64,128]
    """),
    rules=[
        rule(
            "mat_a and mat_b have the ranks 2 and 3, 3 and 3, or 2 and 2",
            case,
            "mat_a=[3,10,4]; mat_b=[4,6]; offsets=-",
        ),
        rule(
            "mat_a has as many columns as mat_b has rows",
            lambda layer: not case(layer) or inner(layer)[0] == inner(layer)[1],
            [
                "mat_b=[3,5,6]|[3,1,6]|[3,6,4]",
                "mat_a=[3,2,4]; mat_b=[3,5,6]; offsets=-",
                "mat_a=[4,10]; mat_b=[11,6]",
            ],
        ),
        rule(
            "G of mat_a, mat_b and offsets is one size",
            lambda layer: (
                len({t.shape[0] for t in (layer.mat_a, layer.mat_b) if t.rank == 3})
                + (layer.offsets is not None and case(layer) == 1)
                <= 1 + (case(layer) == 1 and layer.offsets.shape[0] == layer.mat_b.shape[0])
            ),
            ["offsets=4,10|2,5,7,10", "mat_a=[2,5,4]; offsets=-", "mat_a=[1,5,4]; offsets=-"],
        ),
        rule(
            "offsets are there unless mat_a and mat_b have rank 3",
            lambda layer: not case(layer) or (layer.offsets is None) == (case(layer) == 2),
            ["offsets=-", "mat_a=[4,10]; mat_b=[10,6]; offsets=-", "mat_a=[3,5,4]"],
        ),
        rule(
            "offsets are cumulative: they do not fall, from 0 on",
            lambda layer: (
                layer.offsets.value == tuple(sorted(max(n, 0) for n in layer.offsets.value))
            ),
            "offsets=3,2,10|-1,4,10",
        ),
        rule(
            "the last of offsets is total_tokens",
            lambda layer: max(0, *layer.offsets.value, 0) == tokens(layer),
            "offsets=3,7,11|3,7,9",
            reading=Reading(
                "'offsets = [M0, M0+M1, ..., total_tokens]'",
                "Another last number is invalid.",
                "Of tokens beyond the last group the page says nothing.",
            ),
        ),
    ],
    variants=variants(
        f"""
        batched: groups of one size have a dimension of their own
            mat_a=[3,5,4]; offsets=-
            mat_a=[1,5,4]; mat_b=[1,4,6]; offsets=-
            mat_a=[3,1,4]; mat_b=[3,4,1]; offsets=-
            mat_a=[7,5,4]; mat_b=[7,4,6]; offsets=-
        gradients: the tokens of a group are summed
            mat_a=[4,10]; mat_b=[10,6]; offsets=2,5,10|10|1,2,3,4,5,6,7,8,9,10
            mat_a=[1,10]; mat_b=[10,1]; offsets=2,5,10
        groups: one, one for each token, of any sizes
            mat_b=[1,4,6]; offsets=10
            mat_b=[10,4,6]; offsets=1,2,3,4,5,6,7,8,9,10
            offsets=1,9,10|8,9,10|5,6,10
        empty-groups: groups without a token, first, last, in between and all but one
            offsets=0,4,10|4,4,10|4,10,10|0,0,10|0,10,10|10,10,10
            mat_a=[4,10]; mat_b=[10,6]; offsets=0,4,10|4,4,10|4,10,10|0,0,10|10,10,10
        large-integers: sums that no f32, f64 or 32-bit integer holds
            mat_a=i32:[[5001,3,7],[5,1048577,2]]; mat_b=i32:{EXPERTS}; offsets=1,2
            mat_a=i64:{LARGE}; mat_b=i64:{EXPERTS}; offsets=1,2
            mat_a=u64:{LARGE}; mat_b=u64:{EXPERTS}; offsets=1,2
        large-matrices: experts of some size
            mat_a=[70,256]; mat_b=[4,256,48]; offsets=17,17,50,70
            mat_a=[2,33,300]; mat_b=[2,300,40]; offsets=-
            mat_a=[48,130]; mat_b=[130,40]; offsets=33,33,129,130
            mat_a=f16[20,16]; mat_b=f16[2,16,24]; offsets=5,20
            mat_a=bf16[20,16]; mat_b=bf16[2,16,24]; offsets=5,20
    """
    ),
    readings=[
        Reading(
            "'expert networks' of groups without a token",
            "M_i may be 0: such a group adds no row, and of weight gradients is a matrix of zeros.",
            "The slice start:end is empty, and a sum of nothing is 0.",
            "silence",
        ),
    ],
)


@GroupedMatMul.plain
def plain(rank=2):
    """Tokens of three experts for rank 2, batches for rank 3."""
    if rank == 3:
        return {"mat_a": [3, 5, 4], "mat_b": [3, 4, 6]}
    return {"mat_a": [10, 4], "mat_b": [3, 4, 6], "offsets": [2, 5, 10]}


@GroupedMatMul.random
def layer(draw):
    groups, rows, size, columns = draw.shape(4, most=6)
    total = draw.integer(1, 12)
    ends = sorted(draw.integer(0, total) for _ in range(groups - 1))
    return draw.choice(
        [
            {"mat_a": [total, size], "mat_b": [groups, size, columns], "offsets": [*ends, total]},
            {"mat_a": [groups, rows, size], "mat_b": [groups, size, columns]},
            {"mat_a": [rows, total], "mat_b": [total, columns], "offsets": [*ends, total]},
        ]
    )


@GroupedMatMul.adapt
def offsets_of_tokens(layer):
    """Offsets for the tokens that there are; both matrices have the groups and the columns of mat_a."""
    groups = layer.mat_b.shape[0] if case(layer) == 1 else layer.offsets.size
    return {"offsets": even(tokens(layer), groups)}
