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
from reports.factors import Factors, factors_of, plain_of
from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord
from tests.planted.defects import Defect
from tests.planted.device import NAME, verdict_on

# As many as a run draws that is not told otherwise.
DRAWS = 50
# Large tensors show no pair of factors that smaller ones do not.
_LARGE = ("large-output", "sums", "sweep", "invalid")
_MOST_ELEMENTS = 20_000


@dataclass(frozen=True)
class Result:
    """What the cases of an operation find of a defect: at depth ``pairs``, and at ``all``.

    ``left`` are the departures that no other explains, each with its factors, those with the fewest first.
    """

    defect: Defect
    struck: int
    by_pairs: bool
    by_all: bool
    left: list[Factors]
    smallest: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the first departure that is left has exactly the two factors."""
        return bool(self.left) and self._names(self.left[0], exactly=True)

    @property
    def is_included(self) -> bool:
        """Whether it has the two factors, and perhaps more."""
        return bool(self.left) and self._names(self.left[0], exactly=False)

    def _names(self, found: Factors, exactly: bool) -> bool:
        texts = (*found.what, *found.how)
        one, other = self.defect.factors
        pairs = ((a, b) for a in texts for b in texts if a != b)
        has_both = any(one.is_named(a) and other.is_named(b) for a, b in pairs)
        # Dimensions that two inputs share are named for each of them.
        has_no_other = all(one.is_named(text) or other.is_named(text) for text in texts)
        return has_both and (not exactly or has_no_other)


class Trial:
    """The cases of one operation at depth ``all``, of which those of depth ``pairs`` are a part."""

    def __init__(self, operation: Operation) -> None:
        found = cases(operation, draws=DRAWS, depth="all")
        self.cases = [
            each for each in found if each.purpose not in _LARGE and _size(each) <= _MOST_ELEMENTS
        ]
        self._right = [_record(Verdict(case, _required(case))) for case in self.cases]
        self._of_rank: dict[str, frozenset[str]] = {}
        self._known = {case.id for case in self.cases}
        self._covering = Covering(operation)
        self._plain = plain_of(self._right)
        for case in self.cases:
            if case.purpose == "rank":
                (rank,) = factors_of(case.id, "", self._plain).what or ("",)
                # Of other purposes all that differs is told.
                as_type = case.id.replace("/rank/", "/type/", 1)
                told = factors_of(as_type, "", self._plain).what
                self._of_rank[rank] = frozenset(told - {rank})

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
        factors = [self._factors(each) for each in left]
        smallest = left[0].case if left else ""
        return Result(defect, len(struck), by_pairs, bool(departed), factors, smallest)

    def _left(self, records: Sequence[CaseRecord]) -> list[CaseRecord]:
        left = [record for record in explained(records) if record.gate == Gate.DEPARTURE]
        return sorted(left, key=self._order)

    def _asked(self, defect: Defect, whole: Case) -> list[CaseRecord]:
        """The records of layers with one or two of the levels of a layer, that the run lacks."""
        found = []
        for layer in self._covering.parts(whole.layer, 2):
            for how in dict.fromkeys((USUAL, whole.how)):
                case = Case(layer, "covering", how)
                if case.contradiction or case.id in self._known or case.id == whole.id:
                    continue
                try:
                    found.append(_record(verdict_on(defect, case)))
                except (ValueError, TypeError):
                    continue  # the layer cannot be asked in this way
        return found

    def _order(self, record: CaseRecord) -> tuple[int, int, str]:
        return self._factors(record).number, len(record.case), record.case

    def _factors(self, record: CaseRecord) -> Factors:
        """The factors of a record, but for the layer as a whole and what comes with its rank."""
        what, how = factors_of(record.case, record.how, self._plain)
        with_rank = frozenset[str]().union(*(self._of_rank.get(text, ()) for text in what))
        own = frozenset(text for text in what - with_rank if not text.startswith("what="))
        return Factors(own, how)


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
