"""How bad a cause is, by rule: what its cases did, and how plausible their layers are.

The kinds stand in `SEVERITIES`, the worst first. A layer is plausible if a model may well have it: usual element types
and no empty tensor. Of two causes of one kind the one that plausible layers show comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast, get_args

from ir_models.asking.id_parts import DataPart, split_id, tensors
from reports.gate.baseline import Line
from reports.results.explained.alike import PRECISE
from reports.results.facts import Facts, Kind
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord

SEVERITIES = {
    "memory": "a crash, a hang or damaged memory on a valid layer",
    "silent": "a wrong value, shape or type that nobody is told of",
    "regression": "a departure of another kind that an earlier release did not show",
    "refusal": "a valid layer is refused",
    "unchecked": "an invalid layer is not refused, or ends the process",
    "accuracy": "values that are less exact than the bound",
    "folded": "the device never saw the layer",
}
"""The kinds, with what they mean; the worst first."""

PLAUSIBLE = frozenset(("f32", "f16", "bf16", "i8", "u8", "i32", "i64", "boolean"))
"""Element types of layers that real models have; i32 and i64 are those of indices."""

_ENDS = (Outcome.CRASH, Outcome.TIMEOUT)


class Severity(NamedTuple):
    """How bad a cause is."""

    kind: str
    """One of `SEVERITIES`; "" without a case."""
    is_plausible: bool
    """Whether a plausible layer shows it."""

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key, the worst first."""
        kinds = list(SEVERITIES)
        return (kinds.index(self.kind) if self.kind else len(kinds)), not self.is_plausible

    def __str__(self) -> str:
        if not self.kind:
            return "not seen"
        return self.kind if self.is_plausible else f"{self.kind}, unusual layers"


NOT_SEEN = Severity("", False)


def kind_of(outcome: Outcome, facts: Facts, is_invalid: bool, relative_error: float | None) -> str:
    """Return the kind of one departure; "" for one that says nothing about the device."""
    if outcome is Outcome.ACCEPTED_INVALID or (is_invalid and outcome in _ENDS):
        return "unchecked"
    if outcome in _ENDS or facts.kind in ("damage", "bytes"):
        return "memory"
    if outcome is Outcome.REFUSED:
        return "refusal"
    if outcome is Outcome.FOLDED:
        return "folded"
    if outcome not in (Outcome.FAIL, Outcome.FLAKE):
        return ""
    is_inexact = facts.kind == "value" and relative_error is not None and relative_error < PRECISE
    return "accuracy" if is_inexact else "silent"


def as_regression(severity: Severity, last_good: str) -> Severity:
    """Return the severity of what a release did right before: what would rank below a regression is one."""
    regression = severity._replace(kind="regression")
    return (
        regression if last_good and severity.kind and regression.rank < severity.rank else severity
    )


def of_records(records: Iterable[CaseRecord]) -> Severity:
    """Return the severity of the cause that these departures belong to."""
    return worst(map(of_record, records))


def of_record(record: CaseRecord) -> Severity:
    """Return the severity of one departure."""
    kind = kind_of(record.outcome, record.facts, record.purpose == "invalid", record.relative_error)
    severity = Severity(kind, _is_plausible(tensors(",".join(record.inputs))))
    return as_regression(severity, record.last_good)


def of_lines(lines: Iterable[tuple[str, Line]]) -> Severity:
    """Return the same by lines of a baseline, which tell no relative errors: every wrong value counts as wrong."""
    found = []
    for case, line in lines:
        parts = split_id(case)
        for outcome, facts in line.endings:
            kind = kind_of(outcome, facts, parts.purpose == "invalid", None)
            found.append(Severity(kind, _is_plausible(parts.tensors)))
    return worst(found)


def of_conditions(conditions: Iterable[Mapping[str, Sequence[str]]]) -> Severity:
    """Return the worst that the conditions of a cause's selectors admit, where no case is there to tell."""
    found = []
    for each in conditions:
        is_invalid = tuple(each.get("purpose", ())) == ("invalid",)
        types = set(each.get("type", ()))
        is_plausible = not types or not PLAUSIBLE.isdisjoint(types)
        kinds: Sequence[str] = each.get("kind", ("",))
        for outcome in each.get("outcome", ()):
            for kind in kinds:
                name = kind_of(Outcome(outcome), Facts(kind=_kind(kind)), is_invalid, None)
                found.append(Severity(name, is_plausible))
    return worst(found)


def _kind(pattern: str) -> Kind:
    return cast(Kind, pattern) if pattern in get_args(Kind) else ""


def worst(severities: Iterable[Severity]) -> Severity:
    """Return the worst of some severities."""
    return min((one for one in severities if one.kind), key=lambda one: one.rank, default=NOT_SEEN)


def _is_plausible(inputs: Iterable[DataPart | None]) -> bool:
    given = [each for each in inputs if each is not None]
    return all(each.element_type in PLAUSIBLE and 0 not in each.shape for each in given)
