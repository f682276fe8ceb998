"""GRUCell (page GRUCell-3)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.cells import Gru
from reference.shared.recurrence import carried, one_step


@implements("GRUCell-3", accuracy=carried(Gru), products=((0, 2), (1, 3)))
def gru_cell(
    x: np.ndarray,
    initial_hidden_state: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray | None = None,
    *,
    hidden_size: int,
    activations: Sequence[str] = ("sigmoid", "tanh"),
    activations_alpha: Sequence[float] | None = None,
    activations_beta: Sequence[float] | None = None,
    clip: float = np.inf,
    linear_before_reset: bool = False,
) -> np.ndarray:
    """One step of a GRU: the new hidden state [batch_size, hidden_size].

    X [batch_size, input_size], state [batch_size, hidden_size], W [3 * hidden_size, input_size],
    R [3 * hidden_size, hidden_size], B [3 * hidden_size], gates in the order z, r, h. With ``linear_before_reset``
    B has 4 parts, and the bias of W for h precedes that of R. None of the activations, f and g, has an alpha or a beta.
    Raises ValueError where shapes or attributes do not fit.
    """
    (ho,) = one_step(
        "GRUCell-3",
        Gru,
        x,
        {"initial_hidden_state": initial_hidden_state},
        w,
        r,
        b,
        hidden_size,
        activations,
        clip,
        linear_before_reset=linear_before_reset,
    )
    return ho
