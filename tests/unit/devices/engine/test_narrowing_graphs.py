"""Wrong answers of graphs that are right for narrower types inside the graph."""

import numpy as np
import pytest

from devices.engine.questions import prepare
from devices.engine.verdicts.judging import judge_reply
from devices.engine.verdicts.narrowing_graphs import graph_computed_as
from devices.process.protocol import Reply, TensorData
from ir_models import parse
from ir_models.graphs import evaluate, read
from reference import Expected
from reports.results.outcomes import Outcome


def verdict(case, computed, spoil=None):
    """The verdict on a device that ``computed`` its result of the data, and errs in one place."""
    prepared = prepare(parse(case), 0)
    inferences = []
    for evaluated in prepared.evaluated:
        (kind,) = prepared.case.result_types
        with np.errstate(all="ignore"):
            values = np.array(computed(evaluated.arrays["x"]), kind.dtype)
        if spoil is not None:
            values.flat[0] = spoil
        inferences.append([TensorData.of(values, kind.name)])
    shapes = [(t.element_type, f"[{','.join(map(str, t.shape))}]") for t in inferences[0]]
    reply = Reply(inferred=shapes, outputs=inferences)
    return judge_reply(prepared, reply, "CPU", "")


def saturated(x):
    """To i32 as x86 does, the least number for all that does not fit."""
    wide = x.astype(np.float64)
    return np.where((wide >= -(2.0**31)) & (wide < 2.0**31), wide, -(2.0**31)).astype(np.int32)


# What is computed, of data of the type that the name ends with: a conversion, and one more.
CASES = [
    (
        "Conversions-i32/graphs/i32[2,3,40]/a.destination_type=u16",
        lambda x: x,
        "16 bits as i32",
    ),
    (
        "Conversions-f64/graphs/f64[2,3,40]/a.destination_type=f64",
        lambda x: np.clip(x, -3.4028234663852886e38, 3.4028234663852886e38).astype(np.float32),
        "f64 as f32",
    ),
    (
        "Conversions-i64/graphs/i64[2,3,40]/a.destination_type=i64",
        lambda x: np.clip(x, -(2**31), 2**31 - 1),
        "i64 as i32",
    ),
    (
        "Conversions-f32/graphs/f32[2,3,40]/a.destination_type=u32",
        saturated,
        "u32 as i32",
    ),
    (
        "Conversions-i64/graphs/i64[2,3,40]/a.destination_type=f64,y.destination_type=f64",
        lambda x: np.clip(x, -(2**31), 2**31 - 1).astype(np.float32),
        "f64 as f32, i64 as i32",
    ),
]


@pytest.mark.parametrize("case, computed, told", CASES, ids=[told for *_, told in CASES])
def test_what_a_wrong_answer_is_right_for(case, computed, told):
    found = verdict(case, computed)
    assert (found.outcome, found.facts.computed_as) == (Outcome.FAIL, told)


@pytest.mark.parametrize("case, computed, told", CASES, ids=[told for *_, told in CASES])
def test_one_more_wrong_element_is_right_for_nothing(case, computed, told):
    found = verdict(case, computed, spoil=77)
    assert (found.outcome, found.facts.computed_as) == (Outcome.FAIL, "")


def test_a_result_of_another_shape_for_narrower_types_is_no_explanation():
    """Two numbers that differ in their upper bits alone are one without these."""
    text = "x=i64[2]:4294967297,1; y=Unique-10(x){sorted=true}; return y"
    graph = evaluate(read(text))
    asked = []
    found = graph_computed_as(
        [graph],
        [[Expected(graph.arrays["y"])]],
        lambda graphs: [[Expected(each.arrays["y"])] for each in graphs],
        lambda expected: asked.append(expected) or Outcome.FAIL,
    )
    assert (found, len(asked)) == (
        "",
        1,
    )  # clipped they are two numbers, without their upper bits one
