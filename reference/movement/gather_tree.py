"""GatherTree (page GatherTree-1)."""

import numpy as np

from reference import implements


@implements("GatherTree-1")
def gather_tree(
    step_ids: np.ndarray, parent_ids: np.ndarray, max_seq_len: np.ndarray, end_token: np.ndarray
) -> np.ndarray:
    """Follow each beam from its last step back through its parents; fill with end_token after its end.

    step_ids and parent_ids [MAX_TIME, BATCH_SIZE, BEAM_WIDTH], max_seq_len [BATCH_SIZE], end_token a scalar ->
    [MAX_TIME, BATCH_SIZE, BEAM_WIDTH]. Raises ValueError for other shapes, a parent that is no beam, a length
    below 1, or a number that is no integer.
    """
    if step_ids.ndim != 3 or step_ids.shape != parent_ids.shape:
        got = f"{step_ids.shape} and {parent_ids.shape}"
        raise ValueError(
            f"GatherTree-1: step_ids and parent_ids must have one shape of rank 3, got {got}"
        )
    max_time, batch_size, beam_width = step_ids.shape
    if max_seq_len.shape != (batch_size,):
        raise ValueError(
            f"GatherTree-1: max_seq_len must have shape ({batch_size},), got {max_seq_len.shape}"
        )
    if end_token.shape != ():
        raise ValueError(f"GatherTree-1: end_token must be a scalar, got shape {end_token.shape}")
    for values in (step_ids, parent_ids, max_seq_len, end_token):
        if np.any(values != np.floor(values)):
            raise ValueError("GatherTree-1: inputs must have integer values only")
    parents = parent_ids.astype(np.int64)
    if parents.size and not 0 <= parents.min() <= parents.max() < beam_width:
        raise ValueError(
            f"GatherTree-1: parent_ids must be in [0, {beam_width}), "
            f"got {parents.min()} to {parents.max()}"
        )
    final_ids = np.full_like(step_ids, end_token)
    for batch in range(batch_size):
        length = min(max_time, int(max_seq_len[batch]))
        if length < 1:
            raise ValueError(f"GatherTree-1: max_seq_len must be 1 or more, got {length}")
        for beam in range(beam_width):
            source = beam
            for level in reversed(range(length)):
                final_ids[level, batch, beam] = step_ids[level, batch, source]
                source = parents[level, batch, source]
            ends = np.flatnonzero(final_ids[:length, batch, beam] == end_token)
            if ends.size:
                final_ids[ends[0] : length, batch, beam] = end_token
    return final_ids
