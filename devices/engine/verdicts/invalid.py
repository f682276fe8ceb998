"""Judges a device's reply about an invalid layer, which it must refuse with a message."""

from __future__ import annotations

from devices.engine.verdicts.verdict import Verdict, not_in_release, stage_of
from devices.process.messages import one_line
from devices.process.protocol import Reply
from ir_models import Case, LayerCase
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome


def judge_invalid(case: Case, reply: Reply, release: str) -> Verdict:
    """The verdict: PASS for a refusal, ACCEPTED_INVALID for a layer that was compiled or computed."""
    assert isinstance(case, LayerCase), "no graph is invalid"
    rule = case.broken_rule
    broken = f"broken rule: {rule.text}" if rule else "broken rule unknown"
    if reply.compiled is not None and _is_told_at_run_time(case):
        detail = f"{broken}; compiled, which the values at run time decide"
        return Verdict(case, Outcome.COMPILED, detail)
    if not reply.refused:
        shapes = ", ".join(str(list(t.shape)) for each in reply.outputs[:1] for t in each)
        done = f"computed {shapes}" if reply.compiled is None else "compiled it"
        detail = f"{broken}; the device {done}"
        return Verdict(case, Outcome.ACCEPTED_INVALID, detail, Facts(kind="accepted"))
    if absent := not_in_release(case, reply, release):
        return absent
    message = one_line(reply.error)
    if not any(character.isalpha() for character in message):
        detail = f"{broken}; refused at {reply.stage} with an empty message"
        facts = Facts(stage=stage_of(reply.stage), kind="empty message")
        return Verdict(case, Outcome.FAIL, detail, facts)
    return Verdict(case, Outcome.PASS, f"refused at {reply.stage}: {message}")


def _is_told_at_run_time(case: LayerCase) -> bool:
    """Whether a layer that is only compiled may be one that breaks no rule: a stated value comes at run time."""
    return any(
        tensor is not None and tensor.value is not None and not case.feeds_constant(port, tensor)
        for port, tensor in case.layer.ports()
    )
