"""RandomUniform: numbers of Philox or of the Mersenne Twister in an interval (page RandomUniform-8)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, bf16, f16, f32, f64, i32, i64

T_SHAPE = types("T_SHAPE", "int32 or int64")
# It is output_type, as a rule says.
T_OUT = types("T_OUT", f32, f16, bf16, f64, i32, i64)


def interval(kind, low, high):
    """minval, maxval and output_type in one type."""
    return f"minval={kind}:{low}; maxval={kind}:{high}; output_type={kind}"


def types_agree(layer):
    kind, wanted = layer.minval.element_type, ELEMENT_TYPES.get(layer.output_type)
    # That types differ, or are unheard of, is said by other rules.
    others_say = kind != layer.maxval.element_type or kind not in T_OUT or wanted is None
    return others_say or kind == wanted


def end(tensor):
    """The number as its type holds it."""
    return float(tensor.array().reshape(-1)[0])


PYTORCH, NO_SEED = "alignment=PYTORCH", "global_seed=0; op_seed=0"
UNIT = interval("f32", 0.0, 1.0)
REALS = ("f16", "bf16", "f32", "f64")
OF_EACH_TYPE = [
    *(interval(kind, -7, 1000) for kind in ("i32", "i64")),
    *(interval(kind, -1.5, 2.5) for kind in REALS),
]

RandomUniform = Operation(
    "RandomUniform-8",
    "opset8",
    inputs=[
        Index("shape", T_SHAPE, least=0),
        Index("minval", T_OUT, shape="scalar or 1"),
        Index("maxval", T_OUT, shape="scalar or 1"),
    ],
    outputs=[Output("output", lambda layer: ELEMENT_TYPES.get(layer.output_type, f32))],
    attributes=[
        Attribute("output_type", ("i32", "i64", "f16", "bf16", "f32", "f64"), required=True),
        Attribute("global_seed", int, default=0, required=True, least=0),
        Attribute("op_seed", int, default=0, required=True, least=0),
        Attribute("alignment", ("TENSORFLOW", "PYTORCH"), default="TENSORFLOW"),
    ],
    examples=examples(f"shape=i32:2,3,10; {UNIT}; global_seed=234; op_seed=148 -> [2,3,10]"),
    keeps_state=True,
    rules=[
        rule(
            "minval and maxval are of the type output_type",
            types_agree,
            ["minval=f64; maxval=f64", "minval=f16; maxval=f16"],
        ),
        rule(
            "minval is below maxval",
            lambda layer: end(layer.minval) < end(layer.maxval),
            ["minval=f32:2.5|f32:3.0", interval("i32", 5, 5)],
        ),
    ],
    violations=["shape=4,-1,7", "minval=f32:[-1.5,-1.5]", "maxval=f32:[2.5,3.5]"],
    variants=[
        *variants(f"""
            printed: the page prints what these give
                {UNIT}; shape=3,3; global_seed=150; op_seed=10
                {interval("f64", 2.0, 10.0)}; shape=2,2; global_seed=80; op_seed=100
                {interval("i32", 50, 100)}; shape=2,3; global_seed=80; op_seed=100
        """),
        variant("output-types", "each has its own conversion from random bits", *OF_EACH_TYPE),
        # Random numbers have 32 bits: of -2^40 to 2^40 they reach but the beginning.
        *variants(f"""
            seeds: 64 bits each
                global_seed=1; op_seed=0
                global_seed=0; op_seed=1
                global_seed=10; op_seed=150
                global_seed={2**32 + 5}; op_seed=7
                global_seed=5; op_seed={2**32 + 7}
                global_seed={2**63 - 1}; op_seed={2**63 - 2}
            no-seed: both seeds 0: other numbers every time
                {interval("f32", -1.5, 2.5)}; {NO_SEED}
                {interval("f16", -1.5, 2.5)}; {NO_SEED}
                {interval("f64", -1.5, 2.5)}; {NO_SEED}
                {interval("i32", -7, 1000)}; {NO_SEED}
                {interval("i64", 0, 3)}; {NO_SEED}
            interval: from minval to maxval
                {UNIT}
                {interval("f32", -5.0, -3.0)}
                {interval("f32", -1e30, 1e30)}
                {interval("f32", 1000.0, 1000.5)}
                {interval("i32", 0, 2)}
                {interval("i32", -(2**31), 2**31 - 1)}
                {interval("i32", -(2**31), 0)}
                {interval("i64", 2**40, 2**40 + 1000)}
                {interval("i64", -(2**40), 2**40)}
            sizes: four numbers come at a time
                shape=1|2|3|4|5|7|8|9|31|257
                {interval("f64", 0.0, 1.0)}; shape=1|2|3|5|7
            output-rank: any rank
                shape=2,3|2,3,5,4,1|1,2,1,3,2,2|2,1,3,1,2,1,2,2
            ends-as-1d: minval and maxval may be 1D tensors
                {interval("f32", "[-1.5]", "[2.5]")}
                {interval("i32", "[-7]", "[1000]")}
                minval=f32:[-1.5]
        """),
        variant(
            "pytorch-types",
            "PYTORCH: each type takes its own bits of the numbers of the Mersenne Twister",
            *(f"{each}; {PYTORCH}" for each in OF_EACH_TYPE),
            # Exact: nothing is rounded from 0 to a power of two.
            *(f"{interval(kind, 0.0, high)}; {PYTORCH}" for high in (1.0, 4.0) for kind in REALS),
        ),
        *variants(f"""
            pytorch-seeds: PYTORCH: the last 32 bits of global_seed, and op_seed does not matter
                {UNIT}; {PYTORCH}; global_seed=1|{2**32 + 5}|{2**63 - 1}
                {UNIT}; {PYTORCH}; op_seed=0|{2**32 + 7}
                {interval("i32", 50, 100)}; {PYTORCH}; global_seed=80|0; op_seed=100
            pytorch-sizes: PYTORCH: one draw after the other, and a new state after 624 of them
                {UNIT}; {PYTORCH}; shape=1|3|623|624|625|1300
                {interval("f64", 0.0, 1.0)}; {PYTORCH}; shape=1|3|311|312|313|700
                {interval("i64", 0, 2**33)}; {PYTORCH}; shape=1|3|313|700
                {UNIT}; {PYTORCH}; shape=2,3,5,4,1
            pytorch-interval: PYTORCH: from minval to maxval; of i64 two draws where an end is beyond uint32
                {interval("f32", -5.0, -3.0)}; {PYTORCH}
                {interval("f32", 1000.0, 1000.5)}; {PYTORCH}
                {interval("i32", 0, 2)}; {PYTORCH}
                {interval("i32", -(2**31), 2**31 - 1)}; {PYTORCH}
                {interval("i32", -(2**31), 0)}; {PYTORCH}
                {interval("i64", 0, 2**32 - 1)}; {PYTORCH}
                {interval("i64", 0, 2**32)}; {PYTORCH}
                {interval("i64", 2**40, 2**40 + 1000)}; {PYTORCH}
                {interval("i64", -(2**40), 2**40)}; {PYTORCH}
            pytorch-no-seed: PYTORCH: both seeds 0, other numbers every time
                {interval("f32", -1.5, 2.5)}; {PYTORCH}; {NO_SEED}
                {interval("i32", -7, 1000)}; {PYTORCH}; {NO_SEED}
            empty-shape (may be empty): a dimension may be 0
                shape=2,0,3
            scalar: the shape may be empty, the output is one number
                shape=
                {interval("i32", -7, 1000)}; shape=
                {UNIT}; {PYTORCH}; shape=
        """),
    ],
    readings=[
        Reading(
            "key and counter are 'initialized with global_seed and op_seed'",
            "Each first inference of a request begins at the seeds.",
            "The page describes one execution, and has no state.",
            "silence",
            admits="The sequence goes on from one inference to the next.",
        ),
        Reading(
            "bf16 of Philox, and layers whose seeds are both 0",
            "They are judged by a statistical test.",
            "The page gives no conversion to bf16, and calls the result of two zero seeds random.",
            "silence",
        ),
        Reading(
            "'1 << n - 1', 'x << 32 + y', the words of the MT19937 state",
            "(1 << n) - 1, (x << 32) + y, and 1812433253 * (s ^ (s >> 30)) + i.",
            "Read by the precedence of C the masks and words would not be those of the named "
            "generators.",
            "slip",
        ),
        Reading(
            "outputs printed for alignment = PYTORCH",
            "They are not tested.",
            "They do not follow from the page's own formulas for MT19937.",
            "slip",
        ),
        Reading(
            "values of minval and maxval in the example",
            "0 and 1 of output_type.",
            "The page leaves them open.",
            "silence",
        ),
    ],
)


@RandomUniform.plain
def plain():
    """Seeds that differ, and an interval that does not begin at 0 nor is of length 1."""
    return f"{interval('f32', -1.5, 2.5)}; shape=4,5,7; global_seed=150; op_seed=10"


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
        "minval": kind.tensor(ends[0]),
        "maxval": kind.tensor(ends[1]),
        "output_type": kind.name,
        "alignment": draw.choice([None, None, "PYTORCH"]),
    }
