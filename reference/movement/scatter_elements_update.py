"""ScatterElementsUpdate (pages ScatterElementsUpdate-3 and ScatterElementsUpdate-12)."""

from typing import Literal

import numpy as np

from reference import implements
from reference.shared.axes import one_axis
from reference.shared.checks import positions
from reference.shared.scattering import Reduced, scatter


@implements("ScatterElementsUpdate-3")
def scatter_elements_update_3(
    data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    """A copy of data with each update written at its own position, except along ``axis``, where its index gives it.

    updates and indices have one shape, in no dimension greater than data; axis is a scalar or [1]. Raises ValueError
    where the shapes disagree, data lacks the axis, or an index is negative or too large.
    """
    name = "ScatterElementsUpdate-3"
    if any(size > limit for size, limit in zip(updates.shape, data.shape, strict=False)):
        shapes = f"{data.shape}, got {updates.shape}"
        raise ValueError(f"{name}: updates must in no dimension be greater than {shapes}")
    return _scatter(name, data, indices, updates, axis)


@implements("ScatterElementsUpdate-12", accuracy=Reduced())
def scatter_elements_update_12(
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    axis: np.ndarray,
    *,
    reduction: Literal["none", "sum", "prod", "min", "max", "mean"] = "none",
    use_init_val: bool = True,
) -> np.ndarray:
    """Like ScatterElementsUpdate-3, with negative indices, any number of updates along axis, and reductions.

    ``reduction`` combines updates with data; with ``use_init_val`` False only with one another. The mean is that of all
    values for one element; its floor for integers. Sums, products and means of floats are float64.
    """
    name = "ScatterElementsUpdate-12"
    return _scatter(name, data, indices, updates, axis, reduction, use_init_val, negative=True)


def _scatter(
    name: str,
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    axis: np.ndarray,
    reduction: str = "none",
    use_init_val: bool = True,
    negative: bool = False,
) -> np.ndarray:
    along = one_axis(axis, data.ndim, f"{name}: axis")
    if indices.ndim != data.ndim or updates.shape != indices.shape:
        shapes = f"got {indices.shape} and {updates.shape} for {data.shape}"
        raise ValueError(
            f"{name}: indices and updates must have one shape of data's rank, {shapes}"
        )
    others = [n for n in range(data.ndim) if n != along]
    if any(updates.shape[n] > data.shape[n] for n in others):
        shapes = f"{data.shape}, got {updates.shape}"
        raise ValueError(
            f"{name}: updates must be at most as large as data except along axis, {shapes}"
        )
    place: list[np.ndarray] = list(np.indices(indices.shape))
    place[along] = positions(indices, data.shape[along], f"{name}: indices", negative)
    if not indices.size:
        return data.copy()
    flat = np.ravel_multi_index(tuple(place), data.shape).reshape(-1)
    elements = data.reshape(-1, 1), flat, updates.reshape(-1, 1)
    return scatter(*elements, reduction, use_init_val).reshape(data.shape)
