"""Evidence for failure folders: what is expected next to what came, however much of it came."""

import numpy as np
import pytest

import ir_models
from devices import Evidence, Verdict
from devices.engine.case_files import _actual, _nearest_expected
from devices.engine.questions import prepare, question_for
from devices.process.protocol import Reply, TensorData
from reports.results.outcomes import Outcome

CASE = "ReLU-1/plain/f32[2,3,5,4]/-/shape=dims"


def evidence(inferences, expected=None, pack=True):
    """The evidence of a case of three inferences; the device made so many."""
    known = prepare(ir_models.parse(CASE), 0)
    outputs = [[TensorData.of(each.value, "f32") for each in row] for row in known.expected]
    reply = Reply(devices=["CPU"], stage="infer", outputs=outputs[:inferences])
    right = known.expected if expected is None else expected
    return known, Evidence(
        question_for([known]), lambda: right, reply, [known.case] if pack else []
    )


@pytest.mark.parametrize("inferences", [0, 1, 2, 3])
def test_a_device_may_stop_before_the_last_inference(inferences):
    known, found = evidence(inferences)
    verdict = Verdict(known.case, Outcome.REFUSED)
    nearest = _nearest_expected(verdict, found)
    assert len(nearest) == 3
    for row, expected in zip(nearest, known.expected, strict=True):
        assert np.array_equal(row[0].value, expected[0].value)


def test_nothing_is_expected_of_an_invalid_layer():
    known, found = evidence(1, [])
    assert _nearest_expected(Verdict(known.case, Outcome.ACCEPTED_INVALID), found) == []


def test_a_shape_that_no_array_has_is_left_out():
    outputs = [TensorData("f32", (0, 2**63), np.zeros(0, np.uint8))]
    assert _actual(["output"], outputs) == []
    (kept,) = _actual(["output"], [TensorData.of(np.ones(2, np.float32), "f32")])
    assert kept.raw.tolist() == [1.0, 1.0]
