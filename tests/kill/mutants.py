"""Wrong references of an operation, from its declaration alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import ml_dtypes
import numpy as np

from ir_models import ELEMENT_TYPES, LayerCase, Operation
from ir_models.declaration import ANY_RANK, Attribute, Input
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.layers import plain_layer
from reference import lookup
from tests.kill.trial import Outputs, Question, Wrong

KINDS = {
    "attribute": "an attribute or its default is taken for another value",
    "index": "an index, or two index inputs, are mixed up",
    "input": "data are swapped, transposed or left out",
    "output": "elements of the answer are lost, swapped or shifted",
    "precision": "data or answers lose bits, NaN or the sign of zero",
}


@dataclass(frozen=True)
class Mutant:
    """A wrong reference: its kind, a name that says what is wrong, and what it answers."""

    kind: str
    name: str
    wrong: Wrong


def mutants(operation: Operation) -> list[Mutant]:
    """All wrong references of an operation."""
    return [
        *(Mutant("attribute", *each) for a in operation.attributes for each in _attribute(a)),
        *(Mutant("index", *each) for each in _index(operation)),
        *(Mutant("input", *each) for each in _input(operation)),
        *(Mutant("output", *each) for each in _output(operation)),
        *(Mutant("precision", *each) for each in _precision(operation)),
    ]


Named = Iterator[tuple[str, Wrong]]

# --- attributes ---------------------------------------------------------------------------------------------------


def _attribute(attribute: Attribute) -> Named:
    for name, change in _changes(attribute):
        yield f"{attribute.name} {name}", _with_attribute(attribute, change)
    if not attribute.required and attribute.default is not None:
        for name, change in _changes(attribute):
            # What a default is changed to must be another value.
            if change(attribute.default) != attribute.default:
                yield f"default of {attribute.name} {name}", _with_default(attribute, change)


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def _changes(attribute: Attribute) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    if attribute.is_enumeration:
        for value in attribute.type:
            yield f"always {value}", _constant(value)
    elif attribute.type is bool:
        yield "negated", lambda value: not value
    elif attribute.type is int:
        yield "+ 1", lambda value: value + 1
    elif attribute.type is float:
        yield "+ 1", lambda value: value + 1.0
        yield "always 0", lambda _: 0.0
    elif attribute.type is list:
        yield "with the first item + 1", lambda value: (*(v + 1 for v in value[:1]), *value[1:])
        yield "with the last item + 1", lambda value: (*value[:-1], *(v + 1 for v in value[-1:]))
        yield "reversed", lambda value: tuple(reversed(value))
    elif attribute.type is ElementType and attribute.types is not None:
        first, *others = attribute.types.types
        yield "another type", lambda value: others[0] if others and value == first else first


def _with_attribute(attribute: Attribute, change: Callable[[Any], Any]) -> Wrong:
    def wrong(question: Question) -> Outputs | None:
        given = question.attributes.get(attribute.name)
        if given is None or change(given) == given:
            return None
        return question.answer(attributes={**question.attributes, attribute.name: change(given)})

    return wrong


def _with_default(attribute: Attribute, change: Callable[[Any], Any]) -> Wrong:
    def wrong(question: Question) -> Outputs | None:
        if attribute.name in question.attributes:
            return None
        attributes = {**question.attributes, attribute.name: change(attribute.default)}
        return question.answer(attributes=attributes)

    return wrong


# --- indices ------------------------------------------------------------------------------------------------------


def _index(operation: Operation) -> Named:
    for declared in operation.inputs:
        if declared.index or (callable(declared.values) and _has_integers(declared)):
            yield f"first of {declared.name} + 1", _with_input(declared, lambda a: _plus_one(a, 0))
            yield f"last of {declared.name} + 1", _with_input(declared, lambda a: _plus_one(a, -1))
            yield f"{declared.name} reversed", _with_input(declared, _reversed)
    for one, other in combinations(operation.index_inputs, 2):
        if one.types.name == other.types.name:
            yield f"{one.name} and {other.name} swapped", _with_swapped(one, other)


def _has_integers(declared: Input) -> bool:
    return any(kind.is_integer for kind in declared.types.types)


def _plus_one(array: np.ndarray, place: int) -> np.ndarray | None:
    if not array.size or not np.issubdtype(array.dtype, np.integer):
        return None
    changed: np.ndarray = array.copy()
    changed.reshape(-1)[place] += 1
    return changed


def _reversed(array: np.ndarray) -> np.ndarray | None:
    return array[::-1].copy() if array.ndim else None


Change = Callable[[np.ndarray], "np.ndarray | None"]


def _with_input(declared: Input, change: Change) -> Wrong:
    """Every tensor of an input changed; a change that gives None, or the same, says nothing."""

    def wrong(question: Question) -> Outputs | None:
        inputs, is_other = list(question.inputs), False
        for place in question.places(declared):
            before = inputs[place]
            assert before is not None
            after = change(before)
            if after is not None and _differs(before, after):
                inputs[place], is_other = after, True
        return question.answer(inputs) if is_other else None

    return wrong


def _differs(before: np.ndarray, after: np.ndarray) -> bool:
    if before.shape != after.shape or before.dtype != after.dtype:
        return True
    if before.dtype == object:
        return bool((before != after).any())
    return before.tobytes() != after.tobytes()


def _with_swapped(one: Input, other: Input) -> Wrong:
    """The tensors of two inputs, or the first two of one that repeats, in each other's place."""

    def wrong(question: Question) -> Outputs | None:
        places = [*question.places(one), *(question.places(other) if other is not one else ())]
        if len(places) < 2:
            return None
        first, second = places[0], places[1]
        inputs = list(question.inputs)
        a, b = inputs[first], inputs[second]
        assert a is not None
        assert b is not None
        if not _differs(a, b):
            return None
        inputs[first], inputs[second] = b, a
        return question.answer(inputs)

    return wrong


# --- data ---------------------------------------------------------------------------------------------------------


def _input(operation: Operation) -> Named:
    data = [declared for declared in operation.inputs if not declared.index]
    for declared in operation.inputs:
        if declared.optional:
            yield f"{declared.name} ignored", _without(declared)
    for declared in data:
        if declared.many:
            yield f"first two of {declared.name} swapped", _with_swapped(declared, declared)
    for one, other in combinations(data, 2):
        if one.types.name == other.types.name and not (one.many or other.many):
            yield f"{one.name} and {other.name} swapped", _with_swapped(one, other)
    for declared in data:
        if (declared.rank.most is None or declared.rank.most > 1) and not _is_of_elements(
            operation
        ):
            for axes in ((0, 1), (-2, -1), (0, -1)):
                name = f"axes {axes[0]} and {axes[1]} of {declared.name} swapped"
                yield name, _with_axes_swapped(declared, *axes)


def _is_of_elements(operation: Operation) -> bool:
    """Whether each element of the answer comes from one element of the data: then no axis can be mixed up.

    Such a page takes one tensor of any rank, beside it numbers and types at most, and says the same of all elements.
    """
    first, *others = operation.inputs
    if first.rank != ANY_RANK or not all(i.type_alone or _is_number(i) for i in others):
        return False
    layer = plain_layer(operation)
    arrays = LayerCase(layer, "plain").arrays()
    if arrays[0] is None or len(operation.outputs) != 1:
        return False
    order = np.random.RandomState(0).permutation(arrays[0].size)
    shuffled = arrays[0].reshape(-1)[order].reshape(arrays[0].shape)
    reference = lookup(operation.name)
    usual = np.asarray(reference(*arrays, **layer.arguments()))
    other = np.asarray(reference(shuffled, *arrays[1:], **layer.arguments()))
    return usual.size == order.size and np.array_equal(usual.reshape(-1)[order], other.reshape(-1))


def _is_number(declared: Input) -> bool:
    """Whether an input has one element, in any shape that the page allows."""
    texts = [d.text for pattern in declared.patterns for d in pattern.dimensions]
    return declared.rank.most == 0 or (bool(texts) and set(texts) == {"1"})


def _without(declared: Input) -> Wrong:
    def wrong(question: Question) -> Outputs | None:
        places = question.places(declared)
        if not places:
            return None
        return question.answer(
            [None if place in places else a for place, a in enumerate(question.inputs)]
        )

    return wrong


def _with_axes_swapped(declared: Input, one: int, other: int) -> Wrong:
    """Two axes of an input swapped, and back in the answer where it has them."""

    def wrong(question: Question) -> Outputs | None:
        arrays = [question.inputs[place] for place in question.places(declared)]
        if not arrays or any(a is None or a.ndim < 2 or not a.size for a in arrays):
            return None
        inputs = list(question.inputs)
        for place, array in zip(question.places(declared), arrays, strict=True):
            assert array is not None
            inputs[place] = np.ascontiguousarray(array.swapaxes(one, other))
        rank = arrays[0].ndim if arrays[0] is not None else 0
        outputs = question.answer(inputs)
        return [o.swapaxes(one, other) if o.ndim == rank else o for o in outputs]

    return wrong


# --- outputs ------------------------------------------------------------------------------------------------------


def _output(operation: Operation) -> Named:
    for number, output in enumerate(operation.outputs):
        of = f" of {output.name}" if len(operation.outputs) > 1 else ""
        for name, change in _OUTPUT_CHANGES.items():
            yield f"{name}{of}", _with_output(number, change)
    if len(operation.outputs) > 1 or operation.outputs[0].count:
        yield "first two outputs swapped", _with_outputs_swapped


def _with_output(number: int, change: Change) -> Wrong:
    def wrong(question: Question) -> Outputs | None:
        outputs = list(question.right)
        if number >= len(outputs):
            return None
        after = change(outputs[number])
        if after is None or not _differs(outputs[number], after):
            return None
        outputs[number] = after
        return outputs

    return wrong


def _with_outputs_swapped(question: Question) -> Outputs | None:
    if len(question.right) < 2:
        return None
    first, second, *rest = question.right
    return [second, first, *rest]


def _last_dropped(array: np.ndarray) -> np.ndarray | None:
    if array.size < 2:
        return None
    changed: np.ndarray = array.copy()
    changed.reshape(-1)[-1] = array.reshape(-1)[-2]
    return changed


def _two_swapped(array: np.ndarray) -> np.ndarray | None:
    if array.size < 2:
        return None
    changed: np.ndarray = array.copy()
    changed.reshape(-1)[[0, -1]] = array.reshape(-1)[[-1, 0]]
    return changed


def _rolled(axis: int) -> Change:
    def change(array: np.ndarray) -> np.ndarray | None:
        return np.roll(array, 1, axis) if _has(array, axis) else None

    return change


def _order_swapped(one: int, other: int) -> Change:
    """The elements in the order of two other axes, in the shape that was expected."""

    def change(array: np.ndarray) -> np.ndarray | None:
        if array.ndim < 2 or not array.size:
            return None
        return np.ascontiguousarray(array.swapaxes(one, other)).reshape(array.shape)

    return change


def _repeated(axis: int, place: int, neighbour: int) -> Change:
    """The first or the last along an axis taken from its neighbour."""

    def change(array: np.ndarray) -> np.ndarray | None:
        if not _has(array, axis) or array.shape[axis] < 2 or not array.size:
            return None
        changed: np.ndarray = np.moveaxis(array.copy(), axis, 0)
        changed[place] = changed[neighbour]
        return np.moveaxis(changed, 0, axis)

    return change


def _has(array: np.ndarray, axis: int) -> bool:
    return -array.ndim <= axis < array.ndim


_OUTPUT_CHANGES: dict[str, Change] = {
    "last element dropped": _last_dropped,
    "first and last element swapped": _two_swapped,
    **{f"rolled along axis {axis}": _rolled(axis) for axis in (0, 1, 2, -1)},
    **{
        f"axes {one} and {other} in the other order": _order_swapped(one, other)
        for one, other in ((0, 1), (-2, -1), (0, -1))
    },
    **{f"first along axis {axis} repeated": _repeated(axis, 0, 1) for axis in (0, 1, -1)},
    **{f"last along axis {axis} repeated": _repeated(axis, -1, -2) for axis in (0, 1, -1)},
}

# --- precision ----------------------------------------------------------------------------------------------------


def _precision(operation: Operation) -> Named:
    data = [declared for declared in operation.inputs if not declared.index]
    for name, narrow in _NARROWER:
        kind = ELEMENT_TYPES[name]
        if any(kind in declared.types for declared in data):
            yield f"{name} computed in {np.dtype(narrow).name}", _narrowed(kind.dtype, narrow)
    yield "NaN in the answer is 0", _without_nan
    yield "-0 in the answer is +0", _without_negative_zero


_NARROWER: list[tuple[str, Any]] = [
    ("f32", ml_dtypes.bfloat16),
    ("f32", np.float16),
    ("f64", np.float32),
    ("i32", np.float32),
    ("i64", np.int32),
    ("u64", np.int32),
]


def _narrowed(wide: np.dtype, narrow: Any) -> Wrong:
    """Data of one type given in a narrower one, and so the answer."""

    def through(array: np.ndarray | None) -> np.ndarray | None:
        if array is None or array.dtype != wide:
            return array
        return array.astype(narrow).astype(wide)

    def wrong(question: Question) -> Outputs | None:
        taken = [
            array if declared.index else through(array)
            for declared, array in zip(question.ports, question.inputs, strict=True)
        ]
        if all(one is other for one, other in zip(taken, question.inputs, strict=True)):
            return None
        return [o for o in map(through, question.answer(taken)) if o is not None]

    return wrong


def _without_nan(question: Question) -> Outputs | None:
    first = question.right[0]
    if not _is_float(first):
        return None
    chosen = np.isnan(first.astype(np.float64))
    bound = question.expected[0].bound if chosen.any() else None
    # Where the page is silent about a NaN, anything is admitted.
    held = True if bound is None else ~np.isposinf(np.broadcast_to(bound, first.shape))
    return _with_zeros(question, chosen & held)


def _without_negative_zero(question: Question) -> Outputs | None:
    first = question.right[0]
    if not _is_float(first):
        return None
    numbers = first.astype(np.float64)
    chosen = (numbers == 0) & np.signbit(numbers)
    # Where an error is allowed, zeros of both signs are one number.
    if not chosen.any() or question.expected[0].bound is not None:
        return None
    return _with_zeros(question, chosen)


def _with_zeros(question: Question, chosen: np.ndarray) -> Outputs | None:
    """Some numbers of the first output given as +0."""
    first, *others = question.right
    return [np.where(chosen, np.zeros_like(first), first), *others] if chosen.any() else None


def _is_float(array: np.ndarray) -> bool:
    # Only types with a zero and a NaN of their own.
    return array.dtype in (np.float16, np.float32, np.float64, ml_dtypes.bfloat16)
