"""How bad a cause is: by its usual cases, by what models have, and whether an earlier release was right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir_models.asking.id_parts import split_id
from reports.gate import severity
from reports.gate.baseline import Ending, Line
from reports.gate.causes import Cause
from reports.gate.severity import (
    NOT_SEEN,
    SEVERITIES,
    Severity,
    as_regression,
    is_plausible,
    of_cause,
    of_lines,
    of_record,
    of_records,
    on_device,
    order,
)
from reports.gate.usage import Usage
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from tests.unit.reports.small_results import record

PLAIN = "Elu-1/plain/f32[2]/alpha=1.0"
DIMS = "Elu-1/plain/f32[2]/alpha=1.0/shape=dims"
UNUSUAL = "Elu-1/type/u4[2]/alpha=1.0"


def test_a_record_of_a_regression_says_what_it_does_too() -> None:
    refused = of_record(record(PLAIN, "REFUSED", last_good="2025.4"))
    assert (refused.kind, refused.does) == ("regression", "refusal")
    assert str(refused) == "regression: refusal"
    assert as_regression(NOT_SEEN, "2025.4") == NOT_SEEN


@pytest.mark.parametrize(
    "kinds, found", [(["refusal"], True), (["regression"], True), (["crash"], False)]
)
def test_a_regression_is_of_two_kinds(kinds: list[str], found: bool) -> None:
    assert Severity("regression", True, "refusal").is_one_of(kinds) is found
    assert not Severity("silent", True).is_one_of(["regression"])


def test_the_order() -> None:
    """Regressions, of these the newest; then what models have, then the kinds; limits and the stack after all."""
    kinds = [kind for kind in SEVERITIES if kind != "regression"]
    usual = [Severity(kind, True) for kind in kinds if kind != "unchecked"]
    rare = [Severity(kind, False) for kind in kinds]
    worst = [
        Severity("regression", True, "crash", "2026.3.1"),
        Severity("regression", True, "crash", "2026.3"),
        Severity("regression", True, "crash", "2024.10"),
        Severity("regression", True, "folded", "2026.3"),
    ]
    severities = [
        *worst,
        Severity("regression", False, "crash", "2026.3"),
        usual[0],
        Severity("crash", True, is_invalid=True),
        *usual[1:],
        *rare[: kinds.index("unchecked")],
        Severity("regression", True, "unchecked", "2026.3"),
        *rare[kinds.index("unchecked") :],
        NOT_SEEN,
    ]
    keys = [order("defect", one, 1, "a") for one in severities]
    assert keys == sorted(keys)
    assert len({str(key) for key in keys}) == len(keys)
    for kind in ("limit", "stack"):
        assert order(kind, worst[0], 9, "a") > order("open", NOT_SEEN, 1, "a")
    assert order("defect", usual[0], 9, "b") < order("defect", usual[0], 1, "a")
    assert order("defect", usual[0], 1, "b") < order("page", usual[0], 9, "a")
    # What the page leaves open stands behind the defects that are as usual, and before rare ones.
    crash, silent = usual[:2]
    gap = order("open", silent, 9, "a")
    assert order("defect", usual[-1], 1, "b") < gap < order("defect", rare[0], 9, "a")
    assert (
        order("defect", crash, 1, "b")
        < order("open", crash, 9, "a")
        < order("defect", silent, 1, "b")
    )
    # So does what another OpenCL stack does right, behind all that every stack shows.
    alone = order("defect", worst[0]._replace(only_on="PoCL"), 9, "a")
    assert order("open", NOT_SEEN, 1, "b") < alone


def test_what_models_meet_comes_first_of_equally_bad_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.gate.severity.counts", lambda: {"b": Usage(sure=2, possible=3)})
    silent = Severity("silent", True)
    assert order("defect", silent, 1, "b") < order("defect", silent, 9, "a")
    assert order("defect", silent, 1, "b") > order("defect", Severity("crash", True), 1, "a")


def test_a_cause_is_as_bad_as_its_usual_cases() -> None:
    """The most frequent kind of those that models have and that are asked plainly; not the worst of all."""

    def of(*cases: tuple[str, str]) -> str:
        return str(of_records(record(case, outcome) for case, outcome in cases))

    assert of((PLAIN, "FAIL"), (PLAIN, "FAIL"), (PLAIN, "CRASH")) == "silent"
    assert of((PLAIN, "FAIL"), (PLAIN, "CRASH")) == "crash"
    assert of((PLAIN, "REFUSED"), (DIMS, "CRASH"), (DIMS, "CRASH")) == "refusal"
    assert of((UNUSUAL, "CRASH"), (UNUSUAL, "CRASH"), (DIMS, "FAIL")) == "silent"
    assert of((UNUSUAL, "CRASH"), (PLAIN, "PASS")) == "crash, rare layers"
    assert of() == "not seen"


def test_what_only_a_later_inference_shows_stands_before_crashes() -> None:
    """The first inference is right in all of several cases; a check of one inference finds nothing."""
    later = [record(PLAIN, "FAIL", facts=Facts(inference=2, kind="value"))] * 2
    first = record(PLAIN, "FAIL", facts=Facts(inference=1, kind="value"))
    crash = of_records([record(PLAIN, "CRASH")])
    assert str(of_records(later)) == "silent"
    assert order("defect", of_records(later), 1, "a") < order("defect", crash, 9, "a")
    for some in (later[:1], [*later, first]):
        assert order("defect", of_records(some), 9, "a") > order("defect", crash, 1, "a")
    lines = [(PLAIN, Line((Ending(Outcome.FAIL, one.facts),), "a")) for one in later]
    assert of_lines(lines) == of_records(later)


def test_what_empty_tensors_alone_show_stands_behind_what_others_do() -> None:
    empty = record("Elu-1/dim-0/f32[0,3]/alpha=1.0", "CRASH")
    alone, some = of_records([empty]), of_records([empty, record(PLAIN, "CRASH")])
    assert alone.is_plausible
    assert order("defect", some, 1, "a") < order("defect", alone, 9, "a")
    assert order("defect", alone, 1, "a") < order("defect", Severity("silent", True), 9, "a")


def test_lines_of_a_baseline_are_as_bad_as_departures(monkeypatch: pytest.MonkeyPatch) -> None:
    """If models have a plain case among them, the others are not looked at: there are many of these."""
    seen = []
    monkeypatch.setattr(severity, "split_id", lambda case: seen.append(case) or split_id(case))

    def of(*cases: tuple[str, str]) -> str:
        seen.clear()
        lines = [(case, Line((Ending(Outcome(each)),), "a")) for case, each in cases]
        expected = of_records(record(case, outcome) for case, outcome in cases)
        assert of_lines(lines) == expected
        return str(expected)

    assert of((DIMS, "CRASH"), (PLAIN, "REFUSED"), (DIMS, "CRASH")) == "refusal"
    assert seen == [PLAIN]
    assert of((DIMS, "FAIL"), (UNUSUAL, "CRASH"), (UNUSUAL, "CRASH")) == "silent"
    assert of((DIMS, "FAIL"), (PLAIN, "PASS")) == "silent"
    assert seen == [PLAIN, DIMS]


def test_what_writes_outside_of_its_tensors_damages_memory_whatever_its_cases_show() -> None:
    cause = Cause("a", "t", "defect", devices=("CPU", "CORE"), corrupts=("CPU",))
    silent = Severity("silent", True)
    assert str(on_device(cause, "CPU", silent)) == "crash"
    assert str(on_device(cause, "CORE", silent)) == "silent"
    assert on_device(cause, "CPU", NOT_SEEN) == NOT_SEEN
    right = replace(cause, last_good="2025.4")
    for shown in (silent, as_regression(silent, "2025.4")):
        assert str(on_device(right, "CPU", shown)) == "regression: crash"
        assert str(on_device(right, "CORE", shown)) == "regression: silent"
    wrong = [record(PLAIN, "FAIL", device=device) for device in ("CORE", "CPU")]
    assert str(of_cause(cause, wrong[:1])) == "silent"
    assert str(of_cause(cause, wrong)) == "crash"
    assert str(of_cause(None, wrong)) == "silent"
    assert of_cause(cause, []) == NOT_SEEN


@pytest.mark.parametrize(
    "case",
    [
        "Concat-1/dim-0/f32[2,3,0,8],f32[2,3,1,8]/axis=2",
        "Elu-1/dim-0/f32[0,3,5,4]/alpha=1.0",
        "Gather-8/dim-0/f32[7,4],i64[1,0]/axis=0",
        "ReduceSum-1/variant.no-axes/f32[2,3]/axes=",
        "Pad-12/invalid/f32[2,3]/pads_begin=0,-4;pads_end=0,0;pad_mode=edge/index=parameters",
        "Clamp-1/type/i8[2,3]/min=-1.0,max=2",
        "CumSum-3/plain/f32[2,3]/axis=1,exclusive=false,reverse=false",
        "AvgPool-1/plain/f32[2,3,11]/strides=2;pads_begin=1;pads_end=0;kernel=3;exclude_pad=true",
        "AvgPool-16/plain/f32[2,3,11]/strides=2;dilations=1;pads_begin=1;pads_end=0;kernel=3;exclude_pad=true",
        "ScatterElementsUpdate-12/invalid/f32[2,6],i64[2,4],f32[2,4]/axis=1/data=runtime",
        "decompression/graphs/f32[2,4],u4[4,4],f32[4,1]",
        "RoPE-halves/graphs/f32[2,3,3,8],f32[1,1,3,8],f32[1,1,3,8],f32[]/equal=3-5",
        "StringTensorUnpack-15/plain/string[2]/-",
        "Elu-1/model/u4[0,0]/model=a,layer=b",
        "TopK-11/plain/f32[2,3]/k=i32:2,axis=1",
        "OneHot-1/plain/i64[2,3,4],f32[],f32[]/depth=5,axis=1/data=constant",
        "PReLU-1/plain/f32[2,3],f32[3]/-/constant=slope",
        "Interpolate-4/plain/f32[2,3,5,7]/sizes=8,5;pads_begin=0,0;pads_end=0",
        "Slice-8/plain/f32[3,6]/start=0;stop=9223372036854775807;step=1;axes=1",
        "Divide-1/type/i32[2,3],i32[3]/auto_broadcast=numpy",
        "Add-1/plain/f32[2,3],f32[3]/auto_broadcast=numpy/constant=b,behind=divide,number=zero",
    ],
)
def test_layers_that_models_have(case: str) -> None:
    assert is_plausible(split_id(case))


@pytest.mark.parametrize(
    "case",
    [
        "Elu-1/dim-0/f32[2,0,5,4]/alpha=1.0",
        "Elu-1/dim-0/f32[0,3,0,4]/alpha=1.0",
        "Elu-1/rank/f32[1,2,1,2,1,2,3]/alpha=1.0",
        "Convert-1/type/u4[2,3]/destination_type=f16",
        "Convert-1/type/f32[2,3]/destination_type=u1",
        "Concat-1/type/u4[2,3],u4[2,3]/axis=0/data=constant",
        "Add-1/variant.pdpd/f32[2,3],f32[2]/auto_broadcast=pdpd",
        "Abs-1/plain/f32[2,3]/-/values=special",
        "TopK-11/plain/f32[2,3]/k=i4:2,axis=1",
        "Pad-12/invalid/f32[2,3]/pads_begin=0,-4;pads_end=0,0;pad_mode=edge",
        "Roll-7/invalid/f32[2,3]/shift=2;axes=3/index=parameters",
        "PriorBox-1/invalid/-/output_size=3;image_size=48,60;offset=0.25/index=parameters",
        "ReduceSum-1/plain/f32[2,3]/axes=1/index=parameters",
        "Clamp-1/type/i8[2,3]/min=-1.5,max=2",
        "Range-4/variant.ends/-/start=9223372036854775800,stop=9223372036854775807,step=3,output_type=i64",
        "AvgPool-16/left-out/f32[2,3,11]/strides=2;pads_begin=1;pads_end=0;kernel=3;exclude_pad=true",
        "Gather-8/type/string[7,4],i64[1]/axis=0",
        "OneHot-1/plain/i64[2,3,4],f32[],f32[]/depth=5,axis=1",
        "PReLU-1/plain/f32[2,3],f32[3]/-/constant=data",
        "Interpolate-4/plain/f32[2,3,5,7]/sizes=8,5;pads_begin=0,1;pads_end=0",
        "Slice-8/variant.step/f32[3,6]/start=0;stop=5;step=-2147483648;axes=1",
        "Atanh-3/type/i32[2,3]/-",
        "quantized-ReduceMean/graphs/f32[2,3],f32[]/most.extreme=small",
        "Gelu-tanh/graphs/f32[2,3,4],f32[],f32[],f32[],f32[],f32[]/root.near=1.01",
        "RoPE-halves/graphs/f32[2,3,5,5],f32[1,1,5,5],f32[1,1,5,5],f32[]/equal=5-8",
        "Add-1/plain/f32[2,3],f32[3]/auto_broadcast=numpy/constant=b,behind=divide,number=most",
        "MVN-1/plain/f32[2,3,4]/reduction_axes=1,normalize_variance=true,eps=1.0",
        "LRN-1/variant.no-axes/f32[2,5]/axes=,alpha=1.5,beta=0.75,bias=2.0,size=3",
    ],
)
def test_layers_that_models_do_not_have(case: str) -> None:
    assert not is_plausible(split_id(case))
