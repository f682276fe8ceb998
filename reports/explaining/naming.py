"""The factors that a departure of a crossing needs: the set of them that tells departures from what conforms.

A layer of many factors departs because of a few. They are found as in combinatorial testing: of all small sets of its
factors that one is to blame which the most departures of the same kind have, and the fewest cases that conform; of
several the smallest. A case that conforms refutes no set by itself: its data may not show the fault. With fewer factors
than those of the set that is found more cases conform.

Of a departure of few factors a part that conforms refutes the sets that it has, as it does in
``reports.results.explained.explanations``: that one way departs beside any other one shows in no single set of the two.

A departure may need what the plain layer has as well: a kernel of 1 beside its padding. Layers of other padding conform
then, and no set tells. Of the cases that conform only parts of the departing one are counted then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from reports.results.explained.alike import are_alike
from reports.results.explained.explanations import is_crossing
from reports.results.explained.factors import Part, all_of, factors_of, plain_of
from reports.results.records import CaseRecord

LARGEST = 3
"""Factors in a set at most."""
MOST = 40
"""A case with more factors than this is not searched for sets."""

# Small dimensions follow from others, such as a low rank and a dimension of 1.
_FOLLOWS = "tiny"


class FactorNaming:
    """Names the factors of departures of one operation on one device, by all its cases."""

    def __init__(self, records: Sequence[CaseRecord]) -> None:
        self._plain = plain_of(records)
        self._departed: list[CaseRecord] = []
        self._factors: list[Part] = []
        # Which of the cases that conform have a factor, as bits.
        self._right: dict[str, int] = defaultdict(int)
        self._conforming: list[Part] = []
        self._alone: set[str] = set()
        count = 0
        for record in records:
            if record.outcome.says_nothing or record.purpose == "invalid":
                continue
            factors = all_of(record, self._plain)
            asked = factors_of(record, self._plain)
            if asked.number == 1:
                self._alone |= asked.what | asked.how
            if not record.conforms:
                self._departed.append(record)
                self._factors.append(factors)
                continue
            for each in factors:
                self._right[each] |= 1 << count
            self._conforming.append(factors)
            count += 1
        self._everything = (1 << count) - 1

    def factors(self, record: CaseRecord) -> tuple[str, ...]:
        """Return the factors of a departure that it needs, sorted; none if they are not distinct from others."""
        own = sorted(all_of(record, self._plain))
        if record.purpose == "invalid" or len(own) > MOST:
            return ()
        alike = [
            factors
            for other, factors in zip(self._departed, self._factors, strict=True)
            if other is record or are_alike(other, record) or are_alike(record, other)
        ]
        having = {each: _bits(each in factors for factors in alike) for each in own}
        whole = frozenset(own)
        parts = [each for each in self._conforming if each <= whole]
        is_small = len(own) <= LARGEST
        unrefuted = [
            chosen
            for size in range(1, LARGEST + 1)
            for chosen in combinations(own, size)
            if not (is_small and any(each.issuperset(chosen) and each != whole for each in parts))
        ]
        found = self._best(unrefuted, having, len(alike), self._everything)
        own_parts = _bits(each <= whole for each in self._conforming)
        return found or self._best(unrefuted, having, len(alike), own_parts)

    def shared(self, records: Iterable[CaseRecord]) -> list[str]:
        """Return the factors that all of some departures have, and no case that conforms."""
        common = frozenset.intersection(*(all_of(record, self._plain) for record in records))
        return sorted(each for each in common if not self._right.get(each))

    def _best(
        self,
        sets: Iterable[tuple[str, ...]],
        having: Mapping[str, int],
        departed: int,
        conforming: int,
    ) -> tuple[str, ...]:
        """The set that most departures have and fewest of these cases that conform; none that more of them have."""
        ranked = []
        for chosen in sets:
            wrong = _count(having, chosen, (1 << departed) - 1)
            right = _count(self._right, chosen, conforming)
            strange = sum(each not in self._alone or each == _FOLLOWS for each in chosen)
            ranked.append((right - wrong, len(chosen), strange, chosen))
        surplus, *_, best = min(ranked, default=(0, 0, 0, ()))
        return best if surplus < 0 else ()


def _count(having: Mapping[str, int], chosen: Iterable[str], everything: int) -> int:
    """The number of cases that have all of these factors."""
    for each in chosen:
        everything &= having.get(each, 0)
    return everything.bit_count()


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)


class Names:
    """Names the factors of departures of all operations. Each takes some milliseconds, when it is asked for."""

    def __init__(self, records: Iterable[CaseRecord]) -> None:
        self._records: dict[tuple[str, str, str], list[CaseRecord]] = defaultdict(list)
        for record in records:
            key = (*record.target, record.operation)
            self._records[key].append(record)
        self._operations: dict[tuple[str, str, str], FactorNaming] = {}

    def of(self, record: CaseRecord) -> str:
        """Return the factors that a red departure of a crossing needs, as text; empty for others."""
        if not record.gate.is_red or not is_crossing(record):
            return ""
        return " and ".join(self._operation(record).factors(record))

    def shared(self, records: Sequence[CaseRecord]) -> str:
        """Return the factors that all of some departures of one operation have, and no case that conforms."""
        is_one = len({(record.target, record.operation) for record in records}) == 1
        return ", ".join(self._operation(records[0]).shared(records)) if is_one else ""

    def _operation(self, record: CaseRecord) -> FactorNaming:
        key = (*record.target, record.operation)
        if key not in self._operations:
            self._operations[key] = FactorNaming(self._records[key])
        return self._operations[key]
