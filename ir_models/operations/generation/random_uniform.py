"""RandomUniform: numbers of Philox in an interval (page RandomUniform-8)."""

from ir_models.declaration import Attribute, Index, Operation, Output, between, example
from ir_models.element_types import ELEMENT_TYPES, bf16, f16, f32, f64, i32, i64, types

_OUTPUT_TYPES = ("i32", "i64", "f16", "bf16", "f32", "f64")

T_SHAPE = types("T_SHAPE", i32, i64)
# It is output_type, as a rule says.
T_OUT = types("T_OUT", f32, f16, bf16, f64, i32, i64)


def interval(kind, low, high, **others):
    """minval, maxval and output_type in one type."""
    return {
        "minval": kind.tensor(low),
        "maxval": kind.tensor(high),
        "output_type": kind.name,
        **others,
    }


RandomUniform = Operation(
    "RandomUniform-8",
    opset="opset8",
    inputs=[
        Index("shape", T_SHAPE),
        Index("minval", T_OUT, between(0, 1)),
        Index("maxval", T_OUT, between(0, 1)),
    ],
    outputs=[Output("output", lambda layer: ELEMENT_TYPES.get(layer.output_type, f32))],
    attributes=[
        Attribute("output_type", _OUTPUT_TYPES, required=True),
        Attribute("global_seed", int, default=0, required=True, least=0),
        Attribute("op_seed", int, default=0, required=True, least=0),
    ],
    examples=[
        example(
            shape=i32.tensor([2, 3, 10]),
            # The page leaves the values open.
            minval=f32.tensor(0.0),
            maxval=f32.tensor(1.0),
            output_type="f32",
            global_seed=234,
            op_seed=148,
            output=[2, 3, 10],
            ports=[0, 1, 2, 3],
        )
    ],
    variants={
        # The page prints what these give.
        "printed": [
            interval(f32, 0.0, 1.0, shape=[3, 3], global_seed=150, op_seed=10),
            interval(f64, 2.0, 10.0, shape=[2, 2], global_seed=80, op_seed=100),
            interval(i32, 50, 100, shape=[2, 3], global_seed=80, op_seed=100),
        ],
        "output-types": [
            interval(kind, *ends)
            for kind, ends in (
                (i32, (-7, 1000)),
                (i64, (-7, 1000)),
                (f16, (-1.5, 2.5)),
                (bf16, (-1.5, 2.5)),
                (f32, (-1.5, 2.5)),
                (f64, (-1.5, 2.5)),
            )
        ],
        "seeds": [
            {"global_seed": global_seed, "op_seed": op_seed}
            for global_seed, op_seed in (
                (1, 0),
                (0, 1),
                (10, 150),
                (2**32 + 5, 7),
                (5, 2**32 + 7),
                (2**63 - 1, 2**63 - 2),
            )
        ],
        "no-seed": [
            interval(kind, *ends, global_seed=0, op_seed=0)
            for kind, ends in (
                (f32, (-1.5, 2.5)),
                (f16, (-1.5, 2.5)),
                (f64, (-1.5, 2.5)),
                (i32, (-7, 1000)),
                (i64, (0, 3)),
            )
        ],
        "interval": [
            interval(f32, 0.0, 1.0),
            interval(f32, -5.0, -3.0),
            interval(f32, -1e30, 1e30),
            interval(f32, 1000.0, 1000.5),
            interval(i32, 0, 2),
            interval(i32, -(2**31), 2**31 - 1),
            interval(i32, -(2**31), 0),
            interval(i64, 2**40, 2**40 + 1000),
            # Random numbers have 32 bits: of a wider interval they reach but the beginning.
            interval(i64, -(2**40), 2**40),
        ],
        # Four numbers come at a time.
        "sizes": [{"shape": [size]} for size in (1, 2, 3, 4, 5, 7, 8, 9, 31, 257)]
        + [interval(f64, 0.0, 1.0, shape=[size]) for size in (1, 2, 3, 5, 7)],
        "output-rank": [
            {"shape": shape}
            for shape in ([2, 3], [2, 3, 5, 4, 1], [1, 2, 1, 3, 2, 2], [2, 1, 3, 1, 2, 1, 2, 2])
        ],
        "scalar-or-1d": [
            interval(f32, [-1.5], [2.5]),
            interval(i32, [-7], [1000]),
            {"minval": f32.tensor([-1.5])},
        ],
        "dim-0-empty": [{"shape": [2, 0, 3]}],
    },
)


@RandomUniform.plain
def plain():
    """Seeds that differ, and an interval that does not begin at 0 nor is of length 1."""
    return {"shape": [4, 5, 7], "global_seed": 150, "op_seed": 10, **interval(f32, -1.5, 2.5)}


@RandomUniform.random
def layer(draw):
    kind = draw.choice([f32, i32, i64, f16, f64])
    low = draw.integer(-100, 100)
    ends = (low, low + draw.integer(1, 1000))
    if kind.is_float:
        ends = (low / 8, (low + draw.integer(1, 100)) / 8)
    return {
        "shape": draw.shape(draw.integer(1, 5), most=5),
        "global_seed": draw.integer(0, 1000),
        "op_seed": draw.integer(1, 1000),
        **interval(kind, *ends),
    }


@RandomUniform.rule("shape has no negative dimension", broken={"shape": [4, -1, 7]})
def sizes(layer):
    return min(layer.shape.value, default=0) >= 0


@RandomUniform.rule(
    "minval and maxval are one number each",
    broken=[{"minval": f32.tensor([-1.5, -1.5])}, {"maxval": f32.tensor([2.5, 3.5])}],
)
def one_number_each(layer):
    return layer.minval.size == 1 and layer.maxval.size == 1


@RandomUniform.rule(
    "minval and maxval are of the type output_type",
    broken=[{"minval": f64, "maxval": f64}, {"minval": f16, "maxval": f16}],
)
def types_agree(layer):
    kind, wanted = layer.minval.element_type, ELEMENT_TYPES.get(layer.output_type)
    # That types differ, or are unheard of, is said by other rules.
    others_say = kind != layer.maxval.element_type or kind not in T_OUT or wanted is None
    return others_say or kind == wanted


@RandomUniform.rule(
    "minval is below maxval",
    broken=[
        {"minval": f32.tensor(2.5)},
        {"minval": f32.tensor(3.0)},
        interval(i32, 5, 5),
    ],
)
def interval_is_not_empty(layer):
    low, high = (
        tensor.value[0] if isinstance(tensor.value, tuple) else tensor.value
        for tensor in (layer.minval, layer.maxval)
    )
    return float(low) < float(high)
