"""A baseline: which cases an earlier run asked, exactly, which of them did not pass, and how those ended.

It is what excuses a departure; a cause never does. A line holds every way in which its case ended in the runs that the
baseline was taken from. One that is nondeterministic (memory that nobody wrote, a race) says so: its values may vary,
and it may end in the ways that such a defect has; how many elements are wrong is still compared.

A baseline may stand above another one, whose release, kernels or profile differ: it holds what differs, and what it
does not know the one below does.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import msgspec

from reports.results.explained.alike import have_alike_words, kind_of_facts
from reports.results.facts_of_departures import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.records import NOTHING_SETTLED, VARIES, CaseRecord, Header
from reports.results.shared.matching import numbers_of

DEPTHS = ("single", "pairs", "all")
"""How much of what x how a run asks, from the least to all."""

BY_CHANCE = frozenset((Outcome.FAIL, Outcome.FLAKE))
"""How a nondeterministic departure that is not refused may end in any run."""

_OF_VALUES = ("value", "not finite", "two answers", "only in a pack", "not repeated")
"""Kinds of departures that chance can cause. A wrong shape or type is never chance."""

_UNCONFIRMED = "?"
"""Ends the digest of a nondeterministic answer that one run alone gave: it is not compared."""


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
    threads: str = ""
    """How many threads the device infers with."""
    compile_only: bool = False
    """Whether layers were compiled and not inferred."""

    @property
    def release(self) -> str:
        """The release of OpenVINO, ``2026.4`` of ``2026.4.1-21000``."""
        return ".".join(map(str, numbers_of(self.openvino)[:2]))

    @property
    def uncapped_profile(self) -> str:
        """The profile without a cap on the instruction set, which the kernels tell."""
        names = (each for each in self.profile.split(",") if not each.startswith("isa="))
        return ",".join(names) or "accuracy"

    @property
    def is_of_processor(self) -> bool:
        """Whether the kernels are those of the processor: their instruction set tells more than a name."""
        return self.device.partition(".")[0] not in ("GPU", "NPU")


def run_of(header: Header, device: str, profile: str) -> Run:
    """Return what decides about the comparison of a run's results of a target."""
    target = header.target(device, profile)
    selection = header.selection
    return Run(
        device=device,
        profile=target.profile if target else profile,
        openvino=header.openvino,
        architecture=architecture_of((target.machine if target else "") or header.platform),
        full_name=target.full_name if target else "",
        driver=target.driver if target else "",
        isa=target.isa if target else "",
        precision=target.settings.get("INFERENCE_PRECISION_HINT", "") if target else "",
        f16="FP16" in target.capabilities if target else False,
        seed=header.seed or 0,
        random=header.random or 0,
        depth=selection.depth if selection else "single",
        threads=target.settings.get("INFERENCE_NUM_THREADS", "") if target else "",
        compile_only=target.compile_only if target else False,
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
    digest: str = ""
    """The digest of a wrong answer that every run gave, bit for bit; "" where it is not known.

    A nondeterministic answer is compared once two runs gave it. ``?`` behind it: one run did. ``~``: it varies, and
    behind it is the digest of the part that does not (`devices.engine.verdicts.digests`); ``~-``: that varies as well.
    """

    @property
    def passes(self) -> bool:
        """Whether the case conformed, where the baseline below says that it departs."""
        return all(each.outcome is Outcome.PASS for each in self.endings)

    @property
    def may_pass(self) -> bool:
        """Whether the case conformed in one of the runs, or may by chance."""
        return self.is_nondeterministic or any(e.outcome is Outcome.PASS for e in self.endings)

    @property
    def has_any_values(self) -> bool:
        """Whether the wrong values are other ones from run to run, or follow what new memory of the process holds."""
        return self.is_nondeterministic or self.varies

    @property
    def varies(self) -> bool:
        """Whether another answer to the case differed in a bit."""
        return self.digest.startswith(VARIES)

    def admits(self, record: CaseRecord) -> bool:
        """Tell whether the line covers the outcome and the kind of a result.

        `is_exceeded_by` compares how wrong it is. A line that `has_any_values` covers other wrong values as well, and
        two answers within one run; it covers the end of the process only if its cause names one.
        """
        if any(each.admits(record.outcome, record.facts) for each in self.endings):
            return True
        return (
            self.has_any_values
            and record.outcome in BY_CHANCE
            and record.facts.kind in _OF_VALUES
            and any(each.outcome in BY_CHANCE for each in self.endings)
        )

    def is_exceeded_by(self, record: CaseRecord) -> bool:
        """Tell whether a failure is clearly worse than it was.

        If the answer is right for narrowed inputs, the size of the error is not compared: it follows from the digits
        that narrowing lost. Of an answer that varies only the number of wrong elements is compared. An answer that is
        the same bit for bit is no worse, though its bound may be that of another precision.
        """
        now = record.extent
        if now is None or self.extent is None or record.facts.computed_as:
            return False
        _, mark, settled = record.digest.partition(VARIES)
        if self.digest and self.digest in (record.digest, settled and mark + settled):
            return False
        if self.has_any_values:
            return self.extent.has_fewer_than(now)
        return self.extent.is_exceeded_by(now)

    def is_another_answer(self, record: CaseRecord) -> bool:
        """Tell whether the wrong answer is not the one that every run gave.

        Of an answer that varies the part is compared that does not. If an answer varies within the run for the first
        time, a nondeterministic one is not compared.
        """
        now, mark, settled = record.digest.partition(VARIES)
        known = self.digest.removeprefix(VARIES)
        if known in ("", NOTHING_SETTLED) or known.endswith(_UNCONFIRMED):
            return False
        if self.varies and mark:
            now = settled
        elif mark and self.is_nondeterministic:
            return False
        return bool(now) and now != known

    def with_digest_of(self, record_line: Line) -> Line:
        """Return the line with its digest updated from the line that another run gave for the same case.

        An answer that has varied once is not compared any more, but for the part that does not vary.
        """
        now = record_line.digest
        if self.varies and (now == VARIES or not record_line.varies):
            return self
        if now == VARIES or self.varies is not record_line.varies:
            return self._replace(digest=now)
        is_compared_once = self.is_nondeterministic or self.varies
        return self._replace(digest=_of_two(self.digest, now) if is_compared_once else now)

    @property
    def allows_rounding(self) -> bool:
        """Whether the page admits rounding in the wrong output, or the outputs were not compared.

        Otherwise another processor or number of threads gives the same bits with the same kernels.
        """
        return self.extent is None or self.extent.fraction is not None

    def of_another_machine(self) -> Line:
        """Return the line without the digest of that machine's answer; that it varies holds on each."""
        return self._replace(digest=VARIES if self.varies else "")

    def with_cause(self, cause: str, is_by_chance: bool) -> Line:
        """Return the line with a cause; ``is_by_chance``: whether that is nondeterministic.

        One run does not show that its values are by chance; the cause knows.
        """
        by_chance = self.is_nondeterministic or is_by_chance
        found = self._replace(cause=cause, is_nondeterministic=by_chance)
        if by_chance and not self.is_nondeterministic and self.digest and not self.varies:
            return found._replace(digest=self.digest + _UNCONFIRMED)
        return found

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
        by_chance = self.is_nondeterministic or other.is_nondeterministic or len(endings) > 1
        digests = {self.digest, other.digest}
        varies = VARIES if by_chance or self.varies or other.varies else ""
        return Line(
            tuple(sorted(endings, key=lambda one: (one.outcome.badness, str(one.facts)))),
            self.cause or other.cause,
            extent,
            by_chance,
            self.digest if len(digests) == 1 else varies,
        )

    @property
    def outcomes(self) -> str:
        """The endings in words, without places and numbers: ``FAIL or CRASH``."""
        return " or ".join(dict.fromkeys(str(each.outcome) for each in self.endings))

    def __str__(self) -> str:
        return f"{self.outcomes}, {self.extent}" if self.extent else self.outcomes


def _of_two(before: str, now: str) -> str:
    """The digest after a second run gave another one: both are plain, or both of what does not vary."""
    mark = VARIES if now.startswith(VARIES) else ""
    first, second = (each.removeprefix(VARIES).removesuffix(_UNCONFIRMED) for each in (before, now))
    if first == second or second == NOTHING_SETTLED:
        return mark + second
    if not first:
        return mark + second + _UNCONFIRMED
    return VARIES + NOTHING_SETTLED if mark else VARIES


PASSES = Line((Ending(Outcome.PASS),))
"""The line of a case that conforms, and departs in the baseline below."""


def line_of(record: CaseRecord) -> Line:
    """Return the line of a case that departs."""
    # What a process said before it died of its memory differs from run to run; its signal tells enough.
    is_told = record.facts.signal in ("SIGSEGV", "SIGBUS")
    facts = msgspec.structs.replace(record.facts, message="") if is_told else record.facts
    is_flake = record.outcome is Outcome.FLAKE
    _, mark, settled = record.digest.partition(VARIES)
    # One run does not show that what did not vary in it never does.
    unconfirmed = _UNCONFIRMED if settled not in ("", NOTHING_SETTLED) else ""
    digest = mark + settled + unconfirmed if mark else record.digest
    return Line((Ending(record.outcome, facts),), record.cause, record.extent, is_flake, digest)


class Relation(Enum):
    """How a run compares with the run of a baseline."""

    SAME = "same"
    """The same release, kernels, profile and data."""
    KERNELS = "kernels"
    """The same release on another device, such as one above it, or with other kernels, another profile or precision."""
    RELEASE = "release"
    """Another release."""
    DATA = "data"
    """Another seed: the values of every case are other ones."""


class KnownCase(NamedTuple):
    """What is known of a case. ``line`` is None if it conformed; ``run`` is the run that shows it."""

    line: Line | None
    run: Run


@dataclass
class Baseline:
    """What an earlier run showed: the cases that it asked, and the lines of those that departed.

    ``name`` is what messages call it. ``base`` is the baseline below; only differences from it stand in ``lines``: a
    case that was asked and has no line is as the base says, and one that was not asked is known from the base.
    ``folder`` is where it stands, None for that of a results file.
    """

    run: Run = field(default_factory=Run)
    lines: Mapping[str, Line] = field(default_factory=dict)
    asked: Container[str] = frozenset()
    name: str = ""
    is_given: bool = False
    """Whether the user named it, and it is not the nearest that the suite ships."""
    lacks: str = ""
    """What its run did not come to, such as a shard."""
    base: Baseline | None = None
    folder: Path | None = None
    categories: Mapping[str, str] = field(default_factory=dict)
    """The category of each operation that has a line."""

    def known(self, case: str) -> KnownCase | None:
        """Return what is known of a case; None if no run has asked it."""
        line = self.lines.get(case)
        if line is not None:
            return KnownCase(None if line.passes else line, self.run)
        below = None if self.base is None else self.base.known(case)
        if case in self.asked:
            return KnownCase(below.line if below else None, self.run)
        return below

    def departures(self) -> dict[str, Line]:
        """Return the lines of all cases that this run knows to depart, those that are as the base says included."""
        return {
            case: line
            for case, line in self.known_departures().items()
            if case in self.lines or case in self.asked
        }

    def known_departures(self) -> dict[str, Line]:
        """Return the lines of all cases that are known to depart, from this run or from the runs below."""
        below = {} if self.base is None else self.base.known_departures()
        return {case: line for case, line in {**below, **self.lines}.items() if not line.passes}


def differences(own: Run, run: Run) -> dict[str, str]:
    """Return in what another run differs, so that its cases cannot be compared: a name, and both in words."""
    profiles = own.profile, run.profile
    if own.isa == run.isa:
        # A cap on the instruction set makes the kernels of a processor that has no more.
        profiles = own.uncapped_profile, run.uncapped_profile
    pairs = [
        ("OpenVINO", own.release, run.release),
        ("profile", *profiles),
        ("architecture", own.architecture, run.architecture),
        ("precision", own.precision, run.precision),
        ("seed", str(own.seed), str(run.seed)),
    ]
    if own.is_of_processor and run.is_of_processor:
        pairs.append(("instruction set", own.isa, run.isa))
    else:
        pairs += [("device", own.full_name, run.full_name), ("driver", own.driver, run.driver)]
    # A plugin of one's own has a name that holds the device's: MYCPU. AUTO, HETERO ... are devices of their own.
    mine, other = own.device.partition(".")[0], run.device.partition(".")[0]
    if mine and ((":" in mine) != (":" in other) or (mine not in other and other not in mine)):
        pairs.append(("device", own.device, run.device))
    return {
        name: f"{name} {mine or 'unknown'} in the baseline, {other or 'unknown'} in this run"
        for name, mine, other in pairs
        if mine != other
    }


def relation(own: Run, run: Run) -> Relation:
    """Return how a run compares with the run ``own`` of a baseline."""
    found = differences(own, run).keys()
    if "seed" in found:
        return Relation.DATA
    if "OpenVINO" in found:
        return Relation.RELEASE
    return Relation.KERNELS if found else Relation.SAME


def must_be_same_bits(line: Line, own: Run, run: Run) -> bool:
    """Tell whether a wrong answer of the run ``own`` must be the same bit for bit in another one.

    It must in one build with the same kernels. Where rounding is allowed, sums also depend on the processor's caches
    and on the number of threads.
    """
    if (own.openvino, own.isa) != (run.openvino, run.isa):
        return False
    is_same_machine = (own.full_name, own.threads) == (run.full_name, run.threads)
    return is_same_machine or not line.allows_rounding


def from_records(
    records: Iterable[CaseRecord],
    run: Run,
    name: str = "",
    *,
    is_given: bool = False,
    chance: frozenset[str] = frozenset(),
) -> Baseline:
    """Return the baseline that the results of one target are; ``chance`` are the ids of nondeterministic causes."""
    asked, lines, categories = [], {}, {}
    for record in records:
        if record.outcome.says_nothing:
            continue
        asked.append(record.case)
        if departs(record):
            line = line_of(record)
            lines[record.case] = line.with_cause(line.cause, line.cause in chance)
            categories[record.operation] = record.category
    return Baseline(run, lines, frozenset(asked), name, is_given, categories=categories)


def departs(record: CaseRecord) -> bool:
    """Tell whether a record has a line in a baseline."""
    return not record.conforms and not record.outcome.says_nothing
