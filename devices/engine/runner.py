"""Runs cases on a device: valid cases in packs, which are split where needed, and invalid cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from devices.engine.bisection import PackBisection
from devices.engine.invalid import InvalidCases
from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.session import Session
from devices.engine.single import SingleCases
from devices.engine.verdicts.known import Known, NothingKnown
from devices.engine.verdicts.verdict import Verdict, error_verdict
from devices.process.messages import one_line
from devices.process.resources import limits, memory
from devices.targets.profiles import Profile
from ir_models import Case
from reports.results.outcomes import Outcome


@dataclass
class Options:
    """How cases are run.

    ``pack_size``: cases in a model at most. ``case_timeout``: seconds for each stage. ``audit``: the share of the cases
    passed in packs that are asked again alone. ``seed``: of all data. ``memory``: bytes that a case may need, None for
    any number.
    """

    pack_size: int = 100
    case_timeout: float = 30.0
    audit: float = 0.02
    seed: int = 0
    memory: int | None = None


class Runner:
    """Runs cases on one device with one profile. Use it as a context manager: it owns a child process.

    ``known`` is what is known of the device, which saves asking again; nothing unless it is given.
    """

    def __init__(
        self,
        device: str,
        profile: Profile,
        options: Options,
        known: Known | None = None,
    ) -> None:
        known = known or NothingKnown()
        self._seed, self._memory = options.seed, options.memory
        self._session = Session(device, profile, options.case_timeout)
        single = SingleCases(self._session, options.seed, options.audit, known)
        self._bisection = PackBisection(single)
        self._invalid = InvalidCases(single)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Start the child process if there is none. Raises NotOpenedError."""
        self._session.begin()
        self._session.open()

    def request_exit(self) -> None:
        """Tell the child process to end; ``close`` waits for it."""
        self._session.request_exit()

    def close(self) -> None:
        """End the child process."""
        self._session.close()

    def judge(self, pack: Sequence[Case]) -> list[Verdict]:
        """The verdicts on a pack (see ``packs.plan``), in order. A pack has only valid or only invalid cases.

        An exception of the suite itself, in a reference or anywhere else, makes an ERROR of its case alone.
        """
        self._session.begin()
        verdicts: dict[str, Verdict] = {}
        ready: list[PreparedCase] = []
        for case in pack:
            needed = memory.need(case.id)
            if self._memory is not None and needed > max(self._memory, memory.SMALL):
                verdicts[case.id] = _not_asked(case, needed, self._memory)
                continue
            try:
                ready.append(prepare(case, self._seed))
            except Exception as error:
                verdicts[case.id] = _failed(case, "the reference fails", error)
        is_invalid = bool(ready) and ready[0].case.is_invalid
        asks = self._invalid if is_invalid else self._bisection
        try:
            found = asks.verdicts(ready)
        except Exception:  # of one of them; which one is found by asking about each
            found = [verdict for prepared in ready for verdict in _each(asks, prepared)]
        verdicts |= {verdict.case.id: verdict for verdict in found}
        return [verdicts[case.id] for case in pack]


def _not_asked(case: Case, needed: int, most: int) -> Verdict:
    """ABSENT for a case that this machine has too little memory for."""
    detail = (
        f"not run: it takes up to {memory.text(needed)} of memory, and a process of this run "
        f"may take {memory.text(most)}"
    )
    return Verdict(case, Outcome.ABSENT, detail, not_asked=True)


def _failed(case: Case, what: str, error: Exception) -> Verdict:
    """ERROR for an exception of the suite; ABSENT where memory ran out, for example for the expected outputs."""
    # Python says nothing then, and NumPy what it was for; what code raises by itself has other words.
    if not isinstance(error, MemoryError) or not re.match("Unable to allocate|$", str(error)):
        return error_verdict(case, what, error)
    most = limits.most()
    may = f"the {memory.text(most)} that" if most else "what"
    why = f": {one_line(str(error))}" if str(error) else ""
    detail = f"not run: it takes more memory than {may} a process of this run may take{why}"
    return Verdict(case, Outcome.ABSENT, detail, not_asked=True)


def _each(asks: PackBisection | InvalidCases, prepared: PreparedCase) -> list[Verdict]:
    try:
        return asks.verdicts([prepared])
    except Exception as error:
        return [_failed(prepared.case, "the suite fails", error)]
