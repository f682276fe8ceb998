"""Judges all cases of an operation for devices with a planted defect, and reduces what departs."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np
from msgspec.structs import replace

import ir_models
from devices import parse_profile
from devices.engine.verdicts.recording import observed
from devices.engine.verdicts.verdict import Verdict
from ir_models import LayerCase, Operation, cases
from ir_models.corpus.coverings import Covering
from reports.explaining.naming import FactorNaming
from reports.results.explained.explanations import explained
from reports.results.explained.factors import Part, all_of, plain_of, tensors_of
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from tests.conformance.explaining import with_fewer_factors, with_fewer_ways
from tests.conformance.selection import SuiteTarget
from tests.planted.defects import Defect
from tests.planted.device import NAME, verdict_on
from tests.planted.factors import Factor

# As many as a run draws without an option.
DRAWS = 50
# Large tensors show no pair of factors that smaller ones do not.
_LARGE = ("large-output", "sums", "sweep", "invalid")
_MOST_ELEMENTS = 20_000


@dataclass(frozen=True)
class Result:
    """What the cases of an operation find of a defect: at depth ``pairs``, and at ``all``.

    ``named`` are the factors that the first departure needs which no other explains, the one with the fewest factors.
    Each stands with those that no case has without it, and that it is never without: they are one. ``reported`` is what
    else the reports say of it: its purpose, the rule that an invalid layer breaks, and the type where no departure of
    the purpose has another one, and some of that type conform. ``order`` is smaller where it has fewer factors;
    ``departed`` are the ids of all cases that depart.
    """

    defect: Defect
    struck: int
    by_pairs: bool
    by_all: bool
    named: tuple[Part, ...]
    smallest: str = ""
    reported: tuple[str, ...] = ()
    order: tuple[int, int] = (0, 0)
    departed: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether these are exactly the factors of the defect."""
        factors = self.defect.factors
        return self.is_included and all(
            any(_names(f, part) for f in factors) for part in self.named
        )

    @property
    def is_included(self) -> bool:
        """Whether the factors of the defect are among them."""
        factors = self.defect.factors
        found = [{part for part in self.named if _names(factor, part)} for factor in factors]
        reported = [
            any(fnmatchcase(text, t) for text in self.reported for t in f.reported) for f in factors
        ]
        is_each = all(by or is_told for by, is_told in zip(found, reported, strict=True))
        return is_each and len(set().union(*found)) + sum(reported) >= len(factors)


def _names(factor: Factor, part: Part) -> bool:
    return any(map(factor.is_named, part))


class Trial:
    """The cases of one operation at depth ``all``, which has those of depth ``pairs`` as a rule.

    ``left_out`` are purposes that are not asked.
    """

    def __init__(
        self,
        operation: Operation,
        depth: str = "all",
        draws: int = DRAWS,
        left_out: Sequence[str] = _LARGE,
    ) -> None:
        found = cases(operation, draws=draws, depth=depth)
        self.cases = [
            each
            for each in found
            if each.purpose not in left_out
            and (each.purpose == "large-output" or _size(each) <= _MOST_ELEMENTS)
        ]
        self._right = [_record(Verdict(case, _required(case))) for case in self.cases]
        self._known = {case.id for case in self.cases}
        self._operation = operation
        self._plain = plain_of(self._right)
        # The cases that have a factor.
        self._having: dict[str, set[int]] = defaultdict(set)
        for number, record in enumerate(self._right):
            for each in all_of(record, self._plain):
                self._having[each].add(number)

    @cached_property
    def _covering(self) -> Covering:
        return Covering(self._operation)

    def result(self, defect: Defect, is_named: bool = True) -> Result:
        """What the cases find of a defect. Those that it does not concern answer with the reference, and are right.

        Its factors are named where ``is_named``, which takes time.
        """
        struck = [number for number, case in enumerate(self.cases) if defect.strikes(case)]
        records, departed = list(self._right), []
        for number in struck:
            case = self.cases[number]
            with np.errstate(all="ignore"):
                records[number] = _record(verdict_on(defect, case))
            if records[number].gate.is_red:
                departed.append(case)
        by_pairs = any(case.purpose != "covering" for case in departed)
        ids = tuple(case.id for case in departed)
        left = self._left(records) if is_named else []
        if left:
            # What is left of a layer of many factors is asked with fewer of them.
            records += self._asked(defect, ir_models.parse_layer(left[0].case))
            left = self._left(records)
        asked = records[len(self.cases) :]
        named = self._whole(FactorNaming(records).factors(left[0]), asked) if left else ()
        smallest = left[0].case if left else ""
        reported = self._told(left) if left else ()
        order = self._order(left[0])[:2] if left else (sys.maxsize, 0)
        caught = by_pairs, bool(departed)
        return Result(defect, len(struck), *caught, named, smallest, reported, order, ids)

    def _told(self, left: Sequence[CaseRecord]) -> tuple[str, ...]:
        first = left[0]
        alike = {_type(each) for each in left if each.purpose == first.purpose}
        asked = {_type(each) for each in self._right if each.purpose == first.purpose}
        alone = [f"type={kind} alone" for kind in alike if alike < asked and len(alike) == 1]
        return (f"purpose={first.purpose}", f"rule={first.facts.rule}", *alone)

    def _left(self, records: Sequence[CaseRecord]) -> list[CaseRecord]:
        left = [record for record in explained(records) if record.gate.is_red]
        return sorted(left, key=self._order)

    def _asked(self, defect: Defect, whole: LayerCase) -> list[CaseRecord]:
        """The records of cases with fewer factors that a run asks at its end."""
        found, seen = [], {whole.id}
        parts = with_fewer_factors(self._covering, whole)
        for case in (*parts, *with_fewer_ways(whole)):
            if case.id in self._known or case.id in seen:
                continue
            seen.add(case.id)
            try:
                found.append(_record(verdict_on(defect, case)))
            except (ValueError, TypeError):
                continue  # the layer cannot be asked in this way
        return found

    def _whole(self, named: Sequence[str], asked: Sequence[CaseRecord]) -> tuple[Part, ...]:
        """The factors with those that always come together with them, also where more was ``asked``."""
        others = [all_of(record, self._plain) for record in asked]
        return tuple(
            frozenset(
                each
                for each, cases in self._having.items()
                if cases == self._having[one] and all((each in o) == (one in o) for o in others)
            )
            if one in self._having
            else frozenset({one})
            for one in named
        )

    def _order(self, record: CaseRecord) -> tuple[int, int, str]:
        factors = all_of(record, self._plain)
        return len(factors), len(record.case), record.case


def _required(case: LayerCase) -> Outcome:
    return Outcome.FOLDED if case.is_constant else Outcome.PASS


def _type(record: CaseRecord) -> str:
    """The element type of the first tensor of data that is there."""
    return next((each.element_type for each in tensors_of(record.inputs) if each is not None), "")


def _size(case: LayerCase) -> int:
    return sum(tensor.size for _, tensor in case.layer.ports() if tensor is not None)


_TARGET = SuiteTarget(NAME, parse_profile("accuracy"))


def _record(verdict: Verdict) -> CaseRecord:
    record = observed(verdict, _TARGET.device, _TARGET.profile.name)
    return record if record.conforms else replace(record, gate=Gate.NEW)


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
