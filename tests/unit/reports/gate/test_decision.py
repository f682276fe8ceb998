"""The gate: what it decides of a case by the baseline and the causes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reports.gate import baseline_files, causes
from reports.gate.asked import AskedCases
from reports.gate.baseline import PASSES, Baseline, Ending, Line, Run, line_of
from reports.gate.baseline_files import BaselineError
from reports.gate.causes import Cause, Causes
from reports.gate.decision import (
    ANOTHER_ANSWER,
    NO_DEPARTURE,
    GateTarget,
    is_improvement,
    remark,
    target_of,
    targets_of,
)
from reports.gate.precision import Share
from reports.gate.selectors import Selector
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from tests.unit.reports.small_results import header, record

CASE = "A-1/type/u4[2,3]/mode=x"
OTHER = "A-1/type/i4[2,3]/mode=x"
CROSSED = f"{CASE}/shape=dims,behind=relu"
RUN = Run("CPU", "accuracy", "2026.4.1-2", "x86_64", "A CPU", "1", "AVX2", "f32")
VALUE = Facts(kind="value", output=0)
REFUSAL = Facts(stage="compile", kind="message", message="no kernel of u4 here")
DEATH = Facts(stage="infer", kind="signal", signal="SIGSEGV")


def passed(outcome: str = "PASS", case: str = CASE, **other: Any) -> CaseRecord:
    return record(case, outcome, **other)


def failed(case: str = CASE, facts: Facts = VALUE, **other: Any) -> CaseRecord:
    given = {"wrong": 1, "elements": 6, "fraction": 2.0, **other}
    return record(case, "FAIL", facts=facts, **given)


def refused(case: str = CASE, message: str = REFUSAL.message, **other: Any) -> CaseRecord:
    return record(case, "REFUSED", facts=replace(REFUSAL, message=message), **other)


def died(case: str = CASE, **other: Any) -> CaseRecord:
    return record(case, "CRASH", facts=DEATH, **other)


def cause(name: str, kind: str = "defect", **other: Any) -> Cause:
    given = {"devices": ("CPU",), "since": "2024.0", **other}
    return Cause(name, f"title of {name}", kind, **given)


NAMES_U4 = cause("u4", selectors=(Selector({"type": ("u4",)}),))
BY_CHANCE = cause("u4", selectors=NAMES_U4.selectors, nondeterministic="a race")
NO_CAUSE = Causes()
KNOWN_CAUSE = Causes([NAMES_U4])
CHANCE = Causes([BY_CHANCE])


def baseline(*records: CaseRecord, asked: tuple[str, ...] = (CASE,), **change: Any) -> Baseline:
    lines = {one.case: line_of(one) for one in records}
    return Baseline(Run(**{**vars(RUN), **change}), lines, frozenset(asked) | set(lines), "base")


def narrow(causes: Causes, share: float = 1.0) -> dict[str, Share]:
    """Shares by which each selector of these causes has so large a share of departures."""
    return {
        f"{one.id} {each.key}": Share(1000, int(1000 * share))
        for one in causes.by_id.values()
        for each in one.selectors
    }


def decided(one: CaseRecord, base: Baseline, causes: Causes = NO_CAUSE, **run: Any) -> CaseRecord:
    return GateTarget(Run(**{**vars(RUN), **run}), base, causes, narrow(causes)).decide(one)


NOTHING = baseline()
SAYS_FAIL, SAYS_REFUSED, SAYS_DEATH = baseline(failed()), baseline(refused()), baseline(died())
UNSURE = baseline(failed())
UNSURE.lines = {CASE: UNSURE.lines[CASE]._replace(is_nondeterministic=True)}
UNSURE_U4 = baseline(failed())
UNSURE_U4.lines = {CASE: UNSURE.lines[CASE]._replace(cause="u4")}
SURE_U4 = baseline(failed())
SURE_U4.lines = {CASE: SURE_U4.lines[CASE]._replace(cause="u4")}
OF_FAILURES = cause("u4", selectors=(Selector({"outcome": ("FAIL",)}),), nondeterministic="a race")
NAMES_FAIL = Causes([OF_FAILURES])
TWO_WAYS = baseline()
TWO_WAYS.lines = {CASE: line_of(failed()).joined(line_of(refused()))}
# The same layer asked in another way.
LIKE_DEPART = baseline(asked=(CASE, CROSSED))
LIKE_DEPART.lines = {f"{CASE}/shape=dims": UNSURE_U4.lines[CASE]}
LIKE_ALWAYS_DEPART = baseline(asked=(CASE, CROSSED))
LIKE_ALWAYS_DEPART.lines = {f"{CASE}/shape=dims": SURE_U4.lines[CASE]}
# Another layer of the operation and purpose, of the same cause.
OTHERS_DEPART = baseline()
OTHERS_DEPART.lines = {OTHER: UNSURE_U4.lines[CASE]}
# A layer of another purpose.
OF_ANOTHER_PURPOSE = baseline()
OF_ANOTHER_PURPOSE.lines = {"A-1/plain/u4[2,3]/mode=y": UNSURE_U4.lines[CASE]}
ONCE_PASSED = baseline()
ONCE_PASSED.lines = {CASE: line_of(failed()).joined(Line((Ending(Outcome.PASS),)))}

TABLE = [
    # (what is known, the causes, what came, the gate, what the baseline says of it)
    ("as known", SAYS_FAIL, NO_CAUSE, failed(), "known", ""),
    ("as known, hardly worse", SAYS_FAIL, NO_CAUSE, failed(fraction=20.0), "known", ""),
    ("as known, less wrong", SAYS_FAIL, NO_CAUSE, failed(fraction=1.1), "known", ""),
    ("a crash as known", SAYS_DEATH, NO_CAUSE, died(), "known", ""),
    ("a refusal with other numbers", SAYS_REFUSED, NO_CAUSE, refused(), "known", ""),
    ("clearly worse", SAYS_FAIL, NO_CAUSE, failed(fraction=99.0), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("more elements", SAYS_FAIL, NO_CAUSE, failed(wrong=6), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("a worse outcome", SAYS_FAIL, NO_CAUSE, died(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("changed: another kind", SAYS_FAIL, NO_CAUSE, failed(facts=Facts(kind="shape", output=0)), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("changed: other words", SAYS_REFUSED, NO_CAUSE, refused(message="something else"), "worse", "REFUSED"),
    ("wrong where it refused", SAYS_REFUSED, KNOWN_CAUSE, failed(), "worse", "REFUSED"),
    ("refused where it answered", SAYS_FAIL, NO_CAUSE, refused(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("improved", SAYS_FAIL, NO_CAUSE, passed(), "improved", "FAIL, 17% of the elements, 2 times the bound"),
    ("improved to quality", SAYS_FAIL, NO_CAUSE, passed("QUALITY"), "improved",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("refused where it died", SAYS_DEATH, NO_CAUSE, refused(), "improved", "CRASH"),
    ("wrong where it died", SAYS_DEATH, NO_CAUSE, failed(), "worse", "CRASH"),
    ("passes as before", NOTHING, KNOWN_CAUSE, passed(), "pass", ""),
    ("quality as before", NOTHING, NO_CAUSE, passed("QUALITY"), "quality", ""),
    ("the outcome required", NOTHING, NO_CAUSE, passed("FOLDED", expected_outcome=Outcome.FOLDED), "pass", ""),
    ("compiled, which is no pass", NOTHING, NO_CAUSE, passed("COMPILED"), "compiled", ""),
    ("compiled, whatever cause names it", NOTHING, KNOWN_CAUSE, passed("COMPILED"), "compiled", ""),
    ("compiled, where the outcome required is another", NOTHING, NO_CAUSE,
     passed("COMPILED", expected_outcome=Outcome.FOLDED), "compiled", ""),
    ("compiled where it died", SAYS_DEATH, NO_CAUSE, passed("COMPILED"), "improved", "CRASH"),
    ("refused where it compiled", NOTHING, NO_CAUSE, refused(), "broken", NO_DEPARTURE),
    ("broken", NOTHING, NO_CAUSE, failed(), "broken", NO_DEPARTURE),
    ("broken, whatever cause names it", NOTHING, KNOWN_CAUSE, failed(), "broken", NO_DEPARTURE),
    ("a race of one factor, in a crossing", LIKE_DEPART, CHANCE, failed(case=CROSSED), "new case", ""),
    ("a race of a factor that is not there", LIKE_DEPART, CHANCE, failed(), "broken", NO_DEPARTURE),
    ("a race that none of its kind shows", NOTHING, CHANCE, failed(), "broken", NO_DEPARTURE),
    ("a race where the like depart always", LIKE_ALWAYS_DEPART, CHANCE, failed(case=CROSSED), "broken", NO_DEPARTURE),
    ("a race that another layer shows", OTHERS_DEPART, CHANCE, failed(), "broken", NO_DEPARTURE),
    ("a race that another layer shows: dead", OTHERS_DEPART, CHANCE, died(), "broken", NO_DEPARTURE),
    ("a race that another layer shows, seen by itself", OTHERS_DEPART, CHANCE,
     record(CASE, "FLAKE", facts=Facts(kind="not repeated")), "new case", ""),
    ("a race that another purpose shows, seen by itself", OF_ANOTHER_PURPOSE, CHANCE,
     record(CASE, "FLAKE", facts=Facts(kind="not repeated")), "broken", NO_DEPARTURE),
    ("a race that another purpose shows, only in a pack", OF_ANOTHER_PURPOSE, CHANCE,
     record(CASE, "FLAKE", facts=Facts(kind="only in a pack")), "new case", ""),
    ("a race that none of its kind shows, only in a pack", NOTHING, CHANCE,
     record(CASE, "FLAKE", facts=Facts(kind="only in a pack")), "broken", NO_DEPARTURE),
    ("new", NOTHING, KNOWN_CAUSE, failed(OTHER), "new", ""),
    ("a new case of a cause", baseline(asked=()), KNOWN_CAUSE, failed(), "new case", ""),
    ("a new case of a race", baseline(asked=()), CHANCE, failed(), "new case", ""),
    ("a new case that passes", NOTHING, NO_CAUSE, passed(case=OTHER), "pass", ""),
    ("by chance: wrong", UNSURE, NO_CAUSE, failed(fraction=1e9), "known", ""),
    ("by chance: otherwise wrong", UNSURE, NO_CAUSE, failed(facts=Facts(kind="not finite")), "known", ""),
    ("by chance: more elements", UNSURE, NO_CAUSE, failed(wrong=6), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: another shape", UNSURE, NO_CAUSE, failed(facts=Facts(kind="shape", output=0)), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: dead", UNSURE, NO_CAUSE, died(), "worse", "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: dead, as its cause says", UNSURE_U4, CHANCE, died(), "known", ""),
    ("by chance: dead, its cause says nothing of it", UNSURE_U4, NAMES_FAIL, died(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: two answers", UNSURE, NO_CAUSE, record(CASE, "FLAKE", facts=Facts(kind="two answers")), "known", ""),
    ("by chance: right", UNSURE, NO_CAUSE, passed(), "pass", ""),
    ("by chance: not refused", UNSURE, NO_CAUSE, refused(), "worse", "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: refused, as its cause says", UNSURE_U4, CHANCE, refused(), "known", ""),
    ("by chance: refused, as a cause that is not by chance says", UNSURE_U4, KNOWN_CAUSE, refused(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("by chance: refused, of which its cause says nothing", UNSURE_U4, NAMES_FAIL, refused(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("always so: refused, as its cause says", SURE_U4, CHANCE, refused(), "worse",
     "FAIL, 17% of the elements, 2 times the bound"),
    ("one of two ways", TWO_WAYS, NO_CAUSE, refused(), "known", ""),
    ("the other of two ways", TWO_WAYS, NO_CAUSE, failed(), "known", ""),
    ("right in one of the runs", ONCE_PASSED, NO_CAUSE, passed(), "pass", ""),
    ("absent", SAYS_FAIL, KNOWN_CAUSE, passed("ABSENT"), "no verdict", ""),
    ("an error of the suite", SAYS_FAIL, KNOWN_CAUSE, passed("ERROR"), "no verdict", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    "base, causes, came, gate, said",
    [row[1:] for row in TABLE],
    ids=[row[0].replace(" ", "-") for row in TABLE],
)
def test_decisions(base: Baseline, causes: Causes, came: CaseRecord, gate: str, said: str) -> None:
    found = decided(came, base, causes)
    assert (str(found.gate), found.baseline) == (gate, said)


KERNELS: dict[str, dict[str, Any]] = {
    "kernels": {"isa": "AVX512_CORE"},
    "profile": {"profile": "performance"},
    "architecture": {"architecture": "aarch64"},
    "precision": {"precision": "bf16"},
}
RELEASE = {"openvino": "2026.5.0-1"}
SEED = {"seed": 1}
SAYS = "FAIL, 17% of the elements, 2 times the bound"


@pytest.mark.parametrize("change", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize(
    "base, causes, came, gate, said",
    [
        (SAYS_FAIL, NO_CAUSE, failed(), "known", ""),
        (SAYS_FAIL, NO_CAUSE, passed(), "improved", SAYS),
        (SAYS_FAIL, NO_CAUSE, died(), "worse", SAYS),
        (SAYS_FAIL, NO_CAUSE, failed(wrong=6), "worse", SAYS),
        (SAYS_REFUSED, NO_CAUSE, refused(message="other words"), "worse", "REFUSED"),
        (NOTHING, NO_CAUSE, failed(), "broken", NO_DEPARTURE),
        # A processor that nobody has seen is not blamed for what a narrow cause says, unless it is worse there.
        (SAYS_FAIL, KNOWN_CAUSE, died(), "worse", SAYS),
        (NOTHING, KNOWN_CAUSE, failed(), "new case", ""),
    ],
)
def test_other_kernels_of_the_same_release(
    change: dict[str, Any], base: Baseline, causes: Causes, came: CaseRecord, gate: str, said: str
) -> None:
    found = decided(came, base, causes, **change)
    assert (str(found.gate), found.baseline) == (gate, said)


@pytest.mark.parametrize("change", KERNELS.values(), ids=KERNELS)
def test_what_is_worse_on_other_kernels_has_the_cause_of_the_baseline(
    change: dict[str, Any],
) -> None:
    found = decided(died(), SURE_U4, NO_CAUSE, **change)
    assert (found.gate, found.cause) == (Gate.WORSE, "u4")


@pytest.mark.parametrize("change", [RELEASE, {**RELEASE, "isa": "AVX512_CORE"}])
@pytest.mark.parametrize(
    "base, causes, came, gate, said",
    [
        (SAYS_FAIL, NO_CAUSE, failed(), "known", ""),
        (SAYS_FAIL, NO_CAUSE, passed(), "improved", SAYS),
        (SAYS_FAIL, KNOWN_CAUSE, died(), "worse", SAYS),
        (SAYS_FAIL, KNOWN_CAUSE, failed(wrong=6), "worse", SAYS),
        (UNSURE_U4, CHANCE, died(), "known", ""),
        (UNSURE_U4, NAMES_FAIL, died(), "worse", SAYS),
        (SAYS_REFUSED, NO_CAUSE, refused(message="other words"), "reworded", "REFUSED"),
        (SAYS_REFUSED, KNOWN_CAUSE, failed(), "worse", "REFUSED"),
        (NOTHING, NO_CAUSE, failed(), "regressed", NO_DEPARTURE),
        (NOTHING, KNOWN_CAUSE, failed(), "regressed", NO_DEPARTURE),
        (NOTHING, CHANCE, died(), "regressed", NO_DEPARTURE),
    ],
)
def test_another_release(
    change: dict[str, Any], base: Baseline, causes: Causes, came: CaseRecord, gate: str, said: str
) -> None:
    found = decided(came, base, causes, **change)
    assert (str(found.gate), found.baseline) == (gate, said)


@pytest.mark.parametrize(
    "base, causes, came, gate",
    [
        (SAYS_FAIL, NO_CAUSE, failed(), "known"),
        (SAYS_FAIL, NO_CAUSE, failed(wrong=6, fraction=1e9), "known"),
        (SAYS_FAIL, NO_CAUSE, died(), "new"),
        (SAYS_FAIL, KNOWN_CAUSE, died(), "new case"),
        (SAYS_FAIL, NO_CAUSE, passed(), "pass"),
        (NOTHING, NO_CAUSE, failed(), "new"),
        (NOTHING, KNOWN_CAUSE, failed(), "new case"),
    ],
)
def test_other_data(base: Baseline, causes: Causes, came: CaseRecord, gate: str) -> None:
    assert str(decided(came, base, causes, **SEED).gate) == gate
    # In another release, too, no cause tells whether it conformed before.
    red = "new" if gate == "new case" else gate
    assert str(decided(came, base, causes, **SEED, **RELEASE).gate) == red


@pytest.mark.parametrize("share, gate", [(1.0, "new case"), (0.5, "new"), (None, "new")])
def test_only_a_narrow_cause_names_what_nobody_asked(share: float | None, gate: str) -> None:
    shares = {} if share is None else narrow(KNOWN_CAUSE, share)
    found = GateTarget(RUN, baseline(asked=()), KNOWN_CAUSE, shares).decide(failed())
    assert str(found.gate) == gate
    # It is told as a hint.
    assert found.cause == "u4"


@pytest.mark.parametrize(
    "digest, change, gate, said",
    [
        ("a1", {}, "known", ""),
        ("a1~", {}, "known", ""),
        ("", {}, "known", ""),
        ("b2", {}, "worse", ANOTHER_ANSWER),
        ("b2~", {}, "worse", ANOTHER_ANSWER),
        # Elsewhere the last bits may differ where rounding is allowed.
        ("b2", {"full_name": "Another CPU"}, "known", ANOTHER_ANSWER),
        ("b2", {"threads": "7"}, "known", ANOTHER_ANSWER),
        ("b2", {"openvino": "2026.4.1-3"}, "known", ANOTHER_ANSWER),
        ("b2", {"isa": "SSE41"}, "known", ANOTHER_ANSWER),
        ("b2", RELEASE, "known", ANOTHER_ANSWER),
    ],
)
def test_another_wrong_answer(digest: str, change: dict[str, Any], gate: str, said: str) -> None:
    found = decided(failed(digest=digest), baseline(failed(digest="a1")), **change)
    assert (str(found.gate), found.baseline) == (gate, said)
    assert (
        str(decided(failed(digest=digest), baseline(failed(digest="a1~")), **change).gate)
        == "known"
    )


@pytest.mark.parametrize("change", [{"full_name": "Another CPU"}, {"threads": "7"}])
def test_another_wrong_answer_without_rounding(change: dict[str, Any]) -> None:
    base = baseline(failed(digest="a1", fraction=None))
    found = [decided(failed(digest=d, fraction=None), base, **change) for d in ("a1", "b2")]
    assert [(str(each.gate), each.baseline) for each in found] == [
        ("known", ""), ("worse", ANOTHER_ANSWER),
    ]  # fmt: skip


def test_what_a_baseline_does_not_know_the_one_below_does() -> None:
    below = baseline(failed(), asked=(CASE, OTHER, CROSSED))
    kernels = {"isa": "AVX512_CORE"}
    above = Baseline(Run(**{**vars(RUN), **kernels}), {}, frozenset((CASE, OTHER)), base=below)
    # It asked them, and they are as the one below says.
    assert str(decided(failed(), above, **kernels).gate) == "known"
    assert str(decided(failed(OTHER), above, KNOWN_CAUSE, **kernels).gate) == "broken"
    assert str(decided(failed(), above, NO_CAUSE, **kernels).gate) == "known"
    # It did not ask this one: that is known with other kernels.
    assert str(decided(failed(CROSSED), above, NO_CAUSE, **kernels).gate) == "broken"
    assert str(decided(failed(CROSSED), above, KNOWN_CAUSE, **kernels).gate) == "new case"
    assert str(decided(failed("A-1/plain/f32[2]"), above, NO_CAUSE, **kernels).gate) == "new"
    # What conforms there and departs below has a line of its own.
    above.lines = {CASE: PASSES}
    assert str(decided(failed(), above, NO_CAUSE, **kernels).gate) == "broken"
    assert str(decided(passed(), above, NO_CAUSE, **kernels).gate) == "pass"


@pytest.mark.parametrize(
    "came, gate",
    [
        (failed("A-1/type/f16[2]"), "new case"),
        (failed("A-1/plain/f32[2]/destination_type=f16"), "new case"),
        (failed("A-1/plain/f32[2]"), "broken"),
        # The name of a type in another type's is none.
        (failed("A-1/type/bf16[2]"), "broken"),
    ],
)
def test_f16_has_kernels_of_its_own(came: CaseRecord, gate: str) -> None:
    fails = Causes([cause("fails", selectors=(Selector({"outcome": ("FAIL",)}),))])
    assert str(decided(came, baseline(asked=(came.case,)), fails, f16=True).gate) == gate
    same = decided(came, baseline(asked=(came.case,), f16=True), fails, f16=True)
    assert str(same.gate) == "broken"


@pytest.mark.parametrize("allowed, gate", [(True, "skipped"), (False, "no verdict")])
def test_a_device_that_may_be_absent(allowed: bool, gate: str) -> None:
    target = GateTarget(RUN, SAYS_FAIL, KNOWN_CAUSE)
    assert str(target.decide(passed("ABSENT"), allow_absent=allowed).gate) == gate
    assert str(target.decide(failed(), allow_absent=allowed).gate) == "known"
    assert str(target.decide(passed("ERROR"), allow_absent=allowed).gate) == "no verdict"


def test_the_cause_is_that_of_the_line() -> None:
    other = cause("other", "limit", since={"CPU": "2025.1", "GPU": "2026.0"})
    base = baseline(failed(cause="other"))
    found = decided(failed(), base, Causes([NAMES_U4, other]))
    told = (found.cause, found.cause_class, found.reason, found.since)
    assert told == ("other", "limit", "title of other", "2025.1 or before")
    # A line without a cause, or of one that is gone: what names the departure.
    assert decided(failed(), SAYS_FAIL, KNOWN_CAUSE).cause == "u4"
    assert decided(failed(), base, KNOWN_CAUSE).cause == "u4"
    assert decided(failed(), SAYS_FAIL, NO_CAUSE).cause == ""
    # What is improved has the cause that is fixed.
    assert decided(passed(), base, Causes([other])).cause == "other"
    assert decided(passed(), SAYS_FAIL, KNOWN_CAUSE).cause == ""


def test_what_was_decided_before_is_forgotten() -> None:
    """A resumed run decides anew of what it has."""
    before = decided(failed(), NOTHING, KNOWN_CAUSE)
    assert (before.gate, before.cause, before.baseline) == (Gate.BROKEN, "u4", NO_DEPARTURE)
    after = decided(replace(before, outcome=Outcome.PASS, facts=Facts()), NOTHING)
    assert (after.gate, after.cause, after.cause_class, after.reason, after.baseline) == (
        Gate.PASS, "", "", "", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    "change, named",
    [
        ({}, True),
        ({"devices": ("GPU",)}, False),
        ({"devices": ("GPU", "CPU")}, True),
        ({"since": "2026.4"}, True),
        ({"since": "2026.5"}, False),
        ({"since": {"CPU": "2026.5"}}, False),
        ({"since": {"GPU": "2026.5"}}, True),
        ({"fixed": "2026.4"}, False),
        ({"fixed": "2026.5"}, True),
        ({"fixed": {"GPU": "2024.0"}}, True),
        ({"selectors": ()}, False),
        ({"selectors": (Selector({"type": ("i4",)}), Selector({"rank": ("2",)}))}, True),
    ],
)
def test_a_cause_names_only_what_it_may_show(change: dict[str, Any], named: bool) -> None:
    one = cause("u4", **{"selectors": NAMES_U4.selectors, **change})
    found = decided(failed(), baseline(asked=()), Causes([one]))
    assert str(found.gate) == ("new case" if named else "new")


def test_a_build_whose_version_tells_nothing_may_show_every_cause() -> None:
    one = cause("u4", since="2026.4", fixed="2026.5", selectors=NAMES_U4.selectors)
    found = decided(failed(), baseline(asked=()), Causes([one]), openvino="my-build")
    assert found.cause == "u4"


def test_the_first_cause_that_is_below_no_other_names_a_departure() -> None:
    def selecting(name: str, *below: str, **conditions: str) -> Cause:
        one = Selector({k: (v,) for k, v in conditions.items()})
        return cause(name, selectors=(one,), below=below)

    wide = selecting("a-wide", "narrow", "of-other", type="u4")
    narrow, of_one = selecting("narrow", type="u4", rank="2"), selecting("of-one", type="u4")
    of_other = selecting("of-other", operation="B-1")
    found = Causes([of_one, of_other, wide, narrow])
    assert [each.id for each in found.naming(failed(), RUN)] == ["narrow", "a-wide", "of-one"]
    of_b = [each.id for each in found.naming(failed("B-1/type/u4[2]"), RUN)]
    assert of_b == ["of-one", "of-other", "a-wide"]
    assert found.name(failed(OTHER), RUN) is None


@pytest.mark.parametrize(
    "came, line, better",
    [
        (refused(), line_of(failed()), False),
        (refused(), line_of(died()), True),
        (refused(), line_of(record(CASE, "TIMEOUT", facts=Facts(kind="timeout"))), True),
        (passed("ABSENT"), line_of(died()), False),
        (failed(), line_of(refused()), False),
        (failed(), line_of(died()).joined(line_of(refused())), False),
        (failed(), line_of(died()), False),
        (
            record(CASE, "ACCEPTED_INVALID", expected_outcome=Outcome.REFUSED),
            line_of(died()),
            False,
        ),
    ],
)
def test_what_is_an_improvement(came: CaseRecord, line: Line, better: bool) -> None:
    assert is_improvement(came, line) is better


@pytest.mark.parametrize("gate", list(Gate))
def test_which_gates_are_red(gate: Gate) -> None:
    assert gate.is_red == (
        gate in (Gate.NEW, Gate.BROKEN, Gate.REGRESSED, Gate.WORSE, Gate.NO_VERDICT)
    )
    assert gate.is_red_if(False) == gate.is_red
    assert gate.is_red_if(True) == (gate.is_red or gate in (Gate.IMPROVED, Gate.NEW_CASE))
    assert gate.has_cause == (gate in (Gate.KNOWN, Gate.REWORDED, Gate.NEW_CASE))


# --- targets of a run ---------------------------------------------------------------------------------------------


def test_a_cause_that_only_the_baseline_knows_is_named() -> None:
    """The one of a baseline of the user's own, whose folder of causes was not given."""
    known = decided(failed(), SURE_U4)
    assert (known.gate, known.cause) == (Gate.KNOWN, "u4")
    assert known.reason == "u4: there is no such cause here, see --causes"
    assert decided(failed(), SURE_U4, KNOWN_CAUSE).reason == "title of u4"


def test_each_target_has_the_baseline_that_was_given_for_it() -> None:
    given = {
        "CPU (accuracy)": baseline(failed()),
        "GPU (accuracy)": baseline(),
    }
    found = targets_of(header(devices=("CPU", "GPU")), KNOWN_CAUSE, given)
    assert [found[name, "accuracy"].baseline for name in ("CPU", "GPU")] == list(given.values())
    assert found["GPU", "accuracy"].run.device == "GPU"
    # A single one serves any target: a build under another name, a release of other kernels.
    (only,) = targets_of(
        header(devices=("MINE",)), NO_CAUSE, {"CPU (accuracy)": SAYS_FAIL}
    ).values()
    assert only.baseline is SAYS_FAIL
    with pytest.raises(BaselineError, match="base: a baseline of CPU cannot be used for GPU"):
        targets_of(header(devices=("GPU",)), NO_CAUSE, {"CPU (accuracy)": SAYS_FAIL})
    with pytest.raises(BaselineError) as caught:
        targets_of(header(devices=("MINE",)), NO_CAUSE, given)
    assert str(caught.value) == (
        "the baseline has CPU (accuracy), GPU (accuracy), but not MINE (accuracy)"
    )


def test_without_a_given_one_the_nearest_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline_files, "nearest", lambda run, **_: tmp_path)
    base = dataclasses.replace(SAYS_FAIL, asked=AskedCases.of([CASE]))
    baseline_files.write_folder(tmp_path, baseline_files.texts_of(base))
    (found,) = targets_of(header(), NO_CAUSE).values()
    assert list(found.baseline.lines) == [CASE]
    assert not found.baseline.is_given
    monkeypatch.setattr(baseline_files, "nearest", lambda run, **_: None)
    (found,) = targets_of(header(), NO_CAUSE).values()
    assert (found.baseline.name, found.baseline.lines) == ("none", {})


def test_what_a_run_says_of_its_baseline() -> None:
    assert remark(GateTarget(RUN, SAYS_FAIL, NO_CAUSE)) == "base, which has 1 departure"
    other = GateTarget(Run(**{**vars(RUN), "isa": "SSE41", "seed": 2}), SAYS_FAIL, NO_CAUSE)
    assert remark(other) == (
        "base, which has 1 departure; seed 0 in the baseline, 2 in this run; instruction set AVX2 in the baseline, "
        "SSE41 in this run: the data differ, so these cases cannot be compared"
    )
    # What stands below counts as well.
    above = dataclasses.replace(baseline(failed(OTHER)), base=SAYS_FAIL, name="above")
    assert remark(GateTarget(RUN, above, NO_CAUSE)) == "above, which has 2 departures"
    capped = Run(**{**vars(RUN), "profile": "isa=AVX2"})
    assert remark(GateTarget(capped, SAYS_FAIL, NO_CAUSE)) == (
        "base, which has 1 departure; the baseline of this processor's instruction set (AVX2)"
    )
    none = GateTarget(RUN, Baseline(name="none"), NO_CAUSE)
    assert remark(none) == "no baseline: a departure is new unless a narrow cause names it"


def with_beside(run: Run, base: Baseline, *beside: Baseline) -> GateTarget:
    """What the gate knows of a run, with other baselines of its release."""
    folders = {Path(str(number)): each for number, each in enumerate(beside)}
    target = GateTarget(run, base, NO_CAUSE, beside=tuple(folders))
    target._read.update(folders)
    return target


@pytest.mark.parametrize(
    "came, beside, gate",
    [
        (failed(), [SAYS_FAIL], "known"),
        (failed(fraction=99.0), [SAYS_FAIL], "broken"),
        (died(), [SAYS_FAIL], "broken"),
        (failed(), [NOTHING], "broken"),
        (failed(), [baseline(failed(), seed=1)], "broken"),
        (failed(), [], "broken"),
        (failed(OTHER), [baseline(failed(OTHER))], "known"),
        (failed(OTHER), [baseline()], "new"),
        (passed(), [SAYS_FAIL], "pass"),
        # Other kernels tell of cases that were never asked alone.
        (failed(), [baseline(failed(), isa="SSE41")], "broken"),
        (failed(OTHER), [baseline(failed(OTHER), isa="SSE41")], "known"),
        (died(OTHER), [baseline(failed(OTHER), isa="SSE41")], "new"),
        (failed(OTHER), [baseline(asked=(OTHER,)), baseline(failed(OTHER), isa="SSE41")], "new"),
        (failed(OTHER), [baseline(isa="SSE41"), baseline(failed(OTHER), isa="X")], "known"),
    ],
)
@pytest.mark.parametrize("release", ["2026.4.1-2", "2026.5.0-2"])
def test_what_departs_as_the_release_does_without_the_profile_is_known(
    came: CaseRecord, beside: list[Baseline], gate: str, release: str
) -> None:
    run = Run(**{**vars(RUN), "profile": "performance", "openvino": release})
    other = baseline(profile="performance", isa="AVX512")
    found = with_beside(run, other, *beside).decide(came).gate
    of_release = "regressed" if "2026.5" in release and gate == "broken" else gate
    assert found == of_release


def test_one_beside_says_nothing_of_cases_that_it_has_from_the_one_below() -> None:
    """The one below may be the nearest one, half taken."""
    run = Run(**{**vars(RUN), "profile": "performance"})
    other = baseline(profile="performance", isa="AVX512")
    above = dataclasses.replace(baseline(isa="SSE41"), base=baseline(failed(OTHER)))
    assert above.known(OTHER) is not None
    assert with_beside(run, other, above).decide(failed(OTHER)).gate == "new"


def test_what_the_nearest_baseline_knows_of_these_kernels_counts_more() -> None:
    run = Run(**{**vars(RUN), "profile": "performance"})
    found = with_beside(run, baseline(profile="performance"), SAYS_FAIL).decide(failed())
    assert found.gate == "broken"


@pytest.mark.parametrize(
    ("change", "came", "same"),
    [
        ({}, failed(), True),
        # A run with a cap has the kernels of the processor that has no others.
        ({"profile": "isa=AVX2"}, failed(), True),
        ({"profile": "isa=AVX2", "isa": "SSE4"}, failed(), False),
        ({"profile": "performance"}, failed(), False),
        ({"openvino": "2025.4.0-1"}, failed(), False),
        ({"f16": True}, failed(), True),
        ({"f16": True}, failed(inputs=["f16[2,3]"]), False),
    ],
)
def test_which_runs_have_the_same_kernels(
    change: dict[str, Any], came: CaseRecord, same: bool
) -> None:
    run = Run(**{**vars(RUN), **change})
    assert GateTarget(RUN, Baseline(), NO_CAUSE).has_kernels_of(run, came) is same


@pytest.mark.parametrize(
    "device, case, message, cause",
    [
        (
            "BATCH:CPU(4)",
            "Abs-1/plain/f32[2,3,5,4]/-/shape=bounds",
            "Can t set the input tensor with index because the model input shape and the tensor shape are",
            "batch-bounds-empty-tensor",
        ),
        (
            "HETERO:CPU",
            "RGBtoNV12-17/plain/f32[2,6,10,3]/single_plane=false",
            "Hetero device used some layers were not able to be assigned on any pointed device",
            "hetero-no-device-takes-a-layer",
        ),
    ],
)
def test_what_a_device_above_another_one_does_is_named_by_causes_of_its_own(
    device: str, case: str, message: str, cause: str
) -> None:
    known = causes.load()
    run = Run(**{**vars(RUN), "device": device, "openvino": "2026.4.1-1"})
    target = target_of(run, Baseline(Run(**{**vars(run), "device": "CPU"}), asked={case}), known)
    stage = "infer" if device.startswith("BATCH") else "compile"
    facts = Facts(stage=stage, kind="message", message=message)
    departed = record(case, "REFUSED", device=device, facts=facts)
    found = target.decide(departed)
    assert (found.gate, found.cause) == (Gate.NEW_CASE, cause)
    # Another refusal there is red.
    other = replace(departed, facts=replace(facts, message="no kernel"))
    assert target.decide(other).gate is Gate.BROKEN

    # Whatever the device below does with the layer, it does not come there.
    refusal = Line((Ending(Outcome.REFUSED, Facts(stage="read", message="no rank")),))
    for line in (refusal, line_of(failed(case))):
        below = Baseline(Run(**{**vars(run), "device": "CPU"}), {case: line}, asked={case})
        target = target_of(run, below, known)
        found = target.decide(departed)
        assert (found.gate, found.cause) == (Gate.NEW_CASE, cause)
        assert target.decide(other).gate is Gate.WORSE


@pytest.mark.parametrize(
    "device, outcome, stage, gate",
    [
        ("HETERO:CPU", "REFUSED", "compile", Gate.REWORDED),
        ("BATCH:CPU(4)", "REFUSED", "compile", Gate.REWORDED),
        ("BATCH:CPU(4)", "REFUSED", "infer", Gate.WORSE),
        ("BATCH:CPU(4)", "FAIL", "infer", Gate.WORSE),
        ("CPU", "REFUSED", "compile", Gate.WORSE),
        ("HETERO:GPU,CPU", "REFUSED", "compile", Gate.WORSE),
    ],
)
def test_a_device_above_another_one_may_refuse_in_other_words(
    device: str, outcome: str, stage: str, gate: Gate
) -> None:
    case = "Abs-1/plain/f32[2,3,5,4]/-/shape=rank"
    below = Run(**{**vars(RUN), "device": "CPU"})
    known = Line((Ending(Outcome.REFUSED, Facts(stage="compile", message="no rank is_dynamic")),))
    baseline = Baseline(below, {case: known}, asked={case})
    target = GateTarget(Run(**{**vars(RUN), "device": device}), baseline, NO_CAUSE)
    facts = Facts(stage=stage, message="some layers were not able to be assigned")
    assert target.decide(record(case, outcome, device=device, facts=facts)).gate is gate
