"""``python -m reports accept``: groups of what a run changes in a baseline, taken, and taken back."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.gate import baseline_files, causes
from reports.gate.asked import Asked
from reports.gate.baseline import Baseline, Line, Run, line_of, run_of
from reports.gate.baseline_files import read_folder, texts_of, write_folder
from reports.results.facts import Facts
from reports.results.outcomes import Outcome
from reports.results.records import NOT_ENDED, CaseRecord, Selection, Target
from tests.unit.reports.small_results import header, record, write

VALUE = Facts(kind="value", output=0)
NO_U4 = Facts(stage="compile", kind="message", message="no kernel of u4 here")
DEATH = Facts(stage="infer", kind="signal", signal="SIGSEGV")
KNOWS_U4 = """\
title = "u4 - refused"
class = "limit"
devices = ["CPU"]

[[select]]
type = ["u4"]
outcome = ["REFUSED"]
"""
HEADER = header(
    targets=[Target(device="CPU", profile="accuracy", isa="AVX2", full_name="A CPU")],
    platform="Linux-6.1-x86_64",
    selection=Selection(depth="single"),
    ended="2026-01-02T03:04:05+00:00",
)
RUN = run_of(HEADER, "CPU", "accuracy")


def ok(case: str) -> CaseRecord:
    return record(case)


def fail(case: str, **other: Any) -> CaseRecord:
    return record(
        case, "FAIL", facts=VALUE, **{"wrong": 1, "elements": 6, "fraction": 2.0, **other}
    )


def refuse(case: str) -> CaseRecord:
    return record(case, "REFUSED", facts=NO_U4)


def die(case: str) -> CaseRecord:
    return record(case, "CRASH", facts=DEATH)


def tree(*folders: Path) -> dict[str, bytes | None]:
    """Every file and folder below some folders, with the bytes of the files."""
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for folder in folders
        for path in [folder, *sorted(folder.rglob("*"))]
        if path.exists()
    }


class Desk:
    """A folder with results, and folders in the place of those that the suite ships."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.baselines, self.causes = folder / "baselines", folder / "causes"
        self.causes.mkdir()
        (self.causes / "no-u4.toml").write_text(KNOWS_U4)
        self.results = folder / "run.jsonl"

    @property
    def base(self) -> Path:
        """The folder of the baseline of this release."""
        return self.baselines / "CPU" / "2026.4"

    def ship(self, *records: CaseRecord, asked: Sequence[str] = (), **change: Any) -> None:
        """Make the baseline of a run without random layers, in which records departed and others conformed."""
        lines = {one.case: line_of(one) for one in records}
        run = Run(**{**vars(RUN), "random": 0, **change})
        shipped = Baseline(run, lines, Asked.of([*lines, *asked]))
        write_folder(self.base, texts_of(shipped))

    def ran(self, *records: CaseRecord, header: Any = HEADER) -> None:
        write(self.results, header, *records)

    def accept(self, *options: str, code: int | None = None) -> str:
        """Run the command, and return what it prints."""
        found = main(["accept", str(self.results), *options])
        out, err = self._capsys.readouterr()
        assert code is None or found == code, f"exit code {found}\n{out}\n{err}"
        assert "Traceback" not in err
        if found == 2:
            assert err.count("\n") == 1
        return out if found != 2 else err

    def groups(self, *options: str) -> dict[str, str]:
        """What the command prints of each group, by its id."""
        out = self.accept(*options)
        return dict(
            re.findall(r"^\s+((?:\w+)-[0-9a-f]{5})\s+(.*)$", out.split("Commands")[0], re.M)
        )

    def lines(self, folder: Path | None = None) -> dict[str, Line]:
        return dict(read_folder(folder or self.base).lines)


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    made = Desk(tmp_path, capsys)
    monkeypatch.setattr(baseline_files, "DIRECTORY", made.baselines)
    monkeypatch.setattr(causes, "DIRECTORY", made.causes)
    # The default of `nearest` was made when the module was loaded.
    nearest = baseline_files.nearest
    monkeypatch.setattr("reports.commands.accept.nearest", lambda run: nearest(run, made.baselines))
    return made


U4 = "A-1/type/u4[2,3]"
I4 = "A-1/type/i4[2,3]"
U1 = "A-1/type/u1[2,3]"
PLAIN = "A-1/plain/f32[2,3]"


def one_group(groups: dict[str, str], kind: str) -> str:
    (name,) = [each for each in groups if each.startswith(f"{kind}-")]
    return name


# --- groups -------------------------------------------------------------------------------------------------------


def test_nothing_differs(desk: Desk) -> None:
    desk.ship(refuse(U4))
    desk.ran(ok(PLAIN), refuse(U4))
    out = desk.accept(code=0)
    assert "Nothing to take: 1 case departs as the baseline says." in out
    assert (
        "CPU (accuracy), OpenVINO 2026.4.1-21000-abc: 1 run against CPU 2026.4 (1 departure)" in out
    )


def test_a_run_that_was_cut_off_is_told(desk: Desk) -> None:
    desk.ship(refuse(U4))
    for cut in (replace(HEADER, ended=NOT_ENDED), replace(HEADER, cases=3)):
        desk.ran(ok(PLAIN), refuse(U4), header=cut)
        out = desk.accept(code=1)
        assert out.startswith("INCOMPLETE: CPU (accuracy): cut off before its end\n")
        assert "Nothing to take: 1 case departs as the baseline says." in out
        # What is there can be taken, and is.
        desk.ran(ok(PLAIN), refuse(U4), refuse("A-1/random/u4[2]"), header=replace(cut, cases=4))
        assert "INCOMPLETE" in desk.accept("--take", "all", code=0)
        assert "A-1/random/u4[2]" in desk.lines()
        desk.accept("--take-back", code=0)
    desk.ran(ok(PLAIN), refuse(U4))
    assert "INCOMPLETE" not in desk.accept(code=0)


def test_each_kind_of_change_is_a_group(desk: Desk) -> None:
    gone, better, worse, broken = (f"B-1/type/{t}[2]" for t in ("f16", "i8", "u8", "i32"))
    desk.ship(fail(gone), fail(better), fail(worse))
    new = "A-1/random/i4[7]/mode=y"
    desk.ran(ok(PLAIN), refuse(U4), fail(worse, wrong=6), ok(better), fail(broken), fail(new))
    out = desk.accept(code=1)
    found = desk.groups()
    kinds = [each.partition("-")[0] for each in found]
    # A cause names u4, but the run of the baseline asked the case, and it passed.
    assert sorted(kinds) == ["broken", "broken", "fixed", "gone", "new", "worse"]
    assert kinds == sorted(kinds, key=["new", "broken", "worse", "known", "fixed", "gone"].index)
    for name, text in {
        "new": "1 case: FAIL: wrong values in output of A-1",
        "worse": "1 case: FAIL: wrong values in output (in the baseline: FAIL)",
        "fixed": "1 case: now PASS (FAIL in the baseline) of B-1",
        "gone": "1 case: not asked any more",
    }.items():
        assert found[one_group(found, name)].startswith(text)
    refusal = "1 case: REFUSED: at compile: no kernel of u4 here"
    assert any(text.startswith(refusal) for text in found.values())
    # Each has the command that takes it.
    commands = out.partition("Commands")[2]
    for name in found:
        is_named = name.startswith(("new", "broken"))
        assert (f"--take {name} --cause" in commands) is is_named
    assert "--take all\n" in commands
    assert "--take-back" in commands


def test_a_run_without_graphs_says_nothing_of_those_of_the_baseline(desk: Desk) -> None:
    graph, gone = "MVN/graphs/f32[2,3]", "B-1/type/f16[2]"
    desk.ship(fail(graph), fail(gone))
    desk.ran(ok(PLAIN), refuse(U4))
    assert any("such as B-1/type/f16[2]" in text for text in desk.groups().values())
    desk.accept("--take", "all", code=1)
    assert graph in desk.lines()
    assert gone not in desk.lines()


def test_cases_of_one_reason_are_one_group_with_what_they_share(desk: Desk) -> None:
    desk.ship(seed=1)
    desk.ran(*(refuse(f"{name}-1/type/i4[2,3]/mode=x/shape=dims") for name in "ABCDE"))
    ((name, text),) = desk.groups().items()
    assert name.startswith("new-")
    assert text.startswith(
        "5 cases: REFUSED: at compile: no kernel of u4 here · A-1, B-1, C-1 and 2 more · "
        "all shape=dims, mode=x, type=i4"
    )


def test_what_cannot_be_compared_is_told(desk: Desk) -> None:
    desk.ship(fail(PLAIN), isa="SSE41")
    desk.ran(ok(PLAIN), refuse(U4))
    out = desk.accept("--baseline", str(desk.base), code=1)
    assert "Not compared case by case: kernels SSE41 there, AVX2 here." in out
    found = desk.groups("--baseline", str(desk.base))
    assert [each.partition("-")[0] for each in found] == ["known"]
    assert "1 case: new cases of no-u4: u4 - refused" in "".join(found.values())


def test_crossings_are_told_with_what_explains_them(desk: Desk) -> None:
    desk.ship()
    crossings = [fail(f"{I4}/-/{how}") for how in ("shape=dims", "data=constant")]
    desk.ran(ok(PLAIN), fail(I4), *crossings)
    ((name, text),) = desk.groups().items()
    assert text.startswith("3 cases: FAIL: wrong values in output of A-1")
    assert "(2 of them crossings of others)" in text
    desk.accept("--take", name, "--cause", "i4", code=0)
    assert {line.cause for line in desk.lines().values()} == {"i4"}
    assert len(desk.lines()) == 3


def test_what_the_run_of_the_results_explained_is_explained_anew(desk: Desk) -> None:
    """Only the crossing is new: the part that explained it in that run is in the baseline."""
    desk.ship(fail(I4, cause="other"))
    (desk.causes / "other.toml").write_text(
        KNOWS_U4.replace('"u4"', '"i4"').replace("REFUSED", "FAIL")
    )
    crossing = f"{I4}/-/shape=dims"
    explained = fail(crossing, gate="explained", explained_by=I4)
    desk.ran(ok(PLAIN), fail(I4), explained)
    ((name, text),) = desk.groups().items()
    assert name.startswith("known-")
    assert text.startswith("1 case: new cases of other")
    # A part that conforms now explains nothing.
    desk.ran(ok(PLAIN), ok(I4), explained)
    found = desk.groups()
    assert [each.partition("-")[0] for each in found] == ["known", "fixed"]
    assert "crossings" not in "".join(found.values())


# --- taking -------------------------------------------------------------------------------------------------------


def test_taking_all_leaves_what_needs_a_cause(desk: Desk) -> None:
    better, worse = "B-1/type/i8[2]", "B-1/type/u8[2]"
    desk.ship(fail(better), fail(worse), seed=0)
    desk.ran(refuse("A-1/random/u4[2]"), fail(worse, wrong=6), ok(better), fail(I4))
    out = desk.accept("--take", "all", code=1)
    assert re.search(r"^taken: known-\w+, fixed-\w+; written to ", out, re.M)
    assert {case: line.cause for case, line in desk.lines().items()} == {
        worse: "",
        "A-1/random/u4[2]": "no-u4",
    }
    assert share(desk, worse) < 0.2
    assert [each.partition("-")[0] for each in desk.groups()] == ["broken", "worse"]


def share(desk: Desk, case: str) -> float:
    extent = desk.lines()[case].extent
    assert extent is not None
    return extent.share


def test_what_is_worse_is_taken_by_name_alone(desk: Desk) -> None:
    worse = "B-1/type/u8[2]"
    desk.ship(fail(worse))
    desk.ran(fail(worse, wrong=6))
    name = one_group(desk.groups(), "worse")
    out = desk.accept(code=1)
    assert f"--take {name}\n" in out
    assert "--take all" not in out
    assert desk.accept("--take", "all", code=1).startswith("taken: nothing;")
    assert share(desk, worse) < 0.2
    desk.accept("--take", name, code=0)
    assert share(desk, worse) == 1.0


def test_taking_twice_changes_nothing(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(I4), refuse("A-1/random/u4[2]"))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", name, "all", "--cause", "no-u4", code=0)
    before = tree(desk.baselines, desk.causes)
    log = desk.results.with_suffix(".accepted.json").read_bytes()
    out = desk.accept("--take", "all", code=0)
    assert out.startswith("taken: nothing; ")
    assert "no group" in desk.accept("--take", name, "--cause", "no-u4", code=2)
    assert desk.accept(code=0).startswith("CPU (accuracy)")
    assert tree(desk.baselines, desk.causes) == before
    assert desk.results.with_suffix(".accepted.json").read_bytes() == log


def test_the_cause_is_for_the_groups_that_are_named(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(I4), refuse("A-1/random/u4[2]"))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", "all", name, "--cause", "i4-is-wrong", code=0)
    assert {case: line.cause for case, line in desk.lines().items()} == {
        I4: "i4-is-wrong",
        "A-1/random/u4[2]": "no-u4",
    }


def test_a_known_case_can_be_moved_to_another_cause(desk: Desk) -> None:
    desk.ship()
    desk.ran(refuse("A-1/random/u4[2]"))
    name = one_group(desk.groups(), "known")
    desk.accept("--take", name, "--cause", "a-race", code=0)
    assert [line.cause for line in desk.lines().values()] == ["a-race"]


def test_a_new_cause_is_drafted_and_names_its_cases(desk: Desk) -> None:
    desk.ship(seed=1)
    cases = ["A-1/type/i4[2,3]/mode=x", "A-1/type/i4[2,3,5]/mode=x"]
    desk.ran(ok(PLAIN), *map(refuse, cases))
    title, page = 'A - i4 - refused "at compile"', "any type"
    name = one_group(desk.groups(), "new")
    options = ("--title", title, "--class", "defect", "--page", page)
    out = desk.accept("--take", name, "--cause", "no-i4", *options, code=0)
    path = desk.causes / "no-i4.toml"
    assert f"drafted {path}: complete its title, class, component and the words of the page" in out
    one = causes.read(path)
    assert (one.title, one.kind, one.page) == (title, "defect", page)
    assert (one.smallest, one.since, one.devices) == (cases[0], "2026.4", ("CPU",))
    assert dict(one.selectors[0].conditions) == {
        "operation": ("A-1",),
        "type": ("i4",),
        "parameter.mode": ("x",),
        "outcome": ("REFUSED",),
        "stage": ("compile",),
        "kind": ("message",),
        "message": ("*no kernel of u4 here*",),
    }
    found = causes.load()
    assert [found.name(refuse(case), RUN) for case in cases] == [found.get("no-i4")] * 2
    assert found.name(refuse("B-1/type/i4[2,3]/mode=x"), RUN) is None


def test_a_draft_names_departures_of_several_kinds(desk: Desk) -> None:
    desk.ship(seed=1)
    departures = [refuse(I4), die(U1), fail("A-1/type/u2[2]")]
    desk.ran(*departures)
    desk.accept("--take", *desk.groups(), "--cause", "odd", code=0)
    found = causes.load()
    for one in departures:
        named = found.name(one, RUN)
        assert named is not None
        assert named.id == "odd", one.case


def test_a_cause_by_chance_makes_its_lines_nondeterministic(desk: Desk) -> None:
    (desk.causes / "race.toml").write_text(
        'title = "t"\nclass = "defect"\ndevices = ["CPU"]\nnondeterministic = "a race"\n'
    )
    desk.ship()
    desk.ran(fail(I4))
    desk.accept("--take", one_group(desk.groups(), "broken"), "--cause", "race", code=0)
    assert desk.lines()[I4].is_nondeterministic
    # How wrong it is does not count any more.
    desk.ran(fail(I4, wrong=6))
    desk.accept(code=0)
    desk.ran(ok(I4))
    desk.accept(code=0)
    # What it ended in before, it may end in again.
    desk.ran(refuse(I4))
    desk.accept("--take", one_group(desk.groups(), "worse"), code=0)
    assert [str(each.outcome) for each in desk.lines()[I4].endings] == ["REFUSED", "FAIL"]


def test_causes_of_ones_own(desk: Desk) -> None:
    own, base = desk.folder / "own", desk.folder / "ours"
    own.mkdir()
    before = tree(desk.causes, desk.baselines)
    desk.ran(fail(I4))
    options = ("--causes", str(own), "--baseline", str(base))
    name = one_group(desk.groups(*options), "new")
    out = desk.accept(*options, code=1)
    assert f"--baseline {base} --causes {own} --take {name} --cause ID" in out
    desk.accept(*options, "--take", name, "--cause", "ours", code=0)
    assert [path.name for path in own.iterdir()] == ["ours.toml"]
    assert {case: line.cause for case, line in desk.lines(base).items()} == {I4: "ours"}
    assert tree(desk.causes, desk.baselines) == before


# --- a new release ------------------------------------------------------------------------------------------------


def test_a_new_release_begins_with_what_departs_as_the_nearest_says(desk: Desk) -> None:
    fixed = "B-1/type/i8[2]"
    desk.ship(fail(I4, cause="no-u4"), fail(fixed))
    desk.ran(
        ok(PLAIN), fail(I4), ok(fixed), refuse(U4), header=replace(HEADER, openvino="2026.5.0-1")
    )
    # What the release fixed or broke is told, too, though the gate compares no case of another release.
    groups = desk.groups()
    regressed = one_group(groups, "regressed")
    assert list(groups) == [regressed, one_group(groups, "fixed")]
    assert "they did not depart there, and are of no-u4" in groups[regressed]
    # It is taken by name alone, and broken as long as it is not.
    desk.accept("--take", "all", code=1)
    broken = one_group(desk.groups(), "broken")
    desk.accept("--take", broken, "--cause", "no-u4", code=0)
    folder = desk.baselines / "CPU" / "2026.5"
    assert read_folder(folder).run.openvino == "2026.5.0-1"
    assert {case: line.cause for case, line in desk.lines(folder).items()} == {
        I4: "no-u4",
        U4: "no-u4",
    }
    # The other release's is as it was.
    assert set(desk.lines()) == {I4, fixed}


@pytest.mark.parametrize(
    "profile, isa, name",
    [
        ("accuracy", "AVX2", "2026.5"),
        ("performance", "AVX2", "2026.5-performance"),
        ("opencl=pocl", "AVX2", "2026.5-pocl"),
    ],
)
def test_the_name_of_a_new_baseline(desk: Desk, profile: str, isa: str, name: str) -> None:
    desk.ship()
    target = replace(HEADER.targets[0], profile=profile, isa=isa)
    given = replace(HEADER, openvino="2026.5.0-1", targets=[target])
    desk.ran(record(PLAIN, profile=profile), header=given)
    desk.accept("--take", "all", code=0)
    assert sorted(path.name for path in (desk.baselines / "CPU").iterdir()) == ["2026.4", name]


def test_other_kernels_of_a_release_have_a_baseline_of_their_own(desk: Desk) -> None:
    desk.ship()
    target = replace(HEADER.targets[0], isa="SSE41")
    desk.ran(fail(I4), header=replace(HEADER, targets=[target]))
    desk.accept("--take", one_group(desk.groups(), "new"), "--cause", "i4", code=0)
    assert set(desk.lines(desk.baselines / "CPU" / "2026.4-SSE41")) == {I4}
    assert desk.lines() == {}


# --- several runs -------------------------------------------------------------------------------------------------


def several(desk: Desk, *runs: Sequence[CaseRecord]) -> list[str]:
    """Results files of several runs, the first of them the desk's own."""
    paths = []
    for number, records in enumerate(runs):
        path = desk.results if not number else desk.folder / f"run{number}.jsonl"
        paths.append(str(write(path, HEADER, *records)))
    return paths[1:]


def test_what_ends_in_several_ways_becomes_nondeterministic(desk: Desk) -> None:
    desk.ship()
    others = several(desk, [die(I4), fail(U1)], [fail(I4), fail(U1)], [ok(I4), fail(U1)])
    found = desk.groups(*others)
    desk.accept(*others, "--take", *found, "--cause", "memory", code=0)
    lines = desk.lines()
    assert [str(each.outcome) for each in lines[I4].endings] == ["PASS", "FAIL", "CRASH"]
    assert lines[I4].is_nondeterministic
    assert not lines[U1].is_nondeterministic
    assert desk.accept(*others, code=0)


def test_a_known_departure_that_passes_in_another_run_becomes_nondeterministic(desk: Desk) -> None:
    desk.ship(fail(I4, cause="no-u4"))
    others = several(desk, [fail(I4)], [ok(I4)])
    name = one_group(desk.groups(*others), "worse")
    desk.accept(*others, "--take", name, code=0)
    line = desk.lines()[I4]
    assert line.is_nondeterministic
    assert line.cause == "no-u4"
    assert [str(each.outcome) for each in line.endings] == ["PASS", "FAIL"]
    desk.accept(*others, code=0)


# --- taking back --------------------------------------------------------------------------------------------------


@pytest.fixture
def changed(desk: Desk) -> Iterator[Desk]:
    """A desk with a change of every kind, which must be as it was in the end."""
    desk.ship(fail("B-1/type/i8[2]"), fail(U1, cause="no-u4"))
    desk.ran(fail(I4), refuse("A-1/random/u4[2]"), ok("B-1/type/i8[2]"), ok(U1))
    before = tree(desk.folder)
    yield desk
    assert tree(desk.folder) == before


def test_taking_back_leaves_no_trace(changed: Desk) -> None:
    changed.accept("--take", *changed.groups(), "--cause", "new-one", code=0)
    assert (changed.causes / "new-one.toml").exists()
    assert set(changed.lines()) == {I4, "A-1/random/u4[2]"}
    changed.accept("--take-back", code=0)


def test_each_step_is_taken_back_by_itself(changed: Desk) -> None:
    changed.accept("--take", "all", code=1)
    between = tree(changed.baselines, changed.causes)
    name = one_group(changed.groups(), "broken")
    changed.accept("--take", name, "--cause", "new-one", code=0)
    assert changed.accept("--take-back", code=0) == f"taken back: {name}\n"
    assert tree(changed.baselines, changed.causes) == between
    changed.accept("--take-back", code=0)
    assert "nothing to take back" in changed.accept("--take-back", code=2)


def test_a_baseline_that_was_made_goes_with_its_folders(desk: Desk) -> None:
    own = desk.folder / "own" / "causes"
    own.mkdir(parents=True)
    desk.ran(fail(I4))
    before = tree(desk.folder)
    assert not desk.baselines.exists()
    name = one_group(desk.groups("--causes", str(own)), "new")
    desk.accept("--causes", str(own), "--take", name, "--cause", "c", code=0)
    assert desk.base.exists()
    desk.accept("--take-back", code=0)
    # Also the empty folder that was there before.
    assert tree(desk.folder) == before


def test_it_is_taken_back_from_another_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ran(fail(I4))
    before = tree(desk.folder)
    monkeypatch.chdir(desk.folder)
    desk.accept("--baseline", "ours", "--take", one_group(desk.groups(), "new"), "--cause", "no-u4")
    assert Path("ours/run.toml").exists()
    (desk.folder / "elsewhere").mkdir()
    monkeypatch.chdir(desk.folder / "elsewhere")
    desk.accept("--take-back", code=0)
    monkeypatch.chdir(desk.folder)
    (desk.folder / "elsewhere").rmdir()
    assert tree(desk.folder) == before


def test_what_was_broken_stays_so_in_a_folder_that_is_made_without_it(desk: Desk) -> None:
    desk.ship(fail(I4, cause="no-u4"))
    desk.ran(fail(I4), refuse(U4), ok(PLAIN))
    folder = ("--baseline", str(desk.folder / "ours"))
    assert one_group(desk.groups(), "broken")
    desk.accept(*folder, "--take", "all", code=1)
    assert set(desk.lines(desk.folder / "ours")) == {I4}
    name = one_group(desk.groups(*folder), "broken")
    assert desk.accept(*folder, "--take", "all", code=1).startswith("taken: nothing")
    desk.accept(*folder, "--take", name, "--cause", "no-u4", code=0)


def test_what_departs_and_is_not_taken_did_not_pass(desk: Desk) -> None:
    desk.ran(fail(I4), die(PLAIN), refuse(U4))
    folder = ("--baseline", str(desk.folder / "ours"))
    desk.accept(*folder, "--take", "all", code=1)
    assert {name.partition("-")[0] for name in desk.groups(*folder)} == {"new"}
    corpus = read_folder(desk.folder / "ours").corpus
    assert corpus is not None
    assert corpus.left == {I4, PLAIN}
    # What passes by now has passed.
    desk.ran(fail(I4), ok(PLAIN), refuse(U4))
    desk.accept(*folder, "--take", *desk.groups(*folder), "--cause", "no-u4", code=0)
    desk.ran(fail(I4), die(PLAIN), refuse(U4))
    assert one_group(desk.groups(*folder), "broken")


def test_a_run_that_asked_more_counts_as_that(desk: Desk) -> None:
    desk.ran(fail(I4), ok(PLAIN))
    desk.accept("--take", *desk.groups(), "--cause", "no-u4", code=0)
    deeper = replace(HEADER, selection=Selection(depth="pairs"))
    desk.ran(fail(I4), ok(PLAIN), ok(f"{PLAIN}/shape=dims"), header=deeper)
    desk.accept("--take", "all", code=0)
    assert read_folder(desk.base).run.depth == "pairs"
    # One of other operations alone did not ask the rest so.
    desk.ran(ok("B-1/plain/f32[2]"), header=replace(HEADER, selection=Selection(depth="all")))
    desk.accept("--take", "all")
    assert read_folder(desk.base).run.depth == "pairs"


def test_what_has_no_verdict_did_not_pass(desk: Desk) -> None:
    desk.ran(record(I4, "ABSENT"), record(PLAIN, "ERROR"))
    folder = ("--baseline", str(desk.folder / "ours"))
    out = desk.accept(*folder, "--take", "all", code=0)
    assert "2 cases without a verdict (ABSENT, ERROR)." in out
    desk.ran(fail(I4), fail(PLAIN))
    assert {name.partition("-")[0] for name in desk.groups(*folder)} == {"new"}


def test_a_part_of_the_operations_makes_no_baseline_of_a_release(desk: Desk) -> None:
    desk.ran(fail("Gather-8/plain/f32[2]"), ok("ReLU-1/plain/f32[2]"))
    desk.accept("--take", *desk.groups(), "--cause", "no-u4", code=0)
    desk.ran(ok("ReLU-1/plain/f32[2]"), header=replace(HEADER, openvino="2026.5.0-1"))
    told = desk.accept("--take", "all", code=2)
    assert "the run has no case of 1 operation of CPU 2026.4, such as Gather-8" in told
    desk.accept("--take", "all", "--baseline", str(desk.folder / "ours"))
    assert read_folder(desk.folder / "ours").run.release == "2026.5"
    # An operation that the release lacks was asked.
    older = replace(HEADER, openvino="2026.3.0-1")
    desk.ran(record("Gather-8/plain/f32[2]", "ABSENT"), ok("ReLU-1/plain/f32[2]"), header=older)
    desk.accept("--take", "all")
    assert read_folder(desk.baselines / "CPU" / "2026.3").run.release == "2026.3"


OTHER_RUNS = {
    "kernels": {"targets": [replace(HEADER.targets[0], isa="SSE41")]},
    "seed": {"seed": 7},
    "profile": {"targets": [replace(HEADER.targets[0], profile="performance")]},
    "release": {"openvino": "2026.5.0-1"},
}


@pytest.mark.parametrize("other", OTHER_RUNS)
def test_a_part_of_the_operations_makes_no_baseline_beside_others(desk: Desk, other: str) -> None:
    change = OTHER_RUNS[other]
    given = replace(HEADER, **change)
    profile = given.targets[0].profile
    desk.ran(fail("Gather-8/plain/f32[2]"), ok("ReLU-1/plain/f32[2]"))
    desk.accept("--take", *desk.groups(), "--cause", "no-u4", code=0)
    before = tree(desk.baselines)
    desk.ran(record("ReLU-1/plain/f32[2]", profile=profile), header=given)
    told = "the run has no case of 1 operation of CPU 2026.4, such as Gather-8"
    out = desk.accept()
    assert f"No baseline is made of it: {told}; --baseline names a folder of your own." in out
    assert "--take" not in out.replace("--baseline FOLDER --take", "")
    assert "This makes" not in out
    assert told in desk.accept("--take", "all", code=2)
    assert tree(desk.baselines) == before
    desk.accept("--take", "all", "--baseline", str(desk.folder / "ours"))
    # A whole run makes one.
    whole = [record(f"{name}-1/plain/f32[2]", profile=profile) for name in ("ReLU", "Tanh")]
    desk.ran(*whole, record("Gather-8/plain/f32[2]", profile=profile), header=given)
    assert "No baseline is made of it" not in desk.accept()
    desk.accept("--take", "all", code=0)
    assert len([path for path in (desk.baselines / "CPU").iterdir() if path.is_dir()]) == 2


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        ({"shard": "1/8"}, "shards 2, 3, 4, 5, 6, 7 and 8 of 8 missing"),
        ({"purposes": ["type"]}, "purpose type"),
        ({"filters": ["--case Abs-1/plain/f32[2]"]}, "--case Abs-1/plain/f32[2]"),
        ({"filters": ["--how usual"]}, ""),
    ],
)
def test_a_part_of_the_cases_makes_no_baseline_beside_others(
    desk: Desk, selection: dict[str, Any], told: str
) -> None:
    desk.ship()
    asked = Selection(depth="single", **selection)
    target = replace(HEADER.targets[0], isa="SSE41")
    desk.ran(refuse(U4), header=replace(HEADER, selection=asked, targets=[target]))
    out = desk.accept("--take", "all", code=2 if told else 0)
    assert not told or f"the run is of a part of the cases ({told}): " in out
    assert (desk.baselines / "CPU" / "2026.4-SSE41").exists() is (not told)
    desk.accept("--take", "all", "--baseline", str(desk.folder / "ours"), code=0)


def test_a_crossing_that_a_worse_case_explains_has_no_line_before(desk: Desk) -> None:
    desk.ship(fail(PLAIN))
    desk.ran(refuse(PLAIN), refuse(f"{PLAIN}/shape=dims"), refuse("A-1/random/u4[2]"))
    folder = ("--baseline", str(desk.folder / "ours"))
    name = one_group(desk.groups(*folder), "known")
    desk.accept(*folder, "--take", name, code=1)
    assert set(desk.lines(desk.folder / "ours")) == {PLAIN, "A-1/random/u4[2]"}


def test_taking_back_loses_no_later_change(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(I4))
    desk.accept("--take", one_group(desk.groups(), "broken"), "--cause", "c", code=0)
    draft = desk.causes / "c.toml"
    draft.write_text(draft.read_text() + "# mine\n")
    assert f"{draft}: it has changed since it was written" in desk.accept("--take-back", code=2)
    assert draft.read_text().endswith("# mine\n")
    other = ("--baseline", str(desk.folder / "other"))
    draft.write_text(draft.read_text().removesuffix("# mine\n"))
    assert "took something into another folder" in desk.accept("--take-back", *other, code=2)
    desk.accept("--take-back", code=0)
    assert not draft.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("files", range(3))
def test_an_interrupted_step_is_taken_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, files: int, error: BaseException
) -> None:
    desk.ran(fail(I4), refuse(U4))
    before = tree(desk.baselines, desk.causes)
    groups = desk.groups()
    write_text = baseline_files.write_text
    written: list[Path] = []

    def failing(path: Path, text: str) -> None:
        if len(written) == files:
            raise error
        written.append(path)
        write_text(path, text)

    with monkeypatch.context() as patched:
        patched.setattr(baseline_files, "write_text", failing)
        code = main(["accept", str(desk.results), "--take", *groups, "--cause", "c"])
    assert code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    desk.groups()
    desk.accept("--take-back", code=0)
    assert tree(desk.baselines, desk.causes) == before


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, told",
    [
        (["--take", "new-00000"], "no group 'new-00000'; there are broken-"),
        (["--take", "{broken}"], "needs --cause ID: an existing cause, or the name of a new one"),
        (["--take", "{broken}", "--cause", "Not An Id"], "--cause 'Not An Id': an id has small letters"),
        (["--take", "{broken}", "--cause", "a--b"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "größe"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "../x"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "no-cause"], "and is not no-cause"),
        (["--take", "all", "--cause", "nothing-named"], "there is no such cause, and these groups have no departure"),
        (["--target", "GPU (accuracy)"], "no result of GPU (accuracy); there are CPU (accuracy)"),
        (["--causes", "nowhere"], "nowhere: there is no such folder of causes"),
        (["--take-back"], "run.accepted.json: nothing to take back"),
        (["--take-back", "--take", "all"], "--take-back goes without --take, --cause and --title"),
        (["--cause", "no-u4"], "--cause and --title are of a group that is taken"),
        (["--take", "{broken}", "--cause", "of-gpu"], "it is of GPU; add CPU to its devices"),
        (["--take", "{broken}", "--cause", "c", "--title", "a\x7fb"], "a sign that no line has"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line_and_changes_nothing(
    desk: Desk, options: list[str], told: str
) -> None:
    desk.ship()
    (desk.causes / "of-gpu.toml").write_text(KNOWS_U4.replace('"CPU"', '"GPU"'))
    desk.ran(fail(I4), refuse("A-1/random/u4[2]"))
    name = one_group(desk.groups(), "broken")
    before = tree(desk.folder)
    given = [each.format(broken=name) for each in options]
    assert told in desk.accept(*given, code=2)
    assert tree(desk.folder) == before


def test_files_that_cannot_be_read_are_one_line(desk: Desk) -> None:
    desk.ship()
    assert "run.jsonl: cannot be read" in desk.accept(code=2)
    desk.ran(record(PLAIN), record(PLAIN, device="GPU"))
    told = desk.accept(code=2)
    assert "the results have several targets, CPU (accuracy), GPU (accuracy); choose one" in told
    desk.ran()
    assert "the results have no case" in desk.accept(code=2)
    desk.ran(ok(PLAIN), header=replace(HEADER, openvino=""))
    assert "run.jsonl: the run does not say which OpenVINO it tested" in desk.accept(code=2)
    desk.ran(ok(PLAIN))
    (desk.base / "x.txt").write_text("odd\n")
    assert "x.txt: line 1: 'odd' is not a valid Outcome" in desk.accept(code=2)
    (desk.base / "x.txt").unlink()
    (desk.base / "run.toml").write_text("=")
    assert "run.toml: " in desk.accept(code=2)
    log = desk.results.with_suffix(".accepted.json")
    for text in ("{", "[1]", "[{}]", '{"a": 1}', '"abc"', "\xff"):
        log.write_text(text)
        assert "is not a list of what was taken" in desk.accept("--take-back", code=2)
    assert main(["accept", ""]) == 2


def test_one_of_several_targets_is_chosen(desk: Desk) -> None:
    desk.ship()
    given = replace(HEADER, targets=[*HEADER.targets, replace(HEADER.targets[0], device="GPU")])
    desk.ran(fail(I4), fail(U1), record(PLAIN, device="GPU"), header=given)
    found = desk.groups("--target", "CPU (accuracy)")
    assert "2 cases" in found[one_group(found, "broken")]
    assert desk.accept("--target", "GPU (accuracy)", code=0)


# --- two branches -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_branches_that_accept_different_causes_merge_without_a_conflict(desk: Desk) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(desk.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    base = [fail(f"A-1/type/f64[2,{n}]", cause="no-u4") for n in range(9)]
    desk.ship(*base, fail("B-1/type/i8[2]"))
    git("init", "-q", "-b", "main")
    git("add", "baselines", "causes")
    git("commit", "-qm", "base")
    runs = {"one": refuse(I4), "two": die(U1)}
    for name, departure in runs.items():
        git("checkout", "-qb", name, "main")
        # Cases of one operation, beside each other in any order of ids.
        desk.ran(*base, fail("B-1/type/i8[2]"), departure)
        group = one_group(desk.groups(), "broken")
        desk.accept("--take", group, "--cause", f"cause-{name}", code=0)
        desk.results.with_suffix(".accepted.json").unlink()
        git("add", "baselines", "causes")
        git("commit", "-qm", name)
    git("merge", "-q", "--no-edit", "one")
    assert git("status", "--porcelain", "baselines", "causes") == ""
    desk.ran(*base, fail("B-1/type/i8[2]"), *runs.values())
    desk.accept(code=0)
    assert {line.cause for line in desk.lines().values()} == {"", "no-u4", "cause-one", "cause-two"}


def test_the_log_says_what_was_taken(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(I4))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", name, "--cause", "c", code=0)
    (step,) = json.loads(desk.results.with_suffix(".accepted.json").read_text())
    assert step["took"] == name
    files = {Path(path).name: text for path, text in step["files"].items()}
    assert "random = 0\n" in files.pop("run.toml")
    assert files == {"c.toml": None, "c.txt": None, "corpus.tsv": None}
    assert Outcome.FAIL in {each.outcome for each in desk.lines()[I4].endings}


@pytest.mark.parametrize(
    ("selection", "passed"),
    [
        ({}, True),
        ({"filters": ["--how usual"]}, True),
        ({"shard": "1/8"}, False),
        ({"filters": ["--case Abs-1/plain/f32[2]"]}, False),
    ],
)
def test_of_a_part_of_the_cases_the_others_do_not_count_as_passed(
    desk: Desk, selection: dict[str, Any], passed: bool
) -> None:
    asked = replace(HEADER, selection=Selection(depth="single", **selection))
    other = "A-1/type/u1[2]"
    desk.ran(ok(PLAIN), ok("A-1/type/i8[2]"), refuse(U4), header=asked)
    folder = ("--baseline", str(desk.folder / "ours"))
    group = one_group(desk.groups(*folder), "known")
    desk.accept(*folder, "--take", group, "--cause", "c", code=0)
    read = read_folder(desk.folder / "ours")
    assert set(read.lines) == {U4}
    assert read.has_asked(fail(other), RUN) == passed


# --- folders of one's own -----------------------------------------------------------------------------------------


def test_a_results_file_is_no_folder_to_write(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(PLAIN))
    out = desk.accept("--baseline", str(desk.results), code=2)
    assert "is a file, and a folder is written" in out


def test_a_folder_that_is_no_baseline(desk: Desk) -> None:
    desk.ship()
    desk.ran(fail(PLAIN))
    folder = desk.folder / "ours"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert "run.toml: cannot be read" in desk.accept("--baseline", str(folder), code=2)
    assert tree(folder).keys() == {str(folder), str(folder / "notes.txt")}


def test_what_is_worse_stays_so_in_a_new_folder_until_it_is_taken(desk: Desk) -> None:
    desk.ship(fail(PLAIN))
    desk.ran(die(PLAIN), refuse(I4))
    folder = ("--baseline", str(desk.folder / "ours"))
    groups = desk.groups(*folder)
    worse = one_group(groups, "worse")
    other = next(name for name in groups if name != worse)
    desk.accept(*folder, "--take", other, "--cause", "new-one", code=1)
    assert one_group(desk.groups(*folder), "worse") == worse
    desk.accept(*folder, "--take", worse, "--cause", "new-one", code=0)
