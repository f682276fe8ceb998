"""Results files: read, checked, joined, written and resumed."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.results import schema as module
from reports.results.facts_of_departures import Facts
from reports.results.files.conflicts import join, single_results
from reports.results.files.reading import Results, load
from reports.results.files.writer import ResultsWriter
from reports.results.records import NOT_ENDED, ResultsError, Selection, Target, WorstElement
from tests.unit.reports.small_results import HOSTILE, as_json, header, record, write


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "results.jsonl"


def test_load_returns_headers_and_records_with_defaults(path):
    required = "case operation purpose device profile outcome detail seconds kernel precision gate"
    line = as_json(record())
    minimal = {"kind": "case", **{name: line[name] for name in required.split()}}
    results = load(write(path, header(), minimal, record("B-1/x", "FAIL")))
    assert [run.openvino for run in results.runs] == ["2026.4.1-21000-abc"]
    assert [one.outcome for one in results.records] == ["PASS", "FAIL"]
    first = results.records[0]
    assert (first.worst, first.folder, first.category) == (None, "", "")


def test_a_later_line_of_a_run_replaces_an_earlier_one(path):
    again = header(resumed=True)
    write(path, header(), record(outcome="CRASH"), record("B-1/x"), again, record())
    results = load(path)
    assert [(one.case[0], one.outcome) for one in results.records] == [
        ("S", "PASS"),
        ("B", "PASS"),
    ]
    assert len(results.runs) == 2


@pytest.mark.parametrize("order", [1, -1])
def test_files_written_one_after_the_other_hide_no_departure(path, order):
    """Whatever their order is: `cat fails.jsonl passes.jsonl` is as both files."""
    runs = [[header(), record(outcome="FAIL")], [header(), record()]]
    write(path, *(line for run in runs[::order] for line in run))
    (joined,) = load(path).records
    assert (joined.outcome, [one.outcome for one in joined.conflicts]) == ("FAIL", ["PASS"])
    with pytest.raises(ResultsError, match=r"several runs.*reports merge"):
        ResultsWriter.resume(path, header())


def test_device_and_profile_are_part_of_the_identity(path):
    lines = [record(device=device, profile=one) for device in "AB" for one in ("x", "y")]
    assert len(load(write(path, header(), *lines)).records) == 4


def test_unknown_keys_are_ignored(path):
    lines = [{**as_json(line), "moon": [1, {"a": None}]} for line in (header(), record())]
    results = load(write(path, *lines))
    assert (results.runs, results.records) == ([header()], [record()])


def without(line, name):
    return {key: value for key, value in as_json(line).items() if key != name}


@pytest.mark.parametrize(
    "lines, line, message",
    [
        ([record()], ":1", "first line must be a run's header"),
        ([header(schema=1)], ":1", "results of schema 1; this version of the suite reads schema 3"),
        ([header(schema=True)], ":1", "results of schema true"),
        ([without(header(), "schema")], ":1", "results of schema null"),
        ([without(header(), "openvino")], ":1", "missing required field `openvino`"),
        ([header(targets={})], ":1", "expected `array`, got `object` - at `$.targets`"),
        ([header(targets=[3])], ":1", "expected `object`, got `int` - at `$.targets[0]`"),
        ([header(targets=[{"device": "CPU"}])], ":1", "field `profile` - at `$.targets[0]`"),
        ([header(merged=3)], ":1", "`$.merged`"),
        ([header(merged=[record()])], ":1", "invalid value 'case' - at `$.merged[0].kind`"),
        ([header(), 3], ":2", "expected `object`, got `int`"),
        ([header(), {"kind": "moon"}], ":2", "invalid value 'moon' - at `$.kind`"),
        ([header(), record(), without(record(), "gate")], ":3", "required field `gate`"),
        ([header(), record(outcome="BAD")], ":2", "invalid enum value 'BAD' - at `$.outcome`"),
        ([header(), record(gate="red")], ":2", "invalid enum value 'red' - at `$.gate`"),
        ([header(), record(seconds="1")], ":2", "expected `float`, got `str` - at `$.seconds`"),
        ([header(), record(seconds=True)], ":2", "expected `float`, got `bool` - at `$.seconds`"),
        ([header(), record(detail=None)], ":2", "expected `str`, got `null` - at `$.detail`"),
        ([header(), record(worst={"index": "0"})], ":2", "`$.worst.index`"),
        ([header(), record(worst={"low": 1.5})], ":2", "expected `str`, got `float`"),
        ([header(), record("", operation="A")], ":2", "at `$.case`"),
        (
            [header(), as_json(record()) | {"conflicts": [as_json(record("B-1/x"))]}],
            ":2",
            "same case",
        ),
        ([header(), record(fraction=math.nan)], ":2", "NaN is not a JSON number"),
    ],
)
def test_a_wrong_line_is_named_with_its_number(path, lines, line, message):
    write(path, *lines)
    with pytest.raises(ResultsError) as caught:
        load(path)
    assert f"{path}{line}: " in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_an_empty_file_is_an_error(path, content):
    path.write_bytes(content)
    with pytest.raises(ResultsError, match="empty"):
        load(path)


def test_a_file_that_is_not_there(path):
    with pytest.raises(ResultsError, match="cannot be read: No such file"):
        load(path)
    with pytest.raises(ResultsError, match="no results file"):
        load([])


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"{]\n"])
def test_what_is_not_json_is_named_with_its_line(path, content):
    write(path, header())
    with path.open("ab") as file:
        file.write(content)
    with pytest.raises(ResultsError, match=r"results.jsonl:2: not JSON"):
        load(path)


def test_a_cut_line_is_an_error_that_says_how_to_go_on(path):
    write(path, header(), record(), record("B-1/x"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ResultsError, match=r"jsonl:3: the last line is cut off.*--resume"):
        load(path)


def test_a_file_that_is_no_text_was_not_cut_off(path):
    path.write_bytes(b"\x7fELF\x02\x01\x01\xd0")
    with pytest.raises(ResultsError, match=r"jsonl:1: not JSON"):
        load(path)


def test_of_the_same_case_in_two_files_the_worst_stands_and_the_other_is_kept(tmp_path):
    good = write(tmp_path / "a.jsonl", header(), record(folder="good"))
    bad = write(tmp_path / "b.jsonl", header(), record(outcome="CRASH", folder="bad"))
    for paths in ([good, bad], [bad, good]):
        results = load(paths)
        (one,) = results.records
        assert one.outcome == "CRASH"
        assert [other.outcome for other in one.conflicts] == ["PASS"]
        assert results.folder(one) == tmp_path / "b.failures" / "bad"


def test_a_red_departure_stands_before_a_worse_outcome_that_is_known():
    known = record(outcome="CRASH", gate="known")
    assert join([known, record(outcome="FAIL")]).outcome == "FAIL"


def test_results_that_agree_are_no_conflict():
    joined = join([record(seconds=2.0), record(seconds=1.0)])
    assert joined.seconds == 1.0
    assert joined.conflicts == []


def test_a_number_in_the_words_of_a_refusal_is_no_conflict():
    def refused(number, message="Unsupported node"):
        facts = Facts(stage="compile", kind="message", message=message)
        return record(outcome="REFUSED", detail=f"at compile: Node_{number}", facts=facts)

    assert join([refused(1), refused(2)]).conflicts == []
    assert len(join([refused(1), refused(2, "other")]).conflicts) == 1


def test_the_words_of_a_pass_are_no_conflict():
    passed = [record(detail=f"refused at read: node 'AvgPool_{n}'") for n in (9, 10)]
    assert join(passed).conflicts == []
    assert len(join([*passed, record(outcome="FAIL")]).conflicts) == 1


def test_joining_is_the_same_in_any_order_and_grouping():
    variants = [
        record(seconds=2.0),
        record(outcome="FAIL", detail="a"),
        record(outcome="FAIL", detail="b"),
        record(outcome="CRASH", gate="known"),
        record(seconds=1.0),
        record(outcome="FAIL", detail="a", digest="0b"),
        record(outcome="FAIL", detail="a", digest="0a", seconds=3.0),
        record(outcome="FAIL", detail="b", digest="0c~1", seconds=3.0),
        record(outcome="FAIL", detail="b", digest="0d~1", seconds=4.0),
        record(outcome="FAIL", detail="c", digest="0c~1", seconds=3.0),
        record(outcome="FAIL", detail="c", digest="0c~2", seconds=4.0),
        record(outcome="FAIL", detail="c", digest="0c~", seconds=5.0),
    ]
    whole = join(variants)
    digests = {one.detail: one.digest for one in single_results(whole) if one.outcome == "FAIL"}
    assert (len(whole.conflicts), digests) == (4, {"a": "0a~", "b": "0c~1", "c": "0c~-"})
    draw = random.Random(1)
    for _ in range(50):
        draw.shuffle(variants)
        place = draw.randrange(1, len(variants))
        parts = join(variants[:place]), join(variants[place:])
        assert join(parts) == whole
        assert join([whole, *parts, whole]) == whole


def test_facts_about_targets():
    results = Results([header("2025.4.0-1"), header("2026.4.1-2", devices=("GPU",))])
    assert results.header("CPU", "accuracy").openvino == "2025.4.0-1"
    assert results.header("GPU", "accuracy").openvino == "2026.4.1-2"
    assert results.header("NPU", "accuracy").openvino == "2026.4.1-2"
    assert results.openvino_versions() == ["2025.4.0", "2026.4.1"]


class TestWriter:
    def test_each_line_is_in_the_file_before_the_next(self, path):
        with ResultsWriter.create(path, header()) as writer:
            assert len(load(path).records) == 0
            writer.append(record())
            assert len(load(path).records) == 1
            assert writer.finished == {record().key[:3]}

    def test_hostile_text_comes_back_as_it_was(self, path):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/" + HOSTILE, detail=HOSTILE, layer_xml=HOSTILE))
        (one,) = load(path).records
        assert one.case == "A-1/" + HOSTILE
        assert one.detail == one.layer_xml == HOSTILE
        assert path.read_bytes().count(b"\n") == 2

    @pytest.mark.parametrize(
        "fraction, written",
        [(math.inf, sys.float_info.max), (-math.inf, -sys.float_info.max), (math.nan, None)],
    )
    def test_a_fraction_that_json_lacks(self, path, fraction, written):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record(fraction=fraction))
        assert load(path).records[0].fraction == written

    @pytest.mark.parametrize(
        "changes",
        [{"gate": "red"}, {"worst": {"low": 1.5}}, {"wrong": [1]}, {"seconds": math.nan}],
    )
    def test_a_record_that_breaks_the_schema_is_refused_and_not_written(self, path, changes):
        with ResultsWriter.create(path, header()) as writer:
            with pytest.raises(ResultsError):
                writer.append(record(**changes))
            writer.append(record("B-1/x"))
        assert [one.case for one in load(path).records] == ["B-1/x"]

    def test_create_keeps_the_previous_results_with_their_folders(self, path):
        for case in ("A-1/x", "B-1/x", "C-1/x"):
            with ResultsWriter.create(path, header()) as writer:
                writer.append(record(case))
            (path.with_name("results.failures") / case).mkdir(parents=True)
        assert load(path).records[0].case == "C-1/x"
        previous = path.with_name("results.previous.jsonl")
        assert load(previous).records[0].case == "B-1/x"
        assert (path.with_name("results.previous.failures") / "B-1/x").is_dir()
        assert not (path.with_name("results.previous.failures") / "A-1").exists()

    def test_results_are_kept_through_runs_without_any(self, path):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/x"))
        for _ in range(3):
            ResultsWriter.create(path, header()).close()
        previous = path.with_name("results.previous.jsonl")
        assert [one.case for one in load(previous).records] == ["A-1/x"]

    def test_resume_after_a_cut_at_any_byte(self, path):
        """Wherever kill -9 strikes, what had finished is finished and the rest can go on."""
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/x"))
            writer.append(record("B-1/x"))
        whole = path.read_bytes()
        ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
        for cut in range(len(whole) + 1):
            path.write_bytes(whole[:cut])
            with ResultsWriter.resume(path, header()) as writer:
                finished = {case for case, _, _ in writer.finished}
                writer.append(record("C-1/x"))
            # Complete without its newline is complete.
            done = sum(end - 1 <= cut for end in ends[1:])
            assert finished == {"A-1/x", "B-1/x"} - ({"A-1/x"} if done < 1 else set()) - (
                {"B-1/x"} if done < 2 else set()
            )
            assert {one.case for one in load(path).records} == finished | {"C-1/x"}

    def test_resume_marks_its_header(self, path):
        ResultsWriter.create(path, header()).close()
        ResultsWriter.resume(path, header()).close()
        assert [run.resumed for run in load(path).runs] == [False, True]

    def test_resume_starts_a_file_that_is_not_there(self, path):
        with ResultsWriter.resume(path, header()) as writer:
            assert writer.finished == set()
        assert not load(path).runs[0].resumed

    @pytest.mark.parametrize(
        "changes, told",
        [
            ({"openvino": "2025.4.0-1"}, "results of OpenVINO 2025.4.0-1, but this is 2026.4.1"),
            ({"suite": "0.0.9"}, "results of suite version 0.0.9, but this is 0.1.0"),
            ({"processor": "Arm"}, "results of processor Arm, but this is Some AMX processor"),
            (
                {"targets": [replace(header().targets[0], capabilities=["FP16"])]},
                "results of CPU with the capabilities FP16, but this is none",
            ),
            ({"seed": 7}, "results of seed 7, but this is 0"),
            ({"random": 3}, "results of --random 3, but this is 10"),
            ({"devices": ["CPU", "GPU"]}, r"results of targets CPU \(accuracy\), GPU"),
            ({"profiles": ["x"]}, r"results of targets CPU \(x\), but this is CPU \(accuracy\)"),
            (
                {"targets": [Target(device="CPU", profile="accuracy", driver="9")]},
                "of CPU as 9, but",
            ),
            (
                {"selection": Selection(operations=["A-1"])},
                "results of operations A-1, but this is all",
            ),
            ({"selection": Selection(purposes=["p"])}, "results of purposes p, but this is all"),
            ({"selection": Selection(shard="1/2")}, "results of shard 1/2, but this is 1/1"),
            (
                {"selection": Selection(depth="pairs")},
                "results of --depth pairs, but this is single",
            ),
            ({"selection": Selection(filters=["-k x"])}, "results of the selection -k x, but"),
        ],
    )
    def test_resume_refuses_another_run(self, path, changes, told):
        ResultsWriter.create(path, header(**changes)).close()
        before = path.read_bytes()
        with pytest.raises(ResultsError, match=told):
            ResultsWriter.resume(path, header())
        assert path.read_bytes() == before
        ResultsWriter.resume(path, header(**changes)).close()

    @pytest.mark.parametrize("resumed", [False, True])
    def test_the_end_of_a_run_is_written_over_the_blank_in_its_header(self, path, resumed):
        ResultsWriter.create(path, header(ended=NOT_ENDED)).close()
        make = ResultsWriter.resume if resumed else ResultsWriter.create
        with make(path, header(ended=NOT_ENDED)) as writer:
            writer.append(record("A-1/x"))
            writer.end("2026-01-02T03:04:05+00:00")
            writer.append(record("B-1/x"))
        results = load(path)
        assert results.runs[-1].ended == "2026-01-02T03:04:05+00:00"
        assert [one.case for one in results.records] == ["A-1/x", "B-1/x"]

    @pytest.mark.parametrize("resumed", [False, True])
    def test_a_run_whose_file_lost_lines_counts_as_cut_off(self, path, resumed):
        with ResultsWriter.create(path, header(ended=NOT_ENDED)) as writer:
            writer.append(record("A-1/x"))
            if not resumed:
                writer.append(record("B-1/x"))
                writer.end("2026-01-02T03:04:05+00:00")
        if resumed:
            with ResultsWriter.resume(path, header(ended=NOT_ENDED)) as writer:
                writer.append(record("B-1/x"))
                writer.end("2026-01-02T03:04:05+00:00")
        assert load(path).runs[-1].cases == 2
        assert load(path).runs[-1].ended == "2026-01-02T03:04:05+00:00"
        lines = path.read_text("ascii").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "B-1/x" not in line), "ascii")
        assert load(path).runs[-1].ended == NOT_ENDED

    @pytest.mark.parametrize("content", [b"my diary\n", b"my diary", b"a\nmy diary", b'{"a": 1}'])
    def test_resume_does_not_touch_a_file_that_is_no_results_file(self, path, content):
        path.write_bytes(content)
        with pytest.raises(ResultsError):
            ResultsWriter.resume(path, header())
        assert path.read_bytes() == content

    def test_a_folder_in_the_way(self, tmp_path):
        with pytest.raises(ResultsError, match="is a directory, which is never replaced"):
            ResultsWriter.resume(tmp_path, header())
        (tmp_path / "file").write_text("")
        with pytest.raises(ResultsError, match="cannot be written"):
            ResultsWriter.create(tmp_path / "file" / "results.jsonl", header())

    def test_each_case_has_one_line_when_the_file_is_rewritten(self, path):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/x"))
            writer.append(record("B-1/x", "FAIL"))
            assert not writer.has_repeated
            writer.append(record("A-1/x", "CRASH"))
            assert writer.has_repeated
            writer.rewrite(path, [record("B-1/x", "FAIL", "explained", explained_by="A-1/x")])
            assert not writer.has_repeated
            assert writer.is_at(path)
            # It goes on, and stays locked.
            writer.append(record("C-1/x"))
            with pytest.raises(ResultsError, match="writes it"):
                ResultsWriter.resume(path, header())
        assert len(path.read_text().splitlines()) == 4
        assert [(one.case, one.outcome, one.gate) for one in load(path).records] == [
            ("A-1/x", "CRASH", "new"),
            ("B-1/x", "FAIL", "new"),
            ("C-1/x", "PASS", "pass"),
        ]
        assert [child.name for child in path.parent.iterdir()] == [path.name]

    def test_a_resumed_file_knows_what_it_has(self, path):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/x"))
        with ResultsWriter.resume(path, header()) as writer:
            writer.append(record("A-1/x", "FAIL"))
            assert writer.has_repeated
            writer.rewrite(path, [])
        assert [line["kind"] for line in map(json.loads, path.read_text().splitlines())] == [
            "run",
            "case",
            "run",
        ]

    def test_without_room_a_file_is_as_it_was(self, path, monkeypatch):
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record("A-1/x"))
            before = path.read_bytes()

            def full(*_):
                raise OSError(28, "No space left on device")

            with monkeypatch.context() as patch:
                patch.setattr("reports.results.files.writer._write_all", full)
                with pytest.raises(OSError, match="No space"):
                    writer.rewrite(path, [record("A-1/x", "FAIL")])
            assert path.read_bytes() == before
            writer.append(record("B-1/x"))
        assert [one.case for one in load(path).records] == ["A-1/x", "B-1/x"]
        assert [child.name for child in path.parent.iterdir()] == [path.name]


class TestSchema:
    @pytest.fixture
    def schema(self):
        schema = json.loads(module.SCHEMA_FILE.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        return schema

    def test_the_published_file_is_current(self):
        assert module.SCHEMA_FILE.read_text() == module.as_text(), (
            "python -m reports schema --write"
        )

    def test_the_command_prints_it(self, capsys, tmp_path):
        assert main(["schema"]) == 0
        assert capsys.readouterr().out == module.as_text()
        assert main(["schema", "--out", str(tmp_path / "x.json")]) == 0
        assert (tmp_path / "x.json").read_text() == module.as_text()

    def test_fields_are_described(self, schema):
        fields = schema["$defs"]["CaseRecord"]["properties"]
        assert fields["fraction"]["description"].startswith("Largest error as a fraction")

    def test_lines_of_a_real_writer_fit(self, schema, path):
        worst = WorstElement(index=(0, 3), expected="1.5", actual="nan", low="1", high="2")
        with ResultsWriter.create(path, header()) as writer:
            writer.append(record(fraction=math.inf))
            writer.append(
                record("B-1/x", "FAIL", fraction=2.5, wrong=12, elements=840, worst=worst)
            )
        with ResultsWriter.resume(path, header(ended=NOT_ENDED)) as writer:
            writer.end("2026-01-02T03:04:05+00:00")
        for line in path.read_text().splitlines():
            jsonschema.validate(json.loads(line), schema)

    @pytest.mark.parametrize(
        "line",
        [
            record(gate="red"),
            record(seconds=True),
            record(worst=3),
            record(""),
            without(record(), "kernel"),
            without(header(), "schema"),
            header(targets=[{"device": "CPU"}]),
            header(schema=1),
            {"kind": "moon"},
        ],
    )
    def test_what_load_refuses_does_not_fit(self, schema, path, line):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(as_json(line), schema)
        with pytest.raises(ResultsError):
            load(write(path, header(), line))


def test_the_room_needs_neither_openvino_nor_pytest_nor_numpy(tmp_path):
    """Every command but the page's pictures runs where only the reports' own dependencies are."""
    write(tmp_path / "run.jsonl", header(), record(), record("B-1/x", "FAIL"))
    commands = [
        ["summary"],
        ["summary", "--markdown"],
        ["merge", "--out", "merged.jsonl"],
        ["export", "--format", "csv"],
        ["html", "--out", "page.html"],
        ["accept", "--baseline", "base"],
        ["compare", "run.jsonl"],
    ]
    code = (
        "import sys; sys.modules.update(openvino=None, pytest=None, numpy=None, ml_dtypes=None)\n"
        "from reports.__main__ import main\n"
        f"codes = [main([*c, 'run.jsonl']) for c in {commands!r}]\n"
        "assert max(codes) == 1, codes"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "1 unexpected departure (1 new) in 2 cases" in (tmp_path / "page.html").read_text()


def test_a_file_that_was_removed_is_written_again(tmp_path):
    path = tmp_path / "run" / "results.jsonl"
    with ResultsWriter.create(path, header()) as writer:
        writer.append(record("A-1/plain"))
        assert writer.is_at(path)
        path.unlink()
        path.parent.rmdir()
        assert not writer.is_at(path)
        assert writer.rescue(path)
    assert [one.case for one in load(path).records] == ["A-1/plain"]


def test_a_file_that_was_moved_or_replaced_is_told(tmp_path):
    path, elsewhere = tmp_path / "results.jsonl", tmp_path / "moved.jsonl"
    with ResultsWriter.create(path, header()) as writer:
        writer.append(record("A-1/plain"))
        path.rename(elsewhere)
        assert not writer.is_at(path)
        assert not writer.rescue(path)
        path.write_text("of somebody else")
        assert not writer.is_at(path)
        elsewhere.unlink()
        with pytest.raises(FileExistsError):
            writer.rescue(path)
    assert path.read_text() == "of somebody else"


def test_an_error_is_not_finished(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter.create(path, header()) as writer:
        writer.append(record("A-1/plain"))
        writer.append(record("B-1/plain", outcome="ERROR"))
        assert {case for case, _, _ in writer.finished} == {"A-1/plain"}
    with ResultsWriter.resume(path, header()) as writer:
        assert {case for case, _, _ in writer.finished} == {"A-1/plain"}
        writer.append(record("B-1/plain"))
    assert [(r.case, r.outcome) for r in load(path).records] == [
        ("A-1/plain", "PASS"),
        ("B-1/plain", "PASS"),
    ]
