"""The scripts for devices without their hardware: what can be checked without making a root folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
FOLDER = CI / "software-gpu"
RECIPES = ("software-gpu", "npu-compiler")

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")


def make_root(
    *arguments: str, recipe: str = "software-gpu", program: str = "make-root"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CI / recipe / program, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def can_mount() -> bool:
    return (
        hasattr(os, "geteuid")
        and os.geteuid() == 0
        and not subprocess.call(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL)
    )


@pytest.mark.parametrize(
    "recipe, program",
    [("software-gpu", "make-root"), ("npu-compiler", "make-root"), ("arm", "make-files")],
)
def test_wrong_usage_is_told_in_one_line(recipe: str, program: str) -> None:
    done = make_root(recipe=recipe, program=program)
    assert done.returncode == 2
    assert re.match(rf"{program}: usage: {program} (ROOT|DIR)", done.stderr)
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_of_others_is_not_made_into_one_for_arm(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = make_root(str(tmp_path), "true", recipe="arm", program="make-files")
    assert done.returncode == 2
    assert done.stderr.endswith(" exists and was not made by this script\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_files_for_arm_are_named_to_the_command(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("")
    (tmp_path / "python").chmod(0o755)
    words = (str(tmp_path), "sh", "-c", 'echo "$CONFORMANCE_ARM"')
    done = make_root(*words, recipe="arm", program="make-files")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}\n")


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
    script, container = (CI / "make-root").read_text(), (FOLDER / "Dockerfile").read_text()
    for step in ("packages", "python"):
        assert f"set_up {step}" in script
        assert f"setup {step}" in container
        for recipe in RECIPES:
            assert re.search(rf"^{step}\)$", (CI / recipe / "setup").read_text(), re.MULTILINE)


def test_no_registry_is_named() -> None:
    for path in filter(Path.is_file, CI.rglob("*")):
        assert not re.search(r"https?://|\w\.(org|com|net|io)\b", path.read_text()), path.name
