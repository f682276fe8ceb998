"""The commands of the README and of the recipes for CI run as they stand, on one case instead of all."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "ci"
WORKFLOW = ROOT / ".github" / "workflows" / "conformance.yml"
ONE_CASE = "--operation=SpaceToDepth-1 --purpose=example --depth=single"
SHARDS = 4


def github_commands() -> list[str]:
    """The commands of every job, in order."""
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def gitlab_jobs() -> dict[str, dict[str, Any]]:
    content = yaml.safe_load((RECIPES / "gitlab-ci.yml").read_text())
    return {name: job for name, job in content.items() if "script" in job}


def gitlab_commands() -> list[str]:
    jobs = gitlab_jobs().values()
    return [line for job in jobs for line in (*job["script"], *job.get("after_script", ()))]


def jenkins_commands() -> list[str]:
    return re.findall(r"\bsh '(.*)'", (RECIPES / "Jenkinsfile").read_text())


def of_the_suite(commands: list[str]) -> list[str]:
    """The commands but for those that set the machine up."""
    return [c for c in commands if c.startswith(("pytest ", "python -m "))]


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
        "CI_NODE_INDEX": "1",
        "CI_NODE_TOTAL": str(SHARDS),
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


RECIPE_COMMANDS = {
    "github": github_commands(),
    "gitlab": gitlab_commands(),
    "jenkins": jenkins_commands(),
}


@pytest.mark.parametrize("system", RECIPE_COMMANDS)
def test_the_recipes_run(system: str, checkout: Path):
    for old in checkout.glob("*.jsonl"):
        old.unlink()
    commands = of_the_suite(RECIPE_COMMANDS[system])
    assert len(commands) > 3
    for command in commands:
        if "merge" in command:
            # The other shards ran on other machines, with the same options: merge refuses others.
            for shard in range(2, SHARDS + 1):
                nightly = "pytest tests/conformance --random 500"
                run(f"{nightly} --shard {shard}/{SHARDS} --results cpu-{shard}.jsonl", checkout)
        done = run(command, checkout)
        # All shards but one of a single case are empty, which is wrong usage by design.
        empty = "--shard" in command and "no case is selected" in done.stderr
        assert done.returncode == 0 or empty, (command, done.stdout, done.stderr)
    if system == "github":
        assert "SpaceToDepth-1" in (checkout / "summary.md").read_text()
    assert (checkout / "cpu.html").stat().st_size > 10_000


def test_the_recipes_pin_one_release_and_try_the_newest_at_night():
    for system, commands in RECIPE_COMMANDS.items():
        installs = [c for c in commands if c.startswith("pip install") and "[run]" in c]
        assert installs, system
        assert all('"openvino==$OPENVINO"' in c for c in installs), system
        assert "pip install --upgrade openvino" in commands, system
        assert any(re.search(r"compare .* newest.jsonl", c) for c in commands), system
    recipes = [WORKFLOW, RECIPES / "gitlab-ci.yml", RECIPES / "Jenkinsfile"]
    pins = [
        re.findall(r"OPENVINO\s*[:=]\s*[\"']([\d.]+)[\"']", path.read_text()) for path in recipes
    ]
    assert len({tuple(pin) for pin in pins}) == 1, pins
    assert all(len(pin) == 1 for pin in pins)


def test_the_workflow_has_limits_a_cache_and_few_permissions():
    workflow = yaml.safe_load(WORKFLOW.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert 0 < job["timeout-minutes"] <= 120, name
        assert "permissions" not in job, name
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False, name
            if "setup-python" in step.get("uses", ""):
                assert step["with"]["cache"] == "pip", name
    for name in ("newest-release", "nightly", "merge"):
        assert "schedule" in workflow["jobs"][name]["if"]
        assert "schedule" in str(gitlab_jobs()[name]["rules"])


def test_git_ignores_what_runs_leave_behind(tmp_path: Path):
    shutil.copy(ROOT / ".gitignore", tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in ("cpu.jsonl", "cpu.xml", "cpu.failures/CPU/model.xml", "results/CPU.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    listed = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(listed, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert told.split() == ["??", ".gitignore"]


@pytest.mark.parametrize("command", [c for c in readme_commands() if c.startswith("pytest ")])
def test_what_the_readme_runs(command: str, checkout: Path):
    if "::" in command:
        command = f"PYTEST_ADDOPTS= {command}"
    package = Path(find_spec("openvino").origin).parent
    # A build of one's own is where it is: here the installed one.
    plugin = "libopenvino_intel_cpu_plugin.so"
    command = command.replace("~/openvino/install", str(package.parent))
    command = command.replace(f"bin/intel64/Release/{plugin}", str(package / "libs" / plugin))
    done = run(command, checkout)
    absent = "GPU" in command and "error: GPU is not on this machine" in done.stderr
    assert not absent or done.returncode == 2
    empty = "--shard" in command and "no case is selected" in done.stderr
    assert done.returncode == 0 or absent or empty, (done.stdout, done.stderr)


@pytest.mark.parametrize("command", [c for c in readme_commands() if c.startswith("python -m ")])
def test_what_the_readme_calls(command: str, checkout: Path):
    """The module and the subcommand exist, and know the options."""
    words = shlex.split(command)
    done = run(" ".join([*words[:4], "--help"]), checkout)
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
