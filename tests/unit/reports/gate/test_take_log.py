"""Takes that are undone, interrupted, and made at once, by several processes."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.gate.baseline_files import read_folder
from reports.results.outcomes import Outcome
from reports.results.records import Selection
from tests.unit.reports.gate.desks import (
    HEADER,
    I4,
    LATER,
    NEW_CAUSE,
    PLAIN,
    RANDOM_U4,
    U1,
    U4,
    Desk,
    fail,
    kinds,
    ok,
    one_group,
    refuse,
    tree,
)
from tests.unit.reports.small_results import write

B = "B-1/type/i8[2]"


@pytest.fixture
def changed(desk: Desk) -> Iterator[Desk]:
    """A desk with changes of several kinds, which must be as it was in the end."""
    desk.cause("everything")
    desk.ship(fail(B), fail(U1, cause="everything"), ok(I4))
    desk.ran(fail(I4), refuse(RANDOM_U4), ok(B), ok(U1))
    before = tree(desk.folder)
    yield desk
    assert tree(desk.folder) == before


# --- taking back --------------------------------------------------------------------------------------------------


def test_taking_back_leaves_no_trace(changed: Desk) -> None:
    changed.accept("--take", *changed.groups(), "all", "--cause", "everything", code=0)
    assert set(changed.lines()) == {I4, RANDOM_U4}
    changed.accept("--take-back", code=0)


def test_each_step_is_taken_back_by_itself(changed: Desk) -> None:
    changed.accept("--take", "all", code=1)
    between = tree(changed.baselines, changed.causes)
    name = one_group(changed.groups(), "broken")
    changed.accept("--take", name, "--cause", "new-one", *NEW_CAUSE, code=0)
    assert changed.accept("--take-back", code=0) == f"taken back: {name}\n"
    assert tree(changed.baselines, changed.causes) == between
    changed.accept("--take-back", code=0)
    assert "nothing to take back" in changed.accept("--take-back", code=2)


def test_a_draft_is_a_step(changed: Desk) -> None:
    name = one_group(changed.groups(), "broken")
    changed.accept("--take", name, "--cause", "new-one", "--class", "open", code=2)
    assert (changed.causes / "new-one.toml").exists()
    assert changed.accept("--take-back", code=0) == "taken back: draft of new-one\n"


def test_a_baseline_that_was_made_goes_with_its_folder(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.ran(ok(I4), header=LATER)
    before = tree(desk.folder)
    desk.accept("--take", "all", code=0)
    assert desk.later.exists()
    desk.accept("--take-back", code=0)
    assert tree(desk.folder) == before


def test_it_is_taken_back_from_another_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ship(ok(PLAIN))
    desk.cause("everything")
    desk.ran(fail(I4))
    (desk.folder / "elsewhere").mkdir()
    before = tree(desk.folder)
    monkeypatch.chdir(desk.folder)
    desk.accept("--baseline", "ours", "--take", *desk.groups(), "--cause", "everything", code=0)
    assert Path("ours/run.toml").exists()
    monkeypatch.chdir(desk.folder / "elsewhere")
    told = "ours/asked.tsv is no file of the baseline"
    assert told in desk.accept("--take-back", code=2)
    desk.accept("--baseline", "../ours", "--take-back", code=0)
    assert tree(desk.folder) == before


def test_taking_back_loses_no_later_change(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    name = one_group(desk.groups(), "broken")
    before = tree(desk.folder)
    desk.accept("--take", name, "--cause", "c", *NEW_CAUSE, code=0)
    draft = desk.causes / "c.toml"
    text = draft.read_text()
    draft.write_text(text + "# mine\n")
    taken = tree(desk.folder)
    assert f"{draft}: it has changed since it was written" in desk.accept("--take-back", code=2)
    assert tree(desk.folder) == taken
    draft.write_text(text)
    desk.accept("--take-back", code=0)
    assert tree(desk.folder) == before


def test_files_of_others_stay(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.ran(ok(I4), header=LATER)
    desk.accept("--take", "all", code=0)
    (desk.later / "README").write_text("mine")
    desk.accept("--take-back", code=0)
    assert [path.name for path in desk.later.iterdir()] == ["README"]


# --- the log ------------------------------------------------------------------------------------------------------


def log_of(desk: Desk) -> Path:
    return desk.results.with_suffix(".accepted.json")


def test_the_log_says_what_was_taken(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", name, "--cause", "c", *NEW_CAUSE, code=0)
    (step,) = json.loads(log_of(desk).read_text())
    assert step["took"] == name
    files = {Path(path).name: text for path, text in step["files"].items()}
    assert "random = 0\n" in files.pop("run.toml")
    assert files.pop("precision.tsv")
    assert files == dict.fromkeys(("c.toml", "changes.md", "movement.txt"))
    assert step["files"].keys() == step["after"].keys()
    assert step["is_done"]
    assert Outcome.FAIL in {each.outcome for each in desk.lines()[I4].endings}


@pytest.mark.parametrize(
    "text", ["{", "[1]", "[{}]", '{"a": 1}', '"abc"', "\xff", '[{"took":"x","files":{},"x":1}]']
)
def test_a_log_that_is_none(desk: Desk, text: str) -> None:
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    log_of(desk).write_text(text)
    for options in ((), ("--take", "all"), ("--take-back",)):
        assert "is not a list of what was taken" in desk.accept(*options, code=2)


Tampering = Callable[[Desk], str]
TAMPERED: dict[str, Tampering] = {
    "outside": lambda desk: str(desk.folder / "run.jsonl"),
    "a new file outside": lambda desk: str(desk.folder / "new.txt"),
    "by ..": lambda desk: f"{desk.base}/../../../run.jsonl",
    "by .. and back": lambda desk: f"{desk.base}/../2026.4/asked.tsv",
    "relative": lambda desk: "asked.tsv",
    "of a baseline beside it": lambda desk: str(desk.baselines / "CPU" / "2026.3" / "asked.tsv"),
    "deeper": lambda desk: str(desk.base / "more" / "asked.tsv"),
    "not a file of a baseline": lambda desk: str(desk.base / "notes.py"),
    "not a cause": lambda desk: str(desk.causes / "notes.txt"),
    "by a link": lambda desk: str(desk.base / "link.txt"),
    "by a folder that is a link": lambda desk: str(desk.folder / "causes-too" / "new.toml"),
}


@pytest.mark.parametrize("where", TAMPERED)
@pytest.mark.parametrize("part", ["files", "after"])
@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_tampered_log_writes_nothing(
    desk: Desk, where: str, part: str, is_interrupted: bool
) -> None:
    desk.ship(ok(PLAIN), name="2026.3", openvino="2026.3.0-1")
    desk.ship(ok(I4))
    desk.cause("everything")
    (desk.base / "more").mkdir()
    (desk.base / "link.txt").symlink_to(desk.results)
    (desk.folder / "causes-too").symlink_to(desk.causes)
    desk.ran(fail(I4))
    (desk.base / "link.txt").unlink()
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    (desk.base / "link.txt").symlink_to(desk.results)
    (step,) = json.loads(log_of(desk).read_text())
    step[part][TAMPERED[where](desk)] = "evil"
    if is_interrupted:
        step["is_done"] = False
    log_of(desk).write_text(json.dumps([step]))
    before = tree(desk.folder)
    told = desk.accept("--take-back", code=2)
    assert "is no file of the baseline" in told
    if is_interrupted:
        assert "is no file of the baseline" in desk.accept("--take", "all", code=2)
    assert tree(desk.folder) == before


# --- interrupted --------------------------------------------------------------------------------------------------


def in_a_child(function: Callable[[], Any]) -> int:
    """Start a function in a child process; return its id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        found = function()
        code = found if isinstance(found, int) else 0
    finally:
        os._exit(code)


def killed(desk: Desk, files: int, *options: str) -> bool:
    """Run the command in a process that is killed behind the writing of so many files; tell whether it came to that."""

    def command() -> int:
        replace, done = os.replace, 0

        def replacing(*paths: Any) -> None:
            nonlocal done
            replace(*paths)
            done += 1
            if done > files:
                os.kill(os.getpid(), signal.SIGKILL)

        os.replace = replacing  # type: ignore[assignment]
        return main(["accept", str(desk.results), *options])

    _, status = os.waitpid(in_a_child(command), 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) in (0, 1, 2)
    return False


def half_taken(desk: Desk) -> tuple[str, ...]:
    """Options that take something of every kind from the results of a new release."""
    others = [f"{name}-1/type/i4[{n}]" for name in "CDEF" for n in (2, 3)]
    desk.cause("everything")
    desk.ship(fail(B, cause="everything"), ok(I4), ok(U4), *map(ok, others))
    departing = [fail(each, category=f"category-{each[0].lower()}") for each in others]
    desk.ran(fail(I4), refuse(U4), refuse(RANDOM_U4), ok(B), *departing, header=LATER)
    names = [name for name in desk.groups() if name.startswith("regressed")]
    return ("--take", "all", *names, "--cause", "wrong-now", *NEW_CAUSE)


def test_a_take_that_was_killed_can_be_taken_again(desk: Desk) -> None:
    options = half_taken(desk)
    before = tree(desk.folder)
    desk.accept(*options, code=0)
    after = tree(desk.folder)
    assert (desk.causes / "wrong-now.toml").exists()
    desk.accept("--take-back", code=0)
    files = 0
    while killed(desk, files, *options):
        assert tree(desk.folder) != before
        # The last file that is written is the log: it says that nothing is left.
        if not json.loads(log_of(desk).read_text())[0].get("is_done"):
            told = desk.accept(code=2)
            assert "a take is running, or was interrupted: run it again, or use --take-back" in told
            desk.accept(*options, code=0)
        assert tree(desk.folder) == after
        desk.accept("--take-back", code=0)
        assert tree(desk.folder) == before
        files += 1
    # The log, the cause, and the files of the baseline.
    assert files > 8


def test_a_take_that_was_killed_can_be_taken_back(desk: Desk) -> None:
    options = half_taken(desk)
    before = tree(desk.folder)
    files = 0
    while killed(desk, files, *options):
        # The rest of it is killed, too, wherever it is.
        for more in range(3):
            killed(desk, more, "--take-back")
        if log_of(desk).exists():
            desk.accept("--take-back", code=0)
        assert tree(desk.folder) == before
        files += 1
    desk.accept("--take-back", code=0)


def test_a_baseline_that_is_half_written_is_none(desk: Desk) -> None:
    """A run that meets its folder goes by the nearest of the others."""
    options = half_taken(desk)
    files = 0
    while killed(desk, files, *options):
        for more in (0, 1, 2):
            killed(desk, more, "--take-back")
            if (desk.later / "run.toml").exists():
                read_folder(desk.later)
        if log_of(desk).exists():
            desk.accept("--take-back", code=0)
        files += 1


def test_what_others_took_since_is_not_lost(desk: Desk) -> None:
    """A take is killed, one of another run changes the same files, and then it is given again."""
    desk.cause("everything")
    desk.ship(ok(I4), ok(U1))
    desk.ran(fail(I4), ok(U1))
    first = ("--take", *desk.groups(), "--cause", "everything")
    # The log and what was asked are written.
    assert killed(desk, 1, *first)
    own, desk.results = desk.results, desk.folder / "other.jsonl"
    part = replace(HEADER, selection=Selection(depth="single", shard="1/4"))
    desk.ran(ok(I4), fail(U1), header=part)
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    desk.results = own
    assert "it has changed since it was written" in desk.accept("--take-back", code=2)
    # U1 passed in this run, and departed in the other one.
    desk.accept(*first, code=1)
    assert set(desk.lines()) == {I4, U1}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("files", [1, 2, 3, 4])
def test_an_interrupted_step_is_taken_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, files: int, error: BaseException
) -> None:
    options = half_taken(desk)
    before = tree(desk.folder)
    os_replace, done = os.replace, 0

    def failing(*paths: Any) -> None:
        nonlocal done
        if done == files:
            raise error
        done += 1
        os_replace(*paths)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", failing)
        code = main(["accept", str(desk.results), *options])
    assert code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert tree(desk.folder) != before
    desk.accept("--take-back", code=0)
    assert tree(desk.folder) == before


# --- at once ------------------------------------------------------------------------------------------------------


def taken_at_once(*commands: list[str]) -> list[int]:
    """Run commands at once, each in a process of its own; return their exit codes."""
    children = [in_a_child(lambda each=command: main(each)) for command in commands]  # type: ignore[misc]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def test_takes_of_one_run_at_once_lose_nothing(desk: Desk) -> None:
    cases = [f"{name}-1/type/i4[2]" for name in "ABCD"]
    desk.ship(*map(ok, cases), ok(U1))
    desk.cause("everything")
    desk.ran(*(refuse(case, f"{case[0] * 9} fails") for case in cases), ok(U1), header=LATER)
    before = tree(desk.folder)
    found = desk.groups()
    assert kinds(found) == ["regressed"] * 4
    given = ["accept", str(desk.results), "--cause", "everything", "--take"]
    assert set(taken_at_once(*([*given, name] for name in found))) <= {0, 1}
    assert set(desk.lines(desk.later)) == set(cases)
    desk.accept(code=0)
    for _ in found:
        desk.accept("--take-back", code=0)
    assert tree(desk.folder) == before


def test_takes_of_several_runs_at_once_lose_nothing(desk: Desk) -> None:
    """Each makes a cause of its own, and all are of one baseline that is not there yet."""
    cases = [f"{name}-1/random/i4[2]" for name in "ABCD"]
    desk.ship(ok(U1))
    part = replace(LATER, selection=Selection(depth="single", shard="1/4"))
    commands = []
    for number, case in enumerate(cases):
        path = write(desk.folder / f"run{number}.jsonl", part, refuse(case, f"{case[0] * 9} fails"))
        desk.results = path
        (name,) = desk.groups()
        commands.append(["accept", str(path), "--take", name, "--cause", f"c{number}", *NEW_CAUSE])
    assert taken_at_once(*commands) == [0] * len(cases)
    assert desk.causes_of(desk.later) == {case: f"c{n}" for n, case in enumerate(cases)}
    made = read_folder(desk.later)
    assert all(case in made.asked for case in cases)


def test_one_cause_that_two_make_at_once_is_made_once(desk: Desk) -> None:
    cases = [f"{name}-1/random/i4[2]" for name in "AB"]
    desk.ship(ok(U1))
    commands = []
    for number, case in enumerate(cases):
        path = write(desk.folder / f"run{number}.jsonl", HEADER, refuse(case))
        desk.results = path
        (name,) = desk.groups()
        commands.append(["accept", str(path), "--take", name, "--cause", "c", *NEW_CAUSE])
    codes = taken_at_once(*commands)
    # The draft of the first one does not name the case of the other one.
    assert sorted(codes) == [0, 2]
    assert desk.causes_of() == {cases[codes.index(0)]: "c"}
