"""RandomUniform: numbers of Philox or of the Mersenne Twister in an interval (page RandomUniform-8)."""

from ir_models.declaration import Attribute, Index, Operation, Output, example, rule, variant
from ir_models.element_types import ELEMENT_TYPES, bf16, f16, f32, f64, i32, i64, types

T_SHAPE = types("T_SHAPE", i32, i64)
# It is output_type, as a rule says.
T_OUT = types("T_OUT", f32, f16, bf16, f64, i32, i64)


def interval(kind, low, high, more=""):
    """minval, maxval and output_type in one type."""
    return f"minval={kind}:{low}; maxval={kind}:{high}; output_type={kind}{more}"


def types_agree(layer):
    kind, wanted = layer.minval.element_type, ELEMENT_TYPES.get(layer.output_type)
    # That types differ, or are unheard of, is said by other rules.
    others_say = kind != layer.maxval.element_type or kind not in T_OUT or wanted is None
    return others_say or kind == wanted


def end(tensor):
    return float(tensor.value[0] if tensor.rank else tensor.value)


PYTORCH = "; alignment=PYTORCH"
REALS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i32", "i64")

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
    examples=[
        # The page leaves the values of minval and maxval open.
        example(
            f"shape=i32:2,3,10; {interval('f32', 0.0, 1.0)}; global_seed=234; op_seed=148",
            output=[2, 3, 10],
        )
    ],
    # The page does not say whether the sequence begins anew with each inference.
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
        variant(
            "printed",
            "the page prints what these give",
            interval("f32", 0.0, 1.0, "; shape=3,3; global_seed=150; op_seed=10"),
            interval("f64", 2.0, 10.0, "; shape=2,2; global_seed=80; op_seed=100"),
            interval("i32", 50, 100, "; shape=2,3; global_seed=80; op_seed=100"),
        ),
        variant(
            "output-types",
            "each has its own conversion from random bits",
            *(interval(kind, -7, 1000) for kind in INTEGERS),
            *(interval(kind, -1.5, 2.5) for kind in REALS),
        ),
        variant(
            "seeds",
            "64 bits each",
            "global_seed=1; op_seed=0",
            "global_seed=0; op_seed=1",
            "global_seed=10; op_seed=150",
            f"global_seed={2**32 + 5}; op_seed=7",
            f"global_seed=5; op_seed={2**32 + 7}",
            f"global_seed={2**63 - 1}; op_seed={2**63 - 2}",
        ),
        variant(
            "no-seed",
            "both seeds 0: other numbers every time",
            *(interval(t, -1.5, 2.5, "; global_seed=0; op_seed=0") for t in ("f32", "f16", "f64")),
            interval("i32", -7, 1000, "; global_seed=0; op_seed=0"),
            interval("i64", 0, 3, "; global_seed=0; op_seed=0"),
        ),
        variant(
            "interval",
            "from minval to maxval",
            interval("f32", 0.0, 1.0),
            interval("f32", -5.0, -3.0),
            interval("f32", -1e30, 1e30),
            interval("f32", 1000.0, 1000.5),
            interval("i32", 0, 2),
            interval("i32", -(2**31), 2**31 - 1),
            interval("i32", -(2**31), 0),
            interval("i64", 2**40, 2**40 + 1000),
            # Random numbers have 32 bits: of a wider interval they reach but the beginning.
            interval("i64", -(2**40), 2**40),
        ),
        variant(
            "sizes",
            "four numbers come at a time",
            "shape=1|2|3|4|5|7|8|9|31|257",
            interval("f64", 0.0, 1.0, "; shape=1|2|3|5|7"),
        ),
        variant("output-rank", "any rank", "shape=2,3|2,3,5,4,1|1,2,1,3,2,2|2,1,3,1,2,1,2,2"),
        variant(
            "ends-as-1d",
            "minval and maxval may be 1D tensors",
            interval("f32", "[-1.5]", "[2.5]"),
            interval("i32", "[-7]", "[1000]"),
            "minval=f32:[-1.5]",
        ),
        variant(
            "pytorch-types",
            "PYTORCH: each type takes its own bits of the numbers of the Mersenne Twister",
            *(interval(kind, -7, 1000, PYTORCH) for kind in INTEGERS),
            *(interval(kind, -1.5, 2.5, PYTORCH) for kind in REALS),
            # Exact: nothing is rounded from 0 to a power of two.
            *(interval(kind, 0.0, 1.0, PYTORCH) for kind in REALS),
            *(interval(kind, 0.0, 4.0, PYTORCH) for kind in REALS),
        ),
        variant(
            "pytorch-seeds",
            "PYTORCH: the last 32 bits of global_seed, and op_seed does not matter",
            interval("f32", 0.0, 1.0, f"{PYTORCH}; global_seed=1|{2**32 + 5}|{2**63 - 1}"),
            interval("f32", 0.0, 1.0, f"{PYTORCH}; op_seed=0|{2**32 + 7}"),
            interval("i32", 50, 100, f"{PYTORCH}; global_seed=80; op_seed=100"),
            interval("i32", 50, 100, f"{PYTORCH}; global_seed=0; op_seed=100"),
        ),
        variant(
            "pytorch-sizes",
            "PYTORCH: one draw after the other, and a new state after 624 of them",
            interval("f32", 0.0, 1.0, f"{PYTORCH}; shape=1|3|623|624|625|1300"),
            interval("f64", 0.0, 1.0, f"{PYTORCH}; shape=1|3|311|312|313|700"),
            interval("i64", 0, 2**33, f"{PYTORCH}; shape=1|3|313|700"),
            interval("f32", 0.0, 1.0, f"{PYTORCH}; shape=2,3,5,4,1"),
        ),
        variant(
            "pytorch-interval",
            "PYTORCH: from minval to maxval; of i64 two draws where an end is beyond uint32",
            interval("f32", -5.0, -3.0, PYTORCH),
            interval("f32", 1000.0, 1000.5, PYTORCH),
            interval("i32", 0, 2, PYTORCH),
            interval("i32", -(2**31), 2**31 - 1, PYTORCH),
            interval("i32", -(2**31), 0, PYTORCH),
            interval("i64", 0, 2**32 - 1, PYTORCH),
            interval("i64", 0, 2**32, PYTORCH),
            interval("i64", 2**40, 2**40 + 1000, PYTORCH),
            interval("i64", -(2**40), 2**40, PYTORCH),
        ),
        variant(
            "pytorch-no-seed",
            "PYTORCH: both seeds 0, other numbers every time",
            interval("f32", -1.5, 2.5, f"{PYTORCH}; global_seed=0; op_seed=0"),
            interval("i32", -7, 1000, f"{PYTORCH}; global_seed=0; op_seed=0"),
        ),
        variant("empty-shape", "a dimension may be 0", "shape=2,0,3", may_be_empty=True),
    ],
)


@RandomUniform.plain
def plain():
    """Seeds that differ, and an interval that does not begin at 0 nor is of length 1."""
    return interval("f32", -1.5, 2.5, "; shape=4,5,7; global_seed=150; op_seed=10")


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
