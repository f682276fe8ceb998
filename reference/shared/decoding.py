"""Best paths of CTC decoders: the largest class of each step, repeated ones merged, blanks removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np

# Paths of equal scores that are looked through for the one of a device.
_MOST_PATHS = 4096


def decoded(path: Sequence[int], blank: int, merge_repeated: bool) -> list[int]:
    """A path without consecutive duplicates, if ``merge_repeated``, and then without blanks."""
    merged = [c for i, c in enumerate(path) if not (merge_repeated and i and path[i - 1] == c)]
    return [c for c in merged if c != blank]


def best_paths(
    scores: np.ndarray, lengths: np.ndarray, blank: int, merge_repeated: bool
) -> np.ndarray:
    """[N, T] classes of scores [N, T, C], -1 behind the last one; of equal scores the first."""
    found = np.full(scores.shape[:2], -1, np.int64)
    for row, each, length in zip(found, scores, lengths, strict=True):
        path = decoded(list(each[:length].argmax(-1)), blank, merge_repeated)
        row[: len(path)] = path
    return found


def admitted(
    found: np.ndarray,
    given: np.ndarray,
    scores: np.ndarray,
    lengths: np.ndarray,
    blank: int,
    merge_repeated: bool,
) -> np.ndarray:
    """``found`` [N, T], with the rows of ``given`` that take another of equal scores."""
    rows = found.copy()
    for number, length in enumerate(lengths):
        for path in _paths(scores[number, :length]):
            row = decoded(path, blank, merge_repeated)
            padded = np.append(row, np.full(found.shape[1] - len(row), -1))
            if np.array_equal(padded, given[number]):
                rows[number] = padded
                break
    return rows


def _paths(scores: np.ndarray) -> Iterator[tuple[int, ...]]:
    largest = [np.flatnonzero(step == step.max()).tolist() for step in scores]
    return islice(product(*largest), _MOST_PATHS)
