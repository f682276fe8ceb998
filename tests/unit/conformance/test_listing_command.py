"""The command that lists cases for a run may die, and leave what it has started behind."""

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conformance import selection
from tests.conformance.selection import SuiteSelection, UsageError, end_listings

CHOSEN: Any = SimpleNamespace(depth="pairs", random=0, seed=0, purposes=(), given=())


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Have this script in the place of Python, which lists cases."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setattr(selection, "sys", SimpleNamespace(executable=str(path)))


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_one_that_is_killed_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    command(tmp_path, monkeypatch, f"sleep 600 &\necho $! > {child}\nkill -9 $$")
    started = time.monotonic()
    with pytest.raises(UsageError, match="listing the cases failed: exit code -9"):
        [*SuiteSelection._listed(CHOSEN, 2)]
    assert time.monotonic() - started < 300
    for _ in range(100):
        if not is_running(int(child.read_text())):
            break
        time.sleep(0.1)
    assert not is_running(int(child.read_text()))


def test_the_last_line_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(tmp_path, monkeypatch, "echo first >&2\necho 'No space left' >&2\nexit 1")
    with pytest.raises(UsageError, match="listing the cases failed: No space left"):
        [*SuiteSelection._listed(CHOSEN, 2)]


def test_ids_are_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(tmp_path, monkeypatch, "echo Abs-1/a\necho Abs-1/b")
    assert [*SuiteSelection._listed(CHOSEN, 2)] == ["Abs-1/a", "Abs-1/b"]
    assert not selection._listings


def test_those_that_run_are_ended() -> None:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    selection._listings.add(process)
    end_listings()
    assert process.returncode == -9
    assert not selection._listings
