"""FakeQuantize: the nearest of some evenly spaced levels (page FakeQuantize-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import (
    BROADCASTS,
    PDPD_OF_ONES,
    broadcastable,
    is_part,
    repeats_to,
)

T_F = types("T_F", "any supported floating point type")
X = [-3.0, -1.0, -0.75, -0.5, -0.25, 0.0, 0.125, 0.5, 0.75, 1.0, 1.5, 4.0]


def limit(name, low, high):
    """Limits within an interval also where purposes give special values to X."""
    return Input(
        name, T_F, values=lambda layer, state: state.uniform(low, high, layer.inputs[name].shape)
    )


LIMITS = ("input_low", "input_high", "output_low", "output_high")


def limits(*given):
    """The four limits: a shape or a value of each."""
    return "; ".join(f"{name}={each}" for name, each in zip(LIMITS, given, strict=True))


def stated(*given):
    return f"X=f32:{X}; {limits(*(f'f32:{value}' for value in given))}"


def each_limit(predicate):
    """The predicate for each limit and X."""
    return lambda layer: all(predicate(layer.inputs[name], layer.X) for name in LIMITS)


FakeQuantize = Operation(
    "FakeQuantize-1",
    "opset1",
    inputs=[
        Input("X", T_F, values=Interval(-6.0, 6.0)),
        limit("input_low", -5.0, -2.0),
        limit("input_high", 2.0, 5.0),
        limit("output_low", -4.0, -1.0),
        limit("output_high", 1.0, 8.0),
    ],
    outputs=[Output("output", T_F)],
    has_levels=True,
    attributes=[
        Attribute("levels", int, required=True, least=2),
        Attribute("auto_broadcast", BROADCASTS, default="numpy"),
    ],
    examples=examples("""
        X=f32[1,64,56,56]; input_low=f32[1,64,1,1]; input_high=f32[1,64,1,1]
            ; output_low=f32[1,1,1,1]; output_high=f32[1,1,1,1]; levels=2 -> [1,64,56,56]
    """),
    rules=[
        rule(
            "with auto_broadcast none, all inputs have one shape",
            each_limit(lambda limit, X: limit.shape == X.shape),
            "auto_broadcast=none",
            auto_broadcast="none",
        ),
        rule(
            "with auto_broadcast numpy, the limits broadcast to the shape of X",
            each_limit(repeats_to),
            [
                "input_low=[1,4,1,1]",
                "input_high=[2,2,3,5,4]",
                "output_low=[1,2,1,1]",
                "output_high=[1,1,1,1,1]",
                "X=[2,1,5,4]",
            ],
            auto_broadcast="numpy",
        ),
        rule(
            "with auto_broadcast pdpd, the limits are parts of the shape of X, aligned right",
            each_limit(is_part),
            [
                f"{limits('[5,4]', '[5,4]', '[5,4]', '[3,5]')}; auto_broadcast=pdpd",
                f"{limits('[5,4]', '[2,2,3,5,4]', '[5,4]', '[4]')}; auto_broadcast=pdpd",
            ],
            auto_broadcast="pdpd",
        ),
    ],
    variants=variants(f"""
        levels: at least 2
            levels=2|3|4|15|16|255|256|257|65536
        limits-shapes: limits for all elements, for each channel, for each element
            {limits(*["[]"] * 4)}
            {limits(*["[1]"] * 4)}
            {limits(*["[1,3,1,1]"] * 4)}
            {limits(*["[3,1,1]"] * 4)}
            {limits(*["[4]"] * 4)}
            {limits(*["[2,3,5,4]"] * 4)}
            {limits("[5,1]", "[4]", "[2,1,1,1]", "[3,1,4]")}
            {limits("[]", "[1,3,1,1]", "[1]", "[2,1,1,4]")}
            {limits("[1,1,1,1]", "[1,1,1,1]", "[1,3,1,1]", "[1,3,1,1]")}
        equal-shapes: shapes that are equal need no broadcasting
            {limits(*["[2,3,5,4]"] * 4)}; auto_broadcast=none|numpy|pdpd
        broadcast-pdpd: limits are parts of the shape of X
            {limits(*["[]"] * 4)}; auto_broadcast=pdpd
            {limits(*["[5,4]"] * 4)}; auto_broadcast=pdpd
            {limits(*["[1,3,1,1]"] * 4)}; auto_broadcast=pdpd
            {limits("[4]", "[5,4]", "[3,5,4]", "[2,3,5,4]")}; auto_broadcast=pdpd
        on-levels: on the ends of the input range, on levels, on halves between two of them, outside
            {stated(-1.0, 1.0, -2.0, 6.0)}; levels=2|3|5|9
        binarization: one limit for low and high
            {stated(0.0, 0.0, -1.0, 1.0)}; levels=2
            {stated(0.5, 0.5, -1.0, 1.0)}; levels=2
            {stated(0.0, 0.0, -1.0, 1.0)}; levels=256
            {stated(0.5, 0.5, -1.0, 1.0)}; levels=256
        ranges: reversed, and beside zero
            {stated(-1.0, 1.0, 3.0, -3.0)}; levels=5
            {stated(1.0, -1.0, -2.0, 6.0)}; levels=5
            {stated(0.0, 1.0, 0.0, 1.0)}; levels=5
            {stated(0.25, 1.5, 2.0, 3.0)}; levels=5
            {stated(-3.0, -0.5, -1.0, -0.5)}; levels=255
    """),
    readings=[
        Reading(
            "a value halfway between two levels",
            "Either level is right.",
            "The page does not say how halves are rounded.",
            "silence",
        ),
        PDPD_OF_ONES,
    ],
)


@FakeQuantize.plain
def plain(rank=4):
    """A limit for each channel or for all elements."""
    each, one = [1, 3, 1, 1, 1, 1, 1, 1][:rank], [1] * rank
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    return f"X={shape}; {limits(each, each, one, each)}; levels=16; auto_broadcast=numpy"


@FakeQuantize.random
def layer(draw):
    rank = draw.integer(0, 6)
    shape = draw.shape(rank, most=5 if rank < 5 else 3)
    mode = draw.choice([*BROADCASTS, "numpy", None])

    def limit():
        if mode == "none":
            return shape
        if mode == "pdpd":
            return shape[draw.integer(0, rank) :]
        kept = shape[draw.integer(0, rank) :] if draw.boolean() else shape
        return [1 if draw.boolean() else size for size in kept]

    given = {"X": shape, **{name: limit() for name in LIMITS}, "auto_broadcast": mode}
    return {**given, "levels": draw.choice([2, 3, 5, 15, 16, 255, 256, draw.integer(2, 300)])}


@FakeQuantize.adapt
def smallest(layer):
    return broadcastable(layer, ("X", *LIMITS))
