"""LSTMCell (page LSTMCell-1, the form that opset4 has)."""

from collections.abc import Callable, Sequence

import numpy as np

from reference import implements
from reference.accuracy import Call, State
from reference.shared.cells import Gates, LstmStep, require_cell

_USUAL = ("sigmoid", "tanh", "tanh")


def _inputs(call: Call) -> tuple[list[np.ndarray], np.ndarray | None]:
    """X, both states, W and R; and B."""
    has_bias = len(call.inputs) > 5 and call.inputs[5] is not None
    return [call.reals(number) for number in range(5)], call.reals(5) if has_bias else None


def _magnitudes(call: Call) -> np.ndarray:
    """The sums of the absolute values."""
    (x, hidden, _, w, r), b = _inputs(call)
    absolute = None if b is None else np.abs(b)
    return Gates.of(np.abs(x), np.abs(hidden), np.abs(w), np.abs(r), absolute).sums


def _undefined(call: Call) -> np.ndarray:
    """NaN in clip and relu, and sums that may overflow in some order: the page does not define them."""
    unsettled = ~(_magnitudes(call) < call.precision(0).overflow)
    return np.any(unsettled, axis=0)


def _error(output_index: int) -> Callable[[Call], np.ndarray]:
    """The rounding error of an output, as a multiple of ε."""

    def error(call: Call) -> np.ndarray:
        (x, hidden, cell, w, r), b = _inputs(call)
        activations = call.attributes.get("activations", _USUAL)
        gates = Gates.of(x, hidden, w, r, b)
        clip = call.attributes.get("clip", np.inf)
        step = LstmStep.of(gates, cell, activations, clip)
        working = call.precision(output_index)
        sums = gates.errors(_magnitudes(call), working)
        return step.errors(sums, cell, activations, clip, working)[output_index]

    return error


@implements(
    "LSTMCell-4",
    accuracy=(
        State(steps=1, scale=_error(0), silent=_undefined),
        State(steps=1, scale=_error(1), silent=_undefined),
    ),
)
def lstm_cell(
    x: np.ndarray,
    initial_hidden_state: np.ndarray,
    initial_cell_state: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray | None = None,
    *,
    hidden_size: int,
    activations: Sequence[str] = _USUAL,
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
    if hidden_size < 1 or x.ndim != 2:
        given = f"{hidden_size} and X {list(x.shape)}"
        raise ValueError(f"LSTMCell-4: hidden_size must be positive and X of rank 2, got {given}")
    batch_size, input_size = x.shape
    shapes = {
        "initial_hidden_state": (initial_hidden_state, (batch_size, hidden_size)),
        "initial_cell_state": (initial_cell_state, (batch_size, hidden_size)),
        "W": (w, (4 * hidden_size, input_size)),
        "R": (r, (4 * hidden_size, hidden_size)),
        "B": (b, (4 * hidden_size,)),
    }
    require_cell("LSTMCell-4", activations, 3, clip, shapes)
    x, hidden, cell, w, r = (
        v.astype(np.float64) for v in (x, initial_hidden_state, initial_cell_state, w, r)
    )
    gates = Gates.of(x, hidden, w, r, None if b is None else b.astype(np.float64))
    step = LstmStep.of(gates, cell, activations, clip)
    return step.hidden, step.cell
