"""The documents of support that the suite ships: one for each baseline, small, labelled, and as the baseline says."""

from __future__ import annotations

import json

import jsonschema
import pytest

from ir_models import models
from reports.__main__ import main
from reports.gate import baseline_files
from reports.support.measured import SCHEMA_FILE
from reports.support.sources import SHIPPED, document_of, documented, of_baseline, read

FOLDERS = documented(models)
NAMES = [f"{folder.parent.name}-{folder.name}" for folder in FOLDERS]
STALE = "run `python -m reports support --write`"


def test_each_baseline_has_a_document_and_no_other_is_there():
    assert FOLDERS
    assert {*SHIPPED.glob("*.json")} == {document_of(folder) for folder in FOLDERS}, STALE


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("releases/*")), ids=lambda path: path.name)
def test_a_document_of_an_earlier_release_is_small_and_named_by_what_was_run(path):
    assert path.stat().st_size < 200_000
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA_FILE.read_text()))
    (source,) = read([path], models)
    support = source.support
    assert path.name == f"{support.device}-{'.'.join(support.openvino.split('.')[:2])}.json"
    assert (support.profile, support.isa) == ("accuracy", "avx2")
    assert support.operations.keys() <= {*models.operation_names()}


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_document_is_small_and_fits_the_schema_and_the_run(folder):
    path = document_of(folder)
    assert path.stat().st_size < 200_000
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA_FILE.read_text()))
    (source,) = read([path], models)
    run = baseline_files.read_run(folder)
    support = source.support
    assert (support.device, support.profile, support.openvino, support.depth) == (
        run.device, run.profile, run.openvino, run.depth
    ), STALE  # fmt: skip
    assert support.full_name == run.full_name, STALE
    assert support.compile_only == run.compile_only
    if run.compile_only:
        rows = [row for one in support.operations.values() for row in one.cells.values()]
        assert not any("conforms" in row for row in rows), "no value was seen"
    if run.device == "GPU":
        assert "generic kernels, on " in support.full_name, "it says that it is no Intel GPU"


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_an_operation_of_a_document_is_as_the_baseline_says(folder):
    (shipped,) = read([document_of(folder)], models, ["Split-1"])
    now = of_baseline(folder, models, ["Split-1"])
    own, other = (each.support.operations.get("Split-1") for each in (shipped, now))
    assert (own is None) == (other is None), STALE
    if own is not None and other is not None:
        assert (own.passed, own.asked) == (other.passed, other.asked), STALE
        assert {cell: own.state_of(cell) for cell in own.names()} == {
            cell: other.state_of(cell) for cell in other.names()
        }, STALE


def test_the_json_of_a_shipped_device_is_the_document(capsys):
    assert main(["support", "--device", "NPU", "--format", "json"]) == 0
    (folder,) = baseline_files.folders_of("NPU")
    assert capsys.readouterr().out == document_of(folder).read_text()


def test_writing_takes_no_source(capsys):
    for given in (["x.jsonl"], ["--device", "CPU"], ["--out", "x"]):
        assert main(["support", "--write", *given]) == 2
        assert "--write takes no source" in capsys.readouterr().err
