"""LSTMCell (page LSTMCell-1, the form that opset4 has)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reference import implements
from reference.accuracy import Call, State, accumulator


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# The function, and its largest slope.
_ACTIVATIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float]] = {
    "relu": (lambda x: np.maximum(x, 0), 1.0),
    "sigmoid": (_sigmoid, 0.25),
    "tanh": (np.tanh, 1.0),
}

_USUAL = ("sigmoid", "tanh", "tanh")


@dataclass(frozen=True)
class _Step:
    """One step: the sums before the gates [4, batch_size, hidden_size], gates, and states."""

    sums: np.ndarray
    f: np.ndarray
    i: np.ndarray
    c: np.ndarray
    o: np.ndarray
    h: np.ndarray
    cell: np.ndarray
    hidden: np.ndarray


def _step(
    x: np.ndarray,
    hidden: np.ndarray,
    cell: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray | None,
    activations: Sequence[str],
    clip: float,
) -> _Step:
    f, g, h = (_ACTIVATIONS[name][0] for name in activations)
    sums = _sums(x, hidden, w, r, b)
    # Clipping is done before activations, h among them.
    forget, update, candidate, output = np.clip(sums, -clip, clip)
    ft, it, ct, ot = f(forget), f(update), g(candidate), f(output)
    new = ft * cell + it * ct
    activated = h(np.clip(new, -clip, clip))
    return _Step(sums, ft, it, ct, ot, activated, new, ot * activated)


def _sums(
    x: np.ndarray, hidden: np.ndarray, w: np.ndarray, r: np.ndarray, b: np.ndarray | None
) -> np.ndarray:
    """Xt*W^T + Ht-1*R^T + B for the gates f, i, c, o: [4, batch_size, hidden_size]."""
    of_x, of_hidden = _products(x, hidden, w, r)
    with np.errstate(all="ignore"):
        return of_x + of_hidden + (0.0 if b is None else _by_gate(b[np.newaxis]))


def _products(
    x: np.ndarray, hidden: np.ndarray, w: np.ndarray, r: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Xt*W^T and Ht-1*R^T."""
    with np.errstate(all="ignore"):
        return _by_gate(x @ w.T), _by_gate(hidden @ r.T)


def _by_gate(rows: np.ndarray) -> np.ndarray:
    """[batch_size, 4 * hidden_size] as [4, batch_size, hidden_size]."""
    return rows.reshape(len(rows), 4, rows.shape[1] // 4).transpose(1, 0, 2)


def _bias(call: Call) -> np.ndarray | None:
    return call.reals(5) if len(call.inputs) > 5 and call.inputs[5] is not None else None


def _magnitudes(call: Call) -> np.ndarray:
    """The sums of the absolute values."""
    x, hidden, _, w, r = (np.abs(call.reals(number)) for number in range(5))
    bias = _bias(call)
    return _sums(x, hidden, w, r, None if bias is None else np.abs(bias))


def _undefined(call: Call) -> np.ndarray:
    """NaN in clip and relu, and sums that may overflow in some order: the page does not define them."""
    unsettled = ~(_magnitudes(call) < call.precision(0).overflow)
    return np.any(unsettled, axis=0)


def _error(call: Call, output_index: int) -> np.ndarray:
    """The rounding error of an output, as a multiple of ε.

    Each sum has the error of sums, and each of its parts may be rounded before the addition; an activation multiplies
    the error by at most its slope and adds 4 ulps; a product adds the error of each factor times the other.
    Second-order terms are covered by the factor 2 of sums.
    """
    x, hidden, cell, w, r = (call.reals(number) for number in range(5))
    activations = call.attributes.get("activations", _USUAL)
    slopes = [_ACTIVATIONS[name][1] for name in activations]
    clip = call.attributes.get("clip", np.inf)
    step = _step(x, hidden, cell, w, r, _bias(call), activations, clip)
    working = call.precision(output_index)
    terms = x.shape[1] + hidden.shape[1] + 2
    size = _magnitudes(call)
    # In units of the working ε.
    share = accumulator(working).unit / working.epsilon
    of_x, of_hidden = _products(x, hidden, w, r)
    sums = 2 * terms * share * size + np.abs(of_x) + np.abs(of_hidden) + np.abs(step.sums)
    df, di, dc, do = (
        slope * error + 4 * np.abs(gate)
        for slope, error, gate in zip(
            (slopes[0], slopes[0], slopes[1], slopes[0]),
            sums,
            (step.f, step.i, step.c, step.o),
            strict=True,
        )
    )
    products = np.abs(step.f * cell) + np.abs(step.i * step.c)
    with np.errstate(all="ignore"):
        new = np.abs(cell) * df + np.abs(step.c) * di + np.abs(step.i) * dc + products
        activated = slopes[2] * new + 4 * np.abs(step.h)
        hidden_error = np.abs(step.h) * do + np.abs(step.o) * activated + np.abs(step.hidden)
    return (hidden_error, new)[output_index]


@implements(
    "LSTMCell-4",
    accuracy=(
        State(steps=1, scale=lambda call: _error(call, 0), silent=_undefined),
        State(steps=1, scale=lambda call: _error(call, 1), silent=_undefined),
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
    if hidden_size < 1:
        raise ValueError(f"LSTMCell-4: hidden_size must be positive, got {hidden_size}")
    if len(activations) != 3 or any(name not in _ACTIVATIONS for name in activations):
        known = ", ".join(_ACTIVATIONS)
        raise ValueError(
            f"LSTMCell-4: activations must be three of {known}, got {', '.join(activations)}"
        )
    if not clip > 0:
        raise ValueError(f"LSTMCell-4: clip must be positive, got {clip}")
    if x.ndim != 2:
        raise ValueError(f"LSTMCell-4: X must have 2 dimensions, got {x.ndim}")
    batch_size, input_size = x.shape
    wanted: list[tuple[str, np.ndarray | None, tuple[int, ...]]] = [
        ("initial_hidden_state", initial_hidden_state, (batch_size, hidden_size)),
        ("initial_cell_state", initial_cell_state, (batch_size, hidden_size)),
        ("W", w, (4 * hidden_size, input_size)),
        ("R", r, (4 * hidden_size, hidden_size)),
        ("B", b, (4 * hidden_size,)),
    ]
    for name, values, shape in wanted:
        if values is not None and values.shape != shape:
            raise ValueError(f"LSTMCell-4: {name} must be {list(shape)}, got {list(values.shape)}")
    inputs = [v.astype(np.float64) for v in (x, initial_hidden_state, initial_cell_state, w, r)]
    bias = None if b is None else b.astype(np.float64)
    x, hidden, cell, w, r = inputs
    step = _step(x, hidden, cell, w, r, bias, activations, clip)
    return step.hidden, step.cell
