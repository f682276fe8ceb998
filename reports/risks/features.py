"""What layers have in their sizes and numbers, by which a cause that could concern one can be told not to.

A cause of which no case has a value that nearly every case of the operation has depends on another value: if some
layers with a step near the least integer die, and none of the 700 with usual ones does, a usual step is safe.
Each feature is told alone: its share among all that was asked says how likely so many cases miss it by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from ir_models.asking.id_parts import typed

CHANCE = 0.01
"""A feature excludes a cause if its cases would miss the feature by chance in fewer than so many of 1."""
FAR = 2**15
"""Numbers from here on are far from those of usual layers."""

_LIST = re.compile(r"\[?([-+.\deE]+(?:,[-+.\deE]+)*)?\]?")
Features = dict[str, object]


def features_of(
    inputs: Sequence[str], parameters: Mapping[str, str], how: Mapping[str, str]
) -> Features:
    """Return what can be compared of a layer and a case, by the texts of an id."""
    found: Features = {f"how {name}": how.get(name, "") for name in ("shape", "index", "data")}
    for n, text in enumerate(inputs[:3]):
        kind, bracket, shape = text.partition("[")
        found[f"type {n}"] = kind
        if bracket:
            dims = shape.rstrip("]")
            found[f"rank {n}"] = dims.count(",") + 1 if dims else 0
            found[f"empty {n}"] = "0" in dims.split(",")
    found["inputs"] = len(inputs)
    lists: dict[str, list[float]] = {}
    for name, text in parameters.items():
        numbers = _numbers(text)
        if numbers is None:
            found[f"word {name}"] = text.lower() if re.fullmatch(r"[A-Za-z][\w-]*", text) else ""
            continue
        lists[name] = numbers
        found[f"length {name}"] = len(numbers)
        found[f"numbers {name}"] = frozenset(map(_kind, numbers))
        if len(numbers) == 1:
            found[f"value {name}"] = numbers[0]
        if len(numbers) == 1 and numbers[0].is_integer() and 1 < numbers[0] < FAR:
            found[f"even {name}"] = numbers[0] % 2 == 0
    for (one, left), (other, right) in combinations(sorted(lists.items()), 2):
        if len(left) == len(right) > 1:
            pairs = list(zip(left, right, strict=True))
            found[f"order {one} {other}"] = (
                any(a >= b for a, b in pairs),
                any(a <= b for a, b in pairs),
            )
    return found


def _numbers(text: str) -> list[float] | None:
    """The numbers of a parameter; None for words and nested lists."""
    matched = _LIST.fullmatch(typed(text)[1])
    if matched is None:
        return None
    try:
        return [float(one) for one in (matched[1] or "").split(",") if one]
    except ValueError:
        return None


def _kind(number: float) -> str:
    if abs(number) >= FAR:
        return "far"
    if not number.is_integer():
        return "fraction"
    return "negative" if number < 0 else str(int(number)) if number < 2 else "more"


class Asked:
    """How often each feature occurs among the cases that an operation was asked."""

    def __init__(self, cases: Iterable[tuple[Features, frozenset[str]]]) -> None:
        self._counts: Counter[tuple[str, object]] = Counter()
        self._totals: Counter[str] = Counter()
        self._given: Counter[str] = Counter()
        self._number = 0
        for features, given in cases:
            self._number += 1
            self._counts.update(features.items())
            self._totals.update(features.keys())
            self._given.update(given)

    def excludes(
        self,
        layer: Features,
        given: frozenset[str],
        unread: frozenset[str],
        cases: Sequence[tuple[Features, frozenset[str]]],
    ) -> str:
        """Return the feature of a layer by which it does not meet the cause of these cases; "" for none.

        ``given`` are names of parameters, ``unread`` those of inputs whose values are not known.
        """
        if not self._number:
            return ""
        for name, value in layer.items():
            known = [features for features, _ in cases if name in features]
            if not known or any(features[name] == value for features in known):
                continue
            share = self._counts[name, value] / max(self._totals[name], 1)
            if (1 - share) ** len(known) < CHANCE:
                return name
        for name in self._given:
            if name in unread:
                continue
            is_given = name in given
            if any((name in own) == is_given for _, own in cases):
                continue
            share = self._given[name] / self._number
            if (share if not is_given else 1 - share) ** len(cases) < CHANCE:
                return f"given {name}"
        return ""
