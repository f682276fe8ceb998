"""SparseFillEmptyRows (page SparseFillEmptyRows-16)."""

import numpy as np

from reference import implements
from reference.accuracy import Arrays
from reference.shared.axes import require_rank
from reference.shared.checks import flat_positions

_NAME = "SparseFillEmptyRows-16"


@implements("SparseFillEmptyRows-16")
def sparse_fill_empty_rows(
    values: np.ndarray, dense_shape: np.ndarray, indices: np.ndarray, default_value: np.ndarray
) -> Arrays:
    """The values and their positions in row-major order, with ``default_value`` at [row, 0] of each row without any.

    values [M], dense_shape [2], indices [M, 2], default_value [] -> output_indices [M', 2], output_values [M'], and
    empty_row_indicator [dense_shape[0]], which rows were filled. Raises ValueError where shapes do not fit and for
    indices outside dense_shape.
    """
    require_rank(default_value, (0,), f"{_NAME}: default_value")
    if dense_shape.shape != (2,) or np.any(dense_shape < 0):
        raise ValueError(f"{_NAME}: dense_shape must be two sizes, got {dense_shape}")
    if values.ndim != 1 or indices.shape != (len(values), 2):
        raise ValueError(
            f"{_NAME}: values must be [M] and indices [M, 2], got {list(values.shape)} and {list(indices.shape)}"
        )
    flat_positions(indices, tuple(map(int, dense_shape)), f"{_NAME}: indices")
    is_empty = ~np.isin(np.arange(dense_shape[0]), indices[:, 0])
    (rows,) = np.nonzero(is_empty)
    added = np.column_stack([rows, np.zeros_like(rows)]).astype(indices.dtype)
    positions = np.concatenate([indices, added])
    filled = np.concatenate([values, np.full(len(rows), default_value, values.dtype)])
    order = np.lexsort((positions[:, 1], positions[:, 0]))
    return positions[order], filled[order], is_empty
