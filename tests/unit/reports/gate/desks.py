"""A desk with results, a baseline and causes of its own, at which ``python -m reports accept`` runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.gate import baseline_files, causes, precision
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Line, Run, line_of, run_of
from reports.gate.baseline_files import read_folder, texts_of, write_folder
from reports.gate.decision import target_of
from reports.gate.precision import Share
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord, Header, Selection, Target
from tests.unit.reports.small_results import header, record, write

VALUE = Facts(kind="value", output=0)
NO_U4 = Facts(stage="compile", kind="message", message="no kernel of u4 here")
DEATH = Facts(stage="infer", kind="signal", signal="SIGSEGV")
KNOWS_U4 = """\
title = "u4 - refused"
class = "limit"
component = "plugin node"
smallest = "A-1/type/u4[2,3]"
devices = ["CPU"]

[[select]]
type = ["u4"]
outcome = ["REFUSED"]
"""
KNOWS_ALL = KNOWS_U4.partition("[[select]]")[0] + '[[select]]\noperation = ["*"]\n'
"""A cause that names everything, and so is never narrow."""
HEADER = header(
    targets=[Target(device="CPU", profile="accuracy", isa="AVX2", full_name="A CPU")],
    platform="Linux-6.1-x86_64",
    selection=Selection(depth="single"),
    ended="2026-01-02T03:04:05+00:00",
)
LATER = replace(HEADER, openvino="2026.5.0-1")
"""The header of a run on the next release."""
RUN = run_of(HEADER, "CPU", "accuracy")
NEW_CAUSE = (
    "--title", "A - i4 - wrong", "--class", "defect", "--component", "plugin node", "--page", "'any type'",
)  # fmt: skip
"""The options with which a new cause is complete."""

U4 = "A-1/type/u4[2,3]"
I4 = "A-1/type/i4[2,3]"
U1 = "A-1/type/u1[2,3]"
PLAIN = "A-1/plain/f32[2,3]"
RANDOM_U4 = "A-1/random/u4[2]"


def ok(case: str) -> CaseRecord:
    return record(case)


def fail(case: str, **other: Any) -> CaseRecord:
    return record(
        case, "FAIL", facts=VALUE, **{"wrong": 1, "elements": 6, "fraction": 2.0, **other}
    )


def refuse(case: str, message: str = NO_U4.message, **other: Any) -> CaseRecord:
    return record(case, "REFUSED", facts=replace(NO_U4, message=message), **other)


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

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str] | None = None) -> None:
        self.folder, self._capsys = folder, capsys
        self.baselines, self.causes = folder / "baselines", folder / "causes"
        self.causes.mkdir()
        (self.causes / "no-u4.toml").write_text(KNOWS_U4)
        self.results = folder / "run.jsonl"

    @property
    def base(self) -> Path:
        """The folder of the baseline of this release."""
        return self.baselines / "CPU" / "2026.4"

    @property
    def later(self) -> Path:
        """The folder of the baseline of the next one."""
        return self.baselines / "CPU" / "2026.5"

    def ship(
        self,
        *records: CaseRecord,
        asked: Sequence[str] = (),
        name: str = "2026.4",
        narrow: Sequence[str] = ("no-u4",),
        **change: Any,
    ) -> Path:
        """Make the baseline of a run without random layers, in which records departed and others conformed.

        In it all cases that ``narrow`` causes admit departed so, and a quarter of those of others.
        """
        departing = [one for one in records if not one.conforms]
        lines = {one.case: line_of(one) for one in departing}
        run = Run(**{**vars(RUN), "random": 0, **change})
        which = AskedCases.of([*(one.case for one in records), *asked])
        categories = {one.operation: one.category for one in records}
        shipped = Baseline(run, lines, which, categories=categories)
        folder = self.baselines / run.device / name
        shares = {
            causes.name_of(one, each): Share(8, 8 if one.id in narrow else 2)
            for one in causes.load().by_id.values()
            for each in one.selectors
        }
        write_folder(folder, texts_of(shipped, precision.to_text(shares)))
        return folder

    def ran(self, *records: CaseRecord, header: Header = HEADER) -> None:
        """Make the results of a run."""
        write(self.results, header, *records)

    def cause(self, name: str, text: str = KNOWS_ALL) -> Path:
        """Make a cause."""
        path = self.causes / f"{name}.toml"
        path.write_text(text)
        return path

    def accept(self, *options: str, code: int | None = None) -> str:
        """Run the command, and return what it prints."""
        assert self._capsys is not None
        found = main(["accept", str(self.results), *options])
        out, err = self._capsys.readouterr()
        assert code is None or found == code, f"exit code {found}\n{out}\n{err}"
        assert "Traceback" not in err
        if found == 2:
            assert err.count("\n") == 1
        return out if found != 2 else err

    def groups(self, *options: str) -> dict[str, str]:
        """What the command prints of each group, by its id: in one line."""
        out = self.accept(*options).partition("\nCommands\n")[0]
        parts = re.split(r"^  (\w+-[0-9a-f]{5})  ", out, flags=re.MULTILINE)
        return {
            name: re.sub(r"\s+", " ", re.split(r"\n\n\w+: ", text)[0]).strip()
            for name, text in zip(parts[1::2], parts[2::2], strict=True)
        }

    def lines(self, folder: Path | None = None) -> dict[str, Line]:
        """The lines that the files of a baseline have."""
        return dict(read_folder(folder or self.base).lines)

    def causes_of(self, folder: Path | None = None) -> dict[str, str]:
        """The causes of these lines, by case."""
        return {case: line.cause for case, line in self.lines(folder).items()}

    def gates(
        self, folder: Path, *records: CaseRecord, header: Header = HEADER
    ) -> Mapping[str, str]:
        """What the gate decides of these results by a baseline."""
        run = run_of(header, "CPU", "accuracy")
        target = target_of(run, read_folder(folder), causes.load())
        return {one.case: str(target.decide(one).gate) for one in records}


def one_group(groups: Mapping[str, str], kind: str) -> str:
    """The id of the only group of a kind."""
    (name,) = [each for each in groups if each.startswith(f"{kind}-")]
    return name


def kinds(groups: Mapping[str, str]) -> list[str]:
    """The kinds of groups, in their order."""
    return [each.partition("-")[0] for each in groups]


def instead_of_the_suite(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    """Let the folders of a desk be those that the suite ships."""
    monkeypatch.setattr(baseline_files, "DIRECTORY", desk.baselines)
    monkeypatch.setattr(causes, "DIRECTORY", desk.causes)
    # The default of `nearest` was made when the module was loaded.
    monkeypatch.setattr(baseline_files.nearest, "__defaults__", (desk.baselines,))
