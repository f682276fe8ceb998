"""Results of several processors in one file."""

import itertools
import json

import pytest

from reports.__main__ import main
from reports.gate.baseline_files import read
from reports.gate.causes import load as load_causes
from reports.gate.decision import targets_of
from reports.results.files.reading import load
from reports.results.records import NOT_ENDED, Selection, Target
from tests.unit.reports.small_results import header, record, write

GATHER = "Gather-8/plain/f32[2,3]/axis=0"
TILE = "Tile-1/plain/f32[2,3]/repeats=1,2"


@pytest.fixture
def machines(tmp_path):
    """The same cases on two processors; one of them fails."""
    return [
        write(tmp_path / "amd.jsonl", header(processor="AMD EPYC"), record(GATHER), record(TILE)),
        write(
            tmp_path / "intel.jsonl",
            header(processor="Intel Xeon"),
            record(GATHER),
            record(TILE, "FAIL"),
        ),
    ]


def merged(out, *paths):
    assert main(["merge", *map(str, paths), "--out", str(out), "--force"]) == 0
    return out


def outcomes(path):
    return {(one.case, one.processor): str(one.outcome) for one in load(path).records}


def test_each_processor_has_its_line(machines, tmp_path, capsys):
    out = merged(tmp_path / "out.jsonl", *machines)
    lines = [json.loads(line) for line in out.read_text().splitlines()][1:]
    assert [(line["case"], line["processor"], line["outcome"]) for line in lines] == [
        (GATHER, "AMD EPYC", "PASS"),
        (GATHER, "Intel Xeon", "PASS"),
        (TILE, "AMD EPYC", "PASS"),
        (TILE, "Intel Xeon", "FAIL"),
    ]
    assert not any(line["conflicts"] for line in lines)
    assert "conflict" not in capsys.readouterr().err


def test_compare_has_a_column_for_each_and_names_the_one_that_failed(machines, tmp_path, capsys):
    good = write(
        tmp_path / "good.jsonl", header(processor="Intel Xeon"), record(GATHER), record(TILE)
    )
    old = merged(tmp_path / "old.jsonl", machines[0], good)
    new = merged(tmp_path / "new.jsonl", *machines)
    assert main(["compare", str(old), str(new)]) == 1
    text = capsys.readouterr().out
    assert text.startswith("1 broken; 3 cases without a difference\n")
    (columns,) = (line for line in text.splitlines() if line.startswith("operation"))
    assert columns.split("  ", 1)[1].strip().split("  ") == [
        "broken: CPU (accuracy on AMD EPYC)",
        "broken: CPU (accuracy on Intel Xeon)",
    ]
    (row,) = (line for line in text.splitlines() if line.startswith("Tile-1"))
    assert row.split() == ["Tile-1", "–", "1"]
    assert f"PASS → FAIL  {TILE} on CPU (accuracy on Intel Xeon)" in text

    assert main(["compare", str(old), str(new), "--json"]) == 1
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert (case["case"], case["processor"]) == (TILE, "Intel Xeon")


def test_one_machine_is_compared_with_itself_among_several(machines, tmp_path, capsys):
    new = merged(tmp_path / "new.jsonl", *machines)
    # What fails there, and the old results lack, is new, as the gate says.
    assert main(["compare", str(machines[0]), str(new)]) == 1
    text = capsys.readouterr().out
    assert text.startswith("1 new, 1 extra; 2 cases without a difference")
    assert "Only in the new results: CPU (accuracy on Intel Xeon)." in text
    assert main(["compare", str(new), str(machines[1])]) == 0
    assert capsys.readouterr().out.startswith("2 gone; 2 cases without a difference")


def test_one_machine_is_compared_with_each_of_several_others(machines, tmp_path, capsys):
    arm = write(tmp_path / "arm.jsonl", header(processor="Graviton"), record(GATHER), record(TILE))
    new = merged(tmp_path / "new.jsonl", *machines)
    assert main(["compare", str(arm), str(new)]) == 1
    text = capsys.readouterr().out
    assert text.startswith("1 broken; 3 cases without a difference")
    assert f"{TILE} on CPU (accuracy on Intel Xeon)" in text


def test_the_summary_has_a_heading_for_each(machines, tmp_path, capsys):
    assert main(["summary", str(merged(tmp_path / "out.jsonl", *machines))]) == 1
    text = capsys.readouterr().out
    assert "0 unexpected departures in 2 cases on CPU (accuracy on AMD EPYC)" in text
    assert "1 unexpected departure (1 new) in 2 cases on CPU (accuracy on Intel Xeon)" in text


@pytest.mark.parametrize("kind", ["csv", "json", "junit", "ctrf"])
def test_exports_name_both(machines, tmp_path, capsys, kind):
    out = merged(tmp_path / "out.jsonl", *machines)
    assert main(["export", str(out), "--format", kind]) == 0
    text = capsys.readouterr().out
    assert text.count("AMD EPYC") >= 2
    assert text.count("Intel Xeon") >= 2


def test_the_page_shows_both(machines, tmp_path, capsys):
    page = tmp_path / "page.html"
    out = merged(tmp_path / "out.jsonl", *machines)
    assert main(["html", str(out), "--out", str(page)]) == 0
    text = page.read_text()
    assert "accuracy on AMD EPYC" in text
    assert "accuracy on Intel Xeon" in text


def test_the_order_does_not_matter_nor_how_often_files_are_merged(machines, tmp_path, capsys):
    third = write(
        tmp_path / "third.jsonl", header(processor="Graviton"), record(GATHER, "CRASH", detail="c")
    )
    files = [*machines, third]
    whole = merged(tmp_path / "out.jsonl", *files).read_bytes()
    for order in itertools.permutations(files):
        part = merged(tmp_path / "part.jsonl", *order[:2])
        again = merged(tmp_path / "again.jsonl", part, order[2], order[0])
        assert again.read_bytes() == whole
    assert merged(tmp_path / "once.jsonl", tmp_path / "out.jsonl").read_bytes() == whole


def test_results_of_one_processor_that_disagree_are_conflicts(machines, tmp_path, capsys):
    again = write(
        tmp_path / "again.jsonl", header(processor="AMD EPYC"), record(TILE, "CRASH", detail="c")
    )
    out = merged(tmp_path / "out.jsonl", *machines, again)
    assert "conflict: Tile-1" in capsys.readouterr().err
    (worst,) = (one for one in load(out).records if one.conflicts)
    assert (worst.processor, worst.outcome) == ("AMD EPYC", "CRASH")
    assert [str(one.outcome) for one in worst.conflicts] == ["PASS"]


def shard(path, number, processor, *records):
    selection = Selection(shard=f"{number}/2")
    return write(path, header(selection=selection, processor=processor), *records)


def test_shards_on_different_processors_are_one_target(machines, tmp_path, capsys):
    parts = [
        shard(tmp_path / "1.jsonl", 1, "AMD EPYC", record(GATHER)),
        shard(tmp_path / "2.jsonl", 2, "Intel Xeon", record(TILE, "FAIL")),
    ]
    out = merged(tmp_path / "out.jsonl", *parts)
    assert load(out).targets() == [("CPU", "accuracy")]
    # Which of them it was is not lost: with results of the same cases they are told apart.
    both = merged(tmp_path / "both.jsonl", out, machines[0])
    assert outcomes(both) == {
        (GATHER, "AMD EPYC"): "PASS",
        (TILE, "AMD EPYC"): "PASS",
        (TILE, "Intel Xeon"): "FAIL",
    }
    assert both.read_bytes() == merged(tmp_path / "b.jsonl", machines[0], *parts[::-1]).read_bytes()


def test_a_machine_that_was_cut_off_is_named(tmp_path, capsys):
    whole = write(
        tmp_path / "amd.jsonl", header(processor="AMD EPYC"), record(GATHER), record(TILE)
    )
    cut = write(
        tmp_path / "intel.jsonl", header(processor="Intel Xeon", ended=NOT_ENDED), record(GATHER)
    )
    assert main(["merge", str(whole), str(cut), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "CPU (accuracy on Intel Xeon): cut off before its end" in capsys.readouterr().err


def test_runs_in_one_file_each_keep_their_processor(tmp_path):
    path = write(
        tmp_path / "both.jsonl",
        header(processor="AMD EPYC"),
        record(GATHER),
        record(TILE),
        header(processor="Intel Xeon"),
        record(TILE, "FAIL"),
        header(processor="Intel Xeon", resumed=True),
        record(TILE, "CRASH"),
    )
    assert outcomes(path) == {
        (GATHER, "AMD EPYC"): "PASS",
        (TILE, "AMD EPYC"): "PASS",
        (TILE, "Intel Xeon"): "CRASH",
    }


def test_cards_are_told_apart_by_their_own_names(tmp_path, capsys):
    paths = []
    for name in ("Arc A770", "Arc B580"):
        card = Target(device="GPU", profile="accuracy", full_name=name)
        head = header(processor="Intel Xeon", targets=[card])
        paths.append(write(tmp_path / f"{name}.jsonl", head, record(TILE, device="GPU")))
    out = merged(tmp_path / "out.jsonl", *paths)
    assert [target for _, target in load(out).targets()] == [
        "accuracy on Arc A770, Intel Xeon",
        "accuracy on Arc B580, Intel Xeon",
    ]


def test_each_processor_keeps_its_failure_folder(tmp_path, capsys):
    paths = []
    for name in ("AMD EPYC", "Intel Xeon"):
        path = tmp_path / f"{name}.jsonl"
        paths.append(
            write(path, header(processor=name), record(TILE, "FAIL", folder="CPU/accuracy/a"))
        )
        folder = path.with_suffix(".failures") / "CPU" / "accuracy" / "a"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(name)
    out = merged(tmp_path / "all" / "out.jsonl", *paths)
    again = merged(tmp_path / "again" / "again.jsonl", out, paths[0])
    for path in (out, again):
        results = load(path)
        found = {
            one.processor: (results.folder(one) / "manifest.json").read_text()
            for one in results.records
        }
        assert found == {"AMD EPYC": "AMD EPYC", "Intel Xeon": "Intel Xeon"}


def test_a_baseline_of_several_machines_serves_each_with_its_own(machines, tmp_path, capsys):
    baselines = read(merged(tmp_path / "out.jsonl", *machines))
    for processor, departures in (("AMD EPYC", 0), ("Intel Xeon", 1)):
        found = targets_of(header(processor=processor), load_causes(), baselines)
        assert len(found["CPU", "accuracy"].baseline.lines) == departures
