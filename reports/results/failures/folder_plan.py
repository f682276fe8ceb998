"""Which cases of a run get a failure folder: first one for every cause and operation, then more."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from reports.results.explained.alike import reason_of
from reports.results.failures.folders import FolderBudget
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord

SPACING = 4
"""After the first case of a group the 4th has a folder too, the 16th, the 64th ..."""

Group = tuple[tuple[str, str], Gate, tuple[str, ...]]
"""A device and profile, a gate, and what `group_of` returns."""


def group_of(record: CaseRecord) -> tuple[str, ...]:
    """Return what cases have in common that one folder may show.

    The operation and the cause; of red departures the kind; of other cases the operation alone.
    """
    if record.gate.has_cause:
        return record.operation, record.cause or record.reason
    if record.gate.is_red:
        return record.operation, reason_of(record)
    return (record.operation,)


@dataclass
class FolderPlan:
    """Claims folders for cases as they end, in any order.

    ``first`` limits the folders of cases that are the first of their group, ``more`` all others, so that frequent
    groups cannot use up the folders of groups that come later. Processes that share a run share ``claims``, a folder
    in which each group has a file; None in a run of one process.
    """

    first: FolderBudget
    more: FolderBudget
    claims: Path | None = None
    _with_folder: set[Group] = field(default_factory=set, init=False)
    _seen: Counter[Group] = field(default_factory=Counter, init=False)

    def passes_over(self, record: CaseRecord) -> bool:
        """Tell whether the case has no folder whatever its size, and then count it: it needs no claim."""
        group = _group(record)
        if group not in self._with_folder or _is_power(self._seen[group] + 1):
            return False
        self._seen[group] += 1
        return True

    def refuses(self, record: CaseRecord, size: int) -> bool:
        """Tell whether the case has no folder because that takes ``size`` bytes at least, and then count it."""
        if size <= max(self.first.folder_bytes, self.more.folder_bytes):
            return False
        return not self.claim(record, size)

    def claim(self, record: CaseRecord, size: int) -> bool:
        """Tell whether the case may have a folder of ``size`` bytes, and then count it as written."""
        group = _group(record)
        self._seen[group] += 1
        if group not in self._with_folder and self._is_first(group):
            if self.first.claim(size):
                self._with_folder.add(group)
                return True
            # The next case of the group may be smaller.
            self._give_back(group)
            return False
        self._with_folder.add(group)
        return _is_power(self._seen[group]) and self.more.claim(size)

    def _is_first(self, group: Group) -> bool:
        """Tell whether no other process has a folder of the group, and then keep others from having it as the first."""
        if self.claims is None:
            return True
        try:
            self._claim(group).touch(exist_ok=False)
        except FileExistsError:
            return False
        except OSError:  # a full disk: at worst there is a folder too many
            return True
        return True

    def _give_back(self, group: Group) -> None:
        if self.claims is not None:
            self._claim(group).unlink(missing_ok=True)

    def _claim(self, group: Group) -> Path:
        assert self.claims is not None
        name = hashlib.sha256(repr(group).encode("utf-8", "surrogatepass")).hexdigest()
        return self.claims / name


def _group(record: CaseRecord) -> Group:
    return record.target, record.gate, group_of(record)


def _is_power(number: int) -> bool:
    """Tell whether a number is a power of SPACING, from SPACING on."""
    while number > SPACING and number % SPACING == 0:
        number //= SPACING
    return number == SPACING
