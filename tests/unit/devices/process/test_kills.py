"""Kills from outside blame nobody; deaths, hangs and malformed replies count when they happen again."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import ir_models
from devices import NotOpenedError, Options, Runner
from devices import parse_profile as profile
from devices.process.forking import fork_client
from reports.results.outcomes import Outcome
from tests.unit.devices import faulty
from tests.unit.devices.engine.test_faults import CULPRIT, DEVICE, FRAGILE, INVALID, PACK, judge

SETS = {"pack": PACK, "alone": [CULPRIT], "fragile": FRAGILE, "invalid": INVALID}
# (what is asked, the stage, the time that any process gets there). Of two invalid layers both are refused at reading,
# so the third reading is the canary's; compile and infer are the canary's alone. Fragile cases are released each time.
KILLS = [
    *((name, "open", 1) for name in SETS),
    *(("pack", stage, nth) for stage in faulty.STAGES for nth in (1, 2, 3, 5)),
    *(("alone", stage, 1) for stage in faulty.STAGES),
    *(("fragile", stage, nth) for stage in faulty.HALTS[1:] for nth in (1, 2)),
    ("fragile", "open", 2),
    *(("invalid", "read", nth) for nth in (1, 2, 3)),
    *(("invalid", stage, 1) for stage in ("compile", "infer")),
]


@contextmanager
def killer(log: Path, number: signal.Signals) -> Iterator[list[int]]:
    """Kill the process that halts, from outside. Yields the process ids killed."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        halted = Path(f"{log}.halted")
        while not over.wait(0.01):
            if halted.exists():
                killed.append(int(halted.read_text()))
                os.kill(killed[-1], number)
                return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("name, stage, nth", KILLS)
def test_one_kill_changes_no_verdict(name: str, stage: str, nth: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    number = (signal.SIGKILL, signal.SIGTERM)[nth % 2]
    with killer(log, number) as killed:
        # The audit asks each case of the pack alone as well.
        verdicts = judge("", SETS[name], audit=1.0, LOG=log, HALT=stage, NTH=nth)
    assert len(killed) == 1
    assert {v.outcome for v in verdicts.values()} == {Outcome.PASS}


@pytest.mark.parametrize("is_server", [False, True])
def test_a_kill_between_two_packs_changes_no_verdict(is_server: bool) -> None:
    with Runner(DEVICE, profile("DELAY=0"), Options(audit=1.0)) as runner:
        for ids in SETS.values():
            for verdict in runner.judge([ir_models.parse(text) for text in ids]):
                assert verdict.outcome is Outcome.PASS, verdict.detail
            child = runner._session._child
            if is_server:
                os.kill(fork_server(), signal.SIGKILL)
            elif child is not None:
                os.kill(child._process.pid, signal.SIGKILL)


def storm(kills: int) -> dict[str, set[Outcome]]:
    """Judge all sets again and again until child processes were killed so often. Returns the outcomes by set.

    The first time nothing is killed: how long that takes says how often to kill, so that a child process on a busy
    machine has the same chance to answer.
    """
    runner = Runner(DEVICE, profile("DELAY=0.02"), Options(case_timeout=10.0, audit=1.0))
    found: dict[str, set[Outcome]] = {name: set() for name in SETS}
    times = random.Random(kills)
    killed = 0
    over = threading.Event()

    def kill() -> None:
        nonlocal killed
        while killed < kills and not over.wait(times.uniform(0, calm)):
            for process in children_of_the_fork_server():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed += 1

    thread = threading.Thread(target=kill)

    def judge_all() -> None:
        for name, ids in SETS.items():
            verdicts = runner.judge([ir_models.parse(text) for text in ids])
            found[name] |= {verdict.outcome for verdict in verdicts}

    with runner:
        runner.open()
        start = time.monotonic()
        judge_all()
        calm = time.monotonic() - start
        thread.start()
        try:
            while thread.is_alive():
                judge_all()
        finally:
            over.set()
            thread.join()
    assert killed >= kills
    return found


def children_of_the_fork_server() -> list[int]:
    server = fork_server()
    text = Path(f"/proc/{server}/task/{server}/children").read_text()
    return [int(number) for number in text.split()]


def fork_server() -> int:
    process = fork_client._fork_servers["{}"]._process
    assert process is not None
    return process.pid


needs_children = pytest.mark.skipif(
    not Path("/proc/self/task").exists() or not list(Path("/proc/self/task").glob("*/children")),
    reason="needs the list of child processes of Linux",
)


@needs_children
def test_a_storm_of_kills_changes_no_verdict() -> None:
    assert storm(20) == {name: {Outcome.PASS} for name in SETS}


@needs_children
def test_a_long_storm_of_kills_changes_no_verdict(request: pytest.FixtureRequest) -> None:
    kills = request.config.getoption("--kills")
    if not kills:
        pytest.skip("takes minutes: --kills 300")
    assert storm(kills) == {name: {Outcome.PASS} for name in SETS}


def test_a_death_that_is_not_repeated_is_a_flake(tmp_path: Path) -> None:
    verdict = judge("segfault", [CULPRIT], LOG=tmp_path / "log", TIMES=1)[CULPRIT]
    assert verdict.outcome is Outcome.FLAKE
    assert verdict.detail == "SIGSEGV in infer; not repeated when run again: PASS"
    assert verdict.evidence is not None
    verdict = judge("segfault", [CULPRIT], LOG=tmp_path / "again", TIMES=2)[CULPRIT]
    assert verdict.outcome is Outcome.CRASH


def test_a_hang_that_is_not_repeated_is_told_and_blames_nobody(tmp_path: Path) -> None:
    verdict = judge("hang", [CULPRIT], LOG=tmp_path / "log", TIMES=1)[CULPRIT]
    assert verdict.outcome is Outcome.PASS
    assert verdict.detail == "run again after: no answer in infer within 2.1 s"


def test_a_slow_case_has_three_times_as_long_the_second_time() -> None:
    # Longer than the limit of 2.1 seconds, and no longer than three times that.
    verdict = judge("", [CULPRIT], DELAY=3)[CULPRIT]
    assert verdict.outcome is Outcome.PASS
    assert verdict.detail == "run again after: no answer in send within 2.1 s"


def test_a_stopped_child_blames_nobody(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with killer(log, signal.SIGSTOP) as stopped:
        verdict = judge("", [CULPRIT], LOG=log, HALT="infer")[CULPRIT]
    assert len(stopped) == 1
    assert verdict.outcome is Outcome.PASS


def test_a_child_that_is_killed_each_time_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("devices.engine.confirming.PAUSES", (0.0, 0.0))
    verdicts = judge("kill", PACK)
    assert verdicts[CULPRIT].outcome is Outcome.ERROR
    assert verdicts[CULPRIT].detail == (
        "3 child processes in a row were killed by another process, or for lack of memory: SIGKILL in infer"
    )
    others = {v.outcome for case, v in verdicts.items() if case != CULPRIT}
    assert others == {Outcome.PASS}


# --- opening ----------------------------------------------------------------------------------------------------------


def test_opening_is_tried_again(tmp_path: Path) -> None:
    verdicts = judge("open_segfault", LOG=tmp_path / "log", TIMES=2)
    assert {v.outcome for v in verdicts.values()} == {Outcome.PASS}


def test_a_device_that_never_opens_is_tried_three_times_and_then_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    given = profile(f"FAULT=open_segfault,LOG={log},TIMES=1000")
    counter = Path(f"{log}.times")
    with Runner(DEVICE, given, Options(case_timeout=2.0)) as runner:
        for attempts in (3, 4):
            with pytest.raises(NotOpenedError, match="SIGSEGV in open"):
                runner.open()
            assert counter.stat().st_size == attempts
        verdicts = runner.judge([ir_models.parse(text) for text in PACK])
        assert counter.stat().st_size == 5
    assert {v.outcome for v in verdicts} == {Outcome.ERROR}
    assert {v.detail for v in verdicts} == {"the device no longer opens: SIGSEGV in open"}


def test_a_device_that_goes_away_takes_no_verdict_along(tmp_path: Path) -> None:
    # It opens for the pack and for its first half, and dies of the culprit there.
    settings = {"LOG": tmp_path / "log", "OPENS": 3}
    verdicts = judge("segfault", PACK, **settings)
    outcomes = [verdict.outcome for verdict in verdicts.values()]
    assert Outcome.PASS in outcomes
    assert Outcome.ERROR in outcomes
    assert Outcome.CRASH not in outcomes
