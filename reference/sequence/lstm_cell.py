"""LSTMCell (page LSTMCell-1, and the form that opset4 has)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.cells import Lstm
from reference.shared.recurrence import carried, one_step


@implements("LSTMCell-4", "LSTMCell-1", accuracy=carried(Lstm, states=2), products=((0, 3), (1, 4)))
def lstm_cell(
    x: np.ndarray,
    initial_hidden_state: np.ndarray,
    initial_cell_state: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray | None = None,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("sigmoid", "tanh", "tanh"),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
) -> tuple[np.ndarray, np.ndarray]:
    """One step of an LSTM: the new hidden state and the new cell state, both [batch_size, hidden_size].

    X [batch_size, input_size], states [batch_size, hidden_size], W [4 * hidden_size, input_size],
    R [4 * hidden_size, hidden_size], B [4 * hidden_size], gates in the order f, i, c, o. ``activations`` are f, g and
    h; none of those that the page lists has an alpha or a beta. Raises ValueError where shapes or attributes do not
    fit.
    """
    ho, co = one_step(
        "LSTMCell-4",
        Lstm,
        x,
        {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state},
        w,
        r,
        b,
        hidden_size,
        activations,
        clip,
    )
    return ho, co
