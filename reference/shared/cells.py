"""Steps of recurrent cells and sequences of them: activations by name, and how errors pass through a step.

Shapes: X [batch_size, input_size], states [batch_size, hidden_size], W [gates * hidden_size, input_size],
R [gates * hidden_size, hidden_size], B [gates * hidden_size]. All arrays are float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from reference.accuracy import Precision, accumulator


@dataclass(frozen=True)
class Activation:
    """A function of pages of recurrent cells, and its largest slope in an interval.

    ``slope_within`` takes the middle and half the width: slopes of sigmoid and tanh are largest nearest to 0.
    """

    function: Callable[[np.ndarray], np.ndarray]
    slope_within: Callable[[np.ndarray, np.ndarray], np.ndarray]


def _nearest_to_zero(x: np.ndarray, width: np.ndarray) -> np.ndarray:
    return np.maximum(np.abs(x) - width, 0)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "relu": Activation(lambda x: np.maximum(x, 0), lambda x, width: 1.0 * (x + width > 0)),
    "sigmoid": Activation(
        _sigmoid,
        lambda x, width: _sigmoid(y := _nearest_to_zero(x, width)) * _sigmoid(-y),
    ),
    "tanh": Activation(np.tanh, lambda x, width: 1 - np.tanh(_nearest_to_zero(x, width)) ** 2),
}


def activation_ulps(working: Precision) -> float:
    """The error of an activation: 4 ulps; in types narrower than f16, evaluated in a wider type and rounded, one."""
    return 4.0 if accumulator(working) is working else 1.0


def limit(clip: float) -> float:
    """The number that sums are clipped to; a ``clip`` of 0, which models have, is none."""
    return clip or np.inf


def vanishing(values: np.ndarray, errors: np.ndarray, working: Precision) -> np.ndarray:
    """What becomes zero, or a multiple of the smallest subnormal, where values may be below the smallest normal, in ε.

    ``errors`` of the values are in ε too. Factors may make such a value large again before it is an output.
    """
    size = np.abs(values)
    low = (size > 0) & (size - working.epsilon * errors < working.smallest_normal)
    lost = np.maximum(size, working.unit * working.smallest_normal)
    return np.where(low, np.minimum(lost, working.smallest_normal), 0.0) / working.epsilon


def require_cell(
    name: str,
    activations: Sequence[str],
    count: int,
    clip: float,
    shapes: Mapping[str, tuple[np.ndarray | None, tuple[int, ...]]],
) -> None:
    """Raises ValueError for other than ``count`` known activations, a clip that is negative, or another shape."""
    if len(activations) != count or any(each not in ACTIVATIONS for each in activations):
        known, given = ", ".join(ACTIVATIONS), ", ".join(activations)
        raise ValueError(f"{name}: activations must be {count} of {known}, got {given}")
    if not clip >= 0:
        raise ValueError(f"{name}: clip must be positive, or 0 for none, got {clip}")
    for key, (values, shape) in shapes.items():
        if values is not None and values.shape != shape:
            raise ValueError(f"{name}: {key} must be {list(shape)}, got {list(values.shape)}")


@dataclass(frozen=True)
class Gates:
    """Xt*W^T, Ht-1*R^T and their sum with B, each [gates, batch_size, hidden_size]; ``terms`` are added for each."""

    of_x: np.ndarray
    of_hidden: np.ndarray
    sums: np.ndarray
    terms: int

    @classmethod
    def of(
        cls,
        x: np.ndarray,
        hidden: np.ndarray,
        w: np.ndarray,
        r: np.ndarray,
        b: np.ndarray | None,
    ) -> Gates:
        """The gates of a step, as many as rows of W for each number of a state."""

        size = hidden.shape[1]
        with np.errstate(all="ignore"):
            of_x, of_hidden = cls.by_gate(x @ w.T, size), cls.by_gate(hidden @ r.T, size)
            sums = of_x + of_hidden + (0.0 if b is None else cls.by_gate(b[np.newaxis], size))
        return cls(of_x, of_hidden, sums, x.shape[1] + hidden.shape[1] + 2)

    @staticmethod
    def by_gate(rows: np.ndarray, size: int) -> np.ndarray:
        """[batch_size, gates * size] -> [gates, batch_size, size]"""
        return rows.reshape(len(rows), rows.shape[1] // size, size).transpose(1, 0, 2)

    def errors(self, magnitudes: np.ndarray, working: Precision) -> np.ndarray:
        """The rounding errors of the sums, in ε: those of ``Sum`` for magnitudes B, and each part may be rounded."""
        share = accumulator(working).unit / working.epsilon
        errors = 2 * self.terms * share * magnitudes
        return errors + np.abs(self.of_x) + np.abs(self.of_hidden) + np.abs(self.sums)


@dataclass(frozen=True)
class LstmStep:
    """One step of an LSTM: the gates f, i, c, o, h of the new cell state, and both new states."""

    gates: Gates
    f: np.ndarray
    i: np.ndarray
    c: np.ndarray
    o: np.ndarray
    h: np.ndarray
    cell: np.ndarray
    hidden: np.ndarray

    @classmethod
    def of(
        cls, gates: Gates, cell: np.ndarray, activations: Sequence[str], clip: float
    ) -> LstmStep:
        """The step from ``cell``, the cell state before. ``activations`` are f, g and h."""
        f, g, h = (ACTIVATIONS[name].function for name in activations)
        # Clipping is done before activations, h among them.
        forget, update, candidate, output = np.clip(gates.sums, -clip, clip)
        ft, it, ct, ot = f(forget), f(update), g(candidate), f(output)
        new = ft * cell + it * ct
        activated = h(np.clip(new, -clip, clip))
        return cls(gates, ft, it, ct, ot, activated, new, ot * activated)

    def errors(
        self,
        sums: np.ndarray,
        cell: np.ndarray,
        activations: Sequence[str],
        clip: float,
        working: Precision,
        carried: np.ndarray | float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rounding errors of the hidden and of the cell state, in ε, for errors of the ``sums`` before the gates.

        ``carried`` is the error of ``cell``. An activation multiplies the error by at most its slope there and adds a
        few ulps; a product adds the error of each factor times the other. Second-order terms are covered by the factor
        2 of sums.
        """
        f, g, h = (ACTIVATIONS[name] for name in activations)
        own = activation_ulps(working)

        def slope(kind: Activation, total: np.ndarray, error: np.ndarray) -> np.ndarray:
            within = working.epsilon * error
            # What is clipped with all of its interval has no error left.
            clipped = np.abs(total) - within >= clip
            return np.where(clipped, 0.0, kind.slope_within(total, within))

        kinds, gates = (f, f, g, f), (self.f, self.i, self.c, self.o)

        def settled(values: np.ndarray, error: np.ndarray) -> np.ndarray:
            return error + vanishing(values, error, working)

        df, di, dc, do = (
            settled(gate, slope(kind, total, error) * error + own * np.abs(gate))
            for kind, total, error, gate in zip(kinds, self.gates.sums, sums, gates, strict=True)
        )
        kept, added = self.f * cell, self.i * self.c
        with np.errstate(all="ignore"):
            of_kept = np.abs(cell) * df + (np.abs(self.f) + working.epsilon * df) * carried
            of_added = np.abs(self.c) * di + np.abs(self.i) * dc
            products = settled(kept, of_kept + np.abs(kept)) + settled(
                added, of_added + np.abs(added)
            )
            new = settled(self.cell, products)
            activated = settled(self.h, slope(h, self.cell, new) * new + own * np.abs(self.h))
            hidden = np.abs(self.h) * do + np.abs(self.o) * activated + np.abs(self.hidden)
            hidden = settled(self.hidden, hidden)
        return hidden, new


class RecurrentCell(Protocol):
    """A recurrent cell in one direction, made of W, R, B, the names of its activations, and clip.

    ``gates``, ``biases`` (parts of B) and ``usual``, the page's activations, belong to the kind of cell.
    """

    gates: ClassVar[int]
    usual: ClassVar[tuple[str, ...]]

    def step(self, x: np.ndarray, *states: np.ndarray) -> Sequence[np.ndarray]:
        """The states after Xt [batch_size, input_size], from those before [batch_size, hidden_size]."""

    def step_of_errors(
        self, x: np.ndarray, states: States, errors: States, working: Precision
    ) -> tuple[States, States, np.ndarray]:
        """What ``step`` gives, its rounding errors in ε for those of the states, and where it is undefined."""


States = Sequence[np.ndarray]


@dataclass(frozen=True)
class _Weighted:
    """What all kinds of cells are made of."""

    w: np.ndarray
    r: np.ndarray
    b: np.ndarray
    activations: Sequence[str]
    clip: float

    @cached_property
    def sizes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """|W|, |R| and |B|."""
        return np.abs(self.w), np.abs(self.r), np.abs(self.b)


@dataclass(frozen=True)
class Rnn(_Weighted):
    """An RNN in one direction: Ht = f(Xt*(Wi^T) + Ht-1*(Ri^T) + B)."""

    gates: ClassVar[int] = 1
    usual: ClassVar[tuple[str, ...]] = ("tanh",)

    def step(self, x: np.ndarray, *states: np.ndarray) -> Sequence[np.ndarray]:
        """Ht."""
        sums = x @ self.w.T + states[0] @ self.r.T + self.b
        return [ACTIVATIONS[self.activations[0]].function(np.clip(sums, -self.clip, self.clip))]

    def step_of_errors(
        self, x: np.ndarray, states: States, errors: States, working: Precision
    ) -> tuple[States, States, np.ndarray]:
        """Its error is that of ``Sum`` and what came, times the slope of f; undefined where the sum may overflow."""
        gates = Gates.of(x, states[0], self.w, self.r, self.b)
        sizes = self.sizes
        magnitudes = Gates.of(np.abs(x), np.abs(states[0]), *sizes).sums
        f, (total,) = ACTIVATIONS[self.activations[0]], gates.sums
        error = gates.errors(magnitudes, working)[0] + errors[0] @ sizes[1].T
        within = working.epsilon * error
        slope = np.where(np.abs(total) - within >= self.clip, 0.0, f.slope_within(total, within))
        (new,) = self.step(x, *states)
        own = activation_ulps(working)
        error = slope * error + own * np.abs(new)
        error += vanishing(new, error, working)
        return [new], [error], ~(magnitudes[0] < working.overflow)


@dataclass(frozen=True)
class Lstm(_Weighted):
    """An LSTM in one direction; its states are the hidden and the cell state."""

    gates: ClassVar[int] = 4
    usual: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh", "tanh")

    def step(self, x: np.ndarray, *states: np.ndarray) -> Sequence[np.ndarray]:
        """Ht and Ct."""
        hidden, cell = states
        gates = Gates.of(x, hidden, self.w, self.r, self.b)
        step = LstmStep.of(gates, cell, self.activations, self.clip)
        return [step.hidden, step.cell]

    def step_of_errors(
        self, x: np.ndarray, states: States, errors: States, working: Precision
    ) -> tuple[States, States, np.ndarray]:
        """Ht and Ct, undefined where a sum may overflow."""
        hidden, cell = states
        gates = Gates.of(x, hidden, self.w, self.r, self.b)
        sizes = self.sizes
        magnitudes = Gates.of(np.abs(x), np.abs(hidden), *sizes).sums
        carried = Gates.by_gate(errors[0] @ sizes[1].T, hidden.shape[1])
        step = LstmStep.of(gates, cell, self.activations, self.clip)
        new = step.errors(
            gates.errors(magnitudes, working) + carried,
            cell,
            self.activations,
            self.clip,
            working,
            errors[1],
        )
        return [step.hidden, step.cell], new, np.any(~(magnitudes < working.overflow), axis=0)


Sums = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Gru(_Weighted):
    """A GRU in one direction: weights as on the page, B [4 * hidden_size] with ``linear_before_reset``."""

    gates: ClassVar[int] = 3
    usual: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh")

    linear_before_reset: bool = False

    def step(self, x: np.ndarray, *states: np.ndarray) -> Sequence[np.ndarray]:
        """Ht from Xt [batch_size, input_size] and Ht-1 [batch_size, hidden_size]."""
        (hidden,) = states
        _, zt, _, ht = self._gates(x, hidden)
        return [(1 - zt) * ht + zt * hidden]

    def _gates(
        self, x: np.ndarray, hidden: np.ndarray
    ) -> tuple[Sums, np.ndarray, np.ndarray, np.ndarray]:
        """The sums for z, r and h before the activations; zt, rt and ht."""
        f, g = (self._activated(name) for name in self.activations)
        sums = self._sums(x, hidden, f)
        return sums, f(sums[0]), f(sums[1]), g(sums[2])

    def _activated(self, name: str) -> Callable[[np.ndarray], np.ndarray]:
        return lambda sums: ACTIVATIONS[name].function(np.clip(sums, -self.clip, self.clip))

    def _sums(
        self, x: np.ndarray, hidden: np.ndarray, f: Callable[[np.ndarray], np.ndarray]
    ) -> Sums:
        """Xt*(W^T) + Ht-1*(R^T) + B for z, r and h; ``f`` gives rt from the sums for r."""
        (wz, wr, wh), (rz, rr, rh) = np.split(self.w, 3), np.split(self.r, 3)
        bz, br, wbh, *rbh = np.split(self.b, 4 if self.linear_before_reset else 3)
        rt = f(of_r := x @ wr.T + hidden @ rr.T + br)
        inner = rt * (hidden @ rh.T + rbh[0]) if rbh else (rt * hidden) @ rh.T
        return x @ wz.T + hidden @ rz.T + bz, of_r, x @ wh.T + inner + wbh

    def step_of_errors(
        self, x: np.ndarray, states: States, errors: States, working: Precision
    ) -> tuple[States, States, np.ndarray]:
        """Ht with its error for that of Ht-1, undefined where a sum may overflow.

        A sum errs as those of ``Sum``, an activation multiplies that by its slope there and adds a few ulps, a product
        adds the error of each factor times the other.
        """
        (hidden,), (error,) = states, errors
        (of_z, of_r, of_h), zt, rt, ht = self._gates(x, hidden)
        f, g = (ACTIVATIONS[name].slope_within for name in self.activations)
        own = activation_ulps(working)
        w, r, b = self.sizes
        positive = replace(self, w=w, r=r, b=b)
        magnitudes = np.stack(positive._sums(np.abs(x), np.abs(hidden), lambda _: np.abs(rt)))
        terms = x.shape[1] + hidden.shape[1] + 2
        share = accumulator(working).unit / working.epsilon
        # Besides the sum as a whole, each of its parts may be rounded.
        rounding = (2 * terms * share + 3) * magnitudes
        rz, rr, rh = np.split(positive.r, 3)
        z_sum, r_sum = rounding[0] + error @ rz.T, rounding[1] + error @ rr.T
        dz = f(of_z, working.epsilon * z_sum) * z_sum + own * np.abs(zt)
        dr = f(of_r, working.epsilon * r_sum) * r_sum + own * np.abs(rt)
        dz, dr = dz + vanishing(zt, dz, working), dr + vanishing(rt, dr, working)
        reset = np.abs(rt) + working.epsilon * dr
        if self.linear_before_reset:
            inner = np.abs(hidden @ np.split(self.r, 3)[2].T + np.split(self.b, 4)[3])
            carried = inner * dr + reset * (error @ rh.T)
        else:
            carried = (np.abs(hidden) * dr + reset * error) @ rh.T
        h_sum = rounding[2] + carried
        dh = g(of_h, working.epsilon * h_sum) * h_sum + own * np.abs(ht)
        dh += vanishing(ht, dh, working)
        new = np.abs(ht - hidden) * dz + np.abs(1 - zt) * dh + np.abs(zt) * error
        new += working.epsilon * dz * (dh + error)
        # The subtraction, two products and the sum; as H = h + z·(H - h) no more.
        parts, state = (ht, zt * ht, zt * hidden), (1 - zt) * ht + zt * hidden
        new += 2 * np.abs(parts[0]) + 2 * np.abs(parts[1]) + np.abs(parts[2])
        for part in (*parts, state):
            new += vanishing(part, np.zeros_like(part), working)
        return [state], [new], np.any(~(magnitudes < working.overflow), axis=0)


def along_sequences(
    step: Callable[[int, np.ndarray, list[np.ndarray]], Sequence[np.ndarray]],
    x: np.ndarray,
    states: Sequence[np.ndarray],
    lengths: np.ndarray,
    direction: str,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """``step(number of the direction, Xt, states)`` for each Xt of each batch element's length.

    X [batch_size, seq_length, input_size], states [batch_size, num_directions, hidden_size] -> the states after each
    Xt [batch_size, num_directions, seq_length, hidden_size], 0 beyond a length, and the last ones. In reverse a
    sequence begins at the end of its length.
    """
    all_states = [
        np.zeros((*each.shape[:2], x.shape[1], each.shape[2]), each.dtype) for each in states
    ]
    last = [each.copy() for each in states]
    for number, is_reverse in enumerate({"forward": [0], "reverse": [1]}.get(direction, [0, 1])):
        for done in range(max(lengths.tolist(), default=0)):
            (batch,) = np.nonzero(lengths > done)
            time = lengths[batch] - 1 - done if is_reverse else done
            new = step(number, x[batch, time], [each[batch, number] for each in last])
            for whole, end, now in zip(all_states, last, new, strict=True):
                whole[batch, number, time] = end[batch, number] = now
    return all_states, last
