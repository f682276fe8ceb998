"""Outputs that equal the exact ones as their types round them are right by every bound, so that none need be built."""

from __future__ import annotations

import numpy as np
import pytest

import ir_models
from devices.engine.questions import prepare
from devices.engine.verdicts.judging import chosen_outputs
from devices.process.protocol import TensorData
from ir_models import Operation
from ir_models.asking.how import USUAL, How
from reference import as_rounded, compare
from reference.accuracy.precision import is_float, rounded


def answer(output: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An output as a device gives it that errs nowhere."""
    if output.dtype == dtype or not is_float(dtype):
        return output.astype(dtype)
    return rounded(output, dtype)


@pytest.mark.parametrize("how", [USUAL, How(values="special")], ids=["usual", "special"])
@pytest.mark.parametrize("operation", ir_models.operations(), ids=lambda each: each.name)
def test_what_is_rounded_once_is_right_by_its_bounds(operation: Operation, how: How) -> None:
    for case in ir_models.cases(operation, ["plain"]):
        if case.how != how:
            continue
        prepared = prepare(case, 0)
        for outputs, expected in zip(prepared.outputs, prepared.expected, strict=True):
            wanted = as_rounded(operation.name, outputs)
            kinds = case.output_types[: len(outputs)]
            with np.errstate(all="ignore"):
                given = [answer(each, k.dtype) for each, k in zip(outputs, kinds, strict=True)]
            tensors = [TensorData.of(each, k.name) for each, k in zip(given, kinds, strict=True)]
            bounded = chosen_outputs(expected, [each.name for each in kinds], tensors)
            for one, other, came in zip(wanted, bounded, given, strict=False):
                assert compare(one, came).wrong == 0
                found = compare(other, came)
                assert (found.wrong, found.coarse, found.open, found.statistic) == (0, 0, 0, "")


@pytest.mark.parametrize(
    ("operation", "count", "fractions"),
    [
        ("Transpose-1", 2000, [None]),
        ("Exp-1", 2000, [0.0]),
        ("MatMul-1", 999, [0.0]),
        # The variance and the bias of so many sums are tested.
        ("MatMul-1", 1000, []),
        ("Multinomial-13", 2, []),
    ],
)
def test_where_no_bound_is_needed(
    operation: str, count: int, fractions: list[float | None]
) -> None:
    values = np.ones(count)
    found = as_rounded(operation, [values])
    assert [compare(each, values.astype(np.float32)).fraction for each in found] == fractions


def test_an_answer_that_is_not_the_rounded_one_needs_a_bound() -> None:
    (third,) = as_rounded("Divide-1", [np.full(1, 1 / 3)])
    right = np.full(1, 1 / 3, np.float32)
    assert compare(third, right).wrong == 0
    assert compare(third, np.nextafter(right, np.float32(1))).wrong == 1
