"""Recurrent operations: one step of a cell, and sequences of steps, with the errors that they carry.

Inputs are X, the states, of a sequence its lengths, W, R and B, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reference.accuracy import Call, CarriedState
from reference.shared.cells import RecurrentCell, along_sequences, limit, require_cell

Kind = Callable[..., RecurrentCell]


def one_step(
    name: str,
    kind: Any,
    x: np.ndarray,
    states: Mapping[str, np.ndarray],
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray | None,
    hidden_size: int,
    activations: Sequence[str],
    clip: float,
    **flags: bool,
) -> Sequence[np.ndarray]:
    """The states [batch_size, hidden_size] after one step of a cell of this ``kind``. B left out is 0.

    Raises ValueError, in the ``name`` of the operation, where shapes or attributes do not fit.
    """
    if hidden_size < 1 or x.ndim != 2:
        given = f"{hidden_size} and X {list(x.shape)}"
        raise ValueError(f"{name}: hidden_size must be positive and X of rank 2, got {given}")
    rows = kind.gates * hidden_size
    shapes = {
        **{key: (state, (len(x), hidden_size)) for key, state in states.items()},
        "W": (w, (rows, x.shape[1])),
        "R": (r, (rows, hidden_size)),
        "B": (b, (rows + hidden_size * any(flags.values()),)),
    }
    require_cell(name, activations, len(kind.usual), clip, shapes)
    weights = _wide(w, r, np.zeros(shapes["B"][1]) if b is None else b)
    with np.errstate(all="ignore"):
        cell: RecurrentCell = kind(*weights, activations, limit(clip), **flags)
        return cell.step(*_wide(x, *states.values()))


def steps(
    name: str,
    kind: Any,
    x: np.ndarray,
    states: Mapping[str, np.ndarray],
    sequence_lengths: np.ndarray,
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    hidden_size: int,
    activations: Sequence[str],
    clip: float,
    direction: str,
    **flags: bool,
) -> list[np.ndarray]:
    """Y, 0 beyond the length of a sequence, and the last states, of cells of this ``kind``.

    Raises ValueError, in the ``name`` of the operation, where shapes, lengths or attributes do not fit.
    """
    if hidden_size < 1 or x.ndim != 3:
        given = f"{hidden_size} and X {list(x.shape)}"
        raise ValueError(f"{name}: hidden_size must be positive and X of rank 3, got {given}")
    batch_size, seq_length, input_size = x.shape
    ways, rows = 2 if direction == "bidirectional" else 1, kind.gates * hidden_size
    shapes = {
        **{key: (state, (batch_size, ways, hidden_size)) for key, state in states.items()},
        "sequence_lengths": (sequence_lengths, (batch_size,)),
        "W": (w, (ways, rows, input_size)),
        "R": (r, (ways, rows, hidden_size)),
        "B": (b, (ways, rows + hidden_size * any(flags.values()))),
    }
    require_cell(name, activations, len(kind.usual), clip, shapes)
    lengths = sequence_lengths.astype(np.int64)
    if np.any((lengths < 0) | (lengths > seq_length)):
        given = lengths.tolist()
        raise ValueError(f"{name}: sequence_lengths must be from 0 to {seq_length}, got {given}")
    weights = zip(*_wide(w, r, b), strict=True)
    cells: list[RecurrentCell] = [
        kind(*each, activations, limit(clip), **flags) for each in weights
    ]
    wide, *initial = _wide(x, *states.values())
    with np.errstate(all="ignore"):
        whole, last = along_sequences(
            lambda number, xt, before: cells[number].step(xt, *before),
            wide,
            initial,
            lengths,
            direction,
        )
    return [whole[0], *last]


def _wide(*arrays: np.ndarray) -> list[np.ndarray]:
    return [each.astype(np.float64) for each in arrays]


# --- accuracy -----------------------------------------------------------------------------------------------------


def carried(kind: Any, states: int = 1, is_sequence: bool = False) -> tuple[CarriedState, ...]:
    """The classes of the outputs: the error of each state is carried from step to step as the state is.

    Not judged are elements where a sum may overflow, NaN under clip or relu, which are defined by comparisons of
    numbers, and Y beyond the length of a sequence, which the pages do not mention.
    """

    def error(number: int) -> Callable[[Call], np.ndarray]:
        return lambda call: _errors(kind, states, is_sequence, call)[number][0]

    def undefined(number: int) -> Callable[[Call], np.ndarray]:
        return lambda call: _errors(kind, states, is_sequence, call)[number][1]

    return tuple(
        CarriedState(steps=1, scale=error(number), silent=undefined(number))
        for number in range(states + is_sequence)
    )


def _errors(
    kind: Any, states: int, is_sequence: bool, call: Call
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The rounding error of each output in ε, and where it is undefined."""
    working = call.precision(0)
    key = (_errors, working)
    if key not in call.cache:
        x, *initial = (call.reals(number) for number in range(1 + states))
        w, r = (
            call.reals(number)
            for number in range(1 + states + is_sequence, 3 + states + is_sequence)
        )
        given = call.inputs[3 + states + is_sequence :]
        linear = call.attributes.get("linear_before_reset", False)
        rows = w.shape[-2] + linear * r.shape[-1]
        b = given[0].astype(np.float64) if given and given[0] is not None else None
        b = np.zeros((*w.shape[:-2], rows)) if b is None else b
        if is_sequence:
            lengths, direction = call.reals(1 + states).astype(int), call.attributes["direction"]
        else:  # a sequence of one step in one direction
            x, lengths, direction = x[:, np.newaxis], np.ones(len(x), int), "forward"
            initial = [each[:, np.newaxis] for each in initial]
            w, r, b = w[np.newaxis], r[np.newaxis], b[np.newaxis]
        activations = call.attributes.get("activations", kind.usual)
        flags = {"linear_before_reset": True} if linear else {}
        clip = limit(call.attributes.get("clip", np.inf))
        cells = [kind(*each, activations, clip, **flags) for each in zip(w, r, b, strict=True)]

        def step(number: int, xt: np.ndarray, before: list[np.ndarray]) -> list[np.ndarray]:
            values, errors, unsettled = before[:states], before[states:-1], before[-1]
            cell = cells[number]
            new, new_errors, overflows = cell.step_of_errors(xt, values, errors, working)
            unknown = np.any(unsettled, axis=1, keepdims=True)
            return [*new, *new_errors, overflows | unknown]

        zeros = [np.zeros(each.shape) for each in initial]
        start = [*initial, *zeros, np.zeros(initial[0].shape, bool)]
        with np.errstate(all="ignore"):
            whole, last = along_sequences(step, x, start, lengths, direction)
        found = [(error, last[-1]) for error in last[states:-1]]
        if is_sequence:
            beyond = np.arange(x.shape[1]) >= lengths[:, np.newaxis]
            found = [(whole[states], whole[-1] | beyond[:, np.newaxis, :, np.newaxis]), *found]
        else:
            found = [(error[:, 0], unsettled[:, 0]) for error, unsettled in found]
        call.cache[key] = found
    return call.cache[key]
