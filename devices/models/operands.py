"""What a device may do to the operands of a layer before it computes, and operands whose last bits are independent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from devices.models.parts import boxes
from devices.process.resources import storage
from ir_models.models import Model
from ir_models.vocabulary.graph import Node, type_name
from reference import Value
from reference.accuracy import PRECISIONS, Exact, Rounded, Sum, coarser, is_float, rounded
from reference.accuracy.precision import parse_precision
from reference.accuracy.registry import accuracies

# How often what is folded of each constant of a batch normalization is rounded.
_FOLDED = {"gamma": 2, "beta": 1, "mean": 2, "variance": 1}
# Of an element: how far a number of the same size may be from it, whose last bits have nothing to do with it.
_SCATTER = 1 / 16


def widened(inputs: Sequence[Value], computed_in: str, roundings: int) -> list[Value]:
    """Inputs of a layer in a group with the errors that the device may add before it computes.

    It may convert them to the coarser precision that it computes in. And it may round each ``roundings`` times, in the
    gate alone: see ``roundings_of_factors``. The rounding of what the layer before gave is in that layer's own bound.
    """
    device = parse_precision(computed_in) if computed_in else None
    found = []
    for each in inputs:
        own = PRECISIONS.get(each.type)
        is_coarser = own is not None and coarser(own, device) is not own
        if own is None or own.name == "f64" or not (is_coarser or roundings):
            found.append(each)
            continue
        working, wide = coarser(own, device), each.array.astype(np.float64)
        with np.errstate(all="ignore"):
            converted = np.where(wide == 0, 0.0, working.half_ulp(wide) if is_coarser else 0.0)
            scaled = np.where(np.isfinite(wide), roundings * working.unit * np.abs(wide), 0.0)
        gate = converted + scaled if each.gate is None else each.gate + converted + scaled
        quality = each.quality
        if is_coarser:
            quality = converted if quality is None else quality + converted
        found.append(Value(each.array, each.type, gate, quality, each.flush))
    return found


def folded(
    model: Model,
    node: Node,
    inputs: Sequence[Value],
    is_constant: Callable[[str], bool],
    is_read: Callable[[str], bool],
) -> list[Value]:
    """Inputs of a layer of f16 that a device computes in f32, with the errors of what it folds of a normalization.

    Its constants become a factor and an addend, in the type that they have: variance + epsilon, its root, the quotient,
    the product with the mean and the difference are rounded. The factor goes into the weights of the layer before it,
    which are rounded.
    """
    if _is_normalization(node):
        declared = model.sources[node.name].operation
        names = [each.name for each in declared.inputs] if declared else []
        times = [_FOLDED.get(name, 0) for name in names]
    else:
        readers = [
            model.nodes[reader]
            for value in model.sources[node.name].outputs
            for reader in (() if is_read(value) else model.readers.get(value, ()))
        ]
        times = [int(any(map(_is_normalization, readers)))] * len(inputs)
    return [
        _rounded(each, type_name(model.types[value]), count)
        if count and is_constant(value)
        else each
        for value, each, count in zip(node.inputs, inputs, times, strict=True)
    ]


def _is_normalization(node: Node) -> bool:
    return node.operation.startswith("BatchNormInference-")


def _rounded(value: Value, kind: str, times: int) -> Value:
    """A value that was rounded to a type so many times."""
    own = PRECISIONS.get(kind)
    if own is None:
        return value
    error = times * own.half_ulp(value.array.astype(np.float64))
    gate, quality = (error if e is None else e + error for e in (value.gate, value.quality))
    return replace(value, gate=gate, quality=quality)


def roundings_of_factors(model: Model, name: str, is_read: Callable[[str], bool]) -> int:
    """How often a device rounds an operand of a sum if it multiplies the factors behind the sum into it.

    As x·(1/6) + 1/2 for (x + 3)/6: (a + b)·c becomes a·c + b·c, which rounds each product once; a division is a
    multiplication by a quotient, rounded as well; and of several factors one is made, rounded for each. What is rounded
    is as large as the operands, also where they cancel. That is no good arithmetic, but correct.

    Factors are those in the same group, ``is_read`` tells its ends. They pass layers that move, choose or sum
    numbers; behind a function such as Tanh a factor has nothing to do with the sum. 0 for a layer that is no sum.
    """
    if _algebra(model, name) != "sum":
        return 0
    found: set[str] = set()
    seen, pending = {name}, [name]
    while pending:
        for value in model.sources[pending.pop()].outputs:
            for reader in () if is_read(value) else model.readers.get(value, ()):
                if reader in seen or not _is_passed(model, reader):
                    continue
                seen.add(reader)
                pending.append(reader)
                found.add(reader)
    return sum({"factor": 1, "quotient": 2}.get(_algebra(model, each), 0) for each in found)


def _is_passed(model: Model, name: str) -> bool:
    """Whether a factor may be multiplied before a layer as well as behind it."""
    node = model.nodes[name]
    operation = model.sources[name].operation
    if not node.operation or operation is None or operation.bodies:
        return False
    return all(
        isinstance(each, (Exact, Rounded, Sum))
        for each in accuracies(node.operation, len(node.types))
    )


def _algebra(model: Model, name: str) -> str:
    """The algebra of a layer's operation, "" where it is not known."""
    operation = model.sources[name].operation
    return operation.algebra if operation else ""


def scattered(array: np.ndarray, state: np.random.RandomState) -> np.ndarray:
    """Reals of the same signs and sizes, each multiplied by a factor of its own near 1; other values as they are."""
    if not is_float(array.dtype):
        return array
    scattered_ones = storage.zeros(array.shape, array.dtype)
    for box in boxes(array.shape):
        values = array[box]
        with np.errstate(all="ignore"):
            factors = state.uniform(1 - _SCATTER, 1 + _SCATTER, values.shape)
            found = rounded(values.astype(np.float64) * factors, array.dtype)
        scattered_ones[box] = np.where(np.isfinite(found.astype(np.float64)), found, values)
    return scattered_ones
