"""Lines of three layers out of the formulas of patterns, each as a graph of its own, with rows of factors.

In the whole formula a second condition rarely shows: the layers behind do not take what it makes of the line, or undo
it. Here nothing is behind, and all rows of ``ir_models.drawing.rows`` fit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ir_models.drawing.rows import plain, rows, varied
from ir_models.graphs import AskedGraph, Evaluated, Fed, GraphError, Step, evaluate
from ir_models.graphs.evaluation import explicit
from ir_models.patterns import PATTERNS

# Lines of a batch, and graphs of one that are asked at a time.
LINES, TOGETHER = 20, 3
# Layers of a line.
_LAYERS = 3


@dataclass(frozen=True, eq=False)
class DrawnLine:
    """Layers that each read the one before, and one of the times that they come."""

    graph: Evaluated
    turn: int

    def graphs(self) -> Iterator[AskedGraph]:
        """The graphs with the rows of this time."""
        chosen = rows()[self.turn * TOGETHER : (self.turn + 1) * TOGETHER]
        found = [varied(self.graph, row) for row in chosen]
        yield from {graph.text: graph for graph in found}.values()


def line_batch(seed: int, number: int, operations: Sequence[str] = ()) -> list[AskedGraph]:
    """The graphs of a batch, the same on every machine; none where all lines have come with all rows."""
    wanted = {*operations}
    chosen = [each for each in lines(seed) if not wanted or wanted & {*each.graph.graph.operations}]
    some = chosen[number * LINES : (number + 1) * LINES]
    return [graph for line in some for graph in line.graphs()]


@cache
def lines(seed: int) -> tuple[DrawnLine, ...]:
    """All lines in their order, each as often as there are rows for it."""
    found = [*_lines()]
    random.Random(f"lines/{seed}").shuffle(found)
    turns = range(-(-len(rows()) // TOGETHER))
    return tuple(DrawnLine(graph, turn) for turn in turns for graph in found)


@cache
def _lines() -> tuple[Evaluated, ...]:
    """The lines of all formulas, those once that have the same operations and constants at the same inputs."""
    found: dict[object, Evaluated] = {}
    for pattern in PATTERNS:
        if not pattern.is_varied or pattern.graph.of_variables:
            continue
        whole = evaluate(pattern.graph)
        for steps in _in(whole.graph):
            names = {step.name for step in steps}
            alike = tuple(
                (step.operation, *(_role(whole.graph, value, names) for value in step.inputs))
                for step in steps
            )
            if alike not in found:
                try:
                    found[alike] = plain(evaluate(_cut(whole, steps)))
                except GraphError:  # values that no text holds
                    continue
    return tuple(found.values())


def _in(graph: AskedGraph) -> Iterator[tuple[Step, ...]]:
    """The lines of a graph."""
    steps = {step.name: step for step in graph.steps}

    def up_to(step: Step, layers: int) -> Iterator[tuple[Step, ...]]:
        if layers == 1:
            yield (step,)
            return
        for name in dict.fromkeys(value.partition(":")[0] for value in step.inputs):
            if name in steps:
                for line in up_to(steps[name], layers - 1):
                    yield (*line, step)

    for step in graph.steps:
        yield from up_to(step, _LAYERS)


def _role(graph: AskedGraph, value: str, names: set[str]) -> str:
    if value.partition(":")[0] in names:
        return "inside"
    return "constant" if value in graph.fed and graph.fed[value].is_constant else "data"


def _cut(whole: Evaluated, steps: Sequence[Step]) -> AskedGraph:
    """The layers as a graph of their own; real data that others gave is random."""
    names = {step.name for step in steps}
    fed: dict[str, Fed] = {}
    for value in dict.fromkeys(value for step in steps for value in step.inputs if value):
        if value.partition(":")[0] in names:
            continue
        tensor, name = whole.tensors[value], value.replace(":", "_")
        fill = f"~{len(fed)}" if tensor.element_type.is_float else explicit(whole.arrays[value])
        own = whole.graph.fed.get(value)
        fed[name] = own or Fed(
            tensor.element_type, tensor.shape, fill, not tensor.element_type.is_float
        )

    def inside(value: str) -> str:
        return value if value.partition(":")[0] in names else value.replace(":", "_")

    placed = tuple(
        Step(step.name, step.operation, tuple(map(inside, step.inputs)), step.attributes)
        for step in steps
    )
    return AskedGraph(fed, placed, (steps[-1].name,))
