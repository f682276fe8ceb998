"""The rules of an operation: those that its declaration writes, and those that follow from inputs and attributes.

A rule is one sentence that every valid layer satisfies. The predicate that finds a violation is the one that valid
draws must satisfy; with the violation comes the layer that breaks this rule alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count as count_from
from typing import Any

import numpy as np

from ir_models.vocabulary import shapes
from ir_models.vocabulary.element_types import (
    FLOATS,
    INTEGERS,
    ElementType,
    Tensor,
    boolean,
    f32,
    f64,
    i8,
    i32,
    string,
    u8,
    u64,
)
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import ANY_RANK, Attribute, Changes, Input, Rule
from ir_models.vocabulary.shapes import Dimension, UnknownSizeError
from ir_models.vocabulary.type_sets import TypeSet

# What a predicate raises when it speaks of something that a layer lacks.
_NOT_APPLICABLE = (TypeError, LookupError, AttributeError, ZeroDivisionError, ValueError)


@cache
def rules_of(operation: Operation) -> tuple[Rule, ...]:
    """All rules of an operation, those that follow from its inputs and attributes first."""
    implied = [_asked_or_not(rule, operation.unasked) for rule in _implied(operation)]
    return tuple(_with_ids([*implied, *operation.rules]))


# Words that do not tell one sentence from another.
_FILLERS = re.compile(
    "a|all|an|and|are|as|at|be|but|by|each|for|from|has|have|if|in|is|it|its|no|of|on|one|or|that|the|there|they|"
    "this|to|up|where|which|with"
)
_WORDS = 5


def _with_ids(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules, each with an id: its own, the name of its predicate, or the first words of its sentence that count.

    The words that two sentences have in common do not tell them apart: then more words do, and a number at last.
    """
    taken = {rule.id for rule in rules if rule.id}
    for rule in rules:
        if rule.id:
            yield rule
            continue
        found = next(each for each in _candidates(rule) if each not in taken)
        taken.add(found)
        yield replace(rule, id=found)


def _candidates(rule: Rule) -> Iterator[str]:
    name = getattr(rule.holds, "__name__", "").strip("_")
    if name.isidentifier() and name not in _GENERAL:
        yield name.replace("_", "-")
    words = re.findall(r"[a-z0-9]+", rule.text.lower().replace("_", " "))
    telling = [word for word in words if not _FILLERS.fullmatch(word)] or words
    for count in range(_WORDS, max(len(telling), _WORDS) + 1):
        yield "-".join(telling[:count])
    yield from (f"{'-'.join(telling[:_WORDS])}-{number}" for number in count_from(2))


# Names of functions inside others, which say nothing of the rule.
_GENERAL = frozenset(("holds", "holds_there", "case", "predicate"))


def _asked_or_not(rule: Rule, unasked: Mapping[str, str]) -> Rule:
    reason = next((why for text, why in unasked.items() if rule.text.startswith(text)), "")
    return replace(rule, unasked=reason) if reason else rule


def broken_rules(layer: Layer) -> list[Rule]:
    """The rules that a layer breaks; a rule that cannot be evaluated because another is broken does not count."""
    return [rule for rule in rules_of(layer.operation) if not satisfies(layer, rule)]


def broken_rule(layer: Layer) -> Rule | None:
    """The first rule that a layer breaks, None for a valid layer."""
    if "broken rule" not in layer.derived:
        layer.derived["broken rule"] = _broken_rule(layer)
    found: Rule | None = layer.derived["broken rule"]
    return found


def _broken_rule(layer: Layer) -> Rule | None:
    # As ``satisfies`` has it, in one loop: this is most of the time of a listing.
    for rule in rules_of(layer.operation):
        try:
            if not rule.holds(layer):
                return rule
        except _NOT_APPLICABLE:
            continue
    return None


def is_valid(layer: Layer) -> bool:
    """Whether the layer satisfies every rule of its page."""
    return broken_rule(layer) is None


def as_read(layer: Layer) -> Layer:
    """The layer that a reader sees which tells inputs by their order alone: behind one left out they move up."""
    tensors = [tensor for _, tensor in layer.ports() if tensor is not None]
    inputs: dict[str, Any] = {}
    later = len(layer.operation.inputs)
    for declared in layer.operation.inputs:
        later -= 1
        # An input that repeats leaves one for each input behind it.
        count = max(len(tensors) - later, 1) if declared.many else 1
        taken, tensors = tensors[:count], tensors[count:]
        inputs[declared.name] = (tuple(taken) if declared.many else taken[0]) if taken else None
    return replace(layer, inputs=inputs)


def satisfies(layer: Layer, rule: Rule) -> bool:
    """Whether a layer satisfies a rule, or the rule cannot be evaluated because another one is broken."""
    try:
        return bool(rule.holds(layer))
    except _NOT_APPLICABLE:
        # The rule speaks of something that this layer lacks: another rule, one on shapes or types, says so.
        return True


# --- rules that declarations share --------------------------------------------------------------------------------


def numbers(value: Any) -> list[Any]:
    """The value of an index input or attribute as a flat list: of a tensor, a list or one number; none if absent."""
    if value is None:
        return []
    if isinstance(value, Tensor):
        value = value.value
    if isinstance(value, tuple) and all(type(n) is int for n in value):
        return list(value)  # as most are, and NumPy would take longer
    return [int(n) for n in np.ravel(np.array(value, object))]


def axes_of(layer: Layer, name: str, data: str = "data") -> list[int]:
    """The axes that an index input or attribute names, counted from 0.

    Raises ValueError for one that does not exist.
    """
    rank = layer.tensors(data)[0].rank
    axes = numbers(getattr(layer, name))
    if any(not -rank <= axis < rank for axis in axes):
        raise ValueError(f"{name} names an axis that {data} does not have")
    return [axis % rank for axis in axes]


def _implied(operation: Operation) -> Iterator[Rule]:
    for declared in operation.inputs:
        yield from _input_rules(declared)
    for name in operation.type_sets:
        yield from _type_rules([i for i in operation.inputs if i.types.name == name])
    for attribute in operation.attributes:
        yield from _attribute_rules(attribute)
    yield from _shape_rules(operation)
    parameters: tuple[Input | Attribute, ...] = (*operation.index_inputs, *operation.attributes)
    for each in parameters:
        yield from _axis_rules(each)
        yield from _length_rules(each)
    for declared in operation.index_inputs:
        if declared.constant:
            yield constant_rule(declared.name)


def _id(*words: str) -> str:
    """An id of words, of names, and of sizes such as 4*hidden_size."""
    return "-".join(re.findall(r"[a-z0-9]+", " ".join(words).replace("+", " plus ").lower()))


def constant_rule(name: str) -> Rule:
    """An input is a Constant: no layer breaks it, but how a layer is asked."""
    return Rule(
        f"{name} is a Constant",
        lambda layer: True,
        kind="constant",
        inputs=(name,),
        id=_id(name, "constant"),
    )


def _input_rules(declared: Input) -> Iterator[Rule]:
    name = declared.name
    if not declared.optional:
        yield Rule(
            f"{name} is required",
            lambda layer: bool(layer.tensors(name)),
            kind="required",
            inputs=(name,),
            id=_id(name, "required"),
        )
    if declared.rank != ANY_RANK:
        yield Rule(
            f"{name} has rank {declared.rank}",
            lambda layer: all(t.rank in declared.rank for t in layer.tensors(name)),
            kind="rank",
            inputs=(name,),
            id=_id(name, "rank"),
        )
    if declared.least is not None and not declared.axis_of:
        least = declared.least
        yield Rule(
            f"{name} is at least {least}",
            lambda layer: min(numbers(layer.inputs[name]), default=least) >= least,
            lambda plain: _with_last(plain, name, least - 1),
            id=_id(name, "least"),
        )


def _type_rules(sharers: Sequence[Input]) -> Iterator[Rule]:
    """The inputs that name one type variable have one of its types, and the same one."""
    type_set = sharers[0].types
    inputs = tuple(i.name for i in sharers)
    names = ", ".join(inputs)

    def types(layer: Layer) -> list[Any]:
        return [t.element_type for name in inputs for t in layer.tensors(name)]

    if neighbours(type_set):
        yield Rule(
            f"{names}: {type_set.name} is one of {' '.join(t.name for t in type_set.types)}",
            lambda layer: all(kind in type_set for kind in types(layer)),
            kind="type",
            inputs=inputs,
            id=_id("type", "of", *inputs),
        )
    # Of one type alone, the rule above says it.
    if (len(sharers) > 1 or sharers[0].many) and len(type_set.types) > 1:
        yield Rule(
            f"{names} have one type {type_set.name}",
            lambda layer: len(set(types(layer))) <= 1,
            kind="one type",
            inputs=inputs,
            id=_id("one", "type", "of", *inputs),
        )


def neighbours(type_set: TypeSet) -> list[ElementType]:
    """The types nearest to those of a type variable, which it forbids: i32 beside floating-point numbers and these
    beside integers, the shortest integer and an unsigned one beside i32 and i64, booleans beside numbers, bytes beside
    booleans; strings beside what data may be.
    """
    members = type_set.types
    floats, integers = (any(kind in members for kind in kinds) for kinds in (FLOATS, INTEGERS))
    found = [f32] if not floats else [kind for kind in (f64,) if f32 in members]
    if integers:
        found += [i8, u64]
    elif floats:
        found += [i32]
    elif boolean in members:
        found += [u8]
    found += [boolean, *([string] if f32 in members else [])]
    return [kind for kind in found if kind not in members and kind not in type_set.unasked]


def _attribute_rules(attribute: Attribute) -> Iterator[Rule]:
    name = attribute.name
    if attribute.required:
        yield Rule(
            f"{name} is required",
            lambda layer: name in layer.attributes,
            ({name: None},) if attribute.default is None else (),
            "" if attribute.default is None else "the page gives it a default as well",
            id=_id(name, "required"),
        )
    broken: Changes | Callable[[Layer], list[Changes]] | None = None
    nearest: tuple[Changes, ...] = ()
    unasked = ""
    if attribute.is_enumeration or attribute.is_body:
        text = f"{name} is one of {', '.join(attribute.type)}"
        broken = {name: "unheard_of"} if attribute.is_enumeration else None
        unasked = "" if broken else "the bodies are the declaration's, not the page's"
    elif attribute.least is not None and attribute.axis_of:
        return
    elif attribute.least is not None and attribute.type in (int, float):
        text = f"{name} is at least {attribute.least}"
        broken = {name: attribute.type(attribute.least) - 1}
        nearest = ({name: _just_below(attribute.least)},) if attribute.type is float else ()
    elif attribute.least is not None:
        least = int(attribute.least)
        text = f"each item of {name} is at least {least}"
        broken = lambda plain: _with_last(plain, name, least - 1)  # noqa: E731
    elif attribute.types is not None:
        text = f"{name} is one of {' '.join(t.name for t in attribute.types.types)}"
        foreign = neighbours(attribute.types)
        if not foreign:
            return
        broken = lambda plain: [{name: kind} for kind in foreign]  # noqa: E731
    else:
        return
    yield Rule(
        text,
        lambda layer: name not in layer.attributes or attribute.allows(layer.attributes[name]),
        broken if callable(broken) else (broken, *nearest) if broken else (),
        unasked,
        id=_id(name, "least" if attribute.least is not None else "values"),
    )


def _just_below(limit: float) -> float:
    """The next number of f32 below a limit; below zero the next one that no device flushes to zero."""
    if limit == 0:
        return -float(np.finfo(np.float32).smallest_normal)
    return float(np.nextafter(np.float32(limit), np.float32(-np.inf)))


def at_limits(plain: Layer) -> Iterator[Changes]:
    """Changes that keep a value at the limit of a rule: the least number, the first and the last axis."""
    declared: list[Input | Attribute] = [*plain.operation.index_inputs, *plain.operation.attributes]
    for each in declared:
        if each.axis_of:
            tensors = plain.tensors(each.axis_of)
            rank = tensors[0].rank if tensors else 0
            first = -rank if each.least is None else int(each.least)
            yield from _with_last(plain, each.name, first, rank - 1)
        elif each.least is not None:
            is_float = isinstance(each, Attribute) and each.type in (float, list[float])
            least = float(each.least) if is_float else int(each.least)
            yield from _with_last(plain, each.name, least)


def _with_last(plain: Layer, name: str, *replaced: float) -> list[Changes]:
    """Changes that replace the last number of a value, which may be a single one."""
    given = plain.inputs[name] if name in plain.inputs else plain.attributes.get(name)
    value = given.value if isinstance(given, Tensor) else given
    if value is None or value == ():
        return []
    listed = isinstance(value, tuple)
    return [{name: [*value[:-1], number] if listed else number} for number in replaced]


def _axis_rules(each: Input | Attribute) -> Iterator[Rule]:
    """A value that is an axis, or axes, of an input."""
    if not each.axis_of:
        return
    name, data = each.name, each.axis_of
    from_end = each.least is None

    def rank(layer: Layer) -> int:
        return layer.tensors(data)[0].rank

    def exist(layer: Layer) -> bool:
        least = -rank(layer) if from_end else int(each.least or 0)
        return all(least <= axis < rank(layer) for axis in numbers(getattr(layer, name)))

    low = f"-rank({data})" if from_end else each.least
    yield Rule(
        f"{name} is from {low} to rank({data}) - 1",
        exist,
        lambda plain: _with_last(
            plain, name, rank(plain), -rank(plain) - 1 if from_end else int(each.least or 0) - 1
        ),
        id=_id(name, "range"),
    )
    if each.distinct:
        yield Rule(
            f"{name} are different",
            lambda layer: len(set(axes_of(layer, name, data))) == len(axes_of(layer, name, data)),
            lambda plain: _repeated(plain, name, rank(plain) if from_end else 0),
            id=_id(name, "distinct"),
        )


def _repeated(plain: Layer, name: str, rank: int) -> list[Changes]:
    """The first axis twice; counted from the end, the second time, where that is allowed."""
    axes = numbers(getattr(plain, name))
    if not axes:
        return []
    first = axes[0] % rank if rank else axes[0]
    twice = [[first, first], [first, first - rank]] if rank else [[first, first]]
    return [{name: [*pair, *axes[2:]]} for pair in twice]


def _length_rules(each: Input | Attribute) -> Iterator[Rule]:
    """A list whose number of items the page fixes."""
    if not isinstance(each, Attribute) or not each.length:
        return
    name, text = each.name, each.length

    def wrong(plain: Layer) -> list[Changes]:
        value = plain.attributes.get(name)
        return [] if not value else [{name: value[:-1]}, {name: [*value, value[-1]]}]

    yield Rule(
        f"{name} has {text} items",
        lambda layer: (
            name not in layer.attributes or len(layer.attributes[name]) == length_of(each, layer)
        ),
        wrong,
        id=_id(name, "length"),
    )


def length_of(attribute: Attribute, layer: Layer) -> int:
    """How many items the page asks of a list. Raises UnknownSizeError."""
    return shapes.evaluate(attribute.length, sizes_of(layer))


# --- shapes -------------------------------------------------------------------------------------------------------


class _Facts(Mapping[str, Any]):
    """What expressions may name: attributes, sizes of names, ``rank(data)`` and ``size(data)`` of inputs."""

    def __init__(self, layer: Layer, sizes: Mapping[str, Any]) -> None:
        self._layer, self._sizes = layer, sizes

    def __getitem__(self, name: str) -> Any:
        if name in self._sizes:
            return self._sizes[name]
        if name.endswith(")"):
            what, _, of = name[:-1].partition("(")
            tensors = self._layer.tensors(of)
            return getattr(tensors[0], what) if tensors else None
        return getattr(self._layer, name, None)

    def __iter__(self) -> Iterator[str]:
        raise TypeError("the names that expressions may use have no end")

    def __len__(self) -> int:
        raise TypeError("the names that expressions may use have no end")


def sizes_of(layer: Layer) -> Mapping[str, Any]:
    """The size that each name in the shapes of a layer has, from the first place that fixes it, attributes first."""
    if "sizes" not in layer.derived:
        layer.derived["sizes"] = _sizes_of(layer)
    return _Facts(layer, layer.derived["sizes"])


def _sizes_of(layer: Layer) -> dict[str, Any]:
    sizes: dict[str, Any] = {}
    for name, dimension, begin, end in dimensions(layer):
        if dimension.name and dimension.name not in sizes:
            size = _fixed(layer, name, dimension, begin, end)
            if size is not None:
                sizes[dimension.name] = size
    for attribute in layer.operation.attributes:
        if attribute.name in sizes:
            sizes[attribute.name] = getattr(layer, attribute.name)
    return sizes


_Place = tuple[str, Dimension, int, int]


def dimensions(layer: Layer) -> Iterable[_Place]:
    """(input, dimension of its pattern, first axis, behind its last axis) wherever an input has a stated shape."""
    if "dimensions" not in layer.derived:
        found: list[_Place] = []
        failure: Exception | None = None
        try:
            found.extend(_dimensions(layer))
        except Exception as error:  # a shape that depends on what this layer lacks
            failure = error.with_traceback(None)
        layer.derived["dimensions"] = found, failure
    places: list[_Place]
    places, failure = layer.derived["dimensions"]
    return places if failure is None else _until(places, failure)


def _until(places: Sequence[_Place], failure: Exception) -> Iterator[_Place]:
    yield from places
    raise failure


def _dimensions(layer: Layer) -> Iterator[_Place]:
    for declared in layer.operation.shaped_inputs:
        for tensor in layer.tensors(declared.name)[:1]:
            pattern = shapes.matching(declared.patterns_of(layer), tensor.rank)
            if pattern is not None:
                for dimension, begin, end in pattern.places(tensor.rank):
                    yield declared.name, dimension, begin, end


def _fixed(layer: Layer, name: str, dimension: Dimension, begin: int, end: int) -> Any:
    """The size of the name that a dimension has in one input."""
    shape = layer.tensors(name)[0].shape
    return list(shape[begin:end]) if dimension.is_many else dimension.solve(shape[begin])


def _shape_rules(operation: Operation) -> Iterator[Rule]:
    """Every name has one size, every other dimension the one that is written."""
    attributes = {a.name for a in operation.attributes}
    users: dict[str, list[str]] = {}
    twice: set[str] = set()
    for declared in operation.inputs:
        for pattern in declared.patterns:
            names = [each.name for each in pattern.dimensions if each.name]
            twice.update(name for name in names if names.count(name) > 1)
            for name in names:
                users.setdefault(name, []).append(declared.name)
    for name, inputs in users.items():
        shared = list(dict.fromkeys(inputs))
        if len(shared) > 1 or name in attributes or name in twice:
            where = " and ".join(", ".join(shared).rsplit(", ", 1))
            what = f"{name} of {where} is that of the attribute" if name in attributes else ""
            text = what or f"{name} is one size in {where}"
            yield Rule(text, _one_size(name), _resizing(name), id=_id("size", "of", name))
    for declared in operation.inputs:
        expressions = [
            d.text for p in declared.patterns for d in p.dimensions if not d.name and not d.is_many
        ]
        for text in dict.fromkeys(expressions):
            yield Rule(
                f"{declared.name} has the dimension {text} in [{declared.shape}]",
                _has_size(declared.name, text),
                _resizing_expression(declared.name, text),
                id=_id("size", "of", declared.name, text),
            )


def _one_size(name: str) -> Callable[[Layer], bool]:
    def holds(layer: Layer) -> bool:
        found = []
        for each, dimension, begin, end in dimensions(layer):
            if dimension.name == name:
                size = _fixed(layer, each, dimension, begin, end)
                if size is None:
                    return False
                found.append(size)
        stated = getattr(layer, name, None) if _is_attribute(layer, name) else None
        if _is_attribute(layer, name) and (stated is None or stated < 1):
            # Another rule says so.
            return True
        return all(size == (found[0] if stated is None else stated) for size in found)

    return holds


def _is_attribute(layer: Layer, name: str) -> bool:
    return layer.operation.attribute(name) is not None


def _has_size(name: str, text: str) -> Callable[[Layer], bool]:
    def holds(layer: Layer) -> bool:
        for each, dimension, begin, _ in dimensions(layer):
            if each == name and dimension.text == text:
                try:
                    wanted = dimension.size(sizes_of(layer))
                except UnknownSizeError:
                    continue
                if layer.tensors(name)[0].shape[begin] != wanted:
                    return False
        return True

    return holds


def _resizing(name: str) -> Callable[[Layer], list[Changes]]:
    """Each place where a name stands, changed alone; the attribute of that name as well."""

    def broken(plain: Layer) -> list[Changes]:
        changes: list[Changes] = []
        for each, dimension, begin, end in dimensions(plain):
            if dimension.name == name and end > begin:
                changes.extend(_with_axis(plain, each, begin, +1))
                changes.extend(_with_axis(plain, each, begin, -1))
        return changes

    return broken


def _resizing_expression(name: str, text: str) -> Callable[[Layer], list[Changes]]:
    def broken(plain: Layer) -> list[Changes]:
        return [
            change
            for each, dimension, begin, _ in dimensions(plain)
            if each == name and dimension.text == text
            for by in (+1, -1)
            for change in _with_axis(plain, name, begin, by)
        ]

    return broken


def _with_axis(plain: Layer, name: str, axis: int, by: int) -> list[Changes]:
    """One dimension of an input changed by a number."""
    tensor = plain.tensors(name)[0]
    size = tensor.shape[axis] + by
    return [] if size < 0 else [{name: with_size(tensor, axis, size)}]


def with_size(tensor: Tensor, axis: int, size: int) -> Tensor:
    """A tensor with another size along one axis; of a stated value the rest is cut off, or the last part repeated."""
    if tensor.value is None:
        return tensor.with_shape(*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])
    taken = np.take(np.array(tensor.value, object), np.arange(size), axis, mode="clip")
    return Tensor(tensor.element_type, taken.shape, _tuples(taken))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, np.ndarray) else value
