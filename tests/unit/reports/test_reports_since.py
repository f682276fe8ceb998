"""``expectations since``: the first release that shows each root cause."""

import pytest
from small_results import header, record, write

from reports.__main__ import main
from reports.commands.expectations.since import first_release
from reports.expectation_files import load

ENTRIES = """# kept
[[expect]]
id = "always"
title = "t"
class = "defect"
page = "p"
covers = [{ operation = "A-1", outcome = "FAIL" }]

[[expect]]
id = "later"  # kept too
title = "t"
class = "limit"
since = "2020.0"
covers = [{ operation = "B-1", outcome = "REFUSED", when = { openvino = ">=2025.2" } }]

[[expect]]
id = "mended"
title = "t"
class = "defect"
covers = [{ operation = "C-1", outcome = "CRASH" }]

[[expect]]
id = "unasked"
title = "t"
class = "defect"
covers = [{ operation = "D-1", outcome = "FAIL" }]
"""

RUNS = {
    "2026.4.1-2": [("A-1", "FAIL"), ("B-1", "REFUSED"), ("C-1", "PASS"), ("D-1", "ABSENT")],
    "2025.2.0-9": [("A-1", "FAIL"), ("B-1", "REFUSED"), ("C-1", "CRASH")],
    "2024.0.0-1": [("A-1", "FAIL"), ("B-1", "PASS"), ("C-1", "CRASH")],
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "CPU.toml").write_text(ENTRIES)
    paths = []
    for version, outcomes in RUNS.items():
        path = tmp_path / f"{version}.jsonl"
        records = [record(f"{name}/plain/f32[2]", outcome) for name, outcome in outcomes]
        write(path, header(openvino=version), *records)
        paths.append(str(path))
    return paths


def since(tmp_path, files, *options):
    arguments = ["--device", "CPU", "--directory", str(tmp_path), *options]
    return main(["expectations", "since", *files, *arguments])


def test_the_release_from_which_on_a_root_cause_shows_is_written(tmp_path, files, capsys):
    assert since(tmp_path, files) == 0
    found = {entry.id: entry.since for entry in load(tmp_path / "CPU.toml").entries}
    assert found == {"always": "2024.0", "later": "2025.2", "mended": "", "unasked": ""}
    changed = ENTRIES.replace('page = "p"', 'page = "p"\nsince = "2024.0"')
    assert (tmp_path / "CPU.toml").read_text() == changed.replace("2020.0", "2025.2")
    assert "CPU.toml: 2 root causes of 4 dated" in capsys.readouterr().out


def test_a_dry_run_writes_nothing(tmp_path, files):
    assert since(tmp_path, files, "--dry-run") == 0
    assert (tmp_path / "CPU.toml").read_text() == ENTRIES


def test_a_file_of_two_releases_is_refused(tmp_path, files, capsys):
    merged = tmp_path / "merged.jsonl"
    assert main(["merge", *files[:2], "--out", str(merged), "--partial"]) == 0
    assert since(tmp_path, [str(merged)]) == 2
    assert "expected the results of one release, got 2025.2 and 2026.4" in capsys.readouterr().err


def test_a_device_without_expectations_is_refused(tmp_path, files, capsys):
    arguments = ["--device", "GPU", "--directory", str(tmp_path)]
    assert main(["expectations", "since", *files, *arguments]) == 2
    assert "there is no expectations file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "shown, expected",
    [("011", "b"), ("111", "a"), ("101", "c"), ("110", ""), ("000", "")],
)
def test_a_release_between_that_does_not_show_it_begins_anew(shown, expected):
    answers = [(name, digit == "1") for name, digit in zip("abc", shown, strict=True)]
    assert first_release(answers) == expected
