"""Wrong answers that are right for inputs which were converted to a narrower type first."""

import numpy as np
import pytest

from devices.engine.questions import prepare
from devices.engine.verdicts.judging import judge_reply
from devices.process.protocol import Reply, TensorData
from ir_models import parse
from reports.results.outcomes import Outcome


def answered(case, narrow, spoil=None, place=-1):
    """The verdict on a device that narrows its input, computes as the reference does, and errs in one ``place``."""
    prepared = prepare(parse(case), 0)
    (outputs,) = prepared.outputs_for("", narrow)
    values = [each.value.copy() for each in outputs]
    if spoil is not None:
        values[0].flat[place] = spoil
    kinds = prepared.case.output_types
    tensors = [
        TensorData.of(each.astype(kind.dtype), kind.name)
        for each, kind in zip(values, kinds, strict=True)
    ]
    shapes = [(t.element_type, f"[{','.join(map(str, t.shape))}]") for t in tensors]
    reply = Reply(inferred=shapes, outputs=[tensors])
    return judge_reply(prepared, reply, "CPU", "")


def as_f32(values):
    if values.dtype != np.float64:
        return values
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def as_i32(values):
    return values.astype(np.int32).astype(values.dtype) if values.dtype == np.int64 else values


def clipped(values):
    return np.clip(values, -(2**31), 2**31 - 1) if values.dtype == np.int64 else values


def same(values):
    return values


F64 = "Transpose-1/type/f64[3,5,2,4]/input_order=2,0,3,1/values=large"
I64 = "Transpose-1/type/i64[3,5,2,4]/input_order=2,0,3,1/values=large"


@pytest.mark.parametrize(
    "case, narrow, told",
    [
        (F64, as_f32, "f64 as f32"),
        (I64, as_i32, "i64 as i32"),
        (I64, clipped, "i64 as i32"),
    ],
)
def test_a_narrowed_input_is_told(case, narrow, told):
    verdict = answered(case, narrow)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.facts.computed_as == told


@pytest.mark.parametrize("case, narrow", [(F64, as_f32), (I64, as_i32)])
def test_another_fault_besides_is_not_told_so(case, narrow):
    verdict = answered(case, narrow, spoil=7)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.facts.computed_as == ""


def test_a_right_answer_is_computed_as_it_should_be():
    verdict = answered(F64, same)
    assert (verdict.outcome, verdict.facts.computed_as) == (Outcome.PASS, "")


@pytest.mark.parametrize(
    "spoil, told", [(-3.0, ""), (np.inf, "f64 as f32"), (np.nan, "f64 as f32")]
)
def test_what_f32_leaves_open_must_show_that_it_overflowed(spoil, told):
    """x / (1 + |x|) of a number beyond f32 is infinity by infinity there, where the page has 1."""
    case = "SoftSign-9/type/f64[2,3,5,4]/-/values=large"
    assert answered(case, as_f32, spoil=spoil, place=0).facts.computed_as == told


def test_what_f32_leaves_open_must_show_that_it_overflowed_where_the_page_has_a_choice():
    case = (
        "Interpolate-4/type/f64[2,3,5,7]/sizes=8,5;scales=2.5,0.25;axes=2,3;mode=linear;"
        "shape_calculation_mode=sizes;coordinate_transformation_mode=half_pixel;"
        "nearest_mode=round_prefer_floor;antialias=false;pads_begin=0,0,1,0;pads_end=0,0,0,2;"
        "cube_coeff=-0.75/values=special"
    )
    verdict = answered(case, same, spoil=2.0, place=4)
    assert (verdict.outcome, verdict.facts.computed_as) == (Outcome.FAIL, "")


ASSIGN = "Assign-3/type/f64[3,4,5],f64[3,4,5]/variable_id=lstm_state_1,update=add/state="


def answered_of_f32(case, spoil=None, inference=0):
    """The verdict on a device that keeps a variable of f32, which it converts to f64 for the output."""
    prepared = prepare(parse(case), 0)
    variable, outputs = None, []
    for number, (new_value, init_value) in enumerate(prepared.inputs):
        turn = prepared.case.how.turns[number]
        if turn.before:
            variable = prepared.case.set_before(number).astype(np.float32)
        if variable is None:
            variable = init_value.astype(np.float32)
        outputs.append([variable.astype(np.float64)])
        variable = variable + new_value.astype(np.float32)
        if turn.queried:
            outputs[-1].append(variable.astype(np.float64))
    if spoil is not None:
        outputs[inference][0].flat[-1] = spoil
    tensors = [[TensorData.of(each, "f64") for each in found] for found in outputs]
    return judge_reply(prepared, Reply(inferred=[("f64", "[3,4,5]")], outputs=tensors), "CPU", "")


@pytest.mark.parametrize("state", ["kept", "set", "queried"])
def test_a_narrowed_variable_is_told(state):
    verdict = answered_of_f32(ASSIGN + state)
    assert (verdict.outcome, verdict.facts.computed_as) == (Outcome.FAIL, "f64 as f32")


@pytest.mark.parametrize("inference", [0, 2])
def test_another_fault_in_a_narrowed_variable_is_not_told_so(inference):
    verdict = answered_of_f32(ASSIGN + "kept", spoil=7, inference=inference)
    assert (verdict.outcome, verdict.facts.computed_as) == (Outcome.FAIL, "")
