"""Runs in unfriendly surroundings: without /proc or /dev/shm, on a read-only checkout, with a clock that jumps."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.conformance.running import (
    FAULTY,
    ROOT,
    SMALL,
    command,
    outcomes,
    small_cases,
    survivors,
)

HERE = shlex.quote(str(ROOT))
# What is done in a mount namespace of its own before the run starts.
MOUNTS = {
    "no /proc": "mount -t tmpfs none /proc",
    "no /dev/shm": "mount -t tmpfs none /dev/shm && mount -o remount,ro /dev/shm",
    "read-only checkout": f"mount --bind {HERE} {HERE} && mount -o remount,ro,bind {HERE} && cd {HERE}",
}
UNSHARE = ["unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",))]
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


def run_in(folder: Path, shell: str, *options: str, device: str = FAULTY, **variables: str) -> str:
    """Run small cases in a shell that does this first; return what the run printed. Raises CalledProcessError."""
    script = f'{shell} && exec "$@"'
    words = [*UNSHARE, "sh", "-c", script, "sh", *command(folder, *SMALL, *options, device=device)]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**survivors.environment(folder), **variables},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def may_mount() -> None:
    """Skip where mount namespaces are not to be had."""
    words = [*UNSHARE, "sh", "-c", "mount -t tmpfs none /proc"]
    if shutil.which("unshare") is None or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("no mount namespaces here")


@pytest.mark.usefixtures("may_mount")
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one", "workers"])
@pytest.mark.parametrize("place", MOUNTS)
def test_nothing_is_lost(tmp_path: Path, place: str, workers: tuple[str, ...]) -> None:
    run_in(tmp_path, MOUNTS[place], *workers)
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


@pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed")
@pytest.mark.parametrize("jump", ["-400d", "+400d"])
def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, jump: str) -> None:
    """The calendar's clock alone: no clock that measures time may be set.

    On the CPU: libfaketime has no right answer for the sleeps of the faulty device.
    """
    clock = tmp_path / "clock"
    clock.write_text("+0d\n")
    later = f"(sleep 2; echo {jump} > {shlex.quote(str(clock))}) & true"
    run_in(
        tmp_path,
        later,
        device="CPU",
        LD_PRELOAD=str(FAKETIME),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        DONT_FAKE_MONOTONIC="1",
    )
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")
