"""A run that is compared with the results of another: a changed plugin with its base, on one machine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.unit.conformance.running import FAULTY, SMALL, Run, records, run, small_cases, suite
from tests.unit.conformance.test_runs import CULPRIT, faulty

# A change of a device is a module of its own, so that both have one profile.
BASE = ("--profile", "DELAY=0")


def told(came: Run) -> str:
    """The one line of a run with wrong usage."""
    assert came.code == 2, came.text
    (line,) = came.err.strip().splitlines()
    assert "Traceback" not in came.out
    return line


def with_profile(path: Path, old: str, new: str) -> Path:
    """Results of another build that was run with the same profile."""
    path.write_text(path.read_text().replace(old, new))
    return path


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The option of a profile that breaks one case, and its text."""
    return faulty("wrong_element")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, changed: tuple[str, str]) -> Path:
    """The results of the base, in which every case passes."""
    folder = tmp_path_factory.mktemp("base")
    assert suite(folder, *SMALL, *BASE).code == 0
    return with_profile(folder / "results.jsonl", BASE[1], changed[1])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two-workers"])
def test_a_change_that_breaks_a_case_is_told(
    tmp_path: Path, base: Path, changed: tuple[str, str], workers: tuple[str, ...]
) -> None:
    came = suite(tmp_path, *SMALL, *changed, "--baseline", str(base), *workers)
    assert came.code == 1, came.text
    gates = {record["case"]: record["gate"] for record in records(tmp_path)}
    assert gates == {**dict.fromkeys(small_cases(), "pass"), CULPRIT: "broken"}
    assert f"1 unexpected departure (1 broken) in {len(gates)} cases on" in came.out
    assert f"Compared with {base}, which has 0 departures: 1 broken." in came.out.replace("\n", " ")
    assert " · 1 case · passed in the baseline" in came.out


def test_a_run_is_as_its_own_results_say(
    tmp_path: Path, base: Path, changed: tuple[str, str]
) -> None:
    assert suite(tmp_path, *SMALL, *changed, "--baseline", str(base)).code == 1
    own = (tmp_path / "results.jsonl").rename(tmp_path / "own.jsonl")
    came = suite(tmp_path, *SMALL, *changed, "--baseline", str(own))
    assert came.code == 0, came.text
    gates = Counter(record["gate"] for record in records(tmp_path))
    assert gates == {"known": 1, "pass": len(small_cases()) - 1}
    assert "0 unexpected departures in" in came.out
    # One line for each case, and a file that the next run can take.
    assert len(records(tmp_path)) == len(small_cases())


def test_what_the_base_had_wrong_is_improved(
    tmp_path: Path, base: Path, changed: tuple[str, str]
) -> None:
    assert suite(tmp_path, *SMALL, *changed).code == 1
    was_wrong = (tmp_path / "results.jsonl").rename(tmp_path / "wrong.jsonl")
    with_profile(was_wrong, changed[1], BASE[1])
    for strict, code in (((), 0), (("--strict-gate",), 1)):
        came = suite(tmp_path, *SMALL, *BASE, "--baseline", str(was_wrong), *strict)
        assert came.code == code, came.text
        gates = {record["case"]: record["gate"] for record in records(tmp_path)}
        assert gates == {**dict.fromkeys(small_cases(), "pass"), CULPRIT: "improved"}


def test_what_passed_with_another_profile_is_red(
    tmp_path: Path, base: Path, changed: tuple[str, str]
) -> None:
    came = suite(tmp_path, *SMALL, *faulty("refuse"), "--baseline", str(base))
    assert came.code == 1, came.text
    (departure,) = [record for record in records(tmp_path) if record["outcome"] != "PASS"]
    assert departure["gate"] == "broken"
    told = " ".join(came.out.split())
    assert (
        f"Compared with {base}, which has 0 departures; profile {changed[1]} in the baseline, FAULT=refuse"
        in told
    )
    assert told.count("1 broken") == 2


def test_the_folder_that_accept_writes_is_a_baseline(
    tmp_path: Path, base: Path, changed: tuple[str, str]
) -> None:
    assert suite(tmp_path, *SMALL, *changed, "--baseline", "none").code == 1
    results, folder = str(tmp_path / "results.jsonl"), tmp_path / "ours"
    causes = tmp_path / "causes"
    causes.mkdir()
    accept = ("accept", results, "--baseline", str(folder), "--causes", str(causes))
    came = run(tmp_path, "-m", "reports", *accept)
    assert came.code == 1, came.text
    name = next(word for word in came.out.split() if word.startswith("new-"))
    describes = ("--title", "ours", "--class", "stack", "--component", "plugin node")
    came = run(tmp_path, "-m", "reports", *accept, "--take", name, "--cause", "ours", *describes)
    assert came.code == 0, came.text
    options = ("--baseline", str(folder), "--causes", str(causes))
    came = suite(tmp_path, *SMALL, *changed, *options)
    assert came.code == 0, came.text
    (known,) = [record for record in records(tmp_path) if record["gate"] == "known"]
    assert (known["case"], known["cause"]) == (CULPRIT, "ours")


def test_a_baseline_that_cannot_be(tmp_path: Path, base: Path) -> None:
    missing, empty = tmp_path / "missing.jsonl", tmp_path / "empty"
    empty.mkdir()
    notes = tmp_path / "notes.jsonl"
    notes.write_text("my notes\n")
    for given, words in {
        str(missing): f"error: {missing}: there is no such file or folder",
        str(empty): f"error: {empty / 'run.toml'}: cannot be read: No such file or directory",
        str(notes): f"error: {notes}:1: not JSON",
    }.items():
        line = told(suite(tmp_path, *SMALL, "--baseline", given))
        assert line.startswith(words)
        assert not (tmp_path / "results.jsonl").exists()


@pytest.mark.parametrize("resume", [(), ("--resume",)], ids=["", "resume"])
def test_a_run_is_not_compared_with_the_file_that_it_writes(
    tmp_path: Path, base: Path, resume: tuple[str, ...]
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(base.read_bytes())
    line = told(suite(tmp_path, *SMALL, "--baseline", str(path), *resume))
    assert line == f"error: --baseline {path} is the file that --results writes"
    assert path.read_bytes() == base.read_bytes()


def test_a_baseline_of_other_targets(tmp_path: Path, base: Path) -> None:
    two = tmp_path / "two.jsonl"
    text = base.read_text()
    header, rest = text.partition("\n")[::2]
    other = rest.replace(f'"device":"{FAULTY}"', '"device":"GPU"')
    two.write_text(f"{header}\n{rest}{other}")
    line = told(suite(tmp_path, *SMALL, "--baseline", str(two)))
    assert line.startswith("error: the baseline has GPU (")
    assert line.endswith(f"but not {FAULTY} (accuracy)")


def test_a_cause_of_ones_own_that_names_nothing_is_told(tmp_path: Path) -> None:
    causes = tmp_path / "causes"
    causes.mkdir()
    head = f'title = "ours"\nclass = "open"\ndevices = ["{FAULTY.replace(":", "_").replace(".", "_")}"]\n'
    for name, operation in (("ours", "ShapeOf-3"), ("others", "ShapeOf-1")):
        text = f'{head}[[select]]\noperation = ["{operation}"]\n'
        (causes / f"{name}.toml").write_text(text)
    options = ("--operation", "ShapeOf-3", "--random", "0", "--audit", "0", "--causes", str(causes))
    told = "1 cause of --causes named no departure: ours"
    came = suite(tmp_path, *options, "--depth", "pairs")
    assert came.code == 0, came.text
    assert told in came.out.splitlines()
    # Some of the cases alone say nothing of a cause.
    came = suite(tmp_path, *options, "--depth", "pairs", "--purpose", "plain")
    assert "named no departure" not in came.out
