"""Tries changed sources of references on the cases of the operations that run them."""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from devices.engine.reference_time_limit import within
from ir_models import Operation
from reference import lookup
from tests.kill.planting import Planter
from tests.kill.source import Source, SourceMutant, files
from tests.kill.table import Equivalent, read_equivalents
from tests.kill.trial import Question, Trial, as_list

# Seconds that a changed reference may take beyond twenty times the right one's: it may never end.
PATIENCE = 1.0
SLOWER = 20


_Left = dict[Path, dict[SourceMutant, str]]


@dataclass
class SourceRow:
    """One file: which tier detected each of its mutants; the others with what happened.

    ``excused`` are those of them that no case can tell.
    """

    source: str
    told: dict[SourceMutant, str] = field(default_factory=dict)
    missed: dict[SourceMutant, str] = field(default_factory=dict)
    excused: dict[SourceMutant, Equivalent] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of mutants that some case detected, among those without an excuse."""
        tried = len(self.told) + len(self.missed)
        return len(self.told) / tried if tried else 1.0


EXCUSES = Path(__file__).with_name("source.toml")


@cache
def excuses() -> tuple[Equivalent, ...]:
    """The entries of ``source.toml``. Raises EquivalentError."""
    return read_equivalents(EXCUSES, "source")


@cache
def source_of(file: Path) -> Source:
    """A file that can be changed."""
    return Source(file)


@cache
def _planter(file: Path) -> Planter:
    return Planter(source_of(file))


def sampled(file: Path, most: int) -> list[SourceMutant]:
    """At most so many mutants of a file, chosen by their names; all of them for 0."""
    mutants = source_of(file).mutants
    if not most or len(mutants) <= most:
        return mutants
    return sorted(mutants, key=lambda each: zlib.crc32(f"{each.source} {each.name}".encode()))[
        :most
    ]


def try_sources(
    operations: Sequence[Operation],
    sample: int = 0,
    shared: bool = True,
    report: Callable[[str], None] = lambda line: None,
) -> list[SourceRow]:
    """Try the mutants of the references of these operations, and of the shared arithmetic that they run.

    Any of the operations that run shared arithmetic may detect its changes. ``report`` gets how far it is.
    """
    own = {file_of(operation) for operation in operations}
    taken = [f for f in files() if f in own or (shared and f.parent.name == "shared")]
    left: _Left = {file: dict.fromkeys(sampled(file, sample), "no case runs it") for file in taken}
    tiers: dict[SourceMutant, str] = {}
    tried = {file: list(mutants) for file, mutants in left.items()}
    for number, operation in enumerate(operations, 1):
        if any(left.values()):
            start, before = time.monotonic(), len(tiers)
            _try_on(operation, left, tiers)
            seconds, count = time.monotonic() - start, len(tiers) - before
            report(f"{number}/{len(operations)} {operation.name}: told {count} in {seconds:.0f} s")
    return [_row(mutants, left[file], tiers) for file, mutants in tried.items() if mutants]


def _row(
    mutants: list[SourceMutant], left: dict[SourceMutant, str], tiers: dict[SourceMutant, str]
) -> SourceRow:
    row = SourceRow(mutants[0].source)
    for mutant in mutants:
        excuse = next((e for e in excuses() if e.covers(mutant.source, mutant.name)), None)
        if mutant not in left:
            row.told[mutant] = tiers[mutant]
        elif excuse is not None:
            row.excused[mutant] = excuse
        else:
            row.missed[mutant] = left[mutant]
    return row


def file_of(operation: Operation) -> Path:
    """The file of an operation's reference."""
    module = sys.modules[lookup(operation.name).__module__]
    return Path(str(module.__file__))


def _try_on(operation: Operation, left: _Left, tiers: dict[SourceMutant, str]) -> None:
    """Try what is left on the cases of one operation; what they tell moves to ``tiers``, with the tier."""
    trial = Trial(operation)
    reached = _Reached(trial, {str(file) for file, mutants in left.items() if mutants})
    for mutants in left.values():
        for mutant in list(mutants):
            for number in reached.by(mutant):
                tier = _verdict(trial.question(number), mutant, reached.seconds[number])
                mutants[mutant] = "no case tells"
                if tier:
                    tiers[mutant] = tier
                if tier == "gate":
                    break
            if mutant in tiers:
                del mutants[mutant]


class _Reached:
    """Which cases of an operation run which lines, and how long its reference takes."""

    def __init__(self, trial: Trial, files: set[str]) -> None:
        self.seconds: list[float] = []
        self._lines: dict[tuple[str, int], list[int]] = {}
        for number in range(len(trial.cases)):
            question = trial.question(number)
            start = time.monotonic()
            with _traced(files) as lines:
                _answer(question)
            self.seconds.append(time.monotonic() - start)
            for each in lines:
                self._lines.setdefault(each, []).append(number)

    def by(self, mutant: SourceMutant) -> list[int]:
        """The cases that run the statement that a mutant changes, in the order of the trial."""
        found: set[int] = set()
        for line in (0,) if mutant.is_everywhere else mutant.lines:
            found.update(self._lines.get((str(mutant.file), line), ()))
        return sorted(found)


@contextmanager
def _traced(files: set[str]) -> Iterator[set[tuple[str, int]]]:
    """The (file, line) that run inside the block, of these files."""
    lines: set[tuple[str, int]] = set()

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame: FrameType, _event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        # The line of a definition stands for the defaults of its parameters, line 0 for the file.
        lines.add((frame.f_code.co_filename, 0))
        lines.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))
        return on_line

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield lines
    finally:
        sys.settrace(before)


def _answer(question: Question) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        reference = lookup(question.case.operation.name)
        return as_list(reference(*question.inputs, **question.attributes))


def _verdict(question: Question, mutant: SourceMutant, seconds: float) -> str:
    """The tier of the comparator that tells the answer of a mutant from the right one; empty where none does."""
    for array in question.inputs:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    try:
        with _planter(mutant.file).planted(mutant), within(PATIENCE + SLOWER * seconds):
            outputs = _answer(question)
    except Exception:
        # A reference that cannot answer, or never does, is wrong.
        return "gate"
    try:
        return question.verdict(question.in_type(outputs))
    except (ValueError, TypeError, OverflowError):
        return "gate"  # an answer that no type of the layer holds
