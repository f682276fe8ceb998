"""The commands of the README and of the workflow run as they stand, on one case instead of all."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "conformance.yml"
ONE_CASE = "--operation=SpaceToDepth-1 --purpose=example"


def workflow_commands() -> list[str]:
    """The commands of every job, in order, but for those that set the machine up."""
    commands = re.findall(r"- (?:if: .*\n\s+)?run: (.*)", WORKFLOW.read_text())
    return [c for c in commands if not c.startswith("pip install")]


def readme_commands() -> list[str]:
    """The commands in the README's blocks that need no tox and no results of an earlier run."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith(("pytest ", "python -m "))]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "PYTEST_ADDOPTS": f"{ONE_CASE} -p no:cacheprovider",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    environment.pop("PYTEST_XDIST_WORKER", None)
    # The commands need nothing but the checkout that they run in.
    environment.pop("PYTHONPATH", None)
    command = command.replace("${{ matrix.shard }}", "1").replace("-n auto", "-n 0")
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that keeps its results to itself."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("tests", "devices", "ir_models", "reference", "reports"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_workflow_runs(checkout: Path):
    commands = workflow_commands()
    assert len(commands) > 8
    for command in commands:
        if "merge" in command:
            # The other shard ran on another machine.
            run("pytest tests/conformance --shard 2/2 --results cpu-2.jsonl", checkout)
        done = run(command, checkout)
        # One of the two shards of a single case is empty, which is wrong usage by design.
        empty = "--shard" in command and "no case is selected" in done.stderr
        assert done.returncode == 0 or empty, (command, done.stdout, done.stderr)
    assert "SpaceToDepth-1" in (checkout / "summary.md").read_text()
    assert (checkout / "cpu.html").stat().st_size > 10_000


@pytest.mark.parametrize("command", [c for c in readme_commands() if c.startswith("pytest ")])
def test_what_the_readme_runs(command: str, checkout: Path):
    if "::" in command:
        command = f"PYTEST_ADDOPTS= {command}"
    done = run(command, checkout)
    absent = "GPU" in command and done.returncode == 1
    empty = "--shard" in command and "no case is selected" in done.stderr
    assert done.returncode == 0 or absent or empty, (done.stdout, done.stderr)


@pytest.mark.parametrize("command", [c for c in readme_commands() if c.startswith("python -m ")])
def test_what_the_readme_calls(command: str, checkout: Path):
    """The module and the subcommand exist, and know the options."""
    words = shlex.split(command)
    # The module, its command, and the command's own where it has one.
    called = words[:5] if words[3] == "expectations" else words[:4]
    done = run(" ".join([*called, "--help"]), checkout)
    assert done.returncode == 0, done.stderr
    for word in words[4:]:
        if word.startswith("--"):
            assert word in done.stdout, f"{command}: {word} is not in its help"


def table_rows(text: str) -> list[list[str]]:
    """The rows of a Markdown table, heads and rules left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_bounds_that_no_error_comes_near_have_their_reasons():
    errors, _, reasons = (ROOT / "docs" / "accuracy.md").read_text().partition("\n## ")
    wide = set()
    for operation, kind, *cells in table_rows(errors):
        fractions = [float(found[0]) for cell in cells if (found := re.match(r"\d+\.\d+", cell))]
        # Of integers whole levels count: all or nothing.
        if kind in ("f16", "bf16", "f32", "f64") and fractions and max(fractions) < 0.1:
            wide.add((operation, kind))
    explained = {
        (operation, kind)
        for operations, kinds, why in table_rows(reasons)
        for operation in operations.split(", ")
        for kind in kinds.split(", ")
        if len(why) > 20
    }
    assert wide == explained
