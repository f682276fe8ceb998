"""Axes as pages count them: from the front, or with negative numbers from the back; the inputs that state them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def require_rank(stated: np.ndarray, ranks: tuple[int, ...], name: str) -> None:
    """Raises ValueError for an input whose rank is none of those that its page allows."""
    if np.ndim(stated) not in ranks:
        allowed = " or ".join(map(str, ranks))
        raise ValueError(f"{name} must have rank {allowed}, got shape {list(np.shape(stated))}")


def one_number(stated: np.ndarray, name: str) -> Any:
    """The number in a scalar or in a tensor of shape [1]. Raises ValueError for any other shape."""
    if np.shape(stated) not in ((), (1,)):
        raise ValueError(
            f"{name} must be one number, a scalar or of shape [1], got shape {list(np.shape(stated))}"
        )
    return np.ravel(stated)[0]


def normalize_axis(axis: int, rank: int, name: str = "axis") -> int:
    """``axis`` in [-rank, rank) as a number from 0. Raises ValueError outside."""
    axis = int(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{name} must be in [{-rank}, {rank}), got {axis}")
    return axis % rank


def one_axis(stated: np.ndarray, rank: int, name: str) -> int:
    """The axis that an input states, a scalar or [1], as a number from 0. Raises ValueError."""
    return normalize_axis(one_number(stated, name), rank, name)


def normalize_axes(axes: Iterable[int], rank: int, name: str = "axes") -> list[int]:
    """Each axis as a number from 0, in the order given. Raises ValueError outside the range or for a repeated axis."""
    normal = [normalize_axis(axis, rank, name) for axis in axes]
    if len(set(normal)) != len(normal):
        raise ValueError(f"{name} must be different axes, got {normal}")
    return normal
