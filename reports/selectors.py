"""Which cases and which runs an expectation covers: traits of cases, patterns on texts, ranges of versions."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from reports.conditions import holds
from reports.traits import ABSENT, Traits


class SelectorError(ValueError):
    """A selector cannot be parsed."""


_compiled: dict[str, re.Pattern[str]] = {}


def matches(pattern: str, text: str) -> bool:
    """Tell whether a pattern, in which only * and ? are special, matches all of `text`."""
    compiled = _compiled.get(pattern)
    if compiled is None:
        compiled = _compiled[pattern] = compile_patterns([pattern])
    return compiled.match(text) is not None


def compile_patterns(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return an expression that matches what at least one of the patterns matches."""
    return re.compile("|".join(map(_expression, patterns)))


@dataclass(frozen=True)
class Selector:
    """Cases by their traits (see ``reports.traits``): each condition must hold, by one of its patterns.

    ``conditions`` maps a trait to patterns; ``cases`` are patterns on whole case ids, ``where`` is an expression on the
    layer (see ``reports.conditions``), where traits do not tell the cases apart.
    """

    conditions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cases: tuple[str, ...] = ()
    where: str = ""

    def selects(self, case: str, traits: Traits) -> bool:
        """Tell whether a case with these traits is selected."""
        for name, admitted in self._admitted:
            if not any(map(admitted, traits.get(name, (ABSENT,)))):
                return False
        if self.cases and not self._admits_case(case):
            return False
        return not self.where or holds(self.where, *(*case.split("/", 4), "", "")[2:4])

    @cached_property
    def _admitted(self) -> list[tuple[str, Callable[[str], object]]]:
        """What tells whether a value of a trait is admitted, for each trait that has a condition."""
        return [(name, _admitting(patterns)) for name, patterns in self.conditions.items()]

    @cached_property
    def _admits_case(self) -> Callable[[str], object]:
        return _admitting(self.cases)

    @property
    def operations(self) -> tuple[str, ...] | None:
        """The operations that it names, None if it may select cases of any."""
        patterns = list(self.conditions.get("operation", ()))
        patterns = patterns or [pattern.partition("/")[0] for pattern in self.cases]
        if not patterns or any("*" in pattern or "?" in pattern for pattern in patterns):
            return None
        return tuple(patterns)

    @property
    def is_of_random_layers(self) -> bool:
        """Tell whether it selects random layers and nothing else."""
        return self.conditions.get("purpose") == ("random",)

    def __str__(self) -> str:
        texts = [f"{name}={'|'.join(patterns)}" for name, patterns in self.conditions.items()]
        texts += [self.cases[0] + (" ..." if len(self.cases) > 1 else "")] if self.cases else []
        texts += [f"where {self.where}"] if self.where else []
        return " ".join(texts) or "every case"


@cache
def _admitting(patterns: tuple[str, ...]) -> Callable[[str], object]:
    """Return what tells whether one of the patterns matches all of a text."""
    if not any("*" in pattern or "?" in pattern for pattern in patterns):
        return frozenset(patterns).__contains__
    return compile_patterns(patterns).match


def _expression(pattern: str) -> str:
    # fnmatch would read the brackets of a case id's shape as a set of characters.
    return fnmatch.translate(pattern.replace("[", "[[]"))


_VERSION = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)(\.\*)?\s*")


def parse_versions(versions: str) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return (operator, numbers, whether ``.*`` follows) for each part of a version range.

    Raises SelectorError.
    """
    parts = []
    for part in versions.split(","):
        found = _VERSION.fullmatch(part)
        if not found or (found[3] and found[1] not in ("==", "!=")):
            raise SelectorError(f"must be a range such as '>=2025.1,<2026.5', got {versions!r}")
        parts.append((found[1], _numbers(found[2]), bool(found[3])))
    return parts


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (2026, 4, 0) of 2026.4.0-123."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(number) for number in found[0].split(".")) if found else ()


def version_in(version: str, versions: str) -> bool:
    """Tell whether a version lies in a range; one without numbers lies in none."""
    own = _numbers(version)
    return bool(own) and all(_compare(own, *part) for part in parse_versions(versions))


def _compare(own: tuple[int, ...], operator: str, other: tuple[int, ...], any_patch: bool) -> bool:
    # 2026.4 and 2026.4.0 are one version, and 2026.4.* is every version that begins with it.
    length = len(other) if any_patch else max(len(own), len(other))
    left = (*own, *[0] * (length - len(own)))[:length]
    right = (*other, *[0] * (length - len(other)))
    return {
        ">=": left >= right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
        ">": left > right,
        "<": left < right,
    }[operator]
