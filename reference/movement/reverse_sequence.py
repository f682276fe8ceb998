"""ReverseSequence (page ReverseSequence-1)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis


@implements("ReverseSequence-1")
def reverse_sequence(
    data: np.ndarray, seq_lengths: np.ndarray, *, batch_axis: int = 0, seq_axis: int = 1
) -> np.ndarray:
    """Reverse the first seq_lengths[i] elements of slice ``i`` of data.

    data of rank 2 or more, sliced along ``batch_axis``; the elements are those along ``seq_axis``.
    seq_lengths [data_shape[batch_axis]], each from 1 to data_shape[seq_axis].
    """
    name = "ReverseSequence-1"
    batch = normalize_axis(batch_axis, data.ndim, f"{name}: batch_axis")
    sequence = normalize_axis(seq_axis, data.ndim, f"{name}: seq_axis")
    if batch == sequence:
        raise ValueError(f"{name}: batch_axis and seq_axis must differ, both are {batch}")
    count, most = data.shape[batch], data.shape[sequence]
    if seq_lengths.shape != (count,):
        raise ValueError(f"{name}: seq_lengths must be [{count}], got {list(seq_lengths.shape)}")
    if any(length != int(length) or not 1 <= length <= most for length in seq_lengths):
        given = seq_lengths.tolist()
        raise ValueError(f"{name}: seq_lengths must be integers in [1, {most}], got {given}")
    reversed_data = data.copy()
    # Views with the batch axis first and the sequence axis second.
    source = np.moveaxis(data, (batch, sequence), (0, 1))
    target = np.moveaxis(reversed_data, (batch, sequence), (0, 1))
    for i, length in enumerate(seq_lengths.astype(int)):
        target[i, :length] = source[i, :length][::-1]
    return reversed_data
