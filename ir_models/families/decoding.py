"""Scores of classes at each step of sequences; CTC decoders take the largest."""

from __future__ import annotations

import numpy as np

from ir_models.declaration import Draw, Layer, Reading, Rule, rule

TIES = Reading(
    "'the most probable classes' where several are equal",
    "Any of them is right.",
    "The page does not order them.",
    "silence",
)


def has_classes() -> Rule:
    """The rule that the last dimension of data is not 0."""
    return rule(
        "there is a class",
        lambda layer: layer.data.shape[-1] > 0,
        unasked="the page does not say what is decoded of none",
    )


def peaks(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Whole numbers, different ones in each step; few classes, the first and the last, are the largest.

    So classes come again in consecutive steps, with and without a blank between them.
    """
    *steps, count = layer.data.shape
    scores = np.argsort(state.random_sample((*steps, count)), axis=-1)
    if not scores.size:
        return scores
    winners = np.array([0, 1, 2, count - 1])[state.randint(0, 4, (*steps, 1))] % count
    before = np.take_along_axis(scores, winners, -1)
    np.put_along_axis(scores, scores.argmax(-1)[..., np.newaxis], before, -1)
    np.put_along_axis(scores, winners, count - 1, -1)
    return scores - count // 2


def sizes(draw: Draw) -> tuple[int, int, int]:
    """N, T and C of a random layer."""
    return draw.integer(1, 5), draw.integer(1, 12), draw.integer(2, 9)
