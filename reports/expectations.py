"""The known departures of a device, each with its reason: ``reports/expectations/<device>.toml``.

An entry says which cases it covers, how they end, when, and why::

    [[expect]]
    case = "SpaceToDepth-1/*/i4*"      # or a list; * and ? are wildcards
    outcome = "REFUSED"                # or a list of admissible outcomes
    when = { profile = "performance", openvino = ">=2025.1,<2026.5", processor = "*AMX*" }
    detail = "*unsupported precision*" # pattern for the detail line
    reason = "the CPU plugin has no i4 kernel and says so"
    link = "https://..."

`case`, `outcome` and `reason` are required. In `when` every key must hold; each is a pattern or a
list of patterns, of which one must hold. `openvino` is a range or a list of ranges (``>= <= > <
== !=``, joined by commas; ``==2026.4.*`` is every 2026.4).

Of the entries that match a case, the first that admits its outcome and its detail decides. If
none does, the first entry without a `detail` decides: this is how an improvement is detected, and
a departure that became worse. An entry with a `detail` names a defect that some of the matching
cases have, and does not apply to the others.

Expected cases are executed all the same, so that an improvement is detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reports.outcomes import Gate, Outcome, improves
from reports.records import Header
from reports.selectors import compile_patterns, matches, operation_of, version_in

FACTS = ("openvino", "processor", "driver", "full_name")
"""What `when` can test of a run, besides its profile."""


@dataclass(frozen=True)
class Entry:
    """One ``[[expect]]`` of a file."""

    cases: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    reason: str
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    detail: str = ""
    link: str = ""
    path: Path = Path()
    number: int = 0
    """Position in the file, from 1."""

    def __str__(self) -> str:
        return f"{self.path}: entry {self.number} ({self.cases[0]})"

    def covers(self, case: str) -> bool:
        """Tell whether one of the patterns matches this case id."""
        return any(matches(pattern, case) for pattern in self.cases)

    def applies(self, facts: Mapping[str, str]) -> bool:
        """Tell whether `when` holds for the facts of a run (see `facts`)."""
        for name, admitted in self.when.items():
            value = facts.get(name, "")
            if name == "openvino":
                holds = any(version_in(value, versions) for versions in admitted)
            else:
                holds = any(matches(pattern, value) for pattern in admitted)
            if not holds:
                return False
        return True


class Expectations:
    """The entries of a device, in order: the module's docstring says which one decides."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self._unused = set(range(len(self.entries)))
        # Thousands of cases share few operations, and an entry may cover many cases.
        self._by_operation: dict[str, list[tuple[int, re.Pattern[str]]]] = {}

    def match(
        self, case: str, outcome: Outcome, detail: str, facts: Mapping[str, str]
    ) -> Entry | None:
        """Return the entry that decides about a result, or None: see the module's docstring.

        `facts` is what the function of that name returns for the run.
        """
        admitting: Entry | None = None
        certain: Entry | None = None
        for number, pattern in self._candidates(case):
            entry = self.entries[number]
            if admitting is not None and number not in self._unused:
                continue
            if pattern.match(case) is None:
                continue
            self._unused.discard(number)
            if admitting is not None or not entry.applies(facts):
                continue
            if outcome in entry.outcomes and (not entry.detail or matches(entry.detail, detail)):
                admitting = entry
            elif not entry.detail and certain is None:
                certain = entry
        return admitting or certain

    def unused(self) -> list[Entry]:
        """Return the entries that match none of the cases so far.

        An entry counts as used when its pattern matches a case id, whether or not its `when`
        holds: an entry for another release is not a mistake, one that matches no case is.
        """
        return [self.entries[number] for number in sorted(self._unused)]

    def _candidates(self, case: str) -> list[tuple[int, re.Pattern[str]]]:
        """Return (index, expression) of each entry that may match the case's operation."""
        operation = case.partition("/")[0]
        found = self._by_operation.get(operation)
        if found is None:
            found = []
            for number, entry in enumerate(self.entries):
                patterns = [p for p in entry.cases if operation_of(p) in (operation, None)]
                if patterns:
                    found.append((number, compile_patterns(patterns)))
            self._by_operation[operation] = found
        return found


def judge(
    outcome: Outcome,
    required: Outcome,
    entry: Entry | None,
    *,
    allow_absent: bool = False,
) -> Gate:
    """Return what the gate makes of an outcome.

    `required` is the outcome that the case requires, `entry` the expectation that decides, if
    any. An outcome better than all that the entry admits is an improvement; ABSENT and ERROR
    never are.
    """
    if outcome == Outcome.ABSENT and allow_absent:
        return Gate.SKIPPED
    conforms = outcome in (required, Outcome.PASS)
    if entry is not None:
        if outcome in entry.outcomes:
            return Gate.PASS if conforms else Gate.EXPECTED
        if all(improves(outcome, admitted, required) for admitted in entry.outcomes):
            return Gate.IMPROVED
    if conforms:
        return Gate.PASS
    return Gate.QUALITY if outcome == Outcome.QUALITY else Gate.DEPARTURE


def facts(header: Header, device: str, profile: str) -> dict[str, str]:
    """Return what `when` can test of a run: the profile and `FACTS`. Unknown ones are empty."""
    target = header.target(device, profile)
    return {
        "profile": profile,
        "openvino": header.openvino,
        "processor": header.processor,
        "driver": target.driver if target else "",
        "full_name": target.full_name if target else "",
    }
