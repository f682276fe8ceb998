"""Scripts run on several releases: packages that stand in for them, and what the order of their endings tells."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reports.results.records import ResultsError
from reports.upstream.releases import (
    Release,
    Tried,
    as_rows,
    openvino_of,
    release_in,
    search,
    span_of,
    try_on,
)

SCRIPT = "import openvino, sys\nopenvino.behave()\n"
BEHAVIOURS = {
    "passes": "pass",
    "wrong": "sys.exit(1)",
    "refused": "raise RuntimeError('Check failed')",
    "lacks": "raise RuntimeError('Cannot create X layer from unsupported opset: opset99')",
    "has no type": "raise AttributeError(\"type object 'openvino._pyopenvino.Type' has no attribute 'u2'\")",
    "died": "os.abort()",
}


def pretended(root: Path, version: str, behaviour: str) -> Release:
    """An OpenVINO of a version that behaves in one way."""
    package = root / version / "openvino"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        f"import os, sys\n__version__ = '{version}-123-abc'\ndef behave(): {BEHAVIOURS[behaviour]}\n"
    )
    return release_in(root / version, sys.executable)


def test_a_release_is_told_by_its_package(tmp_path: Path) -> None:
    found = pretended(tmp_path, "2025.4.1", "passes")
    assert found.version == "2025.4.1"
    assert found.environment == {"PYTHONPATH": str(tmp_path / "2025.4.1")}


def test_a_folder_without_openvino_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no OpenVINO there"):
        release_in(tmp_path, sys.executable)
    package = tmp_path / "openvino"
    package.mkdir()
    (package / "__init__.py").write_text("import not_there")
    with pytest.raises(ResultsError, match="does not load: ModuleNotFoundError"):
        release_in(tmp_path, sys.executable)


def test_a_release_that_misreads_arrays_of_its_numpy_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "openvino"
    package.mkdir()
    (package / "__init__.py").write_text(
        "__version__ = '2024.0.0-123-abc'\nclass Tensor:\n    def __init__(self, a): self.data = a * 0\n"
    )
    with pytest.raises(ResultsError, match="does not load: it misreads arrays of NumPy"):
        release_in(tmp_path, sys.executable)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_what_a_script_does_on_a_release(behaviour: str, tmp_path: Path) -> None:
    tried = try_on(SCRIPT, pretended(tmp_path, "2025.1.0", behaviour), times=2)
    none = "has no such layer"
    told = {"lacks": none, "has no type": none}.get(behaviour, behaviour)
    assert str(tried) == told
    assert tried.departs == (behaviour in ("wrong", "refused", "died"))


def test_what_does_not_always_come_is_asked_several_times(tmp_path: Path) -> None:
    release = pretended(tmp_path, "2025.1.0", "passes")
    counter = tmp_path / "runs"
    script = f"import sys\nopen({str(counter)!r}, 'a').write('x')\nsys.exit(len(open({str(counter)!r}).read()) == 3)\n"
    assert try_on(script, release, times=2).ending == "passes"
    assert try_on(script, release, times=2).ending == "wrong"


@pytest.mark.parametrize(
    ("behaviours", "first_bad", "last_good", "most"),
    [
        (["wrong", "passes", "passes"], "2024.0.0", "", 1),
        (["passes", "passes", "passes", "wrong"], "2024.3.0", "2024.2.0", 3),
        (["refused", "passes", "wrong", "died"], "2024.2.0", "2024.1.0", 3),
        (["passes", "died", "wrong", "wrong", "wrong", "wrong"], "2024.1.0", "2024.0.0", 4),
        (["lacks", "lacks", "passes", "refused"], "2026.4.1", "", 3),
        (["passes"] * 8, "2026.4.1", "2024.7.0", 4),
    ],
)
def test_the_first_bad_release_is_searched_by_halves(
    behaviours: list[str], first_bad: str, last_good: str, most: int, tmp_path: Path
) -> None:
    releases = [
        pretended(tmp_path, f"2024.{number}.0", behaviour)
        for number, behaviour in enumerate(behaviours)
    ]
    tried = search(SCRIPT, Tried("2026.4.1", "wrong"), releases[::-1])
    assert len(tried) <= most + 1
    span = span_of(tried)
    assert (span.first_bad, span.last_good) == (first_bad, last_good)


def test_newer_releases_and_none_are_not_searched(tmp_path: Path) -> None:
    tested = Tried("2024.0.0", "wrong")
    assert search(SCRIPT, tested, [pretended(tmp_path, "2024.1.0", "passes")]) == [tested]
    assert str(span_of([tested])) == "first bad 2024.0.0, the oldest release that was tried"


def test_a_layer_that_is_new_has_no_good_release() -> None:
    tried = [
        Tried("2026.4.1", "died"),
        Tried("2025.4.1", "hung"),
        Tried("2025.3.0", "refused", True),
    ]
    assert str(span_of(tried)) == "first bad 2025.4.1, no good one: 2025.3.0 has no such layer"
    assert as_rows(tried) == [
        "- has no such layer: 2025.3.0",
        "- hung: 2025.4.1",
        "- died: 2026.4.1",
    ]


def test_what_was_refused_before_is_another_departure() -> None:
    tried = [Tried("2024.0.0", "refused"), Tried("2025.0.0", "died"), Tried("2026.4.1", "wrong")]
    assert str(span_of(tried)) == "first bad 2025.0.0, no good one: 2024.0.0 refuses it"


def test_what_came_back_began_the_last_time() -> None:
    endings = ["wrong", "passes", "cannot run", "wrong"]
    tried = [Tried(f"2024.{n}.0", ending) for n, ending in enumerate(endings)]  # type: ignore[arg-type]
    assert str(span_of(tried)) == "first bad 2024.3.0, no good one: 2024.2.0 cannot run"
    del tried[2]
    assert str(span_of(tried)) == "first bad 2024.3.0, last good 2024.1.0"


def test_a_python_without_openvino_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"--python .*/none: cannot be run: No such file"):
        openvino_of(str(tmp_path / "none"))
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho ModuleNotFoundError: openvino >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(ResultsError, match="has no openvino that loads: ModuleNotFoundError"):
        openvino_of(str(program))
    program.write_text("#!/bin/sh\n")
    with pytest.raises(ResultsError, match="has no openvino that loads: it tells no version"):
        openvino_of(str(program))
