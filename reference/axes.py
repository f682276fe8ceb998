"""Axes as pages count them: from the front, or with negative numbers from the back."""

from __future__ import annotations

from collections.abc import Iterable


def normalize_axis(axis: int, rank: int, name: str = "axis") -> int:
    """``axis`` in [-rank, rank) as a number from 0. Raises ValueError outside."""
    axis = int(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{name} must be in [{-rank}, {rank}), got {axis}")
    return axis % rank


def normalize_axes(axes: Iterable[int], rank: int, name: str = "axes") -> list[int]:
    """Each axis as a number from 0, in the order given. Raises ValueError outside the range or for a repeated axis."""
    normal = [normalize_axis(axis, rank, name) for axis in axes]
    if len(set(normal)) != len(normal):
        raise ValueError(f"{name} must be different axes, got {normal}")
    return normal
