"""Planted faults of rewritings: what finds them; the device in this process answers as the one in a child does."""

import pytest

from devices.engine.session import Session
from devices.search.graph_runner import GraphRunner
from devices.targets.profiles import parse
from ir_models.graphs import evaluate, read
from reports.results.outcomes import Outcome
from tests.planted import graph_trial
from tests.planted.graph_drawing import Drawing
from tests.planted.graph_faults import KINDS, Fault
from tests.planted.graph_trial import (
    PlantedAsking,
    Pool,
    ask_variations,
    departs,
    of_patterns,
    render,
    result,
    shares,
)
from tests.unit.command_lines import exit_code

FAULTS = {
    "constant as scalar:MatMul-1>Multiply-1": "MatMul-Multiply-Add",
    "rank dropped:Maximum-1>Minimum-1": "Clamp",
    "memory reused:Add-1>Multiply-1": "Add-Multiply-Add",
    "stale result:Transpose-1>Add-1": "Transpose-Add",
    "refusal:Transpose-1>ReduceMean-1:negative axis": "Transpose-ReduceMean",
}


def test_planted_faults_are_found_named_and_shrunk():
    nothing = Pool(iter(()))
    found = [
        result(Fault.read(text), Pool(of_patterns([pattern])), nothing)
        for text, pattern in FAULTS.items()
    ]
    assert [each for each in found if not each.by_patterns] == []
    assert shares(found) == (1.0, 1.0), render(found, 0)


def test_a_fault_that_no_graph_has_is_not_found():
    fault = Fault.read("refusal:Clamp-1>Elu-1")
    found = result(fault, Pool(of_patterns(["Clamp"])), Pool(iter(())))
    assert shares([found])[0] == 0.0
    assert "Not found:\n  refusal:Clamp-1>Elu-1 (0 asked)" in render([found], 0)


def test_faults_of_variations_are_found_by_them_alone(capsys):
    faults = [
        Fault.read("value near enough:Add-1>Multiply-1:number 0.7978845 within 0.01"),
        Fault.read("too long:Add-1>Multiply-1:from 12"),
        Fault.read("readers alike:Power-1>Multiply-1"),
    ]
    assert ask_variations(faults, Pool(of_patterns(["Gelu-tanh"]))) == 0
    told = capsys.readouterr().out
    assert "number 0.7978845 within 0.01: Gelu-tanh/root.near=" in told
    assert told.endswith("without: 0 of 3, with variations: 3 of 3, with attributes: 3 of 3\n")
    attributes = [Fault.read("attribute not read:Convolution-1>Add-1:dilations is 1,1")]
    assert ask_variations(attributes, Pool(of_patterns(["Convolution-Add-ReLU"]))) == 0
    told = capsys.readouterr().out
    assert told.endswith("without: 0 of 1, with variations: 0 of 1, with attributes: 1 of 1\n")
    drawn, again = (Drawing(1, departs).of_variations(8) for _ in range(2))
    assert drawn == again
    assert [Fault.read(str(each)) for each in drawn] == drawn


def test_draws_are_the_same_for_a_seed_and_some_graph_shows_each():
    drawn, again = (Drawing(1, departs).draw(6) for _ in range(2))
    assert list(map(str, drawn)) == list(map(str, again))
    assert list(map(str, drawn)) != list(map(str, Drawing(2, departs).draw(6)))
    assert [each.kind for each in drawn] == list(KINDS)[:6]
    assert [str(Fault.read(str(each))) for each in drawn] == list(map(str, drawn))


BOTH = "; a=Add-1(x,b); y=Multiply-1(a,b); return a,y"


@pytest.mark.parametrize("kind", ["stale result", "memory reused", "constant as scalar"])
def test_the_device_of_a_child_process_answers_alike(kind):
    fault = f"{kind}:Add-1>Multiply-1" + (
        "" if "result" in kind or "reused" in kind else ":inner result"
    )
    graphs = [
        evaluate(read(f"x=f32[2,3]; const b=f32[3]~1{BOTH}")),
        evaluate(read(f"x=f32[2?,3]; const b=f32[1,3]~1{BOTH}")),
        evaluate(read(f"x=f32[2,3]; const b=f32[3]~1{BOTH.replace('a,y', 'y')}")),
    ]
    own = PlantedAsking(Fault.read(fault)).ask(graphs)
    session = Session("PYTHON:tests.planted.fusing_device", parse(f"FAULT={fault}"), 60.0)
    try:
        other = GraphRunner(session).ask(graphs)
    finally:
        session.close()
    assert [each.outcome for each in own] == [Outcome.FAIL, Outcome.FAIL, Outcome.PASS]
    assert [each.way for each in other] == [each.way for each in own]
    assert own[0].facts.inference == (2 if kind == "stale result" else 1)


@pytest.mark.parametrize("options", [["--count", "0"], ["--fault", "nothing:Add-1"]])
def test_wrong_usage(options):
    assert exit_code(graph_trial.main, *options) == 2
