"""Asks several builds of OpenVINO about one graph: the first one that departs, and the last one that conforms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from devices import own_build
from devices.profiles import Profile
from devices.search.asking import Answer, Asking
from devices.session import Session
from ir_models.graphs import Evaluated
from reports.patterns import numbers_of
from reports.results.outcomes import Outcome
from reports.results.releases import is_not_in_release


@dataclass(frozen=True)
class Build:
    """A build of OpenVINO, on whose device graphs are asked."""

    asking: Asking

    @property
    def release(self) -> str:
        """The version that the build tells, without what stands behind its numbers."""
        return self.asking.session.release.partition("-")[0]


@dataclass(frozen=True)
class OfBuild:
    """What a build made of a graph."""

    build: Build
    answer: Answer

    @property
    def is_absent(self) -> bool:
        """Whether the release is older than an operation or an element type of the graph."""
        answer = self.answer
        return answer.outcome is Outcome.REFUSED and is_not_in_release(
            answer.facts.stage, answer.detail, self.build.release
        )

    @property
    def departs(self) -> bool:
        """Whether the build departs; one that lacks an operation does not."""
        return self.answer.departs and not self.is_absent

    @property
    def told(self) -> str:
        """How it ended, in words."""
        if self.is_absent:
            return "ABSENT: the release is older than an operation or a type of the graph"
        return f"{self.answer.outcome} {self.answer.detail}".rstrip()


@contextmanager
def opened(
    folders: Sequence[str], device: str, profile: Profile, timeout: float
) -> Iterator[list[Build]]:
    """The builds in these folders, by version; what is installed where there is no folder.

    Raises OwnBuildError and NotOpenedError.
    """
    places = [own_build.environment(folder) for folder in folders] or [{}]
    sessions = [Session(device, profile, timeout, place) for place in places]
    try:
        for session in sessions:
            session.open_for_values()
        sessions.sort(key=lambda session: numbers_of(session.release))
        yield [Build(Asking(session)) for session in sessions]
    finally:
        for session in sessions:
            session.close()


def ask(builds: Sequence[Build], graph: Evaluated) -> list[OfBuild]:
    """What each build makes of a graph. Raises NotOpenedError."""
    return [OfBuild(build, *build.asking.ask([graph])) for build in builds]


def lines(asked: Sequence[OfBuild], way: tuple[str, ...]) -> list[str]:
    """What is said of builds, by version: how each ends, and with which one the graph began to depart this ``way``."""
    found = ["By release"]
    width = max(len(each.build.release) for each in asked)
    for each in asked:
        told = f"{each.answer.outcome}, alike" if each.answer.way == way else each.told
        found.append(f"  {each.build.release:{width}}  {told}")
    departing = [number for number, each in enumerate(asked) if each.answer.way == way]
    if not departing:
        return found
    first = departing[0]
    good = [each.build.release for each in asked[:first] if not each.answer.departs]
    before = f"the last good one before it is {good[-1]}" if good else "none before it is good"
    found.append(f"The first bad one of these is {asked[first].build.release}; {before}.")
    return found
