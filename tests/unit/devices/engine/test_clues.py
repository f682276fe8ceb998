"""What a wrong answer tells of its cause: what its wrong elements share, and parameters that it is right with."""

from collections import Counter

import numpy as np
import pytest

from devices.engine import layers
from devices.engine.questions import prepare
from devices.engine.verdicts.clues import right_with
from devices.engine.verdicts.judging import judge_reply
from devices.engine.verdicts.recording import observed
from devices.process.protocol import Reply, TensorData
from ir_models import cases, operation, parse
from reference import outputs_of
from reports.gate import causes
from reports.gate.baseline import Run
from reports.results.outcomes import Outcome


def record_of(case, change, device="CPU"):
    """The record of a device whose outputs are ``change`` of what the reference gives."""
    return record_of_prepared(prepare(parse(case), 0), change, device)


def record_of_prepared(prepared, change, device="CPU"):
    """The record for a case whose expected outputs are known."""
    outputs = [[np.asarray(v) for v in change([*one])] for one in prepared.outputs]
    kinds = prepared.case.output_types
    tensors = [
        [
            TensorData.of(each.astype(kind.dtype), kind.name)
            for each, kind in zip(one, kinds, strict=True)
        ]
        for one in outputs
    ]
    shapes = [(t.element_type, f"[{','.join('?' for _ in t.shape)}]") for t in tensors[0]]
    reply = Reply(inferred=shapes, outputs=tensors)
    verdict = judge_reply(prepared, reply, device, "")
    prepared.add_clues(verdict, reply)
    return observed(verdict, device, "accuracy")


def with_other(case, other):
    """The record of a device that computes another layer, whose id is ``other`` and whose data are the same."""
    prepared = prepare(parse(case), 0)
    changed = parse(other)
    values = outputs_of(changed.operation.name, prepared.inputs[0], changed.arguments())
    return record_of(case, lambda _: [*values])


CTC = "CTCLoss-4/random/f32[1,7,8],i64[1,7]/logit_length=7,label_length=2,unique=true"
LRN = "LRN-1/plain/f32[2,5,4,3]/axes=1;alpha=1.5;beta=0.75;bias=1.5;size=3"


def test_an_ignored_attribute_is_told_by_the_value_with_which_the_answer_is_right():
    record = with_other(CTC, CTC.replace("unique=true", "unique=true,ctc_merge_repeated=false"))
    assert record.outcome is Outcome.FAIL
    assert record.right_with == ["ctc_merge_repeated=false"]
    assert record.detail.endswith("; right with ctc_merge_repeated=false")
    assert "bias=whole" in with_other(LRN, LRN.replace("bias=1.5", "bias=1.0")).right_with


def test_another_answer_is_right_with_nothing():
    assert record_of(LRN, lambda outputs: [outputs[0] + 7]).right_with == []
    assert record_of(CTC, lambda outputs: [outputs[0] * 3 + 7]).right_with == []


def test_other_parameters_of_a_large_layer_are_not_tried():
    large = LRN.replace("2,5,4,3", "2,5,80,80")
    record = with_other(large, large.replace("bias=1.5", "bias=1.0"))
    assert record.outcome is Outcome.FAIL
    assert record.clues["expected"]
    assert record.right_with == []


@pytest.mark.parametrize("most", ["inf", "nan", "1e+30"])
def test_parameters_that_are_no_usual_numbers(most):
    case = f"Clamp-1/plain/f32[2,3,5,4]/min=-1.5,max={most}"
    found = right_with(parse(case), lambda name, value: Outcome.FAIL)
    assert found == {}
    assert "max=0" in right_with(parse(case), lambda name, value: Outcome.PASS, most=50)


def test_no_other_number_of_iterations_is_tried():
    """Without a number, a loop whose condition stays true has no end."""
    tried = set()
    for case in cases(operation("Loop-5"), ["plain", "random"], draws=5):
        right_with(case, lambda name, value: tried.add(name) or Outcome.FAIL)
    assert not tried & {"trip_count", "execution_condition"}


def test_a_parameter_for_which_the_reference_takes_too_long_is_not_named(monkeypatch):
    """From 0, and not near the end of i64, the layer has 2^63 elements."""
    monkeypatch.setattr(layers, "_SECONDS", 0.05)
    case = "Range-4/variant.ends/-/start=-9223372036854775801,stop=-9223372036854775808,step=-3,output_type=i64"
    record = record_of(f"{case}/index=computed", lambda outputs: [outputs[0] * 0 + 5])
    assert record.outcome is Outcome.FAIL
    assert record.right_with == []


def test_rows_where_there_should_be_none():
    """A scalar has no axis: NonZero gives a table without rows."""
    case = "NonZero-3/variant.scalar/f32[]/data=5.0,output_type=i32/data=runtime"
    record = record_of(case, lambda _: [np.zeros((2, 1))])
    assert record.outcome is Outcome.FAIL
    assert (record.clues["extra_rows"], record.clues["lost_rows"]) == ("2", "0")


@pytest.mark.parametrize("most", ["u4:0", "i4:7", "u2:3", "u8:255", "u64:18446744073709551615"])
def test_numbers_that_an_index_type_does_not_hold_are_not_tried(most):
    case = parse(
        "NonMaxSuppression-9/random/f32[1,4,4],f32[1,2,4]/max_output_boxes_per_class=MOST".replace(
            "MOST", most
        )
    )
    tried = set()
    right_with(case, lambda name, value: tried.add((name, str(value))) or Outcome.FAIL)
    own = int(most.partition(":")[2])
    mine = {int(float(text)) for name, text in tried if name == "max_output_boxes_per_class"}
    assert mine
    assert own not in mine
    assert all(value >= 0 for value in mine) or most.startswith("i")


def test_wrong_elements_tell_where_they_are():
    case = "HSwish-4/plain/f32[2,3,5,4]/"

    def change(outputs):
        values = outputs[0].copy()
        values.flat[:2] += 1
        return [values]

    record = record_of(case, change)
    prepared = prepare(parse(case), 0)
    given = sorted(prepared.inputs[0][0].flat[:2].astype(float))
    least, most = map(float, record.clues["input0"].split(","))
    assert (least, most) == pytest.approx((given[0], given[1]))
    assert "error" not in record.clues, "an error of floating-point numbers is that of the bounds"


def test_an_error_of_integers_is_exact():
    case = "Add-1/type/i64[2,3,5,4],i64[3,1,4]/auto_broadcast=numpy"
    record = record_of(case, lambda outputs: [outputs[0] + 1])
    assert record.clues["error"] == "1,1"
    assert record.clues["expected"].split(",")[0] == str(
        prepare(parse(case), 0).outputs[0][0].min()
    )


NMS = (
    "NonMaxSuppression-3/random/f32[1,2,4],f32[1,2,2]/max_output_boxes_per_class=1,iou_threshold=0.5,"
    "score_threshold=0.5,box_encoding=center,sort_result_descending=true,output_type=i64"
)


def test_rows_that_are_missing_or_too_many():
    fewer = record_of(NMS, lambda outputs: [outputs[0][:1]])
    assert fewer.clues["missing_rows"] == "1"
    more = record_of(NMS, lambda outputs: [np.concatenate([outputs[0], outputs[0][:1]])])
    assert more.clues["extra_rows"] == "1"
    others = record_of(NMS, lambda outputs: [outputs[0][:1] + 1])
    assert "missing_rows" not in others.clues


def test_rows_are_compared_in_any_order():
    prepared = prepare(parse(NMS), 0)
    right = prepared.outputs[0][0]
    assert len(right) == 2
    fewer = record_of(NMS, lambda outputs: [outputs[0][1:]]).clues
    assert (fewer["lost_rows"], fewer["lost"]) == ("1", f"{right[0].min()},{right[0].max()}")
    another = np.concatenate([right[:1], right[1:] + 1])
    found = record_of(NMS, lambda _: [another]).clues
    assert (found["lost_rows"], found["other_rows"]) == ("1", "1")
    reordered = record_of(NMS, lambda outputs: [outputs[0][::-1]])
    assert (reordered.clues["lost_rows"], reordered.clues["other_rows"]) == ("0", "0")
    assert "lost" not in reordered.clues


def test_memory_that_was_not_written_is_told():
    def memory(outputs):
        values = outputs[0].astype(np.float32)
        values.view(np.uint8).reshape(-1)[:8] = 0x5A
        return [values]

    assert record_of("HSwish-4/plain/f32[2,3,5,4]/", memory).clues["unwritten"] == "2"
    converted = record_of(
        "Add-1/type/i64[2,3,5,4],i64[3,1,4]/auto_broadcast=numpy",
        lambda outputs: [np.full_like(outputs[0], 0x5A5A5A5A)],
    )
    assert converted.clues["unwritten"] == "120"
    assert "unwritten" not in record_of(LRN, lambda outputs: [outputs[0] + 7]).clues


def test_a_number_that_is_somewhat_larger_is_told():
    assert "alpha=larger" in with_other(LRN, LRN.replace("alpha=1.5", "alpha=1.8")).right_with


def test_another_output_tells_where_an_output_is_wrong():
    case = "MaxPool-8/plain/u8[2,3,6,5]/strides=1,1;dilations=1,1;pads_begin=0,0;pads_end=0,0;kernel=2,2"

    def change(outputs):
        indices = outputs[1].copy()
        indices[outputs[0] == outputs[0].max()] += 1
        return [outputs[0], indices]

    most = prepare(parse(case), 0).outputs[0][0].max()
    assert record_of(case, change).clues["output0"] == f"{most},{most}"


def test_a_right_answer_has_no_clues():
    record = record_of(LRN, lambda outputs: outputs)
    assert record.outcome is Outcome.PASS
    assert not record.clues
    assert not record.right_with


def asked_once(evaluate):
    """The method, evaluated once for each parameter and value: what it gives hangs on no answer."""
    found = {}

    def outputs_with(name, value):
        array = np.asarray(value)
        key = name, array.dtype.str, array.shape, array.tobytes()
        if key not in found:
            try:
                found[key] = evaluate(name, value)
            except (ValueError, ArithmeticError, LookupError, TypeError) as error:
                found[key] = error
        if isinstance(found[key], Exception):
            raise found[key]
        return found[key]

    return outputs_with


def test_no_cause_is_shown_by_the_clues_of_any_answer(monkeypatch):
    """A selector that asks for clues needs no share, so that it must not name whatever is wrong."""
    known = causes.load()
    run = Run("CPU", "accuracy", "2026.4", "x86_64")
    demanding = [
        selector
        for cause in known.by_id.values()
        for selector in cause.selectors
        if selector.needs_clues
    ]
    assert all(selector.operations for selector in demanding), "what is planted here has a name"
    planted, named = Counter(), Counter()
    for name in sorted({name for selector in demanding for name in selector.operations or ()}):
        for case in sorted(cases(operation(name), ["random"], draws=12), key=size_of)[:3]:
            prepared = prepare(parse(case.id), 0)
            monkeypatch.setattr(prepared, "_outputs_with", asked_once(prepared._outputs_with))
            for change in (shifted, zeros, reversed_elements):
                record = record_of_prepared(prepared, change)
                if record.outcome is not Outcome.FAIL:
                    continue
                planted[name] += 1
                named[name] += known.naming_narrowly(record, run, {}) is not None
    assert planted.total() > 100
    assert named.total() <= planted.total() / 20
    # Three layers are few, and one number of each may be where the device errs.
    assert not {name for name in planted if named[name] > planted[name] / 2}


def size_of(case):
    """The elements of a layer's inputs: each parameter that is tried takes the reference once more."""
    return sum(tensor.size for _, tensor in case.layer.ports() if tensor is not None)


def shifted(outputs):
    return [each + np.ones((), each.dtype) * 7 for each in outputs]


def zeros(outputs):
    return [np.zeros_like(each) for each in outputs]


def reversed_elements(outputs):
    return [each.reshape(-1)[::-1].reshape(each.shape) for each in outputs]
