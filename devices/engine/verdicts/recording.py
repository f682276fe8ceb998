"""A verdict as a record of results."""

from __future__ import annotations

from msgspec.structs import replace

from devices.engine.verdicts.verdict import Verdict
from ir_models.asking.id_parts import split_id
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, WorstElement


def observed(verdict: Verdict, device: str, profile: str) -> CaseRecord:
    """The record of one case before the gate has judged it."""
    case, compared = verdict.case, verdict.comparison
    parts = split_id(case.id)
    broken = case.broken_rule
    facts = replace(verdict.facts, rule=broken.id) if broken else verdict.facts
    return CaseRecord(
        case=case.id,
        operation=case.operation.name,
        category=case.operation.category,
        opset=case.operation.opset,
        purpose=case.purpose,
        how=parts.how,
        inputs=parts.inputs,
        parameters=parts.parameters,
        device=device,
        profile=profile,
        outcome=verdict.outcome,
        expected_outcome=verdict.expected_outcome,
        facts=facts,
        detail=verdict.detail,
        traceback=verdict.traceback,
        seconds=round(verdict.seconds, 6),
        kernel=verdict.kernel.name if verdict.kernel else "",
        precision=verdict.kernel.precision if verdict.kernel else "",
        pack_size=verdict.pack,
        gate=Gate.PASS,
        rule=broken.text if broken else "",
        fraction=compared.fraction if compared else None,
        worst=_worst(verdict),
        wrong=compared.wrong if compared else None,
        relative_error=compared.relative_error if compared else None,
        open=compared.open if compared else None,
        elements=compared.of if compared else None,
        digest=verdict.digest if verdict.outcome is Outcome.FAIL else "",
        clues=verdict.clues,
        right_with=verdict.right_with,
        graph=case.graph_text,
    )


def _worst(verdict: Verdict) -> WorstElement | None:
    compared = verdict.comparison
    if compared is None or not compared.wrong or compared.index is None:
        return None
    return WorstElement(
        output=verdict.output_index,
        index=tuple(map(int, compared.index)),
        expected=compared.expected,
        actual=compared.actual,
        low=compared.low,
        high=compared.high,
    )
