"""GatherTree: whole beams from the tokens of each step and the beams they came from (page GatherTree-1)."""

import numpy as np

from ir_models.declaration import Index, Input, Operation, Output, exactly, example
from ir_models.element_types import NUMERIC, f32, f64, i32, i64, types, u64

T = types("T", NUMERIC)

# Few enough tokens that each beam meets the end token now and then.
TOKENS = 16


def tokens(layer, state):
    """Tokens of which the first step has no end, so that not every beam is an end throughout."""
    ids = state.randint(0, TOKENS, layer.step_ids.shape)
    ids[:1] += ids[:1] == layer.end_token.value
    return ids


def beams(layer, state):
    return state.randint(0, max(layer.parent_ids.shape[-1], 1), layer.parent_ids.shape)


GatherTree = Operation(
    "GatherTree-1",
    opset="opset1",
    inputs=[
        Input("step_ids", T, exactly(3), values=tokens),
        Input("parent_ids", T, exactly(3), values=beams),
        Index("max_seq_len", T, exactly(1)),
        Index("end_token", T, exactly(0)),
    ],
    outputs=[Output("final_ids", T)],
    examples=[
        example(
            # The page leaves the values of max_seq_len and end_token open, and the type.
            step_ids=i64[100, 1, 10],
            parent_ids=i64[100, 1, 10],
            max_seq_len=[100],
            end_token=4,
            output=[100, 1, 10],
            ports=[0, 1, 2, 3, 0],
        )
    ],
    variants={
        "short-sequences": [
            {"max_seq_len": [1, 2, 3]},
            {"max_seq_len": [4, 4, 4]},
            {"max_seq_len": [1, 1, 1]},
        ],
        "long-sequences": [{"max_seq_len": [6, 7, 100]}],
        "end-token": [
            {"end_token": 0},
            {"end_token": 8},
            # No step decodes this one.
            {"end_token": 17},
        ],
        "first-step-ends": [
            {
                "step_ids": i64.tensor([[[4, 1]], [[2, 3]], [[5, 6]]]),
                "parent_ids": i64.tensor([[[0, 0]], [[0, 1]], [[0, 1]]]),
                "max_seq_len": [3],
            }
        ],
        "one-parent": [
            {
                "step_ids": i64.tensor([[[1, 2]], [[3, 5]], [[6, 7]]]),
                "parent_ids": i64.tensor([[[1, 1]], [[1, 1]], [[1, 1]]]),
                "max_seq_len": [3],
            }
        ],
        "large-tokens": [
            {
                "step_ids": i32.tensor([[[2**24 + 1, 2]], [[3, -5]], [[2**30 + 3, 2**31 - 1]]]),
                "parent_ids": i32.tensor([[[0, 1]], [[1, 0]], [[1, 0]]]),
                "max_seq_len": i32.tensor([3]),
                "end_token": i32.tensor(2**24),
            },
            {
                "step_ids": i64.tensor([[[2**32 + 4, 2]], [[3, -(2**62)]], [[2**53 + 1, 7]]]),
                "parent_ids": i64.tensor([[[0, 1]], [[1, 0]], [[1, 0]]]),
                "max_seq_len": [3],
            },
            *(
                {
                    "step_ids": kind.tensor([[[most, 2]], [[3, 1025]], [[most - 2, 7]]]),
                    "parent_ids": kind.tensor([[[0, 1]], [[1, 0]], [[1, 0]]]),
                    "max_seq_len": kind.tensor([3]),
                    "end_token": kind.tensor(4),
                }
                for kind, most in ((f32, 2**24 - 1), (f64, 2**53 - 1), (u64, 2**63 + 7))
            ),
        ],
    },
)


@GatherTree.plain
def plain():
    """Sequences that end before, at and after the last step."""
    return {
        "step_ids": i64[6, 3, 5],
        "parent_ids": i64[6, 3, 5],
        "max_seq_len": [6, 4, 9],
        "end_token": 4,
    }


@GatherTree.random
def layer(draw):
    max_time, batch_size, beam_width = draw.integer(1, 12), draw.integer(1, 5), draw.integer(2, 8)
    shape = (max_time, batch_size, beam_width)
    return {
        "step_ids": i64[shape],
        "parent_ids": i64[shape],
        "max_seq_len": [draw.integer(1, max_time + 2) for _ in range(batch_size)],
        "end_token": draw.integer(0, TOKENS + 4),
    }


@GatherTree.rule(
    "step_ids and parent_ids have one shape",
    broken=[
        {"parent_ids": i64[5, 3, 5]},
        {"parent_ids": i64[6, 3, 4]},
        {"step_ids": i64[6, 3, 6]},
        {"parent_ids": i64[6, 1, 5]},
    ],
)
def shapes_are_equal(layer):
    return layer.step_ids.shape == layer.parent_ids.shape


@GatherTree.rule(
    "max_seq_len has one length for each sequence of the batch",
    broken=[{"max_seq_len": [6, 4]}, {"max_seq_len": [6, 4, 9, 2]}],
)
def one_length_for_each(layer):
    # Where the shapes of step_ids and parent_ids disagree, another rule says so.
    return not shapes_are_equal(layer) or layer.max_seq_len.shape == layer.step_ids.shape[1:2]


@GatherTree.rule("max_seq_len is at least 1: the algorithm starts at the step before it")
def lengths_are_positive(layer):
    return min(layer.max_seq_len.value, default=1) >= 1


@GatherTree.rule("there is a step to start at")
def has_steps(layer):
    return layer.step_ids.shape[0] >= 1


@GatherTree.rule("parent_ids are in [0, BEAM_WIDTH - 1]")
def parents_are_beams(layer):
    width = layer.parent_ids.shape[-1]
    if layer.parent_ids.value is None:
        return True
    return all(0 <= parent < width for parent in np.ravel(layer.parent_ids.value))


@GatherTree.rule("max_seq_len and end_token are integers")
def values_are_integers(layer):
    numbers = (*layer.max_seq_len.value, layer.end_token.value)
    return all(isinstance(number, str) or number == int(number) for number in numbers)
