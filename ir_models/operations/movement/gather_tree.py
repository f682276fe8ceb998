"""GatherTree: whole beams from the tokens of each step and the beams they came from (page GatherTree-1)."""

from ir_models.declaration import *
from ir_models.families.indices import in_range

T = types("T", "any supported numeric type")
BEAMS = "MAX_TIME, BATCH_SIZE, BEAM_WIDTH"

# Few enough tokens that each beam meets the end token now and then.
TOKENS = 16


def tokens(layer, state):
    """Tokens without an end in the first step, so that not every beam is an end throughout."""
    kind = layer.step_ids.element_type
    most = min(TOKENS, kind.integer_range[1] + 1) if kind.is_integer else TOKENS
    ids = state.randint(0, most, layer.step_ids.shape)
    ids[:1] += ids[:1] == layer.end_token.value
    return ids


def beams(layer, state):
    return state.randint(0, max(layer.parent_ids.shape[-1], 1), layer.parent_ids.shape)


def large_tokens(kind, first, second, third, last):
    """Two beams of three steps that change places."""
    tokens = f"[[[{first},2]],[[3,{second}]],[[{third},{last}]]]"
    beams = "[[[0,1]],[[1,0]],[[1,0]]]"
    return f"step_ids={kind}:{tokens}; parent_ids={kind}:{beams}; max_seq_len={kind}:3"


BEAMS_KEEP = "parent_ids=i64:[[[0,0]],[[0,1]],[[0,1]]]"
ONE_BEAM = "parent_ids=i64:[[[1,1]],[[1,1]],[[1,1]]]"
FLOATING = "step_ids=f32[6,3,5]; parent_ids=f32[6,3,5]"


GatherTree = Operation(
    "GatherTree-1",
    "opset1",
    inputs=[
        Input("step_ids", T, shape=BEAMS, values=tokens),
        Input("parent_ids", T, shape=BEAMS, values=beams),
        Index("max_seq_len", T, shape="BATCH_SIZE"),
        Index("end_token", T, shape="scalar"),
    ],
    outputs=[Output("final_ids", T)],
    examples=examples(
        "step_ids=i64[100,1,10]; parent_ids=i64[100,1,10]; max_seq_len=100; end_token=4 -> [100,1,10]",
        ports=[0, 1, 2, 3, 0],
    ),
    rules=[
        rule(
            "max_seq_len is at least 1: the algorithm starts at the step before it",
            lambda layer: min(layer.max_seq_len.value, default=1) >= 1,
            unasked="the page does not say what a sequence without a step gives",
        ),
        rule(
            "there is a step to start at",
            lambda layer: layer.step_ids.shape[0] >= 1,
            unasked="the page does not say what a sequence without a step gives",
        ),
        rule(
            "parent_ids are in [0, BEAM_WIDTH - 1]",
            lambda layer: in_range(layer.parent_ids, layer.parent_ids.shape[-1]),
            unasked="the page states no range",
        ),
        rule(
            "max_seq_len and end_token are integers",
            lambda layer: all(
                isinstance(number, str) or number == int(number)
                for number in (*layer.max_seq_len.value, layer.end_token.value)
            ),
            [
                f"{FLOATING}; max_seq_len=f32:6.5,4.0,9.0; end_token=f32:4.0",
                f"{FLOATING}; max_seq_len=f32:6.0,4.0,9.0; end_token=f32:4.5",
            ],
        ),
    ],
    violations=["parent_ids=i64[6,1,5]", "max_seq_len=6,4,9,2"],
    variants=variants(f"""
        short-sequences: what follows the length of a sequence is the end token
            max_seq_len=1,2,3|4,4,4|1,1,1
        long-sequences: lengths beyond the steps
            max_seq_len=6,7,100
        end-token: any token; no step decodes the last one
            end_token=0|8|17
        first-step-ends: what follows an end token is the end token
            step_ids=i64:[[[4,1]],[[2,3]],[[5,6]]]; max_seq_len=3; {BEAMS_KEEP}
        one-parent: beams may come from one
            step_ids=i64:[[[1,2]],[[3,5]],[[6,7]]]; max_seq_len=3; {ONE_BEAM}
        narrow-lengths: lengths that a type of four bits holds
            step_ids=i4[6,3,5]; parent_ids=i4[6,3,5]; max_seq_len=i4:6,4,7; end_token=i4:4
        large-tokens: tokens of the type, exact
            {large_tokens("i32", 2**24 + 1, -5, 2**30 + 3, 2**31 - 1)}; end_token=i32:{2**24}
            {large_tokens("i64", 2**32 + 4, -(2**62), 2**53 + 1, 7)}
            {large_tokens("f32", 2**24 - 1, 1025, 2**24 - 3, 7)}; end_token=f32:4
            {large_tokens("f64", 2**53 - 1, 1025, 2**53 - 3, 7)}; end_token=f64:4
            {large_tokens("u64", 2**63 + 7, 1025, 2**63 + 5, 7)}; end_token=u64:4
    """),
    readings=[
        Reading(
            "max_seq_len and end_token in the example, and the type",
            "100 and 4, i64.",
            "The page leaves them open.",
            "silence",
        ),
        Reading(
            "'any supported numeric type' for tokens and beams",
            "Integers, written in that type.",
            "Beams are indices and tokens are compared with one.",
        ),
    ],
)


@GatherTree.plain
def plain():
    """Sequences that end before, at and after the last step."""
    return "step_ids=i64[6,3,5]; parent_ids=i64[6,3,5]; max_seq_len=6,4,9; end_token=4"


@GatherTree.random
def layer(draw):
    max_time, batch_size, beam_width = draw.integer(1, 12), draw.integer(1, 5), draw.integer(2, 8)
    beams = f"i64[{max_time},{batch_size},{beam_width}]"
    lengths = [draw.integer(1, max_time + 2) for _ in range(batch_size)]
    end_token = draw.integer(0, TOKENS + 4)
    return f"step_ids={beams}; parent_ids={beams}; max_seq_len={lengths}; end_token={end_token}"
