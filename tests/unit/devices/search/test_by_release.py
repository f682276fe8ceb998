"""A graph that departs is asked by several builds of OpenVINO: the first bad one, the last good one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devices.__main__ import main
from devices.engine.verdicts.verdict import Verdict
from devices.process import own_build
from devices.search import by_release
from devices.search.by_release import Build, OfBuild
from devices.targets.profiles import parse
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome

GRAPH = (
    "a=f32[2,2,1]:1; const axes=i64[]:2; const b=f32[2,1]#; d=ReLU-1(a); "
    "c=ReduceSum-1(d,axes){keep_dims=true}; y=Add-1(c,b); return y"
)
# A device whose release is the name of the folder that it was to load OpenVINO from.
RELEASES = "PYTHON:tests.unit.devices.of_release"
WRONG = Outcome.FAIL, "y is 2", Facts(kind="value")
OTHER = Outcome.CRASH, "signal 11", Facts(kind="signal", signal="SIGSEGV")
GOOD = Outcome.PASS, "", Facts()
ERROR = Outcome.ERROR, "the reference fails", Facts()
NEW = Outcome.ABSENT, "this release of OpenVINO is older than the layer: unknown", Facts()


def asked(release: str, came: tuple[Outcome, str, Facts]) -> OfBuild:
    outcome, detail, facts = came
    asking: Any = SimpleNamespace(session=SimpleNamespace(release=f"{release}-123-abc"))
    case: Any = None
    return OfBuild(Build(release, asking), Verdict(case, outcome, detail, facts))


@pytest.mark.parametrize(
    "came, last",
    [
        ([GOOD, GOOD, WRONG], "The first bad one of these is 2026.4; the last good one before it is 2025.4."),
        ([NEW, WRONG, WRONG], "The first bad one of these is 2025.4; none before it is good."),
        (
            [WRONG, GOOD, WRONG],
            "The first bad one of these is 2026.4; the last good one before it is 2025.4. Bad before that: 2024.0.",
        ),
        # What could not be judged is not good.
        ([ERROR, WRONG, WRONG], "The first bad one of these is 2025.4; none before it is good."),
        # What departs in another way is neither.
        (
            [GOOD, OTHER, WRONG],
            "The first bad one of these is 2026.4; the last good one before it is 2024.0. Before it these fail "
            "in another way: 2025.4.",
        ),
    ],
)  # fmt: skip
def test_the_first_bad_and_the_last_good_release(
    came: list[tuple[Outcome, str, Facts]], last: str
) -> None:
    found = [asked(*each) for each in zip(("2024.0", "2025.4", "2026.4"), came, strict=True)]
    lines = by_release.lines(found, found[-1].answer.way)
    assert lines[-1] == last
    assert lines[3] == "  2026.4  FAIL, alike"
    if came[0] is NEW:
        assert lines[1].startswith("  2024.0  ABSENT this release ")
        assert not found[0].departs
    if came[1] is OTHER:
        assert lines[2] == "  2025.4  CRASH signal 11"


def test_releases_are_in_order_and_have_names() -> None:
    releases = ["2026.4.0-20044-b", "2025.4.1-9-c", "2026.4.0-20001-a", "2026.10.0-1-d"]
    order = sorted(releases, key=by_release.version_of)
    assert order == [releases[1], releases[2], releases[0], releases[3]]
    assert by_release.labels(releases, ["w", "x", "y", "z"]) == [
        "2026.4.0-20044",
        "2025.4.1",
        "2026.4.0-20001",
        "2026.10.0",
    ]
    assert by_release.labels(["2026.4.0-1", "2026.4.0-1"], ["a", "b"]) == [
        "2026.4.0-1 in a",
        "2026.4.0-1 in b",
    ]


def test_each_build_is_opened_with_its_own_environment(tmp_path: Path) -> None:
    folders = []
    for version in ("2026.4.0", "2024.0.0"):
        package = tmp_path / version / "openvino"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        folders.append(str(tmp_path / version))
    with by_release.opened(folders, RELEASES, parse("accuracy"), 60.0) as builds:
        assert [each.label for each in builds] == ["2024.0.0", "2026.4.0"]


def test_the_command_asks_each_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ["--openvino", sys.prefix]
    out = tmp_path / "find"
    assert main(["shrink", GRAPH, *own, *own, "--out", str(out)]) == 1
    told = capsys.readouterr().out
    assert "ReLU" not in told
    assert told.count("  FAIL, alike\n") == 2
    assert (out / "graph.txt").read_text().endswith("none before it is good.\n")
    conforming = GRAPH.replace("[2,1]#", "[2,2]#")
    assert main(["shrink", conforming, *own, *own]) == 0
    assert capsys.readouterr().out.count("it conforms on CPU with 20") == 2


@pytest.mark.parametrize(
    "options, told",
    [
        (["--openvino", sys.prefix, "--openvino", sys.prefix, "--plugin", "A=b"], "--plugin is for one"),
        (["--openvino", sys.prefix, "--profile", "arm=neoverse-v1"], "has an OpenVINO of its own"),
    ],
)  # fmt: skip
def test_options_that_exclude_each_other(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    told: str,
) -> None:
    # The command leaves what to load in its environment, which is that of these tests.
    for name in (own_build.OPENVINO, "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    assert main(["shrink", GRAPH, *options]) == 2
    assert told in capsys.readouterr().err


def test_a_folder_without_openvino(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shrink", GRAPH, "--openvino", sys.prefix, "--openvino", str(tmp_path)]) == 2
    assert f"--openvino {tmp_path}: no OpenVINO there" in capsys.readouterr().err
