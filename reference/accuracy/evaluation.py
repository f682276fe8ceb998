"""What a device must answer for one layer, with the error that each output may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reference.accuracy.base import Accuracy
from reference.accuracy.call import Arrays, Call, run
from reference.accuracy.choices import Choice
from reference.accuracy.comparison import Expected
from reference.accuracy.precision import (
    PRECISIONS,
    Precision,
    coarser,
    flush_subnormals,
    is_float,
    precision_of,
    round_significand,
    said,
)
from reference.accuracy.registry import accuracies, lookup

Inputs = Sequence["np.ndarray | None"]
Reading = Callable[[np.ndarray], np.ndarray]


def answer(
    name: str,
    inputs: Inputs,
    attributes: Mapping[str, Any],
    types: Sequence[str] = (),
    computed_in: str = "",
) -> list[Expected]:
    """The right outputs of the operation ``name``, such as ``SpaceToBatch-2``.

    ``types`` names the element type of each output; without it, floating-point outputs have that of the first
    floating-point input, or f32. ``computed_in`` is the precision that the device says it computed in, as it says it.

    Raises MissingReferenceError, and ValueError where the inputs break a rule of the page.
    """
    function = lookup(name)
    outputs = run(function, inputs, attributes)
    types = types or _usual_types(inputs, outputs)
    classes = accuracies(name, len(outputs))
    device = said(computed_in)
    readings: list[Reading] = [_exactly]
    if not all(each.reads_exactly for each in classes):
        readings += _readings(inputs, device)
    found: list[list[Expected]] = []
    for number, read in enumerate(readings):
        taken = [None if values is None else read(values) for values in inputs]
        if number:
            outputs = run(function, taken, attributes)
        call = Call(function, taken, attributes, outputs, types, device)
        found.append([_expected(call, place, each) for place, each in enumerate(classes)])
    return [
        _joined([outputs[place] for outputs in found], each) for place, each in enumerate(classes)
    ]


def coarsens(computed_in: str, types: Sequence[str]) -> bool:
    """Whether computing in this precision is coarser than one of these element types, so that bounds depend on it."""
    device = said(computed_in)
    return any(coarser(PRECISIONS[t], device) is device for t in types if t in PRECISIONS)


def _usual_types(inputs: Inputs, outputs: Arrays) -> list[str]:
    found = (precision_of(values.dtype) for values in inputs if values is not None)
    usual = next((precision.name for precision in found if precision), "f32")
    return [usual if is_float(o.dtype) else o.dtype.name for o in outputs]


def _exactly(values: np.ndarray) -> np.ndarray:
    return values


def _readings(inputs: Inputs, device: Precision | None) -> list[Reading]:
    """How else a device may take its inputs: rounded to what it computes in, subnormals as zeros, or both."""
    reals = [values for values in inputs if values is not None and is_float(values.dtype)]
    own = [precision for values in reals if (precision := precision_of(values.dtype))]
    if not own:
        return []
    finest = max(own, key=lambda precision: precision.fraction_bits)
    working = coarser(finest, device)
    found: list[Reading] = []

    def rounds(values: np.ndarray) -> np.ndarray:
        return round_significand(values, working) if is_float(values.dtype) else values

    def flushes(values: np.ndarray) -> np.ndarray:
        own = precision_of(values.dtype)
        return flush_subnormals(values, coarser(own, working)) if own else values

    if working is not finest:
        found.append(rounds)
    if any(_has_subnormals(values, working) for values in reals):
        found.append(flushes)
        if working is not finest:
            found.append(lambda values: flushes(rounds(values)))
    return found


def _has_subnormals(values: np.ndarray, working: Precision) -> bool:
    own = precision_of(values.dtype)
    if own is None:
        return False
    size = np.abs(values.astype(np.float64))
    return bool(np.any((size > 0) & (size < coarser(own, working).smallest_normal)))


def _expected(call: Call, place: int, accuracy: Accuracy) -> Expected:
    with np.errstate(all="ignore"):
        bounds = accuracy.bounds(call, place)
    value = call.outputs[place]
    choose = None
    if isinstance(accuracy, Choice):

        def choose(came: Sequence[np.ndarray]) -> Expected:
            nearest = replace(call, outputs=accuracy.nearest(call, came))
            return _expected(nearest, place, accuracy.within)

    return Expected(
        value, bounds.gate, bounds.quality, bounds.flush, together=bounds.together, choose=choose
    )


def _joined(readings: list[Expected], accuracy: Accuracy) -> Expected:
    """The answers for all readings of the inputs as one."""
    first, *others = readings
    if accuracy.reads_exactly:
        return first
    # An output whose shape depends on data is held to the shape of the inputs as they are.
    alike = tuple(other for other in others if other.value.shape == first.value.shape)
    return replace(first, others=alike)
