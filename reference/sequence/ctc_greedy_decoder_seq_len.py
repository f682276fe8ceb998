"""CTCGreedyDecoderSeqLen (page CTCGreedyDecoderSeqLen-6)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import UNROUNDED, Arrays, Call, Choice
from reference.shared.axes import one_number
from reference.shared.checks import INDEX_TYPES, IndexType
from reference.shared.decoding import admitted, best_paths

_NAME = "CTCGreedyDecoderSeqLen-6"


def _decoding(
    data: np.ndarray, sequence_length: np.ndarray, blank_index: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Scores, lengths and the blank. Raises ValueError."""
    if data.ndim != 3 or sequence_length.shape != data.shape[:1]:
        raise ValueError(f"{_NAME}: data must be [N, T, C] and sequence_length [N]")
    _, steps, classes = data.shape
    lengths = sequence_length.astype(np.int64)
    if np.any((lengths < 0) | (lengths > steps)):
        raise ValueError(f"{_NAME}: sequence_length must be from 0 to {steps}, got {lengths}")
    blank = classes - 1
    if blank_index is not None:
        blank = int(one_number(blank_index, f"{_NAME}: blank_index"))
    if not 0 <= blank < classes:
        raise ValueError(f"{_NAME}: blank_index must be a class below {classes}, got {blank}")
    return data.astype(np.float64), lengths, blank


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    if any(one.shape != other.shape for one, other in zip(actual, call.outputs, strict=True)):
        return call.outputs
    decoding = _decoding(call.array(0), call.array(1), (*call.inputs, None)[2])
    merge = call.attributes.get("merge_repeated", True)
    rows = admitted(call.outputs[0], actual[0], *decoding, merge)
    classes, lengths = call.outputs
    return rows.astype(classes.dtype), np.sum(rows >= 0, axis=1).astype(lengths.dtype)


@implements("CTCGreedyDecoderSeqLen-6", accuracy=Choice(_nearest, within=UNROUNDED))
def ctc_greedy_decoder_seq_len(
    data: np.ndarray,
    sequence_length: np.ndarray,
    blank_index: np.ndarray | None = None,
    *,
    merge_repeated: bool = True,
    classes_index_type: IndexType = "i32",
    sequence_length_type: IndexType = "i32",
) -> tuple[np.ndarray, np.ndarray]:
    """The most probable class of each step without blanks, [N, T] with -1 behind the last one, and their numbers [N].

    data [N, T, C]; of each sequence the first ``sequence_length`` steps count. The blank is C - 1 by default. Equal
    classes in consecutive steps are one, if ``merge_repeated``. Raises ValueError for other shapes, lengths or blanks.
    """
    found = best_paths(*_decoding(data, sequence_length, blank_index), merge_repeated)
    lengths = np.sum(found >= 0, axis=1)
    return (
        found.astype(INDEX_TYPES[classes_index_type]),
        lengths.astype(INDEX_TYPES[sequence_length_type]),
    )
