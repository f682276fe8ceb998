"""``python -m reports summary``: the departures and causes of a run, and then counts of its cases."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from reports.explaining.naming import Names
from reports.gate import causes as known_causes
from reports.gate.causes import Cause
from reports.gate.exit_code import exit_code
from reports.gate.known_groups import (
    Group,
    by_cause,
    explained_by,
    kind_key,
    operations_as_text,
)
from reports.results.explained.explanations import counted, selected
from reports.results.files.coverage import gaps, remark
from reports.results.files.reading import Results, leaf_headers, load
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import CaseRecord, Key, ResultsError
from reports.results.shared.text import count, listing, printable, rounded, trim
from reports.views import choosing
from reports.views.documents import (
    Item,
    Remark,
    ReportDocument,
    add_format_arguments,
    show,
)
from reports.views.documents.blocks import LONGEST_DETAIL
from reports.views.headline import added, changed, headline

LINES_IN_ALL = 300
"""Departures listed over all operations, about; an operation gets its share of them."""
LINES_PER_OPERATION = range(3, 21)
"""The least and the most that an operation's share of lines can be."""
_COUNTED = (*RED, Gate.NEW_CASE, Gate.REWORDED, Gate.EXPLAINED, Gate.IMPROVED)
Explained = Mapping[Key, Sequence[CaseRecord]]
OTHER_LINES = 20
"""Improved and conflicting cases listed; the rest are counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports summary``."""
    parser.description = (
        "Print the unexpected departures (cases that do not do what the specification says, and that are not known), "
        "the causes of the known ones, and a table of outcomes. "
        "Exit code: 0 no unexpected departure, 1 some, 2 wrong usage or an unreadable file."
    )
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    choosing.add_arguments(parser)
    parser.add_argument(
        "--by",
        metavar="NAME",
        help="print the table of outcomes by the values of an attribute, an index input or a factor, such "
        "as axis, mode, "
        "type or rank, instead of by operation",
    )
    choosing.add_causes_argument(parser)
    add_format_arguments(parser, ("markdown",))
    parser.add_argument(
        "--strict-gate",
        action="store_true",
        help="cases that got better than the baseline says, and new cases of known causes, make exit code 1 too",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="do not exit with 1 because a run was cut off or a shard is missing",
    )


def run(args: argparse.Namespace) -> int:
    """Print the summary; return 1 if something departs."""
    results = load(args.results)
    if not results.records:
        raise ResultsError(f"{listing(args.results)}: has no case; nothing was tested")
    choice = choosing.choice_of(args)
    results.records = counted(results.records, args.strict_gate)
    records = choice.of(results.records) if choice else results.records
    if args.by:
        choosing.check_attribute(args.by, records)
    document = _document(
        *(results, records, str(choice), args.by),
        strict=args.strict_gate,
        own_causes=args.causes,
    )
    show(document, args)
    if args.format == "text" and args.out is None:
        page = Path(args.results[0]).with_suffix(".html")
        words = map(printable, (*args.results, "--out", str(page)))
        print(f"\nas an HTML report: python -m reports html {shlex.join(words)}")
    has_gaps = bool(gaps(results.runs, results.targets())) and not args.partial
    gates = (record.gate for record in records)
    return exit_code(gates, strict=args.strict_gate, may_skip_all=True, has_gaps=has_gaps)


def _document(
    results: Results,
    records: Sequence[CaseRecord],
    choice: str = "",
    by: str = "",
    *,
    strict: bool = False,
    own_causes: Sequence[Path] = (),
) -> ReportDocument:
    """Return the summary of some records of these results: `choice` says which, "" for all."""
    document = ReportDocument()
    by_target: dict[tuple[str, str], list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_target[record.target].append(record)
    targets = sorted(by_target)
    more, records = added(records), selected(records)
    if lacking := gaps(results.runs, results.targets()):
        document.paragraph(f"INCOMPLETE: {'; '.join(lacking)}")
    document.paragraph(headline(records, targets, results))
    if more:
        document.paragraph(more)
    if strict and (also := [r for r in records if r.gate.is_red_if(True) and not r.gate.is_red]):
        kinds = Counter(str(record.gate) for record in also)
        nouns = {kind: count(number, kind) for kind, number in kinds.items()}
        nouns[str(Gate.IMPROVED)] = f"{kinds[str(Gate.IMPROVED)]:,} improved"
        told = ", ".join(nouns[kind] for kind in kinds)
        document.paragraph(f"Fails because of --strict-gate: {told}, such as {also[0].case}")
    if choice:
        document.paragraph(
            f"Only {choice}: {len(records):,} of {count(len(selected(results.records)), 'case')}."
        )
    part = remark(results.runs, targets)
    if part:
        document.paragraph(part)
    if started := _started(results):
        document.paragraph(started)
    names, known = Names(results.records), known_causes.load(*own_causes).by_id
    for target in targets:
        if len(targets) > 1:
            document.heading(headline(by_target[target], [target], results))
        if baseline := results.target(*target).baseline:
            document.paragraph(f"Compared with {baseline}: {changed(by_target[target])}.")
        _add_target(document, selected(by_target[target]), names, bool(choice), by, results, known)
    return document


def _started(results: Results) -> str:
    """Return when the runs began, such as ``Started 2026-11-30 02:00 +00:00``."""
    times = {header.started for header in leaf_headers(results.runs)} - {""}
    shown = sorted(f"{time[:10]} {time[11:16]} {time[19:]}".rstrip() for time in times)
    return f"Started {' to '.join(dict.fromkeys([shown[0], shown[-1]]))}" if shown else ""


def _add_target(
    document: ReportDocument,
    records: Sequence[CaseRecord],
    names: Names,
    is_chosen: bool,
    by: str,
    results: Results,
    known: Mapping[str, Cause],
) -> None:
    """Add causes, new ones first, and then counts of cases; of chosen records also each known departure."""
    by_gate: dict[Gate, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_gate[record.gate].append(record)
    red = [record for gate in RED for record in by_gate[gate]]
    if red:
        document.heading(count(len(red), "unexpected departure"), 3)
        document.items(_departures(red, names, explained_by(records)))
    causes = by_cause(records, known)
    if causes:
        document.heading("Causes of known departures", 3)
        header, rows = _causes(causes)
        document.table(header, rows, names=len(header))
        for root in _roots([one.example for one in causes], results):
            path = f"{root}/*-FOLDER"
            if root.is_dir():
                document.paragraph(
                    f"The last column names the failure folder of an example: {path}"
                )
            else:
                document.paragraph(
                    f"The failure folders that the last column names are not here: {path}"
                )
    if by_gate[Gate.IMPROVED]:
        document.heading(
            f"{count(len(by_gate[Gate.IMPROVED]), 'case')} better than in the baseline", 3
        )
        improved = by_gate[Gate.IMPROVED]
        document.items(_capped([_item(record, record.reason) for record in improved]))
    conflicting = [record for record in records if record.conflicts]
    if conflicting:
        document.heading(f"{count(len(conflicting), 'case')} with conflicting results", 3)
        document.items(_capped([_item(record, record.detail) for record in conflicting]))
    if by_gate[Gate.SKIPPED]:
        document.heading("Skipped cases", 3)
        document.table(["cases", "operations", "why"], _skipped(by_gate[Gate.SKIPPED]), names=3)
    document.heading("Cases", 3)
    document.table(*_matrix(records, by))
    gates = (
        Gate.KNOWN,
        Gate.REWORDED,
        Gate.NEW_CASE,
        Gate.EXPLAINED,
        Gate.QUALITY,
        Gate.NOT_CLAIMED,
        Gate.SKIPPED,
    )
    listed = [record for gate in gates for record in by_gate[gate]]
    if is_chosen and listed:
        document.heading(
            f"{count(len(listed), 'case')} that depart or differ, and are not unexpected", 3
        )
        document.items(_departures(listed, names))


def _skipped(records: Sequence[CaseRecord]) -> list[list[str]]:
    """Return a line for each reason to skip cases, the most frequent first.

    A reason is what stands before the first colon of a detail: behind it are names and numbers of single cases.
    """
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        found[record.detail.partition(": ")[0]].append(record)
    rows = []
    for reason, skipped in sorted(found.items(), key=lambda one: (-len(one[1]), one[0])):
        details = Counter(record.detail for record in skipped)
        detail = min(details, key=lambda text: (-details[text], text))
        if len(details) > 1:
            detail = f"{reason}; for example: {detail.partition(': ')[2]}"
        operations = sorted({record.operation for record in skipped})
        why = trim(detail, LONGEST_DETAIL) or "(no reason recorded)"
        rows.append([f"{len(skipped):,}", operations_as_text(operations), why])
    return rows


def _matrix(records: Sequence[CaseRecord], by: str) -> tuple[list[str], list[list[str]]]:
    """Return the table operation x outcome, with the outcomes that occur and a line of totals.

    With `by` the rows are the values of that attribute; a case with several values is in several rows.
    """
    cells: dict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for record in records:
        column = str(record.outcome)
        rows = choosing.values_of(record, by) if by else (record.operation,)
        for counter in (*(cells[row] for row in rows), total):
            counter.update(("cases", column))
            if record.gate in _COUNTED:
                counter[str(record.gate)] += 1
    columns = ["cases", *(str(outcome) for outcome in Outcome if total[str(outcome)])]
    columns += [str(gate) for gate in _COUNTED if total[str(gate)]]
    lines = [
        [name, *(f"{counter[column]:,}" if counter[column] else "–" for column in columns)]
        for name, counter in [*sorted(cells.items()), ("total", total)]
    ]
    return [by or "operation", *columns], lines


def _departures(
    records: Sequence[CaseRecord], names: Names, explained: Explained | None = None
) -> list[Item | Remark]:
    """Return a line for each departure; where an operation has many, a few of each kind.

    The next lines say which factors a crossing needs, and which others it explains.
    """
    by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_operation[record.operation].append(record)
    share = LINES_IN_ALL // len(by_operation)
    share = min(max(share, LINES_PER_OPERATION[0]), LINES_PER_OPERATION[-1])
    lines: list[Item | Remark] = []
    for operation in sorted(by_operation):
        lines += _operation_lines(by_operation[operation], share, names, explained or {})
    return lines


def _operation_lines(
    records: Sequence[CaseRecord], share: int, names: Names, explained: Explained
) -> list[Item | Remark]:
    kinds: dict[tuple[object, ...], list[CaseRecord]] = defaultdict(list)
    for record in records:
        kinds[kind_key(record)].append(record)
    ordered = sorted(kinds.values(), key=lambda kind: (-kind[0].outcome.badness, -len(kind)))
    shown = _shares([len(kind) for kind in ordered], share)
    lines: list[Item | Remark] = []
    for kind, number in zip(ordered, shown, strict=True):
        for record in kind[:number]:
            lines.append(_item(record, _detail(record)))
            if record.folder:
                lines.append(Remark(f"folder {_folder_name(record)}"))
            if named := names.of(record):
                lines.append(Remark(f"fails only with {named}"))
            if folded := explained.get(record.key):
                lines.append(Remark(_folded(folded)))
        if 0 < number < len(kind):
            lines.append(
                Remark(f"… and {len(kind) - number:,} more {kind[0].outcome} of this kind")
            )
    unseen = [kind for kind, number in zip(ordered, shown, strict=True) if number == 0]
    if unseen:
        left = sum(map(len, unseen))
        lines.append(
            Remark(
                f"… and {left:,} more of {records[0].operation}, of {count(len(unseen), 'other kind')}"
            )
        )
    return lines


def _folded(records: Sequence[CaseRecord]) -> str:
    """Return a line about the departures that another one explains."""
    smallest = min((record.case for record in records), key=lambda case: (len(case), case))
    return f"{count(len(records), 'larger case')} due to it, such as {smallest}"


def _shares(sizes: Sequence[int], share: int) -> list[int]:
    """Distribute `share` lines over kinds of these sizes, one to each in turn."""
    given = [0] * len(sizes)
    left = min(share, sum(sizes))
    while left:
        for kind, size in enumerate(sizes):
            if left and given[kind] < size:
                given[kind] += 1
                left -= 1
    # A line that says "one more" takes as much space as the one left out.
    return [
        size if number and size - number == 1 else number
        for size, number in zip(sizes, given, strict=True)
    ]


def _capped(items: Sequence[Item]) -> list[Item | Remark]:
    lines: list[Item | Remark] = list(items[:OTHER_LINES])
    if len(items) > OTHER_LINES:
        lines.append(Remark(f"… and {len(items) - OTHER_LINES:,} more"))
    return lines


def _detail(record: CaseRecord) -> str:
    """Return what a case did, and what it did in the run of the baseline where that is another thing."""
    if not record.baseline:
        return record.detail
    return f"{record.gate}, {record.baseline} in the baseline: {record.detail}"


def _item(record: CaseRecord, detail: str) -> Item:
    outcomes = [record.outcome, *(other.outcome for other in record.conflicts)]
    return Item("/".join(map(str, dict.fromkeys(outcomes))), record.case, rounded(detail))


def _folder_name(record: CaseRecord) -> str:
    """The last part of a folder's path, which no other folder of its device and profile has; "–" for none."""
    return PurePosixPath(record.folder).name or "–"


def _roots(records: Sequence[CaseRecord], results: Results) -> list[Path]:
    """The folders that hold the folders of these cases."""
    found = (results.folder(record) for record in records)
    return sorted({folder.parent for folder in found if folder is not None})


def _causes(causes: Sequence[Group]) -> tuple[list[str], list[list[str]]]:
    """Return a line for each cause."""
    has_explained = any(one.explained for one in causes)
    has_folders = any(one.example.folder for one in causes)
    rows = [
        [
            f"{len(one.records):,}",
            *([f"{len(one.explained):,}" if one.explained else "–"] if has_explained else []),
            str(one.severity),
            one.cause_class or "unknown",
            ", ".join(one.outcomes),
            operations_as_text(one.operations),
            one.title or "(no title recorded)",
            *([_folder_name(one.example).rpartition("-")[2]] if has_folders else []),
        ]
        for one in causes
    ]
    explained = ["explains"] if has_explained else []
    folder = ["folder"] if has_folders else []
    columns = ["cases", *explained, "severity", "class", "outcome", "operations", "cause", *folder]
    return columns, rows
