"""GroupedMatMul (page GroupedMatMul-17)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Sum
from reference.shared.elementwise import real


def products(call: Call) -> int | np.ndarray:
    """How many products one element adds: of weight gradients [G, 1, 1] the tokens of its group."""
    a, b = call.array(0), call.array(1)
    if a.ndim == b.ndim == 2:
        return np.diff(call.array(2).astype(np.int64), prepend=0)[:, np.newaxis, np.newaxis]
    return a.shape[-1]


@implements("GroupedMatMul-17", accuracy=Sum(terms=products), products=((0, 1),))
def grouped_mat_mul(
    mat_a: np.ndarray, mat_b: np.ndarray, offsets: np.ndarray | None = None
) -> np.ndarray:
    """The product of each group's part of mat_a with its part of mat_b; integers wrap.

    [total_tokens, K] by [G, K, N] -> [total_tokens, N], each group of rows by its matrix; [G, M, K] by [G, K, N] ->
    [G, M, N], without ``offsets``; [K, total_tokens] by [total_tokens, N] -> [G, K, N], the sum over each group of
    tokens. Group i ends before offsets[i], where the next one begins. Raises ValueError for other shapes or offsets.
    """
    a, b = real(mat_a), real(mat_b)
    ranks = a.ndim, b.ndim
    if ranks not in ((2, 3), (3, 3), (2, 2)):
        raise ValueError(
            f"GroupedMatMul-17: the ranks must be 2 and 3, 3 and 3, or 2 and 2, got {ranks}"
        )
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"GroupedMatMul-17: mat_a has {a.shape[-1]} columns, mat_b must have as many rows, got {b.shape[-2]}"
        )
    if ranks == (3, 3):
        if offsets is not None or len(a) != len(b):
            raise ValueError(
                f"GroupedMatMul-17: {len(a)} and {len(b)} groups must be as many, without offsets"
            )
        return np.matmul(a, b).astype(a.dtype)
    total = a.shape[1] if ranks == (2, 2) else a.shape[0]
    if offsets is None or offsets.ndim != 1:
        raise ValueError("GroupedMatMul-17: offsets must be there, of rank 1")
    ends = [int(end) for end in offsets]
    if ends != sorted(ends) or ends[:1] < [0] or ends[-1:] != [total]:
        raise ValueError(f"GroupedMatMul-17: offsets must rise from 0 to {total}, got {ends}")
    groups = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if ranks == (2, 2):
        return np.stack([a[:, each] @ b[each] for each in groups]).astype(a.dtype)
    if len(groups) != len(b):
        raise ValueError(f"GroupedMatMul-17: offsets must be {len(b)}, got {len(groups)}")
    return np.concatenate([a[each] @ b[i] for i, each in enumerate(groups)]).astype(a.dtype)
