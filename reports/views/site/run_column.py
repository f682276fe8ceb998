"""A column of the site: one device with one profile of one results file, as parts and a summary of them.

A column's folder holds::

    operation-7.js     one operation: its grid of types and ways of asking, and its departures with their evidence
    cube.js            counts by operation, type, rank and shape, for the filters of the matrix
    causes.js          each cause: its operations and an example
    issues.js          each cause: the text that one would file
    messages.js        what devices said of departures, for the search
    cases.js           every case by its hash, for the comparison of two columns
    support.js         what the device supports, by cell; where the declarations of operations are installed
    device.js          settings, kernels, the slowest cases, the largest errors
"""

from __future__ import annotations

import base64
import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from reports.gate.baseline import run_of
from reports.gate.causes import Cause
from reports.gate.known_groups import by_cause
from reports.gate.severity import Severity, of_cause, order
from reports.results.facts_of_departures import message_class
from reports.results.files.coverage import remark
from reports.results.files.reading import Results, short_version
from reports.results.records import CaseRecord
from reports.results.shared.text import rounded, trim
from reports.support.measured import Declared, as_builtins
from reports.support.sources import of_target
from reports.upstream.text import unscripted
from reports.views.report.data import data, types_of
from reports.views.site.data_files import write_part
from reports.views.site.standing import STANDINGS, Standing, Standings, rank_of, short, way_of

FORMAT = 6
"""Version of a column's files: those of another version are written again."""

EVIDENCE_BYTES = 64 * 2**10
"""Of pictures and models that the part of one operation carries, in bytes of JSON."""
LONGEST_TEXT = 2000
"""Characters of a message, and of a case id; what is longer is cut."""
LONGEST_XML = 8000
EXAMPLES = 40
"""The slowest cases, and those with the largest errors, that a column lists."""
MOST_TYPES = 60
"""Of element types and ranks to choose from: results can name any."""
HASH_BYTES = 6
MOST_MESSAGES = 5000
"""Of different messages that can be searched."""
MESSAGE_CHARACTERS = 400

RecordStanding = tuple[CaseRecord, Standing]


class OperationCell(msgspec.Struct):
    """An operation in a column: how many cases stand in each of `STANDINGS`, and the worst cause."""

    operation: str
    category: str
    opset: str
    counts: list[int]
    unexpected: int
    """Cases that the gate calls red."""
    cause: str
    """The worst cause by severity, of those the most frequent; "" if none departs."""
    is_plausible: bool
    """Whether a plausible layer shows the worst."""


class Seen(msgspec.Struct):
    """A cause in a column."""

    cause: str
    title: str
    cause_class: str = msgspec.field(name="kind")
    """Its class; "" for a departure without a known cause."""
    since: str
    cases: int
    severity: Severity
    operations: dict[str, int]

    def rank_as(self, cause_class: str) -> tuple[object, ...]:
        """Return the sort key of the cause, whose class may be another one by now."""
        return order(cause_class, self.severity, self.cases, self.cause)


class Column(msgspec.Struct, kw_only=True):
    """What the index says of a column; kept, so that the site is built again without the results."""

    device: str
    profile: str
    machine: str
    """The processor, after the device's own name if that is another."""
    openvino: str
    release: str
    depth: str
    started: str
    part: str
    """Which part of all cases it has; "" for all."""
    file: str
    """The name of the results file."""
    is_compile_only: bool
    has_support: bool
    """Whether there is a part ``support``."""
    types: list[str]
    ranks: list[str]
    cells: list[OperationCell]
    seen: list[Seen]

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return sum(sum(cell.counts) for cell in self.cells)


def write_column(
    folder: Path,
    results: Results,
    target: tuple[str, str],
    beside: Path,
    known: dict[str, Cause],
    root: str,
    declared: Declared | None = None,
) -> Column:
    """Write the parts of a column to a folder, and return what the index says of it.

    ``root`` is the name of the parts' folder in the site, ``beside`` the folder of the site, to which paths of failure
    folders are relative; without ``declared`` there is no part ``support``. Raises OSError.
    """
    own = [record for record in results.records if record.target == target]
    standings = Standings(own)
    judged = [(record, standings.of(record)) for record in own]
    operations: dict[str, list[RecordStanding]] = defaultdict(list)
    for each in judged:
        operations[short(each[0].operation)].append(each)

    def put(name: str, value: object) -> None:
        # Written where the folder is while it is not complete, and named as it will be.
        write_part(folder / f"{name}.js", f"{root}/{name}", value)

    for number, name in enumerate(sorted(operations)):
        put(f"operation-{number}", _operation(results, target, operations[name], beside))
    seen = _seen(judged, known)
    put("cube", _cube(operations))
    put("causes", _causes(seen, judged))
    put("issues", _issues(results, own, known))
    put("messages", _messages(judged))
    put("cases", _cases(judged))
    if declared is not None:
        put("support", as_builtins(of_target(results, target, declared).support))
    put("device", _device(results, target, judged))
    header, about = results.header(*target), results.target(*target)
    compared = run_of(header, *target)
    return Column(
        device=short(target[0]),
        profile=short(about.profile),
        machine=short(header.processor_of(about)),
        openvino=short(short_version(header.openvino)),
        release=short(compared.release or header.openvino),
        depth=short(compared.depth),
        started=short(header.started),
        part=short(remark(results.runs, [target])),
        file=short(", ".join(path.name for path in results.paths)),
        is_compile_only=about.compile_only,
        has_support=declared is not None,
        types=sorted(set().union(*(types_of(record) for record in own)))[:MOST_TYPES],
        ranks=sorted({rank_of(record) for record in own} - {""}, key=lambda one: (len(one), one))[
            :MOST_TYPES
        ],
        cells=[_cell(name, operations[name]) for name in sorted(operations)],
        seen=seen,
    )


def _cell(name: str, judged: Sequence[RecordStanding]) -> OperationCell:
    counts = Counter(standing.name for _, standing in judged)
    departed = [standing for _, standing in judged if standing.departs]
    first = min((STANDINGS.index(one.name) for one in departed), default=0)
    worst = [one for one in departed if one.name == STANDINGS[first]]
    usual = [one for one in worst if one.severity.is_plausible]
    causes = Counter(one.cause for one in usual or worst)
    record = judged[0][0]
    return OperationCell(
        name,
        short(record.category),
        short(record.opset),
        [counts[each] for each in STANDINGS],
        sum(record.gate.is_red for record, _ in judged),
        max(sorted(causes), key=lambda one: causes[one], default=""),
        bool(usual),
    )  # fmt: skip


def _seen(judged: Iterable[RecordStanding], known: Mapping[str, Cause]) -> list[Seen]:
    """The causes of a column, the worst first."""
    found: dict[str, list[RecordStanding]] = defaultdict(list)
    for record, standing in judged:
        if standing.departs:
            found[standing.cause].append((record, standing))
    seen: list[Seen] = []
    for cause, own in found.items():
        record = next((record for record, _ in own if record.cause), own[0][0])
        operations = Counter(short(record.operation) for record, _ in own)
        seen.append(
            Seen(
                cause,
                short(record.reason or cause),
                short(record.cause_class if record.cause else ""),
                short(record.since),
                len(own),
                of_cause(known.get(cause), [record for record, _ in own]),
                dict(sorted(operations.items())),
            )
        )
    return sorted(seen, key=lambda one: one.rank_as(one.cause_class))


class _Table:
    """Texts by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def texts(self) -> list[str]:
        return list(self._numbers)


def _types(record: CaseRecord) -> str:
    """The distinct element types of a case's inputs, that of the first data input first."""
    given = (text.partition("[")[0] for text in record.inputs if "[" in text)
    return short(" ".join(dict.fromkeys(given)))


def _counts(rows: Counter[tuple[int, ...]], names: Sequence[str]) -> dict[str, list[int]]:
    """The rows of a count as columns, the last one ``count``."""
    ordered = sorted(rows.items())
    columns = {name: [row[n] for row, _ in ordered] for n, name in enumerate(names)}
    return {**columns, "count": [count for _, count in ordered]}


def _cube(operations: dict[str, list[RecordStanding]]) -> dict[str, Any]:
    """Counts by operation, type, rank, whether dimensions are unknown, standing and cause."""
    types, ranks, causes = _Table(), _Table(), _Table()
    causes.number("")
    rows: Counter[tuple[int, ...]] = Counter()
    for number, name in enumerate(sorted(operations)):
        for record, standing in operations[name]:
            rows[
                number,
                types.number(_types(record)),
                ranks.number(rank_of(record)),
                int("shape" in record.how),
                STANDINGS.index(standing.name),
                causes.number(standing.cause),
            ] += 1
    return {
        "types": types.texts,
        "ranks": ranks.texts,
        "causes": causes.texts,
        "rows": _counts(rows, ("operation", "type", "rank", "dynamic", "standing", "cause")),
    }


def _operation(
    results: Results, target: tuple[str, str], judged: Sequence[RecordStanding], beside: Path
) -> dict[str, Any]:
    """An operation: counts by type, rank and way of asking, and its departures as the report of a run has them."""
    types, ranks, ways, causes = _Table(), _Table(), _Table(), _Table()
    ways.number("usual")
    causes.number("")
    rows: Counter[tuple[int, ...]] = Counter()
    departed: list[tuple[tuple[object, ...], CaseRecord, int]] = []
    for record, standing in judged:
        key = (
            types.number(_types(record)),
            ranks.number(rank_of(record)),
            ways.number(way_of(record)),
            STANDINGS.index(standing.name),
            causes.number(standing.cause),
        )
        rows[key] += 1
        if standing.departs:
            departed.append((standing.severity.rank, record, key[-1]))
    departed.sort(key=lambda one: (one[0], len(one[1].case), one[1].case))
    first: dict[int, int] = {}
    for number, (_, record, cause) in enumerate(departed):
        if record.folder:
            first.setdefault(cause, number)
    records = [_cut(record) for _, record, _ in departed]
    report = data(results, records, [target], beside, list(first.values()), room=EVIDENCE_BYTES)
    report["columns"]["type"] = [types.number(_types(record)) for _, record, _ in departed]
    report["columns"]["way"] = [ways.number(way_of(record)) for _, record, _ in departed]
    report["columns"]["rank"] = [ranks.number(rank_of(record)) for _, record, _ in departed]
    report["columns"]["why"] = [cause for _, _, cause in departed]
    report["names"] |= {
        "type": types.texts,
        "way": ways.texts,
        "rank": ranks.texts,
        "why": causes.texts,
    }
    grid = _counts(rows, ("type", "rank", "way", "standing", "why"))
    return {"grid": grid, **report}


def _cut(record: CaseRecord) -> CaseRecord:
    """A record without what is too long to be read."""

    def cut(text: str) -> str:
        return trim(text, LONGEST_TEXT)

    inexact = record.worst
    if inexact is not None:
        names = ("expected", "actual", "low", "high")
        inexact = replace(inexact, **{name: short(getattr(inexact, name)) for name in names})
    if len(record.case) > LONGEST_TEXT:
        # Without its folder, which is found by the whole id.
        record = replace(record, case=cut(record.case), folder="", conflicts=[])
    return replace(
        record,
        detail=cut(record.detail),
        reason=cut(record.reason),
        layer_xml=trim(record.layer_xml, LONGEST_XML),
        kernel=short(record.kernel),
        traceback="",
        worst=inexact,
        conflicts=[_cut(other) for other in record.conflicts[:4]],
    )


def _causes(seen: Sequence[Seen], judged: Iterable[RecordStanding]) -> list[dict[str, Any]]:
    """Each cause: how its cases end, by operation, and an example."""
    examples: dict[str, CaseRecord] = {}
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for record, standing in judged:
        if not standing.departs:
            continue
        outcomes[standing.cause][str(record.outcome)] += 1
        best = examples.get(standing.cause)
        if best is None or _is_better_example(record, best):
            examples[standing.cause] = record
    return [
        {
            "cause": one.cause,
            "operations": one.operations,
            "outcomes": dict(outcomes[one.cause]),
            "example": trim(examples[one.cause].case, LONGEST_TEXT),
            "operation": short(examples[one.cause].operation),
            "detail": trim(rounded(examples[one.cause].detail), LONGEST_TEXT),
        }
        for one in seen
    ]


def _is_better_example(one: CaseRecord, other: CaseRecord) -> bool:
    def order(record: CaseRecord) -> tuple[bool, int, str]:
        return not record.folder, len(record.case), record.case

    return order(one) < order(other)


def _issues(results: Results, own: Sequence[CaseRecord], known: dict[str, Cause]) -> dict[str, str]:
    """The texts to file, by the id of their cause."""
    texts = unscripted(known, by_cause(own, known), results)
    return {cause: trim(text, 20 * LONGEST_TEXT) for cause, text in texts.items()}


def _messages(judged: Iterable[RecordStanding]) -> list[list[Any]]:
    """What devices said of departures, the most frequent first, each once for an operation and a cause.

    Messages that differ in numbers and names of nodes are one. Wrong values have no words to look for.
    """
    found: dict[tuple[str, str, str], list[CaseRecord]] = defaultdict(list)
    for record, standing in judged:
        if standing.departs and record.facts.kind != "value":
            words = message_class(record.detail)
            if words:
                found[words, short(record.operation), standing.cause].append(record)
    ordered = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))[:MOST_MESSAGES]
    return [
        [
            trim(rounded(min((one.detail for one in own), key=lambda text: (len(text), text))), MESSAGE_CHARACTERS),
            operation,
            cause,
            len(own),
        ]
        for (_, operation, cause), own in ordered
    ]  # fmt: skip


def case_hash(case: str) -> bytes:
    """Return the hash by which a case is found in another column."""
    return hashlib.blake2b(case.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def _cases(judged: Sequence[RecordStanding]) -> dict[str, Any]:
    """Every case: departures with their ids and causes, then what conforms by hashes alone."""
    causes = _Table()
    departed = [(record, standing) for record, standing in judged if standing.departs]
    right = [record for record, standing in judged if standing.name in ("pass", "compiled")]
    hashes = b"".join(case_hash(record.case) for record, _ in departed)
    return {
        "case": [trim(record.case, LONGEST_TEXT) for record, _ in departed],
        "operation": _numbered(short(record.operation) for record, _ in departed),
        "outcome": _numbered(str(record.outcome) for record, _ in departed),
        "standing": [STANDINGS.index(standing.name) for _, standing in departed],
        "cause": [causes.number(standing.cause) for _, standing in departed],
        "causes": causes.texts,
        "hashes": base64.b64encode(hashes).decode("ascii"),
        "right": base64.b64encode(
            b"".join(sorted(case_hash(record.case) for record in right))
        ).decode("ascii"),
    }  # fmt: skip


def _numbered(texts: Iterable[str]) -> dict[str, Any]:
    """Texts that repeat: the distinct ones, and the number of each."""
    table = _Table()
    numbers = [table.number(text) for text in texts]
    return {"texts": table.texts, "numbers": numbers}


def _device(
    results: Results, target: tuple[str, str], judged: Sequence[RecordStanding]
) -> dict[str, Any]:
    """What a device said of itself, what executed the cases, and the extremes."""
    header, about = results.header(*target), results.target(*target)
    kernels: dict[str, Counter[str]] = defaultdict(Counter)
    for record, _ in judged:
        if record.kernel:
            kernels[short(record.kernel)][short(record.operation)] += 1
    facts = [
        ("Name", about.full_name), ("OpenVINO", header.openvino), ("Suite", header.suite),
        ("Started", header.started), ("Ended", header.ended.strip()), ("Processor", header.processor),
        ("Driver", about.driver), ("Kernels for", about.isa), ("Platform", header.platform),
        ("Optimized for", ", ".join(about.capabilities)), ("Compared with", about.baseline),
    ]  # fmt: skip
    records = [record for record, _ in judged]
    within = [r for r, standing in judged if standing.name == "pass" and r.fraction is not None]
    return {
        "facts": [[name, trim(value, LONGEST_TEXT)] for name, value in facts if value],
        "settings": {short(k): trim(str(v), LONGEST_TEXT) for k, v in about.settings.items()},
        "kernels": [
            [kernel, sum(counts.values()), _most_frequent(counts)]
            for kernel, counts in sorted(
                kernels.items(), key=lambda one: (-sum(one[1].values()), one[0])
            )[:500]
        ],
        "without_kernel": sum(not record.kernel for record in records),
        "slowest": _largest(records, lambda record: record.seconds),
        "errors": _largest(within, lambda record: record.fraction or 0.0),
    }


def _most_frequent(counts: Counter[str]) -> list[str]:
    return [name for name, _ in counts.most_common(8)]


def _largest(records: Iterable[CaseRecord], of: Callable[[CaseRecord], float]) -> list[list[Any]]:
    found = heapq.nlargest(EXAMPLES, records, key=lambda record: (of(record), record.case))
    return [[trim(one.case, LONGEST_TEXT), short(one.operation), of(one)] for one in found]
