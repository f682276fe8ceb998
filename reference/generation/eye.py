"""Eye (page Eye-9)."""

import numpy as np

from reference import implements
from reference.shared.axes import one_number
from reference.shared.conversion import converted


@implements("Eye-9")
def eye(
    num_rows: np.ndarray,
    num_columns: np.ndarray,
    diagonal_index: np.ndarray,
    batch_shape: np.ndarray | None = None,
    *,
    output_type: object,
) -> np.ndarray:
    """Matrices [*batch_shape, num_rows, num_columns] with ones at [i, i + diagonal_index] and zeros elsewhere.

    Sizes and index are scalars or have one element. Raises ValueError for others and for a negative size.
    """
    rows, columns = (
        one_number(num_rows, "Eye-9: num_rows"),
        one_number(num_columns, "Eye-9: num_columns"),
    )
    batch = [] if batch_shape is None else [int(size) for size in batch_shape]
    if min(rows, columns, *batch) < 0:
        raise ValueError(f"Eye-9: sizes must not be negative, got {[*batch, rows, columns]}")
    diagonal = one_number(diagonal_index, "Eye-9: diagonal_index")
    matrix = np.arange(columns) - np.arange(rows)[:, None] == diagonal
    return converted(
        np.broadcast_to(matrix, (*batch, rows, columns)), str(output_type), "Eye-9: output_type"
    )
