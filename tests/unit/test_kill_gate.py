"""The trial of the gate: faults planted in results are seen, unless an expectation hides them."""

from __future__ import annotations

import numpy as np
import pytest

from devices.questions import prepare
from ir_models import parse
from reports.results.outcomes import Gate, Outcome
from reports.results.reading import Results
from reports.results.records import SCHEMA, CaseRecord, Header, Target
from tests.kill import gate
from tests.kill.__main__ import main

HEADER = Header(
    schema=SCHEMA,
    suite="0.1.0",
    openvino="2026.4.1-1-abc",
    seed=0,
    targets=[Target(device="CPU", profile="accuracy", full_name="A CPU")],
)
ELU = "Elu-1/plain/f32[2,3,5,4]/alpha=0.75"
PASSING = [
    ELU,
    "Elu-1/type/f64[2,3,5,4]/alpha=0.75",
    "Equal-1/plain/f32[2,3,5,4],f32[3,1,4]/auto_broadcast=numpy",
    "TopK-11/plain/f32[2,5,4,3]/k=3,axis=1,mode=max,sort=value",
]
FAULTS = 4
"""A crash, a refusal, one wrong element, all of them wrong."""
ENTRY = """
[[expect]]
id = "planted"
title = "a root cause of this test"
class = "defect"
page = "the page's words"
smallest = "Elu-1/plain/f32[2,3,5,4]/alpha=0.75"
covers = [{operation = "Elu-1", outcome = "FAIL"}]
"""


def record(case, outcome=Outcome.PASS, detail="", **other):
    operation, purpose, _ = case.split("/", 2)
    return CaseRecord(
        case=case,
        operation=operation,
        category="any",
        opset="opset1",
        purpose=purpose,
        device="CPU",
        profile="accuracy",
        outcome=outcome,
        detail=detail,
        seconds=0.001,
        kernel="jit_avx512_FP32",
        precision="f32",
        pack_size=1,
        layer="",
        gate=Gate.PASS if outcome == Outcome.PASS else Gate.KNOWN,
        **other,
    )


def rows(directory, *records, entry="", known=""):
    (directory / "CPU.toml").write_text(entry)
    if known:
        (directory / "CPU.known.tsv").write_text(known)
    planting = gate.Planting(Results(runs=[HEADER], records=list(records)), directory)
    return planting.rows(records)


def test_what_no_entry_covers_is_seen(tmp_path):
    found = rows(tmp_path, *map(record, PASSING))
    assert {name: row.planted for name, row in found.items()} == {
        "Elu-1": 2 * FAULTS,
        "Equal-1": FAULTS,
        "TopK-11": FAULTS,
    }
    assert [text for row in found.values() for text in row.unseen] == []
    assert gate.passes(list(found.values()))


def test_what_an_entry_hides_is_unseen(tmp_path):
    row = rows(tmp_path, record(ELU), entry=ENTRY)["Elu-1"]
    hidden = [text.partition("  ")[2].partition(":")[0] for text in row.unseen]
    # A refusal is better than a wrong answer.
    assert hidden == ["REFUSED", "FAIL", "FAIL"]
    assert not gate.passes([row])
    assert f"unseen: {ELU}  FAIL: " in gate.render({"Elu-1": row})
    assert "3 faults of 4 planted" in gate.render({"Elu-1": row})


def test_what_changes_from_run_to_run_is_counted_apart(tmp_path):
    unstable = ENTRY.replace("covers", 'unstable = "reads what nobody wrote"\ncovers')
    row = rows(tmp_path, record(ELU), entry=unstable)["Elu-1"]
    assert (len(row.unseen), len(row.unstable)) == (0, 2)
    assert gate.passes([row])


@pytest.mark.parametrize("share, unseen", [(0.1, 0), (1.0, 1)])
def test_a_known_failure_that_gets_worse(tmp_path, share, unseen):
    failing = record(
        ELU, Outcome.FAIL, detail="output: [0,0,0,0] is 1, should be 2; 12 of 120 wrong"
    )
    row = rows(tmp_path, failing, entry=ENTRY, known=f"{ELU}\t{share}\t1e200\t\n")["Elu-1"]
    assert (row.known, len(row.known_unseen)) == (1, unseen)
    assert gate.passes([row]) == (not unseen)


def test_what_f64_loses_in_f32_is_no_planted_fault():
    """It is a root cause of its own: what is planted is farther off."""
    single, double = (prepare(parse(case), 0) for case in PASSING[:2])
    assert not any(np.any(error) for error in gate._errors_of_f32(single))
    (error,) = gate._errors_of_f32(double)
    exact = double.expected[0][0].value
    assert np.all(error >= np.abs(exact - exact.astype(np.float32)))
    assert 0 < error.max() < 1e-4


def test_an_invalid_layer_that_is_accepted(tmp_path):
    case = "SpaceToDepth-1/invalid/f32[5,7,4,6]/block_size=4,mode=blocks_first"
    row = rows(tmp_path, record(case, expected_outcome=Outcome.REFUSED))["SpaceToDepth-1"]
    assert (row.planted, row.unseen) == (2, [])


def test_results_that_cannot_be_read(tmp_path, capsys):
    assert main(["--gate", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
