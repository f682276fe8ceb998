"""The cases of a baseline as records: what it shows of causes without another run.

A baseline knows which cases were asked, and how each of them departs. So the shares of an edited selector
(`reports.gate.precision`) and the names of departures follow from the baseline. Kernels are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ir_models.asking.id_parts import split_id
from reports.gate.baseline import Baseline, Line
from reports.gate.causes import Causes, name_of
from reports.gate.precision import Share
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord


class CorpusCase(NamedTuple):
    """A case of the corpus. ``rule`` is the id of the rule that an invalid layer breaks, ``graph`` a graph's text."""

    id: str
    category: str
    rule: str = ""
    graph: str = ""


def departures(baseline: Baseline, case: CorpusCase, line: Line) -> Iterator[CaseRecord]:
    """The ways in which a case departs, as records."""
    for ending in line.endings:
        if ending.outcome is not Outcome.PASS:
            record = _record(baseline, case, ending.outcome, ending.facts)
            fraction = line.extent.fraction if line.extent else None
            yield replace(record, cause=line.cause, gate=Gate.KNOWN, fraction=fraction)


def records(baseline: Baseline, cases: Iterable[CorpusCase]) -> Iterator[CaseRecord]:
    """The cases of the corpus that the baseline's own run asked, as records: of several ways to depart the first."""
    lines = baseline.departures()
    for case in cases:
        if case.id in lines:
            yield next(departures(baseline, case, lines[case.id]))
        elif case.id in baseline.asked:
            yield _record(baseline, case, Outcome.PASS, Facts(rule=case.rule))


def measured(
    baseline: Baseline, cases: Iterable[CorpusCase], known: Causes, before: Mapping[str, Share]
) -> dict[str, Share]:
    """The share of each selector in a baseline, by `reports.gate.causes.name_of` it.

    Selectors with conditions on kernels keep the share of ``before``, which was measured in a run.
    """
    of_kernels = {
        name_of(cause, selector)
        for cause in known.by_id.values()
        for selector in cause.selectors
        if "kernel" in selector.conditions
    }
    found = known.measure(records(baseline, cases), baseline.run)
    kept = {name: share for name, share in before.items() if name in of_kernels}
    return {name: share for name, share in found.items() if name not in of_kernels} | kept


def _record(baseline: Baseline, case: CorpusCase, outcome: Outcome, facts: Facts) -> CaseRecord:
    parts = split_id(case.id)
    return CaseRecord(
        case=case.id,
        operation=parts.operation,
        category=case.category,
        purpose=parts.purpose,
        how=parts.how,
        inputs=parts.inputs,
        parameters=parts.parameters,
        graph=case.graph,
        device=baseline.run.device,
        profile=baseline.run.profile,
        outcome=outcome,
        facts=facts,
        detail="",
        seconds=0,
        kernel="",
        precision="",
        gate=Gate.PASS,
    )
