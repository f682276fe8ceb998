"""Child processes in another Python: --python, and the profile arm=... that is made of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from devices import ProfileError, parse_profile
from devices.process import interpreter
from devices.targets import arm
from devices.targets.arm import emulator
from reports.results.records import Header, from_line
from tests.conformance.selection import case_timeout_of
from tests.unit.conformance.running import SMALL, outcomes, suite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the program is a shell script")

# It says that it runs on another machine, as an emulated one does, and what it was started for.
OTHER = """#!/bin/sh
echo "$QEMU_CPU $2" >>{log}
PYTHONPATH="$PYTHONPATH:{site}" exec {python} "$@"
"""
SITE = "import platform\nplatform.machine = lambda: 'aarch64'\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder as .ci/arm/make-files makes it, with this Python in place of an emulated one."""
    folder = tmp_path / "arm"
    (folder / "site").mkdir(parents=True)
    (folder / "site" / "sitecustomize.py").write_text(SITE)
    program = folder / "python"
    text = OTHER.format(log=tmp_path / "log", site=folder / "site", python=sys.executable)
    program.write_text(text)
    program.chmod(0o755)
    return folder


def machine(tmp_path: Path) -> str:
    header = from_line((tmp_path / "results.jsonl").read_text().splitlines()[0])
    assert isinstance(header, Header)
    return header.targets[0].machine


def test_only_the_device_runs_in_another_python(tmp_path: Path, files: Path) -> None:
    done = suite(tmp_path, *SMALL, "--python", str(files / "python"), "-n", "2")
    assert done.code == 0, done.text
    assert set(outcomes(tmp_path).values()) == {"PASS"}
    assert machine(tmp_path) == "aarch64"
    # One fork server: its children, and the workers of pytest-xdist, are started otherwise.
    assert (tmp_path / "log").read_text().split() == ["devices.process.forking.fork_server"]


def test_a_run_in_this_python_says_so(tmp_path: Path) -> None:
    suite(tmp_path, *SMALL)
    assert machine(tmp_path) == os.uname().machine


def test_a_program_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    done = suite(tmp_path, *SMALL, "--python", "/nowhere/python")
    assert (done.code, done.err) == (
        2,
        "error: --python /nowhere/python: there is no such program\n",
    )


def test_a_program_that_does_not_start_is_told_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'Could not open ld-linux.so' >&2; exit 255\n")
    program.chmod(0o755)
    done = suite(tmp_path, *SMALL, "--python", str(program))
    assert done.code == 2, done.text
    assert re.fullmatch(
        r"error: .* does not open: exit status 255 in open: Could not open ld-linux.so; "
        rf"{program} must be a Python with openvino and what else the suite installs\n",
        done.err,
    )


def test_a_child_needs_no_more_than_openvino_and_its_dependencies() -> None:
    """What ``.ci/arm/make-files`` installs for the emulated Python: those of the package, and not those of a run."""
    text = (
        "import sys, devices.process.forking.fork_server\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert {"devices", "numpy"} <= set(done.stdout.split())
    assert not {"ml_dtypes", "lxml", "covertable", "pytest"} & set(done.stdout.split())


def test_the_profile_names_the_processor(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(emulator.FOLDER, str(files))
    done = suite(tmp_path, *SMALL, "--profile", "arm=neoverse-v1")
    assert done.code == 0, done.text
    assert (tmp_path / "log").read_text() == "neoverse-v1 devices.process.forking.fork_server\n"
    header = from_line((tmp_path / "results.jsonl").read_text().splitlines()[0])
    assert isinstance(header, Header)
    assert header.targets[0].full_name == (
        "CPU plugin for Arm, emulated neoverse-v1 (qemu-user): A device with a fault"
    )


def test_without_the_files_a_run_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(emulator.FOLDER, str(tmp_path / "nowhere"))
    done = suite(tmp_path, *SMALL, "--profile", "arm=max", device="CPU")
    assert done.code == 2
    assert done.err.startswith("error: profile arm=max: there is no ")
    assert "/nowhere/python; .ci/arm/make-files makes its folder" in done.err
    assert len(done.err.splitlines()) == 1


def test_names_of_processors_are_checked() -> None:
    with pytest.raises(ProfileError, match="unknown arm 'm1'; known: cortex-a72, neoverse-v1, max"):
        parse_profile("arm=m1")
    with pytest.raises(ProfileError, match="arm is for plugins of the CPU, not GPU"):
        parse_profile("arm=max").check_device("GPU")
    assert case_timeout_of(None, [parse_profile("arm=max")]) == 60


def test_two_processors_have_a_fork_server_each(files: Path) -> None:
    given = {emulator.FOLDER: str(files)}
    environments = [arm.environment(name, given) for name in arm.PROCESSORS]
    assert len({each["QEMU_CPU"] for each in environments}) == len(arm.PROCESSORS)
    assert {interpreter.program(each) for each in environments} == {str(files / "python")}


def test_a_start_in_another_python_has_more_time() -> None:
    assert interpreter.start_limit({}, 10) == 10
    assert interpreter.start_limit({interpreter.PYTHON: "/other"}, 10) == 50
    assert interpreter.program({}) == sys.executable


# --- with qemu, where it is there -----------------------------------------------------------------------------------


def _is_installed() -> bool:
    try:
        arm.environment("neoverse-v1")
    except arm.ArmError:
        return False
    return True


@pytest.mark.skipif(not _is_installed(), reason="needs the files of .ci/arm/make-files")
def test_the_plugin_for_arm_runs(tmp_path: Path) -> None:
    options = ("--operation", "ReLU-1", "--purpose", "plain", "--how", "usual")
    done = suite(tmp_path, *options, "--profile", "arm=neoverse-v1", device="CPU")
    assert done.code == 0, done.text
    header = from_line((tmp_path / "results.jsonl").read_text().splitlines()[0])
    assert isinstance(header, Header)
    assert header.targets[0].machine == "aarch64"
    assert header.targets[0].isa.startswith("neon+fp16")
