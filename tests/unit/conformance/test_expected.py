"""The gate of a run with baselines and causes: in a copy of the project, with one operation and what it ships."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest
from lxml import etree
from msgspec.structs import replace

from devices import Verdict
from ir_models import parse
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Ending, KnownCase, Line, Relation
from reports.gate.baseline import Run as BaseRun
from reports.gate.baseline_files import families_of, read, texts_of, write_folder
from reports.gate.causes import Causes
from reports.gate.causes import read as read_cause
from reports.gate.precision import to_text
from reports.results.files.reading import load
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from tests.conformance.expected import KnownOutcomes
from tests.unit.conformance.running import FAULTY, ROOT, Run, fresh, run

FAULTY_FILE = "tests/unit/devices/faulty.py"
OPERATION = "gather_tree.py"
CAUSE = """
title = "GatherTree - any beams - the last beam is wrong"
class = "defect"
since = "2024.0"
devices = ["PYTHON_tests_unit_devices_faulty"]

[[select]]
operation = ["GatherTree-1"]
outcome = ["FAIL"]
"""
BROKEN = ("--profile", "FAULT=wrong_element")
# Neighbours are operations, which the copy of the project does not have.
ALONE = ("--how", "usual", "values", "data", "index", "shape", "memory", "requests", "names")
SMALL = ("--purpose", "tiny", "--purpose", "plain", *ALONE)
PLAIN = ("--purpose", "plain", "--purpose", "example", *ALONE)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one operation, and without baselines and causes."""
    copy = tmp_path_factory.mktemp("project")

    def left_out(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT).parts
        if inside[:2] == ("ir_models", "operations") and len(inside) == 3:
            return [name for name in names if name not in ("__init__.py", OPERATION)]
        return names if inside in (("reports", "baselines"), ("reports", "causes")) else []

    for room in (
        "ir_models",
        "reference",
        "devices",
        "reports",
        "tests/conformance",
    ):
        shutil.copytree(ROOT / room, copy / room, ignore=left_out)
    # Graphs have layers of other operations.
    patterns = copy / "ir_models" / "patterns" / "__init__.py"
    text = patterns.read_text()
    none = re.sub(r"(?<=PATTERNS: tuple\[Pattern, \.\.\.\] = )\(.*?\n\)", "()", text, flags=re.S)
    assert none != text
    patterns.write_text(none)
    for file in ("conftest.py", "pyproject.toml", "tests/__init__.py", FAULTY_FILE):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, copy / file)
    settings = copy / "pyproject.toml"
    whole = settings.read_text()
    fewer = re.sub(r'(?<=conformance_minimum = ").*(?=")', "single=11, pairs=11", whole)
    assert fewer != whole
    settings.write_text(fewer)
    return copy


class Shipped:
    """What the copy of the project ships: causes by id, and lines of a baseline."""

    # The results of earlier runs: see ``base_run``.
    runs: ClassVar[dict[tuple[object, ...], str]] = {}

    def __init__(self, project: Path) -> None:
        self.project = project
        self.causes = project / "reports" / "causes"
        self.baselines = project / "reports" / "baselines"
        for folder in (self.causes, self.baselines):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What there is of it: a run hangs on this and on its options."""
        found = [
            p for folder in (self.causes, self.baselines) for p in sorted(folder.rglob("*.t*"))
        ]
        return tuple((str(path), path.read_text()) for path in found)

    def cause(self, name: str, text: str = CAUSE) -> None:
        """Ship a cause."""
        (self.causes / f"{name}.toml").write_text(text)

    def baseline(
        self, results: Path, change: Callable[[Line], Line] = lambda line: line, right: str = "-"
    ) -> None:
        """Ship the baseline that a run's results are, each line changed; cases of the purpose ``right`` conformed.

        The shares of causes are those that the run shows.
        """
        ((_, made),) = read(results).items()
        lines = {
            case: change(line) for case, line in made.lines.items() if f"/{right}/" not in case
        }
        ran = load(results).records
        shares = Causes(map(read_cause, self.causes.glob("*.toml"))).measure(ran, made.run)
        asked = AskedCases.of(record.case for record in ran)
        baseline = Baseline(made.run, lines, asked, categories=made.categories)
        folder = self.baselines / families_of(made.run.device)[-1] / "2026.4"
        write_folder(folder, texts_of(baseline, to_text(shares)))


@pytest.fixture
def shipped(project: Path) -> Shipped:
    """Nothing, at first."""
    return Shipped(project)


def suite(project: Path, folder: Path, *options: str, run: Callable[..., Run] = run) -> Run:
    results = ("--results", str(folder / "results.jsonl"))
    address = ("-m", "pytest", "tests/conformance", "--device", FAULTY, "--depth", "single")
    return run(folder, *address, *results, *options, root=project)


def base_run(shipped: Shipped, folder: Path, *options: str) -> Path:
    """The results of an earlier run, in a folder of their own: a run of the same is run once."""
    results = folder / "base" / "results.jsonl"
    results.parent.mkdir(exist_ok=True)
    key = (options, shipped.files)
    if key not in shipped.runs:
        suite(shipped.project, results.parent, *options)
        shipped.runs[key] = results.read_text()
    results.write_text(shipped.runs[key])
    return results


def records(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
    return [line for line in lines if line["kind"] == "case"]


def gates(folder: Path) -> dict[str, str]:
    return {line["case"].split("/")[1]: line["gate"] for line in records(folder)}


def told(came: Run) -> str:
    """The one line of a run with wrong usage."""
    assert came.code == 2, came.text
    (line,) = came.err.strip().splitlines()
    assert "Traceback" not in came.out
    return line


def test_a_departure_that_the_baseline_has_is_not_red(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    shipped.cause("last-beam")
    shipped.baseline(
        base_run(shipped, tmp_path, *PLAIN, *BROKEN), lambda one: one._replace(cause="last-beam")
    )
    junit = tmp_path / "junit.xml"
    came = suite(project, tmp_path, *PLAIN, *BROKEN, "--junitxml", str(junit))
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "known", "example": "known"}
    found = records(tmp_path)
    facts = {
        tuple(one[key] for key in ("cause", "cause_class", "reason", "since")) for one in found
    }
    assert facts == {
        (
            "last-beam",
            "defect",
            "GatherTree - any beams - the last beam is wrong",
            "2024.0 or before",
        )
    }
    assert re.search(rf"\b{len(found)} xfailed in", came.out), came.out
    counted = f"1 known defect ({len(found)} cases)"
    headline = f"0 unexpected departures in {len(found)} cases on "
    assert f"PASSED: {headline}" in came.out
    assert f"{len(found)} cases: 0 passed · {counted}\n" in came.out, came.out
    baseline = f"PYTHON_tests_unit_devices_faulty 2026.4, which has {len(found)} departures"
    assert f"Compared with {baseline}: nothing changed." in came.out.replace("\n", " "), came.out
    # JUnit tells causes before cases.
    (first, *_) = etree.parse(str(junit)).getroot()[0]
    properties = {one.get("name"): one.get("value") for one in first}
    assert properties["summary"].startswith(headline)
    assert properties["causes: known defect"] == "1"
    assert properties["cases: known defect"] == str(len(found))


def test_a_cause_alone_excuses_nothing_that_passed(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    """The run of the baseline asked both, and only the plain layer departed."""
    shipped.cause("last-beam")
    shipped.baseline(base_run(shipped, tmp_path, *PLAIN, *BROKEN), right="example")
    came = suite(project, tmp_path, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert gates(tmp_path) == {"plain": "known", "example": "broken"}
    assert {one["baseline"] for one in records(tmp_path) if one["gate"] == "broken"} == {
        "no departure"
    }
    assert re.search(r"^FAILED: \d unexpected departures? \(\d broken\) in", came.out, re.MULTILINE)


@pytest.mark.parametrize("strict, code", [((), 0), (("--strict-gate",), 1)])
def test_a_new_case_of_a_narrow_cause_is_red_only_if_strict(
    project: Path, shipped: Shipped, tmp_path: Path, strict: tuple[str, ...], code: int
) -> None:
    shipped.cause("last-beam")
    shipped.baseline(base_run(shipped, tmp_path, "--purpose", "plain", *ALONE, *BROKEN))
    came = suite(project, tmp_path, *PLAIN, *BROKEN, *strict)
    assert came.code == code, came.text
    assert gates(tmp_path) == {"plain": "known", "example": "new case"}
    examples = [one for one in records(tmp_path) if one["gate"] == "new case"]
    assert {one["cause"] for one in examples} == {"last-beam"}
    told = " ".join(came.out.split())
    assert f"departures: {len(examples)} new case" in told


def test_a_cause_of_which_no_baseline_says_how_narrow_it_is_names_nothing_new(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    shipped.cause("last-beam")
    came = suite(project, tmp_path, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert {one["gate"] for one in records(tmp_path)} <= {"new", "explained"}
    assert (
        "Compared with no baseline: a departure is new unless a narrow cause names it" in came.out
    )


def test_without_a_cause_a_new_case_is_red(project: Path, shipped: Shipped, tmp_path: Path) -> None:
    came = suite(project, tmp_path, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert {one["gate"] for one in records(tmp_path)} == {"new", "explained"}


def test_causes_of_ones_own(project: Path, shipped: Shipped, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "ours.toml").write_text(CAUSE)
    for workers in ((), ("-n", "2")):
        came = suite(project, tmp_path, *PLAIN, *BROKEN, "--causes", str(own), *workers)
        # It names them, and nothing says that it is narrow.
        assert came.code == 1, came.text
        assert {one["cause"] for one in records(tmp_path)} == {"ours"}


def test_a_resumed_run_judges_what_it_has_by_the_baseline_of_now(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    shipped.baseline(base_run(shipped, tmp_path, *PLAIN, *BROKEN), right="example")
    came = suite(project, tmp_path, *PLAIN, *BROKEN)
    assert came.code == 1, came.text
    assert gates(tmp_path) == {"plain": "known", "example": "broken"}
    asked = len(records(tmp_path))
    shipped.baseline(base_run(shipped, tmp_path, *PLAIN, *BROKEN))
    came = suite(project, tmp_path, *PLAIN, *BROKEN, "--resume")
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "known", "example": "known"}
    # Each case has one line, whatever was judged anew.
    assert len(records(tmp_path)) == asked
    shutil.rmtree(shipped.baselines)
    came = suite(project, tmp_path, *PLAIN, *BROKEN, "--resume")
    assert came.code == 1, came.text
    assert set(gates(tmp_path).values()) <= {"new", "explained"}
    assert len(records(tmp_path)) == asked


def test_a_known_failure_that_is_worse_departs(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    base = base_run(shipped, tmp_path, *SMALL, *BROKEN)
    shipped.baseline(base)
    came = suite(project, tmp_path, *SMALL, *BROKEN)
    assert came.code == 0, came.text
    found = records(tmp_path)
    assert {one["outcome"] for one in found} == {"FAIL"}
    # One element of few is wrong: a larger share than nothing, and not by chance.
    worse = [one for one in found if one["wrong"] / one["elements"] > 0.05]
    assert worse

    def less(line: Line) -> Line:
        assert line.extent is not None
        return line._replace(extent=line.extent._replace(share=0.0), digest="")

    shipped.baseline(base, less)
    came = suite(project, tmp_path, *SMALL, *BROKEN)
    assert came.code == 1, came.text
    departing = [one for one in records(tmp_path) if one["gate"] == "worse"]
    assert [one["case"] for one in departing] == [one["case"] for one in worse]
    assert all(one["baseline"].startswith("FAIL, 0% of the elements") for one in departing)
    assert "in the baseline: FAIL, 0% of the elements" in came.out


def test_results_as_a_baseline_do_not_hold_a_race_to_its_values(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    shipped.cause("ours")
    base = tmp_path / "main.jsonl"
    rows = [json.loads(row) for row in base_run(shipped, tmp_path, *SMALL, *BROKEN).open()]
    for row in rows:
        if row.get("digest"):
            row["digest"] = "0123456789"
    base.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = (*SMALL, *BROKEN, "--baseline", str(base))
    assert suite(project, tmp_path, *options).code == 1
    assert "worse" in gates(tmp_path).values()
    shipped.cause("ours", 'nondeterministic = "memory that nobody wrote"\n' + CAUSE)
    came = suite(project, tmp_path, *options)
    assert came.code == 0, came.text
    assert set(gates(tmp_path).values()) == {"known"}


def test_what_is_exactly_as_known_is_not_asked_again_alone(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    options = (*SMALL, *BROKEN, "--audit", "0")
    base = base_run(shipped, tmp_path, *options)

    def sizes() -> set[int]:
        return {one["pack_size"] for one in records(tmp_path) if one["outcome"] == "FAIL"}

    # Nothing is known: each departure is confirmed.
    suite(project, tmp_path, *options)
    assert sizes() == {1}
    shipped.baseline(base)
    came = suite(project, tmp_path, *options)
    assert came.code == 0, came.text
    assert max(sizes()) > 1
    # What changes from run to run is confirmed for every case.
    shipped.baseline(base, lambda line: line._replace(is_nondeterministic=True))
    came = suite(project, tmp_path, *options)
    assert came.code == 0, came.text
    assert sizes() == {1}


@pytest.mark.parametrize("gate", [Gate.KNOWN, Gate.WORSE, Gate.NEW_CASE])
def test_the_gate_decides_by_the_record_of_the_pack_whether_a_departure_is_as_known(
    gate: Gate,
) -> None:
    """Digest included: another wrong answer is one that is not known."""
    case = parse("GatherTree-1/plain/i64[6,3,5],i64[6,3,5]/max_seq_len=6,4,9;end_token=4")
    verdict = Verdict(case, Outcome.FAIL, digest="0123456789", pack=7)
    seen: list[CaseRecord] = []

    def judge(record: CaseRecord) -> CaseRecord:
        seen.append(record)
        return replace(record, gate=gate)

    target = SimpleNamespace(device="CPU", profile=SimpleNamespace(name="accuracy"))
    known = KnownCase(Line((Ending(Outcome.FAIL),)), BaseRun())
    of_target = SimpleNamespace(
        known=lambda _: (known, Relation.SAME), has_kernels_of=lambda *_: True
    )
    recorder = SimpleNamespace(targets={("CPU", "accuracy"): of_target}, judge=judge)
    expected = KnownOutcomes(cast(Any, recorder), cast(Any, target))
    assert expected.matches_baseline(verdict) == (gate is Gate.KNOWN)
    assert [(each.digest, each.pack_size) for each in seen] == [("0123456789", 7)]


COUNT_VERDICTS = """
import gc, sys
import pytest
from devices import Verdict
class Count:
    def pytest_sessionfinish(self):
        print("verdicts left:", sum(isinstance(each, Verdict) for each in gc.get_objects()))
gc.set_threshold(10**9)
sys.exit(pytest.main(sys.argv[1:], plugins=[Count()]))
"""


@pytest.mark.parametrize("is_known", [True, False])
def test_no_departure_keeps_its_verdict(
    project: Path, shipped: Shipped, tmp_path: Path, is_known: bool
) -> None:
    # A verdict holds the tensors of its case, and garbage collection is late in a large run.
    if is_known:
        shipped.baseline(base_run(shipped, tmp_path, *PLAIN, *BROKEN))
    options = ("--device", FAULTY, *PLAIN, *BROKEN, "--depth", "single")
    options += ("--results", str(tmp_path / "results.jsonl"))
    came = run(tmp_path, "-c", COUNT_VERDICTS, "tests/conformance", *options, root=project)
    assert {one["outcome"] for one in records(tmp_path)} == {"FAIL"}, came.text
    assert "verdicts left: 0" in came.out


def test_a_baseline_that_cannot_be_read(project: Path, shipped: Shipped, tmp_path: Path) -> None:
    shipped.baseline(base_run(shipped, tmp_path, *PLAIN, *BROKEN))
    (path,) = shipped.baselines.rglob("movement.txt")
    path.write_text("c: FAIL kind=value\n\tGatherTree-1/x\tmany\n")
    assert f"{path.name}: line 2: could not convert string" in told(
        suite(project, tmp_path, *PLAIN)
    )
    assert not (tmp_path / "results.jsonl").exists()


def test_a_pass_of_a_nondeterministic_line_is_no_improvement(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    profile = ("--profile", "FAULT=wrong_element,MATCH=nothing")
    base = base_run(shipped, tmp_path, *PLAIN, *BROKEN)
    text = base.read_text().replace("FAULT=wrong_element", "FAULT=wrong_element,MATCH=nothing")
    base.write_text(text)
    shipped.baseline(base, lambda line: line._replace(is_nondeterministic=True))
    came = suite(project, tmp_path, *PLAIN, *profile, "--strict-gate")
    assert came.code == 0, came.text
    assert gates(tmp_path) == {"plain": "pass", "example": "pass"}


@pytest.mark.parametrize("strict, code", [((), 0), (("--strict-gate",), 1)])
def test_an_improvement_is_red_only_if_strict(
    project: Path, shipped: Shipped, tmp_path: Path, strict: tuple[str, ...], code: int
) -> None:
    base = base_run(shipped, tmp_path, "--purpose", "plain", *ALONE, *BROKEN)
    base.write_text(base.read_text().replace("FAULT=wrong_element", "DELAY=0"))
    shipped.baseline(base)
    came = suite(project, tmp_path, *PLAIN, "--profile", "DELAY=0", *strict)
    assert came.code == code, came.text
    assert gates(tmp_path) == {"plain": "improved", "example": "pass"}
    improved = sum(one["gate"] == "improved" for one in records(tmp_path))
    told = " ".join(came.out.split())
    assert f": {improved} fixed." in told, came.out
    assert ("Fails because of --strict-gate: " in told) is bool(strict)


def test_a_run_of_everything_that_has_lost_cases(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    more = ("-o", "conformance_minimum=single=100000,pairs=11")
    came = suite(project, tmp_path, *more)
    assert came.code == 2, came.text
    count = len((tmp_path / "results.jsonl").read_text().splitlines()) - 1
    lost = f"error: {FAULTY}: {count} cases in all, fewer than the 100000 of conformance_minimum"
    assert came.err.strip().startswith(lost), came.text
    # A selection has fewer cases by its nature.
    assert suite(project, tmp_path, *more, *PLAIN).code == 0
    assert suite(project, tmp_path).err == ""


@pytest.mark.parametrize(
    "given, words",
    [
        ("many", "takes DEPTH=NUMBER, ..., with a depth of single, pairs, all, got 'many'"),
        ("none=5", "takes DEPTH=NUMBER, ..., with a depth of single, pairs, all, got 'none=5'"),
        ("single=5, pairs=many", "takes a whole number from 0 on, got 'many'"),
    ],
)
def test_a_minimum_that_cannot_be_read(
    project: Path, shipped: Shipped, tmp_path: Path, given: str, words: str
) -> None:
    came = suite(project, tmp_path, "-o", f"conformance_minimum={given}")
    assert came.code == 2, came.text
    assert f"conformance_minimum {words}" in came.err


def test_causes_that_cannot_be_read(project: Path, shipped: Shipped, tmp_path: Path) -> None:
    shipped.cause("odd", CAUSE.replace("title", "titel"))
    line = told(suite(project, tmp_path, *PLAIN))
    assert line.startswith("error: ")
    assert "odd.toml: unknown key 'titel'" in line
    (shipped.causes / "odd.toml").unlink()
    line = told(suite(project, tmp_path, *PLAIN, "--causes", str(tmp_path / "none")))
    assert line == f"error: {tmp_path / 'none'}: there is no such folder of causes; make it first"
    assert not (tmp_path / "results.jsonl").exists()


def test_departures_have_folders_however_many_others_there_are(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    records_file = project / "tests" / "conformance" / "records.py"
    whole = records_file.read_text()
    few = whole.replace("Gate.KNOWN: 3000", "Gate.KNOWN: 0").replace(
        "Gate.KNOWN: 200", "Gate.KNOWN: 0"
    )
    assert few.count("Gate.KNOWN: 0") == 2
    # What the baseline did not ask is red: it does not know whether the cause is narrow.
    shipped.baseline(
        base_run(shipped, tmp_path, "--purpose", "type", *BROKEN),
        lambda line: line._replace(cause="last-beam"),
    )
    shipped.cause("last-beam")
    options = ("--purpose", "type", "--purpose", "rank", "--purpose", "dim-1")
    records_file.write_text(few)
    came = suite(project, tmp_path, *options, *BROKEN, run=fresh)
    records_file.write_text(whole)
    assert came.code == 1, came.text
    found = [line for line in records(tmp_path) if line["gate"] != "pass"]
    known = [one for one in found if one["gate"] == "known"]
    red = [one for one in found if one["gate"] in ("broken", "new")]
    # No limit is less than 4. All known ones have one cause and operation.
    assert len(known) > 4
    folders = sum(bool(one["folder"]) for one in known)
    assert folders == 1 + (len(known) >= 4) + (len(known) >= 16)
    assert any(one["folder"] for one in red)
