"""Where cases come from: the page's examples, one factor at a time, random draws, and each rule broken.

Every operation gets all of these from its declaration. A purpose varies exactly one factor of the plain layer; a
candidate that breaks a rule of the page (a dimension of 1 that a block does not divide, say) is not a case.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from ir_models import catalog
from ir_models.case import FORM_VALUES, Case, Form, layer_is_valid, resized
from ir_models.declaration import Changes, Draw, Input, Operation, Rank
from ir_models.element_types import FLOATS, ElementType, f64, i64, u64
from ir_models.layer import Layer, Tensor, literal

PURPOSES: dict[str, str] = {
    "example": "each example of the page, literally",
    "plain": "the layer that other purposes vary",
    "type": "each element type of data",
    "index-type": "each element type of index inputs",
    "left-out": "each optional attribute and input absent, alone and all together",
    "enumeration": "each enumeration value",
    "rank": "each rank from the page's least to 8",
    "dim-1": "each dimension of data set to 1",
    "dim-0": "each dimension of data set to 0",
    "special": "NaN, infinities, zeros, subnormals, the largest and smallest numbers",
    "ends": "values at the type's ends",
    "i64-large": "64-bit integers beyond 2^31",
    "u64-large": "unsigned 64-bit integers beyond 2^32",
    "f64-large": "64-bit floats that no f32 holds",
    "large-output": "an output of over a megabyte, split over threads",
    "runtime": "index inputs given at run time, directly and through a subgraph",
    "dynamic": "dimensions unknown, bounded, or of unknown rank; three inferences",
    "written": "IR versions, port ids, names, order of attributes and layers, shared weights",
    "constant": "every input a constant",
    "memory": "input tensors that are strided, offset, or over foreign memory",
    "requests": "one request used twice, two requests at once",
    "random": "draws from the whole space of valid layers",
    "invalid": "each rule of the page broken alone",
}

# Purposes of operations that say what they add up.
SUMS: dict[str, str] = {
    "sum-one-product": "sums of many terms: all products but one are zero",
    "sum-large": "sums of many terms near the end of the range",
    "sum-small-onto-one": "sums of many small terms onto one",
    "sum-varying-onto-sixteen": "sums of many terms that vary onto sixteen",
    "sum-mixed-zeros": "sums of many terms, half of them zero",
    "sum-large-range": "sums of many terms of very different size",
}

HIGHEST_RANK = 8


class UnknownPurposeError(ValueError):
    """No operation has cases of this purpose."""


def all_purposes() -> dict[str, str]:
    """Purposes of every operation, then those that operations declare themselves, with a line on each."""
    own: dict[str, list[str]] = {}
    for operation in catalog.operations():
        for name in operation.variants.keys() - PURPOSES.keys():
            own.setdefault(name, []).append(operation.name)
    return {
        **PURPOSES,
        **SUMS,
        **{name: f"a factor of {', '.join(own[name])}" for name in sorted(own)},
    }


def cases(
    operation: Operation, purposes: Sequence[str] = (), draws: int = 0, seed: int = 0
) -> Iterator[Case]:
    """The cases of an operation, each id once. ``purposes`` selects, ``draws`` is the number of random layers."""
    wanted = purposes or (*PURPOSES, *SUMS, *operation.variants)
    seen: set[str] = set()
    for purpose in dict.fromkeys(wanted):
        if purpose == "random":
            found = _random(operation, draws, seed)
        elif purpose in _GENERATORS:
            found = _GENERATORS[purpose](operation)
        elif purpose in operation.variants:
            found = _variants(operation, purpose)
        elif purpose in all_purposes():
            continue
        else:
            known = ", ".join(all_purposes())
            raise UnknownPurposeError(f"unknown purpose {purpose!r}; known: {known}")
        for case in found:
            if case.id not in seen:
                seen.add(case.id)
                yield case


def _valid(layer: Layer, purpose: str, form: Form = Form()) -> Iterator[Case]:  # noqa: B008 - frozen
    if layer_is_valid(layer):
        yield Case(layer, purpose, form)


def _example(operation: Operation) -> Iterator[Case]:
    for each in operation.examples:
        yield Case(operation.layer(**each.layer), "example")


def _plain(operation: Operation) -> Iterator[Case]:
    yield from _valid(operation.plain_layer(), "plain")


def _type(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    for type_set in operation.type_sets.values():
        if not _is_index_set(operation, type_set.name):
            for kind in type_set.types:
                yield from _valid(layer.with_types({type_set.name: kind}), "type")
    yield from _element_type_attributes(operation, layer)


def _element_type_attributes(operation: Operation, layer: Layer) -> Iterator[Case]:
    for attribute in operation.attributes:
        if attribute.types is not None:
            for kind in attribute.types.types:
                yield from _valid(layer.replace(**{attribute.name: kind}), "type")


def _is_index_set(operation: Operation, name: str) -> bool:
    return all(i.index for i in operation.inputs if i.types.name == name)


def _index_type(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    for type_set in operation.type_sets.values():
        if _is_index_set(operation, type_set.name):
            for kind in operation.fitting(layer, type_set):
                yield from _valid(layer.with_types({type_set.name: kind}), "index-type")


def _left_out(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    optional = [
        a.name for a in operation.attributes if not a.required and a.name in layer.attributes
    ]
    optional += [
        i.name for i in operation.inputs if i.optional and layer.inputs[i.name] is not None
    ]
    for name in optional:
        yield from _valid(layer.replace(**{name: None}), "left-out")
    if len(optional) > 1:
        yield from _valid(layer.replace(**dict.fromkeys(optional)), "left-out")


def _enumeration(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    for attribute in operation.attributes:
        values: tuple[Any, ...] = attribute.type if attribute.is_enumeration else ()
        if attribute.type is bool:
            values = (False, True)
        for value in values:
            yield from _valid(layer.replace(**{attribute.name: value}), "enumeration")


def _rank(operation: Operation) -> Iterator[Case]:
    if not operation.has_ranks:
        return
    for rank in _ranks(operation):
        yield from _valid(operation.plain_layer(rank), "rank")


def _ranks(operation: Operation) -> range:
    declared: Rank = next(i.rank for i in operation.inputs if not i.index)
    most = HIGHEST_RANK if declared.most is None else min(declared.most, HIGHEST_RANK)
    return range(declared.least, most + 1)


def _dim(operation: Operation, size: int) -> Iterator[Case]:
    layer = operation.plain_layer()
    for declared in operation.inputs:
        tensor = layer.inputs[declared.name]
        if declared.index or tensor is None:
            continue
        first = tensor[0] if isinstance(tensor, tuple) else tensor
        for axis in range(first.rank):
            yield from _with_dim(layer, declared, axis, size)


def _with_dim(layer: Layer, declared: Input, axis: int, size: int) -> Iterator[Case]:
    """One dimension changed: of this input alone, or, where the rules tie inputs together, of all that share it."""

    def changed(tensor: Tensor) -> Tensor:
        return tensor.with_shape(*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])

    tensor = layer.inputs[declared.name]
    alone: Any = tuple(map(changed, tensor)) if isinstance(tensor, tuple) else None
    if isinstance(tensor, Tensor):
        alone = changed(tensor)
    candidate = layer.replace(**{declared.name: alone})
    if not layer_is_valid(candidate):
        first = tensor[0] if isinstance(tensor, tuple) else tensor
        assert first is not None
        together = {}
        for each in layer.operation.inputs:
            other = layer.inputs[each.name]
            if (
                isinstance(other, Tensor)
                and other.value is None
                and axis < other.rank
                and other.shape[axis] == first.shape[axis]
            ):
                together[each.name] = changed(other)
        candidate = layer.replace(**together)
    yield from _valid(candidate, f"dim-{size}")


def _typed(purpose: str, kinds: Sequence[ElementType]) -> Any:
    """A purpose of data in some element types: the plain layer in each of them that the operation takes."""

    def generate(operation: Operation) -> Iterator[Case]:
        layer = operation.plain_layer()
        for type_set in operation.type_sets.values():
            if _takes_any_data(layer, type_set.name):
                for kind in kinds:
                    if kind in type_set:
                        typed = layer.with_types({type_set.name: kind})
                        yield from _valid(typed, purpose)

    return generate


def _takes_any_data(layer: Layer, name: str) -> bool:
    """Whether an input of this type variable holds data that a purpose may choose, unlike indices."""
    state = np.random.RandomState(0)
    return any(
        not (callable(i.values) and i.values(layer, state) is not None)
        for i in layer.operation.inputs
        if i.types.name == name and not i.index and layer.inputs[i.name] is not None
    )


def _floats(operation: Operation) -> list[ElementType]:
    return [t for s in operation.type_sets.values() for t in s.types if t.is_float]


def _special(operation: Operation) -> Iterator[Case]:
    yield from _typed("special", list(dict.fromkeys(_floats(operation))))(operation)


def _ends(operation: Operation) -> Iterator[Case]:
    kinds = {t: None for s in operation.type_sets.values() for t in s.types if not t.is_float}
    yield from _typed("ends", list(kinds))(operation)


def _sums(purpose: str) -> Any:
    """A purpose of sums: one of their data sets in each floating-point type."""

    def generate(operation: Operation) -> Iterator[Case]:
        if operation.sums is None:
            return
        layer = changed(operation.plain_layer(), operation.sums.layer)
        summed = {operation.input(name).types for name in operation.sums.axes(layer)}
        for kind in sorted({t for s in summed for t in s.types if t in FLOATS}, key=FLOATS.index):
            yield from _valid(layer.with_types({s.name: kind for s in summed}), purpose)

    return generate


_LARGE = 300_000  # elements; over a megabyte of f32


def _large_output(operation: Operation) -> Iterator[Case]:
    """The first dimension that may grow so, of an input that is there."""
    layer = operation.plain_layer()
    for declared in operation.inputs:
        tensor = layer.inputs[declared.name]
        first = tensor[0] if isinstance(tensor, tuple) else tensor
        if declared.index or declared.optional or first is None or first.size == 0:
            continue
        factor = -(-_LARGE // first.size)
        for axis in range(first.rank):
            for case in _with_dim(layer, declared, axis, first.shape[axis] * factor):
                yield Case(case.layer, "large-output")
                return


def _runtime(operation: Operation) -> Iterator[Case]:
    if not operation.takes_values_at_run_time:
        return
    for case in [*_plain(operation), *_index_type(operation)]:
        for feed in ("parameters", "computed"):
            yield Case(case.layer, "runtime", Form(feed=feed))


def _dynamic(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    try:
        resized(layer)
    except ValueError:
        return  # the page fixes every dimension
    feeds = ("constants", "parameters") if operation.takes_values_at_run_time else ("constants",)
    for shape in FORM_VALUES["shape"]:
        if shape != "rank" or operation.dynamic_rank:
            for feed in feeds:
                yield from _valid(layer, "dynamic", Form(shape=shape, feed=feed))


def _written(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    forms = [Form(ir="10"), Form(layers="reversed")]
    forms += [Form(names=names) for names in FORM_VALUES["names"]]
    if operation.examples:
        forms.append(Form(ports="page"))
    if len(layer.attributes) > 1:
        forms.append(Form(attributes="reversed"))
    for form in forms:
        yield from _valid(layer, "written", form)
    yield from islice(_with_shared_weights(layer), 1)


def _with_shared_weights(layer: Layer) -> Iterator[Case]:
    """Two index inputs of one value, so that one place among the weights can serve both."""
    # The last pairs first: an empty slice, where begin and end are alike, would show little.
    for one, other in reversed(list(combinations(layer.operation.index_inputs, 2))):
        tensor = layer.inputs[one.name]
        if tensor is not None and one.types == other.types:
            alike = layer.replace(**{other.name: tensor})
            yield from _valid(alike, "written", Form(weights="shared"))


def _constant(operation: Operation) -> Iterator[Case]:
    layer = operation.plain_layer()
    if any(True for _ in layer.ports()):
        yield from _valid(layer, "constant", Form(data="constant"))


def _memory(operation: Operation) -> Iterator[Case]:
    for memory in FORM_VALUES["memory"]:
        yield from _valid(operation.plain_layer(), "memory", Form(memory=memory))


def _requests(operation: Operation) -> Iterator[Case]:
    for requests in FORM_VALUES["requests"]:
        yield from _valid(operation.plain_layer(), "requests", Form(requests=requests))


def _random(operation: Operation, draws: int, seed: int) -> Iterator[Case]:
    for number in range(draws):
        draw = Draw(random.Random(f"{operation.name}/{seed}/{number}"))
        yield Case(operation.random_layer(draw), "random")


def _invalid(operation: Operation) -> Iterator[Case]:
    for rule in operation.rules:
        for changes in rule.broken:
            layer = changed(operation.plain_layer(), changes)
            yield Case(layer, "invalid")
            if _breaks_a_value(layer, changes) and operation.takes_values_at_run_time:
                yield Case(layer, "invalid", Form(feed="parameters"))
            if _states_data(layer):
                yield Case(layer, "invalid", Form(data="runtime"))
    for layer in _with_inputs_broken(operation):
        # A layer that breaks another rule as well would not show which one a device minds.
        if len(operation.broken_rules(layer)) == 1:
            yield Case(layer, "invalid")


def _with_inputs_broken(operation: Operation) -> Iterator[Layer]:
    """What the declaration of inputs rules out: one that is required left out, one of a rank too low or too high."""
    plain = operation.plain_layer()
    for declared in operation.inputs:
        tensor = plain.inputs[declared.name]
        if not isinstance(tensor, Tensor):
            continue
        if not declared.optional:
            yield plain.replace(**{declared.name: None})
        if declared.rank.least > 0 and tensor.value is None:
            lowest = tensor.shape[tensor.rank - declared.rank.least + 1 :]
            yield plain.replace(**{declared.name: tensor.with_shape(*lowest)})
        if declared.rank.most is not None:
            yield plain.replace(**{declared.name: _raised(tensor, declared.rank.most + 1)})


def _raised(tensor: Tensor, rank: int) -> Tensor:
    """The same elements in more dimensions."""
    more = rank - tensor.rank
    value = tensor.value
    for _ in range(more if value is not None else 0):
        value = (value,)
    return Tensor(tensor.element_type, (*[1] * more, *tensor.shape), value)


def changed(layer: Layer, changes: Changes) -> Layer:
    """A layer with some inputs or attributes changed; an element type changes the type of that input alone."""
    parameters: dict[str, Any] = {}
    for name, change in changes.items():
        before = layer.inputs.get(name)
        if isinstance(change, ElementType) and name in layer.inputs:
            if before is None:
                continue  # an input left out has no type
            tensors = before if isinstance(before, tuple) else (before,)
            typed = tuple(t.with_type(change) for t in tensors)
            parameters[name] = typed if isinstance(before, tuple) else typed[0]
        elif (
            isinstance(before, Tensor)
            and before.value is not None
            and not isinstance(change, Tensor)
        ):
            value = literal(change)
            fresh = layer.operation.layer(**{name: value}).inputs[name]
            parameters[name] = fresh
        else:
            parameters[name] = change
    return layer.replace(**parameters)


def _breaks_a_value(layer: Layer, changes: Changes) -> bool:
    """Whether the break is in the value of an index input, and so can also be given at run time."""
    names = {i.name for i in layer.operation.index_inputs}
    return any(
        name in names and not isinstance(change, ElementType)
        for name, change in changes.items()
        if change is not None
    )


def _states_data(layer: Layer) -> bool:
    """Whether the layer states the value of an input that is not an index input."""
    given = (layer.inputs[i.name] for i in layer.operation.inputs if not i.index)
    return any(isinstance(tensor, Tensor) and tensor.value is not None for tensor in given)


def _variants(operation: Operation, purpose: str) -> Iterator[Case]:
    for changes in operation.variants[purpose]:
        layer = changed(operation.plain_layer(), changes)
        yield from _valid(layer, purpose)
        if _states_data(layer):
            yield from _valid(layer, purpose, Form(data="runtime"))


_GENERATORS: dict[str, Any] = {
    "example": _example,
    "plain": _plain,
    "type": _type,
    "index-type": _index_type,
    "left-out": _left_out,
    "enumeration": _enumeration,
    "rank": _rank,
    "dim-1": lambda operation: _dim(operation, 1),
    "dim-0": lambda operation: _dim(operation, 0),
    "special": _special,
    "ends": _ends,
    "i64-large": _typed("i64-large", [i64]),
    "u64-large": _typed("u64-large", [u64]),
    "f64-large": _typed("f64-large", [f64]),
    **{name: _sums(name) for name in SUMS},
    "large-output": _large_output,
    "runtime": _runtime,
    "dynamic": _dynamic,
    "written": _written,
    "constant": _constant,
    "memory": _memory,
    "requests": _requests,
    "invalid": _invalid,
}
