"""``expectations update``: accept new departures as a root cause, remove entries without any.

An update changes only the entries that it must: all other text of the file, comments included,
is unchanged. A new departure is accepted only with a title.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence

from reports import known
from reports.commands.expectations.judged import Judged, facts_of, judge_all, uses
from reports.documents import Document, Item, Remark, as_text
from reports.expectation_edits import RootCause, new_entry, rewrite, text_of
from reports.expectation_files import load_for, paths_for
from reports.expectations import CLASSES, Entry
from reports.files import write_text
from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord, ResultsError
from reports.results import load as load_results
from reports.selectors import matches
from reports.text import count, listing, printable

HELP = "bring the file up to date"
DESCRIPTION = (
    "Compare a run with the expectations of a device. New departures are listed, and accepted "
    "only with --title. Exit code: 0 the file agrees with the run, 1 departures remain, "
    "2 wrong usage or an unreadable file."
)
LINES = 50
NOT_THE_DEVICE = (Outcome.ABSENT, Outcome.ERROR)
"""Outcomes that cannot be accepted: they say nothing about the device."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULTS", help="results files of runs")
    add("--device", required=True, help="the device")
    add("--title", type=_not_empty, help="accept new departures as this root cause, in one line")
    add("--id", type=_not_empty, help="id of the root cause (default: made of the title)")
    add(
        "--class",
        dest="kind",
        choices=tuple(CLASSES),
        default="defect",
        help="class of the root cause (default defect); `python -m reports expectations -h` explains them",
    )
    add("--page", type=_not_empty, help="what the specification's page says of it")
    add("--since", type=_not_empty, help="first release that shows it, of those that were tried")
    add("--unstable", type=_not_empty, help="why the outcome changes from run to run")
    add(
        "--case",
        action="append",
        metavar="PATTERN",
        help="accept only departures of cases that match, * and ? are wildcards; repeatable "
        "(one root cause has one entry)",
    )
    add("--link", type=_not_empty, help="URL of a description of the defect")
    add(
        "--prune",
        action="store_true",
        help="remove entries whose cases were run and no longer depart; use it only with results "
        "of all cases: a selection does not show that none departs",
    )


def _not_empty(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be empty")
    return text


def run(args: argparse.Namespace) -> int:
    """Update the file; return 1 if departures remain."""
    path = paths_for(args.device, args.directory)[0]
    results = load_results(args.results)
    records = [record for record in results.records if record.device == args.device]
    if not records:
        devices = listing(sorted({device for device, _ in results.targets()})) or "no device"
        raise ResultsError(f"no result of {args.device} in these files; they have {devices}")
    expectations = load_for(args.device, args.directory)
    judged = judge_all(results, records, expectations)
    own = [entry for entry in expectations.entries if entry.path == path]

    departures = [one for one in judged if one.gate == Gate.DEPARTURE]
    lost = [one for one in departures if one.record.outcome in NOT_THE_DEVICE]
    if lost:
        _print_departures("not caused by the device: fix the cause and run again", lost)
        return 1
    accepted = [one for one in departures if _is_chosen(one.record.case, args)]
    left = [one for one in departures if not _is_chosen(one.record.case, args)]
    if left and not accepted:
        _print_departures("new; accept them with --title TEXT", left)
        return 1

    used = uses(expectations, judged, facts_of(results))
    stale = [entry for entry in own if not used[entry].explained and used[entry].hidden]
    removed = {entry.number for entry in stale} if args.prune else set()
    if accepted or removed:
        added = [_entry_for(accepted, records, args)] if accepted else []
        text = rewrite(text_of(path, args.device), path, removed, added)
        write_text(path, text)
        print(
            f"{printable(str(path))}: {count(len(accepted), 'departure')} accepted in "
            f"{count(len(added), 'new entry', 'new entries')}, "
            f"{count(len(removed), 'entry', 'entries')} removed"
        )
    else:
        print(f"{printable(str(path))}: no new departure")
    _write_severities(accepted, judged, args)
    if not args.prune:
        for entry in stale:
            print(printable(f"{entry}: no departure left; --prune removes it"))
    for entry in own:
        better = listing(sorted(_improvements(entry, judged)))
        if better:
            print(printable(f"{entry}: now {better}, which is better: edit the entry"))
    for one in expectations.unused():
        if one.entry.path == path:
            print(printable(f"{one.entry}: a cover selects no case: {one.cover.selector}"))
    if left:
        _print_departures("new, not accepted", left)
    return int(bool(left))


def _write_severities(
    accepted: Sequence[Judged], judged: Sequence[Judged], args: argparse.Namespace
) -> None:
    """Write down how wrong the accepted failures are; with --prune also forget cases that no longer fail."""
    path = known.path_for(args.device, args.directory)
    before = known.load(path)
    expected = [one.record for one in judged if one.gate == Gate.EXPECTED]
    if args.prune:
        run = {one.record.case for one in judged}
        before = {case: severity for case, severity in before.items() if case not in run}
    else:
        # What was known and got worse is accepted only by name.
        expected = [record for record in expected if record.case not in before]
    after = known.joined(before, [*expected, *(one.record for one in accepted)])
    if after != before or args.prune:
        write_text(path, known.as_text(after))


def _entry_for(
    accepted: Sequence[Judged], records: Sequence[CaseRecord], args: argparse.Namespace
) -> str:
    """Return the entry of the root cause that the user names."""
    words = re.findall(r"[a-z0-9]+", args.title.lower())
    cause = RootCause(
        args.id or "-".join(words[:8]),
        args.title,
        args.kind,
        args.page or "",
        args.since or "",
        args.link or "",
        args.unstable or "",
    )
    departing = [one.record for one in accepted]
    conforming = [record for record in records if record.conforms]
    return new_entry(cause, departing, conforming, {record.profile for record in records})


def _is_chosen(case: str, args: argparse.Namespace) -> bool:
    """Tell whether the user gave a root cause for departures of this case."""
    return bool(args.title) and (
        not args.case or any(matches(pattern, case) for pattern in args.case)
    )


def _improvements(entry: Entry, judged: Iterable[Judged]) -> set[str]:
    """Return the outcomes that are better than the entry expects, but do not conform."""
    return {
        str(one.record.outcome)
        for one in judged
        if one.decision
        and one.decision.entry is entry
        and one.gate == Gate.IMPROVED
        and not one.record.conforms
    }


def _print_departures(what: str, departures: Sequence[Judged]) -> None:
    page = Document()
    page.paragraph(f"{count(len(departures), 'departure')}, {what}:")
    lines: list[Item | Remark] = [
        Item(
            str(record.outcome),
            f"{record.case} ({record.profile})",
            f"expected {listing(list(map(str, decision.cover.outcomes)))}, {decision.entry.title}"
            if decision
            else record.detail,
        )
        for record, decision, _ in departures[:LINES]
    ]
    if len(departures) > LINES:
        lines.append(Remark(f"… and {len(departures) - LINES:,} more"))
    page.items(lines)
    sys.stdout.write(as_text(page))
