"""Asks several builds of OpenVINO about one graph: the first one that departs, and the last one that conforms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from devices.engine.session import Session
from devices.engine.verdicts.verdict import Verdict
from devices.process import own_build
from devices.process.opening import NotOpenedError
from devices.search.graph_runner import GraphRunner
from devices.targets.profiles import Profile
from ir_models.graphs import Evaluated
from reports.results.outcomes import Outcome
from reports.results.shared.patterns import numbers_of


@dataclass(frozen=True)
class Build:
    """A build of OpenVINO, on whose device graphs are asked; ``label`` names it among others."""

    label: str
    asking: GraphRunner


@dataclass(frozen=True)
class OfBuild:
    """What a build made of a graph."""

    build: Build
    answer: Verdict

    @property
    def departs(self) -> bool:
        """Whether the build departs; one that lacks an operation does not."""
        return self.answer.departs

    @property
    def conforms(self) -> bool:
        """Whether the graph was judged, and conforms."""
        was_judged = self.answer.outcome not in (Outcome.ERROR, Outcome.ABSENT)
        return was_judged and not self.answer.departs

    @property
    def told(self) -> str:
        """How it ended, in words."""
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
        for folder, session in zip(folders or [""], sessions, strict=True):
            try:
                session.open_for_values()
            except NotOpenedError as error:
                if len(sessions) == 1:
                    raise
                raise NotOpenedError(f"--openvino {folder}: {error}", error.absent) from None
        named = zip(labels([s.release for s in sessions], folders), sessions, strict=True)
        order = sorted(named, key=lambda each: version_of(each[1].release))
        yield [Build(label, GraphRunner(session)) for label, session in order]
    finally:
        for session in sessions:
            session.close()


def version_of(release: str) -> tuple[tuple[int, ...], int]:
    """What orders releases: the numbers of 2026.4.1-22982-e213a147257, then that of the build."""
    build = re.match(r"[\d.]+-(\d+)", release)
    return numbers_of(release), int(build[1]) if build else 0


def labels(releases: Sequence[str], folders: Sequence[str]) -> list[str]:
    """A name for each release: its numbers, with that of the build or with the folder where those are no other."""
    short = [each.partition("-")[0] for each in releases]
    with_build = ["-".join(each.split("-")[:2]) for each in releases]
    found = []
    for place, (name, longer) in enumerate(zip(short, with_build, strict=True)):
        if Counter(short)[name] == 1:
            found.append(name)
        elif Counter(with_build)[longer] == 1:
            found.append(longer)
        else:
            found.append(f"{longer} in {folders[place]}")
    return found


def ask(builds: Sequence[Build], graph: Evaluated) -> list[OfBuild]:
    """What each build makes of a graph. Raises NotOpenedError."""
    return [OfBuild(build, *build.asking.ask([graph])) for build in builds]


def lines(asked: Sequence[OfBuild], way: tuple[str, ...]) -> list[str]:
    """What is said of builds, by version: how each ends, and with which one the graph began to depart this ``way``.

    Where it came and went, that is the last time that it came.
    """
    found = ["By release"]
    width = max(len(each.build.label) for each in asked)
    is_bad = [each.answer.way == way for each in asked]
    for each, bad in zip(asked, is_bad, strict=True):
        told = f"{each.answer.outcome}, alike" if bad else each.told
        found.append(f"  {each.build.label:{width}}  {told}")
    if not any(is_bad):
        return found
    good = [number for number, each in enumerate(asked) if each.conforms]
    last_bad = max(number for number, bad in enumerate(is_bad) if bad)
    before = [number for number in good if number < last_bad]
    first = is_bad.index(True, before[-1] + 1 if before else 0)
    text = f"The first bad one of these is {asked[first].build.label}; "
    text += (
        f"the last good one before it is {asked[before[-1]].build.label}."
        if before
        else "none before it is good."
    )
    earlier = [asked[n].build.label for n, bad in enumerate(is_bad[:first]) if bad]
    if earlier:
        text += f" Bad before that: {', '.join(earlier)}."
    others = [each.build.label for each in asked[:first] if each.departs and each.answer.way != way]
    if others:
        text += f" Before it these fail in another way: {', '.join(others)}."
    return [*found, text]
