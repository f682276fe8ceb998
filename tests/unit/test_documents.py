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

from devices.process.forking.fork_client import CAN_FORK
from tests.unit.conformance.preloaded import Preloaded

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "ci"
WORKFLOWS = [ROOT / ".github" / "workflows" / f"{name}.yml" for name in ("conformance", "publish")]
ONE_CASE = "--operation=SpaceToDepth-1 --purpose=example --depth=single"
SHARDS = 4


def test_what_says_where_to_change_what_names_files_that_are_there():
    table = (ROOT / "docs" / "README.md").read_text().partition("## Where to change what\n")[2]
    named = re.findall(r"`([\w./<>-]+)`", table)
    files = [name.partition("<")[0] for name in named if "/" in name or name.endswith(".toml")]
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert len(files) > 30


def github_commands() -> list[str]:
    """The commands of every job, in order."""
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
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


def lay_artifacts(checkout: Path) -> None:
    """The results of earlier jobs where the action of GitHub lays them."""
    for name in ("nightly/cpu", "cpu-1/cpu-1", "comparison/base", "comparison/change"):
        path = checkout / "runs" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkout / path.name.replace("cpu-1", "cpu"), path)


def readme_commands() -> list[str]:
    """The commands in the README's blocks that need no tox and no results of an earlier run."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith(("pytest ", "python -m "))]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    programs = (folder.parent / "programs", Path(sys.executable).parent, os.environ["PATH"])
    path = os.pathsep.join(map(str, programs))
    environment = {
        **os.environ,
        "PATH": path,
        "PYTEST_ADDOPTS": f"{ONE_CASE} -p no:cacheprovider",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "NUMBER": "7",
        "URL": "https://host/pages",
    }
    environment.pop("PYTEST_XDIST_WORKER", None)
    # The commands need nothing but the checkout that they run in.
    environment.pop("PYTHONPATH", None)
    command = for_one_shard(command).replace("-n auto", "-n 0")
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )


def for_one_shard(command: str) -> str:
    """The command of the first shard, whose number is a variable of the system that runs it."""
    for name, value in (
        ("${{ matrix.shard }}", "1"),
        ("$CI_NODE_INDEX", "1"),
        ("$CI_NODE_TOTAL", str(SHARDS)),
    ):
        command = command.replace(name, value)
    return command


_ran: dict[str, tuple[subprocess.CompletedProcess[str], list[bytes]]] = {}


def run_once(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of pytest, or put there what it left where it ran before, with files of other names perhaps."""
    command = for_one_shard(command)
    option = r"(?<=--)(results|junitxml)[ =](\S+)"
    files = [folder / name for _, name in re.findall(option, command)]
    without_names = re.sub(option, r"\1", command)
    if without_names not in _ran:
        done = run(command, folder)
        _ran[without_names] = done, [each.read_bytes() for each in files if each.exists()]
    done, left = _ran[without_names]
    # A run that is refused leaves none of them.
    for file, content in zip(files, left, strict=False):
        file.write_bytes(content)
    return done


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that keeps its results to itself, beside programs that have loaded it."""
    folder = tmp_path_factory.mktemp("documents") / "checkout"
    folder.mkdir()
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("tests", "devices", "ir_models", "reference", "reports"):
        shutil.copytree(ROOT / name, folder / name)
    programs = folder.parent / "programs"
    programs.mkdir()
    if CAN_FORK:
        Preloaded(folder).write_programs(programs)
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
    for folder in ("public", "site"):
        shutil.rmtree(checkout / folder, ignore_errors=True)
    commands = of_the_suite(RECIPE_COMMANDS[system])
    assert len(commands) > 3
    for command in commands:
        if "merge" in command:
            # The other shards ran on other machines, with the same options: merge refuses others.
            for shard in range(2, SHARDS + 1):
                nightly = "pytest tests/conformance --random 500"
                options = f"--shard {shard}/{SHARDS} --results cpu-{shard}.jsonl"
                run_once(f"{nightly} {options}", checkout)
        if "find runs" in command:
            lay_artifacts(checkout)
        done = (run_once if command.startswith("pytest ") else run)(command, checkout)
        # All shards but one of a single case are empty, which is wrong usage by design.
        empty = "--shard" in command and "no case is selected" in done.stderr
        assert done.returncode == 0 or empty, (command, done.stdout, done.stderr)
    if system == "github":
        assert "SpaceToDepth-1" in (checkout / "summary.md").read_text()
    assert (checkout / "cpu.html").stat().st_size > 10_000
    site = {"github": "public/nightly", "gitlab": "public", "jenkins": "site"}[system]
    assert (checkout / site / "index.html").stat().st_size > 10_000
    if system != "jenkins":
        assert "](<https://" in (checkout / "comment.md").read_text()


def test_the_recipes_pin_one_release_and_try_the_newest_at_night():
    for system, commands in RECIPE_COMMANDS.items():
        installs = [c for c in commands if c.startswith("pip install") and "[run]" in c]
        assert installs, system
        assert all("--constraint .ci/release.txt" in c for c in installs), system
        assert "pip install --upgrade openvino" in commands, system
        assert any(re.search(r"compare .* newest.jsonl", c) for c in commands), system
    pins = (ROOT / ".ci" / "release.txt").read_text().splitlines()
    assert re.fullmatch(r"openvino==\d{4}\.\d+\.\d+", pins[-1])


def test_a_night_that_lost_a_shard_has_a_report_and_failure_folders():
    for system in ("github", "gitlab"):
        assert any(" merge " in c and "--partial" in c for c in RECIPE_COMMANDS[system]), system
    upload = yaml.safe_load(WORKFLOWS[0].read_text())["jobs"]["nightly"]["steps"][-1]
    assert ".failures" in upload["with"]["path"]
    assert "cpu-*.failures" in gitlab_jobs()["nightly"]["artifacts"]["paths"]
    assert RECIPE_COMMANDS["jenkins"][0] == "rm -rf cpu.* newest.*"


def plugin_commands(system: str) -> list[str]:
    """The commands of a recipe for a changed build against its base."""
    text = (RECIPES / "plugin" / system).read_text()
    return [c.strip() for c in re.findall(r"(pytest tests/conformance .*?)'?$", text, re.MULTILINE)]


@pytest.mark.parametrize("system", ["github.yml", "gitlab-ci.yml", "Jenkinsfile"])
def test_a_changed_build_is_gated_by_the_run_of_its_base(system: str, checkout: Path):
    for old in checkout.glob("*.jsonl"):
        old.unlink()
    commands = plugin_commands(system)
    assert len(commands) == 2
    installed = str(Path(find_spec("openvino").origin).parent.parent)
    for command in commands:
        for name in ("../base", "../change", '"$BASE"', '"$CHANGE"'):
            command = command.replace(f"--openvino={name}", f"--openvino={installed}")
        done = run_once(command, checkout)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert "Compared with base.jsonl, which has 0 departures: nothing changed." in done.stdout


def test_the_workflow_has_limits_a_cache_and_few_permissions():
    workflow = yaml.safe_load(WORKFLOWS[0].read_text())
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
    for build in ("~/base/install", "~/change/install"):
        command = command.replace(build, str(package.parent))
    if "--baseline=base.jsonl" in command:
        base = command.partition(" --baseline")[0]
        assert run_once(f"{base} --results base.jsonl", checkout).returncode == 0
    done = run_once(command, checkout)
    absent = "GPU" in command and bool(re.search(r"error: GPU[.\d]* is not on", done.stderr))
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
