"""What the baseline tells of a device's cases before and while they are asked."""

from __future__ import annotations

from devices import Verdict
from devices.engine.verdicts.recording import observed
from ir_models import Case
from reports.results.outcomes import ENDS, Gate, Outcome
from tests.conformance.records import Recorder
from tests.conformance.selection import SuiteTarget

_ENDS_OR_REFUSALS = ENDS | {Outcome.REFUSED}


class KnownOutcomes:
    """What is known of one target: a ``devices.engine.verdicts.known.Known``."""

    def __init__(self, recorder: Recorder, target: SuiteTarget) -> None:
        self._recorder, self._target = recorder, target
        self._gate = recorder.targets[target.device, target.profile.name]

    def known_outcomes(self, case: Case) -> frozenset[Outcome]:
        """CRASH, TIMEOUT and REFUSED, as far as the case ended so in the run of the baseline."""
        known = self._gate.baseline.known(case.id)
        line = known.line if known else None
        if line is None:
            return frozenset()
        return _ENDS_OR_REFUSALS & {each.outcome for each in line.endings}

    def spoils(self, case: Case) -> bool:
        """Whether the baseline ascribes the case to a cause that makes other layers of its model wrong."""
        known = self._gate.baseline.known(case.id)
        cause = self._gate.causes.get(known.line.cause) if known and known.line else None
        return cause is not None and bool(cause.spoils)

    def matches_baseline(self, verdict: Verdict) -> bool:
        """Whether a departure is exactly what the baseline says of the case, and both runs have the same kernels."""
        record = observed(verdict, self._target.device, self._target.profile.name)
        known, _ = self._gate.known(record)
        if known is None or known.line is None or not self._gate.has_kernels_of(known.run, record):
            return False
        line = known.line
        if record.outcome in ENDS:
            return line.admits(record)
        is_known = self._recorder.judge(record).gate is Gate.KNOWN
        if line.has_any_values or not is_known or line.is_another_answer(record):
            return False
        # The gate saw that a failure is not worse; it must not be less wrong either, beside other layers.
        now = record.extent
        return now is None or line.extent is None or not now.is_exceeded_by(line.extent)
