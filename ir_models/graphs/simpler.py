"""Graphs that are one step simpler than a graph, the largest steps first.

Each is a proposal: whether it is valid, and whether it departs in the same way, is for others to say. ``size`` orders
graphs: a step that does not make it less is none, so that shrinking ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ir_models import catalog
from ir_models.graphs import AskedGraph, Evaluated, Fed, GraphError, Step, evaluate
from ir_models.graphs.evaluation import has_usual_values, is_read
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, f32
from ir_models.vocabulary.graph import Body

_SHAPE = "variable_shape"
_TYPE = "variable_type"
# The plainest first.
_FILLS = (":1", "#", "+", "~")


@dataclass(frozen=True)
class Simpler:
    """A graph, and in words what was taken away."""

    what: str
    graph: AskedGraph


def size(graph: AskedGraph) -> tuple[float, ...]:
    """How far a graph is from the simplest one: layers, results, what is not usual, dimensions, elements, text."""
    fed = graph.fed.values()
    unusual = sum(each.element_type is not f32 for each in fed if each.element_type.is_float)
    return (
        len(graph.steps),
        len(graph.results),
        sum(len(each.unknown) for each in fed)
        + sum(size < 0 for step in graph.steps for size in step.attributes.get(_SHAPE, ())),
        unusual,
        sum(len(each.shape) for each in fed),
        sum(sum(each.shape) for each in fed),
        sum(_plainness(each.fill) for each in fed),
        sum(len(step.attributes) for step in graph.steps),
        sum(len(body.nodes) for step in graph.steps for body in _bodies(step).values()),
        sum(_weight(value) for step in graph.steps for value in step.attributes.values()),
        sum(len(each.fill) for each in fed),
    )


def _plainness(fill: str) -> int:
    """0 for a one, 1 for another number, and so on to random and stated values."""
    if fill == ":1":
        return 0
    if fill.startswith(":"):
        return 1 if "," not in fill else 5
    return {"#": 2, "+": 3, "~": 4, "!": 5}[fill[0]] + (len(fill) > 1)


def _bodies(step: Step) -> dict[str, Body]:
    """The bodies of a layer, by attribute."""
    return {
        each.name: each.type[step.attributes[each.name]]
        for each in catalog.operation(step.operation).attributes
        if isinstance(each.type, dict) and each.name in step.attributes
    }


def _weight(value: Any) -> float:
    """How far an attribute is from zeros and ones."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return abs(float(value))
    if isinstance(value, (tuple, list)):
        return sum(_weight(item) for item in value) + len(value)
    return 0.0


def proposals(evaluated: Evaluated, kind: str) -> Iterator[Simpler]:
    """Valid and simpler graphs, each of another text, with less of one of ``KINDS``."""
    graph = evaluated.graph
    own, seen = size(graph), {graph.text}
    is_usual = has_usual_values(evaluated)
    for each in _MAKING[kind](evaluated):
        found = each.graph.pruned()
        if found.text in seen or not found.steps or size(found) >= own:
            continue
        seen.add(found.text)
        try:
            made = evaluate(found)
        except GraphError:
            continue
        # An index that a smaller tensor does not have is another question.
        if has_usual_values(made) or not is_usual:
            yield Simpler(each.what, found)


def variations(evaluated: Evaluated) -> Iterator[Simpler]:
    """Valid graphs of the same size that differ in one thing which a rewriting may depend on."""
    graph = evaluated.graph
    found: list[Simpler] = []
    for name, fed in graph.fed.items():
        if fed.is_constant:
            given = replace(fed, is_constant=False)
            found.append(Simpler(f"{name} is given at run time", _with_fed(graph, {name: given})))
        elif not fed.unknown and fed.shape:
            unknown = replace(fed, unknown=frozenset(range(len(fed.shape))))
            found.append(
                Simpler(
                    f"the model does not know the shape of {name}",
                    _with_fed(graph, {name: unknown}),
                )
            )
    for step in graph.steps:
        for value in evaluated.outputs(step):
            if value not in graph.results:
                results = (*graph.results, value)
                found.append(
                    Simpler(f"{value} is a result as well", replace(graph, results=results))
                )
    for each in found:
        try:
            evaluate(each.graph)
        except GraphError:
            continue
        yield each


# --- results and layers -------------------------------------------------------------------------------------------


def _results(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    if len(graph.results) > 1:
        for value in graph.results:
            yield Simpler(f"only {value} is a result", replace(graph, results=(value,)))
        for value in graph.results:
            rest = tuple(each for each in graph.results if each != value)
            yield Simpler(f"{value} is no result", replace(graph, results=rest))


def _layers(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    for step in graph.of_variables:
        if is_read(step):
            name, tensor = step.attributes["variable_id"], evaluated.tensors[step.name]
            given = {step.name: Fed(tensor.element_type, tensor.shape)}
            others = tuple(
                each
                for each in graph.steps
                if each is step or each.attributes.get("variable_id") != name
            )
            less = _cut(replace(graph, steps=others), step, given)
            yield Simpler(f"without variable {name}", less)
    for step in reversed(graph.steps):
        outputs = evaluated.outputs(step)
        # The layer gives a new input in its place.
        fed = {
            value: Fed(evaluated.tensors[value].element_type, evaluated.tensors[value].shape)
            for value in outputs
            if graph.readers(value)
        }
        if fed and not any(value in graph.results for value in outputs):
            yield Simpler(f"without what leads to {step.name}", _cut(graph, step, fed))
    for step in graph.steps:
        outputs = evaluated.outputs(step)
        if not outputs:  # it sets a variable
            continue
        for source in dict.fromkeys(each for each in step.inputs if each):
            own, other = evaluated.tensors[step.name], evaluated.tensors[source]
            if own.element_type is other.element_type and len(outputs) == 1:
                yield Simpler(f"without {step.operation}", _without(graph, step, source))
    for step in graph.steps:
        # What reads a result further on is given up: the layer's inputs are results.
        if any(value in graph.results for value in evaluated.outputs(step)):
            inner = [v for v in step.inputs if v and v not in graph.fed]
            rest = [v for v in graph.results if v not in evaluated.outputs(step)]
            results = tuple(dict.fromkeys([*rest, *inner]))
            if inner:
                yield Simpler(
                    f"without {step.operation} at the end", replace(graph, results=results)
                )


def _cut(graph: AskedGraph, step: Step, given: dict[str, Fed]) -> AskedGraph:
    names = {value: value.replace(":", "_") for value in given}
    fed = {**graph.fed, **{names[value]: each for value, each in given.items()}}
    steps = []
    for each in graph.steps:
        if each.name != step.name:
            inputs = tuple(names.get(value, value) for value in each.inputs)
            steps.append(replace(each, inputs=inputs))
    return AskedGraph(fed, tuple(steps), graph.results)


def _without(graph: AskedGraph, step: Step, source: str) -> AskedGraph:
    found = graph.without(step.name, source)
    computed = tuple(value for value in found.results if value not in graph.fed)
    return replace(found, results=computed or found.results)


# --- what feeds the graph -----------------------------------------------------------------------------------------


def _with_fed(graph: AskedGraph, changed: dict[str, Fed]) -> AskedGraph:
    return replace(graph, fed={**graph.fed, **changed})


def _with(graph: AskedGraph, step: Step, changed: dict[str, Any]) -> AskedGraph:
    """Other attributes of a layer, None for one that is left out."""
    attributes = {n: v for n, v in {**step.attributes, **changed}.items() if v is not None}
    steps = tuple(
        replace(each, attributes=attributes) if each.name == step.name else each
        for each in graph.steps
    )
    return replace(graph, steps=steps)


def _changed(graph: AskedGraph, change: Callable[[Fed], Fed]) -> AskedGraph:
    return replace(graph, fed={name: change(each) for name, each in graph.fed.items()})


def _known(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    nothing: frozenset[int] = frozenset()
    yield Simpler(
        "the model knows all shapes", _changed(graph, lambda fed: replace(fed, unknown=nothing))
    )
    for name, fed in graph.fed.items():
        if fed.unknown:
            known = replace(fed, unknown=nothing)
            yield Simpler(f"the model knows the shape of {name}", _with_fed(graph, {name: known}))
            for axis in sorted(fed.unknown):
                less = replace(fed, unknown=fed.unknown - {axis})
                yield Simpler(f"axis {axis} of {name} is known", _with_fed(graph, {name: less}))
    for step in graph.steps:
        if any(each < 0 for each in step.attributes.get(_SHAPE, ())):
            shape = evaluated.tensors[step.name].shape
            name = step.attributes["variable_id"]
            yield Simpler(
                f"the model knows the shape of variable {name}", _with(graph, step, {_SHAPE: shape})
            )


def _types(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    for kind in {fed.element_type for fed in graph.fed.values()} - {f32}:
        if not kind.is_float:
            continue
        fed = {
            name: replace(each, element_type=f32) if each.element_type is kind else each
            for name, each in graph.fed.items()
        }
        steps = tuple(_of_f32(step, kind) for step in graph.steps)
        yield Simpler(f"f32 in place of {kind}", replace(graph, fed=fed, steps=steps))


def _of_f32(step: Step, kind: ElementType) -> Step:
    """A layer with f32 in place of an element type that its attributes name."""
    found = {name: f32 if each is kind else each for name, each in step.attributes.items()}
    if found.get(_TYPE) == kind.name:
        found[_TYPE] = f32.name
    return replace(step, attributes=found)


def _ranks(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    most = max((len(fed.shape) for fed in graph.fed.values()), default=0)
    for axis in range(most):
        for shifts in (True, False):
            yield Simpler(f"without dimension {axis}", _without_axis(evaluated, axis, most, shifts))
    for name, fed in graph.fed.items():
        if fed.shape and fed.shape[0] == 1:
            less = replace(
                fed, shape=fed.shape[1:], unknown=frozenset(a - 1 for a in fed.unknown if a)
            )
            yield Simpler(f"{name} without its first dimension", _with_fed(graph, {name: less}))
        if fed.is_constant and fed.shape and "," not in fed.fill:
            yield Simpler(f"{name} is a scalar", _with_fed(graph, {name: replace(fed, shape=())}))


def _without_axis(evaluated: Evaluated, axis: int, most: int, shifts: bool) -> AskedGraph:
    """All tensors of the highest rank without one axis; axes behind it count one less where it ``shifts``."""
    graph = evaluated.graph
    fed: dict[str, Fed] = {}
    for name, each in graph.fed.items():
        fed[name] = each
        if len(each.shape) == most and "," not in each.fill:
            shape = each.shape[:axis] + each.shape[axis + 1 :]
            unknown = frozenset(a - (a > axis) for a in each.unknown if a != axis)
            fed[name] = replace(each, shape=shape, unknown=unknown)
        elif shifts and _is_axes(graph, name):
            items = map(int, _items(each))
            fill = ":" + ",".join(str(item - 1 if item > axis else item) for item in items)
            fed[name] = replace(each, fill=fill)
    steps = []
    for step in graph.steps:
        found = dict(step.attributes)
        if shifts:
            found = {name: _shifted(step, name, value, axis) for name, value in found.items()}
        if len(found.get(_SHAPE, ())) == most:
            found[_SHAPE] = found[_SHAPE][:axis] + found[_SHAPE][axis + 1 :]
        steps.append(replace(step, attributes=found))
    return replace(graph, fed=fed, steps=tuple(steps))


def _is_axes(graph: AskedGraph, name: str) -> bool:
    """Whether what feeds the graph is axes that count from the first one."""
    fed = graph.fed[name]
    if not fed.is_constant or not fed.element_type.is_integer or not fed.fill.startswith(":"):
        return False
    for step in graph.readers(name):
        declared = catalog.operation(step.operation).inputs
        place = step.inputs.index(name)
        if place < len(declared) and declared[place].axis_of:
            return "-" not in fed.fill
    return False


def _shifted(step: Step, name: str, value: Any, axis: int) -> Any:
    declared = next(a for a in catalog.operation(step.operation).attributes if a.name == name)
    if declared.axis_of and isinstance(value, int) and value > axis:
        return value - 1
    return value


def _sizes(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    sizes = sorted({d for fed in graph.fed.values() for d in fed.shape if d > 1}, reverse=True)
    for new in (1, 2):
        least = graph
        for old in sizes:
            least = _resized(least, old, min(old, new), False)
        yield Simpler(f"all sizes are {new} at most", least)
    for old in sizes:
        for new in dict.fromkeys((1, 2, old // 2)):
            if new >= old:
                continue
            for stated in (True, False):
                yield Simpler(f"{new} in place of {old}", _resized(graph, old, new, stated))
    for name, fed in graph.fed.items():
        for axis, old in enumerate(fed.shape):
            for new in dict.fromkeys((1, old // 2)):
                if 0 < new < old:
                    shape = (*fed.shape[:axis], new, *fed.shape[axis + 1 :])
                    fill = _cropped(fed, shape)
                    less = replace(fed, shape=shape, fill=fill)
                    yield Simpler(
                        f"{name} has {new} along axis {axis}", _with_fed(graph, {name: less})
                    )


def _resized(graph: AskedGraph, old: int, new: int, stated: bool) -> AskedGraph:
    """Another size in all shapes, and in the integers of constants, which may be sizes, where ``stated``."""

    def change(fed: Fed) -> Fed:
        shape = tuple(new if size == old else size for size in fed.shape)
        is_list = fed.element_type.is_integer and fed.is_constant and fed.fill.startswith(":")
        if is_list:
            if not stated:
                return fed
            sizes = (str(new) if item == str(old) else item for item in _items(fed))
            return replace(fed, fill=":" + ",".join(sizes))
        return replace(fed, shape=shape, fill=_cropped(fed, shape))

    changed = _changed(graph, change)
    for step in graph.of_variables:
        if _SHAPE in step.attributes:
            sizes = tuple(new if size == old else size for size in step.attributes[_SHAPE])
            changed = _with(changed, step, {_SHAPE: sizes})
    return changed


def _cropped(fed: Fed, shape: Sequence[int]) -> str:
    """Values for a smaller shape: the first ones of those that are stated."""
    count = 1
    for each in shape:
        count *= each
    items = _items(fed)
    return ":" + ",".join(items[:count]) if len(items) > 1 and count else fed.fill


def _items(fed: Fed) -> list[str]:
    """The values that a fill states; of a tensor without elements there are none."""
    return [item for item in fed.fill[1:].split(",") if item] if fed.fill.startswith(":") else []


def _values(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    for fill in _FILLS:
        plain = _changed(graph, lambda fed, fill=fill: _filled(fed, fill))  # type: ignore[misc]
        yield Simpler(f"all data is {fill}", plain)
    for name, fed in graph.fed.items():
        for fill in (*_FILLS, ":0", ":2"):
            yield Simpler(f"{name} is {fill}", _with_fed(graph, {name: _filled(fed, fill)}))
        items = _items(fed)
        if len(items) > 1:
            first = replace(fed, fill=f":{items[0]}")
            yield Simpler(f"{name} is {items[0]} everywhere", _with_fed(graph, {name: first}))
        if len(items) > 1 and len(fed.shape) == 1:
            for drop in range(len(items)):
                rest = items[:drop] + items[drop + 1 :]
                less = replace(fed, shape=(len(rest),), fill=":" + ",".join(rest))
                yield Simpler(f"{name} has an item less", _with_fed(graph, {name: less}))
        if fed.element_type.is_float and items:
            short = ":" + ",".join(f"{float(item):.2g}" for item in items)
            yield Simpler(
                f"{name} has short numbers", _with_fed(graph, {name: replace(fed, fill=short)})
            )


def _filled(fed: Fed, fill: str) -> Fed:
    if fed.element_type is ELEMENT_TYPES["boolean"] and fill.startswith(":"):
        fill = ":true" if fill == ":1" else ":false"
    return fed if fed.element_type.is_integer and fed.is_constant else replace(fed, fill=fill)


# --- attributes ---------------------------------------------------------------------------------------------------


def _attributes(evaluated: Evaluated) -> Iterator[Simpler]:
    graph = evaluated.graph
    for step in graph.steps:
        for attribute in catalog.operation(step.operation).attributes:
            if attribute.name not in step.attributes:
                continue
            value = step.attributes[attribute.name]
            others: list[Any] = [] if attribute.required else [None]
            if isinstance(attribute.type, dict):
                # Of bodies the one with the fewest layers comes first.
                others = sorted(attribute.type, key=lambda name: len(attribute.type[name].nodes))
            elif isinstance(value, bool):
                others.append(False)
            elif isinstance(value, (tuple, list)) and value and not isinstance(value[0], str):
                others += [(0,) * len(value), (1,) * len(value), tuple(value[:-1])]
            elif isinstance(value, int):
                others += [0, 1]
            for other in others:
                what = "left out" if other is None else attribute.text(other)
                changed = _with(graph, step, {attribute.name: other})
                yield Simpler(f"{attribute.name} of {step.name} is {what}", changed)


_MAKING = {
    "results": _results,
    "layers": _layers,
    "unknown shapes": _known,
    "types": _types,
    "sizes": _sizes,
    "ranks": _ranks,
    "attributes": _attributes,
    "values": _values,
}
KINDS = tuple(_MAKING)
