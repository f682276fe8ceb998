"""The expected outputs of one layer, each with its bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
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
    parse_precision,
    precision_of,
    round_significand,
)
from reference.accuracy.registry import accuracies, lookup

Inputs = Sequence["np.ndarray | None"]
Reading = Callable[[np.ndarray], np.ndarray]


def outputs_of(name: str, inputs: Inputs, attributes: Mapping[str, Any]) -> Arrays:
    """The outputs of the operation ``name`` without their bounds. Raises what ``answer`` raises."""
    return run(lookup(name), inputs, attributes)


def answer(
    name: str,
    inputs: Inputs,
    attributes: Mapping[str, Any],
    types: Sequence[str] = (),
    computed_in: str = "",
    by_kernel: bool = False,
    outputs: Sequence[np.ndarray] | None = None,
) -> list[Expected]:
    """The expected outputs of the operation ``name``, such as ``SpaceToBatch-2``.

    ``types`` names the element type of each output; without it, floating-point outputs have that of the first
    floating-point input, or f32. ``computed_in`` is the precision that the device reports, in the device's spelling: a
    coarser one widens bounds. ``by_kernel``: the kernel that executed the layer reports it; a finer one then narrows
    them to its own error and one rounding to the output's type. ``outputs`` are those of ``outputs_of``, if they are
    known.

    Raises MissingReferenceError, and ValueError where the inputs break a rule of the page.
    """
    function = lookup(name)
    outputs = run(function, inputs, attributes) if outputs is None else tuple(outputs)
    types = types or _usual_types(inputs, outputs)
    classes = accuracies(name, len(outputs))
    device = parse_precision(computed_in)
    everything = frozenset(range(len(inputs)))
    readings: list[tuple[Reading, frozenset[int]]] = [(_unchanged, everything)]
    if not all(each.reads_exactly for each in classes):
        products = function.__dict__.get("products", ()) if coarsens(computed_in, types) else ()
        rest = [everything - {factor} for factors in products for factor in factors]
        which = dict.fromkeys([everything, *products, *rest])
        readings += product(_readings(inputs, device), which)
    by_reading: list[list[Expected]] = []
    admitted: Sequence[Mapping[str, Any]] = function.__dict__.get("readings", ({},))
    for number, ((read, chosen), of_page) in enumerate(product(readings, admitted)):
        read_inputs = [
            values if values is None or index not in chosen else read(values)
            for index, values in enumerate(inputs)
        ]
        arguments = {**attributes, **of_page}
        if number:
            try:
                outputs = run(function, read_inputs, arguments)
            except ValueError:
                # The page has no answer for numbers that are rounded so: boundaries that become equal, say.
                if read is _unchanged:
                    raise
                continue
        call = Call(function, read_inputs, arguments, outputs, types, device, by_kernel)
        by_reading.append([_expected(call, i, each) for i, each in enumerate(classes)])
    return [_joined([outputs[i] for outputs in by_reading], each) for i, each in enumerate(classes)]


def as_rounded(name: str, outputs: Sequence[np.ndarray]) -> list[Expected]:
    """The outputs of ``outputs_of`` as a device gives them that errs nowhere: exact, rounded once to their types.

    An answer that equals them bit for bit is within every bound of both tiers, whatever precision computed it, so that
    none need be built. Nothing where a test of all elements may find otherwise.
    """
    classes = accuracies(name, len(outputs))
    if any(kind.tests_together(each.size) for kind, each in zip(classes, outputs, strict=True)):
        return []
    return [
        Expected(each, is_rounded=not kind.is_bit_exact)
        for kind, each in zip(classes, outputs, strict=True)
    ]


def coarsens(computed_in: str, types: Sequence[str]) -> bool:
    """Whether this precision is coarser than one of these element types, so that bounds depend on it."""
    device = parse_precision(computed_in)
    return any(coarser(PRECISIONS[t], device) is device for t in types if t in PRECISIONS)


def refines(computed_in: str, types: Sequence[str]) -> bool:
    """Whether this precision is finer than one of these types, so that bounds depend on a kernel that has it."""
    device = parse_precision(computed_in)
    known = [PRECISIONS[each] for each in types if each in PRECISIONS]
    return device is not None and any(each.fraction_bits < device.fraction_bits for each in known)


def _usual_types(inputs: Inputs, outputs: Arrays) -> list[str]:
    found = (precision_of(values.dtype) for values in inputs if values is not None)
    usual = next((precision.name for precision in found if precision), "f32")
    return [usual if is_float(o.dtype) else o.dtype.name for o in outputs]


def _unchanged(values: np.ndarray) -> np.ndarray:
    return values


def _readings(inputs: Inputs, device: Precision | None) -> list[Reading]:
    """Other values that a device may take for its inputs: rounded to its precision, subnormals as zeros, or both."""
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
    # Of types that NumPy itself has no other one is needed to compare.
    size = np.abs(values if values.dtype.kind == "f" else values.astype(np.float64))
    return bool(np.any((size > 0) & (size < coarser(own, working).smallest_normal)))


def _expected(call: Call, output_index: int, accuracy: Accuracy) -> Expected:
    with np.errstate(all="ignore"):
        bounds = accuracy.bounds(call, output_index)
    value = call.outputs[output_index]
    own = Expected(value, bounds.bound, bounds.quality, bounds.flush, together=bounds.together)
    if not isinstance(accuracy, Choice):
        return own

    def choose(actual: Sequence[np.ndarray]) -> Expected:
        nearest = call.outputs
        # Sizes may depend on what a device chose, ranks never do.
        if all(a.ndim == b.ndim for a, b in zip(actual, call.outputs, strict=True)):
            nearest = accuracy.nearest_to(call, actual)
        # Mostly a device chose as the reference does, and the bounds are known.
        if all(map(_are_same, nearest, call.outputs)):
            return own
        return _expected(replace(call, outputs=nearest), output_index, accuracy.within)

    return replace(own, choose=choose)


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays are the same bit for bit."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype == object:
        return bool(np.array_equal(one, other))
    return one.tobytes() == other.tobytes()


def _joined(readings: list[Expected], accuracy: Accuracy) -> Expected:
    """The expected outputs of all readings of the inputs and of the page as one."""
    first, *others = readings
    if accuracy.reads_exactly:
        return first
    # An output whose shape depends on data must have the shape that the unchanged inputs give.
    same_shape = tuple(other for other in others if other.value.shape == first.value.shape)
    return replace(first, others=same_shape)
