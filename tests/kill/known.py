"""Plants other wrong answers in known failures, and sees whether the gate finds them.

Each drawn case is asked on the device again. Its answer is changed in five ways: another last element, another first
one, all zero, all NaN, three times each value. The changed answer goes through the suite's judge and its gate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from devices.engine.questions import prepare, question_for
from devices.engine.session import Session
from devices.engine.verdicts.digests import varying
from devices.engine.verdicts.judging import answer_digest, answer_that_is_settled, judge_reply
from devices.engine.verdicts.recording import observed
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.protocol import Reply, TensorData
from devices.targets.profiles import parse as parse_profile
from ir_models import parse
from reports.gate import causes
from reports.gate.decision import GateTarget, targets_of
from reports.results.files.reading import Results, leaf_headers
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import count

TIMEOUT = 30.0
"""Seconds for a stage of a case."""

MOST_UNSEEN = {False: 0.1, True: 0.5}
"""The largest share of other answers that may stay unseen: of deterministic failures, and of nondeterministic ones."""


def _other(value: Any) -> Any:
    """A value that is clearly another one."""
    if isinstance(value, str):
        return f"{value}?"
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, np.floating) and not np.isfinite(value):
        return 1
    return value + 1 if abs(float(value)) < 1 else 0


def _last(values: np.ndarray) -> np.ndarray:
    values.flat[-1] = _other(values.flat[-1])
    return values


def _first(values: np.ndarray) -> np.ndarray:
    values.flat[0] = _other(values.flat[0])
    return values


def _zero(values: np.ndarray) -> np.ndarray:
    return np.zeros_like(values)


def _nan(values: np.ndarray) -> np.ndarray:
    return (
        np.full_like(values, np.nan) if np.issubdtype(values.dtype, np.floating) else _last(values)
    )


def _thrice(values: np.ndarray) -> np.ndarray:
    thrice: np.ndarray = (values * values.dtype.type(3)).astype(values.dtype)
    return thrice


PLANTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "last element": _last,
    "first element": _first,
    "all zero": _zero,
    "NaN": _nan,
    "x3": _thrice,
}


@dataclass
class Row:
    """What was planted in known failures of one kind, and what stayed unseen."""

    failures: int = 0
    planted: int = 0
    unseen: int = 0

    @property
    def share(self) -> float:
        """The share that stayed unseen."""
        return self.unseen / self.planted if self.planted else 0.0


def try_known(results: Results, number: int, report: Callable[[str], None]) -> dict[bool, Row]:
    """Return the rows of deterministic failures (False) and of nondeterministic ones (True), ``number`` of each."""
    rows = {False: Row(), True: Row()}
    known = causes.load()
    for header in leaf_headers(results.runs):
        for (device, profile), target in targets_of(header, known).items():
            own = [r for r in results.records if r.target == (device, profile)]
            session = Session(device, parse_profile(profile), TIMEOUT)
            try:
                for is_by_chance, row in rows.items():
                    for record in _drawn(own, target, number, is_by_chance):
                        _plant(record, target, session, row, report)
            finally:
                session.close()
    return rows


def _drawn(
    records: Sequence[CaseRecord], target: GateTarget, number: int, is_by_chance: bool
) -> list[CaseRecord]:
    """Known failures that the gate knows, drawn by hash."""
    found = []
    for record in records:
        line = target.baseline.known(record.case)
        is_wrong = record.outcome is Outcome.FAIL and record.facts.kind == "value"
        if is_wrong and line and line.line and line.line.is_nondeterministic is is_by_chance:
            found.append(record)
    found.sort(key=lambda record: hashlib.sha256(record.case.encode()).digest())
    return found[:number]


def _plant(
    record: CaseRecord,
    target: GateTarget,
    session: Session,
    row: Row,
    report: Callable[[str], None],
) -> None:
    prepared = prepare(parse(record.case), target.run.seed)
    try:
        reply, *others = [
            each.ask(question_for([prepared])) for each in (session, *session.in_other_memories)
        ]
    except (ChildDiedError, ChildHungError):
        return  # by chance: there is no answer to change
    if any(each.refused for each in (reply, *others)):
        return
    row.failures += 1
    in_others = [_changed(each) for each in others]
    for name, changed in _changed(reply).items():
        verdict = judge_reply(prepared, changed, record.device, session.inference_precision)
        elsewhere = [each.get(name, own) for each, own in zip(in_others, others, strict=True)]
        if verdict.digest and verdict.digest != answer_digest(prepared, elsewhere[0]):
            settled = answer_that_is_settled(prepared, *elsewhere)
            verdict.digest = varying(verdict.digest) + settled
        planted = target.decide(observed(verdict, record.device, record.profile))
        row.planted += 1
        if not (planted.gate.is_red or planted.conforms):
            row.unseen += 1
            report(f"unseen: {record.case}: {name}: {planted.outcome}, {planted.gate}")


def _changed(reply: Reply) -> dict[str, Reply]:
    """The reply with each change of the first output that has an element."""
    found: dict[str, Reply] = {}
    for name, change in PLANTS.items():
        outputs = [list(each) for each in reply.outputs]
        place = next((n for n, each in enumerate(outputs[0]) if 0 not in each.shape), None)
        if place is None:
            break
        before = outputs[0][place]
        values = np.array(before.values())
        with np.errstate(all="ignore"):
            after = np.ascontiguousarray(change(np.array(values)))
        if after.tobytes() == values.tobytes():
            continue
        try:
            outputs[0][place] = TensorData.of(after, before.element_type)
        except ValueError:
            continue  # the type has no such value
        found[name] = replace(reply, outputs=outputs)
    return found


def render(rows: dict[bool, Row]) -> str:
    """The table."""
    names = {False: "deterministic", True: "nondeterministic"}
    return "\n".join(
        f"{names[kind]:17} {count(row.failures, 'known failure')}, {row.planted} other answers planted, "
        f"{row.unseen} unseen ({row.share:.0%})"
        for kind, row in rows.items()
    )
