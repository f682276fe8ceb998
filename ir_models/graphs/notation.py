"""A graph that is asked, and its text:

    x=f32[2,3]; const half=f32[]:0.5; a=Multiply-1(x,half); y=ReduceSum-1(a,axes){keep_dims=true}; return y

Statements are separated by ``; `` or by lines. What feeds a graph is a name, an element type, a shape and values;
``const`` stands before a constant, everything else is given at run time. A dimension that the model does not know has a
question mark: ``f32[2?,3]``. A layer names its operation, what feeds its ports (nothing for an input left out), and in
braces the attributes that are not left out, separated by ``;``. ``a:1`` is output 1 of a layer.

| values | what they are |
|---|---|
| (nothing), ``~7`` | random numbers of both signs, number 0 or 7 of those that the name and the shape have |
| ``+``, ``+7`` | positive random numbers |
| ``!``, ``!7`` | numbers that a narrower type wraps, cuts off or rounds, and the ends of the type itself |
| ``#`` | 1, 2, 3, ... |
| ``:0.5`` | this number for all elements |
| ``:1,-2,0.5`` | these numbers in order |
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ir_models import catalog
from ir_models.catalog import UnknownOperationError
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, Tensor
from ir_models.vocabulary.graph import Step

_FED = re.compile(r"(const )?(\w+)=(\w+)\[([\d?,]*)\]([~+!:#].*)?")
_STEP = re.compile(r"(\w+)=([A-Z]\w*-\d+)\(([\w:,]*)\)(?:\{(.*)\})?")
_FILL = re.compile(r"[~+!]\d*|#|:[^;{}()\s]*")


class GraphError(ValueError):
    """A text that is no graph, or a graph that is not valid: one of its layers breaks a rule of its page."""


@dataclass(frozen=True)
class Fed:
    """A tensor that feeds a graph, at run time or as a constant.

    ``fill`` says what its values are, as in the text; ``unknown`` are axes whose size the model does not know.
    """

    element_type: ElementType
    shape: tuple[int, ...]
    fill: str = "~"
    is_constant: bool = False
    unknown: frozenset[int] = frozenset()

    @property
    def tensor(self) -> Tensor:
        """Its type and shape."""
        return Tensor(self.element_type, self.shape)

    @property
    def known(self) -> Fed:
        """The same tensor of a model that knows all sizes: values do not depend on what a model knows."""
        return replace(self, unknown=frozenset()) if self.unknown else self


@dataclass(frozen=True, eq=False)
class AskedGraph:
    """A graph: what feeds it by name, its layers in an order in which each follows those that feed it, its results."""

    fed: Mapping[str, Fed]
    steps: tuple[Step, ...]
    results: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """Its id."""
        return text(self)

    @property
    def has_unknown(self) -> bool:
        """Whether the model does not know a dimension of what it is given."""
        return any(fed.unknown for fed in self.fed.values())

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations in their order."""
        return tuple(step.operation for step in self.steps)

    @cached_property
    def of_variables(self) -> tuple[Step, ...]:
        """The layers that read or set a variable."""
        return tuple(step for step in self.steps if catalog.operation(step.operation).partner)

    def readers(self, value: str) -> list[Step]:
        """The layers that read a value."""
        return [step for step in self.steps if value in step.inputs]

    def without(self, name: str, source: str) -> AskedGraph:
        """The graph without a layer: what reads its output reads ``source``."""
        steps = tuple(step.reading(name, source) for step in self.steps if step.name != name)
        results = dict.fromkeys(source if value == name else value for value in self.results)
        return AskedGraph(self.fed, steps, tuple(results))

    def pruned(self) -> AskedGraph:
        """The graph without what no result needs."""
        needed = {value.partition(":")[0] for value in self.results}
        needed |= {step.name for step in self.of_variables}
        steps: list[Step] = []
        for step in reversed(self.steps):
            if step.name in needed:
                steps.insert(0, step)
                needed |= {value.partition(":")[0] for value in step.inputs}
        fed = {name: each for name, each in self.fed.items() if name in needed}
        return AskedGraph(fed, tuple(steps), self.results)


def text(graph: AskedGraph) -> str:
    """The text of a graph."""
    parts = [_fed_text(name, each) for name, each in graph.fed.items()]
    parts += [_step_text(step) for step in graph.steps]
    return "; ".join([*parts, "return " + ",".join(graph.results)])


def _fed_text(name: str, fed: Fed) -> str:
    sizes = ",".join(
        f"{size}{'?' if axis in fed.unknown else ''}" for axis, size in enumerate(fed.shape)
    )
    fill = "" if fed.fill in ("~", "~0") else fed.fill
    return f"{'const ' if fed.is_constant else ''}{name}={fed.element_type.name}[{sizes}]{fill}"


def _step_text(step: Step) -> str:
    declared = {a.name: a for a in catalog.operation(step.operation).attributes}
    written = ";".join(f"{n}={declared[n].text(v)}" for n, v in step.attributes.items())
    return f"{step.name}={step.operation}({','.join(step.inputs)})" + (
        f"{{{written}}}" if written else ""
    )


def read(source: str) -> AskedGraph:
    """The graph of a text. Raises GraphError, which says what is wrong with it."""
    fed: dict[str, Fed] = {}
    steps: list[Step] = []
    results: tuple[str, ...] = ()
    outputs: set[str] = set()
    for part in re.split(r";\s+|\n", source):
        statement = part.strip().rstrip(";")
        if not statement:
            continue
        if results:
            raise GraphError(f"{statement!r} stands behind the results")
        if statement.startswith("return "):
            results = tuple(name for name in statement[7:].replace(" ", "").split(",") if name)
            _check(results, fed, outputs, statement)
        elif found := _FED.fullmatch(statement):
            name, each = _read_fed(statement, found)
            if name in fed:
                raise GraphError(f"{name} is there twice")
            fed[name] = each
        elif found := _STEP.fullmatch(statement.replace(", ", ",")):
            step = _read_step(statement, found)
            _check([each for each in step.inputs if each], fed, outputs, statement)
            if step.name in fed or step.name in outputs:
                raise GraphError(f"{step.name} is there twice")
            steps.append(step)
            outputs.add(step.name)
        else:
            raise GraphError(
                f"{statement!r} is neither NAME=TYPE[SIZES]VALUES, nor NAME=OPERATION(INPUTS){{ATTRIBUTES}}, "
                "nor return NAMES"
            )
    if not results:
        raise GraphError("a graph ends with return and the names of its results")
    return AskedGraph(fed, tuple(steps), results)


def is_index(graph: AskedGraph, name: str) -> bool:
    """Whether a value is read as indices alone."""
    readers = graph.readers(name)
    return bool(readers) and all(_reads_index(step, name) for step in readers)


def reaches_index(graph: AskedGraph, name: str) -> bool:
    """Whether a value is read as indices, or one that follows from it is."""
    found = {name}
    for step in graph.steps:
        read = [each for each in step.inputs if each.partition(":")[0] in found]
        if any(_reads_index(step, each) for each in read):
            return True
        if read:
            found.add(step.name)
    return False


def _reads_index(step: Step, name: str) -> bool:
    inputs = catalog.operation(step.operation).inputs
    return inputs[min(step.inputs.index(name), len(inputs) - 1)].index


def _check(names: Any, fed: Mapping[str, Fed], outputs: set[str], statement: str) -> None:
    for name in names:
        if name not in fed and name.partition(":")[0] not in outputs:
            raise GraphError(f"{statement!r}: nothing before it is called {name!r}")


def _read_fed(statement: str, found: re.Match[str]) -> tuple[str, Fed]:
    constant, name, kind, sizes, fill = found.groups()
    items = [item for item in sizes.split(",") if item]
    if kind not in ELEMENT_TYPES or ELEMENT_TYPES[kind].kind == "string":
        raise GraphError(f"{statement!r}: {kind} is not an element type that a graph can have")
    if not all(re.fullmatch(r"\d+\??", item) for item in items):
        raise GraphError(f"{statement!r}: [{sizes}] is not a shape")
    unknown = frozenset(axis for axis, item in enumerate(items) if item.endswith("?"))
    if unknown and constant:
        raise GraphError(f"{statement!r}: a constant has no unknown dimension")
    if fill and not _FILL.fullmatch(fill):
        raise GraphError(f"{statement!r}: {fill!r} are not values")
    shape = tuple(int(item.rstrip("?")) for item in items)
    if Tensor(ELEMENT_TYPES[kind], shape).is_too_large:
        raise GraphError(f"{statement!r}: has more dimensions or elements than an array can have")
    return name, Fed(ELEMENT_TYPES[kind], shape, fill or "~", bool(constant), unknown)


def _read_step(statement: str, found: re.Match[str]) -> Step:
    name, operation, inputs, written = found.groups()
    try:
        declared = {a.name: a for a in catalog.operation(operation).attributes}
    except UnknownOperationError as error:
        raise GraphError(f"{statement!r}: {error}") from None
    attributes: dict[str, Any] = {}
    for item in (written or "").split(";") if written else ():
        key, equals, value = item.partition("=")
        if not equals or key not in declared:
            raise GraphError(f"{statement!r}: {operation} has no attribute {key!r}")
        try:
            attributes[key] = declared[key].parse(value)
        except ValueError as error:
            raise GraphError(f"{statement!r}: {error}") from None
    return Step(name, operation, tuple(inputs.split(",")) if inputs else (), attributes)
