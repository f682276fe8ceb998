"""Prepares cases for a device: input values, expected outputs, the model of a pack; and splits replies by case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from devices.engine.graph_bounds import expected_by_inference
from devices.process.protocol import ExecutedNode, Question, Reply, TensorData, Turn
from ir_models import Case
from ir_models.asking.case import Narrowing
from ir_models.asking.neighbours import reader_of
from ir_models.graphs import Evaluated, GraphCase
from ir_models.graphs import write as write_graphs
from ir_models.writing import ir
from reference import Expected, answer, behind, coarsens, outputs_of, refines

# Stands for the layer of a graph that has results alone: a name that no layer has.
_NO_LAYER = "-"
# What a name of a layer begins with in a model of several cases.
_IN_PACK = re.compile(r"\bc(\d+)\.")


@dataclass
class PreparedCase:
    """A case with the values of its inputs and what its reference computes, a list of each for every inference.

    ``inputs`` are what the layer has at its ports. ``computed_in`` is the precision that the bounds of ``expected`` are
    for, or "" for the element types of the layer; ``by_kernel`` whether the kernel reported it.
    """

    case: Case
    inputs: list[list[np.ndarray | None]]
    seed: int = 0
    computed_in: str = ""
    by_kernel: bool = False

    @cached_property
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The layer's own outputs, none for an invalid case. Raises what its reference raises."""
        if self.case.is_invalid:
            return []
        return [
            outputs_of(self.case.operation.name, values, self.case.arguments(inference, self.seed))
            for inference, values in enumerate(self.inputs)
        ]

    @property
    def layer_shapes(self) -> list[tuple[int, ...]] | None:
        """The shapes of the layer's own outputs at the first inference; None for an invalid case."""
        return [values.shape for values in self.outputs[0]] if self.outputs else None

    @property
    def is_partly_empty(self) -> bool:
        """Whether an input or an output has no elements while an output has some.

        A kernel that has nothing to read, or nothing to write to one output, may leave the others as they are.
        """
        given = [values.size for ports in self.inputs for values in ports if values is not None]
        results = [values.size for outputs in self.outputs for values in outputs]
        return 0 in (*given, *results) and any(results)

    @cached_property
    def expected(self) -> list[list[Expected]]:
        """The expected outputs with their bounds, which take time: of a case that is refused nobody asks."""
        if not self.outputs:
            return []
        asked = self.case, self.inputs, self.seed, self.computed_in, self.by_kernel
        layer_outputs = _layer_outputs(*asked, self.outputs)
        return _with_neighbours(
            self.case, layer_outputs, _queried(*asked), self.inputs, self.computed_in
        )

    def set_precision(self, precision: str, by_kernel: bool = False) -> None:
        """Give the expected outputs the bounds of a precision that the device computed in.

        What the device says of itself counts where it is coarser than the layer's types, what the kernel says
        (``by_kernel``) where it is finer, too.
        """
        types = _element_types(self.case)
        finer = by_kernel and refines(precision, types)
        stated = precision if finer or coarsens(precision, types) else ""
        if (stated, by_kernel) != (self.computed_in, self.by_kernel):
            is_other = bool(stated or self.computed_in)
            self.computed_in, self.by_kernel = stated, by_kernel
            if is_other:
                self.__dict__.pop("expected", None)


@dataclass
class PreparedGraph(PreparedCase):
    """A graph with its values: ``inputs`` are what it is given at run time, ``outputs`` its results.

    ``executed``: the device is asked for the nodes that it executed. Unless it ``is_measured``, results that are as
    evaluated are right, and no bound is computed for them.
    """

    evaluated: list[Evaluated] = field(kw_only=True)
    executed: bool = field(default=False, kw_only=True)
    is_measured: bool = field(default=True, kw_only=True)

    @cached_property
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The results, by inference."""
        return [
            [each.arrays[name] for name in self.graph_case.graph.results] for each in self.evaluated
        ]

    @property
    def layer_shapes(self) -> list[tuple[int, ...]] | None:
        """None: a graph states no shapes of its inner tensors."""
        return None

    @property
    def exact(self) -> list[list[Expected]]:
        """The results of a device that rounds the output of each layer once, and no more."""
        return [[Expected(values) for values in results] for results in self.outputs]

    @cached_property
    def expected(self) -> list[list[Expected]]:
        """The expected results with their bounds, by inference."""
        return expected_by_inference(self.graph_case, self.evaluated, self.computed_in)

    @cached_property
    def reordered(self) -> list[list[Expected]]:
        """The expected results of a device that computes the formula in another order."""
        asked = self.graph_case, self.evaluated, self.computed_in
        return expected_by_inference(*asked, reordered=True)

    @property
    def graph_case(self) -> GraphCase:
        """The case, as the graph that it is."""
        assert isinstance(self.case, GraphCase)
        return self.case

    def set_precision(self, precision: str, by_kernel: bool = False) -> None:
        """Give the expected results the bounds of a precision that the device says it computes in.

        What one kernel says is not of all layers.
        """
        if not by_kernel and precision != self.computed_in:
            self.computed_in = precision
            self.__dict__.pop("expected", None)
            self.__dict__.pop("reordered", None)


def prepare(case: Case, seed: int) -> PreparedCase:
    """The case with its input values and the outputs of its reference. Raises what its reference raises."""
    if isinstance(case, GraphCase):
        return prepare_graph(case, seed)
    inputs = [case.arrays(inference, seed) for inference in range(case.how.inferences)]
    prepared = PreparedCase(case, inputs, seed)
    # What the reference raises is raised here, before anything is asked.
    _ = prepared.outputs
    return prepared


def prepare_graph(
    case: GraphCase, seed: int, *, executed: bool = False, is_measured: bool = True
) -> PreparedGraph:
    """The graph with its values. Raises GraphError."""
    evaluated = [case.evaluated(seed, inference) for inference in range(len(case.layers))]
    given: list[list[np.ndarray | None]] = [[*each.inputs.values()] for each in evaluated]
    return PreparedGraph(
        case, given, seed, evaluated=evaluated, executed=executed, is_measured=is_measured
    )


def outputs_for(
    prepared: PreparedCase, computed_in: str, narrow: Narrowing
) -> list[list[Expected]]:
    """The expected outputs of a case of which ``narrow`` converts every value. Raises what its reference raises.

    Values are the inputs at every inference, those that a variable keeps of earlier ones, and what it is set to.
    """
    case = prepared.case
    inputs = narrowed_inputs(prepared, narrow)
    layer_outputs = _layer_outputs(case, inputs, prepared.seed, computed_in, narrow=narrow)
    queried = _queried(case, inputs, prepared.seed, computed_in, narrow=narrow)
    return _with_neighbours(case, layer_outputs, queried, inputs, computed_in)


def narrowed_inputs(prepared: PreparedCase, narrow: Narrowing) -> list[list[np.ndarray | None]]:
    """What ``narrow`` makes of the inputs at each inference."""
    return [
        [None if values is None else narrow(values) for values in ports]
        for ports in prepared.inputs
    ]


def question_for(pack: Sequence[PreparedCase], seed: int) -> Question:
    """The model of a pack and its inputs."""
    graphs = [each for each in pack if isinstance(each, PreparedGraph)]
    if graphs:
        return _question_of_graphs(graphs)
    cases = [prepared.case for prepared in pack]
    model = ir.write(cases, [prepared.layer_shapes for prepared in pack], seed)
    how = cases[0].how
    variables = [each for each in model.layers.values() if each is not None]
    fed = [
        [prepared.case.fed(prepared.inputs[inference]) for prepared in pack]
        for inference in range(how.inferences)
    ]
    feeds = [
        {
            name: _tensor(fed[inference][port.case][port.port], port.element_type.name)
            for name, port in model.parameters.items()
        }
        for inference in range(how.inferences)
    ]
    return Question(
        model.xml,
        model.weights,
        feeds,
        list(model.results),
        list(model.layers),
        how.memory,
        how.requests,
        _turns(cases, variables, seed),
        variables if cases[0].queried_types else [],
    )


def _question_of_graphs(pack: Sequence[PreparedGraph]) -> Question:
    """The model of graphs; ``layers`` has the last layer of each that is not constant, whose kernel is looked for."""
    model = write_graphs([prepared.evaluated[0] for prepared in pack])
    feeds = [
        {
            name: TensorData.of(
                graphs[place].arrays[value], graphs[place].tensors[value].element_type.name
            )
            for name, (place, value) in model.parameters.items()
        }
        for graphs in zip(*(prepared.evaluated for prepared in pack), strict=True)
    ]
    last: dict[int, str] = {}
    for name, (place, step) in model.layers.items():
        evaluated = pack[place].evaluated[0]
        if place not in last or (step in evaluated.arrays and step not in evaluated.constants):
            last[place] = name
    turns = [Turn(turn.request, turn.before) for turn in pack[0].graph_case.turns]
    return Question(
        model.xml,
        model.weights,
        feeds,
        list(model.results),
        [last.get(place, _NO_LAYER) for place in range(len(pack))],
        turns=turns,
        executed=any(prepared.executed for prepared in pack),
    )


def _turns(cases: Sequence[Case], variables: Sequence[str], seed: int) -> list[Turn]:
    """What is done to the states of a pack; all its cases have the same turns, and a variable each."""
    turns = []
    for number, turn in enumerate(cases[0].how.turns):
        states = {}
        for name, case in zip(variables, cases, strict=True):
            value = case.set_before(number, seed)
            if value is not None:
                states[name] = TensorData.of(value, case.result_types[0].name)
        turns.append(Turn(turn.request, turn.before, turn.at_once, states))
    return turns


def replies_by_case(pack: Sequence[PreparedCase], question: Question, reply: Reply) -> list[Reply]:
    """The reply to the question of a pack as one reply for each case."""
    replies = []
    start, variable = 0, len(question.results)
    nodes = _nodes_by_case(reply.nodes, len(pack))
    for prepared, layer, own in zip(pack, question.layers, nodes, strict=True):
        stop, behind = start + len(prepared.case.result_types), variable
        variable += len(prepared.case.queried_types)
        kernels = {layer: reply.kernels[layer]} if layer in reply.kernels else {}
        compiled = reply.compiled
        if compiled is not None:
            compiled = replace(
                compiled,
                model_outputs=compiled.model_outputs[start:stop],
                outputs=compiled.outputs[start:stop],
            )
        replies.append(
            replace(
                reply,
                inferred=reply.inferred[start:stop],
                outputs=[
                    outputs[start:stop] + outputs[behind:variable] for outputs in reply.outputs
                ],
                kernels=kernels,
                nodes=own,
                compiled=compiled,
            )
        )
        start = stop
    return replies


def _nodes_by_case(nodes: Sequence[ExecutedNode], count: int) -> list[list[ExecutedNode]]:
    """The executed nodes of each case, with the names of layers that they have in a model of their own."""
    if count == 1:
        return [[*nodes]]
    found: list[list[ExecutedNode]] = [[] for _ in range(count)]
    for node in nodes:
        # One that was made of layers of several cases has the name of one of them.
        own: dict[int, ExecutedNode] = {}
        for name in (node.name, *node.layers):
            place = _IN_PACK.match(name)
            if place is None:
                continue
            case = own.setdefault(int(place[1]), ExecutedNode("", node.kernel, []))
            if name == node.name:
                case.name = name[place.end() :]
            case.layers.append(name[place.end() :])
        for number, each in own.items():
            found[number].append(each)
    return found


def cases_named(words: str) -> set[int]:
    """The places of the cases in their pack of which some words name layers."""
    return {int(place) for place in _IN_PACK.findall(words)}


def _tensor(values: np.ndarray | None, element_type: str) -> TensorData:
    assert values is not None
    return TensorData.of(values, element_type)


def _layer_outputs(
    case: Case,
    inputs: list[list[np.ndarray | None]],
    seed: int,
    computed_in: str = "",
    by_kernel: bool = False,
    outputs: Sequence[Sequence[np.ndarray]] = (),
    narrow: Narrowing | None = None,
) -> list[list[Expected]]:
    """The expected outputs of the layer at each inference, whose values may be known."""
    found = []
    for number, (values, known) in enumerate(zip_longest(inputs, outputs)):
        attributes = case.arguments(number, seed, narrow)
        found.append(_answer(case, values, attributes, number, computed_in, by_kernel, known))
    return found


def _queried(
    case: Case,
    inputs: list[list[np.ndarray | None]],
    seed: int,
    computed_in: str = "",
    by_kernel: bool = False,
    narrow: Narrowing | None = None,
) -> list[list[Expected]]:
    """The expected values of the variables that are queried after each inference: what the next one would find."""
    found: list[list[Expected]] = []
    for number, values in enumerate(inputs):
        found.append([])
        if case.queried_types:
            after = case.arguments_after(number, seed, narrow)
            found[-1] += _answer(case, values, after, number, computed_in, by_kernel)[:1]
    return found


def _answer(
    case: Case,
    values: list[np.ndarray | None],
    attributes: dict[str, Any],
    inference: int,
    computed_in: str,
    by_kernel: bool,
    outputs: Sequence[np.ndarray] | None = None,
) -> list[Expected]:
    types = [t.name for t in case.operation.output_types(case.layers[inference])]
    return answer(case.operation.name, values, attributes, types, computed_in, by_kernel, outputs)


def _with_neighbours(
    case: Case,
    outputs: list[list[Expected]],
    queried: list[list[Expected]],
    inputs: Sequence[Sequence[np.ndarray | None]],
    computed_in: str = "",
) -> list[list[Expected]]:
    """The expected outputs of the case's model at each inference, for those of its layer and its variables."""
    types = [t.name for t in case.operation.output_types(case.layer)]
    with_middle = bool(case.how.middle)
    return [
        [
            *behind(
                [_of_first(one, len(each)) for one in each] if case.readers else each,
                case.behind,
                types,
                computed_in,
                with_middle=with_middle,
                # The constant is that for the shape of the first inference, and so for the model's.
                constants=[
                    case.operand_behind(n, one.value.shape) for n, one in enumerate(outputs[0])
                ],
            ),
            *_read_beside(case, each, values, computed_in),
            *variables,
        ]
        for each, variables, values in zip(outputs, queried, inputs, strict=True)
    ]


def _of_first(expected: Expected, count: int) -> Expected:
    """An expected output whose choice is among the first outputs: others follow them."""
    choose = expected.choose
    if choose is None:
        return expected
    others = tuple(_of_first(other, count) for other in expected.others)
    return replace(expected, choose=lambda actual: choose(actual[:count]), others=others)


def _read_beside(
    case: Case,
    outputs: Sequence[Expected],
    values: Sequence[np.ndarray | None],
    computed_in: str,
) -> list[Expected]:
    """The expected outputs of other layers that read what the layer reads or gives."""
    found: list[Expected] = []
    for kind, place in case.readers:
        if place is None:
            given = values[case.data_ports[0]]
            assert given is not None
            read = Expected(given)
        else:
            read = outputs[place]
        found += behind([read], [reader_of(kind)], [kind.name], computed_in)
    return found


def _element_types(case: Case) -> list[str]:
    inputs = [tensor.element_type for _, tensor in case.layer.ports() if tensor is not None]
    return [t.name for t in (*inputs, *case.operation.output_types(case.layer))]
