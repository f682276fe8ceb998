"""Lines of layers out of formulas, each a graph of its own."""

from itertools import pairwise

import pytest

from ir_models.drawing.lines import line_batch, lines
from ir_models.drawing.rows import rows
from ir_models.graphs import evaluate
from tests.planted.graph_faults import Fault
from tests.planted.graph_trial import PlantedAsking

ERF = ("Divide-1", "Erf-1", "Add-1")


def test_lines_are_the_same_for_a_seed_and_have_each_row_once():
    one, again, other = (
        [graph.text for graph in line_batch(seed, 0, ["Erf-1"])] for seed in (3, 3, 4)
    )
    assert one == again
    assert one != other
    every = [each for each in lines(3) if each.graph.graph.operations == ERF]
    turns = [each.turn for each in every if each.graph is every[0].graph]
    assert turns == [*range(len(turns))]
    graphs = {
        graph.text for each in every if each.graph is every[0].graph for graph in each.graphs()
    }
    # Rows that make the same of these layers are one.
    assert len(rows()) // 2 < len(graphs) <= len(rows())
    assert all("Erf-1" in graph.operations for graph in line_batch(3, 0, ["Erf-1"]))
    assert line_batch(3, len(lines(3))) == []


def test_a_line_is_three_layers_of_which_each_reads_the_one_before():
    for line in lines(0)[::40]:
        steps = line.graph.graph.steps
        assert len(steps) == 3
        for before, step in pairwise(steps):
            assert before.name in {value.partition(":")[0] for value in step.inputs}


@pytest.mark.parametrize(
    "fault",
    [
        "rank dropped:Divide-1>Erf-1>Add-1:a dimension of 1",
        "not broadcast:Reshape-1>Multiply-1>Add-1:unknown shape",
        "equal dimensions:Minimum-1>Multiply-1>Multiply-1",
    ],
)
def test_lines_show_what_whole_formulas_hide(fault):
    planted = Fault.read(fault)
    device = PlantedAsking(planted)
    assert any(
        device.ask([evaluate(graph)])[0].departs
        for line in lines(0)
        if line.graph.graph.operations == planted.chain
        for graph in line.graphs()
    )
