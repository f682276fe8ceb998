"""Graphs: text, patterns, judging, shrinking, the search and its commands, on a device with planted faults."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from devices.__main__ import main
from devices.engine.graph_bounds import expected_by_inference, expected_results
from devices.engine.session import Session
from devices.engine.verdicts.verdict import Verdict
from devices.process import own_build
from devices.search import searching
from devices.search.attribution import attribute, layers_of
from devices.search.batches import (
    NOT_ASKED,
    Batch,
    BatchResult,
    ask_graphs,
    drawn,
    graphs_of,
    pattern_batches,
    random_batch,
)
from devices.search.finds.journal import Journal, JournalError
from devices.search.graph_runner import GraphRunner, case_of
from devices.search.searching import Search, summary
from devices.search.shrinking import shrink
from devices.search.together import fewest
from devices.targets.profiles import Profile, parse
from ir_models import catalog, patterns
from ir_models.drawing import chains, pairs
from ir_models.drawing.crossings import crossing_batch, crossings
from ir_models.drawing.rows import Rows, rows, varied
from ir_models.drawing.suspects import Suspects, has_one, traits_of
from ir_models.graphs import (
    AskedGraph,
    Evaluated,
    GraphCase,
    GraphError,
    evaluate,
    read,
    simpler,
    text,
)
from ir_models.graphs.growing import begun, grown
from ir_models.patterns.factors import factors_of
from ir_models.vocabulary.draw import Draw
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from tests.planted.graph_faults import Fault

DEVICE = "PYTHON:tests.planted.fusing_device"
WRONG_AXIS = "wrong axis:Transpose-1>ReduceMean-1"
MEMORY_REUSED = "memory reused:Add-1>Multiply-1"
DEATH = "death:Squeeze-1>Unsqueeze-1"
REFUSAL = "refusal:Transpose-1>MatMul-1"
# Faults, each with a pattern whose cases show it.
FAULTS = {
    "rank dropped:Maximum-1>Minimum-1": "Clamp",
    "keep_dims ignored:ReduceMean-1>Multiply-1": "ReduceMean-pool",
    WRONG_AXIS: "Transpose-ReduceMean",
    MEMORY_REUSED: "Add-Multiply-Add",
    "constant as scalar:MatMul-1>Multiply-1": "MatMul-Multiply-Add",
    "rounding left out:Convert-1>Convert-1": "Convert-i32-Convert",
    "cancelled:Split-1>Concat-1": "Split-Concat",
    "constant forgotten:Convert-1>Subtract-1>Multiply-1:one number": "decompression-u8",
    DEATH: "Squeeze-Unsqueeze",
    REFUSAL: "Transpose-MatMul",
}
ROOT = Path(__file__).parents[4]


def asking(fault: str = "", pack: int = 50) -> GraphRunner:
    profile = parse(f"FAULT={fault}" if fault else "accuracy")
    return GraphRunner(Session(DEVICE, profile, 120.0), pack)


@pytest.fixture
def right():
    found = asking()
    yield found
    found.session.close()


# --- text ---------------------------------------------------------------------------------------------------------

GRAPH = (
    "x=f32[2?,3]; const half=f32[]:0.5; const axes=i64[1]:-1; a=Multiply-1(x,half); "
    "y=ReduceSum-1(a,axes){keep_dims=true}; return y,a"
)


def test_a_text_is_read_and_written_again():
    graph = read(GRAPH)
    assert text(graph) == GRAPH
    assert graph.fed["x"].unknown == {0}
    assert graph.fed["half"].is_constant
    assert graph.steps[1].attributes == {"keep_dims": True}
    assert graph.operations == ("Multiply-1", "ReduceSum-1")


def test_values_are_those_that_the_text_states():
    arrays = evaluate(
        read(
            "a=f32[2]:1,-2; const b=i8[3]#; c=f16[2,2]:0.5; d=f32[40]+3; e=f32[40]; y=Add-1(a,a); return y"
        )
    ).arrays
    assert arrays["a"].tolist() == [1, -2]
    assert arrays["b"].tolist() == [1, 2, 3]
    assert arrays["c"].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert (arrays["d"] > 0).all()
    assert (arrays["e"] > 0).any()
    assert (arrays["e"] < 0).any()
    assert arrays["y"].tolist() == [2, -4]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x=f32[2]; y=Relu-1(x); return y", "unknown operation"),
        ("x=f32[2]; y=ReLU-1(z); return y", "nothing before it is called 'z'"),
        ("x=f32[2]; y=ReLU-1(x)", "ends with return"),
        ("x=f33[2]; y=ReLU-1(x); return y", "f33 is not an element type"),
        ("x=f32[a]; y=ReLU-1(x); return y", "neither"),
        ("x=f32[2]; y=ReLU-1(x){k=1}; return y", "no attribute 'k'"),
        ("x=f32[2]; x=f32[3]; y=ReLU-1(x); return y", "x is there twice"),
        ("const x=f32[2?]; y=ReLU-1(x); return y", "no unknown dimension"),
        ("x=f32[2]; y=ReLU-1(x); return q", "nothing before it is called 'q'"),
        ("x=f32[2]; return x; y=ReLU-1(x)", "behind the results"),
    ],
)
def test_a_text_that_is_no_graph_says_why(source, words):
    with pytest.raises(GraphError, match=words):
        read(source)


def test_a_layer_that_breaks_a_rule_of_its_page_is_no_graph():
    with pytest.raises(GraphError, match="SoftMax-8"):
        evaluate(read("x=f32[2,3]; y=SoftMax-8(x){axis=2}; return y"))


# --- patterns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", patterns.PATTERNS, ids=lambda each: each.name)
def test_a_pattern_is_valid_and_its_ids_rebuild_its_cases(pattern):
    found = []
    for name in pattern.ids():
        found.append(name)
        if len(found) == 25:
            break
    assert found[0] == pattern.name
    graphs = [patterns.graph_of(name).text for name in found]
    assert len(set(graphs)) == len(graphs)
    assert graphs == [patterns.graph_of(name).text for name in found]
    assert [read(each).text for each in graphs] == graphs


def test_factors_of_a_pattern_are_what_a_condition_may_forget():
    gelu = next(each for each in patterns.PATTERNS if each.name == "Gelu-erf")
    assert {"scalar", "one", "ones", "more-ones", "last", "channel", "first", "full"} - {
        "scalar"
    } <= set(gelu.factors["half.shape"].levels)
    assert set(gelu.factors["half.value"].levels) == {"off", "negative", "zero"}
    assert set(gelu.factors["b.also"].levels) == {"result", "layer"}
    assert set(gelu.factors["c.order"].levels) == {"swapped"}
    norm = next(each for each in patterns.PATTERNS if each.name == "NormalizeL2-add")
    assert set(norm.factors["axes.axes"].levels) >= {"negative", "other", "number", "i32"}
    assert "false" in norm.factors["b.keep_dims"].levels


def test_most_cases_are_off_the_pattern():
    """Half of the cases at least change more than types and what the model knows of shapes."""
    harmless = ("type=", "unknown=")
    found = list(patterns.select(["SoftMax"])[0].ids())
    off = [
        name
        for name in found
        if any(not part.startswith(harmless) for part in name.partition("/")[2].split(",") if part)
    ]
    assert len(found) > 100
    assert len(off) >= len(found) / 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Gelu-err", "no pattern is called"),
        ("Gelu-erf/half.form=ones", "no factor"),
        ("Gelu-erf/half.shape=oness", "half.shape is one of"),
    ],
)
def test_an_id_of_no_pattern_says_why(name, words):
    with pytest.raises(GraphError, match=words):
        patterns.graph_of(name)


# --- judging ------------------------------------------------------------------------------------------------------


def test_the_bound_of_a_graph_holds_the_error_of_each_layer():
    graph = evaluate(read("x=f32[4]:1.1,2.3,3.7,5.9; a=Exp-1(x); y=Log-1(a); return y"))
    (expected,) = expected_results(graph, "")
    assert np.allclose(expected.value, graph.arrays["x"])
    alone = evaluate(read("x=f32[4]:1.1,2.3,3.7,5.9; y=Exp-1(x); return y"))
    (of_exp,) = expected_results(alone, "")
    # An error of exp is one of its logarithm, divided by the value.
    assert (expected.bound >= of_exp.bound / of_exp.value).all()
    assert (expected.bound < 1e-5).all()


@pytest.mark.parametrize(("operation", "of"), [("SoftMax-8", np.asarray), ("LogSoftmax-5", np.log)])
def test_the_bound_of_a_softmax_holds_errors_of_its_arguments_that_differ(operation, of):
    """Far from zero each argument is rounded for itself; moved all alike they would change nothing."""
    source = f"x=f32[3]:1.3,2.1,3.7; const far=f32[]:-9000; a=Add-1(x,far); y={operation}(a){{axis=-1}}; return y"
    graph = evaluate(read(source))
    (expected,) = expected_results(graph, "")
    rounded = (graph.arrays["x"] + np.float32(-9000)).astype(np.float64)
    weights = np.exp(rounded - rounded.max())
    error = np.abs(of(weights / weights.sum()) - expected.value)
    assert (error > 1e-6).any()
    assert (error <= expected.bound).all()
    assert (expected.bound < 40 * error.max()).all()


def test_a_right_device_departs_in_no_case_of_any_pattern(right):
    graphs = {}
    asked = [each for each in patterns.PATTERNS if not each.graph.of_variables]
    for name in [name for each in asked for name in each.candidates()[::37]]:
        try:
            graphs[name] = evaluate(patterns.graph_of(name))
        except GraphError:
            continue
    assert len(graphs) > 300
    departing = [
        (name, answer.detail)
        for name, answer in zip(graphs, right.ask(list(graphs.values())), strict=True)
        if answer.outcome not in (Outcome.PASS, Outcome.QUALITY)
    ]
    assert departing == []
    assert right.in_packs == []


def test_a_right_device_departs_in_no_random_graph(right):
    graphs = [evaluate(graph) for number in range(2) for graph in random_batch(5, number, [])]
    assert len(graphs) > 80
    departing = [
        (case_of(answer).graph.text, answer.detail)
        for answer in right.ask(graphs)
        if answer.outcome not in (Outcome.PASS, Outcome.QUALITY)
    ]
    assert departing == []


def test_a_graph_that_ends_the_process_ends_no_other():
    device = asking(DEATH)
    names = ["Squeeze-Unsqueeze", "Clamp", "Squeeze-Unsqueeze/two.axes=other", "SoftMax"]
    graphs = [
        evaluate(patterns.graph_of(name)) for name in ("Clamp", "Squeeze-Unsqueeze", "SoftMax")
    ]
    try:
        answers = device.ask(graphs)
    finally:
        device.session.close()
    assert [answer.outcome for answer in answers] == [Outcome.PASS, Outcome.CRASH, Outcome.PASS], (
        names
    )
    assert answers[1].facts.signal == "SIGABRT"


# --- planted faults -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_named_and_shrunk(fault):
    """The pattern shows it; the layers alone do not; and one layer more than needed is left at most."""
    pattern = FAULTS[fault]
    device = asking(fault)
    try:
        ids = [name for name in patterns.select([pattern])[0].ids() if name.count("=") < 2]
        departing = []
        while ids and not departing:
            some, ids = ids[:6], ids[6:]
            answers = device.ask([evaluate(patterns.graph_of(name)) for name in some])
            departing = [answer for answer in answers if answer.departs]
        assert departing, f"{fault}: no case of {pattern} shows it"
        by = attribute(device, departing[0])
        assert by.is_graph, by
        shrunk = shrink(device, departing[0], True, 900)
    finally:
        device.session.close()
    assert shrunk.is_done
    assert shrunk.answer.way == departing[0].way
    smallest = case_of(shrunk.answer).graph
    assert len(smallest.steps) <= Fault.read(fault).layers + 1, smallest.text
    assert max(max(fed.shape, default=0) for fed in smallest.fed.values()) <= 3
    assert shrunk.conforms, "the nearest graphs that conform say what must be there"


def test_a_shrunk_graph_says_what_must_be_there():
    device = asking(MEMORY_REUSED)
    try:
        start = "x=f32[2,3]; const b=f32[3]~1; a=Add-1(x,b); c=ReLU-1(a); y=Multiply-1(a,b); return a,c,y"
        (answer,) = device.ask([evaluate(read(start))])
        shrunk = shrink(device, answer, True, 240)
    finally:
        device.session.close()
    assert case_of(shrunk.answer).graph.operations == ("Add-1", "Multiply-1")
    assert "y is no result" in [each.what for each in shrunk.conforms] or any(
        "only" in each.what for each in shrunk.conforms
    )


def test_every_proposal_is_smaller_and_valid():
    for name in ("MVN/unknown=all", "decompression-u4-groups", "Split-Concat/type=f16"):
        graph = evaluate(patterns.graph_of(name))
        found = [each for kind in simpler.KINDS for each in simpler.proposals(graph, kind)]
        assert len(found) > 5
        for each in found:
            assert simpler.size(each.graph) < simpler.size(graph.graph)
            evaluate(each.graph)


class Departing:
    """Answers as a device that is wrong about graphs which ``is_wrong`` tells, of several layers."""

    def __init__(self, is_wrong: Callable[[AskedGraph], bool]) -> None:
        self.is_wrong, self.asked, self.confirms = is_wrong, 0, True

    def ask(self, graphs: Sequence[Evaluated]) -> list[Verdict]:
        self.asked += len(graphs)
        wrong = [len(each.graph.steps) > 1 and self.is_wrong(each.graph) for each in graphs]
        return [
            Verdict(GraphCase.as_text(each), Outcome.FAIL if is_wrong else Outcome.PASS)
            for each, is_wrong in zip(graphs, wrong, strict=True)
        ]


@pytest.mark.parametrize(
    "start, needed, smallest",
    [
        (
            "x=f16[2,3,4]; const zero=f16[2,3,4]:0.5; r=ReadValue-6(zero){variable_id=sum;variable_type=f16;"
            "variable_shape=2,3,-1}; a=Add-1(r,x); set=Assign-6(a){variable_id=sum}; y=ReLU-1(a); return y,r",
            {"ReadValue-6", "Add-1"},
            "x=f32[]:1; const zero=f32[]:1; r=ReadValue-6(zero){variable_id=sum;variable_type=f32;variable_shape=}; "
            "a=Add-1(r,x); set=Assign-6(a){variable_id=sum}; return a",
        ),
        (
            "x=f32[2,3]; const one=f32[2,3]:1; p=ReadValue-6(one){variable_id=a;variable_type=f32;variable_shape=2,3}; "
            "q=ReadValue-6(one){variable_id=b;variable_type=f32;variable_shape=2,3}; c=Add-1(p,x); s=Subtract-1(c,q); "
            "setp=Assign-6(q){variable_id=a}; setq=Assign-6(c){variable_id=b}; return s",
            {"Add-1", "Subtract-1"},
            "x=f32[]:1; p=f32[]:1; q=f32[]:1; c=Add-1(p,x); s=Subtract-1(c,q); return s",
        ),
        (
            "x=f32[2,3,4]; z=f32[2,3,4]~1; c=boolean[]; a=Abs-1(x); b=If-8(c,a,z){then_body=add;else_body=subtract}; "
            "y=ReLU-1(b); return y",
            {"If-8", "Abs-1"},
            "x=f32[]:1; z=f32[]:1; c=boolean[]:true; a=Abs-1(x); b=If-8(c,a,z){then_body=first;else_body=first}; "
            "return b",
        ),
    ],
    ids=["variable", "two-variables", "bodies"],
)  # fmt: skip
def test_variables_and_bodies_become_small(start, needed, smallest):
    device = Departing(lambda graph: needed <= set(graph.operations))
    (answer,) = device.ask([evaluate(read(start))])
    shrunk = shrink(device, answer, True, 240)
    assert case_of(shrunk.answer).graph.text == smallest


def test_the_shape_of_a_variable_becomes_known():
    source = (
        "x=f32[2,3]; const z=f32[2,3]:1; r=ReadValue-6(z){variable_id=a;variable_type=f32;variable_shape=-1,3}; "
        "b=Add-1(r,x); set=Assign-6(b){variable_id=a}; return b"
    )
    found = simpler.proposals(evaluate(read(source)), "unknown shapes")
    assert "the model knows the shape of variable a" in [each.what for each in found]


def test_a_variable_without_a_stated_shape_is_shrunk():
    source = (
        "x=f32[2,3]; const z=f32[2,3]:1; r=ReadValue-3(z){variable_id=a}; b=Add-1(r,x); "
        "set=Assign-3(b){variable_id=a}; y=ReLU-1(b); return y"
    )
    device = Departing(lambda graph: {"ReadValue-3", "Add-1"} <= set(graph.operations))
    (answer,) = device.ask([evaluate(read(source))])
    smallest = case_of(shrink(device, answer, True, 240).answer).graph
    assert smallest.operations == ("ReadValue-3", "Add-1", "Assign-3")
    assert smallest.fed["x"].shape == ()


@pytest.mark.parametrize("name", ["state-sum", "state-exchange", "state-zeros", "state-joined"])
def test_the_second_inference_has_what_the_first_one_has_set(name):
    """On a device of OpenVINO, which keeps variables from one inference of a request to the next."""
    device = GraphRunner(Session("CPU", parse("accuracy"), 120.0))
    try:
        (answer,) = device.ask([evaluate(patterns.graph_of(name))])
    finally:
        device.session.close()
    assert answer.outcome is Outcome.PASS, answer.detail


def test_a_constant_without_elements_has_no_value_to_shorten():
    graph = evaluate(read("x=f32[2]; const e=f32[0,2]:; y=Add-1(x,e); return y"))
    found = [text(each.graph) for kind in simpler.KINDS for each in simpler.proposals(graph, kind)]
    assert any("f32[0,2]:1" in each for each in found)


def test_an_index_stays_within_data_where_it_was():
    source = (
        "x=f32[4,3]; const i=i64[2]:3,1; const a=i64[]:0; g=Gather-8(x,i,a); y=ReLU-1(g); return y"
    )
    graph = evaluate(read(source))
    sizes = [each.graph for each in simpler.proposals(graph, "sizes")]
    assert sizes
    assert all(
        each.fed["x"].shape[0] == 4
        or max(map(int, each.fed["i"].fill[1:].split(","))) < each.fed["x"].shape[0]
        for each in sizes
    )
    beyond = evaluate(read(source.replace(":3,1", ":7,1")))
    assert any(each.graph.fed["x"].shape[0] < 4 for each in simpler.proposals(beyond, "sizes"))


def test_only_a_graph_that_differs_from_the_reference_gets_a_bound(right, monkeypatch):
    carried = []

    def counted(case, *args, **kwargs):
        carried.append(case)
        return expected_by_inference(case, *args, **kwargs)

    monkeypatch.setattr("devices.engine.graphs.expected_by_inference", counted)
    graph = evaluate(read("x=f32[2,3]; a=Exp-1(x); y=Add-1(a,x); return y"))
    (answer,) = right.ask([graph])
    assert (answer.outcome, carried) == (Outcome.PASS, [])
    wrong = asking("stale result:Add-1>Multiply-1")
    try:
        start = "x=f32[2,3]; const b=f32[3]~1; a=Add-1(x,b); y=Multiply-1(a,b); return a,y"
        (answer,) = wrong.ask([evaluate(read(start))])
    finally:
        wrong.session.close()
    assert answer.departs
    assert answer.facts.inference == 2
    # The folder of a find has the first inference as well.
    assert answer.evidence is not None
    assert len(answer.evidence.expected) == 2
    assert carried


# --- the search ---------------------------------------------------------------------------------------------------


def run_search(folder: Path, fault: str, *, batches: int = 1, end: float = float("inf")) -> Journal:
    device = asking(fault)
    settings = {"device": DEVICE, "seed": 0}
    journal = Journal(folder, settings)
    journal.begin()
    search = Search(device, journal, 0, [FAULTS[fault]])
    device.session.end = end
    try:
        search._wait_again()
        while search._has_departures:
            search._follow_next()
        for name, ids in list(pattern_batches(search.pattern_names, []))[:batches]:
            if name not in journal.done:
                search._take(name, ask_graphs(device, list(graphs_of(ids[:40]))))
    finally:
        device.session.close()
    return journal


def test_a_search_tells_a_fault_once_and_goes_on(tmp_path):
    journal = run_search(tmp_path, REFUSAL)
    (find,) = journal.finds
    assert find.way[0] == "REFUSED"
    assert journal.counts[find.name] > 3
    folder = tmp_path / "finds" / find.name
    assert (folder / "reproduce.py").is_file()
    assert find.graph.split("; ")[0] in (folder / "graph.txt").read_text("utf-8")
    before = (tmp_path / "search.jsonl").read_text("utf-8")
    again = run_search(tmp_path, REFUSAL)
    assert [each.name for each in again.finds] == [find.name]
    assert again.counts == journal.counts
    assert (tmp_path / "search.jsonl").read_text("utf-8") == before


@pytest.mark.parametrize("lines", [1, -1, -3], ids=["batch", "last", "find"])
def test_a_search_that_was_cut_off_loses_nothing_and_counts_nothing_twice(tmp_path, lines):
    journal = run_search(tmp_path, REFUSAL)
    path = tmp_path / "search.jsonl"
    whole = path.read_text("utf-8").splitlines()
    # In the middle of a line: of the batch, of the last departure, of one behind the find.
    path.write_text("\n".join(whole[:lines]) + '\n{"event": "dep', "utf-8")
    again = run_search(tmp_path, REFUSAL)
    assert [each.name for each in again.finds] == [each.name for each in journal.finds]
    assert again.counts == journal.counts
    assert again.outcomes == journal.outcomes
    assert not again.waiting


def test_what_departs_waits_until_there_is_time_to_follow_it(tmp_path, monkeypatch):
    whole = run_search(tmp_path / "whole", REFUSAL)
    monkeypatch.setattr(searching, "_FOLLOWING", 0.0)
    journal = run_search(tmp_path / "cut", REFUSAL, end=time.monotonic() + 3600)
    assert not journal.finds
    assert len(journal.waiting) == sum(whole.counts.values())
    assert "left to examine: the same command continues" in "\n".join(summary(journal))
    again = run_search(tmp_path / "cut", REFUSAL)
    assert [each.graph for each in again.finds] == [each.graph for each in whole.finds]
    assert again.counts == whole.counts
    assert not again.waiting


def test_another_search_does_not_go_on_in_the_folder(tmp_path):
    Journal(tmp_path, {"device": "CPU", "seed": 0}).begin()
    with pytest.raises(JournalError, match="another seed"):
        Journal(tmp_path, {"device": "CPU", "seed": 1}).begin()


def test_a_damaged_journal_is_told(tmp_path):
    (tmp_path / "search.jsonl").write_text(
        '{"event": "search", "seed": 0}\n{"ev\n{"event": "batch"}\n', "utf-8"
    )
    with pytest.raises(JournalError, match="line 2"):
        Journal(tmp_path, {"seed": 0}).begin()


@pytest.mark.parametrize(
    "content, words",
    [
        ("[]\n", "line 1 is no event of a search"),
        ("5\n", "line 1 is no event of a search"),
        ("null\n", "line 1 is no event of a search"),
        ("[" * 100_000 + "\n{}\n", "line 1 is damaged"),
    ],
)
def test_what_is_no_journal_is_told(tmp_path, content, words):
    (tmp_path / "search.jsonl").write_text(content, "utf-8")
    with pytest.raises(JournalError, match=words):
        Journal(tmp_path, {"seed": 0}).begin()


def test_a_search_that_asked_nothing_is_told(tmp_path, capsys):
    search = ["search", "--device", DEVICE, "--minutes", "0.00001", "--out", str(tmp_path)]
    assert main([*search, "--processes", "0"]) == 2
    assert "no graph was tested in 1e-05 minutes: give more --minutes" in capsys.readouterr().err


def test_a_journal_with_other_events_is_told(tmp_path):
    (tmp_path / "search.jsonl").write_text(
        '{"event": "search", "seed": 0}\n{"event": "batch", "name": "lines 0", "outcomes": {}, '
        '"seconds": 1, "waiting": ["a graph"]}\n',
        "utf-8",
    )
    with pytest.raises(JournalError, match="unknown here"):
        Journal(tmp_path, {"seed": 0}).begin()


def test_a_seed_gives_the_same_graphs_in_another_process():
    code = "from devices.search.batches import random_batch\nprint([g.text for g in random_batch(3, 1, [])])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "7"},
        check=True,
    )
    own = [graph.text for graph in random_batch(3, 1, [])]
    assert found.stdout.strip() == str(own)
    assert own != [graph.text for graph in random_batch(4, 1, [])]
    assert len(own) > 30


def test_random_graphs_have_the_operation_that_is_asked_for():
    found = random_batch(0, 0, ["MatMul-1"])
    assert found
    assert all("MatMul-1" in graph.operations for graph in found)
    assert all(2 <= len(graph.steps) <= 5 for graph in found)


def test_a_layer_that_would_be_given_a_string_is_not_drawn():
    found = []
    for seed in range(60):
        draw = Draw(random.Random(seed))
        strings = begun(catalog.operation("StringTensorPack-15"), draw)
        longer = strings and grown(strings, catalog.operation("Pad-12"), draw, "n1", 8)
        found += [longer.graph] if longer else []
    assert found
    for graph in found:
        assert read(graph.text).text == graph.text


def test_drawn_graphs_are_the_same_for_a_seed():
    for kind in ("pairs", "chains", "conversions"):
        found = [drawn(kind, seed, 1, ["Clamp-1"]) for seed in (3, 3, 4)]
        one, again, other = ([name for name, _ in each] for each in found)
        assert one == again
        assert one != other
        assert all("Clamp-1" in graph.operations for _, graph in found[0])
    assert drawn("pairs", 3, 0)


def test_each_pair_comes_each_time_once_and_with_other_rows():
    every = pairs.chains(3)
    found = [(*pair, chain.turn) for chain in every for pair in pairwise(chain.names)]
    kinds = {each[:2] for each in found}
    assert len({*found}) == len(found) == len(kinds) * pairs.TURNS
    assert len(kinds) > 5000
    assert {len(chain.names) for chain in every} == {*range(2, pairs.PAIRS + 2)}
    assert pairs.pair_batch(3, len(every)) == []
    of_pair = [chain.rows for chain in every if ("Add-1", "Multiply-1") in pairwise(chain.names)]
    assert of_pair[0] == (0, 1)
    assert len({row for chosen in of_pair for row in chosen}) > 10


def test_rows_are_chosen_by_what_a_pair_of_operations_has():
    """Two activations have neither a constant nor axes: their rows are those in which other levels meet."""
    chooser = Rows()
    chosen = [chooser.choose(("Exp-1", "Tanh-1"), 1) for _ in range(40)]
    met = [rows()[place] for (place,) in filter(None, chosen)]
    assert len(met) < len(rows()) / 2
    names = ("type", "rank", "size", "read", "unknown")
    for one, other in combinations(names, 2):
        wanted = {(row[one], row[other]) for row in rows() if row["size"] != "1"}
        assert {(row[one], row[other]) for row in met} >= wanted
    assert {row["size"] for row in met} == {"large", "equal", "1"}


def test_rows_have_each_two_levels_together():
    levels = {(name, level) for row in rows() for name, level in row.items()}
    missing = [
        (one, other)
        for one, other in combinations(sorted(levels), 2)
        if one[0] != other[0] and not any({one, other} <= {*row.items()} for row in rows())
    ]
    assert missing == []


def test_a_graph_takes_the_levels_of_a_row_that_suit_it():
    graph = evaluate(read("x=f32[1,4]; b=f32[4]; a=Erf-1(x); y=Add-1(a,b); return y"))
    row = dict(rows()[0], constant="axis", unknown="all", order="swapped", read="all", type="f16")
    found = varied(graph, row)
    assert found.steps[1].inputs == ("b", "a")
    assert found.fed["b"].shape == (2, 3, 4)
    assert found.fed["b"].is_constant
    assert found.fed["x"].unknown == {0, 1}
    assert found.results == ("y", "a", "a_also", "y_also")
    assert {each.element_type.name for each in found.fed.values()} == {"f16"}


def test_a_graph_evaluated_beside_a_known_one_is_as_if_alone():
    source = (
        "x=f32[2,3]; const b=f32[3]~1; const c=f32[]:2; a=Erf-1(x); m=Multiply-1(a,b); "
        "y=Add-1(m,c); z=Tanh-1(y); return z"
    )
    known = evaluate(read(source))
    for old, new in (
        ("~1", "~2"),
        (":2", ":3"),
        ("f32[2,3]", "f32[4,2,3]"),
        ("(m,c)", "(a,c)"),
        ("Erf-1", "Exp-1"),
        ("; z=Tanh-1(y); return z", "; return y,a"),
    ):
        graph = read(source.replace(old, new))
        found, alone = evaluate(graph, known=known), evaluate(graph)
        assert found.tensors == alone.tensors
        assert all((found.arrays[name] == alone.arrays[name]).all() for name in alone.arrays)
        assert found.arrays.keys() == alone.arrays.keys()
        assert found.layers == alone.layers
    assert evaluate(read(source), known=known).arrays["z"] is known.arrays["z"]


@pytest.mark.parametrize("kind, value, last", [("i32", "3", 14), ("u8", "246", 255)])
def test_a_constant_of_integers_has_other_shapes_with_numbers_of_its_type(kind, value, last):
    graph = evaluate(read(f"x={kind}[3,4]; const q={kind}[]:{value}; a=Maximum-1(x,q); return a"))
    levels = factors_of(graph, "constants")["q.shape"].levels
    assert {"full", "last", "channel", "more-ones"} <= {*levels}
    array = evaluate(levels["full"](graph.graph)).arrays["q"]
    assert array.shape == (3, 4)
    assert (array.min(), array.max()) == (int(value), last)
    assert len(np.unique(array)) > 5


def test_many_numbers_of_a_constant_are_random_ones():
    """A text that has thousands one by one is slow to read, and no person would write it."""
    graph = evaluate(read("x=f32[9,9,9]; const b=f32[]:2; a=Erf-1(x); y=Add-1(a,b); return y"))
    found = varied(graph, dict(rows()[0], constant="full"))
    assert found.fed["b"].shape == (9, 9, 9)
    assert len(found.text) < 200
    assert len({*evaluate(found).arrays["b"].reshape(-1).tolist()}) > 100


def test_a_row_makes_no_tensor_of_more_dimensions_than_models_have():
    graph = evaluate(
        read("x=f32[2,3,2,3,2]; const b=f32[3,2]~1; a=Erf-1(x); y=Add-1(a,b); return y")
    )
    for constant, rank in (("rank", 6), ("axis", 6), ("full", 5)):
        found = evaluate(varied(graph, dict(rows()[0], constant=constant)))
        assert found.tensors["y"].rank == rank
    high = evaluate(varied(graph, dict(rows()[0], constant="rank", rank="high")))
    assert high.tensors["y"].rank == 6


def test_chains_have_each_operation_behind_each_other_once():
    found = [
        (one.name, other.name)
        for number in range(chains.count(3))
        for one, other in pairwise(chains.chain(3, number))
    ]
    names = {one for one, _ in found}
    assert len({*found}) == len(found) == len(names) ** 2


def test_crossings_are_no_cases_of_the_suite():
    of_erf = crossings(("Erf-1",))
    assert len({*of_erf}) == len(of_erf) > 100
    assert all(1 <= name.count("=") <= 2 for name in crossing_batch(0, ["Erf-1"]))
    known = [each for each in patterns.PATTERNS if "Erf-1" in each.graph.operations]
    assert {name for each in known for name in each.candidates()}.isdisjoint(of_erf)
    assert crossings(("Assign-6",)) == ()


PACK = {
    "y": "x=f32[2,3]; b=f32[3]; a=Add-1(x,b); y=Multiply-1(a,b); return y",
    **{f"r{n}": f"x=f32[2,{n}]; y=ReLU-1(x); return y" for n in range(1, 9)},
    "s": "x=f32[2,3]; z=Erf-1(x); y=SoftMax-8(z){axis=-1}; return y",
}


def test_what_departs_in_a_pack_alone_is_told_with_what_switches_it_on(tmp_path):
    device = asking("switched on:Add-1>Multiply-1:with SoftMax-8")
    journal = Journal(tmp_path, {"device": DEVICE})
    journal.begin()
    search = Search(device, journal, 0)
    try:
        search._take(
            "a pack", ask_graphs(device, [(n, read(source)) for n, source in PACK.items()])
        )
    finally:
        device.session.close()
    (find,) = journal.finds
    assert journal.outcomes["depart in a pack alone"] == 1
    assert sorted(read(find.graph).operations) == ["Add-1", "Multiply-1", "SoftMax-8"]


def test_graphs_that_conform_together_have_no_fewest(right):
    assert fewest(right, [read(source) for source in PACK.values()]) is None


def test_layers_that_depart_alone_are_not_asked_again():
    suspects = Suspects()
    one = "x=f32[2,3]; const i=i64[1]:1; n=ReduceMax-1(x,i){keep_dims=true}; return n"
    other = one.replace("true", "false")
    graphs = {text: evaluate(read(text)) for text in (one, other)}
    for _ in range(2):
        suspects.learn(dict.fromkeys(traits_of(graphs[other]), 1), [])
    for _ in range(2):
        assert not has_one(graphs[one], suspects.known)
        suspects.departs(one)
    assert has_one(graphs[one], suspects.known)
    assert not has_one(graphs[other], suspects.known)


@pytest.mark.parametrize("outcome, is_asked", [("COMPILED", True), ("REFUSED", False)])
def test_random_graphs_are_asked_whose_layers_do_not_depart(outcome, is_asked):
    class Device:
        in_packs = ()

        def ask(self, graphs):
            return [Verdict(GraphCase.as_text(each), Outcome(outcome)) for each in graphs]

        def newly_reached(self):
            return {}

    graph = read("x=f32[2,3]; y=ReLU-1(x); z=Abs-1(y); return z")
    found = ask_graphs(Device(), [(graph.text, graph)], "random")
    assert found.outcomes == {outcome if is_asked else NOT_ASKED: 1}


# --- commands -----------------------------------------------------------------------------------------------------


def test_the_command_shrinks_a_graph_and_writes_its_folder(tmp_path, capsys):
    graph = (
        "x=f32[2,3,4]; const o=i64[3]:2,0,1; const i=i64[1]:1; a=Transpose-1(x,o); b=ReLU-1(x); "
        "y=ReduceMean-1(a,i){keep_dims=true}; return y,b"
    )
    out = tmp_path / "find"
    arguments = [
        "shrink",
        graph,
        "--device",
        DEVICE,
        "--profile",
        f"FAULT={WRONG_AXIS}",
        "--out",
        str(out),
    ]
    assert main(arguments) == 1
    told = capsys.readouterr().out
    assert "Transpose-1" in told
    assert "ReLU-1" not in told
    assert "It conforms when" in told
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["case"].startswith("Graph/graphs/")
    assert manifest["result"]["device"] == DEVICE
    assert manifest["result"]["profile"] == f"FAULT={WRONG_AXIS}"
    # The folder says it all: device, settings, graph.
    assert main(["shrink", str(out)]) == 1
    assert capsys.readouterr().out.splitlines()[0] == told.splitlines()[0]
    # A folder of a run says the profile, which means more than settings.
    (out / "manifest.json").write_text(json.dumps({**manifest, "settings": {}}), "utf-8")
    assert main(["shrink", str(out)]) == 1
    # One that was made without a run has its settings.
    (out / "manifest.json").write_text(json.dumps({**manifest, "result": None}), "utf-8")
    assert main(["shrink", str(out)]) == 1


def test_a_layer_that_cannot_be_asked_alone_does_not_count_as_conforming(capsys):
    graph = (
        "b=i32[1]:0; e=i32[1]:1; s=u8[1]:97; const i=i64[1]:0; t=StringTensorPack-15(b,e,s); "
        "y=GatherND-8(t,i); return y"
    )
    assert main(["shrink", graph, "--device", "CPU"]) == 1
    told = capsys.readouterr().out
    assert (
        "GatherND-8 cannot be tested alone; each other layer conforms alone; "
        "with every tensor as a result it is REFUSED as well" in told
    )


def test_what_is_no_case_is_not_replaced_by_the_smallest_graph(tmp_path, capsys):
    graph = "x=f32[2,3]; y=ReLU-1(x); return y"
    folder, file = tmp_path / "docs", tmp_path / "cpu.jsonl"
    folder.mkdir()
    (folder / "page.md").write_text("a page")
    file.write_text("results")
    for out, told in ((folder, "holds files that are not a case's"), (file, "is a file")):
        assert main(["shrink", graph, "--device", DEVICE, "--out", str(out)]) == 2
        assert f"{out} {told}" in capsys.readouterr().err
    assert (folder / "page.md").read_text() == "a page"
    assert file.read_text() == "results"


def test_finds_of_others_are_not_replaced(tmp_path):
    (tmp_path / "finds.md").write_text("mine")
    with pytest.raises(JournalError, match="is not of a search; choose another --out"):
        Journal(tmp_path, {}).begin()
    assert [path.name for path in tmp_path.iterdir()] == ["finds.md"]


@pytest.mark.parametrize("option", ["--timeout", "--minutes"])
@pytest.mark.parametrize("command", [["shrink", "Clamp"], ["search"]])
def test_limits_are_above_0(command, option, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*command, f"{option}=-1"])
    assert caught.value.code == 2
    assert "expected a number above 0, got '-1'" in capsys.readouterr().err


def test_what_was_shrunk_is_shrunk_again_with_the_environment_of_its_profile(
    tmp_path, capsys, monkeypatch
):
    # The planted device has no kernels that could show the cap.
    monkeypatch.setattr(Profile, "check", lambda *_: None)
    graph = (
        "x=f32[2,3,4]; const o=i64[3]:2,0,1; const i=i64[1]:1; a=Transpose-1(x,o); "
        "y=ReduceMean-1(a,i){keep_dims=true}; return y"
    )
    wrong = f"FAULT={WRONG_AXIS},isa=AVX2"
    first, second = tmp_path / "first", tmp_path / "second"
    given = ["--device", DEVICE, "--profile", wrong]
    assert main(["shrink", graph, *given, "--out", str(first)]) == 1
    assert main(["shrink", str(first), "--out", str(second)]) == 1
    for folder in (first, second):
        found = json.loads((folder / "manifest.json").read_text("utf-8"))
        assert found["result"]["profile"] == wrong
        assert found["environment"]["OV_CPU_MAX_ISA"] == "AVX2"
    capsys.readouterr()
    # An environment cannot be told from settings.
    (first / "manifest.json").write_text(json.dumps({**found, "result": None}), "utf-8")
    assert main(["shrink", str(first)]) == 2
    assert "sets ONEDNN_MAX_CPU_ISA, OV_CPU_MAX_ISA: give --profile" in capsys.readouterr().err
    assert main(["shrink", str(first), "--profile", wrong]) == 1


def test_the_search_asks_a_whole_pattern_and_goes_on_with_nothing_to_do(tmp_path, capsys):
    arguments = [
        "search",
        "--device",
        DEVICE,
        "--pattern",
        "Transpose-MatMul",
        "--out",
        str(tmp_path),
    ]
    assert main([*arguments, "--profile", f"FAULT={REFUSAL}"]) == 1
    told = capsys.readouterr().out
    assert "the fused layer is not implemented" in told
    assert (tmp_path / "finds.md").read_text("utf-8").splitlines()[0] == told.splitlines()[0]
    assert main([*arguments, "--profile", f"FAULT={REFUSAL}"]) == 1
    assert capsys.readouterr().out == told
    # Another search does not take the folder over.
    assert main(arguments) == 2
    assert "another profile" in capsys.readouterr().err


def test_a_search_of_a_right_device_finds_nothing(tmp_path, capsys):
    arguments = [
        "search",
        "--device",
        DEVICE,
        "--pattern",
        "Convert-Convert",
        "--out",
        str(tmp_path),
    ]
    assert main(arguments) == 0
    assert "0 depart" in capsys.readouterr().out


def test_the_command_says_that_a_graph_conforms(capsys):
    assert main(["shrink", "Clamp", "--device", DEVICE]) == 0
    assert capsys.readouterr().out.startswith("it conforms")


def test_the_command_shrinks_a_case_of_the_corpus(capsys):
    case = "Add-1/plain/f32[2,3,5,4],f32[2,3,5,4]/auto_broadcast=numpy"
    assert main(["shrink", case, "--device", DEVICE]) == 0
    assert "it conforms" in capsys.readouterr().out


def test_the_command_shrinks_a_case_with_the_layers_around_it(capsys):
    """Shapes that are not known, index inputs and layers beside it are those that the device was asked with."""
    case = "ReduceMean-1/plain/f32[3,2,5,4]/axes=[0];keep_dims=true"
    wrong = ["--device", DEVICE, "--profile", f"FAULT={WRONG_AXIS}"]
    for how in ("before=transpose", "shape=axis-1,before=transpose,behind=relu,also=output"):
        assert main(["shrink", f"{case}/{how}", *wrong]) == 1
        told = capsys.readouterr().out.partition("return")[0]
        assert [kind for kind in ("Transpose-1", "ReduceMean-1", "ReLU-1") if kind in told] == [
            "Transpose-1",
            "ReduceMean-1",
        ]
    assert main(["shrink", case, *wrong]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shrink", "Nothing-1/plain/f32[2]"], "Nothing-1"),
        (["shrink", "x=f32[2]; return"], "f32"),
        (["shrink", "Clamp/low.shape=no"], "low.shape is one of"),
        (["shrink", "ReLU-1/plain/f32[2]/-/requests=two"], "this one is about requests"),
        (["search", "--pattern", "Gelu-err"], "no pattern is called Gelu-err"),
        (["search", "--operation", "Gelu-err"], "Gelu-err"),
        (["search", "--only", "random"], "needs --minutes"),
        (["search", "--only", "random", "--pattern", "RMS"], "--only random tests no pattern"),
        (["search", "--profile", "sometimes"], "sometimes"),
    ],
)
def test_wrong_usage_is_one_line(arguments, words, capsys):
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert words in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "options, told",
    [
        (["--openvino", sys.prefix, "--profile", "arm=neoverse-v1"], "has an OpenVINO of its own"),
        (["--openvino", "FOLDER"], "no OpenVINO there"),
    ],
)
def test_an_openvino_of_ones_own_that_cannot_be(tmp_path, capsys, monkeypatch, options, told):
    # The command leaves what to load in its environment, which is that of these tests.
    for name in (own_build.OPENVINO, "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    given = [str(tmp_path) if each == "FOLDER" else each for each in options]
    assert main(["shrink", "Clamp", *given]) == 2
    assert told in capsys.readouterr().err


def test_a_search_whose_time_is_over_begins_nothing_and_leaves_what_waits(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "_FOLLOWING", 0.0)
    journal = run_search(tmp_path, REFUSAL, end=time.monotonic() + 3600)
    waiting = dict(journal.waiting)
    device = asking(REFUSAL)
    search = Search(device, journal, 0, [FAULTS[REFUSAL]])
    try:
        search.run(0.0)
    finally:
        device.session.close()
    assert device.session.questions == 0
    assert waiting
    assert journal.waiting == waiting


def test_what_the_suite_gives_no_verdict_of_is_told_with_its_graph(tmp_path, monkeypatch):
    text = "x=f32[2]; a=ReLU-1(x); b=Negative-1(a); return b"
    device = asking(REFUSAL)

    def fails(*_: object) -> list[object]:
        raise ValueError("nothing to compare with")

    monkeypatch.setattr("devices.engine.verdicts.judging.judge", fails)
    journal = Journal(tmp_path, {"device": DEVICE, "seed": 0})
    journal.begin()
    try:
        Search(device, journal, 0)._take("pairs 0", ask_graphs(device, [(text, read(text))]))
    finally:
        device.session.close()
    again = Journal(tmp_path, {"device": DEVICE, "seed": 0})
    again.begin()
    assert again.errors == {text: "judging fails: ValueError: nothing to compare with"}
    told = "\n".join(summary(again))
    assert (
        "No verdict, because of a fault of the suite:\n"
        f"- judging fails: ValueError: nothing to compare with: `{text}`" in told
    )


def test_what_others_have_asked_when_the_time_is_over_is_noted(tmp_path, monkeypatch):
    way = ("FAIL", "", "value", "", "", "")
    there = [
        (Batch(f"pairs {number}"), BatchResult(departing=[(f"graph {number}", way)]))
        for number in range(3)
    ]
    monkeypatch.setattr(searching, "ahead", lambda *_: (each for each in there))
    device, journal = asking(REFUSAL), Journal(tmp_path, {"seed": 0})
    journal.begin()
    search = Search(device, journal, 0)
    monkeypatch.setattr(
        search,
        "_attribute",
        lambda *_: device.ask([evaluate(read("x=f32[2]; a=ReLU-1(x); return a"))]),
    )
    try:
        search.run(1e-9)
    finally:
        device.session.close()
    assert device.session.questions == 0
    assert journal.done == {"pairs 0", "pairs 1", "pairs 2"}
    assert len(journal.waiting) == 3


def test_a_layer_alone_knows_the_shape_of_what_follows_from_constants():
    text = "x=f32[1?,1,3]; const k=f32[1,1,2]; w=Negative-1(k); a=ReLU-1(x); y=Convolution-1(a,w){}; return y"
    text = text.replace("{}", "{strides=1;pads_begin=0;pads_end=0;dilations=1}")
    _, last = layers_of(Verdict(GraphCase.as_text(evaluate(read(text))), Outcome.FAIL))[-1]
    assert last.graph.fed["a"].unknown == {0, 1, 2}
    assert not last.graph.fed["w"].unknown


def test_layers_of_a_departure_of_the_second_inference_have_its_data():
    case = patterns.case_of("x=f32[]~27; a=Negative-1(x); y=Exp-1(a); return y")
    first, second = case.evaluated(), case.evaluated(0, 1)
    for number, own in ((1, first), (2, second)):
        found = layers_of(Verdict(case, Outcome.FAIL, facts=Facts(inference=number)))
        (_, alone) = found[1]
        assert alone.arrays["a"] == own.arrays["a"]
    assert first.arrays["a"] != second.arrays["a"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        # As b x half + (x one) half, with one rounding each: the terms cancel.
        (
            "b=f32[]:-1.92; const one=f32[]:1.96; const x=f32[]:1.23; const half=f32[]:1.75; "
            "c=Add-1(b,one); d=Multiply-1(c,x); y=Multiply-1(d,half); return y",
            6.48e-7,
        ),
        # Products are where ulps are as large again as those of the operands.
        (
            "b=f32[]:-1.96; const one=f32[]:1.92; const x=f32[]:1.09; "
            "c=Add-1(b,one); y=Multiply-1(c,x); return y",
            2.3e-7,
        ),
    ],
)
def test_a_sum_may_be_computed_behind_the_factors(text, error):
    (narrow,) = expected_results(evaluate(read(text)), "")
    (wide,) = expected_results(evaluate(read(text)), "", reordered=True)
    assert narrow.bound < error < wide.bound < 2e-6
