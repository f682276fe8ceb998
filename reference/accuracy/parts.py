"""Parts of outputs that do not depend on each other: a large call is computed one after the other.

An operation says with ``@implements(..., parts=...)`` how its outputs are divided; ``reference.shared.dividing`` has
the usual ways. A part is a call of the same reference on a part of the inputs, so that bounds and comparisons are those
of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np

from reference.accuracy.registry import lookup

# One slice for each axis, with both ends.
Box = tuple[slice, ...]
Inputs = Sequence["np.ndarray | None"]


# Numbers of elements that are about the same.
_ALIKE = 1.1


@dataclass(frozen=True)
class Taken:
    """What a part of the outputs is computed from.

    ``inputs`` has for each input the box of it, None for all of it, or another array in its place. ``attributes`` are
    those that differ. ``offsets``: what is missing in the numbers of an output, by its number, such as in indices that
    count from the first element of the whole input.
    """

    inputs: Sequence[Box | np.ndarray | None]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    offsets: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Division:
    """How the outputs of one call are divided.

    ``shape`` is that of the first output, about so along axes that are not divided. ``steps`` has the axes that may be
    divided, and how many elements along each stay together; all outputs have these axes. ``take`` says what a box of
    the outputs is computed from.
    """

    shape: tuple[int, ...]
    steps: Mapping[int, int]
    take: Callable[[Box], Taken]


@dataclass(frozen=True)
class OutputPart:
    """One part: where it lies in the outputs, and what it is computed from."""

    box: Box
    taken: Taken

    def of(self, array: np.ndarray) -> np.ndarray:
        """This part of an output. Along axes that are not divided outputs may have other sizes."""
        return array[self.box]

    def inputs(self, inputs: Inputs) -> list[np.ndarray | None]:
        """The inputs of the call, copied."""
        return [
            taken
            if isinstance(taken, np.ndarray)
            else given
            if given is None
            else cut(given, taken)
            for given, taken in zip(inputs, self.taken.inputs, strict=True)
        ]


def cut(array: np.ndarray, box: Box | None) -> np.ndarray:
    """A copy of a box of an array; the array itself without a box."""
    return array if box is None else np.array(array[box])


def parts(
    name: str, inputs: Inputs, attributes: Mapping[str, Any], most: int
) -> tuple[Division, list[OutputPart]] | None:
    """The parts of a call: inputs and output of each have about ``most`` elements together, if they can.

    None for a call that cannot be divided. Of the inputs only shapes are read, and the values of small ones. Raises
    what the reference raises for inputs that break a rule of the page.
    """
    divide = lookup(name).__dict__.get("parts")
    division: Division | None = divide(inputs, attributes) if divide is not None else None
    if division is None or not prod(division.shape):
        return None
    lengths = _lengths(division, inputs, most)
    if lengths == division.shape:
        return None
    return division, [
        OutputPart(box, division.take(_closed(box, division))) for box in _boxes(division, lengths)
    ]


def _closed(box: Box, division: Division) -> Box:
    return tuple(
        slice(0, size) if each.stop is None else each
        for each, size in zip(box, division.shape, strict=True)
    )


def _boxes(division: Division, lengths: tuple[int, ...]) -> Iterator[Box]:
    """Boxes of these lengths; axes that are not divided are left whole, whatever the size of an output there."""
    along = [
        [slice(first, min(first + length, size)) for first in range(0, size, length)]
        if length < size
        else [slice(None)]
        for size, length in zip(division.shape, lengths, strict=True)
    ]
    return product(*along)


def _lengths(division: Division, inputs: Inputs, most: int) -> tuple[int, ...]:
    """The lengths of a box: halved along the axis that leaves least elements, until there are few."""

    def cost(lengths: Sequence[int]) -> int:
        taken = division.take(tuple(slice(0, length) for length in lengths)).inputs
        return prod(lengths) + sum(
            prod(each.stop - each.start for each in box)
            if isinstance(box, tuple)
            else 0
            if given is None
            else given.size
            for given, box in zip(inputs, taken, strict=True)
        )

    found = list(division.shape)
    least = [division.steps.get(axis, size) for axis, size in enumerate(found)]
    # What no division makes smaller does not count.
    most += cost([min(pair) for pair in zip(least, found, strict=True)])
    now = cost(found)
    while now > most:
        halves = []
        for axis, step in division.steps.items():
            if found[axis] > step:
                half = -(-found[axis] // (2 * step)) * step
                halves.append((cost([*found[:axis], half, *found[axis + 1 :]]), axis, half))
        if not halves:
            break
        # Of axes that leave about as much the first one: what lies together in memory stays together.
        least_cost = min(halves)[0]
        now, axis, half = next(each for each in halves if each[0] <= _ALIKE * least_cost)
        found[axis] = half
    return tuple(found)
