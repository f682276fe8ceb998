"""Files merged."""

import itertools
import json

import jsonschema
import pytest
from small_results import header, record, write

from reports.__main__ import main
from reports.results import load
from reports.schema import SCHEMA_FILE


@pytest.fixture
def shards(tmp_path):
    """Three files: two shards of a run and another device; two disagree on a case."""
    return [
        write(
            tmp_path / "one.jsonl",
            header(started="2026-01-02T00:00:00+00:00"),
            record("B-1/x"),
            record("A-1/x", seconds=1.0),
            record("C-1/x", "FAIL", detail="a", folder="CPU/a"),
        ),
        write(
            tmp_path / "two.jsonl",
            header(started="2026-01-01T00:00:00+00:00", processor="Other"),
            record("A-1/x", seconds=2.0),
            record("C-1/x", "CRASH", detail="b", folder="CPU/b"),
        ),
        write(
            tmp_path / "gpu.jsonl",
            header(devices=("GPU",), seed=1),
            record("A-1/x", device="GPU"),
            header(devices=("GPU",), seed=1, resumed=True),
            record("B-1/x", device="GPU"),
        ),
    ]


def merge(out, *paths):
    assert main(["merge", *map(str, paths), "--out", str(out)]) == 0
    return out.read_bytes()


def test_the_same_bytes_in_any_order_and_any_number_of_times(shards, tmp_path, capsys):
    out, part = tmp_path / "out.jsonl", tmp_path / "part.jsonl"
    whole = merge(out, *shards)
    for order in itertools.permutations(shards):
        assert merge(out, *order) == whole
        merge(part, *order[:2])
        assert merge(out, part, *order[2:]) == whole
        assert merge(out, *order[2:], part, order[0], order[0]) == whole
    assert merge(out, out) == whole
    assert merge(out, out, *shards) == whole


def test_records_are_sorted_and_keep_what_they_hold(shards, tmp_path, capsys):
    merge(tmp_path / "out.jsonl", *shards)
    results = load(tmp_path / "out.jsonl")
    assert [(one.case, one.device) for one in results.records] == [
        ("A-1/x", "CPU"),
        ("A-1/x", "GPU"),
        ("B-1/x", "CPU"),
        ("B-1/x", "GPU"),
        ("C-1/x", "CPU"),
    ]


def test_the_header_is_the_union(shards, tmp_path, capsys):
    merge(tmp_path / "out.jsonl", *shards)
    (head,) = load(tmp_path / "out.jsonl").runs
    assert [one.device for one in head.targets] == ["CPU", "GPU"]
    assert len(head.merged) == 4
    assert head.openvino == "2026.4.1-21000-abc"
    assert head.processor == "Other | Some AMX processor"
    assert head.seed is None
    assert not head.resumed


def test_conflicting_results_are_said_and_kept(shards, tmp_path, capsys):
    merge(tmp_path / "out.jsonl", *shards)
    assert capsys.readouterr().err.splitlines() == [
        "conflict: C-1/x on CPU (accuracy): CRASH (b) / FAIL (a)"
    ]
    last = load(tmp_path / "out.jsonl").records[-1]
    assert last.outcome == "CRASH"
    assert [one.outcome for one in last.conflicts] == ["FAIL"]


def test_many_conflicts_are_counted(tmp_path, capsys):
    one = write(tmp_path / "1.jsonl", header(), *(record(f"A-1/{n}") for n in range(30)))
    two = write(tmp_path / "2.jsonl", header(), *(record(f"A-1/{n}", "FAIL") for n in range(30)))
    merge(tmp_path / "out.jsonl", one, two)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... 30 cases with conflicting results in all"


def test_several_openvino_versions_are_said(tmp_path, capsys):
    one = write(tmp_path / "1.jsonl", header("2025.4.0-1"), record("A-1/x", device="CPU"))
    two = write(tmp_path / "2.jsonl", header(devices=["GPU"]), record("A-1/x", device="GPU"))
    merge(tmp_path / "out.jsonl", one, two)
    assert "several OpenVINO versions: 2025.4.0, 2026.4.1" in capsys.readouterr().err


def test_failure_folders_come_along(shards, tmp_path, capsys):
    for path, name in ((shards[0], "CPU/a"), (shards[1], "CPU/b")):
        folder = path.with_suffix(".failures") / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(name)
    out = tmp_path / "all" / "out.jsonl"
    merge(out, *shards)
    copies = out.with_suffix(".failures")
    assert [path.name for path in (copies / "CPU").iterdir()] == ["b"]
    assert (copies / "CPU" / "b" / "manifest.json").read_text() == "CPU/b"
    results = load(out)
    assert results.folder(results.records[-1]) == copies / "CPU" / "b"

    out = tmp_path / "none" / "out.jsonl"
    assert main(["merge", *map(str, shards), "--out", str(out), "--no-folders"]) == 0
    assert not out.with_suffix(".failures").exists()


def test_a_folder_that_leads_elsewhere_is_not_followed(tmp_path, capsys):
    (tmp_path / "secret").mkdir()
    (tmp_path / "one.failures").mkdir()
    path = write(tmp_path / "one.jsonl", header(), record("A-1/x", "FAIL", folder="../secret"))
    merge(tmp_path / "all" / "out.jsonl", path)
    assert "is outside the results" in capsys.readouterr().err
    assert not (tmp_path / "all" / "secret").exists()


def test_merged_lines_fit_the_schema(shards, tmp_path, capsys):
    merge(tmp_path / "out.jsonl", *shards)
    schema = json.loads(SCHEMA_FILE.read_text())
    for line in (tmp_path / "out.jsonl").read_text().splitlines():
        jsonschema.validate(json.loads(line), schema)
