"""Operations over many runs."""

import pytest

from reports.__main__ import main
from reports.commands.history import document, runs_in_order
from reports.documents import as_text
from reports.results.outcomes import Outcome
from reports.results.reading import load
from tests.unit.reports.small_results import HOSTILE, header, record, write


def load_all(tmp_path, *files):
    return [load(write(tmp_path / f"{number}.jsonl", *lines)) for number, lines in enumerate(files)]


def rows(results):
    text = as_text(document(runs_in_order(results)))
    return [line for line in text.splitlines() if "  " in line]


def a(*outcomes):
    return [record(f"A-1/{place}", outcome) for place, outcome in enumerate(outcomes)]


def test_releases_are_in_their_order(tmp_path):
    results = load_all(
        tmp_path,
        [header("2026.4.1-1"), *a("PASS")],
        [header("2024.10.0-1"), *a("PASS")],
        [header("2024.6.0-1"), *a("PASS")],
    )
    assert [one.label for one in runs_in_order(results)] == ["2024.6.0", "2024.10.0", "2026.4.1"]


def test_runs_of_one_release_are_told_apart(tmp_path):
    results = load_all(
        tmp_path,
        [header(started="2026-02-02T00:00:00+00:00"), *a("PASS")],
        [header(started="2026-02-01T05:00:00+00:00"), *a("PASS")],
        [header(started="2026-02-01T04:00:00+00:00"), *a("PASS")],
        [header("2025.4.0-1"), *a("PASS")],
    )
    assert [one.label for one in runs_in_order(results)] == [
        "2025.4.0",
        "2026.4.1 2",
        "2026.4.1 1",
        "2026.4.1 2026-02-02",
    ]


def test_cells_tell_the_share_the_departures_and_the_changes(tmp_path):
    results = load_all(
        tmp_path,
        [header("2024.0.0-1"), *a("PASS", "QUALITY", "FAIL", "REFUSED"), record("B-1/x")],
        [header("2025.0.0-1"), *a("PASS", "CRASH", "PASS", "PASS")],
        [header("2026.0.0-1"), *a("PASS", "CRASH", "PASS", "PASS"), record("B-1/x", "FAIL")],
    )
    cells = [
        ["operation", "2024.0.0", "2025.0.0", "2026.0.0"],
        ["A-1", "50.0% 1 REFUSED, 1 FAIL", "75.0% 1 CRASH ▼1 ▲2", "75.0% 1 CRASH"],
        ["B-1", "100%", "–", "0.0% 1 FAIL ▼1"],
        ["total", "60.0% 1 REFUSED, 1 FAIL", "75.0% 1 CRASH ▼1 ▲2", "60.0% 1 FAIL, 1 CRASH"],
    ]
    found = [[cell.strip() for cell in row.split("  ") if cell.strip()] for row in rows(results)]
    assert found == cells


def test_new_cases_are_no_change(tmp_path):
    results = load_all(
        tmp_path,
        [header("2024.0.0-1"), *a("PASS")],
        [header("2025.0.0-1"), *a("PASS", "FAIL")],
    )
    assert "▼" not in "".join(rows(results))


def test_a_share_is_all_only_if_it_is(tmp_path):
    results = load_all(tmp_path, [header(), *a(*["PASS"] * 2999, "FAIL")])
    assert "99.9% 1 FAIL" in rows(results)[1]


def test_the_expected_outcome_conforms_and_expectations_do_not_matter(tmp_path):
    results = load_all(
        tmp_path,
        [
            header(),
            record("A-1/y", "FOLDED", "pass", expected_outcome=Outcome.FOLDED),
            record("A-1/x", "FAIL", "known"),
        ],
    )
    assert "50.0% 1 FAIL" in rows(results)[1]


def test_each_target_has_its_table(tmp_path, capsys):
    path = write(
        tmp_path / "a.jsonl", header(), record("A-1/x"), record("A-1/x", "FAIL", device="GPU")
    )
    assert main(["history", str(path), "--markdown"]) == 0
    out = capsys.readouterr().out
    assert "## CPU (accuracy)\n\n| operation | 2026.4.1 |" in out
    assert "## GPU (accuracy)\n\n| operation | 2026.4.1 |" in out
    assert "| A-1 | 0.0% 1 FAIL |" in out


def test_page_and_hostile_names(tmp_path, capsys):
    operation = HOSTILE.replace("/", "")  # what stands before the first slash of a case
    path = write(tmp_path / "a.jsonl", header(HOSTILE), record(f"{operation}/x", profile=HOSTILE))
    out = tmp_path / "page.html"
    assert main(["history", str(path), "--html", "--out", str(out)]) == 0
    assert "<script" not in out.read_text()
    for options in ([], ["--markdown"]):
        main(["history", str(path), *options])
        assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())


def test_no_case_at_all(tmp_path, capsys):
    assert main(["history", str(write(tmp_path / "a.jsonl", header()))]) == 2
    assert "no case" in capsys.readouterr().err


@pytest.mark.parametrize("empty", [0, 1])
def test_a_run_without_cases_among_others(tmp_path, empty):
    files = [[header("2024.0.0-1"), *a("PASS")], [header("2025.0.0-1"), *a("PASS")]]
    files[empty] = files[empty][:1]
    assert "–" in rows(load_all(tmp_path, *files))[1]


def test_what_compiled_and_was_not_checked_has_no_share(tmp_path):
    found = load_all(tmp_path, [header("2026.4.1"), *a("COMPILED", "PASS")])
    assert "50.0% 1 COMPILED" in str(rows(found))
