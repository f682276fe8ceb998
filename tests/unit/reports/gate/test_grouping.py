"""Changes of a baseline in groups: which kind each case is of, and what makes a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from reports.gate.baseline import Baseline, Run, line_of
from reports.gate.causes import Cause, Causes, name_of
from reports.gate.decision import GateTarget
from reports.gate.grouping import CHANGES, ChangeGroup, Changes, changes
from reports.gate.precision import Share
from reports.gate.selectors import Selector
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord
from tests.unit.reports.gate.desks import I4, PLAIN, RANDOM_U4, RUN, U1, U4, die, fail, ok, refuse
from tests.unit.reports.small_results import record

LATER = Run(**{**vars(RUN), "openvino": "2026.5.0-1"})
OTHER_KERNELS = Run(**{**vars(RUN), "isa": "SSE41"})
OTHER_DATA = Run(**{**vars(RUN), "seed": 7})
CROSSING = f"{I4}/-/shape=dims"


def cause(name: str, **conditions: str) -> Cause:
    selector = Selector({field: (value,) for field, value in conditions.items()})
    return Cause(name, f"title of {name}", "defect", devices=("CPU",), selectors=(selector,))


ANY = cause("any", operation="*")
OF_U4 = cause("of-u4", type="u4")
KNOWN = Causes([ANY, OF_U4])
NARROW = {
    name_of(OF_U4, OF_U4.selectors[0]): Share(10, 10),
    name_of(ANY, ANY.selectors[0]): Share(10, 1),
}


def target(
    *records: CaseRecord, asked: Sequence[str] = (), run: Run = RUN, **other: Any
) -> GateTarget:
    """What the gate knows of a run by a baseline in which these records departed or conformed."""
    lines = {one.case: line_of(one) for one in records if not one.conforms}
    cases = frozenset([*(one.case for one in records), *asked])
    return GateTarget(run, Baseline(RUN, lines, cases, "base", **other), KNOWN, NARROW)


def found(
    before: GateTarget,
    *records: CaseRecord,
    origin: GateTarget | None = None,
    is_whole: bool = False,
) -> Changes:
    return changes(records, before, origin or before, is_whole)


def cases_by_kind(some: Changes) -> dict[str, list[str]]:
    return {group.change: sorted(group.lines) for group in some.groups}


@pytest.mark.parametrize(
    ("run", "before", "now", "kind"),
    [
        (RUN, ok(I4), fail(I4), "broken"),
        (RUN, ok(U4), refuse(U4), "broken"),
        (LATER, ok(I4), fail(I4), "regressed"),
        (LATER, ok(U4), refuse(U4), "regressed"),
        (OTHER_KERNELS, ok(I4), fail(I4), "broken"),
        (OTHER_KERNELS, ok(U4), refuse(U4), "known"),
        (RUN, None, fail(I4), "new"),
        (RUN, None, refuse(U4), "known"),
        (OTHER_DATA, ok(U4), refuse(U4), "known"),
        (OTHER_DATA, ok(I4), fail(I4), "new"),
        (RUN, fail(I4), fail(I4, wrong=6), "worse"),
        (RUN, fail(I4), die(I4), "worse"),
        (RUN, refuse(I4), refuse(I4, "other words"), "worse"),
        (LATER, refuse(I4), refuse(I4, "other words"), "reworded"),
        (LATER, refuse(I4), die(I4), "worse"),
        (RUN, fail(I4, digest="1" * 10), fail(I4, digest="2" * 10), "worse"),
        (LATER, fail(I4, digest="1" * 10), fail(I4, digest="2" * 10), None),
        (RUN, fail(I4), ok(I4), "fixed"),
        (RUN, die(I4), refuse(I4), "fixed"),
        (RUN, die(I4), fail(I4), "worse"),
        (RUN, fail(I4), fail(I4), None),
        (RUN, ok(I4), ok(I4), None),
        (RUN, None, ok(I4), None),
    ],
)
def test_the_kind_of_a_change(
    run: Run, before: CaseRecord | None, now: CaseRecord, kind: str | None
) -> None:
    some = found(target(*([before] if before else []), run=run), now)
    assert [group.change for group in some.groups] == ([kind] if kind else [])


def test_kinds_stand_in_their_order_and_large_groups_first() -> None:
    before = target(
        ok(PLAIN),
        ok(U1),
        fail(CROSSING, cause="any"),
        asked=[f"B-1/type/i8[{n}]" for n in range(3)],
    )
    some = found(
        before, refuse(U1), ok(CROSSING), refuse(RANDOM_U4), *(fail(f"B-1/type/i8[{n}]") for n in range(3)),
    )  # fmt: skip
    assert [(group.change, len(group.lines)) for group in some.groups] == [
        ("broken", 3), ("broken", 1), ("known", 1), ("fixed", 1),
    ]  # fmt: skip
    order = list(CHANGES)
    assert [group.change for group in some.groups] == sorted(
        (group.change for group in some.groups), key=order.index
    )
    # An id says the kind.
    assert all(group.id.startswith(f"{group.change}-") for group in some.groups)
    assert len({group.id for group in some.groups}) == 4


def test_which_groups_need_a_look_and_which_a_cause() -> None:
    line = line_of(fail(I4))
    needs: dict[tuple[str, bool, bool], tuple[bool, bool]] = {}
    for kind in CHANGES:
        for has_cause in (False, True):
            for departs in (False, True):
                group = ChangeGroup(kind, "", ANY if has_cause else None)
                group.lines = {I4: line if departs else None}
                needs[kind, has_cause, departs] = group.needs_look, group.needs_cause
    for (kind, has_cause, departs), (look, of_cause) in needs.items():
        assert of_cause == (departs and not has_cause and kind != "reworded")
        assert look == (kind in ("new", "broken", "regressed", "worse") or of_cause)


def test_a_crossing_is_in_the_group_of_its_part() -> None:
    (group,) = found(
        target(asked=(I4, CROSSING, PLAIN)), ok(PLAIN), fail(I4), fail(CROSSING)
    ).groups
    assert group.lines.keys() == {I4, CROSSING}
    assert (group.explained, group.size) == (1, "2 cases, 1 of them due to others of the group")
    crossing = next(one for one in group.records if one.case == CROSSING)
    assert group.part_of(crossing).case == I4
    assert group.part_of(group.part_of(crossing)).case == I4


def test_one_whose_part_is_of_another_kind_is_not() -> None:
    """Only the crossing passed in the run of the baseline."""
    some = found(target(ok(CROSSING), ok(PLAIN)), ok(PLAIN), fail(I4), fail(CROSSING))
    assert cases_by_kind(some) == {"new": [I4], "broken": [CROSSING]}


def test_groups_are_formed_against_the_baseline_before_the_first_take() -> None:
    cases = [f"{name}-1/type/i4[2]" for name in "ABC"]
    origin = target(*map(ok, cases), run=LATER)
    now = [refuse(case) for case in cases]
    (whole,) = found(origin, *now).groups
    assert whole.lines.keys() == {*cases}
    # One of them is taken.
    half = Baseline(LATER, {cases[0]: line_of(now[0])}, frozenset([cases[0]]), base=origin.baseline)
    (left,) = found(GateTarget(LATER, half, KNOWN, NARROW), *now, origin=origin).groups
    assert left.id == whole.id
    assert left.lines.keys() == {*cases[1:]}
    # All are.
    lines = {one.case: line_of(one) for one in now}
    done = Baseline(LATER, lines, frozenset(cases), base=origin.baseline)
    assert found(GateTarget(LATER, done, KNOWN, NARROW), *now, origin=origin).groups == []


def test_what_is_gone_is_known_of_a_whole_run_alone() -> None:
    before = target(fail(I4), fail(U1), ok(PLAIN))
    assert cases_by_kind(found(before, ok(PLAIN), fail(I4))) == {}
    assert cases_by_kind(found(before, ok(PLAIN), fail(I4), is_whole=True)) == {"gone": [U1]}


def test_a_run_of_depth_single_says_nothing_of_cases_of_several_factors() -> None:
    crossed = "A-1/type/u1[2]/-/memory=strided,shape=dims"
    before = target(fail(I4), fail(crossed))
    assert cases_by_kind(found(before, fail(I4), is_whole=True)) == {}
    deeper = target(fail(I4), fail(crossed), run=Run(**{**vars(RUN), "depth": "pairs"}))
    assert cases_by_kind(found(deeper, fail(I4), is_whole=True)) == {"gone": [crossed]}


def test_what_says_nothing_of_the_device_is_counted() -> None:
    nothing = record(I4, "ABSENT"), record(U1, "ERROR")
    some = found(target(fail(I4), fail(U1)), *nothing, ok(PLAIN))
    assert (some.groups, some.without_verdict, some.asked) == ([], 2, {PLAIN})


def test_a_known_failure_gets_the_digest_of_its_answer() -> None:
    """On another release; where it is not always the same, that is noted."""
    one, other = fail(I4, digest="1" * 10), fail(U1, digest="2" * 10)
    before = target(one, other, run=LATER)
    lines = found(before, fail(I4, digest="3" * 10), fail(U1, digest="4" * 10 + "~")).lines
    assert {case: line.digest for case, line in lines.items()} == {I4: "3" * 10, U1: "~"}
    # The same answer changes nothing, and one without a digest says nothing.
    assert found(before, one, fail(U1)).lines == {}


def test_a_nondeterministic_failure_is_compared_once_two_runs_gave_one_answer() -> None:
    line = line_of(fail(I4))._replace(is_nondeterministic=True)
    digests = ["1" * 10, "1" * 10, "1" * 10, "2" * 10, "1" * 10]
    expected = ["1" * 10 + "?", "1" * 10, "1" * 10, "~", "~"]
    for digest, after in zip(digests, expected, strict=True):
        before = target(asked=[I4])
        before.baseline.lines = {I4: line}
        some = found(before, fail(I4, digest=digest))
        if some.groups:
            ((taken,),) = [[*group.lines.values()] for group in some.groups]
            assert taken is not None
            line = taken
        else:
            line = some.lines.get(I4, line)
        assert line.digest == after


def test_the_title_has_the_message_as_openvino_writes_it() -> None:
    facts = Facts(stage="compile", kind="message", message="Check axis must be axis")
    came = replace(refuse(I4), facts=facts, detail="at compile: Check 'axis[1] < 3' must be axis")
    (group,) = found(target(ok(I4)), came).groups
    assert "Check axis must be axis" in group.reason
    assert "Check 'axis[1] < 3' must be axis" in group.title
