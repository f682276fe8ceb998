"""Evaluates a graph of operations: a body of If, Loop or TensorIterator, or a layer with its neighbours.

A graph is plain data (:class:`PlainGraph`):

    {
        "parameters": ["x", "y"],
        "constants": {"limit": np.array([2], np.int64)},
        "nodes": [
            {"name": "sum", "operation": "Add-1", "inputs": ["x", "y"], "attributes": {"auto_broadcast": "numpy"}},
            {"name": "parts", "operation": "Split-1", "inputs": ["sum", "axis"], "attributes": {"num_splits": 2}},
        ],
        "results": ["sum", "parts:1"],
    }

- ``parameters``: the names of the inputs. ``constants``: arrays by name; optional.
- ``nodes``: layers in an order in which each one follows those that it takes inputs from; optional. ``operation`` is a
  type and opset as on its page. ``inputs`` name parameters, constants or other nodes: ``"parts"`` is output 0 of a
  node, ``"parts:1"`` output 1, None an input that is left out. ``attributes`` are those of the operation's reference;
  optional. ``types`` names the element type of each output (``["f16"]``); optional, see below.
- ``results``: the names of the outputs, written like ``inputs``. One name may occur several times.

Element types have the names of pages for floating-point types (``f16``) and of NumPy for others (``int8``, ``bool``).
Floating-point values are float64 between nodes, so the element type of an output is stated in ``types``.
Without it a floating-point output has the type of the node's first floating-point input, other outputs the type that
the reference returns. Integer outputs are cast to the stated type.

Bounds: :func:`evaluate_with_bounds` adds to the bound of each operation the change of its outputs that the bounds of
its inputs cause. That is exact to first order for elementwise functions that are monotonic within the bounds on either
side of zero, for data movement and for sums. Where inputs are exact and all results are numbers of the type, such as
small integers, IEEE 754 demands these numbers. Where a value overflows its type on the way, so that a result hangs on
whether it was stored, the result has no bound. Where a page leaves a choice between two numbers, such as the levels
beside a half, the bound has both; other choices and tests of all elements together are not carried through a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypedDict

import ml_dtypes
import numpy as np

from reference.accuracy import (
    PRECISIONS,
    Accuracy,
    Bounds,
    Call,
    Choice,
    Precision,
    integer_range,
    is_float,
    is_integer,
    precision_of,
    rounded,
    run,
)
from reference.accuracy.precision import parse_precision
from reference.accuracy.registry import accuracies, lookup


class _Node(TypedDict):
    name: str
    operation: str
    inputs: Sequence[str | None]


class PlainNode(_Node, total=False):
    """One layer of a graph."""

    attributes: Mapping[str, Any]
    types: Sequence[str]


class _Graph(TypedDict):
    parameters: Sequence[str]
    results: Sequence[str]


class PlainGraph(_Graph, total=False):
    """A graph as plain data."""

    constants: Mapping[str, np.ndarray]
    nodes: Sequence[PlainNode]


@dataclass(frozen=True)
class Value:
    """A tensor in a graph: its array, element type and bounds (``bound`` None: exact, bit for bit).

    ``any_shape``: its shape follows from elements that have no bound.
    """

    array: np.ndarray
    type: str
    bound: np.ndarray | None = None
    quality: np.ndarray | None = None
    flush: float = 0.0
    any_shape: bool = False

    @classmethod
    def exact(cls, array: np.ndarray, type: str = "") -> Value:
        """A tensor without error. Without a ``type`` it has that of the array."""
        return cls(array, type or type_of(array))

    def spread(self, tier: str) -> np.ndarray | None:
        """The bound of a tier, in the shape of the array; None where it is 0 everywhere."""
        bound = getattr(self, tier)
        if bound is None or not np.any(bound):
            return None
        return np.broadcast_to(np.asarray(bound, np.float64), self.array.shape)


def type_of(array: np.ndarray) -> str:
    """The name of an array's element type: ``f32`` of floating-point formats, NumPy's name of others."""
    precision = precision_of(array.dtype)
    if precision is None and array.dtype == ml_dtypes.float8_e8m0fnu:
        return "f8e8m0"  # powers of two, without a fraction
    return precision.name if precision else array.dtype.name


def evaluate(graph: PlainGraph, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The results of a graph for an array of each parameter. Raises ValueError and MissingReferenceError."""
    values = {name: Value.exact(array) for name, array in inputs.items()}
    return [value.array for value in _evaluate(graph, values, _outputs)]


def evaluate_typed(graph: PlainGraph, inputs: Mapping[str, Value]) -> list[Value]:
    """The results of a graph with their element types; bounds are not computed."""
    return _evaluate(graph, inputs, _outputs)


def evaluate_with_bounds(
    graph: PlainGraph, inputs: Mapping[str, Value], device_precision: Precision | None = None
) -> list[Value]:
    """The results of a graph with their bounds; ``device_precision`` as in :class:`Call`."""
    return _evaluate(graph, inputs, lambda node, given: _bounded(node, given, device_precision))


Evaluator = Callable[[PlainGraph, Mapping[str, Value]], Sequence[Value]]
_Inputs = Sequence["Value | None"]


def bounded(
    operation: str,
    inputs: Sequence[Value | None],
    attributes: Mapping[str, Any],
    types: Sequence[str],
    computed_in: str = "",
    demands_representable: bool = True,
    by_kernel: bool = False,
) -> Sequence[Value]:
    """The outputs of one layer of a graph, whose inputs may have bounds.

    ``computed_in`` and ``by_kernel`` are those of ``answer``.

    Without ``demands_representable`` they are a part of outputs that are not all numbers of their type: those of the
    part that are may have errors as well. Raises ValueError and MissingReferenceError.
    """
    node = PlainNode(name="", operation=operation, inputs=(), attributes=attributes, types=types)
    device = parse_precision(computed_in)
    return _bounded(node, inputs, device, demands_representable, by_kernel)


def _evaluate(
    graph: PlainGraph,
    inputs: Mapping[str, Value],
    outputs_of: Callable[[PlainNode, _Inputs], Sequence[Value]],
) -> list[Value]:
    missing = [name for name in graph["parameters"] if name not in inputs]
    if missing:
        raise ValueError(f"a graph must have a value for each parameter, has none for {missing}")
    known = {(name, 0): inputs[name] for name in graph["parameters"]}
    known.update(
        ((name, 0), Value.exact(array)) for name, array in graph.get("constants", {}).items()
    )

    def find(reference: str) -> Value:
        name, _, index = reference.partition(":")
        if (name, int(index or 0)) not in known:
            raise ValueError(f"a graph has no value {reference!r} at this point")
        return known[name, int(index or 0)]

    for node in graph.get("nodes", ()):
        given = [None if each is None else find(each) for each in node["inputs"]]
        for index, value in enumerate(outputs_of(node, given)):
            known[node["name"], index] = value
    return [find(each) for each in graph["results"]]


def _call(
    node: PlainNode,
    given: _Inputs,
    device_precision: Precision | None = None,
    by_kernel: bool = False,
) -> Call:
    """The call of a node's reference; integer outputs in their stated types."""
    function = lookup(node["operation"])
    arrays = [None if value is None else value.array for value in given]
    if _has_body(function):
        arrays = [None if value is None else _in_type(value.array, value.type) for value in given]
    attributes = node.get("attributes", {})
    if function.__dict__["is_typed"] and given[0] is not None and given[0].type in PRECISIONS:
        attributes = {**attributes, "element_type": PRECISIONS[given[0].type].dtype}
    outputs = run(function, arrays, attributes)
    types = node.get("types") or [_usual_type(output, given) for output in outputs]
    outputs = tuple(
        output.astype(types[index])
        if is_integer(output.dtype) and types[index].startswith(("int", "uint"))
        else output
        for index, output in enumerate(outputs)
    )
    return Call(function, arrays, attributes, outputs, types, device_precision, by_kernel)


def _has_body(function: Callable[..., Any]) -> bool:
    """Whether the types of inputs are those of tensors in a body, so that arrays must be of their types."""
    return isinstance(function.__dict__["accuracy"], Propagated)


def _in_type(array: np.ndarray, kind: str) -> np.ndarray:
    """Values in the array type of an element type, if it is a floating-point one."""
    own = PRECISIONS.get(kind)
    return array if own is None else rounded(array.astype(np.float64), own.dtype)


def _usual_type(output: np.ndarray, given: _Inputs) -> str:
    if not is_float(output.dtype):
        return output.dtype.name
    real = (value.type for value in given if value is not None and value.type in PRECISIONS)
    return next(real, type_of(output))


def _outputs(node: PlainNode, given: _Inputs) -> Sequence[Value]:
    call = _call(node, given)
    return [Value(array, type) for array, type in zip(call.outputs, call.types, strict=True)]


def _bounded(
    node: PlainNode,
    given: _Inputs,
    device_precision: Precision | None,
    demands: bool = True,
    by_kernel: bool = False,
) -> Sequence[Value]:
    call = _call(node, given, device_precision, by_kernel)
    classes = accuracies(node["operation"], len(call.outputs))
    flush = max((value.flush for value in given if value is not None), default=0.0)
    caused = {tier: _caused(call, given, classes, tier) for tier in ("bound", "quality")}
    of_any_shape = _of_any_shape(call, given)
    is_exact = demands and all(errors is None for errors in caused.values())
    values = []
    for index, (array, kind) in enumerate(zip(call.outputs, classes, strict=True)):
        with np.errstate(all="ignore"):
            own = kind.bounds(call, index)
        if is_exact and kind.keeps_representable and _is_representable(call, index):
            own = replace(own, bound=_silent_alone(own.bound), quality=_silent_alone(own.quality))
        choice = _choice(call, kind, index)
        bound, quality = (
            _sum(each, None if errors is None else errors[index], choice)
            for each, errors in ((own.bound, caused["bound"]), (own.quality, caused["quality"]))
        )
        flushed = max(flush, own.flush)
        values.append(Value(array, call.types[index], bound, quality, flushed, of_any_shape[index]))
    return values


def _of_any_shape(call: Call, given: _Inputs) -> list[bool]:
    """Which outputs have a shape that follows from elements without a bound, or from another such shape."""
    found = [any(value is not None and value.any_shape for value in given)] * len(call.outputs)
    for position, value in enumerate(given):
        spread = None if value is None else value.spread("bound")
        if value is None or spread is None or not np.isinf(spread).any():
            continue
        for array, is_free in _moved(value.array, spread):
            moved = _moved_call(call, position, array) if is_free else call
            if moved is None:
                continue
            pairs = zip(found, moved.outputs, call.outputs, strict=True)
            found = [each or one.shape != two.shape for each, one, two in pairs]
    return found


def _silent_alone(bound: np.ndarray | None) -> np.ndarray | None:
    """A bound of elements that a page does not define, and none for others."""
    return None if bound is None else np.where(np.isinf(bound), np.inf, 0.0)


def _is_representable(call: Call, index: int) -> bool:
    """Whether every element of an output is 0 or a normal number of its type and of the precision it is computed in."""
    if call.types[index] not in PRECISIONS or call.types[index] == "f64":
        return False  # the reference itself rounds to f64
    exact = call.outputs[index].astype(np.float64)
    size = np.abs(exact)
    own, working = call.output_precision(index), call.precision(index)
    if np.any((size > 0) & (size < max(own.smallest_normal, working.smallest_normal))):
        return False
    return all(np.array_equal(rounded(exact, each.dtype), exact) for each in {own, working})


def _choice(call: Call, kind: Accuracy, index: int) -> np.ndarray | None:
    """How far from the reference's numbers others are that a page admits: beside a half the other level."""
    exact = call.outputs[index]
    if not isinstance(kind, Choice) or not is_float(exact.dtype) or not exact.size:
        return None
    numbers = exact.astype(np.float64)
    largest = np.max(np.abs(numbers), where=np.isfinite(numbers), initial=0.0)
    found = np.zeros(exact.shape)
    with np.errstate(all="ignore"):
        for far in (-3 * largest - 1, 3 * largest + 1):
            asked = [*call.outputs]
            asked[index] = np.where(np.isfinite(numbers), far, numbers).astype(exact.dtype)
            other = kind.nearest_to(call, asked)[index].astype(np.float64)
            if other.shape == found.shape:
                found = np.fmax(found, np.abs(other - numbers))
    return found if found.any() else None


def _sum(*errors: np.ndarray | None) -> np.ndarray | None:
    some = [each for each in errors if each is not None]
    return sum(some[1:], some[0]) if some else None


def _caused(
    call: Call, given: _Inputs, classes: Sequence[Accuracy], tier: str
) -> list[np.ndarray] | None:
    """The errors of the outputs that are caused by the bounds of the inputs; None where those are exact."""
    errors = None if tier == "quality" else _by_overflow(call, given, classes)
    for position, value in enumerate(given):
        spread = None if value is None else value.spread(tier)
        if value is None or spread is None:
            continue
        each = [np.zeros(output.shape) for output in call.outputs]
        for array, is_free in _moved(value.array, spread):
            moved = _moved_call(call, position, array)
            if moved is None:
                each = [np.full(output.shape, np.inf) for output in call.outputs]
                continue
            pairs = zip(moved.outputs, call.outputs, strict=True)
            found = [_difference(one, two, is_free) for one, two in pairs]
            if not is_free:
                found = [
                    error
                    + _larger(kind, call, moved, index, tier, error)
                    + _beyond(kind, moved, index, call.outputs[index])
                    for index, (error, kind) in enumerate(zip(found, classes, strict=True))
                ]
            each = [np.maximum(e, error) for e, error in zip(each, found, strict=True)]
            if is_free:
                each = [
                    np.maximum(e, _undefined(kind, moved, index, e.shape))
                    for index, (e, kind) in enumerate(zip(each, classes, strict=True))
                ]
        # Where elements move in opposite directions the errors may be larger.
        finite = np.where(np.isfinite(spread), spread, 0.0)
        opposite = next(filter(None, (kind.caused(call, position, finite) for kind in classes)), ())
        if opposite:
            each = [np.maximum(one, two) for one, two in zip(each, opposite, strict=True)]
        errors = each if errors is None else [a + b for a, b in zip(errors, each, strict=True)]
    return errors


def _moved_call(call: Call, position: int, array: np.ndarray) -> Call | None:
    """The call with another array for one input; None where the page does not admit it, and so defines no output."""
    own = call.inputs[position]
    if own is not None and _has_body(call.function):
        # What a device stores lies between the ends of the bound, rounded.
        array = _in_type(array, type_of(own))
    changed = [*call.inputs[:position], array, *call.inputs[position + 1 :]]
    try:
        outputs = run(call.function, changed, call.attributes)
    except ValueError:
        return None
    return replace(call, inputs=changed, outputs=outputs, cache={})


def _larger(
    kind: Accuracy, call: Call, moved: Call, index: int, tier: str, error: np.ndarray
) -> np.ndarray:
    """How much larger the own bound of an output is at what it was moved to by ``error``.

    A cosine of 11, 0.004, whose angle may as well be 10 is -0.84, which has a larger ulp.
    """
    here = call.outputs[index]
    if not is_float(here.dtype):
        return np.zeros(error.shape)
    is_far = np.isfinite(error) & (error > np.abs(here.astype(np.float64)) / 2)
    if not is_far.any():
        return np.zeros(error.shape)
    with np.errstate(all="ignore"):
        own, there = (getattr(kind.bounds(each, index), tier) for each in (call, moved))
        if there is None:
            return np.zeros(error.shape)
        more = there - (0.0 if own is None else own)
    return np.where(is_far & (more > 0), more, 0.0)


def _beyond(kind: Accuracy, moved: Call, index: int, here: np.ndarray) -> np.ndarray:
    """Infinite where integers follow from a number that may as well be one for which a page defines none.

    -0.9999999 is 0 as u8, and -1, which it may be, is not defined.
    """
    if not is_integer(here.dtype):
        return np.zeros(here.shape)
    return _undefined(kind, moved, index, here.shape)


def _undefined(kind: Accuracy, call: Call, index: int, shape: tuple[int, ...]) -> np.ndarray:
    """Infinite where a page does not define an element of an output of this shape, 0 elsewhere."""
    if call.outputs[index].shape != shape:
        return np.zeros(shape)
    with np.errstate(all="ignore"):
        bound = kind.bounds(call, index).bound
    return np.zeros(shape) if bound is None else np.where(np.isinf(bound), np.inf, np.zeros(shape))


def _by_overflow(
    call: Call, given: _Inputs, classes: Sequence[Accuracy]
) -> list[np.ndarray] | None:
    """Infinite errors of outputs that are others, or that no page defines, where an input is infinite in its type.

    None where there are none.

    Values between nodes are float64. One beyond the range of its type, or within its bound of that, is an infinity for
    a device that stores it, and a number for one that goes on with it in a wider type.
    """
    found = [np.zeros(output.shape) for output in call.outputs]
    for position, value in enumerate(given):
        own = None if value is None else PRECISIONS.get(value.type)
        if value is None or own is None:
            continue
        exact, spread = value.array.astype(np.float64), value.spread("bound")
        error = 0.0 if spread is None else np.where(np.isinf(spread), 0.0, spread)
        with np.errstate(over="ignore"):
            size = np.abs(exact) + error
        beyond = np.isfinite(exact) & (size >= own.overflow)
        if beyond.any():
            infinite = np.where(beyond, np.copysign(np.inf, exact), exact)
            moved = _moved_call(call, position, infinite)
            if moved is None:
                return [np.full(output.shape, np.inf) for output in call.outputs]
            pairs = zip(found, moved.outputs, call.outputs, call.types, strict=True)
            found = [
                np.maximum(error, _difference(_stored(one, kind), _stored(two, kind), True))
                for error, one, two, kind in pairs
            ]
            found = [
                np.maximum(error, _undefined(kind, moved, index, error.shape))
                for index, (error, kind) in enumerate(zip(found, classes, strict=True))
            ]
    return found if any(error.any() for error in found) else None


def _stored(array: np.ndarray, kind: str) -> np.ndarray:
    """Values as numbers of an element type, in float64 if it is a floating-point one."""
    return _in_type(array, kind).astype(np.float64) if kind in PRECISIONS else array


def _moved(array: np.ndarray, spread: np.ndarray) -> Iterator[tuple[np.ndarray, bool]]:
    """The array moved by its bounds in both directions, and to zero where they hold it; then with other values for
    elements that have no bound: equal ones, and unlike ones.

    Of the latter True: an output that they change has no bound either.
    """
    free = np.isinf(spread)
    if is_float(array.dtype):
        steps, least, most = np.where(free, 0.0, spread), -np.inf, np.inf
        array = array.astype(np.float64)
        # What is divided by a number that may be zero may be anything.
        may_be_zero = (np.abs(array) <= steps) & (array != 0)
        if may_be_zero.any():
            yield np.where(may_be_zero, 0.0, array), False
    elif is_integer(array.dtype):
        steps = np.where(free, 0, spread).astype(array.dtype)
        least, most = integer_range(array.dtype)
    else:
        steps, least, most = np.zeros(array.shape, bool), False, True
    if steps.any():
        with np.errstate(over="ignore"):
            above, below = array + steps, array - steps
        yield above, False
        yield below, False
    if free.any():
        yield np.where(free, least, array).astype(array.dtype), True
        yield np.where(free, most, array).astype(array.dtype), True
        # What is no number for infinities may be one for these, and what is equal may be unlike.
        if is_float(array.dtype) or np.count_nonzero(free) > 1:
            unlike = _unlike(array, free, most)
            yield unlike, True
            # What is sorted may have another order.
            other = array.copy()
            other[free] = unlike[free][::-1]
            yield other, True


def _unlike(array: np.ndarray, free: np.ndarray, most: float) -> np.ndarray:
    """The array with numbers from 0 to 1, or from 0 on, for elements that are free: all unlike each other and what is
    not free, as far as its type has so many.
    """
    counted = np.arange(array.size + 1)
    numbers = 1.0 / counted[1:] if is_float(array.dtype) else counted[: int(most) + 1]
    others = np.setdiff1d(numbers, array[~free].astype(numbers.dtype))
    changed = array.copy()
    chosen = np.resize(others[::-1] if others.size else numbers, np.count_nonzero(free))
    changed[free] = chosen.astype(array.dtype)
    return changed


def _difference(one: np.ndarray, two: np.ndarray, is_free: bool) -> np.ndarray:
    """How far outputs differ; infinite where it is free, for other shapes, for booleans, infinities and NaN."""
    if one.shape != two.shape:
        return np.full(two.shape, np.inf)
    if is_free or not (is_float(two.dtype) or is_integer(two.dtype)):
        return np.where(_is_same(one, two), 0.0, np.inf)
    with np.errstate(all="ignore"):
        distance = np.asarray(np.abs(one.astype(np.float64) - two.astype(np.float64)))
    unknown = np.isnan(distance)
    if unknown.any():
        distance[unknown] = np.where(_is_same(one, two), 0.0, np.inf)[unknown]
    return distance


def _is_same(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Where values are equal, or both NaN."""
    return (one == two) | ((one != one) & (two != two))


@dataclass(frozen=True)
class Propagated(Accuracy):
    """The bounds of results of graphs: ``outputs`` computes them from an evaluator of graphs, inputs and attributes."""

    outputs: Callable[..., Sequence[Value]]

    def tests_together(self, count: int) -> bool:
        """Never: what a test needs to know of errors is lost on the way."""
        return False

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of that value."""
        if self.outputs not in call.cache:
            evaluate = partial(evaluate_with_bounds, device_precision=call.device_precision)
            call.cache[self.outputs] = self.outputs(evaluate, *call.inputs, **call.attributes)
        value = call.cache[self.outputs][output_index]
        return Bounds(value.bound, value.quality, value.flush)
