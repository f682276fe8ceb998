"""If (page If-8)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference import implements
from reference.accuracy import (
    EXACT,
    UNROUNDED,
    Accuracy,
    Arrays,
    Call,
    Depending,
    Rounded,
    is_float,
)

_Body = Callable[["np.ndarray", "np.ndarray", "np.ndarray"], Arrays]


def _real(values: np.ndarray) -> np.ndarray:
    """Reals in float64; integers as they are, so that they wrap."""
    return values.astype(np.float64) if is_float(values.dtype) else values


def _numbers(x: np.ndarray) -> np.ndarray:
    return np.arange(1, x.size + 1).reshape(x.shape).astype(x.dtype)


# What the bodies that cases ask for compute of the inputs x, y and z, and how exact each output must be.
_BODIES: dict[str, tuple[_Body, tuple[Accuracy, ...]]] = {
    "first": (lambda x, y, z: (x,), (EXACT,)),
    "second": (lambda x, y, z: (y,), (EXACT,)),
    "add": (lambda x, y, z: (_real(x) + _real(y),), (Rounded(),)),
    "subtract": (lambda x, y, z: (_real(x) - _real(y),), (Rounded(),)),
    "add_z": (lambda x, y, z: (_real(x) + _real(z),), (Rounded(),)),
    "concat": (lambda x, y, z: (np.concatenate([x, y]),), (EXACT,)),
    "less": (lambda x, y, z: (_real(x) < _real(y),), (UNROUNDED,)),
    "greater": (lambda x, y, z: (_real(x) > _real(y),), (UNROUNDED,)),
    "convert_z": (lambda x, y, z: (z.astype(np.float64),), (Rounded(),)),
    "constant": (lambda x, y, z: (_numbers(x),), (EXACT,)),
    "sum_and_less": (
        lambda x, y, z: (_real(x) + _real(y), _real(x) < _real(y)),
        (Rounded(), UNROUNDED),
    ),
    "difference_and_greater": (
        lambda x, y, z: (_real(x) - _real(y), _real(x) > _real(y)),
        (Rounded(), UNROUNDED),
    ),
    "swap": (lambda x, y, z: (y, x), (EXACT, EXACT)),
    "keep": (lambda x, y, z: (x, y), (EXACT, EXACT)),
}


def _accuracy(call: Call, output_index: int) -> Accuracy:
    assert call.inputs[0] is not None
    chosen = "then_body" if call.inputs[0].reshape(()) else "else_body"
    return _BODIES[call.attributes[chosen]][1][output_index]


@implements("If-8", accuracy=Depending(_accuracy))
def if_(
    cond: np.ndarray,
    x: np.ndarray,
    y: np.ndarray | None = None,
    z: np.ndarray | None = None,
    *,
    then_body: str,
    else_body: str,
) -> Arrays:
    """The outputs of one of two bodies: of ``then_body`` where ``cond`` (a scalar or [1]) is true.

    x, y and z are the other inputs, of which a body takes some; ``_BODIES`` has the bodies by name. Raises ValueError
    for bodies whose outputs are not alike in number and type, and for a condition that is not one element.
    """
    if cond.shape not in ((), (1,)):
        raise ValueError(f"If-8: cond must be a scalar or [1], got {list(cond.shape)}")
    for name in (then_body, else_body):
        if name not in _BODIES:
            raise ValueError(f"If-8: a body must be one of {', '.join(_BODIES)}, got {name!r}")
    inputs = [x if values is None else values for values in (x, y, z)]
    then, other = (_BODIES[name][0] for name in (then_body, else_body))
    first, second = then(*inputs), other(*inputs)
    if len(first) != len(second):
        raise ValueError(f"If-8: the bodies have {len(first)} and {len(second)} outputs")
    if any((a.dtype == bool) != (b.dtype == bool) for a, b in zip(first, second, strict=True)):
        raise ValueError("If-8: outputs of the bodies have different types")
    return first if cond.reshape(()) else second
