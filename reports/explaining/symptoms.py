"""How departures end, coarsely: what an adjudicator takes for one symptom.

Coarser than `reports.results.explained.alike`, which must not take two defects for one: here outputs, inferences and
signals are not distinct, and the words of a message need only be by and large the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reports.results.explained.alike import PRECISE, have_alike_words
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord

NOT_CHECKED = "not checked"
"""The ending of invalid layers."""
WRONG_VALUES = "wrong values"
"""The ending of layers that give wrong values, in whichever output and way."""

_INTEGER = re.compile(r"-?\d+")
_INTEGER_TYPE = re.compile(r"\b([iu])(8|16|32|64)\b")


class Symptom(NamedTuple):
    """How departures of one symptom end."""

    ending: str
    text: str = ""
    """The message that most of them have, of which the others have most words; or in which way values are wrong."""
    is_mechanism: bool = False
    """Whether all that end so have one mechanism, in whichever operation."""

    @property
    def is_refusal(self) -> bool:
        """Whether the device refuses valid layers."""
        return self.ending.startswith("refused")


def by_symptom(records: Sequence[CaseRecord]) -> dict[Symptom, list[CaseRecord]]:
    """Return departures by their symptom, in the order of their ids."""
    messages = _messages(records)
    found: dict[Symptom, list[CaseRecord]] = defaultdict(list)
    for each in sorted(records, key=lambda record: record.key):
        found[_symptom(each, messages)].append(each)
    return found


def _symptom(record: CaseRecord, messages: Mapping[tuple[str, str], str]) -> Symptom:
    facts = record.facts
    if facts.rule:
        # Whether what is not checked then works or dies is chance.
        return Symptom(NOT_CHECKED, facts.rule)
    if record.outcome is Outcome.REFUSED:
        message = messages[facts.stage, facts.message]
        return Symptom(f"refused at {facts.stage}", message, bool(message))
    if facts.kind in ("value", "not finite", "two answers"):
        nature = _nature(record)
        return Symptom(WRONG_VALUES, nature, nature not in ("", "imprecise"))
    if facts.kind in ("signal", "timeout"):
        return Symptom("dies", facts.stage if facts.stage in ("read", "compile") else "infer")
    return Symptom(facts.kind or str(record.outcome))


def _messages(records: Sequence[CaseRecord]) -> dict[tuple[str, str], str]:
    """The most frequent of the messages of a stage that have most of their words in common, for each."""
    messages = Counter((each.facts.stage, each.facts.message) for each in records)
    found: dict[tuple[str, str], str] = {}
    known: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for stage, message in sorted(messages, key=lambda one: (-messages[one], one)):
        words = frozenset(message.split())
        alike = (one for one, its in known[stage].items() if have_alike_words(its, words))
        found[stage, message] = next(alike, message)
        known[stage].setdefault(found[stage, message], words)
    return found


def _nature(record: CaseRecord) -> str:
    """In which way a wrong value is wrong, where the record tells it."""
    if _is_saturated(record):
        return "saturated"
    if record.facts.computed_as:
        return f"right for {record.facts.computed_as}"
    error = record.relative_error
    return "imprecise" if error is not None and error < PRECISE else ""


def _is_saturated(record: CaseRecord) -> bool:
    """Whether the worst element is an end of one of the layer's types, or of the i32 that plugins compute in."""
    worst = record.worst
    texts = (worst.expected, worst.actual) if worst else ()
    if not texts or not all(map(_INTEGER.fullmatch, texts)):
        return False
    expected, actual = map(int, texts)
    if actual in (-(2**31), 2**31 - 1):
        return abs(expected) > 2**31 - 1
    types = _INTEGER_TYPE.findall(" ".join((*record.inputs, *record.parameters.values())))
    sizes = [(kind, 2 ** int(bits)) for kind, bits in types]
    ends = [(0, size - 1) if kind == "u" else (-size // 2, size // 2 - 1) for kind, size in sizes]
    return expected != actual and any(actual in each for each in ends)
