"""Select: elements of then or of else, as cond says (page Select-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import (
    BROADCASTS,
    PDPD_OF_ONES,
    broadcast,
    broadcastable,
    is_part,
    repeats_to,
)

T_COND = types("T_COND", "boolean type")
T = types("T", "any supported numeric type")
NAMES = ("cond", "then", "else")


def either(layer, state):
    """Truth values, also where purposes give special values to the numbers."""
    return state.randint(0, 2, layer.cond.shape).astype(bool)


def tensors(layer):
    return [layer.inputs[name] for name in NAMES]


def result(layer):
    """The larger of then and else on each axis, as a tensor; of shapes that broadcast, their common shape."""
    _, then, other = tensors(layer)
    rank = max(then.rank, other.rank)
    shapes = [[1] * (rank - each.rank) + list(each.shape) for each in (then, other)]
    pairs = zip(*shapes, strict=True)
    return then.with_shape(*(one if two == 1 else two for one, two in pairs))


def cond_repeats(layer):
    """Whether cond broadcasts to the result; another rule speaks of then and else."""
    cond, then, other = tensors(layer)
    return not broadcast(then, other) or repeats_to(cond, result(layer))


def shapes(cond, then, other):
    return f"cond={cond}; then={then}; else={other}"


Select = Operation(
    "Select-1",
    "opset1",
    inputs=[Input("cond", T_COND, values=either), Input("then", T), Input("else", T)],
    outputs=[Output("output", T)],
    attributes=[Attribute("auto_broadcast", BROADCASTS, default="numpy")],
    readings=[
        PDPD_OF_ONES,
        Reading(
            "T: 'any supported numeric type', although elements are only moved",
            "boolean, nf4 and floating-point types of 8 bits and fewer are not tested.",
            "'Numeric' has one meaning for all pages; those that let every type through, as Gather-8, say "
            "'any supported type'.",
        ),
    ],
    examples=examples(
        """
        cond=boolean:[[false,false],[true,false],[true,true]]
            ; then=f32:[[-1.0,0.0],[1.0,2.0],[3.0,4.0]]; else=f32:[[11.0,10.0],[9.0,8.0],[7.0,6.0]]
            -> [3,2] = [[11,10],[1,8],[3,4]]
        """,
        ports=(0, 1, 2, 1),
    ),
    rules=[
        rule(
            "with auto_broadcast none, all inputs have one shape",
            lambda layer: len({each.shape for each in tensors(layer)}) == 1,
            [
                "auto_broadcast=none",
                f"{shapes('[2,3,5,4]', '[2,3,5,4]', '[5,4]')}; auto_broadcast=none",
                f"{shapes('[5,1]', '[2,3,5,4]', '[2,3,5,4]')}; auto_broadcast=none",
            ],
            auto_broadcast="none",
        ),
        rule(
            "with auto_broadcast numpy, dimensions of then and else are equal or 1",
            lambda layer: broadcast(*tensors(layer)[1:]),
            [
                f"{shapes('[4]', '[2,3,5,4]', '[2,1,4]')}",
                f"{shapes('[4]', '[3,1,4]', '[2,2,5,4]')}",
            ],
            auto_broadcast="numpy",
        ),
        rule(
            "with auto_broadcast numpy, cond broadcasts to the shape of then and else, which stays",
            cond_repeats,
            [
                shapes("[2,2,3,5,4]", "[2,3,5,4]", "[3,1,4]"),
                shapes("[3,5,4]", "[3,1,4]", "[3,1,4]"),
                shapes("[5,3]", "[2,3,5,4]", "[3,1,4]"),
            ],
            reading=Reading(
                "'the cond tensor is one-way broadcasted to the resulting shape of broadcasted then and else'",
                "A cond that is larger than then and else is invalid.",
                "One-way broadcasting leaves the shape of its target as it is.",
                admits="The elements of then and else for each of cond, all three in their common shape.",
            ),
            is_answered=True,
            auto_broadcast="numpy",
        ),
        rule(
            "with auto_broadcast pdpd, cond and else are parts of the shape of then, aligned right",
            lambda layer: all(
                is_part(layer.inputs[name], layer.inputs["then"]) for name in ("cond", "else")
            ),
            [
                f"{shapes('[4]', '[5,4]', '[2,5,4]')}; auto_broadcast=pdpd",
                f"{shapes('[5,3]', '[2,5,4]', '[5,4]')}; auto_broadcast=pdpd",
            ],
            auto_broadcast="pdpd",
        ),
    ],
    variants=variants(f"""
        mixed-shapes: then and else broadcast to each other, cond to what they give
            {shapes("[]", "[2,3,5,4]", "[3,1,4]")}
            {shapes("[2,3,5,4]", "[]", "[2,3,5,4]")}
            {shapes("[2,3,5,4]", "[2,3,5,4]", "[]")}
            {shapes("[4]", "[3,1]", "[2,1,1,4]")}
            {shapes("[5,1]", "[1,3,1,4]", "[2,1,5,1]")}
            {shapes("[2,1,1,1]", "[5,4]", "[2,3,1,1]")}
            {shapes("[1,1,5,4]", "[2,3,5,4]", "[4]")}
        default: dimensions align right where auto_broadcast is left out
            {shapes("[4]", "[3,1]", "[2,1,1,4]")}; auto_broadcast=-
            {shapes("[]", "[4]", "[3,4]")}; auto_broadcast=-
        equal-shapes: shapes that are equal need no broadcasting
            {shapes("[2,3,5,4]", "[2,3,5,4]", "[2,3,5,4]")}; auto_broadcast=none|numpy|pdpd
        broadcast-pdpd: cond and else are parts of the shape of then
            {shapes("[5,4]", "[2,3,5,4]", "[3,5,4]")}; auto_broadcast=pdpd
            {shapes("[2,3,5,4]", "[2,3,5,4]", "[4]")}; auto_broadcast=pdpd
            {shapes("[2,3,5,4]", "[2,3,5,4]", "[]")}; auto_broadcast=pdpd
        pdpd-from-either-side: cond and else fit the first dimensions of then as well
            cond=[3,5,3]; then=i32[3,5,3]; else=i32[3]; auto_broadcast=pdpd
            cond=[5,4]; then=i32[5,4,5,4]; else=i32[5,4,5,4]; auto_broadcast=pdpd
            cond=[]; then=i64[4,2,4]; else=i64[4]; auto_broadcast=pdpd
        other-side: what is not chosen does not count
            cond=boolean:[true,false,true]; then=f32:[1.0,nan,inf]; else=f32:[nan,2.0,-inf]
        beyond-32-bits: 64-bit integers are moved as they are
            cond=boolean:[true,false]; then=i64:[9007199254740993,1]; else=i64:[1,-9223372036854775807]
            cond=boolean:[true,false]; then=u64:[9007199254740993,1]; else=u64:[1,18446744073709551615]
        tail: elements are alike, those that fill no vector too
            cond=[7]; then=[7]; else=[7]
            cond=[8]; then=[8]; else=[8]
            cond=[15]; then=[15]; else=[15]
            cond=[17]; then=[17]; else=[17]
            cond=[33]; then=[33]; else=[33]
    """),
)


@Select.plain
def plain(rank=4):
    """then has all dimensions, and else some of them."""
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    other = [*shape[1:-2], 1, *shape[-1:]] if rank > 2 else shape[1:]
    return f"{shapes(shape, shape, other)}; auto_broadcast=numpy"


@Select.random
def layer(draw):
    rank = draw.integer(0, 5)
    shape = draw.shape(rank, most=4)
    mode = draw.choice([*BROADCASTS, "numpy", None])

    def part():
        if mode == "none":
            return shape
        if mode == "pdpd":
            return shape[draw.integer(0, rank) :]
        kept = shape[draw.integer(0, rank) :] if draw.boolean() else shape
        return [1 if draw.integer(0, 3) == 0 else size for size in kept]

    # else has all dimensions, so that cond, which is a part of them, never widens the result.
    then = shape if mode == "pdpd" else part()
    other = part() if mode == "pdpd" else shape
    return {"cond": part(), "then": then, "else": other, "auto_broadcast": mode}


@Select.adapt
def smallest(layer):
    return broadcastable(layer, NAMES)
