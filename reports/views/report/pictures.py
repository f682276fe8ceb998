"""Pictures of a wrong output: where, how much, and the worst elements.

Everything here is plain data for JSON: the report draws it.
"""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reports.results.case_folder.comparison import ElementComparison, compare, interval, show, worst
from reports.results.failures import folders
from reports.results.records import CaseRecord

WORST_ELEMENTS = 8
OUTPUTS = 4  # pictured at most per case
SLICES = 12  # pictured at most per output, or up to MANY_SLICES while they have few cells
MANY_SLICES = 48
FEW_CELLS = 1024
CELLS = 64  # of a picture's side at most; half of it where there are several slices

# A cell's level is one byte: 0 for equal, SILENT where it differs and the specification is silent, up to WITHIN inside
# the bound, and above it beyond.
SILENT = 1
WITHIN = 127
BEYOND = 255


class Cells(NamedTuple):
    """A tensor laid out as slices of rows and columns, [slices, rows, columns]."""

    values: np.ndarray
    leading: tuple[int, ...]  # the dimensions that number the slices
    folded: bool  # one dimension, continued from row to row


def of_folder(folder: Path, record: CaseRecord) -> list[dict[str, Any]]:
    """Pictures of the wrong outputs that a failure folder holds, at most OUTPUTS of them.

    Raises ValueError or OSError if the folder is damaged or belongs to another result.
    """
    found: list[dict[str, Any]] = []
    manifest = folders.read(folder, record)
    for number, inference in enumerate(manifest.inferences):
        pairs = zip(inference.expected, inference.actual, strict=False)
        for k, (expected_file, actual_file) in enumerate(pairs):
            if len(found) == OUTPUTS:
                return found
            several = len(manifest.inferences) > 1
            picture = {
                "where": f"inference {number}, output {k}" if several else f"output {k}",
                "name": expected_file.name,
                "type": expected_file.element_type,
                "shape": list(expected_file.shape),
            }
            expected, actual = expected_file.load(folder).values(), actual_file.load(folder)
            if (actual.element_type, actual.shape) != (
                expected_file.element_type,
                expected_file.shape,
            ):
                instead = f"{actual.element_type}{list(actual.shape)}"
                found.append({**picture, "instead": instead})
                continue
            allowed = inference.allowed_errors(folder, k)
            comparison = compare(expected, actual.values(), allowed)
            if comparison.wrong.any():
                found.append(
                    {**picture, **_picture(expected, actual.values(), allowed, comparison)}
                )
    return found


def _picture(
    expected: np.ndarray,
    actual: np.ndarray,
    allowed: np.ndarray | None,
    comparison: ElementComparison,
) -> dict[str, Any]:
    elements = []
    for index in worst(comparison, WORST_ELEMENTS):
        limit = None
        if allowed is not None:
            limit = float(np.broadcast_to(allowed, expected.shape)[index])
        low, high = interval(expected[index], limit)
        fraction = float(comparison.fraction[index])
        elements.append(
            {
                "index": list(index),
                "expected": show(expected[index]),
                "actual": show(actual[index]),
                "low": low,
                "high": high,
                "times": fraction if math.isfinite(fraction) else None,
            }
        )
    return {
        "wrong": int(comparison.wrong.sum()),
        "open": int(comparison.open.sum()),
        "of": comparison.wrong.size,
        "exact": allowed is None,
        "worst": elements,
        "map": heat_map(comparison),
        "histogram": histogram(comparison, exact=allowed is None),
    }


def heat_map(comparison: ElementComparison) -> dict[str, Any]:
    """Levels of an output's elements as slices of the last two dimensions.

    A cell shows the worst of the elements that it covers (``step`` rows and columns of them).
    If there are too many slices, those with the worst elements are shown, in order.
    """
    cells = _slices(_levels(comparison))
    wrong = _slices(comparison.wrong).values.sum(axis=(1, 2))
    height, width = cells.values.shape[1:]
    # Levels are unsigned: as such they cannot be negated to sort the worst first.
    peak = cells.values.max(axis=(1, 2), initial=0).astype(np.int64)
    shown = max(SLICES, min(MANY_SLICES, FEW_CELLS // max(height * width, 1)))
    chosen = np.sort(np.lexsort((np.arange(len(peak)), -wrong, -peak))[:shown])
    side = CELLS if len(chosen) == 1 else CELLS // 2
    step = (math.ceil(height / side), math.ceil(width / side))
    return {
        "rows": height,
        "columns": width,
        "step": list(step),
        "folded": cells.folded,
        "flat": comparison.wrong.ndim < 2,
        "slices": [
            {
                "index": [int(i) for i in np.unravel_index(n, cells.leading)],
                "wrong": int(wrong[n]),
                "cells": base64.b64encode(_shrink(cells.values[n], step).tobytes()).decode(),
            }
            for n in chosen
        ],
        "of": len(wrong),
        "others": int((wrong > 0).sum() - (wrong[chosen] > 0).sum()),
    }


def _levels(comparison: ElementComparison) -> np.ndarray:
    """Level of each element, uint8 in the output's shape; beyond the bound on a log scale."""
    fraction = np.minimum(comparison.fraction, 2.0**64)
    within = np.where(fraction > 0, np.maximum(np.ceil(fraction * WITHIN), SILENT + 1), 0)
    beyond = WITHIN + 1 + 8 * np.log2(np.maximum(fraction, 1))
    level = np.where(comparison.wrong, np.maximum(beyond, WITHIN + 1), np.minimum(within, WITHIN))
    level = np.where(comparison.open, SILENT, level)
    levels: np.ndarray = np.minimum(level, BEYOND).astype(np.uint8)
    return levels


def _slices(values: np.ndarray) -> Cells:
    """Lay out a tensor: a long one-dimensional one is folded into rows."""
    if values.ndim >= 2:
        return Cells(values.reshape(-1, *values.shape[-2:]), values.shape[:-2], folded=False)
    row = values.reshape(-1)
    if row.size <= CELLS:
        return Cells(row.reshape(1, 1, -1), (), folded=False)
    padded = np.zeros(math.ceil(row.size / CELLS) * CELLS, row.dtype)
    padded[: row.size] = row
    return Cells(padded.reshape(1, -1, CELLS), (), folded=True)


def _shrink(cells: np.ndarray, step: tuple[int, int]) -> np.ndarray:
    """Largest level of each block of ``step`` rows and columns."""
    rows = np.maximum.reduceat(cells, np.arange(0, cells.shape[0], step[0]), axis=0)
    return np.maximum.reduceat(rows, np.arange(0, cells.shape[1], step[1]), axis=1)


def histogram(comparison: ElementComparison, *, exact: bool) -> list[dict[str, Any]]:
    """Counts of elements by error, from none to the largest, empty bins at the ends left out.

    The errors are counted as a fraction of the bound, or by their magnitude where ``exact``.
    A bin says whether its elements are ``wrong``.
    """
    if exact:
        magnitudes = [(10.0**e, f"to 1e{e}", True) for e in range(-9, 10, 2)]
        return _bins(comparison, comparison.error, [*magnitudes, (np.inf, "larger", True)])
    inside = [(2.0**-e, f"to 1/{2**e} of the bound", False) for e in (6, 5, 4, 3, 2, 1)]
    outside = [(2.0**e, f"to {2**e} times the bound", True) for e in (1, 2, 3, 5, 8, 12)]
    edges = [*inside, (1.0, "to the bound", False), *outside, (np.inf, "more", True)]
    return _bins(comparison, comparison.fraction, edges)


def _bins(
    comparison: ElementComparison, size: np.ndarray, edges: list[tuple[float, str, bool]]
) -> list[dict[str, Any]]:
    """Bins of nonzero sizes up to each edge (edge, label, wrong), between those of zero and NaN."""
    wrong = comparison.wrong
    finite = np.isfinite(size)
    bin_index = np.searchsorted([edge for edge, _, _ in edges], size[finite & (size > 0)])
    counts = np.bincount(bin_index, minlength=len(edges))
    used = np.flatnonzero(counts)
    middle = slice(used[0], used[-1] + 1) if used.size else slice(0, 0)
    bins = [
        ("equal", False, int((~wrong & ~comparison.open & (size == 0)).sum())),
        ("differs where the specification is silent", False, int(comparison.open.sum())),
        ("another zero", True, int((wrong & (size == 0)).sum())),
    ]
    for (_, label, beyond), count in list(zip(edges, counts, strict=True))[middle]:
        bins.append((label, beyond, int(count)))
    bins.append(("not finite", True, int((~finite).sum())))
    return [
        {"label": label, "wrong": beyond, "count": count}
        for n, (label, beyond, count) in enumerate(bins)
        if count or 2 < n < len(bins) - 1
    ]
