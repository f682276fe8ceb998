"""``python -m reports causes``: the causes that the suite knows, the most severe first."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from reports.documents import Document, add_format_arguments, show
from reports.gate import baseline_files, causes
from reports.gate.baseline import Line
from reports.gate.causes import CLASSES, COMPONENTS, Cause, classes_help
from reports.gate.severity import NOT_SEEN, SEVERITIES, Severity, of_lines
from reports.patterns import names_operation
from reports.results.records import ResultsError
from reports.text import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports causes``."""
    parser.description = (
        "Print the causes of a device that its shipped baselines show, the most severe first, with the number of their "
        "cases. With --history also those that the baselines no longer show. Exit code: 0 printed, 2 wrong usage."
    )
    add = parser.add_argument
    add("--device", default="CPU", help="the device (default CPU)")
    add(
        "--class",
        dest="kind",
        nargs="+",
        choices=tuple(CLASSES),
        default=[],
        help=classes_help("classes of causes"),
    )
    add("--severity", nargs="+", choices=tuple(SEVERITIES), default=[], help="severities")
    add(
        "--component",
        nargs="+",
        choices=tuple(filter(None, COMPONENTS)),
        default=[],
        help="components",
    )
    add("--operation", nargs="+", default=[], metavar="NAME",
        help="operations such as Gather-8, or types such as Gather; * and ? are wildcards")  # fmt: skip
    add(
        "--history",
        action="store_true",
        help="also causes that are fixed, or not seen in a baseline",
    )
    add(
        "--causes",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="a folder of causes of your own",
    )
    add_format_arguments(parser, ("markdown", "html"))


def run(args: argparse.Namespace) -> int:
    """Print the causes."""
    known = causes.load(*args.causes)
    families = baseline_files.families_of(args.device)
    own = [one for one in known.by_id.values() if set(families) & set(one.devices)]
    if not own:
        raise ResultsError(f"no cause of a device {args.device!r}")
    lines = lines_by_cause(args.device)
    rows = []
    for one in own:
        found = lines.get(one.id, {})
        severity = of_lines(found.items())
        operations = sorted({case.partition("/")[0] for case in found})
        if (
            (not found and not args.history)
            or (args.kind and one.kind not in args.kind)
            or (args.severity and severity.kind not in args.severity)
            or (args.component and one.component not in args.component)
            or (
                args.operation
                and not any(names_operation(args.operation, name) for name in operations)
            )
        ):
            continue
        rows.append((severity, len(found), one, operations))
    rows.sort(key=lambda row: (row[0].rank, -row[1], row[2].id))
    show(_document(rows, args.device), args, title=f"Causes on {args.device}")
    return 0


def lines_by_cause(device: str) -> dict[str, dict[str, Line]]:
    """Return the lines of all shipped baselines of a device, by cause."""
    found: dict[str, dict[str, Line]] = defaultdict(dict)
    for folder in baseline_files.folders_of(device):
        for case, line in baseline_files.read_folder(folder).lines.items():
            found[line.cause][case] = line
    return found


def _document(rows: list[tuple[Severity, int, Cause, list[str]]], device: str) -> Document:
    page = Document()
    cases = sum(number for _, number, _, _ in rows)
    page.paragraph(f"{count(len(rows), 'cause')} on {device} ({count(cases, 'case')})")
    kinds = Counter((severity.kind or "not seen", one.kind) for severity, _, one, _ in rows)
    classes = [kind for kind in CLASSES if any(kind == own for _, own in kinds)]
    table = [
        [name, *(str(kinds[name, kind] or "–") for kind in classes)]
        for name in (*SEVERITIES, "not seen")
        if any(kinds[name, kind] for kind in classes)
    ]
    page.table(["severity", *classes], table)
    page.table(
        ["cases", "severity", "class", "component", "since", "cause", "id"],
        [
            [
                f"{number:,}",
                _state(severity, one, device),
                one.kind,
                one.component or "–",
                one.since_on(device) or "–",
                one.title,
                one.id,
            ]
            for severity, number, one, _ in rows
        ],
        names=7,
    )
    return page


def _state(severity: Severity, cause: Cause, device: str) -> str:
    """How bad a cause is; of one that no baseline shows, since when it is fixed."""
    fixed = cause.fixed_on(device)
    if severity != NOT_SEEN:
        return str(severity)
    return f"fixed in {fixed}" if fixed else "not seen"
