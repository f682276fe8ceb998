"""What a search reaches of a device: kernels and joined layers by operation. What reached something new is varied."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from devices.__main__ import main
from devices.engine.questions import prepare, question_for, replies_by_case
from devices.process.protocol import ExecutedNode, Kernel, Reply
from devices.search.batches import VARIED, varied_batch
from devices.search.finds.journal import Journal
from devices.search.reached import counted, reached, table
from devices.search.searching import Search
from ir_models import patterns
from ir_models.graphs import evaluate, read

GRAPHS = (
    "x=f32[2,3]; w=f32[3,4]; b=f32[4]~1; m=MatMul-1(x,w); a=Add-1(m,b); y=ReLU-1(a); return y",
    "x=f32[2,3]; s=Sigmoid-1(x); y=Multiply-1(x,s); return y",
)


def node(name: str, kind: str, primitive: str, *layers: str) -> ExecutedNode:
    return ExecutedNode(name, Kernel(kind, primitive, "f32"), [name, *layers])


def test_kernels_and_layers_in_one_node() -> None:
    nodes = [
        node("c0.x", "Input", "unknown_f32"),
        node("c0.m", "FullyConnected", "brgemm_f32", "c0.a"),
        node("c0.y", "Eltwise", "jit_f32"),
        # A transformation has replaced both layers by one.
        node("c1.y", "Swish", "jit_f32"),
        node("Constant_12", "Const", "unknown_f32"),
    ]
    pack = [prepare(patterns.case_of(each), 0) for each in GRAPHS]
    split = replies_by_case(pack, question_for(pack), Reply(nodes=nodes))
    found = [
        sorted(reached(evaluate(read(text)), own.nodes))
        for text, own in zip(GRAPHS, split, strict=True)
    ]
    assert found == [
        [
            "MatMul > Add: FullyConnected",
            "MatMul: FullyConnected brgemm_f32",
            "ReLU: Eltwise jit_f32",
        ],
        ["Multiply: Swish jit_f32", "Sigmoid > Multiply: Swish"],
    ]
    names = [each for own in found for each in own]
    assert counted(names) == "reached: 3 kernels of 3 operations, 2 pairs of fused layers"
    assert table(names)[2:] == [
        "| operation | kernels | fused with what reads it |",
        "|---|---|---|",
        "| MatMul | FullyConnected brgemm_f32 | Add (FullyConnected) |",
        "| Multiply | Swish jit_f32 |  |",
        "| ReLU | Eltwise jit_f32 |  |",
        "| Sigmoid |  | Multiply (Swish) |",
    ]


def test_the_node_with_a_layers_name_is_its_kernel() -> None:
    nodes = [
        node("reorder", "Reorder", "reorder_f32", "m"),
        node("m", "FullyConnected", "brgemm_f32", "a", "y"),
    ]
    found = [*reached(evaluate(read(GRAPHS[0])), nodes)]
    assert found == [
        "MatMul: FullyConnected brgemm_f32",
        "MatMul > Add: FullyConnected",
        "Add > ReLU: FullyConnected",
    ]


def test_a_journal_that_does_not_tell_what_ran_goes_on(tmp_path: Path) -> None:
    search_in(tmp_path)
    event = {"event": "batch", "name": "lines 0", "outcomes": {}, "seconds": 1.0, "waiting": {}}
    with (tmp_path / "search.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")
    journal = search_in(tmp_path).journal
    assert (journal.done, journal.reached) == ({"lines 0"}, {})


@pytest.mark.parametrize(
    "graph",
    [
        "x=f32[2?,3?]; w=f32[3?,4?]; m=MatMul-1(x,w); y=ReLU-1(m); return y",
        # Which rows add, too.
        "x=f32[2?,3]; w=f32[3,4]; m=MatMul-1(x,w); y=ReLU-1(m); m_also=Negative-1(m); return y,m_also",
    ],
)
def test_variations_can_be_read_again(graph: str) -> None:
    made = varied_batch(graph).graphs()
    for text, _ in made:
        evaluate(read(text))
    assert {"?" in text for text, _ in made} == {True, False}


def test_a_device_that_tells_no_nodes_reaches_nothing() -> None:
    assert not list(reached(evaluate(read(GRAPHS[0])), []))
    assert counted([]) == "reached: 0 kernels of 0 operations, 0 pairs of fused layers"


def search_in(folder: Path) -> Search:
    journal = Journal(folder, {"device": "CPU"})
    journal.begin()
    asking: Any = None
    return Search(asking, journal, seed=0)


def names_of(search: Search, count: int) -> list[str]:
    search._wait_again()
    batches = search._batches(with_patterns=False, with_random=True)
    return [each.name for each in islice(batches, count)]


def test_graphs_that_reached_something_new_are_varied_once(tmp_path: Path) -> None:
    search = search_in(tmp_path)
    assert not any(VARIED in each for each in names_of(search, 9))
    found = {
        "ReLU: Eltwise jit": GRAPHS[0],
        "MatMul: FullyConnected": GRAPHS[0],
        "Swish": GRAPHS[1],
    }
    search.journal.batch("lines 0", {"PASS": 2}, 1.0, {}, found)
    # Interrupted, it goes on: the last graph first.
    search = search_in(tmp_path)
    assert search.journal.reached == found
    expected = [varied_batch(GRAPHS[1]).name, varied_batch(GRAPHS[0]).name]
    assert [each for each in names_of(search, 20) if VARIED in each] == expected
    search._queue([GRAPHS[0], GRAPHS[0]])
    assert search._to_vary == []
    search.journal.batch(expected[0], {"PASS": 9}, 1.0, {}, {})
    assert [each for each in names_of(search_in(tmp_path), 20) if VARIED in each] == expected[1:]


def test_variations_are_other_graphs_of_the_same_layers() -> None:
    made = varied_batch(GRAPHS[0]).graphs()
    assert len(made) > 5
    assert len({text for text, _ in made}) == len(made)
    for _, graph in made:
        # Rows add other readers of inner tensors.
        assert graph.operations[:3] == ("MatMul-1", "Add-1", "ReLU-1")
        evaluate(graph)


def test_the_command_tells_what_ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "search"
    arguments = ["search", "--pattern", "MatMul-Add-ReLU", "--processes", "0", "--out", str(out)]
    assert main(arguments) in (0, 1)
    assert "\nreached: " in capsys.readouterr().out
    page = (out / "reached.md").read_text()
    assert "| MatMul | " in page
    assert "FullyConnected" in page
    events = map(json.loads, (out / "search.jsonl").read_text().splitlines())
    batches = [event["reached"] for event in events if event["event"] == "batch"]
    told = [each for batch in batches for each in batch]
    assert any(each.startswith("MatMul > Add: ") for each in told)
    assert len(set(told)) == len(told)
