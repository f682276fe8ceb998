"""Drafts of selectors: what departures have in common, and cases that conform lack.

What the departures share of how they ended is taken as it is. Conditions on the case are added only while they exclude
cases that conform: a value of a parameter that every layer has tells nothing. Where no conditions together are precise
enough, the departures are split at the value that parts them best from the cases that conform.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ir_models.asking.id_parts import ABSENT
from reports.gate.precision import Share, is_narrow
from reports.gate.selectors import TABLES, Features, Values, features_of, may_end
from reports.results.records import CaseRecord

MOST_SELECTORS = 6
MOST_VALUES = 8
"""A condition with more values than these is a list of cases."""
_FEW = 3
"""Values that are named, where more of them are any value."""
_MOST_TRIED = 12
"""Values at which departures are tried to be split."""

_LEAST = 0.02
"""A condition must exclude this share of the cases that the others admit: what excludes fewer describes the cases."""

_OF_END = ("outcome", "stage", "kind", "signal", "computed_as")
_COSTS = {
    "rule": 0.0, "type": 1.0, "index_type": 1.0, "dimension": 1.0, "how": 1.0, "broadcast": 1.5, "inputs": 1.5,
    "rank": 2.0, "purpose": 2.0, "parameter": 2.0, "layers": 2.0, "kernel": 4.0,
}  # fmt: skip
"""Fields that conditions are made of. Of two that exclude as many cases, the cheaper one says more about the cause."""


def draft_selectors(
    departing: Sequence[CaseRecord], conforming: Sequence[CaseRecord]
) -> list[dict[str, object]]:
    """Return the conditions of selectors, as a cause's file has them, that select all of some departures.

    They admit as few of the cases that conform as they can; see the module's docstring. At most `MOST_SELECTORS`.
    """
    operations = {record.operation for record in departing}
    outcomes = tuple({str(record.outcome) for record in departing})
    others = [features_of(record) for record in conforming if record.operation in operations]
    table = _CauseTable(
        [*map(features_of, departing)], [one for one in others if may_end(one, outcomes)]
    )
    done: list[_Draft] = []
    open_ = [table.draft((1 << len(departing)) - 1)]
    while open_:
        worst = max(open_, key=lambda draft: draft.admitted)
        open_.remove(worst)
        is_room = len(done) + len(open_) + 2 <= MOST_SELECTORS
        halves = table.split(worst) if is_room and not worst.is_narrow else None
        if halves is None:
            done.append(worst)
        else:
            open_ += halves
    done.sort(key=lambda draft: -draft.departing.bit_count())
    return [table.conditions(draft) for draft in done]


@dataclass(frozen=True)
class _Condition:
    """Patterns of a field, and which departures and other cases they hold of: a bit for each."""

    field: str
    wildcards: Values
    departing: int
    others: int

    @cached_property
    def cost(self) -> float:
        """How much a condition must exclude to be worth it: lists, long values and what is not there explain less."""
        length = sum(len(wildcard) for wildcard in self.wildcards)
        is_missing = self.wildcards[0].startswith("!") or _absent(self.field) in self.wildcards
        own = _COSTS[self.field.partition(".")[0]]
        return own + 0.25 * (len(self.wildcards) - 1) + length / 40 + is_missing


@dataclass(frozen=True)
class _Draft:
    """Some departures, the conditions on the case, and the other cases that these admit."""

    departing: int
    case: tuple[_Condition, ...]
    others: int

    @property
    def admitted(self) -> int:
        """The number of other cases."""
        return self.others.bit_count()

    @property
    def is_narrow(self) -> bool:
        """Whether a selector of these conditions is narrow."""
        departing = self.departing.bit_count()
        return is_narrow(Share(departing + self.admitted, departing))


class _CauseTable:
    """Which cases have which values of the fields that a condition can name."""

    def __init__(self, departing: Sequence[Features], others: Sequence[Features]) -> None:
        self._features = departing
        self._departing = _by_value(departing)
        self._others = _by_value(others)
        self._all_others = (1 << len(others)) - 1
        for own, missing, number in (
            (self._departing, self._others, len(departing)),
            (self._others, self._departing, len(others)),
        ):
            # A factor or parameter that only the other ones have.
            for field in missing.keys() - own.keys():
                own[field] = {_absent(field): (1 << number) - 1}

    def draft(self, departing: int) -> _Draft:
        """Return the conditions that hold of some departures and exclude the most other cases."""
        own = self._departing["operation"]
        left = 0
        for operation, others in self._others["operation"].items():
            if own.get(operation, 0) & departing:
                left |= others
        candidates = [*self._candidates(departing)]
        # Invalid layers break a rule each, and nothing else of them tells which.
        chosen = [one for one in candidates if one.field == "rule" and "" not in one.wildcards][:1]
        for one in chosen:
            left &= one.others
        whole = left
        while left:
            best = max(
                candidates,
                key=lambda one: ((left & ~one.others).bit_count() / (1 + one.cost), -one.cost),
                default=None,
            )
            excluded = (left & ~best.others).bit_count() if best else 0
            if best is None or excluded <= _LEAST * (departing.bit_count() + left.bit_count()):
                break
            chosen.append(best)
            left &= best.others
        # What was chosen first may exclude nothing that later ones do not.
        for one in sorted(chosen, key=lambda one: -one.cost):
            if one.field == "rule":
                continue
            rest = whole
            for other in chosen:
                rest &= other.others if other is not one else -1
            if rest == left:
                chosen.remove(one)
        return _Draft(departing, tuple(chosen), left)

    def split(self, draft: _Draft) -> list[_Draft] | None:
        """Return two drafts that admit clearly fewer other cases together, None if there are none."""
        tests: dict[int, float] = {}
        for field, values in self._departing.items():
            if field.partition(".")[0] not in (*_COSTS, "operation", "message", "kind", "outcome"):
                continue
            for value, mask in values.items():
                own = mask & draft.departing
                if own and own != draft.departing:
                    others = self._others.get(field, {}).get(value, 0) & draft.others
                    share = own.bit_count() / (own.bit_count() + others.bit_count())
                    gain = share * own.bit_count()
                    tests[own] = max(gain, tests.get(own, 0.0))
        best = None
        for own, _ in sorted(tests.items(), key=lambda one: (-one[1], one[0]))[:_MOST_TRIED]:
            halves = [self.draft(own), self.draft(draft.departing & ~own)]
            if best is None or sum(h.admitted for h in halves) < sum(h.admitted for h in best):
                best = halves
        if best is None or sum(half.admitted for half in best) > 0.8 * draft.admitted:
            return None
        return best

    def _candidates(self, departing: int) -> Iterator[_Condition]:
        """Yield the conditions on the case that hold of all of some departures."""
        for field, values in self._departing.items():
            if field.partition(".")[0] not in _COSTS:
                continue
            others = self._others[field]
            # What was refused has no kernel.
            if field == "kernel" and values.get("", 0) & departing:
                continue
            cover = _cover(values, others, departing)
            if cover is not None:
                yield self._condition(field, cover)
            # One of several values of a field may be enough: types of several inputs.
            for value, mask in values.items():
                if mask & departing == departing and cover != (value,):
                    yield self._condition(field, (value,))
            absent = _absent(field)
            if "." not in field:
                continue
            levels = sum(bool(mask & departing) for mask in values.values())
            if levels > _FEW and not values.get(absent, 0) & departing:
                # Any level of a factor, any value of a parameter.
                is_given = self._all_others & ~others.get(absent, 0)
                wildcard = "?*" if field.startswith("how.") else f"!{ABSENT}"
                yield _Condition(field, (wildcard,), departing, is_given)
            foreign = sorted(
                value for value in others if value and not values.get(value, 0) & departing
            )
            if 0 < len(foreign) < _FEW:
                excluded = 0
                for value in foreign:
                    excluded |= others[value]
                wildcards = tuple(f"!{value}" for value in foreign)
                yield _Condition(field, wildcards, departing, self._all_others & ~excluded)

    def _condition(self, field: str, wildcards: Values) -> _Condition:
        departing = others = 0
        for wildcard in wildcards:
            departing |= self._departing[field].get(wildcard, 0)
            others |= self._others[field].get(wildcard, 0)
        return _Condition(field, wildcards, departing, others)

    def conditions(self, draft: _Draft) -> dict[str, object]:
        """Return a draft as a cause's file has it."""
        own = [one for n, one in enumerate(self._features) if draft.departing >> n & 1]
        found: dict[str, object] = {"operation": sorted({one["operation"][0] for one in own})}
        tables: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for condition in sorted(
            draft.case, key=lambda one: [*_COSTS].index(one.field.split(".")[0])
        ):
            table, _, name = condition.field.partition(".")
            if name:
                tables[table][name] = [*condition.wildcards]
            else:
                found[table] = [*condition.wildcards]
        found |= {name: tables[name] for name in TABLES if name in tables}
        for name in _OF_END:
            values = sorted({one[name][0] for one in own})
            # A condition that one of them has no value for would not select it.
            if all(values) and (len(values) <= MOST_VALUES or name == "outcome"):
                found[name] = values
        messages = sorted({one["message"][0] for one in own})
        if all(messages):
            words = _common_words(messages)
            wildcards = [f"*{words}*"] if words else [f"*{message}*" for message in messages]
            if len(wildcards) <= MOST_VALUES:
                found["message"] = wildcards
        return found


def _absent(field: str) -> str:
    return "" if field.startswith("how.") else ABSENT


def _by_value(features: Sequence[Features]) -> dict[str, dict[str, int]]:
    """Return which cases have a value, a bit for each, by field and value."""
    fields = {field for one in features for field in one}
    found: dict[str, dict[str, int]] = {field: defaultdict(int) for field in sorted(fields)}
    for number, one in enumerate(features):
        for field, values in found.items():
            own = one.get(field) or (_absent(field),)
            for value in _chains(own) if field == "layers" else own:
                values[value] |= 1 << number
    return found


def _chains(orders: Values) -> set[str]:
    """Return wildcards of the layers of a graph: each of them, and two that follow each other."""
    found = set()
    for order in orders:
        names = order.split()
        found |= {f"*{name} *" for name in names}
        found |= {f"*{one} {other} *" for one, other in pairwise(names)}
    return found or {ABSENT}


def _cover(values: Mapping[str, int], others: Mapping[str, int], departing: int) -> Values | None:
    """Return few values such that each departure has one of them; None if there are too many."""
    found: list[str] = []
    left = departing
    while left:
        if len(found) == MOST_VALUES:
            return None
        best = max(
            sorted(values),
            key=lambda value: (
                (values[value] & left).bit_count(),
                -others.get(value, 0).bit_count(),
            ),
        )
        found.append(best)
        left &= ~values[best]
    return tuple(sorted(found))


def _common_words(messages: Sequence[str]) -> str:
    """Return the longest run of words that all messages have, "" if it is too short to tell anything."""
    words = min(messages, key=len).split()
    for length in range(len(words), 2, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            if all(f" {run} " in f" {message} " for message in messages):
                return run
    return ""
