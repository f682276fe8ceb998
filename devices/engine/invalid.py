"""Asks a device about invalid layers, which it must refuse with a message, without damage to later cases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum

from devices.engine.confirming import KilledError
from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.single import SingleCases, guarded
from devices.engine.verdicts.verdict import Verdict
from devices.process.child_handle import ChildDiedError, ChildHungError
from devices.process.opening import PAUSES, NotOpenedError
from ir_models import Case, Operation, cases
from ir_models.asking.how import How
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import ENDS, Outcome

_RIGHT = (Outcome.PASS, Outcome.COMPILED)


class _Canary(Enum):
    """What a plain layer showed about the process in which it was tested."""

    PASSES = "passes"
    FAILS = "fails"
    KILLED = "the process was killed from outside"


class InvalidCases:
    """Invalid cases, each in a model of its own, and several in one child process.

    The plain layer of the operation (the canary) must still pass in the same process after them.
    """

    def __init__(self, single: SingleCases) -> None:
        self._single, self._session = single, single.session
        self._plain: dict[str, list[PreparedCase]] = {}

    def verdicts(self, pack: Sequence[PreparedCase]) -> list[Verdict]:
        """The verdicts on the cases, in order. Those that are expected to end the child are asked alone, last."""
        ending = {p.case.id for p in pack if self._single.known.known_outcomes(p.case) & ENDS}
        found = self._together([p for p in pack if p.case.id not in ending])
        found += [self._alone(p) for p in pack if p.case.id in ending]
        by_id = {verdict.case.id: verdict for verdict in found}
        return [by_id[prepared.case.id] for prepared in pack]

    def _together(self, pack: Sequence[PreparedCase]) -> list[Verdict]:
        """The verdicts on cases in one child process, in order; in several where one of them damages it."""
        if len(pack) <= 1:
            return [self._alone(prepared) for prepared in pack]
        try:
            child = self._session.open()
            verdicts: list[Verdict] = []
            for number, prepared in enumerate(pack):
                verdict = self._single.verdict(prepared)
                if not self._session.has(child):
                    # One of the cases damaged the child, perhaps not the one in which it died.
                    is_confirmed = verdict.outcome in ENDS
                    return [
                        *self._together(pack[:number]),
                        verdict if is_confirmed else self._alone(prepared),
                        *self._together(pack[number + 1 :]),
                    ]
                verdicts.append(verdict)
            if self._canary(pack[-1].case) is _Canary.PASSES:
                return verdicts
        except NotOpenedError:  # which each of the cases says then
            return [self._alone(prepared) for prepared in pack]
        middle = len(pack) // 2
        return [*self._together(pack[:middle]), *self._together(pack[middle:])]

    def _alone(self, prepared: PreparedCase) -> Verdict:
        """The verdict on one case. Damage that it does to its process is confirmed in two fresh processes."""
        return guarded(prepared.case, lambda: self._verdict_with_canary(prepared))

    def _verdict_with_canary(self, prepared: PreparedCase) -> Verdict:
        damaged: list[Verdict] = []
        for pause in (*PAUSES, 0.0):
            is_fresh = self._session.is_fresh
            verdict = self._single.verdict(prepared)
            if verdict.outcome is not Outcome.PASS:
                return verdict
            canary = self._canary(prepared.case)
            if canary is _Canary.PASSES:
                break
            self._session.discard()
            if canary is _Canary.KILLED:
                time.sleep(pause)
            elif is_fresh:
                damaged.append(verdict)
                if len(damaged) == 2:
                    break
        else:
            raise KilledError(
                "the child processes were killed again and again, by another process or for lack of memory"
            )
        if damaged:
            again = canary is not _Canary.PASSES
            verdict.outcome = Outcome.FAIL if again else Outcome.FLAKE
            verdict.facts = Facts(kind="damage")
            verdict.detail += "; after it, the plain layer no longer passes in the same process"
            verdict.detail += "" if again else ", which was not repeated when run again"
        return verdict

    def _canary(self, case: Case) -> _Canary:
        """Whether the plain layer passes in this process, or does not pass in a new one either."""
        for prepared in self._plain_layers(case.operation):
            try:
                reply = self._session.ask(self._single.question(prepared))
                passes = not reply.refused and self._single.judge(prepared, reply).outcome in _RIGHT
            except ChildDiedError as error:
                if error.is_killed:
                    return _Canary.KILLED
                passes = False
            except ChildHungError:
                passes = False
            if not passes:
                self._session.discard()
                is_wrong_alone = self._single.verdict(prepared).outcome not in _RIGHT
                return _Canary.PASSES if is_wrong_alone else _Canary.FAILS
        return _Canary.PASSES

    def _plain_layers(self, operation: Operation) -> list[PreparedCase]:
        """The plain layers of an operation as they are usually asked; none where the reference fails."""
        if operation.name not in self._plain:
            self._plain[operation.name] = found = []
            for case in cases(operation, ["plain"]):
                # What is wrong without any invalid layer before it tells nothing about one.
                if case.how == How() and not self._single.known.known_outcomes(case):
                    # What the reference raises is told by the verdict on the plain layer itself.
                    with suppress(Exception):
                        found.append(prepare(case, self._single.seed))
        return self._plain[operation.name]
