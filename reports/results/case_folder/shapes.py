"""Partial shapes in OpenVINO's notation: ``[2,?,1..7]``, ``[...]`` where the rank is not known."""

from __future__ import annotations


def dimensions(partial: str) -> list[str] | None:
    """The dimensions of a partial shape in OpenVINO's notation; None where its rank is unknown."""
    text = partial.strip("[]{}() ")
    if text.startswith("..."):
        return None
    return [part.strip() for part in text.split(",") if part.strip()]


def admits(partial: str, shape: tuple[int, ...]) -> bool:
    """Whether a partial shape in OpenVINO's notation (``[2,?,1..7]``, ``[...]``) admits a shape."""
    dims = dimensions(partial)
    if dims is None:
        return True
    if len(dims) != len(shape):
        return False
    return all(_dim_admits(part, size) for part, size in zip(dims, shape))  # noqa: B905 - Python 3.8


def _dim_admits(part: str, size: int) -> bool:
    if part.startswith("?") or part == "-1":
        return True
    low, dots, high = part.partition("..")
    if not dots:
        return int(low) == size
    return (not low or int(low) <= size) and (not high or size <= int(high))


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape in OpenVINO's notation."""
    return f"[{','.join(map(str, shape))}]"
