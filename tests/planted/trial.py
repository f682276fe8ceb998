"""Judges all cases of an operation for devices with a planted defect, and reduces what departs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

import ir_models
from devices.verdict import Verdict
from ir_models import Case, Operation, cases, id_parts
from ir_models.coverings import Covering
from ir_models.how import USUAL
from reports.explaining import explained
from reports.factors import Part, factors_of, plain_of
from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord
from tests.planted.defects import Defect
from tests.planted.device import NAME, verdict_on

# As many as a run draws that is not told otherwise.
DRAWS = 50
# Large tensors show no pair of factors that smaller ones do not.
_LARGE = ("large-output", "sums", "sweep", "invalid")
_MOST_ELEMENTS = 20_000
# Purposes whose layers differ from the plain one in one factor, with what follows from it.
_SINGLE = ("type", "index-type", "left-out", "enumeration", "rank", "dim-0", "dim-1", "tiny")
# Purposes of which a few cases have a value that no other has, with others beside it by chance.
_OF_MANY_FACTORS = ("random", "example")


@dataclass(frozen=True)
class Result:
    """What the cases of an operation find of a defect: at depth ``pairs``, and at ``all``.

    ``left`` are the departures that no other explains, each with its factors, those with the fewest first. What comes
    with a factor wherever that is asked is part of it.
    """

    defect: Defect
    struck: int
    by_pairs: bool
    by_all: bool
    left: list[list[Part]]
    smallest: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the first departure that is left has exactly the two factors."""
        return bool(self.left) and self._names(self.left[0], exactly=True)

    @property
    def is_included(self) -> bool:
        """Whether it has the two factors, and perhaps more."""
        return bool(self.left) and self._names(self.left[0], exactly=False)

    def _names(self, found: list[Part], exactly: bool) -> bool:
        one, other = (
            [any(map(factor.is_named, part)) for part in found] for factor in self.defect.factors
        )
        has_both = any(a and b for i, a in enumerate(one) for j, b in enumerate(other) if i != j)
        # Dimensions that two inputs share are named for each of them.
        has_no_other = all(a or b for a, b in zip(one, other, strict=True))
        return has_both and (not exactly or has_no_other)


class Trial:
    """The cases of one operation at depth ``all``, of which those of depth ``pairs`` are a part."""

    def __init__(self, operation: Operation) -> None:
        found = cases(operation, draws=DRAWS, depth="all")
        self.cases = [
            each for each in found if each.purpose not in _LARGE and _size(each) <= _MOST_ELEMENTS
        ]
        self._right = [_record(Verdict(case, _required(case))) for case in self.cases]
        self._known = {case.id for case in self.cases}
        self._covering = Covering(operation)
        self._plain = plain_of(self._right)
        listed = [r for r in self._right if r.purpose not in _OF_MANY_FACTORS]
        self._always = _always([self._texts(record) for record in listed])
        self._alone = {self._texts(r) for r in listed if r.purpose in _SINGLE and not r.how}

    def result(self, defect: Defect) -> Result:
        """What the cases find of a defect. Those that it does not concern answer with the reference, and are right."""
        struck = [number for number, case in enumerate(self.cases) if defect.strikes(case)]
        records, departed = list(self._right), []
        for number in struck:
            case = self.cases[number]
            with np.errstate(all="ignore"):
                records[number] = _record(verdict_on(defect, case))
            if records[number].gate == Gate.DEPARTURE:
                departed.append(case)
        by_pairs = any(case.purpose != "covering" for case in departed)
        left = self._left(records)
        if left:
            # What is left of a layer of many factors is asked with fewer of them.
            records += self._asked(defect, ir_models.parse(left[0].case))
            left = self._left(records)
        factors = [self._parts(each) for each in left]
        smallest = left[0].case if left else ""
        return Result(defect, len(struck), by_pairs, bool(departed), factors, smallest)

    def _left(self, records: Sequence[CaseRecord]) -> list[CaseRecord]:
        left = [record for record in explained(records) if record.gate == Gate.DEPARTURE]
        return sorted(left, key=self._order)

    def _asked(self, defect: Defect, whole: Case) -> list[CaseRecord]:
        """The records of layers with one or two of the levels of a layer, that the run lacks."""
        found, seen = [], {whole.id}
        for layer in self._covering.parts(whole.layer, 2):
            for how in dict.fromkeys((USUAL, whole.how)):
                case = Case(layer, "covering", how)
                if case.contradiction or case.id in self._known or case.id in seen:
                    continue
                seen.add(case.id)
                try:
                    found.append(_record(verdict_on(defect, case)))
                except (ValueError, TypeError):
                    continue  # the layer cannot be asked in this way
        return found

    def _order(self, record: CaseRecord) -> tuple[int, int, int, str]:
        parts = self._parts(record)
        return len(parts), sum(map(len, parts)), len(record.case), record.case

    def _texts(self, record: CaseRecord) -> Part:
        """All that differs from the plain layer asked in the usual way, whatever the purpose."""
        operation, _, rest = record.case.split("/", 2)
        what, how = factors_of(f"{operation}/type/{rest}", record.how, self._plain)
        return what | how

    def _parts(self, record: CaseRecord) -> list[Part]:
        """The factors of a record, each with what always comes with it."""
        texts = sorted(self._texts(record))
        found: list[Part] = []
        for whole in sorted(self._alone, key=lambda each: (-len(each), sorted(each))):
            if len(whole) > 1 and whole <= set(texts):
                found.append(whole)
                texts = [each for each in texts if each not in whole]
        with_text = {one: self._with(one, texts) for one in texts}
        # Of two that always come together the first stands for both.
        for one in sorted(texts, key=lambda each: (-len(with_text[each]), each)):
            if not any(one in part for part in found):
                found.append(with_text[one])
        return found

    def _with(self, one: str, texts: Sequence[str]) -> Part:
        """A text, with those of others that always come with it or with its name."""
        always = self._always.get(one, frozenset()) | self._always.get(_name(one), frozenset())
        return frozenset(each for each in texts if each == one or _name(each) in always)


def _name(text: str) -> str:
    return text.partition("=")[0]


def _always(cases: Sequence[Part]) -> dict[str, Part]:
    """For each text and each name of texts, the names that all cases with it have."""
    found: dict[str, Part] = {}
    for texts in cases:
        names = frozenset(map(_name, texts))
        for key in texts | names:
            found[key] = found.get(key, names) & names
    return {key: names - {_name(key)} for key, names in found.items()}


def _required(case: Case) -> Outcome:
    return Outcome.FOLDED if case.is_constant else Outcome.PASS


def _size(case: Case) -> int:
    return sum(tensor.size for _, tensor in case.layer.ports() if tensor is not None)


def _record(verdict: Verdict) -> CaseRecord:
    case, compared = verdict.case, verdict.comparison
    record = CaseRecord(
        case=case.id,
        operation=case.operation.name,
        purpose=case.purpose,
        how=id_parts.segments(case.id)[1],
        device=NAME,
        profile="accuracy",
        outcome=verdict.outcome,
        expected_outcome=verdict.expected_outcome,
        detail=verdict.detail,
        seconds=0.0,
        kernel="",
        precision="",
        gate=Gate.PASS,
        fraction=compared.fraction if compared else None,
        wrong=compared.wrong if compared else None,
        relative_error=compared.relative_error if compared else None,
        elements=compared.of if compared else None,
    )
    return record if record.conforms else replace(record, gate=Gate.DEPARTURE)


def shares(results: Sequence[Result]) -> tuple[float, float, float, float]:
    """The shares caught at ``pairs`` and at ``all``, and of what is caught those named exactly and with more."""
    caught = [each for each in results if each.by_all]
    return (
        _share(sum(each.by_pairs for each in results), len(results)),
        _share(len(caught), len(results)),
        _share(sum(each.is_named for each in caught), len(caught)),
        _share(sum(each.is_included for each in caught), len(caught)),
    )


def _share(count: int, of: int) -> float:
    return count / of if of else 1.0
