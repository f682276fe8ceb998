"""Baselines: what a line admits, how runs compare, and what is known of a case."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace as changed

from reports.gate.baseline import (
    PASSES,
    Baseline,
    Ending,
    KnownCase,
    Line,
    Relation,
    Run,
    architecture_of,
    departs,
    differences,
    from_records,
    line_of,
    must_be_same_bits,
    relation,
    run_of,
)
from reports.results.facts_of_departures import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.records import VARIES, CaseRecord, Selection, Target, WorstElement
from tests.unit.reports.small_results import header, record

CASE = "A-1/plain/f32[2,3]/mode=x"
VALUE = Facts(kind="value", output=0)
SHAPE = Facts(kind="shape", output=0)
REFUSAL = Facts(stage="compile", kind="message", message="no kernel of u4 here")


def fail(facts: Facts = VALUE, case: str = CASE, **other: Any) -> CaseRecord:
    return record(
        case, "FAIL", facts=facts, **{"wrong": 3, "elements": 6, "fraction": 2.0, **other}
    )


def refused(message: str = REFUSAL.message, **other: Any) -> CaseRecord:
    return record(CASE, "REFUSED", facts=changed(REFUSAL, message=message), **other)


def dead(signal: str, stage: Any = "infer", message: str = "") -> CaseRecord:
    facts = Facts(stage=stage, kind="signal", signal=signal, message=message)
    return record(CASE, "CRASH", facts=facts)


# --- lines --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before, now, admitted",
    [
        (fail(), fail(), True),
        (fail(), fail(wrong=6), True),
        (fail(), fail(SHAPE), False),
        (fail(), fail(Facts(kind="value", output=1)), False),
        (fail(), fail(Facts(kind="value", output=0, computed_as="f64 as f32")), False),
        (fail(), refused(), False),
        (refused(), refused(), True),
        (refused(), refused("no kernel of u4 there"), False),
        (refused("a b c d e f g h i j"), refused("a b c d e f g h i k"), True),
        (dead("SIGSEGV"), dead("SIGABRT", "release", "free invalid pointer"), True),
        (dead("SIGSEGV"), dead("SIGFPE"), False),
        (dead("SIGABRT", message="terminate called"), dead("SIGABRT", message="other words"), False),
    ],
)  # fmt: skip
def test_what_a_line_admits(before: CaseRecord, now: CaseRecord, admitted: bool) -> None:
    assert line_of(before).admits(now) is admitted


@pytest.mark.parametrize(
    "facts, admitted",
    [
        (VALUE, True),
        (Facts(kind="value", output=1), True),
        (Facts(kind="not finite", output=0), True),
        (SHAPE, False),
        (Facts(kind="type", output=0), False),
    ],
)
def test_by_chance_elements_may_have_any_value_and_nothing_else_may_differ(
    facts: Facts, admitted: bool
) -> None:
    line = line_of(fail())._replace(is_nondeterministic=True)
    assert line.admits(fail(facts)) is admitted
    assert line.admits(record(CASE, "FLAKE", facts=Facts(kind="two answers")))
    # The process may die only where its line says so, or its cause.
    for other in (dead("SIGSEGV"), refused(), record(CASE, "TIMEOUT", facts=Facts(kind="timeout"))):
        assert not line.admits(other)
    assert line.joined(line_of(dead("SIGSEGV"))).admits(dead("SIGSEGV"))
    assert line.may_pass


@pytest.mark.parametrize("one", [refused(), dead("SIGSEGV")])
def test_what_is_refused_or_dies_by_chance_computes_no_wrong_values(one: CaseRecord) -> None:
    line = line_of(one)._replace(is_nondeterministic=True)
    assert line.admits(one)
    assert not line.admits(fail())


def test_only_a_line_with_a_pass_may_pass() -> None:
    assert not line_of(fail()).may_pass
    assert Line((Ending(Outcome.PASS), Ending(Outcome.FAIL, VALUE))).may_pass


def test_an_answer_that_follows_new_memory_may_have_any_values() -> None:
    line = line_of(fail())
    two = record(CASE, "FLAKE", facts=Facts(kind="two answers", output=0, inference=1))
    infinite, shape = fail(Facts(kind="not finite", output=0)), fail(Facts(kind="shape", output=0))
    for other in (two, infinite):
        assert not line.admits(other)
        assert line._replace(digest=VARIES).admits(other)
    for other in (shape, dead("SIGSEGV"), refused()):
        assert not line._replace(digest=VARIES).admits(other)


def test_how_wrong_it_is_counts_where_it_is_no_chance() -> None:
    line, worse = line_of(fail()), fail(fraction=1000.0)
    assert line.is_exceeded_by(worse)
    assert not line.is_exceeded_by(fail())
    # By chance wrong elements may have any value, but there are not more of them.
    for by_chance in (line._replace(is_nondeterministic=True), line._replace(digest=VARIES)):
        assert not by_chance.is_exceeded_by(worse)
        assert by_chance.is_exceeded_by(fail(wrong=6))
    # The answer is right for narrowed inputs: how far off it is depends on their digits.
    narrowed = Facts(kind="value", output=0, computed_as="f64 as f32")
    assert not line_of(fail(narrowed)).is_exceeded_by(fail(narrowed, fraction=1000.0))
    assert not line._replace(extent=None).is_exceeded_by(worse)
    # The same answer bit for bit, beside the bound of another precision.
    same = changed(worse, digest="0123456789")
    assert not line._replace(digest=same.digest).is_exceeded_by(same)
    assert line._replace(digest="9876543210").is_exceeded_by(same)


def test_the_line_of_a_record() -> None:
    worst = WorstElement(index=(1, 2), actual="7")
    line = line_of(fail(cause="c", fraction=None, wrong=6, worst=worst))
    assert line == Line((Ending(Outcome.FAIL, VALUE),), "c", Extent(1.0, None, ("1,2=7",)))
    # What memory holds by chance is not kept.
    assert line_of(dead("SIGSEGV", message="at 12")).endings[0].facts.message == ""
    flake = record(CASE, "FLAKE", facts=Facts(kind="two answers"))
    assert line_of(flake).is_nondeterministic


def test_another_wrong_answer_is_one_with_another_digest() -> None:
    line = line_of(fail(digest="0123456789"))
    assert line.digest == "0123456789"
    assert not line.is_another_answer(fail(digest="0123456789"))
    assert not line.is_another_answer(fail(digest="0123456789~"))
    assert line.is_another_answer(fail(digest="9876543210"))
    # Of an answer that is not always the same there is none to compare with.
    varying = line_of(fail(digest="0123456789~"))
    assert varying.digest == "~"
    assert not varying.is_another_answer(fail(digest="9876543210"))
    # It stays so, whatever later runs give, on each machine and under each cause.
    for later in (line, varying):
        assert varying.with_digest_of(later).digest == "~"
        assert varying.joined(later).digest == later.joined(varying).digest == "~"
    assert line.with_digest_of(varying).digest == "~"
    assert varying.with_cause("c", is_by_chance=True).digest == "~"
    assert (varying.of_another_machine().digest, line.of_another_machine().digest) == ("~", "")
    assert not line.is_another_answer(fail())
    assert line.with_cause("c", is_by_chance=True).digest == "0123456789?"
    assert line.with_cause("c", is_by_chance=False).digest == "0123456789"
    by_chance = line._replace(is_nondeterministic=True)
    assert by_chance.is_another_answer(fail(digest="9876543210"))
    assert not by_chance.is_another_answer(fail(digest="9876543210~"))
    assert line.is_another_answer(fail(digest="9876543210~"))
    assert line.joined(line).digest == "0123456789"
    assert line.joined(line_of(fail(digest="9876543210"))).digest == ""


def test_the_part_of_an_answer_that_does_not_vary_is_compared() -> None:
    """Once two runs gave it; whatever the rest is."""
    first = line_of(fail(digest="0000000000~a1"))
    assert first.digest == "~a1?"
    other, gone = fail(digest="0000000000~b2"), fail(digest="0123456789")
    assert not any(map(first.is_another_answer, (other, gone)))
    line = first.with_digest_of(line_of(fail(digest="1111111111~a1")))
    assert line.digest == "~a1"
    # Another part, or an answer that does not vary any more.
    assert all(map(line.is_another_answer, (other, gone)))
    # The other processes gave no answer.
    unknown = [fail(digest=each) for each in ("2222222222~a1", "2222222222~", "")]
    assert not any(map(line.is_another_answer, unknown))
    assert line.with_digest_of(line_of(unknown[1])).digest == "~a1"
    assert line_of(gone).with_digest_of(first).digest == "~a1?"
    assert line._replace(digest=VARIES).with_digest_of(first).digest == "~a1?"
    # A part that varied once is not compared any more.
    never = first.with_digest_of(line_of(other))
    assert never.digest == "~-" == never.with_digest_of(first).digest
    assert line_of(fail(digest="0~-")).digest == "~-" == line.with_digest_of(never).digest
    assert not never.is_another_answer(other)
    assert line.of_another_machine().digest == line.joined(first).digest == VARIES
    assert line.with_cause("c", is_by_chance=True).digest == "~a1"
    # The same elements are written, with the same values: it is not worse.
    worse = fail(digest="3333333333~a1", wrong=6)
    assert not line.is_exceeded_by(worse)
    assert line.is_exceeded_by(changed(worse, digest="3333333333~b2"))


def test_lines_of_several_runs_are_joined() -> None:
    one, other = line_of(fail()), line_of(fail(fraction=9.0, cause="c"))
    assert one.joined(other) == Line(
        (Ending(Outcome.FAIL, VALUE),), "c", Extent(0.5, 9.0), is_nondeterministic=False
    )
    both = one.joined(line_of(refused()))
    assert both.is_nondeterministic
    assert [str(each.outcome) for each in both.endings] == ["REFUSED", "FAIL"], "the better first"
    assert both == line_of(refused()).joined(one)
    assert both.joined(one) == both
    # A fourth run that ends as one of them adds nothing.
    assert both.joined(line_of(refused())) == both


def test_a_line_as_text() -> None:
    assert str(line_of(fail())) == "FAIL, 50% of the elements, 2 times the bound"
    assert str(line_of(refused())) == "REFUSED"
    both = line_of(fail()).joined(line_of(refused()))
    assert str(both) == "REFUSED or FAIL, 50% of the elements, 2 times the bound"


# --- runs ---------------------------------------------------------------------------------------------------------

CPU = Run(
    "CPU", "accuracy", "2026.4.1-21000", "x86_64", "A CPU", "1.2", "AVX512_CORE", "f32", depth="pairs", random=50
)  # fmt: skip
GPU = Run("GPU", "accuracy", "2026.4.1-21000", "x86_64", "A GPU", "24.1", "", "f32")


@pytest.mark.parametrize(
    "run, change, told",
    [
        (CPU, {}, ""),
        (CPU, {"openvino": "2026.4.0-7"}, ""),
        (CPU, {"openvino": "2026.5.0-1"}, "OpenVINO 2026.4 in the baseline, 2026.5 in this run"),
        (CPU, {"openvino": ""}, "OpenVINO 2026.4 in the baseline, unknown in this run"),
        (
            CPU,
            {"profile": "performance"},
            "profile accuracy in the baseline, performance in this run",
        ),
        (
            CPU,
            {"architecture": "aarch64"},
            "architecture x86_64 in the baseline, aarch64 in this run",
        ),
        (CPU, {"precision": "bf16"}, "precision f32 in the baseline, bf16 in this run"),
        (CPU, {"seed": 1}, "seed 0 in the baseline, 1 in this run"),
        (CPU, {"isa": "AVX2"}, "instruction set AVX512_CORE in the baseline, AVX2 in this run"),
        # A cap makes the kernels of a processor that has no more.
        (
            Run(**{**vars(CPU), "profile": "isa=AVX2", "isa": "AVX2"}),
            {"profile": "accuracy"},
            "",
        ),
        (
            Run(**{**vars(CPU), "profile": "isa=AVX2", "isa": "AVX2"}),
            {"profile": "performance"},
            "profile accuracy in the baseline, performance in this run",
        ),
        # Of a processor the instruction set tells more than a name.
        (CPU, {"full_name": "Another CPU", "driver": "9"}, ""),
        (CPU, {"depth": "single", "random": 0}, ""),
        (CPU, {"device": "BATCH:CPU(4)"}, "device CPU in the baseline, BATCH:CPU(4) in this run"),
        (GPU, {"full_name": "Another"}, "device A GPU in the baseline, Another in this run"),
        (GPU, {"driver": "24.2"}, "driver 24.1 in the baseline, 24.2 in this run"),
        (GPU, {"isa": "AVX2"}, ""),
    ],
)
def test_in_what_runs_differ(run: Run, change: dict[str, Any], told: str) -> None:
    other = Run(**{**vars(run), **change})
    assert "; ".join(differences(run, other).values()) == told


def test_a_processor_and_a_card_are_no_run_of_each_other() -> None:
    assert differences(CPU, GPU)
    assert differences(GPU, CPU)


@pytest.mark.parametrize(
    "change, expected",
    [
        ({}, Relation.SAME),
        ({"openvino": "2026.4.9-1", "full_name": "Another CPU", "random": 7}, Relation.SAME),
        ({"isa": "AVX2"}, Relation.KERNELS),
        ({"profile": "performance"}, Relation.KERNELS),
        ({"precision": "bf16"}, Relation.KERNELS),
        ({"architecture": "aarch64"}, Relation.KERNELS),
        ({"openvino": "2026.5.0-1"}, Relation.RELEASE),
        ({"openvino": "2026.5.0-1", "isa": "AVX2"}, Relation.RELEASE),
        # With other values no case is the same, whatever else differs.
        ({"seed": 1}, Relation.DATA),
        ({"seed": 1, "openvino": "2026.5.0-1", "isa": "AVX2"}, Relation.DATA),
    ],
)
def test_how_runs_compare(change: dict[str, Any], expected: Relation) -> None:
    assert relation(CPU, Run(**{**vars(CPU), **change})) is expected


@pytest.mark.parametrize(
    "change, exact, rounded",
    [
        ({}, True, True),
        ({"depth": "all", "random": 9}, True, True),
        ({"openvino": "2026.4.1-21001"}, False, False),
        ({"isa": "SSE41"}, False, False),
        ({"full_name": "Another CPU"}, True, False),
        ({"threads": "1"}, True, False),
    ],
)
def test_answers_without_rounding_are_the_same_on_each_processor(
    change: dict[str, Any], exact: bool, rounded: bool
) -> None:
    run = Run(**{**vars(CPU), **change})
    lines = [
        line_of(each)
        for each in (fail(digest="a1", wrong=1, elements=6, fraction=f) for f in (None, 3.0))
    ]
    assert [must_be_same_bits(each, CPU, run) for each in lines] == [exact, rounded]
    shape = lines[0]._replace(extent=None)
    assert must_be_same_bits(shape, CPU, run) is rounded


def test_what_decides_is_read_from_the_header() -> None:
    target = Target(
        device="CPU", profile="isa=AVX2", full_name="A CPU", driver="1", isa="AVX2",
        capabilities=["FP32", "FP16"], settings={"INFERENCE_PRECISION_HINT": "f16"},
    )  # fmt: skip
    given = header(
        targets=[target], platform="Linux-6.1-x86_64-with-glibc2.36", seed=3, random=None,
        selection=Selection(depth="all"),
    )  # fmt: skip
    assert run_of(given, "CPU", "isa=AVX2") == Run(
        "CPU", "isa=AVX2", given.openvino, "x86_64", "A CPU", "1", "AVX2", "f16", True, 3, 0, "all"
    )
    assert run_of(header(selection=None), "NPU", "accuracy").full_name == ""


def test_the_architecture_is_that_of_the_target_where_it_is_known() -> None:
    """A device in an emulator is of another machine than the suite."""
    emulated = Target(device="CPU", profile="arm=neoverse-v1", machine="aarch64")
    native = Target(device="CPU", profile="accuracy", machine="AMD64")
    unknown = Target(device="CPU", profile="performance")
    one = header(targets=[emulated, native, unknown], platform="Linux-6.1.0-x86_64-with-glibc2.36")
    found = [run_of(one, each.device, each.profile).architecture for each in one.targets]
    assert found == ["aarch64", "x86_64", "x86_64"]


@pytest.mark.parametrize(
    "platform, architecture",
    [
        ("Linux-6.1.0-x86_64-with-glibc2.36", "x86_64"),
        ("Windows-10-10.0.19045-AMD64", "x86_64"),
        ("macOS-14.1-arm64-arm-64bit", "aarch64"),
        ("Linux-6.1.0-aarch64-with-glibc2.36", "aarch64"),
        ("Linux", ""),
    ],
)
def test_architectures(platform: str, architecture: str) -> None:
    assert architecture_of(platform) == architecture


# --- what is known of a case ----------------------------------------------------------------------------------------

PLAIN = "A-1/plain/f32[2]"
LATER = Run(**{**vars(CPU), "openvino": "2026.5.0-1"})


def test_what_is_known_of_a_case() -> None:
    line = line_of(fail())
    baseline = Baseline(CPU, {CASE: line}, frozenset({CASE, PLAIN}))
    assert baseline.known(CASE) == KnownCase(line, CPU)
    assert baseline.known(PLAIN) == KnownCase(None, CPU)
    assert baseline.known("A-1/type/u4[2]") is None
    assert baseline.departures() == {CASE: line}


def test_what_a_baseline_does_not_know_the_one_below_does() -> None:
    line, other = line_of(fail()), line_of(refused())
    departs, passed, fixed, broken, changed_, both, never = (f"A-1/x/f32[{n}]" for n in range(7))
    below = Baseline(
        CPU, {departs: line, fixed: line, changed_: line, both: line},
        frozenset({departs, passed, fixed, broken, changed_, both}),
    )  # fmt: skip
    above = Baseline(
        LATER, {fixed: PASSES, broken: other, changed_: other},
        frozenset({fixed, broken, changed_, both}), base=below,
    )  # fmt: skip
    assert {
        case: above.known(case) for case in (departs, passed, fixed, broken, changed_, both)
    } == {
        # It did not ask these.
        departs: KnownCase(line, CPU),
        passed: KnownCase(None, CPU),
        # These it did, and they are otherwise.
        fixed: KnownCase(None, LATER),
        broken: KnownCase(other, LATER),
        changed_: KnownCase(other, LATER),
        # This one is as below.
        both: KnownCase(line, LATER),
    }
    assert above.known(never) is None
    # Its own departures are those of the cases that it asked.
    assert above.departures() == {broken: other, changed_: other, both: line}
    # A third one sees through both.
    top = Baseline(CPU, {}, frozenset({fixed}), base=above)
    assert top.known(fixed) == KnownCase(None, CPU)
    assert top.known(departs) == KnownCase(line, CPU)
    assert top.known(broken) == KnownCase(other, LATER)
    assert top.departures() == {}


@pytest.mark.parametrize(
    ("one", "admitted"),
    [
        (fail(cause="c"), True),
        (refused(cause="c"), False),
        (fail(cause="d"), False),
    ],
)
def test_results_of_a_cause_by_chance_admit_other_values(one: CaseRecord, admitted: bool) -> None:
    baseline = from_records([one], CPU, chance=frozenset({"c"}))
    assert baseline.lines[CASE].admits(fail(Facts(kind="not finite", output=0))) is admitted


def test_the_baseline_that_results_are() -> None:
    folded = record("B-1/plain/f32[2]", "FOLDED", expected_outcome=Outcome.FOLDED)
    records = [
        record(PLAIN),
        record("A-1/type/u4[2]", "QUALITY"),
        folded,
        fail(cause="c"),
        record("A-1/type/i4[2]", "ERROR"),
        record("A-1/type/u1[2]", "ABSENT"),
    ]
    baseline = from_records(records, CPU, "main.jsonl", is_given=True)
    assert list(baseline.lines) == [CASE]
    assert baseline.lines[CASE].cause == "c"
    assert baseline.asked == {PLAIN, "A-1/type/u4[2]", folded.case, CASE}
    assert (baseline.run, baseline.name, baseline.is_given) == (CPU, "main.jsonl", True)
    assert [departs(each) for each in records] == [False, False, False, True, False, False]
