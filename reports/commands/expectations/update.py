"""``expectations update``: accept new departures as a root cause, remove entries without any.

An update changes only the entries that it must: all other text of the file, comments included,
is unchanged. A new departure is accepted only with a title.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from reports import known, passing
from reports.commands.expectations.judged import FactsByTarget, Judged, facts_of, judge_all, uses
from reports.documents import Document, Item, Remark, as_text
from reports.expectation_edits import RootCause, new_entry, rewrite, text_of
from reports.expectation_files import ExpectationsError, load_for, paths_for
from reports.expectations import CLASSES, FACTS, Cover, Entry
from reports.files import write_text
from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord, ResultsError
from reports.results import Results
from reports.results import load as load_results
from reports.selectors import Selector, SelectorError, matches, parse_versions
from reports.text import count, listing, printable

HELP = "bring the file up to date"
DESCRIPTION = (
    "Compare a run with the expectations of a device. New departures are listed, and accepted "
    "only with --title; known failures that are clearly worse now only with --worse. "
    "Exit code: 0 the file agrees with the run, 1 departures remain, 2 wrong usage or an unreadable file."
)
LINES = 50
When = Mapping[str, tuple[str, ...]]
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
    add(
        "--when",
        action="append",
        type=_condition,
        default=[],
        metavar="FACT=PATTERN",
        help="expect them only in such runs: openvino='>=2026.4,<2027', isa=avx2, processor='*Xeon*'; "
        f"repeatable; facts: profile, {', '.join(FACTS)}",
    )
    add(
        "--worse",
        action="store_true",
        help="accept known failures that are clearly worse now (with --case: only those that match)",
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


def _condition(text: str) -> tuple[str, str]:
    name, equals, pattern = text.partition("=")
    if not (equals and pattern) or name not in ("profile", *FACTS):
        raise argparse.ArgumentTypeError(
            f"must be FACT=PATTERN with a fact of profile, {', '.join(FACTS)}, got {text!r}"
        )
    if name == "openvino":
        try:
            parse_versions(pattern)
        except SelectorError as error:
            raise argparse.ArgumentTypeError(f"openvino {error}") from None
    return name, pattern


def _when(args: argparse.Namespace, judged: Sequence[Judged], facts: FactsByTarget) -> When:
    """Return the conditions of ``--when`` by fact. Raises ResultsError if they do not hold for the accepted cases."""
    when: dict[str, tuple[str, ...]] = {}
    for name, pattern in args.when:
        when[name] = (*when.get(name, ()), pattern)
    cover = Cover(Selector(), (), when=when)
    for target in sorted({one.record.target for one in judged}):
        if not cover.applies(facts[target]):
            stated = ", ".join(f"{name} {facts[target].get(name) or 'unknown'}" for name in when)
            raise ResultsError(f"--when does not hold for this run: its {stated}")
    return when


def run(args: argparse.Namespace) -> int:
    """Update the file; return 1 if departures remain."""
    path = paths_for(args.device, args.directory)[0]
    results = load_results(args.results)
    records = [record for record in results.records if record.device == args.device]
    if not records:
        devices = listing(sorted({device for device, _ in results.targets()})) or "no device"
        raise ResultsError(f"no result of {args.device} in these files; they have {devices}")
    expectations = load_for(args.device, args.directory)
    severities = known.load_for(args.device, args.directory)
    passes = passing.load_for(args.device, args.directory)
    judged = judge_all(results, records, expectations, severities, passes)
    own = [entry for entry in expectations.entries if entry.path == path]

    worse = [one for one in judged if one.before is not None]
    departures = [one for one in judged if one.gate == Gate.DEPARTURE and one.before is None]
    lost = [one for one in departures if one.record.outcome in NOT_THE_DEVICE]
    if lost:
        _print_departures("not caused by the device: fix the cause and run again", lost)
        return 1
    accepted = [one for one in departures if args.title and _is_chosen(one.record.case, args)]
    chosen = {one.record.key for one in accepted}
    left = [one for one in departures if one.record.key not in chosen]
    worse_accepted = [one for one in worse if args.worse and _is_chosen(one.record.case, args)]
    chosen = {one.record.key for one in worse_accepted}
    worse_left = [one for one in worse if one.record.key not in chosen]
    if (left or worse_left) and not accepted and not worse_accepted:
        _print_left(left, worse_left)
        return 1

    used = uses(expectations, judged, facts_of(results))
    stale = [entry for entry in own if not used[entry].explained and used[entry].hidden]
    removed = {entry.number for entry in stale} if args.prune else set()
    if accepted or removed:
        others = [record for record in records if record.conforms] + [one.record for one in left]
        when = _when(args, accepted, facts_of(results))
        added = [_entry_for(accepted, others, records, own, args, when)] if accepted else []
        text = rewrite(text_of(path, args.device), path, removed, added)
        write_text(path, text)
        print(
            f"{printable(str(path))}: {count(len(accepted), 'departure')} accepted in "
            f"{count(len(added), 'new entry', 'new entries')}, "
            f"{count(len(removed), 'entry', 'entries')} removed"
        )
    else:
        print(f"{printable(str(path))}: no new departure")
    own_data = [one for one in judged if known.is_known_for(results.header(*one.record.target))]
    _write_severities([*accepted, *worse_accepted], own_data, args)
    kept = {one.record.key for one in (*left, *worse_left)}
    _write_passing([one.record for one in judged if one.record.key not in kept], results, args)
    if worse_accepted:
        print(f"{count(len(worse_accepted), 'known failure')} accepted as worse than before")
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
    _print_left(left, worse_left)
    return int(bool(left or worse_left))


def _write_severities(
    accepted: Sequence[Judged], judged: Sequence[Judged], args: argparse.Namespace
) -> None:
    """Write down how wrong accepted failures of ``judged`` are; with --prune also forget what no longer fails."""
    path = known.path_for(args.device, args.directory)
    present = before = known.load(path)
    keys = {one.record.key for one in judged}
    accepted = [one for one in accepted if one.record.key in keys]
    expected = [one.record for one in judged if one.gate == Gate.EXPECTED]
    if args.prune:
        run = {one.record.case for one in judged}
        before = {case: severity for case, severity in before.items() if case not in run}
        # A failure that is worse now, and not accepted, stays known as it was.
        before |= {
            one.record.case: one.before for one in judged if isinstance(one.before, known.Severity)
        }
    else:
        expected = [record for record in expected if record.case not in before]
    after = known.joined(before, [*expected, *(one.record for one in accepted)])
    if after != present:
        write_text(path, known.as_text(after))


def _write_passing(
    records: Sequence[CaseRecord], results: Results, args: argparse.Namespace
) -> None:
    """Write down which of these cases pass although a cover that varies selects them."""
    path = passing.path_for(args.device, args.directory)
    before = passing.load(path)
    expectations = load_for(args.device, args.directory)
    after = passing.joined(before, records, results.header, expectations)
    if after != before:
        write_text(path, passing.as_text(after))


def _entry_for(
    accepted: Sequence[Judged],
    others: Sequence[CaseRecord],
    records: Sequence[CaseRecord],
    own: Sequence[Entry],
    args: argparse.Namespace,
    when: When,
) -> str:
    """Return the entry of the root cause that the user names. Raises ExpectationsError for an id that is taken."""
    cause = RootCause(
        _free_id({entry.id for entry in own}, args),
        args.title,
        args.kind,
        args.page or "",
        args.since or "",
        args.link or "",
        args.unstable or "",
    )
    departing = [one.record for one in accepted]
    return new_entry(cause, departing, others, {record.profile for record in records}, when)


def _free_id(taken: set[str], args: argparse.Namespace) -> str:
    """Return the id that the user gives, or one made of the title."""
    if args.id:
        if args.id in taken:
            raise ExpectationsError(f"there is an entry with the id {args.id!r} already")
        return str(args.id)
    name = "-".join(re.findall(r"[a-z0-9]+", args.title.lower())[:8]) or "root-cause"
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)


def _is_chosen(case: str, args: argparse.Namespace) -> bool:
    """Tell whether the user accepts departures of this case."""
    return not args.case or any(matches(pattern, case) for pattern in args.case)


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


def _print_left(left: Sequence[Judged], worse: Sequence[Judged]) -> None:
    """Print the departures that remain, new ones and known ones that got worse."""
    if left:
        _print_departures("new; accept them with --title TEXT", left)
    if worse:
        _print_departures("known and worse now; accept them with --worse", worse)


def _print_departures(what: str, departures: Sequence[Judged]) -> None:
    page = Document()
    page.paragraph(f"{count(len(departures), 'departure')}, {what}:")
    lines: list[Item | Remark] = [
        Item(
            str(one.record.outcome),
            f"{one.record.case} ({one.record.profile})",
            _expected_instead(one) or one.record.detail,
        )
        for one in departures[:LINES]
    ]
    if len(departures) > LINES:
        lines.append(Remark(f"… and {len(departures) - LINES:,} more"))
    page.items(lines)
    sys.stdout.write(as_text(page))


def _expected_instead(one: Judged) -> str:
    """Return what was expected of a departure, "" if nothing was."""
    if one.before is not None:
        return f"known as {one.before}: {one.record.detail}"
    if one.decision is None:
        return ""
    outcomes = listing(list(map(str, one.decision.cover.outcomes)))
    return f"expected {outcomes}, {one.decision.entry.title}"
