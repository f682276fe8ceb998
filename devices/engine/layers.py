"""The layer of a case as a question: its values, the outputs of its reference, the model of a pack of layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, cast

import numpy as np
from msgspec import structs

from devices.engine.prepared import Judge, PreparedCase
from devices.engine.reference_time_limit import within
from devices.engine.verdicts.clues import clues_of, right_with
from devices.engine.verdicts.judging import judge
from devices.engine.verdicts.narrowing import computed_as, has_open
from devices.engine.verdicts.verdict import Verdict
from devices.process.protocol import COARSE, Kernel, Question, Reply, StateTurn, TensorData
from ir_models import LayerCase
from ir_models.asking.case import Narrowing
from ir_models.asking.neighbours import reader_of
from ir_models.writing import ir
from reference import Expected, answer, as_rounded, behind, coarsens, outputs_of, refines
from reports.results.outcomes import Outcome

# Of inputs and outputs together: of larger layers no other parameters are tried.
_MOST_ELEMENTS = 50_000
# What the reference may take for another value of a parameter: a Range from 0 in place of 2^31 has many elements.
_SECONDS = 2.0


class PreparedLayer(PreparedCase):
    """A layer with the values that it has at its ports. ``by_kernel``: the kernel reported ``computed_in``."""

    case: LayerCase

    def __init__(self, case: LayerCase, seed: int = 0) -> None:
        inputs = [case.arrays(inference, seed) for inference in range(case.inferences)]
        super().__init__(case, inputs, seed)
        self.by_kernel = False

    @cached_property
    def outputs(self) -> Sequence[Sequence[np.ndarray]]:
        """The layer's own outputs by inference, none for an invalid case. Raises what its reference raises."""
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

    def _expected(self) -> list[list[Expected]]:
        if not self.outputs:
            return []
        asked = self.case, self.inputs, self.seed, self.computed_in, self.by_kernel
        layer_outputs = _layer_outputs(*asked, self.outputs)
        return _with_neighbours(
            self.case, layer_outputs, _queried(*asked), self.inputs, self.computed_in
        )

    def set_precision(self, kernel: Kernel | None, of_device: str) -> None:
        """Give the expected outputs the bounds of the precision in which a kernel computed, or a device does.

        What the device says of itself counts where it is coarser than the layer's types, what the kernel says where it
        is finer, too.
        """
        of_kernel = kernel.precision if kernel is not None else ""
        # The precision of a constant is that of its memory, not of the arithmetic that made it.
        by_kernel = bool(of_kernel) and kernel is not None and not kernel.is_constant
        precision = of_kernel or of_device
        types = _element_types(self.case)
        finer = by_kernel and refines(precision, types)
        stated = precision if finer or coarsens(precision, types) else ""
        if (stated, by_kernel) != (self.computed_in, self.by_kernel):
            is_other = bool(stated or self.computed_in)
            self.computed_in, self.by_kernel = stated, by_kernel
            if is_other:
                self.__dict__.pop("expected", None)

    def judged(self, judge: Judge, actual: Sequence[Sequence[TensorData]]) -> Verdict:
        """The verdict on a reply; of a wrong one, what it is right for.

        Most answers are right bit for bit. Bounds, which take time, are built for the others.
        """
        rounded = self._as_rounded()
        if rounded and (verdict := judge(rounded)).outcome is not Outcome.FAIL:
            return verdict
        verdict = judge(self.expected)
        if verdict.outcome is Outcome.FAIL:
            narrowing = self._narrowing(judge)
            verdict.facts = structs.replace(verdict.facts, computed_as=narrowing)
        return verdict

    def _as_rounded(self) -> list[list[Expected]]:
        """The outputs without an error; none where other layers stand behind this one."""
        case = self.case
        if any(case.behind) or case.readers or case.queried_types:
            return []
        found = [as_rounded(case.operation.name, each) for each in self.outputs]
        return found if all(found) else []

    def _narrowing(self, judge: Judge) -> str:
        """What a wrong answer is right for: see ``computed_as``."""
        types = {tensor.element_type.name for _, tensor in self.case.layer.ports() if tensor}
        # Numbers that were narrowed may be narrowed again by the kernel.
        own, is_coarser = self.computed_in, self.computed_in in COARSE

        def evaluate(narrow: Narrowing, precision: str) -> list[list[Expected]]:
            return self.outputs_for(precision if precision and not is_coarser else own, narrow)

        inputs = [each for ports in self.inputs for each in ports]
        return computed_as(
            types, inputs, self.expected, evaluate, lambda expected: judge(expected).outcome
        )

    def add_clues(self, verdict: Verdict, reply: Reply) -> None:
        """Add to a verdict on a wrong answer what the answer tells of its cause."""
        case, place = self.case, max(verdict.facts.inference - 1, 0)
        if case.queried_types or not verdict.is_of_outputs or not reply.outputs:
            return
        verdict.clues = clues_of(
            case,
            self.inputs[place],
            self.expected[place],
            reply.outputs[place],
            verdict.output_index,
        )

        def outcome(name: str, value: Any) -> Outcome:
            with within(_SECONDS):
                expected = self._outputs_with(name, value)
            if any(has_open(each) for outputs in expected for each in outputs):
                raise ValueError(f"{name}={value} leaves elements open")
            return judge(case, expected, reply.outputs, reply.inferred, verdict.kernel).outcome

        sizes = [each.size for each in self.inputs[place] if each is not None]
        sizes += [each.value.size for each in self.expected[place]]
        # Each parameter takes the reference once more, which for large layers is long.
        others = right_with(case, outcome) if sum(sizes) <= _MOST_ELEMENTS else {}
        verdict.right_with = list(others)
        if others:
            verdict.detail += f"; right with {next(iter(others.values()))}"

    def _outputs_with(self, name: str, value: Any) -> list[list[Expected]]:
        """The expected outputs with another value of a parameter. Raises what the reference raises."""
        case, seed = self.case, self.seed
        ports = [each for each, _ in case.layer.ports()]
        inputs = [
            [value if port == name else own for port, own in zip(ports, values, strict=True)]
            for values in self.inputs
        ]
        changed = {} if name in ports else {name: value}
        outputs = [
            _answer(
                case,
                values,
                case.arguments(number, seed) | changed,
                number,
                self.computed_in,
                self.by_kernel,
            )
            for number, values in enumerate(inputs)
        ]
        return _with_neighbours(case, outputs, [[] for _ in inputs], inputs, self.computed_in)

    def outputs_for(self, computed_in: str, narrow: Narrowing) -> list[list[Expected]]:
        """The expected outputs where ``narrow`` converts every value. Raises what the reference raises.

        Values are the inputs at every inference, those that a variable keeps of earlier ones, and what it is set to.
        """
        inputs = [
            [None if values is None else narrow(values) for values in ports]
            for ports in self.inputs
        ]
        asked = self.case, inputs, self.seed, computed_in
        layer_outputs = _layer_outputs(*asked, narrow=narrow)
        queried = _queried(*asked, narrow=narrow)
        return _with_neighbours(self.case, layer_outputs, queried, inputs, computed_in)

    def question(self, pack: Sequence[PreparedCase]) -> Question:
        """The model of a pack of layers that are asked alike, and its inputs."""
        layers = cast("Sequence[PreparedLayer]", pack)
        cases = [each.case for each in layers]
        model = ir.write(cases, [each.layer_shapes for each in layers], self.seed)
        how = cases[0].how
        variables = [each for each in model.layers.values() if each is not None]
        fed = [
            [each.case.fed(each.inputs[inference]) for each in layers]
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
            _turns(cases, variables, self.seed),
            variables if cases[0].queried_types else [],
        )


def _turns(cases: Sequence[LayerCase], variables: Sequence[str], seed: int) -> list[StateTurn]:
    """What is done to the states of a pack; all its cases have the same turns, and a variable each."""
    turns = []
    for number, turn in enumerate(cases[0].how.turns):
        states = {}
        for name, case in zip(variables, cases, strict=True):
            value = case.set_before(number, seed)
            if value is not None:
                states[name] = TensorData.of(value, case.result_types[0].name)
        turns.append(StateTurn(turn.request, turn.before, turn.at_once, states))
    return turns


def _tensor(values: np.ndarray | None, element_type: str) -> TensorData:
    assert values is not None
    return TensorData.of(values, element_type)


def _layer_outputs(
    case: LayerCase,
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
    case: LayerCase,
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
    case: LayerCase,
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
    case: LayerCase,
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
    case: LayerCase,
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


def _element_types(case: LayerCase) -> list[str]:
    inputs = [tensor.element_type for _, tensor in case.layer.ports() if tensor is not None]
    return [t.name for t in (*inputs, *case.operation.output_types(case.layer))]
