"""Prepares cases for a device: input values, expected outputs, the model of a pack; and splits replies by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from devices.protocol import Question, Reply, TensorData
from ir_models import Case, ir
from reference import Expected, answer, coarsens


@dataclass
class PreparedCase:
    """A case with the values of its inputs and its expected outputs, a list of each for every inference.

    ``expected`` is empty for an invalid case. ``computed_in`` is the precision that the bounds of ``expected`` are for,
    or "" for the element types of the layer.
    """

    case: Case
    inputs: list[list[np.ndarray | None]]
    expected: list[list[Expected]]
    computed_in: str = ""

    def set_precision(self, precision: str) -> None:
        """Give the expected outputs the bounds of a precision that the device computed in, if it is coarser."""
        coarser = precision if coarsens(precision, _element_types(self.case)) else ""
        if coarser != self.computed_in:
            self.computed_in = coarser
            self.expected = _expected_outputs(self.case, self.inputs, coarser)


def prepare(case: Case, seed: int) -> PreparedCase:
    """The case with its input values and expected outputs. Raises what its reference raises."""
    inputs = [case.arrays(inference, seed) for inference in range(case.how.inferences)]
    if case.is_invalid:
        return PreparedCase(case, inputs, [])
    return PreparedCase(case, inputs, _expected_outputs(case, inputs))


def question_for(pack: Sequence[PreparedCase], seed: int) -> Question:
    """The model of a pack and its inputs."""
    cases = [prepared.case for prepared in pack]
    shapes = [
        [output.value.shape for output in prepared.expected[0]] if prepared.expected else None
        for prepared in pack
    ]
    model = ir.write(cases, shapes, seed)
    how = cases[0].how
    feeds = [
        {
            name: _tensor(pack[port.case].inputs[inference][port.port], port.element_type.name)
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
    )


def replies_by_case(pack: Sequence[PreparedCase], question: Question, reply: Reply) -> list[Reply]:
    """The reply to the question of a pack as one reply for each case."""
    replies = []
    start = 0
    for prepared, layer in zip(pack, question.layers, strict=True):
        stop = start + len(prepared.expected[0])
        kernels = {layer: reply.kernels[layer]} if layer in reply.kernels else {}
        replies.append(
            replace(
                reply,
                inferred=reply.inferred[start:stop],
                outputs=[outputs[start:stop] for outputs in reply.outputs],
                kernels=kernels,
            )
        )
        start = stop
    return replies


def _tensor(values: np.ndarray | None, element_type: str) -> TensorData:
    assert values is not None
    return TensorData.of(values, element_type)


def _expected_outputs(
    case: Case, inputs: list[list[np.ndarray | None]], computed_in: str = ""
) -> list[list[Expected]]:
    return [
        answer(
            case.operation.name,
            values,
            layer.arguments(),
            [t.name for t in case.operation.output_types(layer)],
            computed_in,
        )
        for values, layer in zip(inputs, case.layers, strict=True)
    ]


def _element_types(case: Case) -> list[str]:
    inputs = [tensor.element_type for _, tensor in case.layer.ports() if tensor is not None]
    return [t.name for t in (*inputs, *case.operation.output_types(case.layer))]
