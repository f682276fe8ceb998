"""Steps of recurrent cells: sums of products before the gates, activations by name, and how errors pass through them.

Shapes: X [batch_size, input_size], states [batch_size, hidden_size], W [gates * hidden_size, input_size],
R [gates * hidden_size, hidden_size], B [gates * hidden_size]. All arrays are float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reference.accuracy import Precision, accumulator


@dataclass(frozen=True)
class Activation:
    """A function of pages of recurrent cells, and its largest slope."""

    function: Callable[[np.ndarray], np.ndarray]
    slope: float


ACTIVATIONS = {
    "relu": Activation(lambda x: np.maximum(x, 0), 1.0),
    "sigmoid": Activation(lambda x: 1 / (1 + np.exp(-x)), 0.25),
    "tanh": Activation(np.tanh, 1.0),
}


def require_cell(
    name: str,
    activations: Sequence[str],
    count: int,
    clip: float,
    shapes: Mapping[str, tuple[np.ndarray | None, tuple[int, ...]]],
) -> None:
    """Raises ValueError for other than ``count`` known activations, a clip that is not positive, or another shape."""
    if len(activations) != count or any(each not in ACTIVATIONS for each in activations):
        known, given = ", ".join(ACTIVATIONS), ", ".join(activations)
        raise ValueError(f"{name}: activations must be {count} of {known}, got {given}")
    if not clip > 0:
        raise ValueError(f"{name}: clip must be positive, got {clip}")
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

        def by_gate(rows: np.ndarray) -> np.ndarray:
            size = hidden.shape[1]
            return rows.reshape(len(rows), rows.shape[1] // size, size).transpose(1, 0, 2)

        with np.errstate(all="ignore"):
            of_x, of_hidden = by_gate(x @ w.T), by_gate(hidden @ r.T)
            sums = of_x + of_hidden + (0.0 if b is None else by_gate(b[np.newaxis]))
        return cls(of_x, of_hidden, sums, x.shape[1] + hidden.shape[1] + 2)

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
        self, sums: np.ndarray, cell: np.ndarray, activations: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rounding errors of the hidden and of the cell state, in ε, for errors of the ``sums`` before the gates.

        An activation multiplies the error by at most its slope and adds 4 ulps; a product adds the error of each factor
        times the other. Second-order terms are covered by the factor 2 of sums.
        """
        f, g, h = (ACTIVATIONS[name].slope for name in activations)
        slopes, gates = (f, f, g, f), (self.f, self.i, self.c, self.o)
        df, di, dc, do = (
            slope * error + 4 * np.abs(gate)
            for slope, error, gate in zip(slopes, sums, gates, strict=True)
        )
        products = np.abs(self.f * cell) + np.abs(self.i * self.c)
        with np.errstate(all="ignore"):
            new = np.abs(cell) * df + np.abs(self.c) * di + np.abs(self.i) * dc + products
            activated = h * new + 4 * np.abs(self.h)
            hidden = np.abs(self.h) * do + np.abs(self.o) * activated + np.abs(self.hidden)
        return hidden, new
