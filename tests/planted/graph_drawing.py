"""Draws faults of rewritings of graphs: kinds in turn, each with a chain of layers and a condition.

Half of the chains of a kind and more are such as documents say that they are fused: neighbours in a formula of a page,
an activation or a layer with a constant behind one with weights, two layers that move data. The others are two random
operations that no pattern has behind each other. A fault counts where some graph shows it: graphs that are grown for
it, and made to meet the condition here, not by the factors of patterns.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from ir_models import catalog, patterns
from ir_models.drawing.grown import grown_operations
from ir_models.graphs.evaluation import Evaluated, evaluate
from ir_models.graphs.growing import begun, grown
from ir_models.graphs.notation import AskedGraph, Fed, GraphError
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType, f32
from ir_models.vocabulary.graph import Step
from ir_models.vocabulary.operation import Operation
from tests.planted.graph_faults import (
    AXES,
    CONDITIONS,
    KINDS,
    OPERANDS,
    VARIATIONS,
    Fault,
    axis_place,
    broadcasts,
    keeps_dims,
)

# One chain of three is of random operations.
_RANDOM = 3
# Graphs that are grown for one fault.
_DRAWS = 8
# Layers that plugins fuse others into, and what they fuse, as the documents of the CPU and GPU plugins have it.
_WITH_WEIGHTS = (
    "Convolution-1",
    "GroupConvolution-1",
    "ConvolutionBackpropData-1",
    "GroupConvolutionBackpropData-1",
    "MatMul-1",
    "AvgPool-1",
    "MaxPool-1",
)
_NORMALIZING = ("MVN-6", "NormalizeL2-1", "SoftMax-8")
_SCALING = ("Add-1", "Multiply-1", "Subtract-1", "Divide-1", "Maximum-1", "Minimum-1", "PReLU-1")
_MOVING = (
    "Transpose-1",
    "Reshape-1",
    "Squeeze-1",
    "Unsqueeze-1",
    "Concat-1",
    "Split-1",
    "Gather-8",
    "Slice-8",
    "StridedSlice-1",
    "Pad-1",
    "Broadcast-3",
    "Tile-1",
)
_NARROW = ("i32", "i8", "u8", "i64", "f16")

Change = Callable[[AskedGraph], AskedGraph]


class Drawing:
    """Draws faults by a seed.

    ``departs`` tells whether a graph shows a fault; ``rejected`` counts the faults that none of the grown graphs shows.
    """

    def __init__(self, seed: int, departs: Callable[[Fault, AskedGraph], bool]) -> None:
        self.seed, self.departs = seed, departs
        self.rejected = 0

    def draw(self, count: int) -> list[Fault]:
        """So many faults, all different."""
        found: dict[str, Fault] = {}
        names = list(KINDS)
        number = 0
        while len(found) < count:
            draw = Draw(random.Random(f"{self.seed}/{number}"))
            # The next kind comes when this one has its fault.
            fault = self._drawn(names[len(found) % len(names)], draw)
            number += 1
            if fault is None or str(fault) in found:
                continue
            if self.witness(fault, draw) is None:
                self.rejected += 1
                continue
            found[str(fault)] = fault
        return list(found.values())

    def _drawn(self, name: str, draw: Draw) -> Fault | None:
        kind = KINDS[name]
        is_random = not draw.integer(0, _RANDOM - 1)
        for _ in range(200):
            chain = self._random_chain(draw) if is_random else draw.choice([*self.documented])
            # A rewriting of a formula looks for a constant where the formula has one.
            if kind.fits(chain) and (self.documented.get(chain, True) or not kind.of_constant):
                break
        else:
            return None
        return Fault(name, chain, self._condition(name, chain, is_random, draw), not is_random)

    def _condition(self, name: str, chain: Sequence[str], is_random: bool, draw: Draw) -> str:
        if name == "rounding left out":
            return f"of {draw.choice(_NARROW)}" if chain[0] == "Convert-1" else ""
        if name == "switched on":
            return f"with {draw.choice(self._names) if is_random else draw.choice(self._beside(chain))}"
        if name == "value not checked":
            return f"number {draw.choice(('0.5', '1', '2', '3', '0', '6', '0.044715'))}"
        found = list(CONDITIONS)
        if broadcasts(chain[-1]):
            found += OPERANDS
        if any(axis_place(each) for each in chain):
            found += AXES
        is_wide = KINDS[name].is_wide
        if KINDS[name].is_shared:
            found.remove("inner result")
        return draw.choice(found) if is_wide or not draw.integer(0, 2) else ""

    def of_variations(self, count: int) -> list[Fault]:
        """So many faults of variations, in chains and at constants of formulas; kinds in turn."""
        found: dict[str, Fault] = {}
        names, state = list(VARIATIONS), random.Random(f"variations/{self.seed}")
        while len(found) < count:
            name = names[len(found) % len(names)]
            graph = state.choice(self._formulas)
            if name == "attribute not read":
                parts = [*_read_with_attributes(graph)]
                if parts:
                    chain, what = state.choice(parts)
                    where = state.choice(("", " where unknown"))
                    fault = Fault(name, chain, f"{what}{where}")
                    found.setdefault(str(fault), fault)
                continue
            pairs = [*_read_with_numbers(graph)]
            if not pairs:
                continue
            chain, number = state.choice(pairs)
            if name == "value near enough" and not number:
                continue
            condition = {
                "value near enough": f"number {number:.8g} within {10 ** state.uniform(-3, -1.3):.4f}",
                "too long": f"from {int(10 ** state.uniform(0.9, 3))}",
                "readers alike": "",
            }[name]
            fault = Fault(name, chain, condition)
            found.setdefault(str(fault), fault)
        return list(found.values())

    # --- chains ---

    @cached_property
    def _grown(self) -> tuple[Operation, ...]:
        return grown_operations()

    @cached_property
    def _names(self) -> list[str]:
        return [each.name for each in self._grown if "f32" in map(str, each.inputs[0].types.types)]

    @cached_property
    def _formulas(self) -> list[AskedGraph]:
        return [each.graph for each in patterns.PATTERNS if each.is_varied]

    def _beside(self, chain: Sequence[str]) -> list[str]:
        """Operations that stand in formulas with the chain."""
        found = {
            name
            for graph in self._formulas
            if set(chain) <= {*graph.operations}
            for name in graph.operations
            if name not in chain
        }
        return sorted(found) or self._names

    @cached_property
    def documented(self) -> dict[tuple[str, ...], bool]:
        """Chains that are fused: of formulas, of layers with weights and what follows, of layers that move data.

        With each stands whether the last layer may have a constant.
        """
        found: dict[tuple[str, ...], bool] = {}
        for graph in self._formulas:
            kinds = {step.name: step for step in graph.steps}
            for step in graph.steps:
                has_constant = any(v in graph.fed and graph.fed[v].is_constant for v in step.inputs)
                for before in _before(kinds, step):
                    pair = before.operation, step.operation
                    found[pair] = found.get(pair, False) or has_constant
                    # A chain is a line: nothing else reads what is in it.
                    is_line = len(graph.readers(before.name)) == 1
                    for earlier in _before(kinds, before) if is_line else ():
                        if len(graph.readers(earlier.name)) > 1:
                            continue
                        triple = (earlier.operation, *pair)
                        found[triple] = found.get(triple, False) or has_constant
        reductions = [each.name for each in self._grown if each.category == "reduction"]
        activations = [
            each.name
            for each in self._grown
            if each.category == "activation" and each.name not in ("SoftMax-1", "Identity-16")
        ]
        for first in (*_WITH_WEIGHTS, *_NORMALIZING, *reductions[:6]):
            for last in (*_SCALING[:2], *activations):
                found[first, last] = True
        for first in _MOVING:
            for last in (*_MOVING, "MatMul-1", "Add-1", "ReduceMean-1", "ReLU-1"):
                found[first, last] = True
        found["Convert-1", "Convert-1"] = True
        for last in ("Add-1", "Multiply-1", "ReLU-1", "MatMul-1"):
            found["Convert-1", last, "Convert-1"] = True
        known = {each.name for each in self._grown}
        return {chain: each for chain, each in found.items() if set(chain) <= known}

    def _random_chain(self, draw: Draw) -> tuple[str, ...]:
        """Two operations that nothing documented has behind each other."""
        while True:
            chain = draw.choice(self._names), draw.choice(self._names)
            if chain not in self._pairs:
                return chain

    @cached_property
    def _pairs(self) -> set[tuple[str, str]]:
        return {pair for chain in self.documented for pair in pairwise(chain)}

    # --- a graph that shows it ---

    def witness(self, fault: Fault, draw: Draw) -> AskedGraph | None:
        """A graph that shows a fault; None where none of those that were grown does."""
        for _ in range(_DRAWS):
            graph = _grown_chain(fault.chain, draw)
            if graph is None:
                continue
            for changed in _made(graph, fault, draw):
                if self.departs(fault, changed):
                    return changed
        return None


def _read_with_numbers(graph: AskedGraph) -> Iterator[tuple[tuple[str, ...], float]]:
    """Two layers behind each other, and the number that the second one has beside; 0 where it has none."""
    kinds = {step.name: step for step in graph.steps}
    for step in graph.steps:
        constants = [graph.fed[v].fill for v in step.inputs if v in graph.fed]
        numbers = [f[1:] for f in constants if f.startswith(":") and "," not in f]
        is_operand = broadcasts(step.operation) and numbers
        for before in _before(kinds, step):
            yield (before.operation, step.operation), float(numbers[0]) if is_operand else 0.0


def _read_with_attributes(graph: AskedGraph) -> Iterator[tuple[tuple[str, ...], str]]:
    """Two layers of a formula that follow each other, and an attribute of one of them with its value."""
    kinds = {step.name: step for step in graph.steps}
    for step in graph.steps:
        for before in _before(kinds, step):
            for each in (before, step):
                operation = catalog.operation(each.operation)
                for attribute in operation.attributes:
                    value = each.attributes.get(attribute.name)
                    is_other = (
                        attribute.is_body or attribute.partner or attribute.type is ElementType
                    )
                    if value is not None and not (is_other or operation.partner):
                        chain = before.operation, step.operation
                        yield chain, f"{attribute.name} is {attribute.text(value)}"


def _before(kinds: dict[str, Step], step: Step) -> list[Step]:
    return [kinds[v.partition(":")[0]] for v in step.inputs if v.partition(":")[0] in kinds]


def _grown_chain(chain: Sequence[str], draw: Draw) -> Evaluated | None:
    """A graph of layers that each read the one before."""
    graph = begun(catalog.operation(chain[0]), draw)
    for name in chain[1:]:
        if graph is None:
            return None
        before = graph.graph.steps[-1].name
        graph = grown(graph, catalog.operation(name), draw)
        if graph is not None and before not in {
            value.partition(":")[0] for value in graph.graph.steps[-1].inputs
        }:
            return None
    return graph


def _made(graph: Evaluated, fault: Fault, draw: Draw) -> Iterator[AskedGraph]:
    """The graph, made to meet what the kind and the condition of a fault need, in several ways."""
    last = graph.graph.steps[-1]
    link = next(v for v in last.inputs if v and v not in graph.graph.fed)
    ways = [*_ways(graph, fault, last, link)]
    whole = graph.graph
    for name, changes in _settled(fault, graph, link, draw).items():
        if name == fault.condition or name == fault.kind:
            whole = changes(whole)
    for way in ways:
        try:
            yield way(whole)
            yield _typed(way(whole))
        except GraphError:
            continue


def _ways(graph: Evaluated, fault: Fault, last: Step, link: str) -> Iterator[Change]:
    """Shapes of the operand, values of keep_dims, sizes."""
    yield lambda graph: graph
    tensor = graph.tensors[link]
    operand = next((v for v in last.inputs if v in graph.graph.fed), "")
    if broadcasts(last.operation) and len(last.inputs) == 2 and operand:
        shape = tensor.shape
        for wanted in (
            (),
            shape[-1:],
            shape,
            (1,) * (len(shape) + 1),
            (2, *shape),
            (*shape[:-1], 3),
            (shape[1], *(1,) * (len(shape) - 2)) if len(shape) > 1 else (),
        ):
            for swaps in (False, True):
                yield _with_operand(operand, wanted, last.name if swaps else "")
    for step in graph.graph.steps:
        if keeps_dims(step.operation):
            yield _with_attribute(step.name, keep_dims=False)
    yield lambda graph: replace(
        graph,
        fed={
            name: fed
            if fed.element_type.is_integer
            else replace(fed, shape=tuple(min(size, 3) and 3 for size in fed.shape), fill="~")
            for name, fed in graph.fed.items()
        },
    )


def _settled(fault: Fault, graph: Evaluated, link: str, draw: Draw) -> dict[str, Change]:
    """How conditions and kinds are met, by name."""
    last = graph.graph.steps[-1].name
    found: dict[str, Change] = {
        "unknown shape": _unknown,
        "f16": lambda graph: _of_type(graph, "f16"),
        "inner result": lambda graph: replace(graph, results=(*graph.results, link)),
        "stale result": lambda graph: replace(graph, results=(*graph.results, link)),
        "memory reused": lambda graph: _with_reader(graph, link),
        "reader gets what is behind": lambda graph: _with_reader(graph, link),
        "reader gets what is in front": lambda graph: _with_reader(graph, last),
        "operand at run time": _at_run_time,
        "negative axis": lambda graph: _negative(graph, len(evaluate(graph).tensors[link].shape)),
    }
    if fault.condition.startswith("with "):
        beside = begun(catalog.operation(fault.condition.removeprefix("with ")), draw)
        if beside is not None:
            found[fault.condition] = lambda graph: _beside(graph, beside.graph)
    if fault.condition.startswith("of "):
        found[fault.condition] = lambda graph: _converting(graph, fault.condition[3:])
    return found


def _with_operand(operand: str, shape: tuple[int, ...], swapped: str) -> Change:
    def changed(graph: AskedGraph) -> AskedGraph:
        own = graph.fed[operand]
        is_constant = own.is_constant or own.fill[0] in "~+"
        fed = {**graph.fed, operand: replace(own, shape=shape, fill="~3", is_constant=is_constant)}
        steps = tuple(
            replace(step, inputs=step.inputs[::-1]) if step.name == swapped else step
            for step in graph.steps
        )
        return replace(graph, fed=fed, steps=steps)

    return changed


def _with_attribute(name: str, **attributes: object) -> Change:
    return lambda graph: replace(
        graph,
        steps=tuple(
            replace(step, attributes={**step.attributes, **attributes})
            if step.name == name
            else step
            for step in graph.steps
        ),
    )


def _with_reader(graph: AskedGraph, value: str) -> AskedGraph:
    step = Step("reader", "Abs-1", (value,))
    return replace(graph, steps=(*graph.steps, step), results=(*graph.results, step.name))


def _unknown(graph: AskedGraph) -> AskedGraph:
    def unknown(fed: Fed) -> Fed:
        return fed if fed.is_constant else replace(fed, unknown=frozenset(range(len(fed.shape))))

    return replace(graph, fed={name: unknown(fed) for name, fed in graph.fed.items()})


def _typed(graph: AskedGraph) -> AskedGraph:
    """The graph with data of f32; the last inputs are constants."""
    fed = {
        name: replace(each, element_type=f32) if each.element_type.is_float else each
        for name, each in graph.fed.items()
    }
    names = [name for name, each in fed.items() if not each.is_constant]
    for name in names[1:]:
        fed[name] = replace(fed[name], is_constant=True, unknown=frozenset())
    return replace(graph, fed=fed)


def _of_type(graph: AskedGraph, name: str) -> AskedGraph:
    kind = ELEMENT_TYPES[name]
    fed = {
        key: replace(each, element_type=kind) if each.element_type.is_float else each
        for key, each in graph.fed.items()
    }
    return replace(graph, fed=fed)


def _at_run_time(graph: AskedGraph) -> AskedGraph:
    fed = {
        name: replace(each, is_constant=False) if each.element_type.is_float else each
        for name, each in graph.fed.items()
    }
    return replace(graph, fed=fed)


def _negative(graph: AskedGraph, rank: int) -> AskedGraph:
    """The graph with its axes as negative numbers."""
    fed, steps = dict(graph.fed), []
    for step in graph.steps:
        where = axis_place(step.operation)
        attributes = dict(step.attributes)
        if where is not None and where[0] < 0 and isinstance(attributes.get(where[1]), int):
            attributes[where[1]] -= rank if attributes[where[1]] >= 0 else 0
        elif where is not None and 0 <= where[0] < len(step.inputs):
            name = step.inputs[where[0]]
            if name in fed and fed[name].fill.startswith(":"):
                items = [int(item) for item in fed[name].fill[1:].split(",") if item]
                fill = ":" + ",".join(str(i - rank if i >= 0 else i) for i in items)
                fed[name] = replace(fed[name], fill=fill)
        steps.append(replace(step, attributes=attributes))
    return replace(graph, fed=fed, steps=tuple(steps))


def _beside(graph: AskedGraph, other: AskedGraph) -> AskedGraph:
    """Both graphs in one model."""
    named = {name: f"b_{name}" for name in (*other.fed, *(step.name for step in other.steps))}

    def renamed(value: str) -> str:
        name, colon, place = value.partition(":")
        return f"{named.get(name, name)}{colon}{place}"

    steps = tuple(
        replace(step, name=renamed(step.name), inputs=tuple(map(renamed, step.inputs)))
        for step in other.steps
    )
    fed = {**graph.fed, **{renamed(name): each for name, each in other.fed.items()}}
    results = (*graph.results, *map(renamed, other.results))
    return AskedGraph(fed, (*graph.steps, *steps), results)


def _converting(graph: AskedGraph, narrow: str) -> AskedGraph:
    """The graph with conversions to a type and back."""
    steps = list(graph.steps)
    for place, kind in ((0, ELEMENT_TYPES[narrow]), (-1, f32)):
        step = steps[place]
        steps[place] = replace(step, attributes={**step.attributes, "destination_type": kind})
    fed = {
        name: replace(each, element_type=f32 if name in steps[0].inputs else ELEMENT_TYPES[narrow])
        for name, each in graph.fed.items()
        if each.element_type.is_float or each.element_type.is_integer
    }
    # What is more exact is no fault; what f16 does not hold is.
    fill = ":100000" if narrow == "f16" else "~1"
    given = {
        name: replace(each, fill=fill if name in steps[0].inputs else "~1")
        for name, each in fed.items()
    }
    return replace(graph, fed=given, steps=tuple(steps))
