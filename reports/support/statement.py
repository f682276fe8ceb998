"""A statement: what a device claims, what a run showed of it, and which levels it reaches; checked against the results.

A level is reached if each of its cases was asked and conforms, and not otherwise: a waived departure passes the gate,
and no level. Its cases are those of the corpus, at the depth of the run, so that a case never asked is missed.

A statement is a folder: ``statement.json`` (`Statement`; ``statement.schema.json`` beside this file describes it),
``index.html``, and ``claims.toml`` as it was. The results files stay where they are; the statement has their digests.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Protocol

import msgspec

from ir_models.asking.id_parts import GRAPHS, split_id
from reports.gate.baseline import Baseline, run_of, unnumbered
from reports.gate.causes import Causes
from reports.gate.decision import GateTarget
from reports.results.files.coverage import gaps, remark
from reports.results.files.reading import Results, load
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.schema import of_document
from reports.support.claims import INVALID, Claims
from reports.support.claims import read as read_claims
from reports.support.measured import (
    CaseState,
    Count,
    Declared,
    State,
    behind,
    by_cells,
    state_of,
)

VERSION: Literal[1] = 1
"""Version of the format. A change that a reader must know of has another one."""

SCHEMA_FILE = Path(__file__).with_name("statement.schema.json")
JSON, REPORT, CLAIMS = "statement.json", "index.html", "claims.toml"

SPECIFICATION = "OpenVINO IR operation specification, 2026"
"""The pages that the declarations and references are written from."""

LevelName = Literal["safe", "plain", "dynamic", "complete", "graphs"]
MEANINGS: dict[LevelName, str] = {
    "safe": "no layer of any operation, valid or not, ends the process, hangs, or damages memory",
    "plain": "every claimed operation conforms in its plain layer with each claimed type",
    "dynamic": "every claimed operation claims unknown dimensions, and its plain layer conforms with each claimed kind",
    "complete": "every case of depth pairs inside the claims conforms, and claimed operations refuse invalid layers",
    "graphs": "every graph of the suite conforms",
}
"""The levels, and what each means."""

NOT_ASKED, NO_VERDICT, NOT_SEEN = "not asked", "no verdict", "compiled, values not seen"
DEPARTS, WAIVED, IS_UNSAFE, NOT_CLAIMED = "departs", "waived", "unsafe", "not claimed"
_ORDER = (IS_UNSAFE, DEPARTS, WAIVED, NOT_SEEN, NO_VERDICT, NOT_ASKED, NOT_CLAIMED)

_KNOWN, _UNKNOWN = "dimensions=known", "dimensions=unknown"

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class DeclaredSuite(Declared, Protocol):
    """What `ir_models.models` offers beside: what there is to ask."""

    def graphs_asked(self) -> tuple[str, ...]:
        """Return the ids of the graphs of the suite."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the statement was made from."""

    name: str
    """Its path, relative to the statement's folder."""
    bytes: Count
    sha256: Sha256


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What is claimed of some operations: the values of each row that does not admit any."""

    operations: list[str]
    rows: dict[str, list[str]] = {}


class WaiverUse(msgspec.Struct, frozen=True, kw_only=True):
    """A waiver, and how many departures it lets pass."""

    cause: str
    title: str = ""
    reason: str
    until: datetime.date
    ended: bool
    """Whether its date had passed when the statement was made: it lets nothing pass then."""
    cases: Count


class Numbers(msgspec.Struct, frozen=True, kw_only=True):
    """How cases ended."""

    asked: Count = 0
    conforms: Count = 0
    compiled: Count = 0
    """Compiled, values not seen."""
    waived: Count = 0
    not_claimed: Count = 0
    """Refused cleanly, outside the claims."""
    red: Count = 0


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What a level lacks."""

    why: str
    operation: str = ""
    cases: Count = 0
    example: str = ""
    """The shortest id of the cases; without cases the cell that no case has, or what the run lacks."""
    causes: list[str] = []


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A level, reached or not."""

    name: LevelName
    reached: bool
    cases: Count
    """The cases that decide it."""
    missing: list[Missing] = []


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """What a device claims, and what a run showed of it."""

    statement: Literal[1]
    made: datetime.date
    suite: str
    specification: str
    openvino: str
    device: str
    profile: str
    full_name: str
    driver: str
    processor: str
    isa: str
    settings: dict[str, str]
    compile_only: bool
    depth: str
    seed: int
    random: Count
    started: str
    ended: str
    part: str
    """Which part of the cases the run asked, in words; empty for all."""
    results: list[File]
    claims_file: File
    claims: list[Claim]
    holds: bool
    """Whether nothing is red: inside the claims all conforms or is waived, outside all conforms or is refused."""
    levels: list[Level]
    inside: Numbers
    outside: Numbers
    graphs: Numbers
    operations: dict[str, Numbers]
    """Of each claimed operation, the cases inside the claims."""
    red: list[Missing]
    waivers: list[WaiverUse]
    not_asked: dict[str, list[str]]
    """Claimed cells that no case has, by operation."""

    @property
    def title(self) -> str:
        """The device, its profile and the release."""
        return f"{self.device} ({self.profile}), OpenVINO {self.openvino.partition('-')[0]}"


# --- made ---------------------------------------------------------------------------------------------------------


def make(
    paths: Sequence[Path], claims_file: Path, beside: Path, causes: Causes, declared: DeclaredSuite,
    made: datetime.date, device: str = "", profile: str = "",
) -> Statement:  # fmt: skip
    """Return the statement of results files, of one device and profile. Raises ResultsError.

    ``beside`` is the folder of the statement, to which the names of results files are relative; ``made`` the day.
    """
    held = replace(read_claims(claims_file, declared), today=made)
    results = load(paths, leave_out_cut=True)
    target = _target_of(results, device, profile)
    if held.device not in ("", target[0], unnumbered(target[0])):
        raise ResultsError(f"{claims_file}: claims of {held.device}, not of {target[0]}")
    files = [_file(path, os.path.relpath(path, beside)) for path in paths]
    return _Made(results, target, held, causes, declared).statement(
        files, _file(claims_file, CLAIMS)
    )


def _target_of(results: Results, device: str, profile: str) -> tuple[str, str]:
    found = [
        target
        for target in results.targets()
        if device in ("", target[0], unnumbered(target[0])) and profile in ("", target[1])
    ]
    if len(found) != 1:
        there = ", ".join(f"{each[0]} ({each[1]})" for each in found or results.targets()) or "none"
        raise ResultsError(
            f"a statement is of one device and profile, got {there}: see --device and --profile"
        )
    return found[0]


def _file(path: Path, name: str) -> File:
    """Return a file with its digest. Raises ResultsError."""
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(2**20):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
    return File(name=name, bytes=size, sha256=digest.hexdigest())


class _Made:
    """The cases of a target by the claims that it is held to."""

    def __init__(
        self,
        results: Results,
        target: tuple[str, str],
        held: Claims,
        causes: Causes,
        declared: DeclaredSuite,
    ) -> None:
        self.results, self.target, self.held, self.causes = results, target, held, causes
        self.declared = declared
        self.header = results.header(*target)
        self.run = run_of(self.header, *target)
        gate = GateTarget(self.run, Baseline(name="none"), causes, claims=held)
        decided = [gate.decide(one) for one in results.records if one.target == target]
        self.records = {record.case: record for record in decided}
        self.graphs = {name: one for name, one in self.records.items() if one.purpose == GRAPHS}
        self.inside = {
            name for name in self.records if name not in self.graphs and held.is_inside(name)
        }

    def statement(self, files: list[File], claims_file: File) -> Statement:
        header, run, held = self.header, self.run, self.held
        about = self.results.target(*self.target)
        red = {name for name, one in self.records.items() if one.gate.is_red}
        waived: dict[str, int] = defaultdict(int)
        for record in self.records.values():
            if record.gate is Gate.KNOWN:
                waived[record.cause] += 1
        by_operation: dict[str, list[str]] = {name: [] for name in sorted(held.rows)}
        for case in self.inside:
            by_operation[self.records[case].operation].append(case)
        outside = self.records.keys() - self.inside - self.graphs.keys()
        return Statement(
            statement=VERSION,
            made=held.today,
            suite=header.suite,
            specification=SPECIFICATION,
            openvino=header.openvino,
            device=self.target[0],
            profile=self.target[1],
            full_name=about.full_name,
            driver=about.driver,
            processor=header.processor_of(about),
            isa=about.isa,
            settings=about.settings,
            compile_only=about.compile_only,
            depth=run.depth,
            seed=run.seed,
            random=run.random,
            started=header.started,
            ended=header.ended.strip(),
            part=remark(self.results.runs, [self.target]),
            results=files,
            claims_file=claims_file,
            claims=[*_claims(held)],
            holds=not red and not held.ended,
            levels=[*self._levels()],
            inside=self._numbers(self.inside),
            outside=self._numbers(outside),
            graphs=self._numbers(self.graphs),
            operations={name: self._numbers(own) for name, own in by_operation.items()},
            red=_grouped((DEPARTS, case, self.records[case]) for case in red),
            waivers=[
                WaiverUse(
                    cause=name, title=_title(self.causes, name), reason=each.reason, until=each.until,
                    ended=name in held.ended, cases=waived[name],
                )
                for name, each in sorted(held.waivers.items())
            ],
            not_asked=self._cells_not_asked(),
        )  # fmt: skip

    def _numbers(self, cases: Iterable[str]) -> Numbers:
        records = [self.records[case] for case in cases]
        return Numbers(
            asked=len(records),
            conforms=sum(one.gate in (Gate.PASS, Gate.QUALITY) for one in records),
            compiled=sum(one.gate is Gate.COMPILED for one in records),
            waived=sum(one.gate is Gate.KNOWN for one in records),
            not_claimed=sum(one.gate is Gate.NOT_CLAIMED for one in records),
            red=sum(one.gate.is_red for one in records),
        )

    def _levels(self) -> Iterator[Level]:
        safe = {case for own in self._corpus.values() for case in own}
        yield self._level("safe", safe | self.records.keys(), [], is_safe=True)
        yield self._level("plain", *self._deciding(lambda cell: cell.startswith("type ")))
        unclaimed = [
            Missing(why=NOT_CLAIMED, operation=name, example=_UNKNOWN)
            for name, cells in self._claimed_cells.items()
            if _UNKNOWN not in cells and _UNKNOWN in self._cells(self._corpus.get(name, ()))[name]
        ]
        cases, missing = self._deciding(
            lambda cell: cell.startswith("dimensions=") and cell != _KNOWN
        )
        yield self._level("dynamic", cases, unclaimed + missing)
        is_deep = self.run.depth != "single"
        shallow = (
            [] if is_deep else [Missing(why=NOT_ASKED, example="the run was of depth single, not pairs")]
        )  # fmt: skip
        yield self._level("complete", self.inside.union(*self._claimed.values()), shallow)
        yield self._level("graphs", {*self.declared.graphs_asked(), *self.graphs}, [])

    @cached_property
    def _corpus(self) -> dict[str, tuple[str, ...]]:
        """The cases of each operation of the suite at the depth of the run."""
        run = self.run
        return {
            name: self.declared.cases_asked(name, run.depth, run.random, run.seed)
            for name in self.declared.operation_names()
        }

    @cached_property
    def _claimed(self) -> dict[str, list[str]]:
        """The cases of the corpus inside the claims, by operation."""
        return {
            name: [case for case in self._corpus.get(name, ()) if self.held.is_inside(case)]
            for name in self.held.rows
        }

    def _level(
        self, name: LevelName, cases: Iterable[str], missing: list[Missing], is_safe: bool = False
    ) -> Level:
        deciding = list(cases)
        lacking = [
            (why, case, self.records.get(case))
            for case in deciding
            if (why := _lack(self.records.get(case), is_safe))
        ]
        whole = [
            Missing(why=NOT_ASKED, example=text) for text in gaps(self.results.runs, [self.target])
        ]
        found = [*whole, *missing, *_grouped(lacking)]
        if not deciding and not found:
            found.append(Missing(why=NOT_CLAIMED, example="no case is inside the claims"))
        return Level(name=name, reached=not found, cases=len(deciding), missing=found)

    def _deciding(self, is_asked: Callable[[str], bool]) -> tuple[set[str], list[Missing]]:
        """The cases that decide claimed cells, as support has them, and the cells that no case of the corpus has."""
        found: set[str] = set()
        missing = []
        for name, cells in self._claimed_cells.items():
            ids = [case for case in self._claimed.get(name, ()) if not _is_invalid(case)]
            tested = by_cells([CaseState(case, State.CONFORMS) for case in ids], self.declared)[
                name
            ]
            for cell in filter(is_asked, cells):
                if having := [one for one in tested if cell in one.cells]:
                    found.update(one.id for one in behind(cell, having)[0])
                else:
                    missing.append(Missing(why=NOT_ASKED, operation=name, example=cell))
        return found, missing

    @cached_property
    def _claimed_cells(self) -> dict[str, list[str]]:
        return {
            name: [
                f"{row}={value}"
                for row, values in self.declared.rows_of(name).items()
                for value in values
                if any(value in rows.get(row, (value,)) for rows in claims)
            ]
            for name, claims in sorted(self.held.rows.items())
        }

    def _cells(self, cases: Iterable[str]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for case in cases:
            parts = split_id(case)
            if parts.purpose != INVALID:
                found[parts.operation] |= self.declared.cells_of(
                    parts.operation, parts.inputs, parts.parameters, parts.how
                )
        return found

    def _cells_not_asked(self) -> dict[str, list[str]]:
        there = self._cells(self.inside)
        missing = {
            name: [cell for cell in cells if cell not in there[name]]
            for name, cells in self._claimed_cells.items()
        }
        return {name: cells for name, cells in missing.items() if cells}


def _is_invalid(case: str) -> bool:
    return split_id(case).purpose == INVALID


def _lack(record: CaseRecord | None, is_safe: bool) -> str:
    """Why a case keeps a level from being reached; "" if it does not."""
    if record is None:
        return NOT_ASKED
    if record.outcome.says_nothing:
        return NO_VERDICT
    if is_safe and state_of(record.outcome, record.facts) is State.UNSAFE:
        return IS_UNSAFE
    if record.outcome is Outcome.COMPILED:
        return NOT_SEEN
    if is_safe or record.conforms:
        return ""
    return WAIVED if record.gate is Gate.KNOWN else DEPARTS


def _grouped(lacking: Iterable[tuple[str, str, CaseRecord | None]]) -> list[Missing]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for why, case, record in lacking:
        cause = record.cause if record is not None else ""
        found[why, case.partition("/")[0]].append((case, cause))
    return [
        Missing(
            why=why,
            operation=operation,
            cases=len(own),
            example=min((case for case, _ in own), key=lambda one: (len(one), one)),
            causes=sorted({cause for _, cause in own if cause}),
        )
        for (why, operation), own in sorted(
            found.items(), key=lambda one: (_ORDER.index(one[0][0]), one[0][1])
        )
    ]


def _claims(held: Claims) -> Iterator[Claim]:
    """Yield what is claimed, operations with equal claims once."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name, claims in sorted(held.rows.items()):
        for rows in claims:
            alike[json.dumps({row: sorted(values) for row, values in sorted(rows.items())})].append(
                name
            )
    for text, names in alike.items():
        yield Claim(operations=names, rows=json.loads(text))


def _title(causes: Causes, name: str) -> str:
    found = causes.get(name)
    return found.title if found else ""


# --- written, read, verified --------------------------------------------------------------------------------------


def as_json(statement: Statement) -> str:
    """Return the content of ``statement.json``."""
    return json.dumps(msgspec.to_builtins(statement), indent=1, allow_nan=False) + "\n"


def read(folder: Path) -> Statement:
    """Read the statement of a folder. Raises ResultsError."""
    path = folder / JSON
    try:
        return msgspec.json.decode(path.read_bytes(), type=Statement)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: is no statement of version {VERSION}: {error}") from None


def differences(
    folder: Path,
    paths: Sequence[Path],
    causes: Causes,
    declared: DeclaredSuite,
    today: datetime.date,
) -> list[str]:
    """Return what of a statement is not as its results, its claims and the day say. Raises ResultsError.

    ``paths`` are the results files, in the order of the statement; without any they are where it says.
    """
    said = read(folder)
    if paths and len(paths) != len(said.results):
        raise ResultsError(f"{folder}: is of {len(said.results)} results files, got {len(paths)}")
    where = list(paths) or [folder / each.name for each in said.results]
    found = [
        f"{path}: is not the file of the statement: sha256 {now.sha256[:16]}, there {file.sha256[:16]}"
        for path, file in zip(
            [*where, folder / CLAIMS], [*said.results, said.claims_file], strict=True
        )
        if (now := _file(path, file.name)).sha256 != file.sha256
    ]
    try:
        again = make(
            where, folder / CLAIMS, folder, causes, declared, said.made, said.device, said.profile
        )
    except ResultsError as error:
        if not found:
            raise
        return [*found, str(error)]
    again = msgspec.structs.replace(again, results=said.results, claims_file=said.claims_file)
    found += [
        f"{name}: the results say otherwise"
        for name in Statement.__struct_fields__
        if getattr(again, name) != getattr(said, name)
    ]
    found += [
        f"waiver of {each.cause}: ended on {each.until}"
        for each in said.waivers
        if not each.ended and each.until < today
    ]
    return found


def json_schema() -> str:
    """Return the content of `SCHEMA_FILE`."""
    return of_document(
        Statement,
        f"A statement of the OpenVINO layer conformance suite, version {VERSION}",
        "What `python -m reports statement` writes: see docs/support.md.",
    )
