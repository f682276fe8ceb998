"""``python -m reports support``: what it prints, and how it refuses."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial

import numpy as np
import pytest

from reports.__main__ import main
from reports.gate import baseline_files
from tests.planted.small_model import SmallModel, network
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import HOSTILE, header, record, write

PLAIN = "Gather-8/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
F64 = "Gather-8/type/f64[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"


@pytest.fixture
def results(tmp_path):
    records = [
        record(PLAIN),
        record(F64, "REFUSED", cause="no-f64"),
        record(f"{PLAIN}/shape=dims", "CRASH", cause="dies"),
        record("Abs-1/plain/f32[2,3]/-"),
    ]
    return write(tmp_path / "CPU.jsonl", header(), *records)


def said(capsys, *arguments):
    assert main(["support", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_operations_are_counted_and_few_of_them_are_shown_cell_by_cell(results, tmp_path, capsys):
    few = said(capsys, results)
    assert re.search(r"type T +refused +f64 \(0/1\) +no-f64", few)
    assert re.search(r"type T +conforms +f32 \(1\)", few)
    assert re.search(r"dimensions +not asked +some unknown, bounded, rank unknown", few)
    one = said(capsys, results, "--operation", "Gather")
    assert "Abs-1" not in one
    names = ("Abs-1", "Exp-1", "Log-1", "Tanh-1")
    many = [record(f"{name}/plain/f32[2,3]/-") for name in names]
    table = said(capsys, write(tmp_path / "many.jsonl", header(), *many))
    assert re.search(r"operation +conforms +not asked +combinations +cases", table)
    assert "--operation NAME prints the cells" in table
    assert max(map(len, table.splitlines())) < 120


def test_csv_has_a_row_for_each_cell_and_html_and_markdown_are_written(results, capsys):
    rows = list(csv.DictReader(io.StringIO(said(capsys, results, "--format", "csv"))))
    (row,) = [row for row in rows if row["operation"] == "Gather-8" and row["value"] == "f64"]
    assert (row["operation"], row["state"], row["asked"], row["departing"], row["causes"]) == (
        "Gather-8", "refused", "1", "1", "no-f64",
    )  # fmt: skip
    assert {row["state"] for row in rows} == {"conforms", "refused", "unsafe", "not asked"}
    assert "| type T | refused |" in said(capsys, results, "--format", "md")
    assert said(capsys, results, "--format", "html").startswith("<!DOCTYPE html>")


def test_hostile_names_stay_text(tmp_path, capsys):
    target = header(devices=[HOSTILE])
    path = write(
        tmp_path / "a.jsonl", target, record(PLAIN, "REFUSED", device=HOSTILE, cause=HOSTILE)
    )
    assert "<script>alert" not in said(capsys, path, "--format", "html")
    formula = write(tmp_path / "b.jsonl", header(devices=["=1+1"]), record(PLAIN, device="=1+1"))
    assert "\n'=1+1,accuracy" in said(capsys, formula, "--format", "csv")


def test_a_document_is_a_source_as_results_are(results, tmp_path, capsys):
    path = tmp_path / "cpu.json"
    said(capsys, results, "--format", "json", "--out", path)
    assert json.loads(path.read_text())["support"] == 2
    said(capsys, results, "--format", "json", "--out", path)  # an earlier one is replaced
    assert said(capsys, path, "--format", "csv") == said(capsys, results, "--format", "csv")
    assert "0 cells lost, 0 gained" in said(capsys, path, "--against", results)


def test_what_was_lost_and_what_is_common(results, tmp_path, capsys):
    other = write(
        tmp_path / "GPU.jsonl", header(devices=["GPU"]), record(PLAIN, "FAIL", device="GPU"), record(F64, device="GPU")
    )  # fmt: skip
    text = said(capsys, other, "--against", results)
    assert re.search(r"lost +Gather-8 +type T=f32 +conforms +wrong", text)
    assert re.search(r"gained +Gather-8 +type T=f64 +refused +conforms +no-f64", text)
    shared = said(capsys, results, other, "--common", "--format", "json")
    (device,) = json.loads(shared)["devices"]
    assert device["device"] == "CPU and GPU"
    assert list(device["operations"]) == ["Gather-8"]
    rows = said(capsys, other, "--against", results, "--format", "csv").splitlines()
    assert rows[0] == "change,operation,cell,there,here,causes"


def test_results_are_compared_with_a_document_by_what_both_tell(tmp_path, capsys):
    f16 = PLAIN.replace("plain/f32", "type/f16")
    path = write(tmp_path / "CPU.jsonl", header(), record(PLAIN), record(f16),
                 record(f"{f16}/values=special", "FAIL"))  # fmt: skip
    document = tmp_path / "cpu.json"
    assert main(["support", str(path), "--format", "json", "--out", str(document)]) == 0
    for sides in ((document, path), (path, document)):
        assert "0 cells lost, 0 gained; 0 were" in said(capsys, sides[0], "--against", sides[1])


def test_cells_are_chosen_by_state_type_and_dimensions(results, tmp_path, capsys):
    def chosen(*arguments):
        rows = csv.DictReader(io.StringIO(said(capsys, results, "--format", "csv", *arguments)))
        return [(row["operation"], row["row"], row["value"], row["state"]) for row in rows]

    assert chosen("--type", "f64", "--state", "refused") == [
        ("Gather-8", "type T", "f64", "refused")
    ]
    assert chosen("--dimensions", "unknown", "--state", "unsafe") == [
        ("Gather-8", "dimensions", "unknown", "unsafe")
    ]
    assert chosen("--type", "f64", "--state", "unsafe") == []
    text = said(capsys, results, "--state", "unsafe")
    assert re.search(r"Gather-8 +dimensions=unknown +unsafe +0/1 +dies", text)
    assert "f64" not in text
    assert "No cell is left" in said(capsys, results, "--state", "wrong")
    other = write(tmp_path / "b.jsonl", header(), record(PLAIN), record(F64))
    compared = said(capsys, results, "--against", other, "--type", "f64", "--state", "refused")
    assert re.search(r"lost +Gather-8 +type T=f64 +conforms +refused", compared)
    assert not re.search(r"lost +", said(capsys, results, "--against", other, "--type", "f16"))
    one = write(
        tmp_path / "c.jsonl", header(), record(PLAIN), record(f"{PLAIN}/shape=axis-1,before=abs"),
        record(f"{PLAIN}/shape=axis-2,behind=abs", "REFUSED", cause="near"),
    )  # fmt: skip
    told = "some unknown (conforms in 1 of 2; refused with way=neighbours)"
    assert told in said(capsys, one, "--operation", "Gather")
    assert "way=neighbours" in said(capsys, one, "--dimensions", "some unknown")


def test_a_cell_lists_the_cases_behind_it(results, capsys):
    text = said(capsys, results, "--operation", "Gather-8", "--cell", "type T=f64")
    assert "type T=f64 is refused" in text
    assert re.search(rf"refused +no-f64 +{re.escape(F64)}", text)
    assert PLAIN not in text
    rows = said(
        capsys, results, "--operation", "Gather-8", "--cell", "rank=4", "--format", "csv"
    ).splitlines()
    assert rows == ["device,profile,state,cause,besides,case", f'CPU,accuracy,conforms,,,"{PLAIN}"']


def test_a_case_is_looked_up_in_every_baseline(capsys):
    rows = list(csv.DictReader(io.StringIO(said(capsys, "--case", PLAIN, "--format", "csv"))))
    states = {(row["device"], row["profile"]): row["state"] for row in rows}
    assert len(rows) == len(list(baseline_files.DIRECTORY.glob("*/*/run.toml")))
    assert states["CPU", "accuracy"] == "conforms"
    assert states["NPU", "npu=NPU4000"] == "compiles"
    text = said(capsys, "--case", "Exp-1/type/bf16[2,3,5,4]/-", "--device", "NPU")
    assert re.search(r"NPU +npu=NPU4000 +2026.4 +refused +REFUSED: .* npu-element-types +NPU", text)
    invented = PLAIN.replace("[3,2,6,5]", "[3,2,61,5]")
    assert "not asked" in said(capsys, "--case", invented, "--device", "NPU")


def test_a_software_gpu_says_so_and_the_profile_that_was_taken(capsys):
    assert main(["support", "--device", "GPU", "--state", "unsafe", "--dimensions", "unknown"]) == 0
    out, err = capsys.readouterr()
    assert "software OpenCL (PoCL (CPU), queues in order; no f16)" in out
    assert "profile opencl=pocl-in-order; --profile chooses another: opencl=pocl, " in err


def test_the_layers_of_a_model_are_told_the_worst_first(results, tmp_path, capsys):
    m = SmallModel()
    x, index = m.parameter("x", "2,3", "f32"), m.constant(np.array([0]), "i64")
    axis = m.constant(np.array(0), "i64")
    gather = m.layer("Gather", x, index, axis, opset="opset8", name="the gather", batch_dims="0")
    m.result(m.layer("Mine", gather, opset="extension", name="own"))
    path = m.write(tmp_path)
    text = said(capsys, path, "--results", results)
    assert "2 layers: 2 not known. Nothing was run; CPU.jsonl." in text
    assert "never tested: constants=all but first, rank=2" in text
    assert "the specification has no page for the operation" in text
    rows = list(csv.DictReader(io.StringIO(said(capsys, results, path, "--format", "csv"))))
    assert [(row["layer"], row["state"]) for row in rows] == [
        ("the gather", "not known"), ("own", "not known"),
    ]  # fmt: skip


def test_the_shipped_baseline_answers_where_no_results_are_given(tmp_path, capsys):
    assert "NPU (npu=NPU4000)" in said(capsys, "--device", "NPU", "--operation", "Split")
    text = said(capsys, network(tmp_path), "--device", "NPU")
    assert "8 layers: " in text
    assert "baseline NPU 2026.4-NPU4000" in text


def test_what_cannot_be_used_is_said_in_one_line(results, tmp_path, capsys):
    refused = partial(refusal, capsys, main, "python -m reports support", "support")
    assert "give results" in refused()
    assert "ships no baseline of device 'TPU'" in refused("--device", "TPU")
    assert "no baseline of profile 'x'; it has" in refused("--device", "CPU", "--profile", "x")
    assert "no support of GPU there" in refused(results, "--device", "GPU")
    assert "no case of operation Nothing" in refused(results, "--operation", "Nothing")
    assert "exclude each other" in refused(results, "--common", "--against", results)
    assert "written as text" in refused(results, "--against", results, "--format", "json")
    assert "no type 'f17'; there are " in refused(results, "--type", "f17")
    assert "no dimensions 'odd'" in refused(results, "--dimensions", "odd")
    assert "written as text" in refused(results, "--type", "f16", "--format", "json")
    cell = partial(refused, results, "--cell", "type T=f64")
    assert "--cell goes with one --operation" in cell()
    assert "no case of operation Nothing" in cell("--operation", "Nothing")
    assert "Abs-1 has no cell 'rank=99'; rank has 0, 1" in refused(
        results, "--operation", "Abs-1", "--cell", "rank=99"
    )
    assert "has no cell 'x'; it has type T" in refused(
        results, "--operation", "Abs-1", "--cell", "x"
    )
    document = tmp_path / "cpu.json"
    said(capsys, results, "--format", "json", "--out", document)
    assert "a document has no cases" in refused(
        document, "--operation", "Abs-1", "--cell", "rank=2"
    )
    for bad, why in (
        ("x", "malformed case id 'x'"),
        ("Nothing-1/plain/f32[2]/-", "unknown operation 'Nothing-1'"),
        (f"{PLAIN}/shape=odd", "shape is one of dims, "),
    ):
        assert why in refused("--case", bad)
    assert "it goes with --device and --profile alone" in refused(results, "--case", PLAIN)
    assert "ships no baseline of TPU" in refused("--case", PLAIN, "--device", "TPU")
    both = write(
        tmp_path / "two.jsonl",
        header(devices=["CPU", "GPU"]),
        record(PLAIN),
        record(PLAIN, device="GPU"),
    )
    assert "name one --device" in refused(both, "--against", results)
    for text in ("{", '{"support": 1, "devices": []}', '{"devices": []}', "[]"):
        bad = tmp_path / "bad.json"
        bad.write_text(text)
        assert "is no support of version 2" in refused(bad)
    assert "cannot be read" in refused(tmp_path / "missing.json")
    assert "cannot be read" in refused(tmp_path / "missing.jsonl")
    assert "run.toml" in refused(tmp_path)


def test_a_model_that_cannot_be_read_is_said_in_one_line(results, tmp_path, capsys):
    refused = partial(refusal, capsys, main, "python -m reports support", "support", results)
    (tmp_path / "no.xml").write_text("<net")
    (tmp_path / "model.onnx").write_bytes(b"no model \xa1")
    assert "not XML" in refused(tmp_path / "no.xml")
    assert "there is no such file" in refused(tmp_path / "missing.xml")
    assert "OpenVINO does not read it" in refused(tmp_path / "model.onnx")
    path = network(tmp_path)
    assert "one model at a time" in refused(path, path)
    assert "--operation does not go with a model" in refused(path, "--operation", "Add")
    (tmp_path / "none.xml").write_text('<net name="x" version="11"><layers/><edges/></net>')
    assert "has no layer" in refused(tmp_path / "none.xml")
    edge = tmp_path / "edge.xml"
    edge.write_text(re.sub('from-layer="[^"]*"', 'from-layer="999"', path.read_text()))
    assert "no layer has the id '999'" in refused(edge)
