"""A baseline: which cases did not pass in an earlier run, exactly, and how they ended.

It is what excuses a departure; a cause never does. A line holds every way in which its case ended in the runs that the
baseline was taken from. One that is nondeterministic (memory that nobody wrote, a race) says so: its values are not
compared, and it may end in any way that such a defect can.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec

from reports.explaining.alike import have_alike_words, kind_of_facts
from reports.explaining.explanations import is_crossing
from reports.patterns import numbers_of
from reports.results.facts import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, Header

DEPTHS = ("single", "pairs", "all")
"""How much of what x how a run asks, from the least to all."""

BY_CHANCE = frozenset((Outcome.FAIL, Outcome.FLAKE, Outcome.CRASH, Outcome.TIMEOUT))
"""How a nondeterministic departure may end in any run."""


def unnumbered(device: str) -> str:
    """Return the name of a device without the number of one of several: GPU of ``GPU.1``."""
    return re.sub(r"\.\d+$", "", device)


@dataclass(frozen=True)
class Run:
    """What decides whether two runs can be compared case by case."""

    device: str = ""
    profile: str = ""
    openvino: str = ""
    architecture: str = ""
    full_name: str = ""
    driver: str = ""
    isa: str = ""
    precision: str = ""
    """What the device says that it computes in."""
    f16: bool = False
    """Whether the processor computes in f16, with kernels of its own."""
    seed: int = 0
    random: int = 0
    depth: str = "single"

    @property
    def release(self) -> str:
        """The release of OpenVINO, ``2026.4`` of ``2026.4.1-21000``."""
        return ".".join(map(str, numbers_of(self.openvino)[:2]))

    @property
    def is_of_processor(self) -> bool:
        """Whether the kernels are those of the processor: their instruction set tells more than a name."""
        return self.device.partition(".")[0] not in ("GPU", "NPU")


def run_of(header: Header, device: str, profile: str) -> Run:
    """Return what decides about the comparison of a run's results of a target."""
    target = header.target(device, profile)
    selection = header.selection
    return Run(
        device,
        target.profile if target else profile,
        header.openvino,
        architecture_of((target.machine if target else "") or header.platform),
        target.full_name if target else "",
        target.driver if target else "",
        target.isa if target else "",
        target.settings.get("INFERENCE_PRECISION_HINT", "") if target else "",
        "FP16" in target.capabilities if target else False,
        header.seed or 0,
        header.random or 0,
        selection.depth if selection else "single",
    )


def architecture_of(platform: str) -> str:
    """Return the architecture that Python's name of a machine, or of its platform, has in it."""
    known = ("x86_64", "AMD64", "aarch64", "arm64", "riscv64")
    found = next((name for name in known if name in platform), "")
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(found, found)


class Ending(NamedTuple):
    """One way in which a case ended."""

    outcome: Outcome
    facts: Facts = Facts()

    def admits(self, outcome: Outcome, facts: Facts) -> bool:
        """Tell whether a result ended so."""
        (kind, words), (other, others) = kind_of_facts(*self), kind_of_facts(outcome, facts)
        return (
            kind == other
            and self.facts.computed_as == facts.computed_as
            and have_alike_words(words, others)
        )


class Line(NamedTuple):
    """What a baseline says of a case."""

    endings: tuple[Ending, ...]
    cause: str = ""
    extent: Extent | None = None
    is_nondeterministic: bool = False

    @property
    def may_pass(self) -> bool:
        """Whether the case conformed in one of the runs, or may by chance."""
        return self.is_nondeterministic or any(e.outcome is Outcome.PASS for e in self.endings)

    def admits(self, record: CaseRecord) -> bool:
        """Tell whether a case may end so, as far as it is not about how wrong it is.

        By chance a case that is refused before inference may end otherwise, but not in any way: its cause must say so.
        """
        is_inferred = any(e.outcome in BY_CHANCE or e.facts.stage == "infer" for e in self.endings)
        if self.is_nondeterministic and is_inferred and record.outcome in BY_CHANCE:
            return True
        return any(each.admits(record.outcome, record.facts) for each in self.endings)

    def is_exceeded_by(self, record: CaseRecord) -> bool:
        """Tell whether a failure is clearly worse than it was.

        An answer that is right for narrowed inputs is as wrong as their digits.
        """
        if self.is_nondeterministic or record.facts.computed_as:
            return False
        now = record.extent
        return now is not None and self.extent is not None and self.extent.is_exceeded_by(now)

    def with_cause(self, cause: str, is_by_chance: bool) -> Line:
        """Return the line with a cause; ``is_by_chance``: whether that is nondeterministic.

        One run does not show that its values are by chance; the cause knows.
        """
        return self._replace(
            cause=cause, is_nondeterministic=self.is_nondeterministic or is_by_chance
        )

    def joined(self, other: Line) -> Line:
        """Return a line that has the endings of both."""
        endings = list(self.endings)
        for each in other.endings:
            if not any(one.admits(*each) for one in endings):
                endings.append(each)
        if self.extent is None or other.extent is None:
            extent = self.extent or other.extent
        else:
            extent = self.extent.joined(other.extent)
        return Line(
            tuple(sorted(endings, key=lambda one: (one.outcome.badness, str(one.facts)))),
            self.cause or other.cause,
            extent,
            self.is_nondeterministic or other.is_nondeterministic or len(endings) > 1,
        )

    @property
    def outcomes(self) -> str:
        """How the case ended, without places and numbers: ``FAIL or CRASH``."""
        return " or ".join(dict.fromkeys(str(each.outcome) for each in self.endings))

    def __str__(self) -> str:
        return f"{self.outcomes}, {self.extent}" if self.extent else self.outcomes


def line_of(record: CaseRecord) -> Line:
    """Return the line of a case that departs."""
    # What a process said before it died of its memory differs from run to run; its signal tells enough.
    is_told = record.facts.signal in ("SIGSEGV", "SIGBUS")
    facts = msgspec.structs.replace(record.facts, message="") if is_told else record.facts
    is_flake = record.outcome is Outcome.FLAKE
    return Line((Ending(record.outcome, facts),), record.cause, record.extent, is_flake)


@dataclass(frozen=True)
class Corpus:
    """What a run asked, without a list of its cases: the purposes by operation, and the ways of asking.

    A suite that has learned to ask more does not hold a baseline to cases that its run did not have. ``left`` are cases
    that departed in the run and were not taken: the baseline has no line for them, and they did not pass.
    """

    purposes: Mapping[str, frozenset[str]]
    hows: frozenset[str]
    left: frozenset[str] = frozenset()

    def joined(self, other: Corpus) -> Corpus:
        """Return what both runs asked, or only ``other`` where that cannot be said of whole corpora.

        Of runs that asked other operations in other ways a union would have cases that neither run asked.
        """
        left = self.left | {case for case in other.left if not self._names(case)}
        if self.covers(other):
            return replace(self, left=left)
        if other.covers(self):
            return replace(other, left=left)
        if self.hows != other.hows and self.purposes != other.purposes:
            return replace(other, left=left)
        names = self.purposes.keys() | other.purposes.keys()
        none: frozenset[str] = frozenset()
        purposes = {n: self.purposes.get(n, none) | other.purposes.get(n, none) for n in names}
        return Corpus(purposes, self.hows | other.hows, left)

    def _names(self, case: str) -> bool:
        operation, purpose, *_ = case.split("/", 2)
        return purpose in self.purposes.get(operation, frozenset())

    def covers(self, other: Corpus) -> bool:
        """Tell whether the run asked all that another one did."""
        none: frozenset[str] = frozenset()
        return other.hows <= self.hows and all(
            purposes <= self.purposes.get(name, none) for name, purposes in other.purposes.items()
        )

    def has(self, record: CaseRecord) -> bool:
        """Tell whether the run had cases of this purpose, and asked in this way."""
        purposes = self.purposes.get(record.operation, frozenset())
        is_asked = record.purpose in purposes and record.how_text in self.hows
        return is_asked and record.case not in self.left


def corpus_of(records: Iterable[CaseRecord]) -> Corpus:
    """Return what a run asked and has a verdict on."""
    purposes: dict[str, set[str]] = defaultdict(set)
    hows = set()
    for record in records:
        if record.outcome.says_nothing:
            continue
        purposes[record.operation].add(record.purpose)
        hows.add(record.how_text)
    return Corpus({name: frozenset(each) for name, each in purposes.items()}, frozenset(hows))


@dataclass
class Baseline:
    """The lines of an earlier run by case, and what run it was.

    ``asked`` are the ids of all its cases; None where only the options of the run tell which these were. ``name`` is
    what messages call it.
    """

    run: Run = field(default_factory=Run)
    lines: Mapping[str, Line] = field(default_factory=dict)
    asked: frozenset[str] | None = None
    name: str = ""
    is_given: bool = False
    """Whether the user named it, and it is not the nearest that the suite ships."""
    corpus: Corpus | None = None
    """What its run asked, where the ids are not known."""
    lacks: str = ""
    """What its run did not come to, such as a shard."""

    def differences(self, run: Run) -> list[str]:
        """Return in what another run differs, so that its cases cannot be compared; in words."""
        own = self.run
        found = []
        pairs = [
            ("OpenVINO", own.release, run.release),
            ("profile", own.profile, run.profile),
            ("architecture", own.architecture, run.architecture),
            ("precision", own.precision, run.precision),
            ("seed", str(own.seed), str(run.seed)),
        ]
        if own.is_of_processor and run.is_of_processor:
            pairs.append(("kernels", own.isa, run.isa))
        else:
            pairs += [("device", own.full_name, run.full_name), ("driver", own.driver, run.driver)]
        # A plugin of one's own has a name that holds the device's: MYCPU.
        mine, other = own.device.partition(".")[0], run.device.partition(".")[0]
        if mine and mine not in other and other not in mine:
            pairs.append(("device", own.device, run.device))
        for name, mine, other in pairs:
            if mine != other:
                found.append(f"{name} {mine or 'unknown'} there, {other or 'unknown'} here")
        return found

    def has_asked(self, record: CaseRecord, run: Run) -> bool:
        """Tell whether its run asked the case, with the same data."""
        if self.asked is not None:
            return record.case in self.asked
        if record.is_outside_corpus or (self.corpus is not None and not self.corpus.has(record)):
            return False
        if record.purpose == "random":
            is_deep = self.run.depth != "single" or not record.how
            return self.run.random >= run.random and is_deep
        if self.run.depth == "single":
            return not is_crossing(record)
        return record.purpose != "covering" or self.run.depth == "all"


def from_records(
    records: Iterable[CaseRecord],
    run: Run,
    name: str = "",
    *,
    is_given: bool = False,
    chance: frozenset[str] = frozenset(),
) -> Baseline:
    """Return the baseline that the results of one target are; ``chance`` are the ids of nondeterministic causes."""
    records = list(records)
    asked, lines = [], {}
    for record in records:
        if record.outcome.says_nothing:
            continue
        asked.append(record.case)
        if departs(record):
            line = line_of(record)
            lines[record.case] = line.with_cause(line.cause, line.cause in chance)
    return Baseline(run, lines, frozenset(asked), name, is_given, corpus_of(records))


def departs(record: CaseRecord) -> bool:
    """Tell whether a record has a line in a baseline."""
    return not record.conforms and not record.outcome.says_nothing
