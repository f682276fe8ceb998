"""Claims: read, drafted, and what the gate decides by them."""

from __future__ import annotations

import dataclasses
import datetime
from functools import partial

import pytest

from ir_models import models
from reports.__main__ import main
from reports.gate.baseline import Baseline, Run
from reports.gate.causes import Cause, Causes
from reports.gate.decision import GateTarget, remark
from reports.gate.selectors import Selector
from reports.results.outcomes import Gate
from reports.results.records import ResultsError
from reports.support.claims import WAIVED_FOR, draft, read
from reports.support.sources import read as read_sources
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import header, record, write

PLAIN = "Gather-8/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
F16 = "Gather-8/type/f16[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
F64 = "Gather-8/type/f64[3,2,6,5],i64[3,4]/axis=2,batch_dims=1"
DIMS = f"{PLAIN}/shape=dims"
SPECIAL = f"{PLAIN}/values=special"
INVALID = "Gather-8/invalid/f32[3,2,6,5],i64[3,4]/axis=9,batch_dims=1"
TODAY = datetime.date(2027, 1, 1)
PAGE = """
device = "CPU"

[[claim]]
operations = ["Gather-8"]
"type T" = ["f16", "f32"]
rank = "3-5"

[[claim]]
operations = ["Gather-8"]
"type T" = ["f64"]
dimensions = ["known"]

[[waiver]]
cause = "some"
reason = "the next driver has it"
until = 2027-01-01
"""


def claims(folder, text=PAGE, today=TODAY):
    path = folder / "claims.toml"
    path.write_text(text)
    return dataclasses.replace(read(path, models), today=today)


@pytest.mark.parametrize(
    "case, is_inside",
    [
        (PLAIN, True),
        (F16, True),
        (F64, True),
        (DIMS, True),
        (f"{F64}/shape=dims", False),
        (PLAIN.replace("f32", "i8"), False),
        (PLAIN.replace("[3,2,6,5]", "[3,2]"), False),
        (SPECIAL, True),
        ("Gather-7/plain/f32[3,2,6,5],i64[3,4]/axis=2,batch_dims=1", False),
        ("Graph/graphs/f32[2]/x = Abs-1(data); return x", False),
    ],
)
def test_a_case_is_inside_if_one_claim_admits_all_of_its_cells(tmp_path, case, is_inside):
    assert claims(tmp_path).admits(case) is is_inside


def target(held):
    named = [
        Cause(
            name, f"Gather - {name}", "defect", devices=("CPU",), selectors=(Selector(conditions),)
        )
        for name, conditions in (
            ("some", {"operation": ("Gather-8",), "how.values": ("special",)}),
            ("other", {"operation": ("Gather-8",), "type": ("f16",)}),
        )
    ]
    return GateTarget(
        Run(device="CPU", openvino="2026.4.1"), Baseline(name="none"), Causes(named), claims=held
    )


@pytest.mark.parametrize(
    "case, outcome, gate",
    [
        (PLAIN, "PASS", Gate.PASS),
        (PLAIN, "QUALITY", Gate.QUALITY),
        (PLAIN, "COMPILED", Gate.COMPILED),
        (PLAIN, "REFUSED", Gate.NEW),
        (F16, "REFUSED", Gate.NEW),
        (PLAIN, "FAIL", Gate.NEW),
        (SPECIAL, "FAIL", Gate.KNOWN),
        (f"{F64}/shape=dims", "REFUSED", Gate.NOT_CLAIMED),
        (f"{F64}/shape=dims", "FAIL", Gate.NEW),
        (f"{F64}/shape=dims", "CRASH", Gate.NEW),
        (f"{F64}/shape=dims", "TIMEOUT", Gate.NEW),
        (f"{F64}/shape=dims,values=special", "FAIL", Gate.NEW),  # waived inside alone
        (f"{F64}/shape=dims,values=special", "REFUSED", Gate.NOT_CLAIMED),
        (INVALID, "PASS", Gate.PASS),
        (INVALID, "ACCEPTED_INVALID", Gate.NEW),
        (INVALID, "CRASH", Gate.NEW),
        ("Abs-1/plain/f32[2]/-", "REFUSED", Gate.NOT_CLAIMED),
        ("Abs-1/plain/f32[2]/-", "FAIL", Gate.NEW),
        (PLAIN, "ABSENT", Gate.NO_VERDICT),
    ],
)
def test_inside_everything_conforms_and_outside_a_clean_refusal_passes(
    tmp_path, case, outcome, gate
):
    decided = target(claims(tmp_path)).decide(record(case, outcome))
    assert decided.gate is gate
    assert decided.gate.is_red == (gate in (Gate.NEW, Gate.NO_VERDICT))
    assert decided.cause == (
        ""
        if decided.conforms
        else "some"
        if "values=special" in case
        else {F16: "other"}.get(case, "")
    )


def test_a_waiver_ends(tmp_path):
    after = claims(tmp_path, today=TODAY + datetime.timedelta(days=1))
    assert target(after).decide(record(SPECIAL, "FAIL")).gate is Gate.NEW
    assert remark(target(after)) == "claims.toml, 1 operation, 1 waiver, ENDED: some"
    assert remark(target(claims(tmp_path))) == "claims.toml, 1 operation, 1 waiver"


@pytest.mark.parametrize(
    "old, new, says",
    [
        ("[[claim]]", "[[claims]]", "no such key: claims"),
        ("[[claim]]", "[claim", "claims.toml"),
        ("Gather-8", "Gather-9", "unknown operation"),
        ('"type T"', '"type U"', "has no row 'type U'; it has type T"),
        ('"f16"', '"f17"', "type T has no value f17"),
        ('"3-5"', '"3-99"', "rank has no value"),
        ('"3-5"', "3", "must be a list of texts, "),
        ('operations = ["Gather-8"]', "", "a claim needs operations"),
        ('reason = "the next driver has it"', "", "a waiver needs cause, reason and until"),
        ("the next driver has it", " ", "needs a reason"),
        ("2027-01-01", '"soon"', "until must be a date"),
    ],
)
def test_a_page_that_is_wrong_says_where(tmp_path, old, new, says):
    assert old in PAGE
    with pytest.raises(ResultsError, match=r"claims\.toml") as caught:
        claims(tmp_path, PAGE.replace(old, new, 1))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_row_may_say_what_is_not_claimed(tmp_path):
    page = PAGE.replace('"type T" = ["f16", "f32"]', '"type T" = "not f64, i8"')
    held = claims(tmp_path, page)
    assert held.admits(PLAIN.replace("f32", "u8"))
    assert not held.admits(PLAIN.replace("f32", "i8"))
    assert not held.admits(f"{F64}/shape=dims")
    with pytest.raises(ResultsError, match="type T has no value f17"):
        claims(tmp_path, page.replace("not f64", "not f17"))


def test_a_page_that_claims_nothing_is_refused(tmp_path):
    with pytest.raises(ResultsError, match=r"it has no \[\[claim\]\]"):
        claims(tmp_path, 'device = "CPU"')


def test_a_draft_lets_its_own_results_pass(tmp_path):
    records = [
        record(PLAIN), record(F16), record(F64, "REFUSED", cause="no-f64"), record(DIMS), record(INVALID),
        record(SPECIAL, "FAIL", cause="some"), record(f"{PLAIN}/shape=rank", "CRASH", cause="dies"),
        record("Abs-1/plain/f32[2,3]/-", "REFUSED"),
    ]  # fmt: skip
    (source,) = read_sources([write(tmp_path / "a.jsonl", header(), *records)], models)
    text = draft(source, TODAY)
    assert '"type T" = ["f16", "f32"]' in text, "few values as a list"
    held = claims(tmp_path, text)
    assert held.device == "CPU"
    assert {*held.rows} == {"Gather-8"}, "no plain layer of Abs conforms"
    assert {*held.waivers} == {"some"}, (
        "a clean refusal outside needs none, and no waiver reaches outside"
    )
    assert "# Red: 1 departures outside the claims that are no refusals." in text
    assert {each.until for each in held.waivers.values()} == {TODAY + WAIVED_FOR}
    assert held.admits(PLAIN)
    assert held.admits(DIMS)
    assert not held.admits(F64)
    assert not held.admits(f"{PLAIN}/index=parameters"), "what was not asked is not claimed"
    for one in records:
        if not one.conforms:
            assert held.decide(one, [one.cause]).is_red == (one.cause == "dies"), one.case


def test_the_command_drafts_of_one_device(tmp_path, capsys):
    path = write(tmp_path / "a.jsonl", header(), record(PLAIN))
    assert main(["claim", str(path), "--out", str(tmp_path / "claims.toml")]) == 0
    assert read(tmp_path / "claims.toml", models).admits(PLAIN)
    refused = partial(refusal, capsys, main, "python -m reports claim", "claim")
    both = write(
        tmp_path / "b.jsonl",
        header(devices=["CPU", "GPU"]),
        record(PLAIN),
        record(PLAIN, device="GPU"),
    )
    assert "claims describe one device" in refused(both)
    assert "claims describe one device" in refused(path, "--device", "GPU")
    assert "cannot be read" in refused(tmp_path / "missing.jsonl")
