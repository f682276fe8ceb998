"""Statements: the levels that a run reaches, and what ``--verify`` finds that was changed since."""

from __future__ import annotations

import datetime
import json
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from ir_models import models
from reports.__main__ import main
from reports.results.outcomes import Outcome
from reports.results.records import NOT_ENDED, Selection
from reports.support import statement
from reports.support.statement import SCHEMA_FILE, json_schema, read
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import HOSTILE, header, record, write

NAME = "Split-1"
GRAPH = "Pattern/graphs/f32[2]/factor=1"
PLAIN = next(case for case in models.cases_asked(NAME, "single", 10, 0) if "/plain/" in case)
PAGE = f"""
[[claim]]
operations = ["{NAME}"]
"type T" = ["f32", "f16"]
dimensions = ["known", "unknown"]
constants = ["none"]
rank = "2-4"
"""
WAIVER = """
[[waiver]]
cause = "split-waived"
reason = "the next driver has it"
until = {until}
"""
CAUSE = """
title = "Split - wrong on purpose"
class = "defect"
component = "core"
page = ""
since = "2024.0"
smallest = "{case}"
devices = ["CPU"]
notes = '''
x
'''

[[select]]
operation = ["Split-1"]
outcome = ["FAIL"]
purpose = ["*"]
category = ["*"]
type = ["*"]
rank = ["*"]
"""


@pytest.fixture(autouse=True)
def small_suite(monkeypatch):
    """A suite of one operation and one graph."""
    monkeypatch.setattr(models, "operation_names", lambda: (NAME,))
    monkeypatch.setattr(models, "graphs_asked", lambda: (GRAPH,))


def asked(depth="single"):
    return models.cases_asked(NAME, depth, 10, 0)


class Desk:
    """A run, claims, and the commands on them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.results, self.claims = folder / "CPU.jsonl", folder / "own.toml"
        self.out = folder / "out"
        self.causes: list[str] = []
        self.hold(PAGE)

    def hold(self, page: str) -> None:
        self.claims.write_text(page)

    def ran(
        self, *, depth="pairs", without=(), selection=None, ended="", **outcomes: object
    ) -> None:
        """A run of that depth in which these cases end so, given by their ids."""
        ends = dict(outcomes.pop("ends", {}))
        chosen = selection or Selection(depth=depth)
        records = [
            record(case, ends.get(case, "PASS")) for case in asked(depth) if case not in without
        ]
        if GRAPH not in without:
            records.append(record(GRAPH, ends.get(GRAPH, "PASS")))
        write(
            self.results,
            header(selection=chosen, ended=ended or "2026-01-02", **outcomes),
            *records,
        )

    def waive(self, until: datetime.date) -> None:
        (self.folder / "causes").mkdir()
        (self.folder / "causes" / "split-waived.toml").write_text(CAUSE.format(case=PLAIN))
        self.causes = ["--causes", str(self.folder / "causes")]
        self.hold(PAGE + WAIVER.format(until=until))

    def make(self) -> int:
        return main(
            ["statement", str(self.results), "--claims", str(self.claims), "--out", str(self.out), *self.causes]
        )  # fmt: skip

    def levels(self, code: int = 0) -> dict[str, statement.Level]:
        assert self.make() == code
        return {each.name: each for each in read(self.out).levels}

    def reached(self, code: int = 0) -> list[str]:
        return [name for name, each in self.levels(code).items() if each.reached]

    def verified(self, code: int, *files: Path) -> str:
        self.capsys.readouterr()
        given = ["statement", *map(str, files), "--verify", str(self.out), *self.causes]
        assert main(given) == code
        return self.capsys.readouterr().out


@pytest.fixture
def desk(tmp_path, capsys):
    return Desk(tmp_path, capsys)


ALL = ["safe", "plain", "dynamic", "complete", "graphs"]
F16 = next(case for case in asked() if "/type/f16" in case)
F64 = next(case for case in asked() if "/type/f64" in case)
DIMS = f"{PLAIN}/shape=dims"
INVALID = next(case for case in asked() if "/invalid/" in case)


def test_an_honest_device_reaches_every_level(desk):
    desk.ran()
    assert desk.reached() == ALL
    made = read(desk.out)
    assert made.holds
    assert made.inside.asked == made.inside.conforms > 0
    assert made.outside.asked > 0
    assert made.graphs.asked == 1
    assert desk.verified(0).startswith(f"{desk.out}: agrees with its results")


@pytest.mark.parametrize(
    "case, outcome, lost, code",
    [
        (PLAIN, "FAIL", ["plain", "complete"], 1),
        (F16, "REFUSED", ["plain", "complete"], 1),
        (DIMS, "FAIL", ["dynamic", "complete"], 1),
        (INVALID, "ACCEPTED_INVALID", ["complete"], 1),
        (INVALID, "CRASH", ["safe", "complete"], 1),
        (F64, "REFUSED", [], 0),  # outside
        (F64, "FAIL", [], 1),
        (F64, "TIMEOUT", ["safe"], 1),
        (GRAPH, "FAIL", ["graphs"], 1),
        (PLAIN, "COMPILED", ["safe", "plain", "complete"], 0),
        (PLAIN, "ERROR", ["safe", "plain", "complete"], 1),
        (PLAIN, None, ["safe", "plain", "complete"], 0),
        (F64, None, ["safe"], 0),
        (DIMS, None, ["safe", "dynamic", "complete"], 0),
        (GRAPH, None, ["graphs"], 0),
    ],
)  # fmt: skip
def test_one_case_that_departs_or_was_not_asked_costs_its_levels(desk, case, outcome, lost, code):
    assert case == GRAPH or case in asked()
    desk.ran(**({"without": [case]} if outcome is None else {"ends": {case: outcome}}))
    levels = desk.levels(code)
    assert [name for name in ALL if not levels[name].reached] == lost
    for name in lost:
        (missing,) = levels[name].missing
        assert (missing.cases, missing.example) == (1, case)
        why = {None: "not asked", "COMPILED": "compiled, values not seen", "ERROR": "no verdict"}
        assert missing.why == why.get(outcome, "unsafe" if name == "safe" else "departs")
        assert case in (desk.out / "index.html").read_text()
    assert read(desk.out).holds is (code == 0)
    assert desk.verified(0), "it is honest about what it is not"


def test_a_shard_or_a_run_that_was_cut_off_reaches_nothing(desk):
    desk.ran(selection=Selection(depth="pairs", shard="1/2"))
    assert desk.reached() == []
    assert read(desk.out).part == "Part of the cases: shard 2 of 2 missing"
    desk.ran(ended=NOT_ENDED)
    assert desk.reached() == []
    assert "cut off before its end" in (desk.out / "index.html").read_text()
    desk.ran()
    desk.results.write_bytes(desk.results.read_bytes()[:-30])
    assert "graphs" not in desk.reached(), "the last line is cut off"


def test_a_run_of_depth_single_is_not_complete(desk):
    desk.ran(depth="single")
    levels = desk.levels()
    assert [name for name in ALL if not levels[name].reached] == ["complete"]
    (missing,) = levels["complete"].missing
    assert missing.example == "the run was of depth single, not pairs"


def test_a_device_that_claims_known_dimensions_alone_is_not_dynamic(desk):
    desk.hold(PAGE.replace('"known", "unknown"', '"known"'))
    desk.ran()
    levels = desk.levels()
    (missing,) = levels["dynamic"].missing
    assert (missing.why, missing.example) == ("not claimed", "dimensions=unknown")
    assert levels["plain"].reached


def test_a_claimed_cell_that_no_case_has_is_missed(desk, monkeypatch):
    monkeypatch.setattr(models, "cases_asked", lambda *given: (PLAIN, DIMS))
    write(desk.results, header(ended="x"), record(PLAIN), record(DIMS))
    levels = desk.levels()
    assert ("not asked", "type T=f16") in [
        (one.why, one.example) for one in levels["plain"].missing
    ]
    assert "type T=f16" in read(desk.out).not_asked[NAME]


def test_a_waiver_lets_a_departure_pass_and_no_level(desk):
    today = datetime.date.today()
    desk.waive(today)
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.reached(0) == ["safe", "dynamic", "graphs"]
    made = read(desk.out)
    assert made.holds
    assert [(one.cause, one.cases, one.ended) for one in made.waivers] == [
        ("split-waived", 1, False)
    ]
    assert {one.why for level in made.levels for one in level.missing} == {"waived"}
    assert desk.verified(0)


def test_a_waiver_past_its_date_is_red(desk):
    today = datetime.date.today()
    desk.waive(today - datetime.timedelta(days=1))
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.reached(1) == ["safe", "dynamic", "graphs"]
    assert not read(desk.out).holds
    assert read(desk.out).red[0].causes == ["split-waived"]
    desk.ran()
    assert desk.make() == 1, "though nothing needs it any more, it is looked at again"


def test_a_waiver_that_ends_after_the_statement_turns_its_check_red(desk, monkeypatch):
    desk.waive(datetime.date.today())
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.make() == 0

    after = datetime.date.today() + datetime.timedelta(days=1)
    monkeypatch.setattr("reports.commands.statement.today", lambda: after)
    assert "waiver of split-waived: ended on" in desk.verified(1)


def test_a_waiver_does_not_reach_outside_the_claims(desk):
    desk.waive(datetime.date.today())
    desk.ran(ends={F64: "FAIL"})
    assert desk.make() == 1
    assert read(desk.out).outside.red == 1


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_results_that_were_changed_since_are_found(desk):
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.make() == 1
    change(desk.results, '"outcome": "FAIL"', '"outcome": "PASS"')
    found = desk.verified(1)
    assert "CPU.jsonl: is not the file of the statement" in found
    assert "levels: the results say otherwise" in found
    assert "inside: the results say otherwise" in found


def test_results_that_are_gone_or_elsewhere(desk):
    desk.ran()
    assert desk.make() == 0
    moved = desk.results.rename(desk.folder / "moved.jsonl")
    no = partial(refusal, desk.capsys, main, "python -m reports statement", "statement")
    desk.capsys.readouterr()
    assert "CPU.jsonl: cannot be read" in no("--verify", desk.out)
    assert desk.verified(0, moved)
    desk.capsys.readouterr()
    assert "is of 1 results files, got 2" in no(moved, moved, "--verify", desk.out)
    moved.write_text("")
    assert "moved.jsonl: empty" in desk.verified(1, moved)


@pytest.mark.parametrize(
    "file, old, new, says",
    [
        ("statement.json", '"reached": false', '"reached": true', "levels: the results say"),
        ("statement.json", '"holds": false', '"holds": true', "holds: the results say otherwise"),
        ("statement.json", "Some AMX processor", "Another", "processor: the results say"),
        ("index.html", "not reached", "reached", "index.html: is not the report"),
        ("claims.toml", '"f32", ', "", "claims.toml: is not the file of the statement"),
    ],
)
def test_a_statement_that_was_changed_is_found(desk, file, old, new, says):
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.make() == 1
    change(desk.out / file, old, new)
    assert says in desk.verified(1)


def test_it_fits_its_schema(desk):
    desk.waive(datetime.date.today())
    desk.ran(ends={PLAIN: "FAIL", F64: "CRASH"})
    desk.make()
    text = (desk.out / "statement.json").read_text()
    assert SCHEMA_FILE.read_text() == json_schema(), "run `python -m reports schema --write`"
    schema = json.loads(json_schema())
    jsonschema.validate(json.loads(text), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(text), "statement": 2}, schema)
    assert statement.as_json(read(desk.out)) == text
    assert main(["schema", "--statement"]) == 0


def test_it_replaces_a_statement_and_nothing_else(desk):
    desk.ran()
    desk.out.mkdir()
    assert desk.make() == 0
    desk.ran(ends={PLAIN: "FAIL"})
    assert desk.make() == 1
    assert {each.name for each in desk.out.iterdir()} == {
        "statement.json",
        "index.html",
        "claims.toml",
    }
    assert not [each for each in desk.folder.iterdir() if each.name.startswith(".")]
    (desk.out / "mine.txt").write_text("x")
    desk.capsys.readouterr()
    assert desk.make() == 2
    assert "is not the folder of a statement" in desk.capsys.readouterr().err
    assert (desk.out / "mine.txt").exists()


def test_a_failure_of_writing_leaves_the_earlier_statement(desk, monkeypatch):
    desk.ran()
    desk.make()
    before = (desk.out / "statement.json").read_bytes()
    monkeypatch.setattr("reports.commands.statement._html", lambda made: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        desk.make()
    assert (desk.out / "statement.json").read_bytes() == before
    assert not [each for each in desk.folder.iterdir() if each.name.startswith(".")]


def test_texts_of_results_stay_texts(desk):
    desk.ran(suite=HOSTILE.replace("\ud800", ""), processor=HOSTILE.replace("\ud800", ""))
    desk.make()
    page = (desk.out / "index.html").read_text()
    assert "<script" not in page
    assert desk.verified(0)


def test_wrong_usage_is_one_line(desk, tmp_path):
    desk.ran()
    no = partial(refusal, desk.capsys, main, "python -m reports statement", "statement")
    made = ["--claims", desk.claims, "--out", desk.out]
    assert "needs RESULTS, --claims FILE and --out DIR" in no()
    assert "needs RESULTS" in no(desk.results, "--claims", desk.claims)
    assert "needs RESULTS" in no("--claims", desk.claims, "--out", desk.out)
    assert "missing.jsonl: cannot be read" in no(tmp_path / "missing.jsonl", *made)
    assert "missing.toml: cannot be read" in no(
        desk.results, "--claims", tmp_path / "missing.toml", "--out", desk.out
    )
    assert "--verify takes only results files" in no(desk.results, *made, "--verify", desk.out)
    assert "statement.json: cannot be read" in no("--verify", tmp_path / "none")
    assert "of one device and profile, got CPU (accuracy)" in no(
        desk.results, *made, "--device", "GPU"
    )
    assert "expected a path" in no(desk.results, "--claims", desk.claims, "--out", "")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "statement.json").write_text('{"statement": 9}')
    assert "is no statement of version 1" in no("--verify", tmp_path / "bad")
    desk.hold(f'device = "NPU"\n{PAGE}')
    assert "claims of NPU, not of CPU" in no(desk.results, *made)
    both = write(
        tmp_path / "b.jsonl",
        header(devices=["CPU", "GPU"]),
        record(PLAIN),
        record(PLAIN, device="GPU"),
    )
    desk.hold(PAGE)
    assert "got CPU (accuracy), GPU (accuracy)" in no(both, *made)
    assert not desk.out.exists()


def test_verify_of_a_folder_without_its_page_is_wrong_usage(desk):
    desk.ran()
    desk.make()
    (desk.out / "index.html").unlink()
    desk.capsys.readouterr()
    assert "index.html: cannot be read" in refusal(
        desk.capsys, main, "python -m reports statement", "statement", "--verify", desk.out
    )


def test_outcomes_are_all_thought_of(desk):
    """Every outcome either costs a level or conforms: none is forgotten."""
    for outcome in {*Outcome} - {
        Outcome.FAIL,
        Outcome.REFUSED,
        Outcome.CRASH,
        Outcome.COMPILED,
        Outcome.ERROR,
    }:
        desk.ran(ends={PLAIN: str(outcome)})
        desk.make()
        plain = next(each for each in read(desk.out).levels if each.name == "plain")
        assert plain.reached is (outcome in (Outcome.PASS, Outcome.QUALITY)), outcome
