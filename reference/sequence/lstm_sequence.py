"""LSTMSequence (pages LSTMSequence-1 and LSTMSequence-5)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.shared.cells import Lstm
from reference.shared.recurrence import carried, steps

Direction = Literal["forward", "reverse", "bidirectional"]


@implements(
    "LSTMSequence-5",
    "LSTMSequence-1",
    accuracy=carried(Lstm, states=2, is_sequence=True),
    products=((0, 4), (1, 5)),
)
def lstm_sequence(
    x: np.ndarray,
    initial_hidden_state: np.ndarray,
    initial_cell_state: np.ndarray,
    sequence_lengths: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("sigmoid", "tanh", "tanh"),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
    direction: Direction,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An LSTM along sequences: Y [batch_size, num_directions, seq_length, hidden_size], its last states Ho and Co.

    X [batch_size, seq_length, input_size], states [batch_size, num_directions, hidden_size], sequence_lengths
    [batch_size], W [num_directions, 4 * hidden_size, input_size], R [num_directions, 4 * hidden_size, hidden_size],
    B [num_directions, 4 * hidden_size], gates in the order f, i, c, o. Y is 0 beyond the length of a sequence.
    ``activations`` are f, g and h; none has an alpha or a beta. Raises ValueError where shapes, lengths or attributes
    do not fit.
    """
    y, ho, co = steps(
        "LSTMSequence-5",
        Lstm,
        x,
        {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state},
        sequence_lengths,
        w,
        r,
        b,
        hidden_size,
        activations,
        clip,
        direction,
    )
    return y, ho, co
