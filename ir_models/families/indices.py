"""Inputs that hold indices into data: an input ``axis``, the values of indices, their range, variants of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import Index, Layer, Variant, numbers, types, variant
from ir_models.vocabulary.element_types import Tensor

T_IND = types("T_IND", "any supported integer types")
# An axis of data, as a scalar or a tensor of one element.
AXIS = Index(
    "axis", types("T_AXIS", "any supported integer types"), shape="scalar or 1", axis_of="data"
)


def axis_variants(
    rank: int, more: Mapping[int, Mapping[str, Any]] | None = None, *, as_1d: bool = False
) -> list[Variant]:
    """Every axis of data of this rank, from both ends, ``as_1d`` also as a tensor.

    ``more`` are changes that go with an axis, which is counted from 0.
    """
    found = [
        variant(
            name, about, *({**(more or {}).get(axis % rank, {}), "axis": axis} for axis in axes)
        )
        for name, about, axes in (
            ("axis", "any axis", range(rank)),
            ("negative-axis", "a negative axis counts from the end", range(-rank, 0)),
        )
    ]
    if as_1d:
        lists = ({"axis": [axis]} for axis in range(-rank, rank))
        found.append(variant("axis-as-1d", "axis may be a tensor of one element", *lists))
    return found


def with_axis(shape: Sequence[int], axis: int, size: int) -> list[int]:
    """A shape with one more dimension of this size."""
    return [*shape[:axis], size, *shape[axis:]]


def axis_of(layer: Layer) -> int:
    """The axis, counted from 0; any axis of a layer whose axis is wrong."""
    return int(numbers(layer.axis)[0]) % max(layer.data.rank, 1)


def size_along_axis(layer: Layer) -> int:
    """The dimension of data that indices along ``axis`` go into."""
    return int(layer.data.shape[axis_of(layer)])


def anywhere_along_axis(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Indices within ``axis``, each place as likely as another."""
    return state.randint(0, max(size_along_axis(layer), 1), layer.indices.shape)


def in_range(indices: Tensor, sizes: int | Sequence[int], *, from_end: bool = False) -> bool:
    """Whether indices are from 0, or from -size, to size - 1; without a stated value, whether there is such an index.

    ``sizes``: one for all indices, or one for each item of a tuple, which the last dimension of indices holds.
    """
    if indices.value is None:
        return bool(np.all(sizes)) or indices.size == 0
    values, limits = np.array(indices.value, object), np.array(sizes, object)
    return bool(np.all((values < limits) & (values >= (-limits if from_end else 0))))
