"""Slices by start, stop and step over some axes, shared by Slice and SliceScatter."""

from __future__ import annotations

import numpy as np

from reference.shared.axes import normalize_axes


def slices(
    name: str,
    shape: tuple[int, ...],
    start: np.ndarray,
    stop: np.ndarray,
    step: np.ndarray,
    axes: np.ndarray | None,
) -> tuple[slice, ...]:
    """The Python slice of every dimension of ``shape``; dimensions that ``axes`` does not name are whole.

    start, stop, step and axes [n]; without axes they are for the first n dimensions. As in Python,
    negative positions count from the end and positions outside are clamped.
    Raises ValueError, in the name of the operation, where a rule of the pages is broken.
    """
    given = {"start": start, "stop": stop, "step": step}
    if axes is not None:
        given["axes"] = axes
    lengths = {key: value.shape for key, value in given.items()}
    if len(set(lengths.values())) != 1 or start.ndim != 1:
        stated = ", ".join(f"{key} {list(shape)}" for key, shape in lengths.items())
        raise ValueError(f"{name}: {', '.join(given)} must have one shape of rank 1, got {stated}")
    numbers = range(start.size) if axes is None else axes.tolist()
    found = [slice(None)] * len(shape)
    for axis, *limits in zip(
        normalize_axes(numbers, len(shape), f"{name}: axes"),
        start.tolist(),
        stop.tolist(),
        step.tolist(),
        strict=True,
    ):
        if limits[2] == 0:
            raise ValueError(f"{name}: step must not be 0, got {step.tolist()}")
        found[axis] = slice(*limits)
    return tuple(found)
