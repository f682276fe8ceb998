"""Runs cases on a device: valid cases in packs, which are split where needed, and invalid cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devices.bisection import PackBisection
from devices.invalid import InvalidCases
from devices.profiles import Profile
from devices.questions import PreparedCase, prepare
from devices.session import Session
from devices.single import SingleCases
from devices.verdict import Verdict
from ir_models import Case
from reference import MissingReferenceError
from reports.outcomes import Outcome


@dataclass
class Options:
    """How cases are run.

    ``pack_size``: cases in a model at most. ``case_timeout``: seconds for each stage. ``audit``: the share of the cases
    passed in packs that are asked again alone. ``seed``: of all data.
    """

    pack_size: int = 100
    case_timeout: float = 30.0
    audit: float = 0.02
    seed: int = 0


class Runner:
    """Runs cases on one device with one profile. Use it as a context manager: it owns a child process."""

    def __init__(self, device: str, profile: Profile, options: Options) -> None:
        self._seed = options.seed
        self._session = Session(device, profile, options.case_timeout)
        single = SingleCases(self._session, options.seed)
        self._bisection = PackBisection(self._session, single, options.seed, options.audit)
        self._invalid = InvalidCases(self._session, single, options.seed)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Start the child process if there is none. Raises NoDeviceError, ChildDiedError, ProfileError."""
        self._session.open()

    def request_exit(self) -> None:
        """Tell the child process to end; ``close`` waits for it."""
        self._session.request_exit()

    def close(self) -> None:
        """End the child process."""
        self._session.close()

    def judge(self, pack: Sequence[Case]) -> list[Verdict]:
        """The verdicts on a pack (see ``packs.plan``), in order. A pack has only valid or only invalid cases."""
        verdicts: dict[str, Verdict] = {}
        ready: list[PreparedCase] = []
        for case in pack:
            try:
                ready.append(prepare(case, self._seed))
            except (ValueError, MissingReferenceError, RuntimeError, TypeError) as error:
                detail = f"the reference fails: {type(error).__name__}: {error}"
                verdicts[case.id] = Verdict(case, Outcome.ERROR, detail)
        is_invalid = bool(ready) and ready[0].case.is_invalid
        asks = self._invalid if is_invalid else self._bisection
        verdicts |= {verdict.case.id: verdict for verdict in asks.verdicts(ready)}
        return [verdicts[case.id] for case in pack]
