"""Files merged."""

import itertools
import json
import os
import shutil

import jsonschema
import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.results.files.reading import load
from reports.results.records import NOT_ENDED, Selection
from reports.results.schema import SCHEMA_FILE
from tests.unit.reports.small_results import header, record, write


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
            header(started="2026-01-01T00:00:00+00:00", python="3.12.1"),
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
    copy = shutil.copy(shards[0], tmp_path / "copy.jsonl")
    whole = merge(out, *shards)
    for order in itertools.permutations(shards):
        assert merge(out, *order) == whole
        merge(part, *order[:2])
        assert merge(out, part, *order[2:]) == whole
        assert (
            merge(out, *order[2:], part, copy, shards[0] if shards[0] != order[2] else order[1])
            == whole
        )
    again = tmp_path / "again.jsonl"
    assert merge(again, out) == whole
    assert merge(again, out, *shards) == whole


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
    assert head.python == "3.11.7 | 3.12.1"
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


def test_several_builds_of_one_device_are_refused(tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    one = write(tmp_path / "1.jsonl", header("2025.4.0-1"), record("A-1/x"))
    two = write(tmp_path / "2.jsonl", header(), record("B-1/x"))
    line = refused(capsys, "merge", one, two, "--out", out, "--partial")
    assert "CPU (accuracy) has results of OpenVINO 2025.4.0-1 and 2026.4.1-21000-abc" in line
    assert "`python -m reports compare`" in line
    assert not out.exists()


def a_run(path, case, isa="AVX2", **other):
    target = replace(header().targets[0], isa=isa)
    return write(path, header(targets=[target], **other), record(case))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ({"isa": "AVX2"}, {"isa": "AVX512"}, "instruction set AVX2 and AVX512"),
        ({"seed": 0}, {"seed": 7}, "seed 0 and 7"),
        ({"seed": None}, {"seed": 7}, "seed 0 and 7"),
    ],
)
@pytest.mark.parametrize("case", ["A-1/x", "B-1/x"])
def test_several_kernels_or_seeds_of_one_device_are_refused(
    tmp_path, capsys, first, second, told, case
):
    out = tmp_path / "out.jsonl"
    one = a_run(tmp_path / "1.jsonl", "A-1/x", **first)
    two = a_run(tmp_path / "2.jsonl", case, **second)
    for command in (("merge", one, two, "--out", out, "--partial"), ("accept", one, two)):
        line = refused(capsys, *command)
        assert f"CPU (accuracy) has results of {told}, which cannot be joined" in line
        assert "`python -m reports compare`" in line
    assert not out.exists()


def test_shards_and_retries_of_one_machine_are_joined(tmp_path, capsys):
    paths = [
        a_run(tmp_path / f"{n}.jsonl", f"{name}-1/x", selection=Selection(shard=f"{n}/2"))
        for n, name in ((1, "A"), (2, "B"))
    ]
    again = a_run(tmp_path / "again.jsonl", "B-1/x")
    # A device that was absent tells nothing of its kernels.
    absent = a_run(tmp_path / "absent.jsonl", "C-1/x", isa="")
    merge(tmp_path / "out.jsonl", *paths, again, absent)
    assert capsys.readouterr().err == ""
    assert len(load(tmp_path / "out.jsonl").records) == 3


def test_shards_of_machines_with_other_kernels_are_merged_and_make_no_baseline(tmp_path, capsys):
    paths = [
        a_run(
            tmp_path / f"{n}.jsonl",
            f"{name}-1/x",
            isa,
            processor=f"a processor with {isa}",
            selection=Selection(shard=f"{n}/2"),
        )
        for n, name, isa in ((1, "A", "AVX2"), (2, "B", "AVX512"))
    ]
    out = tmp_path / "out.jsonl"
    merge(out, *paths)
    assert capsys.readouterr().err == (
        "note: CPU (accuracy): shards of different instruction sets, AVX2 and AVX512\n"
    )
    line = refused(capsys, "accept", out)
    assert "CPU (accuracy) has shards of different instruction sets, AVX2 and AVX512" in line


def test_machines_that_are_told_apart_have_kernels_and_seeds_of_their_own(tmp_path, capsys):
    paths = [
        a_run(tmp_path / f"{seed}.jsonl", "A-1/x", isa, seed=seed, processor=f"a processor {isa}")
        for seed, isa in enumerate(("AVX2", "AVX512"))
    ]
    merge(tmp_path / "out.jsonl", *paths)
    assert capsys.readouterr().err == ""
    assert len(load(tmp_path / "out.jsonl").targets()) == 2


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


@pytest.mark.parametrize("where", ["file", "folder", "device", "whole", "fifo"])
def test_a_symbolic_link_out_of_a_failure_folder_is_not_followed(tmp_path, capsys, where):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "manifest.json").write_text("secret")
    folder = tmp_path / "one.failures" / "CPU" / "a"
    folder.parent.mkdir(parents=True)
    if where == "whole":
        folder.symlink_to(secret)
    elif where == "device":
        folder.parent.rmdir()
        (secret / "a").mkdir()
        folder.parent.symlink_to(secret)
    else:
        folder.mkdir()
        (folder / "manifest.json").write_text("{}")
        if where == "fifo":
            os.mkfifo(folder / "model.xml")
        else:
            target = secret if where == "folder" else secret / "manifest.json"
            (folder / "model.xml").symlink_to(target)
    path = write(tmp_path / "one.jsonl", header(), record("A-1/x", "FAIL", folder="CPU/a"))
    merge(tmp_path / "all" / "out.jsonl", path)
    assert "not copied" in capsys.readouterr().err
    assert not list((tmp_path / "all").rglob("out.failures/CPU/a"))
    assert "secret" not in [
        path.read_text() for path in tmp_path.glob("all/**/*") if path.is_file()
    ]


# --- parts of a run ---------------------------------------------------------------------------------------------------


def shard(path, number, count, *cases, **changes):
    chosen = {name: changes.pop(name) for name in ("operations", "depth") if name in changes}
    selection = Selection(shard=f"{number}/{count}", **chosen)
    head = header(selection=selection, processor=f"machine {number}", **changes)
    return write(path, head, *map(record, cases))


def refused(capsys, *arguments):
    assert main(list(map(str, arguments))) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.fixture
def thirds(tmp_path):
    return [shard(tmp_path / f"{n}.jsonl", n, 3, f"{name}-1/x") for n, name in enumerate("ABC", 1)]


def test_a_missing_shard_is_refused_and_named(thirds, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    line = refused(capsys, "merge", thirds[0], thirds[2], "--out", out)
    assert "CPU (accuracy): shard 2 of 3 missing; --partial merges" in line
    assert not out.exists()
    assert main(["merge", str(thirds[0]), str(thirds[2]), "--out", str(out), "--partial"]) == 0
    assert capsys.readouterr().err == "note: CPU (accuracy): shard 2 of 3 missing\n"
    # The merged file knows it, and so do its summary, page and further merges.
    for command in (["summary", out], ["summary", out, "--markdown"]):
        assert main(list(map(str, command))) == 1
        assert "Part of the cases: shard 2 of 3 missing" in capsys.readouterr().out
    assert main(["html", str(out), "--out", str(tmp_path / "page.html")]) == 0
    assert "Part of the cases: shard 2 of 3 missing" in (tmp_path / "page.html").read_text()
    capsys.readouterr()
    assert "shard 2 of 3" in refused(capsys, "merge", out, "--out", tmp_path / "again.jsonl")
    merge(tmp_path / "again.jsonl", out, thirds[1])
    assert main(["summary", str(tmp_path / "again.jsonl")]) == 0
    assert "Part of the cases" not in capsys.readouterr().out


def test_the_same_file_twice_is_refused(thirds, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    line = refused(capsys, "merge", thirds[0], thirds[0], "--out", out, "--partial")
    assert line.endswith("1.jsonl: is given twice")
    link = tmp_path / "2nd.jsonl"
    link.symlink_to(thirds[0])
    line = refused(capsys, "merge", *thirds, link, "--out", out)
    assert "2nd.jsonl: is given twice, as " in line
    assert not out.exists()


def test_a_shard_that_was_cut_off_is_refused_until_it_is_resumed(thirds, tmp_path, capsys):
    shard(tmp_path / "2.jsonl", 2, 3, "B-1/x", ended=NOT_ENDED)
    line = refused(capsys, "merge", *thirds, "--out", tmp_path / "out.jsonl")
    assert "shard 2 of 3 cut off; --partial" in line
    ended = shard(
        tmp_path / "rest.jsonl", 2, 3, "B-1/y", resumed=True, ended="2026-01-02T03:04:05Z"
    )
    merge(tmp_path / "out.jsonl", *thirds, ended)


def test_a_line_that_was_cut_off_is_left_out_where_a_part_is_merged(thirds, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    shard(tmp_path / "2.jsonl", 2, 3, "B-1/x", "B-1/y", ended=NOT_ENDED)
    thirds[1].write_bytes(thirds[1].read_bytes()[:-20])
    assert "the last line is cut off" in refused(capsys, "merge", *thirds, "--out", out)
    assert main(["merge", *map(str, thirds), "--out", str(out), "--partial"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"note: {thirds[1]}: the last line is cut off and was left out",
        "note: CPU (accuracy): shard 2 of 3 cut off",
    ]
    assert [each.case for each in load(out).records] == ["A-1/x", "B-1/x", "C-1/x"]


def test_a_file_without_a_case_is_refused(tmp_path, capsys):
    out, empty = tmp_path / "out.jsonl", write(tmp_path / "1.jsonl", header())
    line = refused(capsys, "merge", empty, "--out", out, "--partial")
    assert line.endswith("1.jsonl: has no case; nothing was tested")
    other = write(tmp_path / "2.jsonl", header(), record())
    line = refused(capsys, "merge", empty, other, "--out", out)
    assert line.endswith("1.jsonl: has no case; --partial merges what there is")
    assert not out.exists()
    assert main(["merge", str(empty), str(other), "--out", str(out), "--partial"]) == 0
    assert capsys.readouterr().err == f"note: {empty}: has no case\n"


def test_a_shard_of_few_cases_may_have_none(tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    shards = [shard(tmp_path / "1.jsonl", 1, 2, "A-1/x"), shard(tmp_path / "2.jsonl", 2, 2)]
    assert main(["merge", *map(str, shards), "--out", str(out)]) == 0
    assert capsys.readouterr().err == ""
    assert [each.case for each in load(out).records] == ["A-1/x"]


def test_a_run_that_was_cut_off_says_so(tmp_path, capsys):
    path = write(tmp_path / "one.jsonl", header(ended=NOT_ENDED), record())
    assert main(["summary", str(path)]) == 1
    told = capsys.readouterr().out
    assert told.startswith("INCOMPLETE: CPU (accuracy): cut off before its end\n")
    assert "Part of the cases: cut off before its end" in told
    assert main(["summary", str(path), "--partial"]) == 0


def test_a_selection_can_be_merged_and_is_named(tmp_path, capsys):
    path = shard(tmp_path / "1.jsonl", 1, 1, "A-1/x", operations=["A-1"])
    merge(tmp_path / "out.jsonl", path)
    assert main(["summary", str(tmp_path / "out.jsonl")]) == 0
    assert "Part of the cases: operation A-1\n" in capsys.readouterr().out
    # Added to a run of everything it is no part any more.
    merge(tmp_path / "all.jsonl", path, write(tmp_path / "whole.jsonl", header(), record("B-1/x")))
    assert main(["summary", str(tmp_path / "all.jsonl")]) == 0
    assert "Part of the cases" not in capsys.readouterr().out


def test_shards_of_another_depth_do_not_stand_for_each_other(tmp_path, capsys):
    one = shard(tmp_path / "1.jsonl", 1, 2, "A-1/x", depth="single")
    two = shard(tmp_path / "2.jsonl", 2, 2, "A-1/y", depth="pairs")
    line = refused(capsys, "merge", one, two, "--out", tmp_path / "out.jsonl")
    assert "shard 2 of 2 missing" in line
    assert "shard 1 of 2 missing" in line


def test_the_summary_says_at_which_depth_the_cases_were_asked(tmp_path, capsys):
    path = write(tmp_path / "1.jsonl", header(selection=Selection(depth="pairs")), record())
    assert main(["summary", str(path)]) == 0
    assert "in 1 case at depth pairs on CPU (accuracy)" in capsys.readouterr().out
    assert main(["html", str(path), "--out", str(tmp_path / "page.html")]) == 0
    assert "CPU (accuracy) at depth pairs, OpenVINO" in (tmp_path / "page.html").read_text()


def test_a_shard_of_one_device_does_not_stand_for_another(tmp_path, capsys):
    one = shard(tmp_path / "1.jsonl", 1, 2, "A-1/x", devices=["CPU"])
    two = shard(tmp_path / "2.jsonl", 2, 2, "A-1/x", devices=["GPU"])
    line = refused(capsys, "merge", one, two, "--out", tmp_path / "out.jsonl")
    assert "CPU (accuracy): shard 2 of 2 missing; GPU (accuracy): shard 1 of 2 missing" in line


@pytest.mark.parametrize("text", ["1/999999999999", "x", "/", "0/0", "-1/-1"])
def test_a_shard_that_cannot_be_does_not_hang_the_merge(tmp_path, capsys, text):
    path = write(tmp_path / "1.jsonl", header(selection=Selection(shard=text)), record())
    assert main(["merge", str(path), "--out", str(tmp_path / "o.jsonl"), "--partial"]) == 0


def test_merged_lines_fit_the_schema(shards, tmp_path, capsys):
    merge(tmp_path / "out.jsonl", *shards)
    schema = json.loads(SCHEMA_FILE.read_text())
    for line in (tmp_path / "out.jsonl").read_text().splitlines():
        jsonschema.validate(json.loads(line), schema)
