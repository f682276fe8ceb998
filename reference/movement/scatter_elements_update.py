"""ScatterElementsUpdate (pages ScatterElementsUpdate-3 and ScatterElementsUpdate-12)."""

import numpy as np

from reference import implements
from reference.shared.axes import normalize_axis, one_number
from reference.shared.checks import positions, require_one_of
from reference.shared.scattering import Reduced, scatter

_REDUCTIONS = ("none", "sum", "prod", "min", "max", "mean")


@implements("ScatterElementsUpdate-3")
def scatter_elements_update_3(
    data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    """A copy of data with each update written at its own position, except along ``axis``, where its index gives it.

    updates and indices have one shape, in no dimension greater than data; axis is a scalar or [1]. Raises ValueError
    where the shapes disagree, data lacks the axis, or an index is negative or too large.
    """
    name = "ScatterElementsUpdate-3"
    along = _checked_axis(name, data, indices, updates, axis)
    size = data.shape[along]
    if indices.shape[along] > size:
        raise ValueError(
            f"{name}: updates must have at most {size} elements along axis {along}, "
            f"got {indices.shape[along]}"
        )
    return _scatter(data, positions(indices, size, f"{name}: indices"), updates, along)


@implements("ScatterElementsUpdate-12", accuracy=Reduced())
def scatter_elements_update_12(
    data: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    axis: np.ndarray,
    *,
    reduction: str = "none",
    use_init_val: bool = True,
) -> np.ndarray:
    """As ScatterElementsUpdate-3, with negative indices, any number of updates along axis, and reductions.

    ``reduction`` combines updates with data (none, sum, prod, min, max, mean); with ``use_init_val`` False only with
    one another. The mean is that of all values for one element; its floor for integers. Sums, products and means of
    floats are float64. Raises ValueError as ScatterElementsUpdate-3 does and for a reduction the type lacks.
    """
    name = "ScatterElementsUpdate-12"
    require_one_of(reduction, _REDUCTIONS, f"{name}: reduction")
    along = _checked_axis(name, data, indices, updates, axis)
    places = positions(indices, data.shape[along], f"{name}: indices", negative=True)
    return _scatter(data, places, updates, along, reduction, use_init_val)


def _checked_axis(
    name: str, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> int:
    along = normalize_axis(one_number(axis, f"{name}: axis"), data.ndim, f"{name}: axis")
    if indices.ndim != data.ndim:
        raise ValueError(
            f"{name}: indices must have the rank of data, {data.ndim}, got {indices.ndim}"
        )
    if updates.shape != indices.shape:
        raise ValueError(
            f"{name}: updates must have the shape of indices, {indices.shape}, got {updates.shape}"
        )
    for number, (size, limit) in enumerate(zip(updates.shape, data.shape, strict=True)):
        if number != along and size > limit:
            raise ValueError(
                f"{name}: dimension {number} of updates must be at most {limit}, got {size}"
            )
    return along


def _scatter(
    data: np.ndarray,
    places: np.ndarray,
    updates: np.ndarray,
    along: int,
    reduction: str = "none",
    use_init_val: bool = True,
) -> np.ndarray:
    """``places`` are from 0 along the axis ``along``."""
    if not places.size:
        return data.copy()
    position: list[np.ndarray] = list(np.indices(places.shape))
    position[along] = places
    flat = np.ravel_multi_index(tuple(position), data.shape)
    output = scatter(
        data.reshape(-1, 1), flat.reshape(-1), updates.reshape(-1, 1), reduction, use_init_val
    )
    return output.reshape(data.shape)
