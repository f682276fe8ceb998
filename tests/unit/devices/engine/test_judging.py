"""What is said of an answer, apart from its values."""

from __future__ import annotations

import numpy as np
import pytest

import ir_models
from devices.engine.questions import prepare
from devices.engine.verdicts.judging import admits, judge, quality_detail, same_outputs
from devices.engine.verdicts.verdict import Verdict, not_in_release
from devices.process.messages import one_line
from devices.process.protocol import Kernel, Reply, TensorData
from ir_models import ELEMENT_TYPES
from reference import Comparison
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from reports.results.releases import is_not_in_release


@pytest.mark.parametrize(
    "partial, shape",
    [
        ("[2,3]", (2, 3)),
        ("[?,3]", (7, 3)),
        ("[1..4,3]", (4, 3)),
        ("[..4,3]", (0, 3)),
        ("[5..,3]", (5, 3)),
        ("[...]", (1, 2, 3)),
        ("[]", ()),
    ],
)
def test_a_partial_shape_admits(partial: str, shape: tuple[int, ...]) -> None:
    assert admits(partial, shape)


@pytest.mark.parametrize(
    "partial, shape",
    [
        ("[2,3]", (2, 4)),
        ("[2,3]", (2, 3, 1)),
        ("[1..4,3]", (5, 3)),
        ("[5..,3]", (4, 3)),
        ("[..4,3]", (5, 3)),
        ("[?]", ()),
        ("[]", (1,)),
    ],
)
def test_a_partial_shape_does_not_admit(partial: str, shape: tuple[int, ...]) -> None:
    assert not admits(partial, shape)


LATER = "Opset {} doesn't contain the operation with type: {}"
NO_NAME = "type object 'openvino._pyopenvino.Type' has no attribute '{}'"


def test_a_message_is_one_line_without_source_files() -> None:
    error = (
        "Exception from src/inference/src/cpp/core.cpp:125:\n"
        "Check 'rank > 2' failed at src/core/shape.cpp:30:\n"
        "While validating node 'SpaceToDepth'\n"
    )
    assert one_line(error) == "Check 'rank > 2' While validating node 'SpaceToDepth'"
    assert one_line("") == ""
    assert one_line("Exception from src/core.cpp:1:") == "Exception from src/core.cpp:1:"
    assert len(one_line("x" * 5000)) == 400


@pytest.mark.parametrize(
    "around",
    ["[AUTO] compile model failed, CPU:", "Standard exception from compilation library: "],
)
def test_a_message_from_below_a_virtual_device_is_that_of_the_device(around: str) -> None:
    error = (
        "Exception from src/inference/src/cpp/core.cpp:125:\n"
        f"{around}Exception from src/inference/src/dev/plugin.cpp:54:\n"
        "Check 'rank > 2' failed at src/core/shape.cpp:30:\n"
        "no such rank\n; \n"
    )
    assert one_line(error) == "Check 'rank > 2' no such rank"


@pytest.mark.parametrize(
    "coarse, silent, text",
    [
        (12, 0, "12 of 1,840 elements outside the quality bound"),
        (0, 1, "1 of 1,840 elements differs where the specification is silent"),
        (0, 3, "3 of 1,840 elements differ where the specification is silent"),
        (
            12,
            3,
            "12 of 1,840 elements outside the quality bound; 3 elements differ where the specification is silent",
        ),
        (
            1,
            1,
            "1 of 1,840 elements outside the quality bound; 1 element differs where the specification is silent",
        ),
    ],
)
def test_open_elements_are_told_apart_from_coarse_ones(coarse: int, silent: int, text: str) -> None:
    assert quality_detail(Comparison(0, coarse, 1840, open=silent)) == text


def f32(*values: float) -> list[TensorData]:
    return [TensorData.of(np.array(values, np.float32), "f32")]


def test_same_outputs_is_bit_for_bit_but_for_nan() -> None:
    nans = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000], np.uint32).view(np.float32)
    assert same_outputs(f32(1, nans[0]), f32(1, nans[1]))
    assert same_outputs(f32(1, nans[0]), f32(1, nans[2]))
    assert not same_outputs(f32(0.0), f32(-0.0))
    assert not same_outputs(f32(1), f32(1, 2))
    assert not same_outputs(f32(1), [TensorData.of(np.array([1], np.int32), "i32")])
    words = [TensorData("string", (1,), ["a"]), TensorData("string", (1,), ["b"])]
    assert same_outputs(words[:1], words[:1])
    assert not same_outputs(words[:1], words[1:])


@pytest.mark.parametrize(
    "case, inferred, expected",
    [
        # Its elements decide how many there are.
        ("NonZero-3/variant.all-zeros/i64[3]/data=[0,0,0];output_type=i32", "[1,0]", "FOLDED"),
        (
            "NonZero-3/variant.all-zeros/i64[3]/data=[0,0,0];output_type=i32/data=runtime",
            "[1,0..3]",
            "PASS",
        ),
        ("NonZero-3/dim-0/f32[3,0,4]/output_type=i32", "[3,0]", "FOLDED"),
        # There is no element to read.
        ("ReduceSum-1/dim-0/f32[3,0,5,4]/axes=[1,2];keep_dims=true", "[3,1,1,4]", "FOLDED"),
        ("ReduceSum-1/plain/f32[3,2,5,4]/axes=[1,2];keep_dims=true", "[3,1,1,4]", "PASS"),
    ],
)
def test_what_may_be_folded(case: str, inferred: str, expected: str) -> None:
    prepared = prepare(ir_models.parse(case), 0)
    types = [t.name for t in prepared.case.operation.output_types(prepared.case.layer)]
    actual = [
        [TensorData.of(e.value.astype(ELEMENT_TYPES[t].dtype), t)]
        for (e,), t in zip(prepared.expected, types, strict=True)
    ]
    found = [(types[0], inferred)]
    kernel = Kernel("Const", "", "")
    verdict = judge(prepared.case, prepared.expected, actual, found, kernel)
    assert verdict.outcome is Outcome.FOLDED
    assert verdict.expected_outcome == expected


@pytest.mark.parametrize(
    "case, inferred, outcome",
    [
        ("Squeeze-1/plain/f32[1,3,1,4,1]/axes=[0,2]/shape=dims", "[?,?,?]", "PASS"),
        ("Squeeze-1/plain/f32[1,3,1,4,1]/axes=[0,2]/shape=dims", "[...]", "FAIL"),
        # Of computed axes, and of bounds that exclude 1, the page does not speak.
        ("Squeeze-1/plain/f32[1,3,1,4,1]/axes=[0,2]/index=computed,shape=dims", "[...]", "PASS"),
        ("Squeeze-1/plain/f32[1,3,1,4,1]/axes=[0,2]/shape=bounds", "[...]", "PASS"),
        ("Squeeze-15/plain/f32[1,3,5]/axes=[0],allow_axis_skip=true/shape=dims", "[...]", "PASS"),
        ("Squeeze-15/plain/f32[1,3,5]/axes=[0],allow_axis_skip=true/shape=dims", "[?,?]", "FAIL"),
    ],
)
def test_the_rank_that_a_page_promises(case: str, inferred: str, outcome: str) -> None:
    prepared = prepare(ir_models.parse(case), 0)
    actual = [
        [TensorData.of(output.value.astype(np.float32), "f32") for output in outputs]
        for outputs in prepared.expected
    ]
    verdict = judge(prepared.case, prepared.expected, actual, [("f32", inferred)], None)
    assert verdict.outcome == outcome
    assert (outcome == "FAIL") == ("its rank should be" in verdict.detail)


def test_a_constant_kernel_is_told_by_its_layer_type() -> None:
    assert Kernel("Const", "", "").is_constant
    assert Kernel("Constant", "", "").is_constant
    assert not Kernel("ConstantOfShape", "", "").is_constant


COLLECT = (
    "Loop-5/plain/f32[3,1,1,5],f32[3,4,1,5]/"
    "trip_count={},execution_condition=true,body={},axis=1,output_axis=2{}"
)
CHOICE = "If-8/plain/boolean[],f32[2,5,3],f32[2,5,3],f32[4,7]/{}then_body={},else_body={}{}"


@pytest.mark.parametrize(
    ("case", "gives_constants"),
    [
        # The state that came first is not in the outputs of collect, once an iteration ran.
        (COLLECT.format(4, "collect", "/constant=data"), True),
        (COLLECT.format(4, "collect", "/constant=state"), False),
        (COLLECT.format(4, "accumulate", "/constant=data"), False),
        (COLLECT.format(0, "collect", "/constant=data"), False),
        (COLLECT.format(4, "collect", ""), False),
        # The condition chooses a body that takes nothing.
        (CHOICE.format("cond=false,", "first", "constant", ""), True),
        (CHOICE.format("cond=true,", "first", "constant", ""), False),
        (CHOICE.format("cond=true,", "first", "constant", "/constant=x"), True),
        (CHOICE.format("cond=false,", "first", "constant", "/data=runtime"), False),
        (CHOICE.format("", "first", "constant", "/constant=cond"), False),
        (CHOICE.format("", "constant", "constant", ""), False),
    ],
)
def test_only_a_constant_comes_out_of_bodies_that_read_nothing_else(
    case: str, gives_constants: bool
) -> None:
    found = ir_models.parse(case)
    assert not found.is_constant
    assert found.gives_constants == gives_constants
    outcome = Verdict(found, Outcome.PASS).expected_outcome
    assert outcome == (Outcome.FOLDED if gives_constants else Outcome.PASS)


@pytest.mark.parametrize(
    "case",
    [
        # Neither cond nor a part of what says how often the body runs.
        "If-8/invalid/-,f32[2,5,3],f32[2,5,3],f32[4,7]/then_body=add,else_body=subtract",
        "Loop-5/invalid/f32[3,1,1,5],f32[3,4,1,5]/trip_count=4,body=accumulate,axis=1,output_axis=2",
    ],
)
def test_an_invalid_layer_has_no_constant_outputs(case: str) -> None:
    assert Verdict(ir_models.parse(case), Outcome.PASS).expected_outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("stage", "error", "release", "is_absent"),
    [
        ("read", "Attempt to create op from unsupported opset", "2024.0.0-1", True),
        ("compile", "Attempt to create op from unsupported opset", "2024.0.0-1", False),
        ("read", LATER.format("opset17", "BGRtoNV12"), "2026.2.0-21903-b6a5a6c91a5", True),
        ("read", LATER.format("opset16", "OneHot"), "2025.2.0-19140", True),
        ("read", LATER.format("opset15", "SearchSorted"), "2024.4.0-16579", True),
        ("infer", NO_NAME.format("u2"), "2025.4.0-1", True),
        ("infer", NO_NAME.format("u2"), "2026.4.1-1", False),
        ("infer", NO_NAME.format("u8"), "2025.4.0-1", False),
        ("infer", NO_NAME.format("u3"), "2025.2.0-19140", True),
        ("infer", NO_NAME.format("u6"), "2026.4.1-1", False),
        # From here on the operation set is whole: an operation that is missing is refused.
        ("read", LATER.format("opset17", "BGRtoNV12"), "2026.4.1-1", False),
        ("read", LATER.format("opset16", "OneHot"), "2025.4.0-1", False),
        ("read", LATER.format("opset15", "SearchSorted"), "2024.5.0-17288", False),
        ("read", LATER.format("opset17", "BGRtoNV12"), "custom_master", False),
        # The release has had this operation set for long.
        ("read", LATER.format("opset1", "LSTMSequence"), "2025.2.0-19140", False),
    ],
)
def test_a_release_is_older_than_an_operation(stage, error, release, is_absent) -> None:
    assert is_not_in_release(stage, error, release) == is_absent


def test_a_type_that_a_release_lacks_is_named() -> None:
    reply = Reply(stage="infer", error=NO_NAME.format("u2"))
    found = not_in_release(ir_models.parse("Abs-1/type/f16[2]"), reply, "2025.4.0-1")
    assert found is not None
    assert found.detail == "this release of OpenVINO is older than the layer: it has no type u2"


@pytest.mark.parametrize(
    ("outcome", "facts", "departs"),
    [
        (Outcome.PASS, Facts(), False),
        (Outcome.QUALITY, Facts(), False),
        (Outcome.FAIL, Facts(kind="value", inference=1), True),
        (Outcome.REFUSED, Facts(kind="message"), True),
        (Outcome.FLAKE, Facts(kind="two answers", inference=1), True),
        (Outcome.FLAKE, Facts(kind="only in a pack"), False),
        (Outcome.FLAKE, Facts(kind="not repeated"), False),
        (Outcome.ERROR, Facts(), False),
        (Outcome.ABSENT, Facts(), False),
    ],
)
def test_what_departs_alone(outcome: Outcome, facts: Facts, departs: bool) -> None:
    verdict = Verdict(ir_models.parse("ReLU-1/plain/f32[2,3,5,4]"), outcome, "", facts)
    assert verdict.departs is departs


def test_a_later_inference_and_a_small_error_are_ways_of_their_own() -> None:
    case = ir_models.parse("ReLU-1/plain/f32[2,3,5,4]")
    ways = [
        Verdict(
            case,
            Outcome.FAIL,
            facts=Facts(kind="value", inference=inference),
            comparison=Comparison(1, 0, 2, relative_error=error),
        ).way
        for inference in (1, 2, 3)
        for error in (0.5, 1e-4)
    ]
    assert len({*ways}) == 4
    assert ways[0] == ("FAIL", "", "value", "", "", "")
