"""Whether two departures are of one kind: the same outcome, at the same place, with the same words, as wrong.

Strict on purpose: of two departures that are taken for one, one may be a defect that nobody looks at.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord

ENOUGH = 0.8
"""The share of the words of two messages that both must have. Names of nodes and neighbours in them differ."""

PRECISE = 0.01
"""A result with a smaller relative error than this is imprecise, one with a larger error is wrong."""
MORE = 100
"""How many times as large an error can be by other data, where results are imprecise."""

_HEAP = re.compile(r"malloc|free\b|corrupt|realloc|tcache|chunk|smashing")

# Damage that an inference did is found when its memory is used or freed.
_AS_LATE = {"fetch": "infer", "release": "infer"}

Kind = tuple[object, ...]


def kind_of(record: CaseRecord) -> tuple[Kind, frozenset[str]]:
    """Return what departures of one kind have exactly in common, and the words that they have by and large."""
    return kind_of_facts(record.outcome, record.facts)


@lru_cache(maxsize=65536)
def kind_of_facts(outcome: Outcome, facts: Facts) -> tuple[Kind, frozenset[str]]:
    """Return the same of an outcome and its facts."""
    words = frozenset(facts.message.split())
    stage = _AS_LATE.get(facts.stage, facts.stage)
    if outcome == Outcome.CRASH:
        if facts.signal in ("SIGSEGV", "SIGBUS") or _HEAP.search(facts.message):
            # Damage to memory shows in one way or another, by chance.
            return (outcome, "memory", stage), frozenset()
        return (outcome, facts.signal, stage), words
    place = facts.inference or 1, facts.output or 0
    return (outcome, stage, *place, facts.kind, facts.rule), words


def have_alike_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether two messages have most of their words in common."""
    return len(one & other) >= ENOUGH * len(one | other)


def are_alike(part: CaseRecord, whole: CaseRecord) -> bool:
    """Tell whether the departure of ``whole`` is of the kind of that of ``part``, and not clearly worse."""
    (kind, words), (other, other_words) = kind_of(part), kind_of(whole)
    if kind != other or not have_alike_words(words, other_words):
        return False
    return not _is_worse(part, whole)


def _is_worse(part: CaseRecord, whole: CaseRecord) -> bool:
    """Tell whether more elements are wrong, or they are more wrong, than other data explain."""
    before, now = part.extent, whole.extent
    if now is None:
        return False
    if before is None or now.share > before.share * 2 + 0.1:
        return True
    error, error_now = part.relative_error, whole.relative_error
    if error is None or error_now is None:
        return error is None and error_now is not None
    if error >= PRECISE:
        # Wrong elements, not imprecise ones: how far off they are depends on the data alone.
        return False
    limit = math.inf if before.fraction is None else (before.fraction + 1) * MORE
    return error_now > error * MORE or (now.fraction is not None and now.fraction > limit)


def described(record: CaseRecord) -> str:
    """Return how a case departed, without what differs from case to case: ``FAIL: wrong values in output 1``."""
    return described_facts(record.outcome, record.facts)


def described_facts(outcome: Outcome, facts: Facts) -> str:
    """Return the same of an outcome and its facts."""
    where = f"output {facts.output}" if facts.output else "output"
    if facts.inference > 1:
        where = f"inference {facts.inference}, {where}"
    at = f"at {facts.stage}" if facts.stage else ""
    texts = {
        "": at,
        "message": at,
        "value": f"wrong values in {where}",
        "not finite": f"NaN or infinity in {where}",
        "distribution": f"another distribution in {where}",
        "shape": f"wrong shape of {where}",
        "type": f"wrong element type of {where}",
        "bytes": f"bytes that are no values in {where}",
        "shape at reading": f"wrong shape inferred at reading of {where}",
        "type at reading": f"wrong element type inferred at reading of {where}",
        "rank at reading": f"wrong rank inferred at reading of {where}",
        "outputs": "wrong number of outputs",
        "inputs": "inputs other than the model's",
        "empty message": f"refused at {facts.stage} with an empty message",
        "signal": f"{facts.signal} in {facts.stage}",
        "timeout": f"no answer in {facts.stage}",
        "accepted": f"an invalid layer is computed ({facts.rule})" if facts.rule else "an invalid layer is computed",
        "damage": "later layers in the process fail",
        "two answers": "two answers for the same data",
        "only in a pack": "wrong beside other layers only",
        "not repeated": "what happened once did not happen again",
    }  # fmt: skip
    text = texts[facts.kind]
    if facts.computed_as:
        text += f", right for {facts.computed_as}"
    if facts.message:
        text += f": {facts.message}" if text else facts.message
    return f"{outcome}: {text}" if text else str(outcome)


def reason_of(record: CaseRecord) -> str:
    """Return what red departures of one kind have in common, without what differs from case to case.

    A wrong value or shape says nothing by itself: there it is the output and the operation.
    """
    text = described(record)
    if not record.facts.message and not record.facts.rule:
        text += f" of {record.operation}"
    return f"{record.gate}: {text}"
