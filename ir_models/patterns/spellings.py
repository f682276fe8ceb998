"""Equal formulas: other ways to write one layer of a pattern, as other frameworks and exporters write it.

``spellings`` gives, for a layer of a graph, each other way by name. A change looks at the graph as it is then, so that
it suits one that other factors have changed; where it does not, it raises GraphError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ir_models.graphs.evaluation import Evaluated
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.patterns.factors import Change
from ir_models.vocabulary.element_types import ElementType, f32, i64
from ir_models.vocabulary.graph import Step
from ir_models.vocabulary.notation import read_number


@dataclass
class Writing:
    """The layers and constants that take the place of one layer; the last layer written has its name."""

    graph: AskedGraph
    step: Step
    steps: list[Step] = field(default_factory=list)
    fed: dict[str, Fed] = field(default_factory=dict)

    @property
    def kind(self) -> ElementType:
        """The element type of numbers: that of a constant of the layer, else of the first data of the graph."""
        read = [self.graph.fed[name] for name in self.step.inputs if name in self.graph.fed]
        given = [*read, *(each for each in self.graph.fed.values() if not each.is_constant)]
        return next((each.element_type for each in given if each.element_type.is_float), f32)

    def number(self, value: float) -> str:
        """A constant number."""
        return self._constant(Fed(self.kind, (), _fill(value), is_constant=True))

    def integers(self, *values: int) -> str:
        """A constant list of integers."""
        fill = ":" + ",".join(map(str, values))
        return self._constant(Fed(i64, (len(values),), fill, is_constant=True))

    def _constant(self, fed: Fed) -> str:
        name = f"{self.step.name}_c{len(self.fed) + 1}"
        self.fed[name] = fed
        return name

    def layer(self, operation: str, *inputs: str, **attributes: Any) -> str:
        """A layer; its first output."""
        name = f"{self.step.name}_s{len(self.steps) + 1}"
        self.steps.append(Step(name, operation, inputs, attributes))
        return name

    def strided(self, value: str, axis: int, rank: int, start: int, stop: int) -> str:
        """A StridedSlice of a part of an axis, all others whole."""
        begin, end = (
            self.integers(*(number if each == axis else 0 for each in range(rank)))
            for number in (start, stop)
        )
        mask = tuple(int(each != axis) for each in range(rank))
        attributes = {"begin_mask": mask, "end_mask": mask}
        return self.layer(
            "StridedSlice-1", value, begin, end, self.integers(*[1] * rank), **attributes
        )

    def sliced(self, value: str, axis: int, start: int, stop: int) -> str:
        """A Slice of a part of an axis."""
        numbers = [self.integers(number) for number in (start, stop, 1, axis)]
        return self.layer("Slice-8", value, *numbers)

    def reduced(self, operation: str, value: str) -> str:
        """A reduction of a value along the axes of the layer."""
        return self.layer(operation, value, self.step.inputs[1], **self.step.attributes)

    def producer(self, value: str, operation: str) -> Step:
        """The layer of an operation that gives a value. Raises GraphError."""
        for step in self.graph.steps:
            if step.name == value and step.operation == operation:
                return step
        raise GraphError(f"{value} is not of {operation}")

    def same(self, name: str) -> float:
        """The number that all elements of a constant are. Raises GraphError."""
        fed = self.graph.fed.get(name)
        if fed is None or not fed.is_constant or not fed.fill.startswith(":") or "," in fed.fill:
            raise GraphError(f"{name} is no constant of one number")
        return float(read_number(fed.fill[1:]))

    def of_shape(self, name: str, value: float) -> str:
        """A constant as another one is, but for its number."""
        given = self.graph.fed[name]
        return self._constant(replace(given, fill=_fill(value)))

    def made(self, value: str, results: Mapping[str, str] | None = None) -> AskedGraph:
        """The graph in which these layers give what the layer gave; ``results`` are its other outputs."""
        others = {self.step.name: value, **(results or {})}
        old = next(n for n, each in enumerate(self.graph.steps) if each.name == self.step.name)
        steps = list(self.graph.steps)
        steps[old : old + 1] = self.steps
        for one, other in others.items():
            steps = [step.reading(one, other) for step in steps]
        found = tuple(dict.fromkeys(others.get(each, each) for each in self.graph.results))
        return AskedGraph({**self.graph.fed, **self.fed}, tuple(steps), found)


def _fill(value: float) -> str:
    """A number of f32; what that does not hold is infinite."""
    with np.errstate(over="ignore"):
        return f":{np.float32(value):.8g}"


Spelling = Callable[[Writing], AskedGraph]


def spellings(evaluated: Evaluated, step: Step) -> Iterator[tuple[str, Change]]:
    """(name, change) of each other way to write a layer."""
    for name, spelling in _SPELLINGS.get(step.operation, {}).items():
        yield name, _changing(step.name, spelling)
    tensor = evaluated.tensors.get(step.inputs[0]) if step.inputs else None
    if tensor is not None:
        for name, of_tensor in _OF_SHAPES.get(step.operation, {}).items():
            yield name, _changing(step.name, of_tensor(evaluated, step))


def _changing(name: str, spelling: Spelling) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        step = next((each for each in graph.steps if each.name == name), None)
        if step is None:
            raise GraphError(f"{name} is not there any more")
        try:
            return spelling(Writing(graph, step))
        except (ValueError, LookupError, ZeroDivisionError, OverflowError) as error:
            raise GraphError(f"{name}: {error}") from None

    return changed


# --- arithmetic ---------------------------------------------------------------------------------------------------


def _second(operation: str, change: Callable[[float], float]) -> Spelling:
    """Another operation with another constant as its second operand."""

    def spelling(w: Writing) -> AskedGraph:
        data, constant = w.step.inputs
        number = w.same(constant)
        return w.made(w.layer(operation, data, w.of_shape(constant, change(number))))

    return spelling


def _negative_second(operation: str) -> Spelling:
    def spelling(w: Writing) -> AskedGraph:
        return w.made(w.layer(operation, w.step.inputs[0], w.layer("Negative-1", w.step.inputs[1])))

    return spelling


def _by_power(w: Writing) -> AskedGraph:
    inverse = w.layer("Power-1", w.step.inputs[1], w.number(-1))
    return w.made(w.layer("Multiply-1", w.step.inputs[0], inverse))


def _by_root(w: Writing) -> AskedGraph:
    """Divide by a square root: Multiply by the power of -0.5, which is all where 1 is divided."""
    root = w.producer(w.step.inputs[1], "Sqrt-1")
    inverse = w.layer("Power-1", root.inputs[0], w.number(-0.5))
    try:
        is_all = w.same(w.step.inputs[0]) == 1
    except GraphError:
        is_all = False
    return w.made(inverse if is_all else w.layer("Multiply-1", w.step.inputs[0], inverse))


def _power(exponent: float, write: Callable[[Writing, str], str]) -> Spelling:
    def spelling(w: Writing) -> AskedGraph:
        if w.same(w.step.inputs[1]) != exponent:
            raise GraphError(f"the exponent is not {exponent}")
        return w.made(write(w, w.step.inputs[0]))

    return spelling


def _square(w: Writing, value: str) -> str:
    return w.layer("Multiply-1", value, value)


def _cube(w: Writing, value: str) -> str:
    return w.layer("Multiply-1", _square(w, value), value)


def _one(write: Callable[[Writing, str], str]) -> Spelling:
    """A layer of one input."""
    return lambda w: w.made(write(w, w.step.inputs[0]))


def _sigmoid(w: Writing, value: str) -> str:
    exp = w.layer("Exp-1", w.layer("Negative-1", value))
    return w.layer("Divide-1", w.number(1), w.layer("Add-1", exp, w.number(1)))


def _softplus(w: Writing, value: str) -> str:
    return w.layer("Log-1", w.layer("Add-1", w.layer("Exp-1", value), w.number(1)))


def _hsigmoid(w: Writing, value: str) -> str:
    moved = w.layer("Add-1", value, w.number(3))
    return w.layer("Divide-1", w.layer("Clamp-1", moved, min=0.0, max=6.0), w.number(6))


def _tanh(w: Writing, value: str) -> str:
    twice = w.layer("Sigmoid-1", w.layer("Multiply-1", value, w.number(2)))
    return w.layer("Subtract-1", w.layer("Multiply-1", twice, w.number(2)), w.number(1))


# --- limits -------------------------------------------------------------------------------------------------------


def _limits(first: str, second: str) -> Spelling:
    def spelling(w: Writing) -> AskedGraph:
        limits = {"Maximum-1": w.step.attributes["min"], "Minimum-1": w.step.attributes["max"]}
        inner = w.layer(first, w.step.inputs[0], w.number(limits[first]))
        return w.made(w.layer(second, inner, w.number(limits[second])))

    return spelling


def _pair(w: Writing) -> tuple[Step, float, float]:
    """This is the second of Maximum and Minimum with a constant each: the first, the least, the largest."""
    other = {"Minimum-1": "Maximum-1", "Maximum-1": "Minimum-1"}[w.step.operation]
    first = w.producer(w.step.inputs[0], other)
    limits = [w.same(first.inputs[1]), w.same(w.step.inputs[1])]
    low, high = limits if other == "Maximum-1" else limits[::-1]
    return first, low, high


def _clamp(w: Writing) -> AskedGraph:
    first, low, high = _pair(w)
    return w.made(w.layer("Clamp-1", first.inputs[0], min=low, max=high))


def _turned(w: Writing) -> AskedGraph:
    first, low, high = _pair(w)
    if low > high:
        raise GraphError("the order matters")
    inner = w.layer(w.step.operation, first.inputs[0], w.step.inputs[1])
    return w.made(w.layer(first.operation, inner, first.inputs[1]))


# --- reductions ---------------------------------------------------------------------------------------------------


def _mean(operation: str) -> Callable[[Evaluated, Step], Spelling]:
    def of_tensor(evaluated: Evaluated, step: Step) -> Spelling:
        shape, axes = evaluated.tensors[step.inputs[0]].shape, evaluated.arrays[step.inputs[1]]
        count = int(np.prod([shape[int(axis)] for axis in np.ravel(axes)]))

        def spelling(w: Writing) -> AskedGraph:
            number = count if operation == "Divide-1" else 1 / count
            found = w.reduced("ReduceSum-1", w.step.inputs[0])
            return w.made(w.layer(operation, found, w.number(number)))

        return spelling

    return of_tensor


def _length(w: Writing) -> AskedGraph:
    return w.made(w.layer("Sqrt-1", w.reduced("ReduceSum-1", _square(w, w.step.inputs[0]))))


def _softmax(w: Writing) -> AskedGraph:
    axes, value = w.integers(w.step.attributes["axis"]), w.step.inputs[0]
    most = w.layer("ReduceMax-1", value, axes, keep_dims=True)
    exp = w.layer("Exp-1", w.layer("Subtract-1", value, most))
    return w.made(w.layer("Divide-1", exp, w.layer("ReduceSum-1", exp, axes, keep_dims=True)))


# --- movement -----------------------------------------------------------------------------------------------------


def _reshape(evaluated: Evaluated, step: Step) -> Spelling:
    shape = evaluated.tensors[step.name].shape
    if evaluated.graph.has_unknown or 0 in shape:
        return _impossible
    return lambda w: w.made(
        w.layer("Reshape-1", w.step.inputs[0], w.integers(*shape), special_zero=False)
    )


def _impossible(w: Writing) -> AskedGraph:
    raise GraphError("there is no such way")


def _parts(evaluated: Evaluated, step: Step) -> tuple[int, int, list[int]]:
    """The axis of a Split or VariadicSplit, the rank, and where its parts begin and end."""
    tensor = evaluated.tensors[step.inputs[0]]
    axis = int(np.ravel(evaluated.arrays[step.inputs[1]])[0]) % tensor.rank
    ends, names = [0], evaluated.outputs(step)
    for name in names:
        ends.append(ends[-1] + evaluated.tensors[name].shape[axis])
    return axis, tensor.rank, ends


def _sliced(is_strided: bool) -> Callable[[Evaluated, Step], Spelling]:
    """Parts as Slice or StridedSlice layers of one tensor."""

    def of_tensor(evaluated: Evaluated, step: Step) -> Spelling:
        axis, rank, ends = _parts(evaluated, step)
        names = evaluated.outputs(step)

        def spelling(w: Writing) -> AskedGraph:
            values = [
                w.strided(w.step.inputs[0], axis, rank, *part)
                if is_strided
                else w.sliced(w.step.inputs[0], axis, *part)
                for part in pairwise(ends)
            ]
            return w.made(values[0], dict(zip(names, values, strict=True)))

        return spelling

    return of_tensor


def _variadic(evaluated: Evaluated, step: Step) -> Spelling:
    _, _, ends = _parts(evaluated, step)
    lengths = [stop - start for start, stop in pairwise(ends)]
    names = evaluated.outputs(step)

    def spelling(w: Writing) -> AskedGraph:
        first = w.layer("VariadicSplit-1", *w.step.inputs, w.integers(*lengths))
        values = [first, *(f"{first}:{place}" for place in range(1, len(names)))]
        return w.made(first, dict(zip(names, values, strict=True)))

    return spelling


def _slice_strided(evaluated: Evaluated, step: Step) -> Spelling:
    if len(step.inputs) < 5:
        return _impossible
    start, stop, stride, axes = (
        [int(each) for each in np.ravel(evaluated.arrays[name])] for name in step.inputs[1:]
    )
    rank = evaluated.tensors[step.inputs[0]].rank
    if len(axes) != 1 or stride != [1] or start[0] < 0 or stop[0] < 0:
        return _impossible
    axis = axes[0] % rank
    return lambda w: w.made(w.strided(w.step.inputs[0], axis, rank, start[0], stop[0]))


def _transposed(evaluated: Evaluated, step: Step) -> Spelling:
    """A second operand that is transposed by a layer where the attribute did it, and the other way round."""
    rank = evaluated.tensors[step.inputs[1]].rank
    if rank < 2:
        return _impossible
    order = [*range(rank - 2), rank - 1, rank - 2]

    def spelling(w: Writing) -> AskedGraph:
        other = w.layer("Transpose-1", w.step.inputs[1], w.integers(*order))
        turned = {**w.step.attributes, "transpose_b": not w.step.attributes.get("transpose_b")}
        return w.made(w.layer("MatMul-1", w.step.inputs[0], other, **turned))

    return spelling


_SPELLINGS: Mapping[str, Mapping[str, Spelling]] = {
    "Divide-1": {
        "multiply": _second("Multiply-1", lambda number: 1 / number),
        "power": _by_power,
        "root": _by_root,
    },
    "Multiply-1": {"divide": _second("Divide-1", lambda number: 1 / number)},
    "Add-1": {
        "subtract": _second("Subtract-1", lambda number: -number),
        "negative": _negative_second("Subtract-1"),
    },
    "Subtract-1": {
        "add": _second("Add-1", lambda number: -number),
        "negative": _negative_second("Add-1"),
    },
    "SquaredDifference-1": {
        "square": lambda w: w.made(_square(w, w.layer("Subtract-1", *w.step.inputs))),
        "power": lambda w: w.made(
            w.layer("Power-1", w.layer("Subtract-1", *w.step.inputs), w.number(2))
        ),
    },
    "Power-1": {
        "square": _power(2, _square),
        "cube": _power(3, _cube),
        "sqrt": _power(0.5, lambda w, value: w.layer("Sqrt-1", value)),
        "inverse": _power(-1, lambda w, value: w.layer("Divide-1", w.number(1), value)),
    },
    "Sqrt-1": {"power": _one(lambda w, value: w.layer("Power-1", value, w.number(0.5)))},
    "Negative-1": {
        "multiply": _one(lambda w, value: w.layer("Multiply-1", value, w.number(-1))),
        "subtract": _one(lambda w, value: w.layer("Subtract-1", w.number(0), value)),
    },
    "ReLU-1": {"maximum": _one(lambda w, value: w.layer("Maximum-1", value, w.number(0)))},
    "Clamp-1": {
        "maximum-first": _limits("Maximum-1", "Minimum-1"),
        "minimum-first": _limits("Minimum-1", "Maximum-1"),
    },
    "Minimum-1": {"clamp": _clamp, "turned": _turned},
    "Maximum-1": {"clamp": _clamp, "turned": _turned},
    "Sigmoid-1": {"exp": _one(_sigmoid)},
    "Tanh-1": {"sigmoid": _one(_tanh)},
    "SoftPlus-4": {"exp": _one(_softplus)},
    "HSigmoid-5": {"clamp": _one(_hsigmoid)},
    "HSwish-4": {
        "hsigmoid": _one(lambda w, value: w.layer("Multiply-1", value, w.layer("HSigmoid-5", value))),
        "clamp": _one(lambda w, value: w.layer("Multiply-1", value, _hsigmoid(w, value))),
    },
    "Mish-4": {
        "softplus": _one(
            lambda w, value: w.layer("Multiply-1", value, w.layer("Tanh-1", _softplus(w, value)))
        )
    },
    "ReduceL2-4": {"sqrt": _length},
    "SoftMax-8": {"exp": _softmax},
}  # fmt: skip

_OF_SHAPES: Mapping[str, Mapping[str, Callable[[Evaluated, Step], Spelling]]] = {
    "ReduceMean-1": {"sum": _mean("Multiply-1"), "sum-divided": _mean("Divide-1")},
    "Squeeze-1": {"reshape": _reshape},
    "Unsqueeze-1": {"reshape": _reshape},
    "Split-1": {
        "variadic": _variadic,
        "slices": _sliced(is_strided=False),
        "strided": _sliced(is_strided=True),
    },
    "VariadicSplit-1": {"slices": _sliced(is_strided=False), "strided": _sliced(is_strided=True)},
    "Slice-8": {"strided": _slice_strided},
    "MatMul-1": {"transpose": _transposed},
}
