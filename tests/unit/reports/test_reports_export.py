"""Results in the formats of others."""

import csv
import io
import json

import jsonschema
import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.commands.export import COLUMNS, as_csv, as_ctrf
from reports.results.files.reading import Results, load
from reports.results.schema import SCHEMA_FILE
from tests.unit.reports.small_results import HOSTILE, as_json, header, record, write

KNOWN = record(
    "A-1/rank/f64[]",
    "FAIL",
    "known",
    cause="f64",
    cause_class="defect",
    reason="f64 is computed in f32",
    since="2024.0",
)


def rows(*records):
    return list(csv.DictReader(io.StringIO(as_csv(Results([header()], list(records))))))


def test_csv_has_a_row_per_case():
    found = rows(
        record("A-1/x", "FAIL", fraction=2.5, wrong=3, elements=10), record("B-1/f32[2,3]")
    )
    assert [row["case"] for row in found] == ["A-1/x", "B-1/f32[2,3]"]
    assert (found[0]["fraction"], found[0]["wrong"], found[0]["elements"]) == ("2.5", "3", "10")
    assert found[1]["fraction"] == ""
    assert found[0]["openvino"] == "2026.4.1-21000-abc"
    assert set(found[0]) == set(COLUMNS)


def test_csv_keeps_hostile_text_in_its_cell_and_line():
    text = as_csv(Results([header()], [record("A-1/" + HOSTILE, detail='a,"b"\n=c')]))
    assert text.count("\n") == 2
    assert rows(record("A-1/x", detail='a,"b"\n=c'))[0]["detail"] == r'a,"b"\n=c'


@pytest.mark.parametrize("detail", ["=HYPERLINK(1)", "+1", "-1", "@x"])
def test_no_cell_is_a_formula(detail):
    assert rows(record(detail=detail))[0]["detail"] == "'" + detail


def test_json_fits_the_schema_and_holds_everything(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        header(),
        record("A-1/x", detail=HOSTILE),
        record(outcome="FAIL"),
        KNOWN,
        replace(KNOWN, case="B-1/type/f64[2]", operation="B-1"),
    )
    out = tmp_path / "a.json"
    assert main(["export", str(path), "--format", "json", "--out", str(out)]) == 0
    content = json.loads(out.read_text())
    schema = json.loads(SCHEMA_FILE.read_text())
    jsonschema.validate(content, {**schema, "anyOf": [{"$ref": "#/$defs/Document"}]})
    assert content["cases"] == list(map(as_json, load(path).records))
    assert content["causes"] == [
        {
            "id": "f64",
            "class": "defect",
            "title": "f64 is computed in f32",
            "since": "2024.0",
            "operations": ["A-1", "B-1"],
            "cases": 2,
            "smallest": KNOWN.case,
        }
    ]
    assert content["runs"] == list(map(as_json, load(path).runs))


def test_ctrf_counts_causes():
    results = Results([header()], [KNOWN, record("A-1/x", "FAIL", "known", reason="r")])
    assert as_ctrf(results)["results"]["summary"]["extra"] == {
        "causes": [
            {"class": "defect", "causes": 1, "cases": 1},
            {"class": "unknown", "causes": 1, "cases": 1},
        ]
    }


def test_csv_names_the_cause():
    (row,) = rows(KNOWN)
    found = [row[name] for name in ("cause", "cause_class", "reason", "since")]
    assert found == ["f64", "defect", "f64 is computed in f32", "2024.0"]


def test_ctrf_counts_what_the_gate_said():
    results = Results(
        [header()],
        [
            record("A-1/a", seconds=0.25),
            record("A-1/b", "QUALITY"),
            record("A-1/c", "FAIL", detail="wrong", seconds=1.75),
            record("A-1/d", "REFUSED", "known", detail="no", reason="known"),
            record("A-1/e", "ABSENT", "skipped"),
            record("A-1/f", "PASS", "improved"),
        ],
    )
    report = as_ctrf(results)
    summary = report["results"]["summary"]
    assert report["reportFormat"] == "CTRF"
    assert summary == {
        "tests": 6,
        "passed": 3,
        "failed": 1,
        "pending": 0,
        "skipped": 1,
        "other": 1,
        "start": 1767323045000,
        "stop": 1767323045000 + 2004,
        "extra": {"causes": [{"class": "unknown", "causes": 1, "cases": 1}]},
    }
    tests = {one["name"]: one for one in report["results"]["tests"]}
    assert tests["A-1/c"] == {
        "name": "A-1/c",
        "status": "failed",
        "duration": 1750,
        "suite": "A-1 on CPU (accuracy)",
        "rawStatus": "FAIL",
        "message": "wrong",
    }
    assert tests["A-1/d"]["message"] == "no; known"
    assert "message" not in tests["A-1/a"]


@pytest.mark.parametrize("started", ["", "yesterday"])
def test_ctrf_of_a_run_without_a_time(started):
    report = as_ctrf(Results([header(started=started)], [record()]))
    assert report["results"]["summary"]["start"] == 0


@pytest.mark.parametrize("style", ["csv", "json", "ctrf"])
def test_the_command_prints(tmp_path, style, capsys):
    path = write(tmp_path / "a.jsonl", header(), record("A-1/" + HOSTILE, "FAIL"))
    assert main(["export", str(path), "--format", style]) == 0
    out = capsys.readouterr().out
    assert all(line.isprintable() for line in out.splitlines())
    if style != "csv":
        json.loads(out)
