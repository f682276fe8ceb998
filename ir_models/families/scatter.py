"""Scatters: a copy of data with updates written, or combined with what is there, where indices say.

ScatterUpdate = scatter("ScatterUpdate-3", "opset3", T, indices, PLACES, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ir_models.asking.values import distinct
from ir_models.declaration import *
from ir_models.families.indices import AXIS, in_range
from ir_models.vocabulary.element_types import ElementType, Tensor


@dataclass(frozen=True)
class Places:
    """Where updates go.

    ``sizes``: the dimensions of data that an index, or each item of a tuple of indices, goes into. ``positions``: the
    position in flat data of each update, given the values of indices. ``updates``: the shape that the page asks of
    updates, given that of indices. ``alike``: the shape of indices with 1 for the dimensions along which indices must
    differ. ``indices``: the shape of indices cut to what data has room for; without it there are none where a dimension
    of data that they go into has no element.
    """

    sizes: Callable[[Layer], Sequence[int]]
    positions: Callable[[Layer, np.ndarray], np.ndarray]
    updates: Callable[[Layer, Sequence[int]], Sequence[int]]
    alike: Callable[[Layer], Sequence[int]]
    indices: Callable[[Layer], Sequence[int]] | None = None

    def count(self, layer: Layer) -> int:
        """How many indices meet in the dimensions that they go into."""
        dims = zip(layer.indices.shape, self.alike(layer), strict=True)
        return prod(size for size, alike in dims if alike == 1)

    def room(self, layer: Layer) -> int:
        """How many of them can differ: an index names no more places than its type has numbers from 0."""
        most = layer.indices.element_type.integer_range[1] + 1
        return prod(min(size, most) for size in self.sizes(layer))

    def indices_with_room(self, layer: Layer) -> tuple[int, ...]:
        """The shape of indices, or of fewer where data has no room for so many."""
        if self.indices is not None:
            return tuple(self.indices(layer))
        shape = layer.indices.shape
        return (0, *shape[1:]) if 0 in self.sizes(layer) else shape


_REPEATED = Reading(
    "several updates of one element",
    "Any order is right: the result is one that some order gives.",
    "The page leaves the order open.",
    "silence",
)


def scatter(
    name: str,
    opset: str,
    types: TypeSet,
    indices: Input,
    places: Places,
    *,
    has_axis: bool = True,
    reductions: Sequence[str] = (),
    attributes: Sequence[Attribute] = (),
    examples: Sequence[Example] = (),
    rules: Sequence[Rule] = (),
    variants: Sequence[Variant] = (),
    readings: Sequence[Reading] = (),
) -> Operation:
    """A scatter of ``updates`` into ``data``.

    A layer may leave out updates: they have the shape that its data and indices ask for.
    """
    reduction = Attribute("reduction", ("none", *reductions), default="none")
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", types, at_least(1), values=_data),
            indices,
            Input("updates", types, values=_updates(places)),
            *([AXIS] if has_axis else []),
        ],
        outputs=[Output("output", types)],
        attributes=[*([reduction] if reductions else []), *attributes],
        examples=examples,
        rules=rules,
        violations=["axis=[1,2]"] if has_axis else [],
        variants=variants,
        readings=[_REPEATED, *readings],
    )

    @operation.adapt
    def suited(layer: Layer) -> Changes:
        shape = places.indices_with_room(layer)
        given = layer.indices if layer.indices.shape == shape else shape
        updates = tuple(places.updates(layer, shape))
        return {"indices": given, "updates": layer.data.element_type[updates]}

    return operation


def indices_rule(places: Places, where: str, *broken: Changes, from_end: bool = False) -> Rule:
    """Indices are within their dimensions, ``from_end`` also when they count from the end."""
    return rule(
        f"indices are in [{'-s' if from_end else '0'}, s - 1], s the {where}",
        lambda layer: in_range(layer.indices, places.sizes(layer), from_end=from_end),
        broken,
    )


def reduced(reductions: Sequence[str], types: Sequence[ElementType]) -> list[str]:
    """Changes to each reduction in each element type."""
    return [
        f"reduction={reduction}; data={kind}; updates={kind}"
        for reduction in reductions
        for kind in types
    ]


def reduces(layer: Layer) -> bool:
    """Whether updates are combined with what they meet, not just written."""
    return layer.attributes.get("reduction", "none") != "none"


def _data(layer: Layer, state: np.random.RandomState) -> np.ndarray | None:
    """Small numbers for a reduction, so that no integer type overflows; any values where data is only moved."""
    return _small(layer, layer.data, state) if reduces(layer) else None


def _updates(places: Places) -> Callable[[Layer, np.random.RandomState], np.ndarray | None]:
    """Updates that are equal where they are written to one place: the pages leave their order open."""

    def values(layer: Layer, state: np.random.RandomState) -> np.ndarray | None:
        if reduces(layer):
            return _small(layer, layer.updates, state)
        indices = layer.indices
        if indices.value is None and places.count(layer) <= places.room(layer):
            return None  # indices are drawn different
        if indices.value is None:
            # Those that are drawn, and too many to differ, are taken for one.
            alike = places.positions(layer, np.zeros(places.alike(layer), np.int64))
            drawn = distinct(layer.updates.element_type, alike.size, state)
            return np.broadcast_to(drawn.reshape(alike.shape), layer.updates.shape)
        positions = np.ravel(places.positions(layer, np.array(indices.value, np.int64)))
        _, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
        if first.size == positions.size:
            return None
        return distinct(layer.updates.element_type, positions.size, state)[first][inverse]

    return values


def _small(layer: Layer, tensor: Tensor, state: np.random.RandomState) -> np.ndarray:
    kind = tensor.element_type
    if kind.kind == "boolean":
        return state.randint(0, 2, tensor.shape)
    if kind.kind == "uint":
        # What is left after subtracting some updates is not below zero.
        above = 100 if layer.reduction == "sub" and tensor is layer.data else 0
        return state.randint(above, above + 12, tensor.shape)
    if kind.kind == "int":
        return state.randint(-11, 12, tensor.shape)
    # As all ordinary data, within what f32 holds.
    return state.uniform(-4, 4, tensor.shape).astype(np.float32)
