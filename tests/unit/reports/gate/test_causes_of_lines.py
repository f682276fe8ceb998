"""The order of causes: each line of the shipped baselines is named by the cause that it says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ir_models
from ir_models.asking.id_parts import GRAPHS, is_of_graph
from reports.gate.baseline import Baseline
from reports.gate.causes import load
from reports.gate.measuring import CorpusCase, departures
from reports.results.records import CaseRecord
from tests.unit.reports.gate.shipped_baselines import FOLDERS, shipped_baseline

KNOWN = load()
CATEGORIES = {one.name: one.category for one in ir_models.operations()}

NAMED_OTHERWISE = {
    "CORE 2026.4": 7,
    "CPU 2026.4": 159,
    "CPU 2026.4-INFERENCE_NUM_THREADS=1": 68,
    "CPU 2026.4-INFERENCE_NUM_THREADS=1-avx2": 77,
    "CPU 2026.4-f16": 36,
    "CPU 2026.4-isa=AVX2": 209,
    "CPU 2026.4-isa=SSE41": 132,
    "CPU 2026.4-neoverse-v1": 16,
    "CPU 2026.4-performance": 60,
    "CPU 2026.4-performance-avx2": 50,
    "GPU 2026.4-pocl": 1,
    "GPU 2026.4-pocl-in-order": 49,
    "GPU 2026.4-rusticl": 5,
    "NPU 2026.4-NPU4000": 0,
}
"""How many endings of lines another cause names, or none. None may be added but where memory decides how a case ends,
so that one line has endings of two causes."""


def departures_of(known: Baseline) -> Iterator[CaseRecord]:
    """The ways in which the cases of a baseline depart, as records."""
    for case, line in known.departures().items():
        category = CATEGORIES.get(case.partition("/")[0], GRAPHS)
        graph = graph_of(case) if is_of_graph(case) else ""
        yield from departures(known, CorpusCase(case, category, graph=graph), line)


@cache
def graph_of(case: str) -> str:
    """The text of a graph, which several baselines have."""
    return ir_models.parse(case).graph.text


LARGE = {"rusticl-large-sparse-rows", "rusticl-nms-of-many-batches-heap"}
"""Causes whose smallest case no baseline names: rusticl was not asked layers of that size."""


def test_a_baseline_names_the_smallest_case_of_each_cause_that_it_shows() -> None:
    """A smallest case that passes, or that another cause names, shows nothing of its cause.

    One that no run has asked yet, of a cause that is new, is not held against it.
    """
    shown: dict[str, set[str]] = defaultdict(set)
    baselines = [shipped_baseline(folder) for folder in FOLDERS]
    for each in baselines:
        for case, line in each.departures().items():
            shown[line.cause].add(case)
    assert {
        one.id
        for one in KNOWN.by_id.values()
        if one.id in shown
        and one.smallest not in shown[one.id]
        and any(each.known(one.smallest) is not None for each in baselines)
    } == LARGE


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_each_line_is_named_by_its_cause(folder: Path) -> None:
    known = shipped_baseline(folder)
    offenders = []
    for record in departures_of(known):
        named = KNOWN.name(record, known.run)
        if named is None or named.id != record.cause:
            offenders.append(
                f"{record.case}\t{record.cause}\t{named.id if named else 'no cause'}\t{record.facts}"
            )
    admitted = NAMED_OTHERWISE[known.name]
    assert len(offenders) == admitted, "\n".join(["", *offenders])
