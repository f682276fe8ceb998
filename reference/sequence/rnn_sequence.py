"""RNNSequence (page RNNSequence-5)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.shared.cells import Rnn
from reference.shared.recurrence import carried, steps

Direction = Literal["forward", "reverse", "bidirectional"]


@implements(
    "RNNSequence-5", accuracy=carried(Rnn, states=1, is_sequence=True), products=((0, 3), (1, 4))
)
def rnn_sequence(
    x: np.ndarray,
    h: np.ndarray,
    sequence_lengths: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("tanh",),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
    direction: Direction,
) -> tuple[np.ndarray, np.ndarray]:
    """An RNN along sequences: Y [batch_size, num_directions, seq_length, hidden_size], and its last states Ho.

    X [batch_size, seq_length, input_size], H [batch_size, num_directions, hidden_size], sequence_lengths [batch_size],
    W [num_directions, hidden_size, input_size], R [num_directions, hidden_size, hidden_size],
    B [num_directions, hidden_size]. Y is 0 beyond the length of a sequence. No activation has an alpha or a beta.
    Raises ValueError where shapes, lengths or attributes do not fit.
    """
    y, ho = steps(
        "RNNSequence-5",
        Rnn,
        x,
        {"H": h},
        sequence_lengths,
        w,
        r,
        b,
        hidden_size,
        activations,
        clip,
        direction,
    )
    return y, ho
