"""Known departures are asked once: a device that departs as known, otherwise than known, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import ir_models
from devices import Verdict
from devices.engine.verdicts.known import NothingKnown
from ir_models import LayerCase
from reports.results.outcomes import Outcome
from tests.unit.devices.engine.test_faults import (
    CULPRIT,
    FRAGILE,
    INVALID,
    PACK,
    assert_others_pass,
    description,
    faulty_runner,
    judge,
)

FRAGILE_CULPRIT = FRAGILE[1]
INVALID_PACK = [
    *INVALID,
    "SpaceToDepth-1/invalid/f32[3,7,4,6]/block_size=0,mode=blocks_first",
    "SpaceToDepth-1/invalid/f32[4,5,4,9]/block_size=2,mode=blocks_first",
]


class Foreknowledge(NothingKnown):
    """What the tests know: one case, how it may end, and the detail that it is known by."""

    def __init__(self, case: str, *outcomes: Outcome, detail: str = "") -> None:
        self.case, self.outcomes, self.detail = case, frozenset(outcomes), detail

    def known_outcomes(self, case: LayerCase) -> frozenset[Outcome]:
        told = frozenset({Outcome.CRASH, Outcome.TIMEOUT, Outcome.REFUSED})
        return self.outcomes & told if case.id == self.case else frozenset()

    def matches_baseline(self, verdict: Verdict) -> bool:
        is_it = verdict.case.id == self.case and verdict.outcome in self.outcomes
        return is_it and self.detail in verdict.detail


def asked(log: Path, case: str) -> int:
    """How often the device was asked about a case."""
    return log.read_text().splitlines().count(description(case))


@pytest.mark.parametrize("audit, times", [(0.0, 1), (1.0, 2)])
def test_a_known_death_is_asked_once_but_for_the_audit(
    audit: float, times: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.CRASH, detail="SIGSEGV in infer")
    verdicts = judge("segfault", known=known, audit=audit, LOG=log)
    assert (verdicts[CULPRIT].outcome, verdicts[CULPRIT].detail) == (
        Outcome.CRASH,
        "SIGSEGV in infer",
    )
    assert_others_pass(verdicts, CULPRIT)
    assert asked(log, CULPRIT) == times
    if not audit:
        assert {v.pack for case, v in verdicts.items() if case != CULPRIT} == {len(PACK) - 1}


@pytest.mark.parametrize("audit, times, limit", [(0.0, 1, "2.1"), (1.0, 2, "6.3")])
def test_a_known_hang_is_waited_for_once_but_for_the_audit(
    audit: float, times: int, limit: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.TIMEOUT, detail="no answer in compile")
    verdicts = judge("hang", known=known, audit=audit, LOG=log, STAGE="compile")
    verdict = verdicts[CULPRIT]
    told = f"no answer in compile within {limit} s"
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMEOUT, told)
    assert_others_pass(verdicts, CULPRIT)
    assert asked(log, CULPRIT) == times


def test_a_hang_other_than_known_is_confirmed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.TIMEOUT, detail="no answer in infer")
    verdicts = judge("hang", known=known, LOG=log, STAGE="compile")
    assert verdicts[CULPRIT].detail == "no answer in compile within 6.3 s"
    assert asked(log, CULPRIT) == 2
    assert_others_pass(verdicts, CULPRIT)


def test_a_hang_like_a_confirmed_one_takes_the_time_limit_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with faulty_runner("hang", match="", LOG=log, STAGE="compile") as runner:
        verdicts = runner.judge([ir_models.parse(case) for case in PACK])
    assert {verdict.outcome for verdict in verdicts} == {Outcome.TIMEOUT}
    assert all(verdict.seconds > 1 for verdict in verdicts)
    told = ", run once: another layer of the operation hung there twice"
    once = [verdict for verdict in verdicts if verdict.detail.endswith(told)]
    first = {verdict.case.operation.name: verdict for verdict in verdicts}
    assert len(once) == len(PACK) - len(first)
    assert all("within 2.1 s" in verdict.detail for verdict in once)


def test_a_hang_behind_a_layer_that_passes_takes_the_time_limit_once(tmp_path: Path) -> None:
    """The child process is not fresh any more, but becomes so before a layer of the same operation."""
    log = tmp_path / "log"
    cases = ["Abs-1/type/f16[2,3,5,4]", "Abs-1/type/i8[2,3,5,4]", "Abs-1/type/bf16[2,3,5,4]"]
    with faulty_runner("hang", match="f16", LOG=log) as runner:
        verdicts = [runner.judge([ir_models.parse(case)])[0] for case in cases]
    assert [verdict.outcome for verdict in verdicts] == [
        Outcome.TIMEOUT,
        Outcome.PASS,
        Outcome.TIMEOUT,
    ]
    assert [asked(log, case) for case in cases] == [2, 1, 1]


def test_a_known_hang_confirms_no_other(tmp_path: Path) -> None:
    known = Foreknowledge(PACK[0], Outcome.TIMEOUT, detail="no answer in compile")
    with faulty_runner("hang", match="", known=known, STAGE="compile") as runner:
        (first,) = runner.judge([ir_models.parse(PACK[0])])
        (other,) = runner.judge([ir_models.parse(CULPRIT)])
    assert (first.detail, other.detail) == (
        "no answer in compile within 2.1 s",
        "no answer in compile within 6.3 s",
    )


def test_a_death_other_than_known_is_confirmed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.CRASH, detail="SIGFPE in compile")
    verdicts = judge("segfault", known=known, LOG=log)
    assert verdicts[CULPRIT].outcome is Outcome.CRASH
    assert asked(log, CULPRIT) == 2
    assert_others_pass(verdicts, CULPRIT)


def test_a_death_that_happens_once_only_is_told_where_it_is_not_known(tmp_path: Path) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.CRASH, detail="SIGFPE in compile")
    verdicts = judge("segfault", known=known, LOG=log, TIMES=1)
    assert verdicts[CULPRIT].outcome is Outcome.FLAKE
    assert_others_pass(verdicts, CULPRIT)


def test_a_known_death_that_does_not_happen_is_a_pass() -> None:
    known = Foreknowledge(CULPRIT, Outcome.CRASH)
    assert {v.outcome for v in judge("", known=known).values()} == {Outcome.PASS}


@pytest.mark.parametrize("told", [(Outcome.CRASH,), (Outcome.CRASH, Outcome.REFUSED)])
@pytest.mark.parametrize(
    "fault", ["die_later", "refuse_later", "read_nothing_later", "wrong_later"]
)
def test_the_damage_of_a_known_death_reaches_no_other_case(
    fault: str, told: tuple[Outcome, ...]
) -> None:
    """It may have damaged its process without a death: the next question of that process dies, or goes wrong."""
    known = Foreknowledge(CULPRIT, *told)
    with faulty_runner(fault, known=known) as runner:
        for pack in (PACK, [PACK[0]], [CULPRIT], [PACK[2], PACK[3]]):
            for verdict in runner.judge([ir_models.parse(text) for text in pack]):
                assert (verdict.outcome, verdict.detail) == (Outcome.PASS, ""), verdict.case.id


def test_a_known_death_is_not_blamed_on_the_process_of_cases_before() -> None:
    """The case before damages its process; the known one is asked in a fresh process, where it passes."""
    known = Foreknowledge(CULPRIT, Outcome.CRASH)
    with faulty_runner("die_later", match="2x5x6", known=known) as runner:
        for text in (PACK[0], CULPRIT):
            (verdict,) = runner.judge([ir_models.parse(text)])
            assert verdict.outcome is Outcome.PASS


@pytest.mark.parametrize("audit, times", [(0.0, 1), (1.0, 2)])
def test_a_wrong_answer_as_known_is_not_asked_alone_but_for_the_audit(
    audit: float, times: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.FAIL, detail="1 of 324 wrong")
    verdict = judge("wrong_element", known=known, audit=audit, LOG=log)[CULPRIT]
    assert (verdict.outcome, asked(log, CULPRIT)) == (Outcome.FAIL, times)
    assert verdict.pack == (1 if audit else len(PACK))
    # What there is to hand over is about the case alone.
    assert verdict.evidence is not None
    assert verdict.evidence.reply is not None
    assert len(verdict.evidence.question.layers) == 1
    assert len(verdict.evidence.reply.outputs[0]) == 1


def test_a_wrong_answer_other_than_known_is_asked_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.FAIL, detail="7 of 324 wrong")
    verdict = judge("wrong_element", known=known, LOG=log)[CULPRIT]
    # In the pack, alone, and once more in a process with other memory.
    assert (verdict.outcome, verdict.pack, asked(log, CULPRIT)) == (Outcome.FAIL, 1, 3)


def test_the_audit_finds_that_only_the_pack_departs_as_known() -> None:
    known = Foreknowledge(CULPRIT, Outcome.FAIL, detail="1 of 324 wrong")
    assert judge("wrong_in_pack", known=known)[CULPRIT].outcome is Outcome.FAIL
    alone = judge("wrong_in_pack", known=known, audit=1.0)[CULPRIT]
    assert alone.outcome is Outcome.FLAKE


def test_a_known_refusal_costs_no_pack(tmp_path: Path) -> None:
    log = tmp_path / "log"
    known = Foreknowledge(CULPRIT, Outcome.REFUSED)
    verdicts = judge("refuse", known=known, LOG=log)
    assert verdicts[CULPRIT].outcome is Outcome.REFUSED
    assert_others_pass(verdicts, CULPRIT)
    assert len(log.read_text().splitlines()) == len(PACK)


def test_fragile_cases_that_are_known_to_die_leave_the_others_in_one_pack(tmp_path: Path) -> None:
    log = tmp_path / "log"
    pack = [*FRAGILE, FRAGILE[0] + "/values=special", FRAGILE[0] + "/values=ends"]
    known = Foreknowledge(FRAGILE_CULPRIT, Outcome.CRASH)
    verdicts = judge("die_on_release", pack, known=known, LOG=log)
    assert verdicts[FRAGILE_CULPRIT].outcome is Outcome.CRASH
    assert "in release" in verdicts[FRAGILE_CULPRIT].detail
    assert_others_pass(verdicts, FRAGILE_CULPRIT)
    assert len(log.read_text().splitlines()) == len(pack)


@pytest.mark.parametrize("is_known", [False, True])
def test_an_invalid_layer_that_kills_leaves_the_others_together(
    is_known: bool, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    culprit = INVALID_PACK[1]
    known = Foreknowledge(culprit, Outcome.CRASH) if is_known else None
    verdicts = judge("segfault", INVALID_PACK, match="3x5x3x6", known=known, STAGE="read", LOG=log)
    assert verdicts[culprit].outcome is Outcome.CRASH
    assert_others_pass(verdicts, culprit)
    assert asked(log, culprit) == (1 if is_known else 2)
    assert all(asked(log, case) <= 2 for case in INVALID_PACK)
    # Those after it are asked once: their process is another one.
    assert asked(log, INVALID_PACK[3]) == 1


@pytest.mark.parametrize("fault", ["poison", "poison_deadly"])
@pytest.mark.parametrize("position", range(len(INVALID_PACK)))
def test_damage_of_one_invalid_layer_of_many_is_told_of_that_one(fault: str, position: int) -> None:
    matches = ["3x5x4x7", "3x5x3x6", "block_size=0", "4x5x4x9"]
    verdicts = judge(fault, INVALID_PACK, match=matches[position])
    culprit = INVALID_PACK[position]
    assert verdicts[culprit].outcome is Outcome.FAIL
    assert verdicts[culprit].detail.endswith("no longer passes in the same process")
    assert_others_pass(verdicts, culprit)
