"""Layers of an operation: the plain one, random ones, and ones with other dimensions."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ir_models.vocabulary import rules
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import COMMON_TYPES, ElementType, Tensor
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Attribute, Changes, Input, Rule
from ir_models.vocabulary.shapes import NegativeSizeError, UnknownSizeError
from ir_models.vocabulary.type_sets import TypeSet

# Sizes of names and of many dimensions where the declaration gives none: different ones, as far as they last.
_SIZES = (3, 5, 4, 7, 2, 6, 11, 13)


class RandomSpaceError(ValueError):
    """A declaration has no random layers."""


@cache
def plain_layer(operation: Operation, rank: int | None = None) -> Layer:
    """The layer that purposes vary, of this rank if the declaration offers ranks.

    It is the declaration's, or follows from the shapes of the inputs and the plain values of parameters. What the
    declaration leaves out and can adapt is adapted.

    Raises ValueError where the declaration has neither, or its function gives no valid layer.
    """
    function = operation.plain_function
    if function is not None:
        if rank is not None:
            layer = suited(_made_by(function, operation, rank=rank))
            return _without_ones(layer, plain_layer(operation))
        layer = suited(_made_by(function, operation))
        where = _place(function)
    elif any(declared.patterns for declared in operation.inputs):
        layer = suited(_from_shapes(operation, _plain_sizes(operation), _plain_values(operation)))
        where = "shapes of inputs"
    else:
        kind = operation.name.rpartition("-")[0]
        raise ValueError(
            f"{operation.name} has no plain layer: write a function under @{kind}.plain, or the shapes of inputs"
        )
    for declared in operation.inputs:
        declared.patterns_of(layer)  # a rule that cannot be evaluated is none that is broken
    broken = rules.broken_rule(layer)
    if broken is not None:
        raise ValueError(
            f"{where}: the plain layer of {operation.name} breaks the rule: {broken.text}"
        )
    return layer


def _made_by(
    function: Callable[..., Changes], operation: Operation, *given: Any, **named: Any
) -> Layer:
    """The layer that a function of a declaration gives. Raises ValueError with the place of the function."""
    changes = function(*given, **named)
    try:
        return operation.layer(**operation.parameters(changes))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{_place(function)}: {error}") from error


def _place(function: Callable[..., Any]) -> str:
    """Where a function of a declaration stands: file, line and name."""
    code = inspect.unwrap(function).__code__
    file = os.path.relpath(code.co_filename, Path(__file__).parents[2])
    return f"{file}:{code.co_firstlineno}: {code.co_name}"


def _without_ones(layer: Layer, usual: Layer) -> Layer:
    """A layer of another rank with the dimensions of 1 enlarged: a device removes them, and then the rank is another.

    Data that has a dimension of 1 in the usual rank as well keeps those that it has.
    """
    for declared in layer.operation.inputs:
        for tensor, before in zip(
            layer.tensors(declared.name)[:1], usual.tensors(declared.name)[:1], strict=False
        ):
            if declared.index or tensor.value is not None or 1 in before.shape:
                continue
            for axis in range(tensor.rank):
                shape = layer.tensors(declared.name)[0].shape
                if shape[axis] == 1:
                    size = 3 if axis and shape[axis - 1] == 2 else 2
                    layer = with_size(layer, declared.name, axis, size) or layer
    return layer


def has_ranks(operation: Operation) -> bool:
    """Whether the plain layer comes in every rank."""
    function = operation.plain_function
    return function is not None and "rank" in inspect.signature(function).parameters


def _plain_values(operation: Operation) -> dict[str, Any]:
    parameters: Sequence[Input | Attribute] = (*operation.index_inputs, *operation.attributes)
    return {each.name: each.plain for each in parameters if each.plain is not None}


def _plain_sizes(operation: Operation) -> dict[str, Any]:
    sizes = {**_plain_values(operation), **operation.sizes}
    spare = iter(size for size in _SIZES * 3 if size not in sizes.values())
    named: list[str] = []
    for declared in operation.inputs:
        for dimension in (d for p in declared.patterns for d in p.dimensions):
            if dimension.name and dimension.name not in sizes:
                count = 2 if dimension.is_many else 1
                drawn = [next(spare) for _ in range(count)]
                sizes[dimension.name] = drawn if dimension.is_many else drawn[0]
            if dimension.name:
                named.append(dimension.name)
    return {name: sizes[name] for name in {**operation.sizes, **dict.fromkeys(named)}}


def _from_shapes(
    operation: Operation, sizes: Mapping[str, Any], values: Mapping[str, Any]
) -> Layer:
    """A layer whose data has the shapes of the page for the sizes of names; parameters have the values given."""
    given = dict(values)
    attributes = {a.name: a.default for a in operation.attributes}
    known = {**attributes, **{n: v for n, v in values.items() if v is not None}, **sizes}
    bare = operation.layer(**{name: each for name, each in values.items() if name in attributes})
    for declared in operation.inputs:
        if declared.name in given or (declared.index and declared.optional):
            continue
        patterns = declared.patterns_of(bare)
        if not patterns or declared.index:
            raise ValueError(
                f"{operation.name}: the plain layer needs a shape or a plain value of {declared.name}"
            )
        shape = given[declared.name] = patterns[0].shape(known)
        # What shapes of later inputs may name.
        known[f"rank({declared.name})"] = len(shape)
        known[f"size({declared.name})"] = math.prod(shape)
    for attribute in operation.attributes:
        if attribute.name in sizes and attribute.name not in given:
            given[attribute.name] = sizes[attribute.name]
    return operation.layer(**given)


# --- random layers ------------------------------------------------------------------------------------------------


def random_layer(operation: Operation, draw: Draw) -> Layer:
    """A valid layer drawn from the declared space, in common element types.

    Raises RandomSpaceError when there is nothing to draw from, or a hundred draws in a row break a rule.
    """
    for _ in range(100):
        if operation.random_function is not None:
            layer = suited(_made_by(operation.random_function, operation, draw))
        else:
            try:
                layer = suited(_drawn_from_shapes(operation, draw))
            except NegativeSizeError:
                continue
        chosen = {}
        for name, type_set in operation.type_sets.items():
            holding = fitting(layer, type_set)
            common = [t for t in holding if t in COMMON_TYPES]
            chosen[name] = draw.choice(common or holding)
        layer = layer.with_types(chosen)
        if rules.is_valid(layer):
            return layer
    raise RandomSpaceError(f"{operation.name}: a hundred random layers in a row broke a rule")


def _drawn_from_shapes(operation: Operation, draw: Draw) -> Layer:
    """Any sizes of names, any values of attributes; index inputs have their plain value."""
    if not any(declared.patterns for declared in operation.inputs):
        raise RandomSpaceError(
            f"{operation.name} declares no random layers: its inputs need shapes, or it needs a function, decorated "
            f"with the operation's name and .random"
        )
    sizes: dict[str, Any] = {}
    for name, size in _plain_sizes(operation).items():
        many = isinstance(size, (list, tuple))
        sizes[name] = draw.shape(draw.integer(0, 3), most=5) if many else draw.integer(1, 8)
    values: dict[str, Any] = {}
    parameters: Sequence[Input | Attribute] = (*operation.index_inputs, *operation.attributes)
    for each in parameters:
        if each.name not in sizes:
            values[each.name] = _drawn(each, draw)
    for declared in operation.inputs:
        if declared.optional and not declared.index and draw.boolean():
            values[declared.name] = None
    return _from_shapes(operation, sizes, values)


def _drawn(each: Input | Attribute, draw: Draw) -> Any:
    """A value of a parameter that its declaration allows; None leaves it out."""
    values: list[Any] = [each.plain]
    if isinstance(each, Attribute):
        if each.is_enumeration:
            values = list(each.type)
        elif each.type is bool:
            values = [False, True]
        elif each.types is not None:
            values = list(each.types.types)
        if not each.required:
            values.append(None)
    elif each.optional:
        values.append(None)
    return draw.choice(values)


def fitting(layer: Layer, type_set: TypeSet) -> list[ElementType]:
    """The types of a type variable that can hold the values that the layer states of it."""
    inputs = [i.name for i in layer.operation.inputs if i.types.name == type_set.name]
    stated = [t for name in inputs for t in layer.tensors(name) if t.value is not None]
    return [kind for kind in type_set.types if all(t.fits(kind) for t in stated)]


# --- other dimensions ---------------------------------------------------------------------------------------------


def with_size(layer: Layer, name: str, axis: int, size: int) -> Layer | None:
    """A valid layer with another size along one axis of an input, None where the page has none.

    It changes in this input alone if the rules allow it, else wherever the page's shapes name the same size, else
    wherever data has the same size on the same axis. Parameters that no longer suit are adapted.
    """
    for candidate in _with_size(layer, name, axis, size):
        found = suited(candidate)
        if found.tensors(name)[0].shape[axis] == size and rules.is_valid(found):
            return found
    return None


def _with_size(layer: Layer, name: str, axis: int, size: int) -> Iterator[Layer]:
    tensors = layer.tensors(name)
    old = tensors[0].shape[axis]
    shared = _places_of_one_name(layer, name, axis)
    if shared is not None:
        found = _with_name(layer, shared, old, size)
        if found is not None:
            yield found
        return
    alone = layer
    for number in range(len(tensors)):
        alone = alone.with_dimension(name, number, axis, size)
    yield alone
    yield _with_many(layer, name, axis, size)
    together = layer
    for each, number, tensor in _data(layer):
        if axis < tensor.rank and tensor.shape[axis] == old:
            together = together.with_dimension(each, number, axis, size)
    yield together


def _places_of_one_name(layer: Layer, name: str, axis: int) -> str | None:
    """The name that the page's shapes give this dimension, None where they give none."""
    for each, dimension, begin, end in rules.dimensions(layer):
        if each == name and begin <= axis < end and dimension.name:
            return dimension.name if not dimension.is_many else None
    return None


def _with_many(layer: Layer, name: str, axis: int, size: int) -> Layer:
    """Another size of one of the dimensions for which a name such as ``*batch`` stands, wherever the name stands."""
    places = list(rules.dimensions(layer))
    for each, many, begin, end in places:
        if each == name and many.is_many and begin <= axis < end:
            for other, dimension, first, behind in places:
                if dimension.text == many.text and axis - begin < behind - first:
                    changed = rules.with_size(layer.tensors(other)[0], first + axis - begin, size)
                    layer = layer.replace(**{other: changed})
    return layer


def _with_name(layer: Layer, name: str, old: int, size: int) -> Layer | None:
    """Another size of a name in all shapes. ``old`` and ``size`` are those of the dimension that asks for it."""
    known = rules.sizes_of(layer)
    before = known[name]
    if not before or (old and size * before % old):
        return None
    wanted = size * before // old if old else size
    changed = layer
    sizes = {name: wanted}
    for each, dimension, begin, _ in rules.dimensions(layer):
        if name not in dimension.names or dimension.is_many:
            continue
        try:
            new = dimension.size(_With(known, sizes))
        except UnknownSizeError:
            return None
        if new < 0:
            return None
        tensor = changed.tensors(each)[0]
        if tensor.value is not None and not tensor.size:
            return None  # there is no last part to repeat
        changed = changed.replace(**{each: rules.with_size(tensor, begin, new)})
    if any(a.name == name for a in layer.operation.attributes):
        changed = changed.replace(**{name: wanted})
    return changed


class _With(dict[str, Any]):
    """Sizes of some names before those of all."""

    def __init__(self, others: Mapping[str, Any], first: Mapping[str, Any]) -> None:
        super().__init__(first)
        self._others = others

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else self._others.get(key, default)


def suited(layer: Layer) -> Layer:
    """The layer, with what its declaration adapts where a rule is broken and adapting mends it."""
    adapt = layer.operation.adapt_function
    if adapt is None or rules.is_valid(layer):
        return layer
    try:
        adapted = layer.changed(adapt(layer))
    except (ValueError, IndexError, ZeroDivisionError):
        return layer  # nothing suits such a shape
    return adapted if rules.is_valid(adapted) else layer


def _data(layer: Layer) -> Iterator[tuple[str, int, Tensor]]:
    """(input, number, tensor) of everything whose shape may change: data whose value is not stated."""
    for declared in layer.operation.inputs:
        if not declared.index:
            for number, tensor in enumerate(layer.tensors(declared.name)):
                if tensor.value is None:
                    yield declared.name, number, tensor


def resized(layer: Layer, size: int | None = None, fixed: Sequence[str] = ()) -> Layer:
    """A valid layer with the same parameters and other dimensions of its data.

    As many dimensions differ as the rules allow, or the first that may become ``size``, where that is given. The
    ``fixed`` ports of the layer keep their shapes. Raises ValueError where no dimension can change.
    """
    *_, found = layer, *_resized_so_far(layer, size, fixed)
    if found == layer:
        inputs = ", ".join(str(each) for _, each in layer.ports() if each is not None)
        to = "" if size is None else f" to {size}"
        raise ValueError(f"{layer.operation.name}: no dimension of {inputs} can change{to}")
    return found


def resized_along(layer: Layer, axis: int, fixed: Sequence[str] = ()) -> Layer:
    """A valid layer with another size along one axis of the first data input, and of what the rules tie to it.

    Raises ValueError where that dimension cannot change.
    """
    found = _resized_along(layer, axis, fixed)
    if found is None:
        raise ValueError(f"{layer.operation.name}: dimension {axis} of the data cannot change")
    return found


def _resized_along(layer: Layer, axis: int, fixed: Sequence[str]) -> Layer | None:
    for name, number, tensor in _data(layer):
        if _port_name(layer, name, number) not in fixed:
            if axis >= tensor.rank:
                return None
            found = _with_axis_resized(layer, _Followers(layer), name, number, axis)
            return found if found != layer and _keeps(layer, found, fixed) else None
    return None


def can_be_resized(layer: Layer, size: int | None = None, fixed: Sequence[str] = ()) -> bool:
    """Whether ``resized`` finds a layer."""
    asked = ("resized", size, tuple(fixed))
    if asked not in layer.derived:
        layer.derived[asked] = next(_resized_so_far(layer, size, fixed), None) is not None
    return bool(layer.derived[asked])


def can_be_resized_along(layer: Layer, axis: int, fixed: Sequence[str] = ()) -> bool:
    """Whether ``resized_along`` finds a layer."""
    asked = ("resized along", axis, tuple(fixed))
    if asked not in layer.derived:
        layer.derived[asked] = _resized_along(layer, axis, fixed) is not None
    return bool(layer.derived[asked])


def _resized_so_far(layer: Layer, size: int | None, fixed: Sequence[str]) -> Iterator[Layer]:
    """The layer with one dimension resized, then with another one as well, and so on."""
    found, may_follow = layer, _Followers(layer)
    for name, number, tensor in _data(layer):
        if _port_name(layer, name, number) in fixed:
            continue
        for axis in range(tensor.rank):
            if size is None:
                changed = _with_axis_resized(found, may_follow, name, number, axis)
            elif found is layer and tensor.shape[axis] != size:
                changed = _with_axis_of_size(layer, may_follow, name, number, axis, size)
            else:
                continue
            if changed != found and _keeps(layer, changed, fixed):
                found = changed
                yield found


def _port_name(layer: Layer, name: str, number: int) -> str:
    return f"{name}_{number}" if layer.operation.input(name).many else name


def _keeps(first: Layer, second: Layer, fixed: Sequence[str]) -> bool:
    """Whether the tensors at these ports are the same in both layers."""
    if not fixed:
        return True
    one, other = dict(first.ports()), dict(second.ports())
    return all(one.get(name) == other.get(name) for name in fixed)


def _with_axis_of_size(
    layer: Layer, may_follow: _Followers, name: str, number: int, axis: int, size: int
) -> Layer:
    """The layer with a size along one axis, and along others as far as the rules demand it; itself if there is none."""
    alone = layer.with_dimension(name, number, axis, size)
    if may_follow(alone):
        return alone
    candidates = _with_size(layer, name, axis, size) if number == 0 else ()
    return next(filter(may_follow, candidates), layer)


def _with_axis_resized(
    found: Layer, may_follow: _Followers, name: str, number: int, axis: int
) -> Layer:
    original = may_follow.first
    old = original.tensors(name)[number].shape[axis]
    if found.tensors(name)[number].shape[axis] != old:
        return found  # changed already, with another input that shares it
    for new in (*range(old + 1, old + 13), 2 * old, 3 * old):
        changed = found.with_dimension(name, number, axis, new)
        if may_follow(changed):
            return changed
    shared = _places_of_one_name(original, name, axis)
    for new in range(old + 1, old + 13):
        if shared is not None:
            named = _with_name(found, shared, old, new)
            if named is not None and may_follow(named):
                return named
        many = _with_many(found, name, axis, new)
        if many != found and may_follow(many):
            return many
        # Data of one shape, or of one batch, changes together.
        changed = found
        for each, place, tensor in _data(found):
            if axis < tensor.rank and tensor.shape[axis] == old:
                changed = changed.with_dimension(each, place, axis, new)
        if may_follow(changed):
            return changed
    return found


class _Followers:
    """Tells which layers may follow a layer, with other shapes of its data, when its shape becomes known late."""

    def __init__(self, first: Layer) -> None:
        self.first = first
        self._attributes = _fixed_attributes(first)
        # What the layer states of an input, an index input or not, is its value for ever, and so is its shape.
        inputs = (i.name for i in first.operation.inputs)
        self._stated = [n for n in inputs if any(t.value is not None for t in first.tensors(n))]
        self._broken: Rule | None = None

    def __call__(self, second: Layer) -> bool:
        """Whether the layer is valid and states what the first one does."""
        first, resizable = self.first, self.first.operation.resizable
        for name in self._stated:
            if first.inputs[name] is not second.inputs[name]:
                pairs = zip(first.tensors(name), second.tensors(name), strict=True)
                if any(one != other for one, other in pairs if one.value is not None):
                    return False
        is_like = first.attributes is second.attributes
        if not is_like and self._attributes != _fixed_attributes(second):
            return False
        # Layers that are tried one after another mostly break the same rule.
        if self._broken is not None and not rules.satisfies(second, self._broken):
            return False
        self._broken = rules.broken_rule(second)
        return self._broken is None and (resizable is None or resizable(first, second))


def _fixed_attributes(layer: Layer) -> dict[str, Any]:
    """The attributes that do not follow the shapes of data."""
    of = layer.operation.followers
    followers = (*of.get("shape", ()), *of.get("size", ()))
    return {name: each for name, each in layer.attributes.items() if name not in followers}
