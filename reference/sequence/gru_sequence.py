"""GRUSequence (page GRUSequence-5)."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Call, State
from reference.shared.cells import Gru, along_sequences, require_cell

Direction = Literal["forward", "reverse", "bidirectional"]


def _errors(call: Call, output_index: int) -> list[np.ndarray]:
    """The rounding error of an output in ε, and where it is undefined: NaN in clip and relu, sums that may overflow."""
    x, hidden, lengths, w, r, b = (call.reals(number) for number in range(6))
    working = call.precision(output_index)
    activations = call.attributes.get("activations", ("sigmoid", "tanh"))
    clip = call.attributes.get("clip", np.inf)
    linear_before_reset = call.attributes.get("linear_before_reset", False)
    cells = [
        Gru(*each, activations, clip, linear_before_reset) for each in zip(w, r, b, strict=True)
    ]

    def step(number: int, xt: np.ndarray, states: list[np.ndarray]) -> Sequence[np.ndarray]:
        state, error, undefined = states
        cell = cells[number]
        new, overflows = cell.step_of_errors(xt, state, error, working)
        before = np.any(undefined, axis=1, keepdims=True)
        return cell.step(xt, state), new, overflows | before

    states = [hidden, np.zeros(hidden.shape), np.zeros(hidden.shape, bool)]
    with np.errstate(all="ignore"):
        found = along_sequences(step, x, states, lengths.astype(int), call.attributes["direction"])
    return found[output_index][1:]


def _error(output_index: int) -> Callable[[Call], np.ndarray]:
    return lambda call: _errors(call, output_index)[0]


def _undefined_y(call: Call) -> np.ndarray:
    """Besides, the page does not say what Y is beyond the length of a sequence."""
    beyond = np.arange(call.array(0).shape[1]) >= call.reals(2)[:, np.newaxis]
    return _errors(call, 0)[1] | beyond[:, np.newaxis, :, np.newaxis]


@implements(
    "GRUSequence-5",
    accuracy=(
        State(steps=1, scale=_error(0), silent=_undefined_y),
        State(steps=1, scale=_error(1), silent=lambda call: _errors(call, 1)[1]),
    ),
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
    if hidden_size < 1 or x.ndim != 3:
        given = f"{hidden_size} and X {list(x.shape)}"
        raise ValueError(
            f"GRUSequence-5: hidden_size must be positive and X of rank 3, got {given}"
        )
    batch_size, seq_length, input_size = x.shape
    num_directions = 2 if direction == "bidirectional" else 1
    biases = 4 if linear_before_reset else 3
    shapes = {
        "initial_hidden_state": (initial_hidden_state, (batch_size, num_directions, hidden_size)),
        "sequence_lengths": (sequence_lengths, (batch_size,)),
        "W": (w, (num_directions, 3 * hidden_size, input_size)),
        "R": (r, (num_directions, 3 * hidden_size, hidden_size)),
        "B": (b, (num_directions, biases * hidden_size)),
    }
    require_cell("GRUSequence-5", activations, 2, clip, shapes)
    lengths = sequence_lengths.astype(np.int64)
    if np.any((lengths < 0) | (lengths > seq_length)):
        raise ValueError(
            f"GRUSequence-5: sequence_lengths must be from 0 to {seq_length}, got {lengths.tolist()}"
        )
    x, hidden, w, r, b = (v.astype(np.float64) for v in (x, initial_hidden_state, w, r, b))
    cells = [
        Gru(*each, activations, clip, linear_before_reset) for each in zip(w, r, b, strict=True)
    ]
    (y,), (ho,) = along_sequences(
        lambda number, xt, states: [cells[number].step(xt, *states)],
        x,
        [hidden],
        lengths,
        direction,
    )
    return y, ho
