"""The script and the container for the GPU plugin without a GPU: what can be checked without making a root folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / ".ci" / "software-gpu"

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")


def make_root(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [FOLDER / "make-root", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def can_mount() -> bool:
    return (
        hasattr(os, "geteuid")
        and os.geteuid() == 0
        and not subprocess.call(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL)
    )


def test_wrong_usage_is_told_in_one_line() -> None:
    done = make_root()
    assert done.returncode == 2
    assert done.stderr.startswith("make-root: usage: make-root ROOT")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not shutil.which("unshare") or not can_mount(), reason="needs root")
def test_a_folder_that_it_did_not_make_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "root" / "mine"
    mine.parent.mkdir()
    mine.write_text("mine")
    done = make_root(str(mine.parent), "true")
    assert done.returncode == 2
    assert re.fullmatch(
        r"make-root: (.* exists and was not made by this script|debootstrap is missing: .*)\n",
        done.stderr,
    )
    assert [path.name for path in tmp_path.rglob("*")] == ["root", "mine"]
    assert str(tmp_path) not in Path("/proc/mounts").read_text()


def test_the_container_has_the_same_steps() -> None:
    script, container = ((FOLDER / name).read_text() for name in ("make-root", "Dockerfile"))
    for step in ("packages", "python"):
        assert f"set_up {step}" in script
        assert f"setup {step}" in container
        assert re.search(rf"^{step}\)$", (FOLDER / "setup").read_text(), re.MULTILINE)


def test_no_registry_is_named() -> None:
    for path in FOLDER.iterdir():
        assert not re.search(r"https?://|\w\.(org|com|net|io)\b", path.read_text()), path.name
