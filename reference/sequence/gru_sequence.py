"""GRUSequence (page GRUSequence-5)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.shared.cells import Gru
from reference.shared.recurrence import carried, steps

Direction = Literal["forward", "reverse", "bidirectional"]


@implements(
    "GRUSequence-5", accuracy=carried(Gru, states=1, is_sequence=True), products=((0, 3), (1, 4))
)
def gru_sequence(
    x: np.ndarray,
    initial_hidden_state: np.ndarray,
    sequence_lengths: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("sigmoid", "tanh"),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
    direction: Direction,
    linear_before_reset: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """A GRU along sequences: Y [batch_size, num_directions, seq_length, hidden_size], and its last states Ho.

    X [batch_size, seq_length, input_size], states [batch_size, num_directions, hidden_size], sequence_lengths
    [batch_size], W [num_directions, 3 * hidden_size, input_size], R [num_directions, 3 * hidden_size, hidden_size],
    B [num_directions, 3 * hidden_size], gates in the order z, r, h. With ``linear_before_reset`` B has 4 parts, and the
    bias of W for h precedes that of R. Y is 0 beyond the length of a sequence. None of the activations, f and g, has an
    alpha or a beta. Raises ValueError where shapes, lengths or attributes do not fit.
    """
    y, ho = steps(
        "GRUSequence-5",
        Gru,
        x,
        {"initial_hidden_state": initial_hidden_state},
        sequence_lengths,
        w,
        r,
        b,
        hidden_size,
        activations,
        clip,
        direction,
        linear_before_reset=linear_before_reset,
    )
    return y, ho
