"""Whatever a device answers is judged: no answer makes the suite itself fail, or pass for the right one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import ir_models
from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.verdicts.judging import judge
from devices.process.protocol import TensorData
from ir_models import ELEMENT_TYPES
from reports.results.outcomes import Outcome


def of_bytes(kind: str, shape: tuple[int, ...], byte: int) -> TensorData:
    """A tensor of bytes that are all the same."""
    element_type = ELEMENT_TYPES[kind]
    if element_type.kind == "string":
        return TensorData(kind, shape, [chr(byte % 128)] * int(np.prod(shape)))
    packed = element_type.pack(np.zeros(shape, element_type.dtype))
    # Of booleans only 0 and 1 are values.
    return TensorData(kind, shape, np.full_like(packed, byte % 2 if kind == "boolean" else byte))


def answers(prepared: PreparedCase) -> Iterator[list[list[TensorData]]]:
    """Numbers that are -1, NaN, the lowest, the largest or 0; and shapes that are not the expected ones."""
    types = [each.name for each in prepared.case.output_types]
    expected = [[output.value.shape for output in outputs] for outputs in prepared.expected]
    for byte in (0xFF, 0x80, 0x7F, 0x00):
        yield [
            [of_bytes(kind, shape, byte) for kind, shape in zip(types, shapes, strict=True)]
            for shapes in expected
        ]
    for change in (
        lambda shape: (*shape, 1),
        lambda shape: shape[1:],
        lambda shape: (0, *shape[1:]),
        lambda shape: (len(shape) + 7, *shape[1:]),
    ):
        yield [
            [of_bytes(kind, change(shape), 0x01) for kind, shape in zip(types, shapes, strict=True)]
            for shapes in expected
        ]


@pytest.mark.parametrize("name", [operation.name for operation in ir_models.operations()])
def test_every_answer_has_a_verdict(name: str) -> None:
    """The plain layer, where all answers that are the same everywhere and of the expected shape cannot be right."""
    case = next(ir_models.cases(ir_models.operation(name), ["plain"], depth="single"))
    prepared = prepare(case, 0)
    inferred = [(each.name, "[...]") for each in case.result_types]
    outcomes = [
        judge(case, prepared.expected, answer, inferred, None).outcome
        for answer in answers(prepared)
    ]
    assert Outcome.FAIL in outcomes
    assert Outcome.ERROR not in outcomes
