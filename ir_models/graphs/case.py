"""A graph as a case. Its id names the pattern that it is of, what feeds it, and the factors that are off the pattern:

    Gelu-erf/graphs/f32[2,3,4],f32[],f32[],f32[1,1,1,1]/half.shape=more-ones,c.order=swapped
    Graph/graphs/f32[2,3]/x=f32[2,3]; a=ReLU-1(x); y=Negative-1(a); return y

The second is a graph as text, of no pattern. Where the suite takes the operation of a case, a graph has its pattern;
the factors that are off it stand where a layer has its attributes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ir_models import catalog
from ir_models.asking.case import Case
from ir_models.asking.how import USUAL
from ir_models.asking.id_parts import ABSENT, AS_TEXT, GRAPHS
from ir_models.asking.turns import TURNS, Turn
from ir_models.graphs.evaluation import Evaluated, evaluate
from ir_models.graphs.notation import AskedGraph, GraphError, is_index
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.operation import Operation

INFERENCES = 2
"""Inferences of a graph, in one request: what a device keeps from one to the next is wrong in the second."""
INFERENCES_OF_UNKNOWN = 3
"""Inferences where the model does not know all dimensions: the second one has other sizes, the third the first ones."""
_TURNS = TURNS["reset"]


def inferences_of(graph: AskedGraph, has_unknown: bool) -> int:
    """How often the model of a graph is inferred; a factor of its case can make dimensions unknown."""
    if graph.of_variables:
        return len(_TURNS)
    return INFERENCES_OF_UNKNOWN if has_unknown else INFERENCES


class _Formula(Operation):
    """A pattern, where the suite takes an operation: a name, an operation set, and no page."""

    def __post_init__(self) -> None:
        """Check nothing: the name of a pattern has no version."""


@dataclass(frozen=True, eq=False)
class GraphCase(Case):
    """The question about a graph. ``formula`` stands for the operation, ``factors`` are those that are off it."""

    formula: Operation
    factors: Mapping[str, str]
    graph: AskedGraph
    purpose = GRAPHS
    how = USUAL

    @classmethod
    def of(cls, name: str, graph: AskedGraph, factors: Mapping[str, str]) -> GraphCase:
        """The case of a pattern's name and the factors that are off it."""
        opsets = [int(catalog.operation(each).opset[5:]) for each in graph.operations]
        formula = _Formula(name, f"opset{max(opsets, default=1)}")
        formula.category = GRAPHS
        held = graph.of_variables
        if held:
            formula.partner = catalog.operation(held[0].operation).partner
            formula.keeps_state = True
        return cls(formula, dict(factors), graph)

    @classmethod
    def as_text(cls, evaluated: Evaluated) -> GraphCase:
        """The case of a graph that is of no pattern, and is evaluated already with the first seed."""
        found = cls.of(AS_TEXT, evaluated.graph, {})
        found._by_seed[0, 0] = evaluated
        return found

    @property
    def operation(self) -> Operation:
        """The formula of the graph's pattern."""
        return self.formula

    @cached_property
    def id(self) -> str:
        """The case's name, its address and its seed."""
        data = ",".join(map(str, self._data)) or ABSENT
        parts = [self.operation.name, GRAPHS, data]
        factors = ",".join(f"{name}={level}" for name, level in self.factors.items())
        if self.operation.name == AS_TEXT:
            factors = self.graph.text
        return "/".join([*parts, factors] if factors else parts)

    @cached_property
    def _data(self) -> list[Tensor]:
        """What feeds the graph, but the values of index inputs."""
        fed = self.graph.fed.items()
        return [each.tensor for name, each in fed if not is_index(self.graph, name)]

    @property
    def graph_text(self) -> str:
        """The graph as text."""
        return self.graph.text

    @property
    def likeness(self) -> tuple[object, tuple[str, ...]]:
        """What refusals depend on: the layers, the factors, ranks; then the types of data."""
        kind = self.operation.name, self.graph.operations, tuple(self.factors)
        return (*kind, tuple(t.rank for t in self._data)), tuple(
            t.element_type.name for t in self._data
        )

    @property
    def inferences(self) -> int:
        """How often the model is inferred.

        In the second inference random data are others, and unknown dimensions have other sizes.
        """
        return inferences_of(self.graph, self.graph.has_unknown)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What is done to the variables of a graph before each inference."""
        return _TURNS if self.graph.of_variables else ()

    @cached_property
    def resized(self) -> AskedGraph:
        """The graph as the second inference has it."""
        return with_other_sizes(self.graph, self.evaluated())

    @cached_property
    def _by_seed(self) -> dict[tuple[int, int], Evaluated]:
        return {}

    def evaluated(self, seed: int = 0, inference: int = 0) -> Evaluated:
        """The graph with its shapes and values. Raises GraphError where a layer is not valid."""
        key = seed, inference
        if key not in self._by_seed:
            self._by_seed[key] = self._evaluated(seed, inference)
        return self._by_seed[key]

    def _evaluated(self, seed: int, inference: int) -> Evaluated:
        if self.turns:
            is_new = not inference or self.turns[inference].before
            variables = {} if is_new else self.evaluated(seed, inference - 1).assigned
            return evaluate(self.graph, seed, inference, variables)
        is_other = self.graph.has_unknown and inference == 1
        graph = self.resized if is_other else self.graph
        try:
            return evaluate(graph, seed, inference)
        except GraphError:
            if not inference:
                raise
            # A layer does not take the data of this inference: it has those of the first one.
            return evaluate(graph, seed)

    @property
    def _any_seed(self) -> Evaluated:
        """The evaluation with any seed, for what does not depend on values."""
        return next(iter(self._by_seed.values()), None) or self.evaluated()

    @cached_property
    def result_types(self) -> tuple[ElementType, ...]:
        """The element type of each result of the model."""
        tensors = self._any_seed.tensors
        return tuple(tensors[name].element_type for name in self.graph.results)

    @cached_property
    def gives_constants(self) -> bool:
        """Whether only constants can come out of layers: of known shapes, or of tensors without elements."""
        return self._any_seed.constants.issuperset({*self.graph.results} - {*self.graph.fed})


def check(graph: AskedGraph, known: Evaluated | None = None) -> Evaluated:
    """The graph, evaluated; layers that it has in common with a ``known`` one are taken from it.

    Raises GraphError where a layer is not valid, then or in the next inference.
    """
    found = evaluate(graph, known=known)
    if graph.of_variables:
        evaluate(graph, variables=found.assigned)
    return found


def with_other_sizes(graph: AskedGraph, first: Evaluated) -> AskedGraph:
    """The graph with unknown dimensions larger by one, those that its layers allow; equal ones stay equal.

    It is the graph itself where they allow none. ``first`` is the graph, evaluated.
    """
    unknown = {fed.shape[axis] for fed in graph.fed.values() for axis in fed.unknown}
    whole = _larger(graph, unknown)
    if _may_follow(first, whole):
        return whole
    chosen: set[int] = set()
    for size in sorted(unknown, reverse=True):
        if _may_follow(first, _larger(graph, chosen | {size})):
            chosen.add(size)
    return _larger(graph, chosen)


def _larger(graph: AskedGraph, sizes: Collection[int]) -> AskedGraph:
    fed = {
        name: replace(
            each,
            shape=tuple(
                size + 1 if axis in each.unknown and size in sizes else size
                for axis, size in enumerate(each.shape)
            ),
        )
        for name, each in graph.fed.items()
    }
    return AskedGraph(fed, graph.steps, graph.results)


def _may_follow(first: Evaluated, graph: AskedGraph) -> bool:
    """Whether a model that was written for the first graph may be asked this one."""
    try:
        layers = evaluate(graph).layers
    except GraphError:
        return False
    return all(
        layer.operation.resizable is None or layer.operation.resizable(layer, layers[name])
        for name, layer in first.layers.items()
    )
