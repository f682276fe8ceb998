"""Data for functions of one number: every number of a short type, and the numbers of f32 where arithmetic goes wrong.

An operation that declares ``sweeps`` gets one case in each of these types; its layer has as many elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ir_models.vocabulary.element_types import ElementType, bf16, f16, f32

# Multiples of π/2 up to 1e5, where the reduction of an argument cancels the most.
_QUARTER_TURNS = 63_661


def _every(kind: ElementType) -> np.ndarray:
    """Every finite number of a type of 16 bits, in the order of its bits."""
    values: np.ndarray = np.arange(2**16, dtype=np.uint16).view(kind.dtype)
    with np.errstate(invalid="ignore"):  # signalling NaN
        return values[np.isfinite(values.astype(np.float64))]


def _hard(kind: ElementType) -> np.ndarray:
    """Finite numbers of f32 of both signs, in the order of their size.

    The subnormals, all powers of two and both ends with neighbours, which has what is near zero and, at 1, the poles
    and domain ends of inverse functions; eighths up to 128, where powers of e overflow; multiples of π/2, of
    alternating signs beyond 100.
    """
    whole = 2.0 ** np.arange(-149, 128)
    near = 1 + np.outer(2.0 ** np.arange(-23, 0), [-0.5, 1, 3]).reshape(-1)
    around = np.outer(whole, [1 - 2.0**-24, 1, 1 + 2.0**-23, 1.25, 1.7]).reshape(-1)
    eighths = np.arange(1024) / 8
    numbers = np.arange(1, _QUARTER_TURNS + 1)
    turns = numbers * (np.pi / 2)
    positive = np.concatenate(
        [[0.0], around, near, eighths, turns[:64], [np.finfo(np.float32).max]]
    )
    far = turns[64:] * np.where(numbers[64:] % 4 < 2, 1, -1)
    both = np.concatenate([positive, -positive, far]).astype(kind.dtype)
    # By bits, as -0.0 is another number than 0.0.
    return np.sort(np.unique(both.view(np.uint32)).view(kind.dtype), kind="stable")


_SETS: dict[ElementType, Callable[[ElementType], np.ndarray]] = {
    f16: _every,
    bf16: _every,
    f32: _hard,
}

TYPES = tuple(_SETS)


@cache
def numbers(kind: ElementType) -> np.ndarray:
    """The numbers of a sweep in one of ``TYPES``, read-only. Raises KeyError for another type."""
    found = _SETS[kind](kind)
    found.setflags(write=False)
    return found


def data(kind: ElementType, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of a sweep in the shape of a layer, from the first one again where it has more elements."""
    return np.resize(numbers(kind), shape)
