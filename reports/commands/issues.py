"""``python -m reports issues RESULTS --out DIR``: an issue for each cause, and an index."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import defaultdict

from reports.commands.issue import add_common, by_cause, releases_of, shown_by
from reports.gate import causes, severity
from reports.gate.causes import Cause
from reports.gate.severity import Severity
from reports.results.files.reading import load
from reports.results.records import ResultsError
from reports.results.shared.files import check_is_own, has, write_text
from reports.results.shared.options import add_out_folder, whole_of_option
from reports.results.shared.text import count, printable
from reports.upstream.releases import span_of
from reports.upstream.text import Shown, text_of
from reports.views.choosing import add_kind_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports issues``."""
    parser.description = (
        "Write the issue of each cause that these results show, with an index by severity, component and fix. Where "
        "a script would be too long, the folder of the case is copied beside the issue instead. Exit code: 0 "
        "written, 2 wrong usage."
    )
    add_common(parser, with_cause=False)
    add = parser.add_argument
    add_out_folder(parser)
    add_kind_arguments(parser, "of the causes (default: defect)")
    add(
        "--most",
        type=whole_of_option(1),
        metavar="N",
        help="the N most severe causes (default: all)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the issues."""
    known = causes.load(*args.causes)
    results = load(args.results)
    found = []
    for name, records in by_cause(results.records).items():
        cause = known.get(name)
        if cause is not None and cause.cause_class in (args.kind or ["defect"]):
            how = severity.of_cause(cause, records)
            if not args.severity or how.is_one_of(args.severity):
                found.append((how, cause, records))
    if not found:
        raise ResultsError("no cause of these classes and severities in these results")
    found.sort(key=lambda one: severity.order(one[1].cause_class, one[0], len(one[2]), one[1].id))
    found = found[: args.most]
    releases = releases_of(args)
    index = args.out / "index.md"
    check_is_own(index, has(_HEAD.encode()), "choose another --out")
    # A folder whose index is ours stays ours if it is interrupted.
    write_text(index, _index([]))
    rows = []
    for number, (how, cause, records) in enumerate(found, 1):
        shown = shown_by(cause, records, results, args.python, releases)
        write_text(args.out / f"{cause.id}.md", text_of(cause, how, records, shown, results))
        if not shown.script and shown.folder:
            target = args.out / f"{cause.id}.case"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(shown.folder, target)
        rows.append(
            (
                how,
                cause,
                len(records),
                _what_shows(shown),
                str(span_of(shown.tried))
                if len(shown.tried) > 1
                else cause.told_since_on(shown.record.device) or "–",
            )
        )
        if sys.stderr.isatty():
            print(f"\r{number} of {len(found)}", end="", file=sys.stderr, flush=True)
    write_text(index, _index(rows))
    with_script = sum(row[3] == "script" for row in rows)
    print(
        f"{count(len(rows), 'issue')} in {printable(str(args.out))}, {with_script} with a script that was run"
    )
    return 0


Row = tuple[Severity, Cause, int, str, str]
"""How bad a cause is, the cause, its cases, what shows it, since when."""

_HEAD = "| severity | component | class | cases | shown by | since | cause | fix |"


def _what_shows(shown: Shown) -> str:
    if shown.run is not None:
        return "script"
    return "script, not run" if shown.script else "folder" if shown.folder else "–"


def _index(rows: list[Row]) -> str:
    lines = ["# Issues", "", _HEAD, "|---|---|---|---|---|---|---|---|"]
    for how, cause, cases, shows, since in rows:
        link = f"[{cause.title.replace('|', '/')}]({cause.id}.md)"
        cells = (
            how,
            cause.component or "–",
            cause.cause_class,
            f"{cases:,}",
            shows,
            since,
            link,
            cause.fix or "–",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    for name, groups in (
        ("component", _grouped(rows, "component")),
        ("fix", _grouped(rows, "fix")),
        ("theme", _grouped(rows, "theme")),
    ):
        lines += ["", f"## By {name}", ""]
        lines += [f"- {group}: {', '.join(links)}" for group, links in sorted(groups.items())]
    return "\n".join(lines) + "\n"


def _grouped(rows: list[Row], name: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for _, cause, *_ in rows:
        if key := getattr(cause, name):
            groups[key].append(f"[{cause.id}]({cause.id}.md)")
    return groups
