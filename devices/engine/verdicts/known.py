"""What is known of a device before a run: which cases departed in an earlier one, and how.

It decides only how a case is asked: whether in a pack, and how often. Every case gets its verdict from the device.
"""

from __future__ import annotations

from typing import Protocol

from devices.engine.verdicts.verdict import Verdict
from ir_models import Case
from reports.results.outcomes import Outcome


class Known(Protocol):
    """What is known of a device with a profile."""

    def known_outcomes(self, case: Case) -> frozenset[Outcome]:
        """CRASH, TIMEOUT and REFUSED, as far as the case ended so in the run of the baseline."""
        ...

    def spoils(self, case: Case) -> bool:
        """Whether the case departed, in that run, for a cause that makes other layers of its model wrong."""
        ...

    def matches_baseline(self, verdict: Verdict) -> bool:
        """Whether a departure is exactly what is known of the case: outcome, facts, extent and digest."""
        ...


class NothingKnown:
    """What is known of a device without a baseline."""

    def known_outcomes(self, case: Case) -> frozenset[Outcome]:
        """Nothing."""
        return frozenset()

    def spoils(self, case: Case) -> bool:
        """Never."""
        return False

    def matches_baseline(self, verdict: Verdict) -> bool:
        """Never."""
        return False
