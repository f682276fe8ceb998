"""RNNCell (page RNNCell-3)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.cells import Rnn
from reference.shared.recurrence import carried, one_step


@implements("RNNCell-3", accuracy=carried(Rnn), products=((0, 2), (1, 3)))
def rnn_cell(
    x: np.ndarray,
    h: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("tanh",),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
) -> np.ndarray:
    """One step of an RNN: the new hidden state [batch_size, hidden_size].

    X [batch_size, input_size], H [batch_size, hidden_size], W [hidden_size, input_size],
    R [hidden_size, hidden_size], B [hidden_size]. No activation that the page lists has an alpha or a beta. Raises
    ValueError where shapes or attributes do not fit.
    """
    (ho,) = one_step("RNNCell-3", Rnn, x, {"H": h}, w, r, b, hidden_size, activations, clip)
    return ho
