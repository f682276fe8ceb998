"""What the expectations and ``known.tsv`` tell of a device's cases before and while they are asked."""

from __future__ import annotations

from devices import Verdict
from devices.known import ENDS
from ir_models import Case
from reports import expectations, known
from reports.outcomes import Gate, Outcome
from tests.conformance.records import Recorder, observed
from tests.conformance.selection import Target

_ENDS_OR_REFUSALS = ENDS | {Outcome.REFUSED}
# Cases. One is looked up several times while its pack is run, and not again.
_REMEMBERED = 1000


class Expected:
    """What is known of one target: a ``devices.known.Known``."""

    def __init__(self, recorder: Recorder, target: Target) -> None:
        self._recorder, self._target = recorder, target
        self._expectations = recorder.expectations[target.device]
        self._facts = expectations.facts(recorder.header, target.device, target.profile.name)
        self._foretold: dict[str, frozenset[Outcome]] = {}
        # Root causes and operations of which a case failed alone as it did in its pack.
        self._confirmed: set[tuple[str, str]] = set()

    def foretold(self, case: Case) -> frozenset[Outcome]:
        """CRASH, TIMEOUT and REFUSED, as far as the expectations admit them for the case."""
        found = self._foretold.get(case.id)
        if found is None:
            record = observed(Verdict(case, Outcome.REFUSED), self._target)
            found = self._expectations.foretold(record, self._facts, _ENDS_OR_REFUSALS)
            if len(self._foretold) >= _REMEMBERED:
                self._foretold.clear()
            self._foretold[case.id] = found
        return found

    def is_as_known(self, verdict: Verdict) -> bool:
        """Whether a departure is exactly what is known of the case.

        A FAIL must be about as wrong as its line of ``known.tsv`` says, or right for narrowed inputs; without a line,
        another case of its root cause and operation must have been ``confirmed``. One in which no elements were
        compared, and any other outcome, must have a detail that an expectation names; a death or a hang need not.
        """
        record = observed(verdict, self._target)
        judged = self._recorder.judge(record)
        if judged.gate is not Gate.EXPECTED:
            return False
        if record.outcome in ENDS:
            return True
        decision = self._expectations.match(record, self._facts)
        if decision is None or decision.unstable:
            return False
        if decision.cover.computed_as:
            # An answer that is right for narrowed inputs is as wrong as their digits: the gate asks no more either.
            return True
        now = known.severity_of(record)
        if now is not None:
            before = self._recorder.known[self._target.device].get(record.case)
            if before is None:
                return (decision.entry.id, record.operation) in self._confirmed
            # The gate saw that it is not worse.
            return not now.is_exceeded_by(before)
        return bool(decision.cover.details)

    def confirmed(self, verdict: Verdict) -> None:
        """Take note of a departure in a pack that the case shows alone, too."""
        record = observed(verdict, self._target)
        decision = self._expectations.match(record, self._facts)
        if decision is not None and decision.cover.admits(record):
            self._confirmed.add((decision.entry.id, record.operation))
