"""Layers that break a rule of their page: one for each way in which a rule is broken.

Those that the declaration writes are taken as they stand. Of those that follow from inputs, attributes and shapes the
ones are kept that break the rule alone; where ranks, or inputs that come one behind another, tie rules to each other,
those that break the fewest others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ir_models.vocabulary import rules
from ir_models.vocabulary.element_types import COMMON_TYPES, ElementType, Tensor, boolean
from ir_models.vocabulary.layers import has_ranks, plain_layer
from ir_models.vocabulary.operation import Given, Layer, Operation
from ir_models.vocabulary.page import Rule
from ir_models.vocabulary.shapes import UnknownSizeError

# What a declaration's functions raise for a rank or a type that they do not know.
_NO_LAYER = (ValueError, TypeError, LookupError, ZeroDivisionError)


def invalid_layers(operation: Operation) -> list[Layer]:
    """The layers that break the rules of an operation, rule by rule; one may come twice."""
    plain = plain_layer(operation)
    found: list[tuple[Rule | None, Layer]] = []
    for rule in rules.rules_of(operation):
        if not rule.unasked:
            found += [(rule, layer) for layer in _breaking(rule, plain)]
    found += [(None, plain.changed(changes)) for changes in operation.violations]
    broken = [rules.broken_rules(layer) for _, layer in found]
    alone = [each[0] for each in broken if len(each) == 1]
    return [
        layer
        for (rule, layer), together in zip(found, broken, strict=True)
        if len(together) == 1 or rule not in alone
    ]


def _breaking(rule: Rule, plain: Layer) -> Iterator[Layer]:
    """The violations of one rule."""
    if rule.kind:
        yield from _of_inputs(plain.operation, rule)
        return
    changed = (plain.changed(changes) for changes in rule.violations(plain))
    yield from _least(rule, changed) if callable(rule.broken) else changed


def _of_inputs(operation: Operation, rule: Rule) -> Iterator[Layer]:
    """Violations of what the declaration of inputs rules out."""
    if rule.kind == "required":
        yield from list(_least(rule, _without(operation, rule.inputs[0])))[:1]
    elif rule.kind == "rank":
        for rank in _wrong_ranks(operation, rule.inputs[0]):
            yield from list(_least(rule, _with_rank(operation, rule.inputs[0], rank)))[:1]
    elif rule.kind == "type":
        yield from _of_other_types(operation, rule)
    elif rule.kind == "one type":
        yield from _of_two_types(operation, rule)


def _least(rule: Rule, candidates: Iterable[Layer]) -> Iterator[Layer]:
    """The candidates that break the rule alone, else those that break the fewest other rules."""
    found: list[tuple[int, Layer]] = []
    for layer in candidates:
        broken = rules.broken_rules(layer)
        # A reader who tells inputs by their order alone may see a valid layer behind one that is left out.
        if rule in broken and not rules.is_valid(rules.as_read(layer)):
            found.append((len(broken), layer))
    fewest = min((count for count, _ in found), default=0)
    yield from (layer for count, layer in found if count == fewest)


# --- inputs left out ----------------------------------------------------------------------------------------------


def _without(operation: Operation, name: str) -> Iterator[Layer]:
    """The plain layer without an input, and without those behind it as well."""
    plain = plain_layer(operation)
    yield plain.replace(**{name: None})
    names = [each.name for each in operation.inputs]
    yield plain.replace(**dict.fromkeys(names[names.index(name) :]))


# --- ranks --------------------------------------------------------------------------------------------------------


def _wrong_ranks(operation: Operation, name: str) -> Iterator[int]:
    """The highest rank too low, and the lowest one too high."""
    declared = operation.input(name).rank
    if declared.least > 0:
        yield declared.least - 1
    if declared.most is not None:
        yield declared.most + 1


def _with_rank(operation: Operation, name: str, rank: int) -> Iterator[Layer]:
    """Layers whose input has a rank: this input alone, with the others of the same rank, and with all that the page
    counts by its rank.
    """
    for base in _bases(operation, (name,)):
        yield base.replace(**{name: _ranked(base.inputs[name], rank)})
        before = base.tensors(name)[0].rank
        alike = [
            each.name
            for each in operation.inputs
            if not each.index and base.tensors(each.name) and not operation.input(name).index
        ]
        by = rank - before
        together = {
            each: _ranked(base.inputs[each], base.tensors(each)[0].rank + by)
            for each in alike
            if base.tensors(each)[0].rank + by >= 0
        }
        for changes in ({name: _ranked(base.inputs[name], rank)}, together):
            changed = base.replace(**changes)
            yield changed
            yield _counted(changed)
    if operation.plain_function is not None and has_ranks(operation):
        try:
            layer = operation.layer(**operation.parameters(operation.plain_function(rank=rank)))
        except _NO_LAYER:
            return
        if all(tensor.rank == rank for tensor in layer.tensors(name)):
            yield layer


def _bases(operation: Operation, names: tuple[str, ...]) -> Iterator[Layer]:
    """Valid layers that have these inputs: the plain one, that of the least and of the highest rank, variants."""
    plain = plain_layer(operation)
    found = [plain]
    if has_ranks(operation):
        declared = next(i.rank for i in operation.inputs if not i.index)
        found += [plain_layer(operation, r) for r in (declared.least, declared.most) if r]
    if not all(plain.tensors(name) for name in names):
        found += _variants(operation)
    yield from (
        layer
        for layer in found
        if rules.is_valid(layer)
        and all(layer.tensors(name) and 0 not in layer.tensors(name)[0].shape for name in names)
    )


@cache
def _variants(operation: Operation) -> tuple[Layer, ...]:
    """The valid layers of variants and examples."""
    plain = plain_layer(operation)
    found = [plain.changed(changes) for each in operation.variants for changes in each.changes]
    found += [operation.layer(**operation.parameters(each.layer)) for each in operation.examples]
    return tuple(layer for layer in found if rules.is_valid(layer))


def _ranked(given: Given, rank: int) -> Given:
    if given is None:
        return None
    if isinstance(given, Tensor):
        return _tensor_of_rank(given, rank)
    return tuple(_tensor_of_rank(each, rank) for each in given)


def _tensor_of_rank(tensor: Tensor, rank: int) -> Tensor:
    """The same elements in more dimensions, or the last of them in fewer."""
    more = rank - tensor.rank
    value = tensor.value
    if more < 0:
        for _ in range(-more if value is not None else 0):
            value = value[-1]
        return Tensor(tensor.element_type, tensor.shape[-more:], value)
    for _ in range(more if value is not None else 0):
        value = (value,)
    return Tensor(tensor.element_type, (*[1] * more, *tensor.shape), value)


def _counted(layer: Layer) -> Layer:
    """The layer with as many numbers in its lists as the page counts by ranks."""
    for name, dimension, begin, _ in list(rules.dimensions(layer)):
        tensor = layer.tensors(name)[0]
        if layer.operation.input(name).index and not dimension.name and not dimension.is_many:
            try:
                size = dimension.size(rules.sizes_of(layer))
            except UnknownSizeError:
                continue
            if size >= 0 and 0 not in tensor.shape:
                layer = layer.replace(**{name: rules.with_size(tensor, begin, size)})
    for attribute in layer.operation.attributes:
        value = layer.attributes.get(attribute.name)
        if attribute.length and value:
            try:
                size = rules.length_of(attribute, layer)
            except UnknownSizeError:
                continue
            layer = layer.replace(**{attribute.name: [*value, *[value[-1]] * size][: max(size, 0)]})
    return layer


# --- types --------------------------------------------------------------------------------------------------------


def _of_other_types(operation: Operation, rule: Rule) -> Iterator[Layer]:
    """All inputs that share a type in each of its neighbours."""
    type_set = operation.input(rule.inputs[0]).types
    plain = plain_layer(operation)
    present = [name for name in rule.inputs if plain.tensors(name)]
    base = plain if present else next(_with_any(operation, rule.inputs), plain)
    for kind in rules.neighbours(type_set):
        typed = (_typed(base, name, kind) for name in rule.inputs)
        changes = dict(each for each in typed if each is not None)
        # Every input that is there, or none: two types are another rule.
        if len(changes) == sum(bool(base.tensors(name)) for name in rule.inputs):
            yield from _least(rule, [base.replace(**changes)])


def _with_any(operation: Operation, names: tuple[str, ...]) -> Iterator[Layer]:
    return (layer for layer in _variants(operation) if any(map(layer.tensors, names)))


def _typed(layer: Layer, name: str, kind: ElementType) -> tuple[str, Given] | None:
    """An input in another element type, None where it is left out or the type does not hold its value."""
    given = layer.inputs[name]
    tensors = layer.tensors(name)
    if not tensors or not all(_holds_value(kind, tensor) for tensor in tensors):
        return None
    typed = tuple(tensor.with_type(kind) for tensor in tensors)
    return name, typed[0] if isinstance(given, Tensor) else typed


def _holds_value(kind: ElementType, tensor: Tensor) -> bool:
    """Whether a tensor in this type has the value that is stated; as truth values numbers would be others."""
    return tensor.value is None or (tensor.fits(kind) and kind is not boolean)


def _of_two_types(operation: Operation, rule: Rule) -> Iterator[Layer]:
    """One input, or the last of its tensors, in another of the types."""
    type_set = operation.input(rule.inputs[0]).types
    others = [t for t in type_set.types if t in COMMON_TYPES] or list(type_set.types)
    for name in rule.inputs[0 if operation.input(rule.inputs[0]).many else 1 :]:
        for base in _bases_of_two(operation, rule, name):
            kinds = [t for t in others if t != base.tensors(name)[-1].element_type]
            candidates = (_last_typed(base, name, kind) for kind in kinds)
            found = list(_least(rule, [each for each in candidates if each is not None]))[:1]
            if found:
                yield found[0]
                break


def _bases_of_two(operation: Operation, rule: Rule, name: str) -> Iterator[Layer]:
    """Layers with this input and another one of its type variable."""
    plain = plain_layer(operation)
    for layer in (plain, *_variants(operation)):
        tensors = [tensor for each in rule.inputs for tensor in layer.tensors(each)]
        if layer.tensors(name) and len(tensors) > 1:
            yield layer


def _last_typed(layer: Layer, name: str, kind: ElementType) -> Layer | None:
    *others, last = layer.tensors(name)
    if not _holds_value(kind, last):
        return None
    typed = last.with_type(kind)
    given = typed if isinstance(layer.inputs[name], Tensor) else (*others, typed)
    return layer.replace(**{name: given})
