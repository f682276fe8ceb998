"""Parameters of the layers inside a pattern: the values that the declarations of the operations have for them.

A parameter is an attribute, or an index input that is a constant. Its values are those that the declaration's plain
layer and its variants have, so far as the layer of the pattern admits them. What the value makes of shapes follows: an
operand that was as large as the layer's output is so again, a transposed operand is transposed in front, and where a
reduction does not keep its dimensions an Unsqueeze gives them back.

| factor | levels |
|---|---|
| ``a.strides`` | a value: ``2x3`` for the list 2, 3 |
| ``a.keep_dims.fitted`` | a value that the conditions have as well, with shapes that follow |
| ``keep_dims`` | all reductions: without their dimensions (``false``), or with an Unsqueeze each (``fitted``) |
| ``a.along`` | each axis of an attribute; ``axes.along``: each axis alone, ``all`` of them |
| ``a.window`` | the window of a convolution |
| ``a.groups`` | a convolution in groups: ``one``, ``two``, one for each channel with one filter or two of them |
| ``spatial`` | one axis of an image less, or one more |
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ir_models import catalog
from ir_models.graphs.evaluation import Evaluated, evaluate
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.patterns.factors import Change, Factor, resized, with_attribute, with_fed
from ir_models.patterns.spellings import Writing
from ir_models.vocabulary import rules
from ir_models.vocabulary.element_types import ElementType, Tensor, literal
from ir_models.vocabulary.graph import Step
from ir_models.vocabulary.layers import has_ranks, plain_layer
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Attribute

# Values of one parameter, drawn by hash where the declaration has more.
_MOST = 4
# Of an index input, from which sizes follow.
_LARGEST = 64
_ALL = "all"
_FITTED = ".fitted"
_KEEP_DIMS = "keep_dims"
# The operand that is transposed in front of the layer where the attribute does it, and the other way round.
_TRANSPOSED = {"transpose_a": 0, "transpose_b": 1}
_OF_AXES = ("along", "axis", _KEEP_DIMS, *_TRANSPOSED)
# Attributes of operations of two operands: one whose other values need operands of one shape, one of integers alone.
_BROADCAST = "auto_broadcast"
_UNVARIED = (_BROADCAST, "m_pythondiv")
_PER_IMAGE_AXIS = "rank(data) - 2"
_GROUPED = {"Convolution-1": "GroupConvolution-1", "GroupConvolution-1": "GroupConvolution-1"}
# The size of an axis of an image that is added.
_DEPTH = 7

Levels = Iterator[tuple[str, str, Change]]


def attributes(evaluated: Evaluated, conditions: Collection[str]) -> dict[str, Factor]:
    """The factors by name; ``conditions`` are those that the pattern has already."""
    found: dict[str, Factor] = {}
    for levels in (_parameters, _axes, _reductions, _windows, _spatial):
        for name, level, change in levels(evaluated):
            own = f"{name}{_FITTED}" if name in conditions else name
            found.setdefault(own, Factor(own)).levels[level] = _following(evaluated, change)
    return {name: _drawn(evaluated, factor) for name, factor in found.items()}


def is_shown_by_equal_sizes(name: str, level: str) -> bool:
    """Whether data whose sizes are equal takes a level that other data refuses, or that follows from sizes."""
    what = name.removesuffix(_FITTED).rpartition(".")[2]
    return what in _OF_AXES or (what == "axes" and level == "other")


def _drawn(evaluated: Evaluated, factor: Factor) -> Factor:
    def digest(level: str) -> bytes:
        return hashlib.sha256(f"{evaluated.graph.text} {factor.name}={level}".encode()).digest()

    chosen = sorted(sorted(factor.levels, key=digest)[:_MOST], key=list(factor.levels).index)
    return Factor(factor.name, {level: factor.levels[level] for level in chosen})


# --- values -------------------------------------------------------------------------------------------------------


def _parameters(evaluated: Evaluated) -> Levels:
    for step in evaluated.graph.steps:
        layer, operation = evaluated.layers[step.name], catalog.operation(step.operation)
        if operation.partner or operation.bodies:
            continue
        for attribute in operation.attributes:
            if attribute.name in _TRANSPOSED:
                yield _transposed(evaluated, step, attribute)
            for value in _values(attribute, layer) if _is_varied(attribute, step) else ():
                if _is_valid(layer, attribute.name, value):
                    level = attribute.text(value).replace(",", "x")
                    change = with_attribute(step.name, attribute.name, value)
                    yield f"{step.name}.{attribute.name}", level, change
        for declared, name in zip(operation.inputs, step.inputs, strict=False):
            fed = evaluated.graph.fed.get(name)
            if not declared.index or declared.axis_of or fed is None or not fed.is_constant:
                continue
            for value in _declared(operation, _rank(layer)).get(declared.name, ()):
                array = np.asarray(value)
                given = Tensor(fed.element_type, array.shape, value)
                is_small = array.size and np.abs(array).max() <= _LARGEST
                if array.shape == fed.shape and is_small and _is_valid(layer, declared.name, given):
                    numbers = list(map(str, array.reshape(-1).tolist()))
                    fill = ":" + ",".join(numbers)
                    if fill != fed.fill:
                        yield f"{name}.number", "x".join(numbers), with_fed(name, _filled(fill))


def _is_varied(attribute: Attribute, step: Step) -> bool:
    """Whether it has values of its own here: types and bodies have not, and what conditions vary."""
    if attribute.is_body or attribute.port_map or attribute.partner or attribute.follows:
        return False
    if attribute.type is ElementType or attribute.axis_of or attribute.name in _UNVARIED:
        return False
    return attribute.name not in step.attributes or not (
        attribute.type is bool or attribute.is_enumeration
    )


def _values(attribute: Attribute, layer: Layer) -> list[Any]:
    now = getattr(layer, attribute.name)
    if attribute.type is bool:
        return [not now]
    if attribute.is_enumeration:
        return [each for each in attribute.type if each != now]
    found = _declared(layer.operation, _rank(layer)).get(attribute.name, ())
    # Lists of a layer have one length here: what of longer ones counts is the layer's own affair.
    lengths = {len(each) for each in layer.attributes.values() if isinstance(each, tuple)}
    is_list = attribute.is_list and lengths
    return [each for each in found if each != now and (not is_list or len(each) in lengths)]


def _rank(layer: Layer) -> int:
    tensors = [t for declared in layer.operation.inputs for t in layer.tensors(declared.name)]
    return tensors[0].rank if tensors else 0


@cache
def _declared(operation: Operation, rank: int) -> Mapping[str, list[Any]]:
    """The values of attributes and index inputs in the plain layer of a rank, and in variants."""
    found: dict[str, list[Any]] = {}

    def add(name: str, value: Any) -> None:
        if value is not None and value not in found.setdefault(name, []):
            found[name].append(value)

    try:
        plain = plain_layer(operation, rank) if has_ranks(operation) else plain_layer(operation)
    except (ValueError, IndexError):
        plain = plain_layer(operation)
    for name, given in (*plain.attributes.items(), *plain.inputs.items()):
        add(name, _value(given))
    for variant in operation.variants:
        for changes in variant.changes:
            for name, given in operation.parameters(changes).items():
                add(name, _value(given))
    return found


def _value(given: Any) -> Any:
    """A value as a layer has it; of data its shape."""
    if isinstance(given, Tensor):
        return given.shape if given.value is None else literal(given.value)
    if isinstance(given, (int, float, str, bool)):
        return given
    return tuple(given) if isinstance(given, (list, tuple)) and _is_flat(given) else None


def _is_flat(given: Any) -> bool:
    return all(isinstance(each, (int, float)) for each in given)


def _is_valid(layer: Layer, name: str, value: Any) -> bool:
    try:
        return rules.broken_rule(layer.replace(**{name: value})) is None
    except (ValueError, TypeError):
        return False


def _filled(fill: str) -> Callable[[Fed], Fed]:
    return lambda fed: replace(fed, fill=fill)


def _transposed(evaluated: Evaluated, step: Step, attribute: Attribute) -> tuple[str, str, Change]:
    value = not step.attributes.get(attribute.name)
    name = _source(evaluated.graph, step.inputs[_TRANSPOSED[attribute.name]])

    def changed(graph: AskedGraph) -> AskedGraph:
        if name not in graph.fed or len(graph.fed[name].shape) < 2:
            raise GraphError(f"{name} is no matrix that feeds the graph")
        graph = with_fed(name, _turned)(graph)
        return with_attribute(step.name, attribute.name, value)(graph)

    return f"{step.name}.{attribute.name}", attribute.text(value), changed


def _turned(fed: Fed) -> Fed:
    order = [*range(len(fed.shape))]
    order[-2:] = order[:-3:-1]
    shape = tuple(fed.shape[axis] for axis in order)
    return replace(fed, shape=shape, unknown=frozenset(order[axis] for axis in fed.unknown))


def _source(graph: AskedGraph, value: str) -> str:
    """What feeds the graph in front of layers that keep a shape."""
    steps = {step.name: step for step in graph.steps}
    while value in steps:
        operation = catalog.operation(steps[value].operation)
        if not (operation.converts or any(a.name == _BROADCAST for a in operation.attributes)):
            break
        value = steps[value].inputs[0]
    return value


# --- axes ---------------------------------------------------------------------------------------------------------


def _axes(evaluated: Evaluated) -> Levels:
    """Each axis of an attribute, and of a constant; of several axes also all of them."""
    for step in evaluated.graph.steps:
        layer, operation = evaluated.layers[step.name], catalog.operation(step.operation)
        if operation.partner or operation.bodies:
            continue
        for attribute in operation.attributes:
            now = step.attributes.get(attribute.name)
            if attribute.axis_of and isinstance(now, int):
                rank = _rank(layer)
                for axis in range(rank):
                    if axis != now % rank:
                        change = with_attribute(step.name, attribute.name, axis)
                        yield f"{step.name}.along", str(axis), change
        for declared, name in zip(operation.inputs, step.inputs, strict=False):
            fed = evaluated.graph.fed.get(name)
            if not (declared.axis_of and declared.index and fed is not None and fed.is_constant):
                continue
            rank = layer.tensors(declared.axis_of)[0].rank
            now = {int(axis) % max(rank, 1) for axis in np.ravel(evaluated.arrays[name])}
            for axis in range(rank):
                if now != {axis}:
                    yield f"{name}.along", str(axis), with_fed(name, _listed([axis]))
            if rank > 1 and declared.distinct and len(now) < rank and fed.shape:
                yield f"{name}.along", _ALL, with_fed(name, _listed(range(rank)))


def _listed(axes: Collection[int]) -> Callable[[Fed], Fed]:
    """A constant with these axes; one number stays one."""
    fill = ":" + ",".join(map(str, axes))
    return lambda fed: replace(fed, fill=fill, shape=(len(axes),) if fed.shape else ())


# --- reductions ---------------------------------------------------------------------------------------------------


def _reductions(evaluated: Evaluated) -> Levels:
    steps = [step for step in evaluated.graph.steps if step.attributes.get(_KEEP_DIMS)]
    for step in steps:
        yield f"{step.name}.{_KEEP_DIMS}", "false", _unsqueezed([step.name])
    if len(steps) > 1:
        names = [step.name for step in steps]
        yield _KEEP_DIMS, "false", _without_dims(names)
        yield _KEEP_DIMS, "fitted", _unsqueezed(names)


def _without_dims(names: Collection[str]) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        for name in names:
            graph = with_attribute(name, _KEEP_DIMS, False)(graph)
        return graph

    return changed


def _unsqueezed(names: Collection[str]) -> Change:
    """Reductions without their dimensions, each before an Unsqueeze that gives them back."""

    def changed(graph: AskedGraph) -> AskedGraph:
        for name in names:
            step = next((each for each in graph.steps if each.name == name), None)
            if step is None or not step.attributes.get(_KEEP_DIMS):
                raise GraphError(f"{name} keeps no dimensions")
            writing = Writing(graph, step)
            attributes = {**step.attributes, _KEEP_DIMS: False}
            reduced = writing.layer(step.operation, *step.inputs, **attributes)
            graph = writing.made(writing.layer("Unsqueeze-1", reduced, step.inputs[1]))
        return graph

    return changed


# --- images -------------------------------------------------------------------------------------------------------


def _windows(evaluated: Evaluated) -> Levels:
    """Other windows of a convolution, and groups of its channels."""
    for step in evaluated.graph.steps:
        if step.operation not in _GROUPED:
            continue
        layer = evaluated.layers[step.name]
        kernel, rank = _source(evaluated.graph, step.inputs[1]), layer.data.rank
        if kernel not in evaluated.graph.fed:
            continue
        shape = evaluated.graph.fed[kernel].shape
        windows = [
            value[2 - rank :]
            for value in _declared(layer.operation, rank).get("kernel", ())
            if len(value) == len(shape)
        ]
        for window in dict.fromkeys(windows):
            wanted = (*shape[: 2 - rank], *window)
            if wanted != shape and max(window) <= max(layer.data.shape[2:]):
                level = "x".join(map(str, window))
                yield f"{step.name}.window", level, with_fed(kernel, _sized(wanted))
        filters = int(np.prod(shape[: 1 + len(shape) - rank]))
        channels, rest = layer.data.shape[1], shape[2 - rank :]
        for level, groups in (
            ("one", (1, filters, channels)),
            ("two", (2, -(-filters // 2), channels)),
            ("each", (channels, 1, 1)),
            ("each-twice", (channels, 2, 1)),
        ):
            if (*groups, *rest) != shape:
                doubled = channels if level == "two" else 0
                yield (
                    f"{step.name}.groups",
                    level,
                    _in_groups(step, kernel, (*groups, *rest), doubled),
                )


def _sized(shape: tuple[int, ...]) -> Callable[[Fed], Fed]:
    return lambda fed: replace(fed, shape=shape)


def _in_groups(step: Step, kernel: str, shape: tuple[int, ...], doubled: int) -> Change:
    """The convolution in groups, with twice as many channels of data where they are ``doubled``."""

    def changed(graph: AskedGraph) -> AskedGraph:
        graph = resized(doubled, 2 * doubled)(graph) if doubled else graph
        graph = with_fed(kernel, _sized(shape))(graph)
        steps = [
            replace(each, operation=_GROUPED[step.operation]) if each.name == step.name else each
            for each in graph.steps
        ]
        return replace(graph, steps=tuple(steps))

    return changed


def _spatial(evaluated: Evaluated) -> Levels:
    """One axis of an image less, or one more, where a layer has a number for each of them."""
    graph = evaluated.graph
    for step in graph.steps:
        for attribute in catalog.operation(step.operation).attributes:
            if attribute.length == _PER_IMAGE_AXIS and attribute.name in step.attributes:
                rank = _rank(evaluated.layers[step.name])
                if rank > 3:
                    yield "spatial", "less", _of_rank(rank, _one_less, 0)
                yield "spatial", "more", _of_rank(rank, _one_more, _DEPTH)
                return


def _one_less(items: tuple[int, ...], added: int) -> tuple[int, ...]:
    return items[:-1]


def _one_more(items: tuple[int, ...], added: int) -> tuple[int, ...]:
    """An item before the last one but one; without a number that is added it is that one again."""
    return (*items[:-2], added or items[-2], *items[-2:])


def _of_rank(
    rank: int, changed_items: Callable[[tuple[int, ...], int], tuple[int, ...]], depth: int
) -> Change:
    """Tensors and lists of as many items as images of a rank have axes become those of another rank."""

    def changed(graph: AskedGraph) -> AskedGraph:
        fed: dict[str, Fed] = {}
        for name, each in graph.fed.items():
            if len(each.shape) >= rank:
                added = 0 if each.is_constant else depth
                unknown = each.unknown
                shape = changed_items(each.shape, added)
                if unknown == frozenset(range(len(each.shape))):
                    unknown = frozenset(range(len(shape)))
                fed[name] = replace(each, shape=shape, unknown=unknown)
            elif each.is_constant and each.element_type.is_integer and each.shape == (rank,):
                items = changed_items(tuple(int(n) for n in each.fill[1:].split(",")), 0)
                fed[name] = replace(each, shape=(len(items),), fill=":" + ",".join(map(str, items)))
            else:
                fed[name] = each
        steps = []
        for step in graph.steps:
            declared = {a.name: a for a in catalog.operation(step.operation).attributes}
            found = {
                n: changed_items(v, 0)
                if declared[n].length == _PER_IMAGE_AXIS and isinstance(v, tuple)
                else v
                for n, v in step.attributes.items()
            }
            steps.append(replace(step, attributes=found))
        return AskedGraph(fed, tuple(steps), graph.results)

    return changed


# --- what follows -------------------------------------------------------------------------------------------------


def _following(evaluated: Evaluated, change: Change) -> Change:
    """A change, and operands that are as large as what they meet, as they were before it."""

    def changed(graph: AskedGraph) -> AskedGraph:
        found = change(graph)
        try:
            evaluate(found, known=evaluated)
        except GraphError:
            return _followed(evaluate(graph, known=evaluated), found)
        return found

    return changed


def _followed(before: Evaluated, graph: AskedGraph) -> AskedGraph:
    """The graph with operands of other sizes. Raises GraphError where that makes no layer valid."""
    known = before
    for place, step in enumerate(graph.steps):
        first = AskedGraph(graph.fed, graph.steps[: place + 1], ())
        if first.of_variables:
            raise GraphError("a variable has one shape")
        try:
            known = evaluate(first, known=known)
        except GraphError:
            graph = replace(graph, fed={**graph.fed, **_as_large(before, known, graph, step)})
            first = AskedGraph(graph.fed, graph.steps[: place + 1], ())
            known = evaluate(first, known=known)
    return graph


def _as_large(
    before: Evaluated, known: Evaluated, graph: AskedGraph, step: Step
) -> Mapping[str, Fed]:
    """What feeds a layer, as large as its other operand where it was so."""
    found: dict[str, Fed] = {}
    for value in step.inputs:
        fed = graph.fed.get(value)
        for other in step.inputs:
            old, new = before.tensors.get(other), known.tensors.get(other)
            if fed is None or other == value or old is None or new is None:
                continue
            if old.rank != new.rank or len(fed.shape) > old.rank:
                continue
            behind = old.rank - len(fed.shape)
            shape = tuple(
                new.shape[behind + axis] if size == old.shape[behind + axis] else size
                for axis, size in enumerate(fed.shape)
            )
            found[value] = replace(fed, shape=shape)
    return found
