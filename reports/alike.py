"""Whether two departures are of one kind: the same outcome, at the same place, with the same words, as wrong.

Strict on purpose: of two departures that are taken for one, one may be a defect that nobody looks at.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from reports.known import severity_of
from reports.outcomes import Outcome
from reports.records import CaseRecord

ENOUGH = 0.8
"""The share of the words of two messages that both must have. Names of nodes and neighbours in them differ."""

PRECISE = 0.01
"""A result with a smaller relative error than this is imprecise, one with a larger error is wrong."""
MORE = 100
"""How many times as large an error can be by other data, where results are imprecise."""

# "inference 2, output 1 for f32[2,3]: shape is [3,2], should be [2,3]"
_FAILURE = re.compile(
    r"(?P<place>(?:inference (?P<inference>\d+), )?output(?: (?P<output>\d+))?)(?: for [^:]*)?: (?P<fault>.*)",
    re.DOTALL,
)
_KINDS = ("type inferred at reading", "shape inferred at reading", "type is", "shape is")
_NOT_FINITE = re.compile(r"\[[\d,]*\] is [-+]?(?:nan|inf)")
_STAGE = re.compile(r"at (\w+): (.*)", re.DOTALL)
_DEATH = re.compile(r"(\S+) in (\w+)(.*)", re.DOTALL)
# The node that OpenVINO validates, with its inputs, which are other ones in each model.
_NODE = re.compile(r"While validating node '[^']*'(?: with friendly_name '[^']*')?")
_HEAP = re.compile(r"malloc|free\(\)|corrupt|realloc|tcache|chunk|smashing")

# Damage that an inference did is found when its memory is used or freed.
_AS_LATE = {"fetch": "infer", "release": "infer"}

Kind = tuple[str, ...]


def kind_of(record: CaseRecord) -> tuple[Kind, frozenset[str]]:
    """Return what departures of one kind have exactly in common, and the words that they have by and large."""
    return _kind(record.outcome, record.detail, record.rule)


@lru_cache(maxsize=65536)
def _kind(outcome: Outcome, detail: str, rule: str) -> tuple[Kind, frozenset[str]]:
    start = str(outcome)
    if outcome == Outcome.FAIL and (found := _FAILURE.fullmatch(detail)):
        place = (start, found["inference"] or "1", found["output"] or "0")
        fault = found["fault"]
        what = next((each for each in _KINDS if fault.startswith(each)), "")
        if what:
            return (*place, what), frozenset()
        if fault.startswith("["):
            is_finite = not _NOT_FINITE.match(fault)
            return (*place, "value" if is_finite else "not a finite value"), frozenset()
        return place, _words(fault)
    if outcome == Outcome.REFUSED and (found := _STAGE.fullmatch(detail)):
        return (start, found[1]), _words(_NODE.sub("", found[2]))
    if outcome == Outcome.CRASH and (found := _DEATH.fullmatch(detail)):
        signal, stage, message = found.groups()
        stage = _AS_LATE.get(stage, stage)
        if signal in ("SIGSEGV", "SIGBUS") or _HEAP.search(message):
            # Damage to memory shows in one way or another, by chance.
            return (start, "memory", stage), frozenset()
        return (start, signal, stage), _words(message)
    if outcome == Outcome.FOLDED:
        return (start,), frozenset()
    return (start, rule), _words(detail.partition(";")[0])


def fault_of(detail: str, operation: str) -> str:
    """Return what failures of an operation share, such as ``wrong shape of inference 2, output 1 of Tile-1``.

    Values and shapes differ from case to case and are left out; types are told. "" for a detail about something else.
    """
    found = _FAILURE.fullmatch(detail)
    if not found:
        return ""
    place, fault = f"{found['place']} of {operation}", found["fault"]
    if fault.startswith("["):
        return f"wrong values in {place}"
    what = next((each for each in _KINDS if fault.startswith(each)), "")
    if what.startswith("shape"):
        return f"wrong {what.removesuffix(' is')} of {place}"
    return f"{place}: {fault}" if what else ""


def _words(text: str) -> frozenset[str]:
    """Return the words of a message without numbers, types and shapes."""
    tokens = re.findall(r"[\w:.+-]+", text)
    return frozenset(
        word
        for token in tokens
        if not re.search(r"\d", token)
        for word in [token.strip(".:-")]
        if word
    )


def are_alike(part: CaseRecord, whole: CaseRecord) -> bool:
    """Tell whether the departure of ``whole`` is of the kind of that of ``part``, and not clearly worse."""
    (kind, words), (other, other_words) = kind_of(part), kind_of(whole)
    if kind != other:
        return False
    either = len(words | other_words)
    if len(words & other_words) < ENOUGH * either:
        return False
    return not _is_worse(part, whole)


def _is_worse(part: CaseRecord, whole: CaseRecord) -> bool:
    """Tell whether more elements are wrong, or they are more wrong, than other data explain."""
    before, now = severity_of(part), severity_of(whole)
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
