"""CTCGreedyDecoder (page CTCGreedyDecoder-1)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, Arrays, Call, Choice
from reference.shared.decoding import admitted, best_paths

Decoding = tuple[np.ndarray, np.ndarray, int, bool]


def _decoding(data: np.ndarray, sequence_mask: np.ndarray, ctc_merge_repeated: bool) -> Decoding:
    """Scores [N, T, C], lengths, the blank and the flag. Raises ValueError."""
    if data.ndim != 3 or sequence_mask.shape != data.shape[:2]:
        raise ValueError("CTCGreedyDecoder-1: data must be [T, N, C] and sequence_mask [T, N]")
    mask = sequence_mask.astype(np.float64)
    if not np.isin(mask, (0, 1)).all() or np.any(np.diff(mask, axis=0) > 0):
        raise ValueError("CTCGreedyDecoder-1: sequence_mask must be ones and behind them zeros")
    scores = data.astype(np.float64).swapaxes(0, 1)
    return scores, mask.sum(0).astype(int), data.shape[2] - 1, ctc_merge_repeated


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    (found,), (given,) = call.outputs, actual
    if given.shape != found.shape:
        return call.outputs
    merge = call.attributes.get("ctc_merge_repeated", True)
    decoding = _decoding(call.array(0), call.array(1), merge)
    rows = admitted(found[:, :, 0, 0], given[:, :, 0, 0].astype(np.float64), *decoding)
    return (rows[:, :, np.newaxis, np.newaxis],)


@implements("CTCGreedyDecoder-1", accuracy=Choice(_nearest, within=UNROUNDED))
def ctc_greedy_decoder(
    data: np.ndarray, sequence_mask: np.ndarray, *, ctc_merge_repeated: bool = True
) -> np.ndarray:
    """The most probable class of each step without blanks: [N, T, 1, 1], -1 behind the last one.

    data [T, N, C]; sequence_mask [T, N] is 1 in the steps of a sequence, 0 behind them. The blank is C - 1. Equal
    classes in consecutive steps are one, if ``ctc_merge_repeated``. Raises ValueError for other shapes or masks.
    """
    found = best_paths(*_decoding(data, sequence_mask, ctc_merge_repeated))
    return found[:, :, np.newaxis, np.newaxis].astype(np.float64)
