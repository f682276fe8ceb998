"""What the condition of a fusion may have forgotten: the factors of a pattern, found in its graph.

Each level of a factor is a change of the graph; a change that makes a layer break a rule of its page is no case.

| factor | levels |
|---|---|
| ``type`` | the element type of all data |
| ``rank`` | one dimension more in front, one less |
| ``size4`` | the dimensions of 4 are 1, 0, or equal to others |
| ``unknown`` | which dimensions the model does not know |
| ``half.shape`` | a constant: scalar, [1], 1 for each dimension, one dimension more, a vector along an axis, full |
| ``half.value`` | just off, negative, zero |
| ``half.fed`` | given at run time |
| ``i.limits`` | all limits of a layer, in another shape |
| ``axes.axes`` | negative, another axis, a number, i32 |
| ``a.order`` | the operands in the other order |
| ``a.keep_dims`` | another value of an attribute |
| ``a.layer`` | left out, or a layer of another operation |
| ``a.also`` | an inner tensor is a result as well, or another layer reads it |
| ``b.larger`` | a constant that has an axis more than the data, so that the result is larger than the data |
| ``a.destination_type`` | other types of a conversion |
| ``a.end`` | an inner tensor is the only result |
| ``data`` | all data is large, or 0 |

The suite has no cases of the last four, a search asks them. What another model has in place of what a pattern has
(equal formulas, other sizes and numbers) is in ``ir_models.patterns.variations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ir_models import catalog
from ir_models.graphs.evaluation import Evaluated
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.vocabulary.element_types import ELEMENT_TYPES, f32, i32
from ir_models.vocabulary.graph import Step
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.page import Attribute, Input

Change = Callable[[AskedGraph], AskedGraph]

# Operations that take each other's place, so that the rest of the pattern stays.
_SIBLINGS = {
    "Add-1": ("Subtract-1", "Multiply-1"),
    "Subtract-1": ("Add-1", "SquaredDifference-1"),
    "SquaredDifference-1": ("Subtract-1",),
    "Multiply-1": ("Divide-1", "Add-1"),
    "Divide-1": ("Multiply-1",),
    "Maximum-1": ("Minimum-1",),
    "Minimum-1": ("Maximum-1",),
    "ReLU-1": ("Abs-1", "Sigmoid-1"),
    "Sigmoid-1": ("HSigmoid-5",),
    "Tanh-1": ("Sigmoid-1",),
    "Exp-1": ("Tanh-1",),
    "Erf-1": ("Tanh-1",),
    "ReduceMean-1": ("ReduceSum-1",),
    "ReduceSum-1": ("ReduceMean-1",),
    "ReduceMax-1": ("ReduceMin-1",),
    "Squeeze-1": ("Unsqueeze-1",),
}
_SECOND, _ALSO = "Negative-1", "_also"
_TYPES = ("f16", "bf16", "i32")
_SEARCHED = ("data", ".larger", ".end", ".destination_type")
_CONVERTED = ("f16", "bf16", "i64", "i32", "i8", "u8")


@dataclass
class Factor:
    """One factor: its levels by name, each a change of the graph that may raise GraphError."""

    name: str
    levels: dict[str, Change] = field(default_factory=dict)
    has_cases: bool | None = None
    """Whether the suite has cases of it, or a search alone asks it; by the name of the factor if it is not given."""

    def __post_init__(self) -> None:
        """Find by the name whether there are cases."""
        if self.has_cases is None:
            self.has_cases = not self.name.endswith(_SEARCHED)


Part = Literal["", "whole", "constants", "layers"]


def factors_of(evaluated: Evaluated, part: Part = "") -> dict[str, Factor]:
    """The factors of a graph by name; of a ``part`` alone: of the whole, of constants, or of layers."""
    found: dict[str, Factor] = {}
    for each, levels in _LEVELS.items():
        if part in ("", each):
            for name, level, change in levels(evaluated):
                found.setdefault(name, Factor(name)).levels[level] = change
    return found


def _whole_levels(evaluated: Evaluated) -> Iterator[tuple[str, str, Change]]:
    graph = evaluated.graph
    for name in _TYPES:
        yield "type", name, _typed(name)
    yield "rank", "more", lambda graph: _fed_changed(graph, _more)
    yield "rank", "less", lambda graph: _fed_changed(graph, _less)
    sizes = sorted({size for fed in _given(graph).values() for size in fed.shape if size > 1})
    for size in sizes:
        for new in (1, 0, equal_to(size, sizes)):
            if new is not None:
                yield f"size{size}", str(new), resized(size, new)
    for level in ("all", "first", "last"):
        yield "unknown", level, with_unknown(level)
    for level, fill in (("large", ":100000"), ("zero", ":0")):
        yield "data", level, _with_data(fill)


def _constants_levels(evaluated: Evaluated) -> Iterator[tuple[str, str, Change]]:
    graph = evaluated.graph
    for name, fed in graph.fed.items():
        if not fed.is_constant:
            continue
        ports = _ports(graph, name)
        yield f"{name}.fed", "input", with_fed(name, lambda fed: replace(fed, is_constant=False))
        is_operand = all(_broadcasts(operation) for _, operation, _ in ports)
        is_number = fed.element_type.is_float or fed.element_type.is_integer
        if is_operand and is_number and fed.tensor.size:
            yield from _constant_levels(evaluated, name, fed, ports[0][0])
        elif any(declared.axis_of for _, _, declared in ports):
            step, _, declared = next(each for each in ports if each[2].axis_of)
            rank = evaluated.tensors[_source(step, str(declared.axis_of))].rank
            yield from _axes_levels(name, rank)


def _layers_levels(evaluated: Evaluated) -> Iterator[tuple[str, str, Change]]:
    for step in evaluated.graph.steps:
        yield from _step_levels(evaluated, step)


_LEVELS: Mapping[str, Callable[[Evaluated], Iterator[tuple[str, str, Change]]]] = {
    "whole": _whole_levels,
    "constants": _constants_levels,
    "layers": _layers_levels,
}


def equal_to(size: int, sizes: Sequence[int]) -> int | None:
    """The size of another dimension that this one becomes; None where all have this one."""
    return next((other for other in sizes if other != size), None)


# --- what feeds a graph -------------------------------------------------------------------------------------------


def _given(graph: AskedGraph) -> Mapping[str, Fed]:
    return {name: fed for name, fed in graph.fed.items() if not fed.is_constant}


def _ports(graph: AskedGraph, name: str) -> list[tuple[Step, Operation, Input]]:
    """The layers that read what feeds the graph, with the declared input each."""
    found = []
    for step in graph.readers(name):
        operation = catalog.operation(step.operation)
        place = step.inputs.index(name)
        found.append((step, operation, operation.inputs[min(place, len(operation.inputs) - 1)]))
    return found


def _source(step: Step, name: str) -> str:
    """What feeds the input of a name."""
    names = [declared.name for declared in catalog.operation(step.operation).inputs]
    return step.inputs[names.index(name)]


def _broadcasts(operation: Operation) -> bool:
    return any(a.name == "auto_broadcast" for a in operation.attributes)


def _has_limits(operation: Operation) -> bool:
    """Whether a layer has several constants of one shape, as FakeQuantize has limits."""
    return _broadcasts(operation) and len(operation.inputs) > 3


def with_fed(name: str, change: Callable[[Fed], Fed]) -> Change:
    """A change of what feeds the graph under a name."""

    def changed(graph: AskedGraph) -> AskedGraph:
        if name not in graph.fed:
            raise GraphError(f"{name} is not there any more")
        return replace(graph, fed={**graph.fed, name: change(graph.fed[name])})

    return changed


def _fed_changed(graph: AskedGraph, change: Callable[[Fed], Fed]) -> AskedGraph:
    """The graph with a change of all data that is given at run time."""
    fed = {n: each if each.is_constant else change(each) for n, each in graph.fed.items()}
    return replace(graph, fed=fed)


def _more(fed: Fed) -> Fed:
    return replace(fed, shape=(2, *fed.shape))


def _less(fed: Fed) -> Fed:
    return replace(fed, shape=fed.shape[1:])


def _typed(name: str) -> Change:
    kind = ELEMENT_TYPES[name]

    def changed(graph: AskedGraph) -> AskedGraph:
        fed = {
            n: replace(each, element_type=kind) if each.element_type is f32 else each
            for n, each in graph.fed.items()
        }
        steps = tuple(
            replace(
                step, attributes={n: kind if v is f32 else v for n, v in step.attributes.items()}
            )
            for step in graph.steps
        )
        return replace(graph, fed=fed, steps=steps)

    return changed


def resized(size: int, new: int) -> Change:
    """All dimensions of one size have another, but those of constants of integers."""

    def changed(graph: AskedGraph) -> AskedGraph:
        fed = {
            name: replace(each, shape=tuple(new if d == size else d for d in each.shape))
            if each.element_type.is_float or not each.is_constant
            else each
            for name, each in graph.fed.items()
        }
        return replace(graph, fed=fed)

    return changed


def with_unknown(level: str) -> Change:
    """Some axes of all data that is given at run time are unknown to the model."""

    def unknown(fed: Fed) -> Fed:
        axes = range(len(fed.shape))
        chosen = {"all": axes, "first": axes[:1], "last": axes[-1:]}[level]
        return replace(fed, unknown=frozenset(chosen))

    return lambda graph: _fed_changed(graph, unknown)


def _with_data(fill: str) -> Change:
    def changed(fed: Fed) -> Fed:
        return replace(fed, fill=fill) if fed.element_type.is_float else fed

    return lambda graph: _fed_changed(graph, changed)


def _constant_levels(
    evaluated: Evaluated, name: str, fed: Fed, step: Step
) -> Iterator[tuple[str, str, Change]]:
    first = float(evaluated.arrays[name].reshape(-1)[0])
    if not _has_limits(catalog.operation(step.operation)):
        other = next((value for value in step.inputs if value != name), name)
        for level, wanted in _shapes(evaluated.tensors[other].shape).items():
            if wanted != fed.shape:
                yield f"{name}.shape", level, with_fed(name, _shaped(wanted, first))
        for level, size in (("axis", 2), ("rank", 1)):
            wanted = (size, *evaluated.tensors[other].shape)
            yield f"{name}.larger", level, with_fed(name, _shaped(wanted, first))
    if np.all(evaluated.arrays[name] == first) and fed.element_type.is_float:
        for level, number in (
            ("off", first * 1.0625 + 0.0625),
            ("negative", -first),
            ("zero", 0.0),
        ):
            if number != first:
                fill = f":{np.float32(number):.8g}"
                yield f"{name}.value", level, with_fed(name, _filled(fill))


def _shapes(shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """The shapes of a constant beside a tensor of this one, by name."""
    rank = len(shape)
    return {
        "scalar": (),
        "one": (1,),
        "ones": (1,) * rank,
        "more-ones": (1,) * (rank + 1),
        "last": shape[-1:],
        "channel": (shape[1], *(1,) * (rank - 2)) if rank > 1 else (),
        "first": (shape[0], *(1,) * (rank - 1)) if rank else (),
        "full": shape,
    }


def _limits_levels(evaluated: Evaluated, step: Step) -> Iterator[tuple[str, str, Change]]:
    """All constants of a layer in another shape: limits of unlike shapes are the layer's own affair."""
    graph = evaluated.graph
    names = [name for name in dict.fromkeys(step.inputs[1:]) if name in graph.fed]
    for level, wanted in _shapes(evaluated.tensors[step.inputs[0]].shape).items():
        if any(wanted != graph.fed[name].shape for name in names):

            def changed(graph: AskedGraph, wanted: tuple[int, ...] = wanted) -> AskedGraph:
                for name in names:
                    first = float(evaluated.arrays[name].reshape(-1)[0])
                    graph = with_fed(name, _shaped(wanted, first))(graph)
                return graph

            yield f"{step.name}.limits", level, changed


def _shaped(shape: tuple[int, ...], first: float) -> Callable[[Fed], Fed]:
    """A constant of another shape: different numbers; the first one is the pattern's."""

    def changed(fed: Fed) -> Fed:
        size = int(np.prod(shape))
        if fed.element_type.is_integer:
            above = fed.element_type.integer_range[1] - int(first)
            numbers = ",".join(str(int(first) + k % (above + 1)) for k in range(size))
        else:
            numbers = ",".join(f"{first * (1 + k / 8):.8g}" for k in range(size))
        return replace(fed, shape=shape, fill=f":{numbers}" if size else fed.fill)

    return changed


def _filled(fill: str) -> Callable[[Fed], Fed]:
    return lambda fed: replace(fed, fill=fill)


def _axes_levels(name: str, rank: int) -> Iterator[tuple[str, str, Change]]:
    def axes(change: Callable[[int], int]) -> Callable[[Fed], Fed]:
        def changed(fed: Fed) -> Fed:
            items = [int(item) for item in fed.fill[1:].split(",") if item]
            return replace(fed, fill=":" + ",".join(str(change(item)) for item in items))

        return changed

    yield f"{name}.axes", "negative", with_fed(name, axes(lambda axis: axis - rank))
    yield f"{name}.axes", "other", with_fed(name, axes(lambda axis: (axis - 1) % rank))
    yield f"{name}.axes", "number", with_fed(name, lambda fed: replace(fed, shape=()))
    yield f"{name}.axes", "list", with_fed(name, lambda fed: replace(fed, shape=fed.shape or (1,)))
    yield f"{name}.axes", "i32", with_fed(name, lambda fed: replace(fed, element_type=i32))


# --- layers -------------------------------------------------------------------------------------------------------


def _step_levels(evaluated: Evaluated, step: Step) -> Iterator[tuple[str, str, Change]]:
    operation = catalog.operation(step.operation)
    if operation.partner:
        yield from _also_levels(evaluated, step)
        return
    if len(step.inputs) == 2 and _broadcasts(operation):
        yield f"{step.name}.order", "swapped", _with_step(step.name, _swapped)
    rank = evaluated.tensors[step.inputs[0]].rank
    for attribute in operation.attributes:
        if attribute.name == "destination_type" and attribute.name in step.attributes:
            for each in _CONVERTED:
                if each != step.attributes[attribute.name].name:
                    yield (
                        f"{step.name}.destination_type",
                        each,
                        with_attribute(step.name, attribute.name, ELEMENT_TYPES[each]),
                    )
        elif attribute.name in step.attributes:
            for level, value in _values(attribute, step.attributes[attribute.name], rank):
                yield (
                    f"{step.name}.{attribute.name}",
                    level,
                    with_attribute(step.name, attribute.name, value),
                )
    if evaluated.tensors[step.inputs[0]].element_type is evaluated.tensors[step.name].element_type:
        yield f"{step.name}.layer", "without", _without(step.name)
    if _has_limits(operation):
        yield from _limits_levels(evaluated, step)
    for sibling in _SIBLINGS.get(step.operation, ()):
        kind = sibling.rpartition("-")[0]
        yield f"{step.name}.layer", kind, _with_step(step.name, _as(sibling))
    yield from _also_levels(evaluated, step)


def _also_levels(evaluated: Evaluated, step: Step) -> Iterator[tuple[str, str, Change]]:
    for value in evaluated.outputs(step):
        name = value.replace(":", ".")
        if value not in evaluated.graph.results:
            yield f"{name}.also", "result", _also_result(value)
            yield f"{name}.end", "result", _only_result(value)
        yield f"{name}.also", "layer", _also_layer(value)


def _values(attribute: Attribute, value: Any, rank: int) -> Iterator[tuple[str, Any]]:
    """Other values of an attribute, by name."""
    if isinstance(value, bool):
        yield attribute.text(not value), not value
    elif attribute.is_enumeration:
        for other in attribute.type:
            if other != value:
                yield str(other), other
    elif attribute.axis_of and isinstance(value, int):
        yield "negative" if value >= 0 else "positive", value - rank if value >= 0 else value + rank
        yield "other", (value - 1) % rank
    if not attribute.required:
        yield "left-out", None


def _with_step(name: str, change: Callable[[Step], Step]) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        if all(step.name != name for step in graph.steps):
            raise GraphError(f"{name} is not there any more")
        steps = tuple(change(step) if step.name == name else step for step in graph.steps)
        return replace(graph, steps=steps)

    return changed


def _swapped(step: Step) -> Step:
    return replace(step, inputs=step.inputs[::-1])


def _as(operation: str) -> Callable[[Step], Step]:
    names = {a.name for a in catalog.operation(operation).attributes}
    return lambda step: replace(
        step,
        operation=operation,
        attributes={n: v for n, v in step.attributes.items() if n in names},
    )


def with_attribute(step: str, attribute: str, value: Any) -> Change:
    """A layer has another value of an attribute; None leaves it out."""

    def changed(step: Step) -> Step:
        attributes = {**step.attributes, attribute: value}
        return replace(step, attributes={n: v for n, v in attributes.items() if v is not None})

    return _with_step(step, changed)


def _without(name: str) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        step = next((each for each in graph.steps if each.name == name), None)
        if step is None:
            raise GraphError(f"{name} is not there any more")
        return graph.without(name, step.inputs[0])

    return changed


def _also_result(value: str) -> Change:
    return lambda graph: replace(graph, results=tuple(dict.fromkeys([*graph.results, value])))


def _only_result(value: str) -> Change:
    return lambda graph: replace(graph, results=(value,))


def _also_layer(value: str) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        step = Step(f"{value.replace(':', '_')}{_ALSO}", _SECOND, (value,))
        return AskedGraph(graph.fed, (*graph.steps, step), (*graph.results, step.name))

    return changed


def without_second_readers(graph: AskedGraph) -> AskedGraph:
    """The graph without the layers that ``.also=layer`` adds."""
    added = {each.name for each in graph.steps if each.name.endswith(_ALSO)}
    steps = tuple(each for each in graph.steps if each.name not in added)
    results = tuple(each for each in graph.results if each not in added)
    return AskedGraph(graph.fed, steps, results) if results else graph
