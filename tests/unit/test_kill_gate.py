"""The trial of the gate: faults planted in results are seen, unless a baseline hides them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from devices.engine.questions import prepare
from ir_models import parse
from ir_models.asking.id_parts import split_id
from reference import Expected
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Ending, Line, line_of, run_of
from reports.gate.baseline_files import texts_of, write_folder
from reports.results.facts_of_departures import LARGEST, Facts
from reports.results.files.reading import Results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import SCHEMA, CaseRecord, Header, Target
from tests.kill import gate
from tests.kill.__main__ import _fields, main

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
FAULTS = 5
"""A crash, a refusal, a wrong shape, one wrong element, all of them wrong."""
NOTHING_KNOWN = Baseline(run_of(HEADER, "CPU", "accuracy"), {}, name="none")


def record(case, outcome=Outcome.PASS, detail="", **other):
    parts = split_id(case)
    return CaseRecord(
        case=case,
        operation=parts.operation,
        category="any",
        opset="opset1",
        purpose=parts.purpose,
        how=parts.how,
        inputs=parts.inputs,
        parameters=parts.parameters,
        device="CPU",
        profile="accuracy",
        outcome=outcome,
        detail=detail,
        seconds=0.001,
        kernel="jit_avx512_FP32",
        precision="f32",
        pack_size=1,
        gate=Gate.PASS if outcome == Outcome.PASS else Gate.KNOWN,
        **other,
    )


FAILING = {"facts": Facts(kind="value", output=0), "elements": 120}


def rows(directory, *records, lines=None):
    """The table of records that are judged by a baseline with these lines."""
    folder = directory / "base"
    asked = AskedCases.of([one.case for one in records])
    write_folder(folder, texts_of(replace(NOTHING_KNOWN, lines=lines or {}, asked=asked)))
    planting = gate.Planting(Results(runs=[HEADER], records=list(records)), folder)
    return planting.rows(records)


def test_what_the_baseline_does_not_have_is_seen(tmp_path):
    found = rows(tmp_path, *map(record, PASSING))
    assert {name: row.planted for name, row in found.items()} == {
        "Elu-1": 2 * FAULTS,
        "Equal-1": FAULTS,
        "TopK-11": FAULTS,
    }
    assert [text for row in found.values() for text in row.unseen] == []
    assert gate.passes(list(found.values()))


def test_what_a_line_hides_is_unseen(tmp_path):
    """A line that its case outgrew: it conforms now, and the baseline admits any failure."""
    worst = Line((Ending(Outcome.FAIL, Facts(kind="value", output=0)),))
    row = rows(tmp_path, record(ELU), lines={ELU: worst})["Elu-1"]
    hidden = [text.partition("  ")[2].partition(":")[0] for text in row.unseen]
    # A refusal is no better than a wrong answer, and a crash is worse.
    assert hidden == ["FAIL", "FAIL"]
    assert not gate.passes([row])
    assert f"unseen: {ELU}  FAIL: " in gate.render({"Elu-1": row})
    assert "2 faults of 5 planted" in gate.render({"Elu-1": row})


def test_what_changes_from_run_to_run_is_counted_apart(tmp_path):
    line = Line((Ending(Outcome.FAIL, FAILING["facts"]),), is_nondeterministic=True)
    row = rows(tmp_path, record(ELU), lines={ELU: line})["Elu-1"]
    # Both failures; a crash and a refusal are no chance.
    assert (len(row.unseen), len(row.unstable)) == (0, 2)
    assert gate.passes([row])


@pytest.mark.parametrize("wrong, unseen", [(12, 0), (120, 1)])
def test_a_known_failure_that_gets_worse(tmp_path, wrong, unseen):
    failing = record(ELU, Outcome.FAIL, fraction=LARGEST, wrong=wrong, **FAILING)
    row = rows(tmp_path, failing, lines={ELU: line_of(failing)})["Elu-1"]
    assert (row.known, len(row.known_unseen)) == (1, unseen)
    assert gate.passes([row]) == (not unseen)


def test_what_f64_loses_in_f32_is_no_planted_fault():
    """It is a cause of its own: what is planted is farther off."""
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


@pytest.mark.parametrize(
    "pair, told", [("seed=x", "a whole number"), ("seed", "FIELD=VALUE"), ("f16=1", "seed")]
)
def test_another_run_that_cannot_be(pair, told):
    with pytest.raises(ValueError, match=told):
        _fields([pair])


def test_another_run_may_have_another_seed():
    assert _fields(["seed=3", "openvino=2026.5.0"]) == {"seed": 3, "openvino": "2026.5.0"}


@pytest.mark.parametrize("value, kind", [(np.bool_(True), "boolean"), (np.float32(2), "f32")])
def test_an_answer_without_dimensions_is_made_wrong(value: np.generic, kind: str) -> None:
    wrong, chosen = gate._wrong(Expected(np.asarray(value)), kind, False, np.float64(0.0))
    assert chosen.all()
    assert wrong.shape == ()
    assert wrong != value
