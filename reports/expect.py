"""``python -m reports expectations``: update, check and show the known departures of a device.

An update changes only the entries that it must: all other text of the file, comments too, stays
as it is. It never accepts a new departure without being told the reason.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomlkit

from reports.document import Document, Item, Remark, add_format_arguments, show
from reports.expectations import (
    DIRECTORY,
    Entry,
    Expectations,
    ExpectationsError,
    facts,
    judge,
    load,
    load_for,
    matches,
    paths_for,
)
from reports.files import write_text
from reports.outcomes import Gate, Outcome, conforms, wanted_of
from reports.results import Results, ResultsError
from reports.results import load as load_results
from reports.text import count, listing, printable, say

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Record = Mapping[str, Any]
Target = tuple[str, str]
Judged = tuple[Record, Entry | None, Gate]

LINES = 50
NOT_THE_DEVICE = (Outcome.ABSENT, Outcome.ERROR)
"""Outcomes that no reason makes acceptable: they say nothing about the device."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``python -m reports expectations`` and their options."""
    parser.description = "Keep the expectations of a device in step with what it does."
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    about = (
        "Compare a run with the expectations of a device. New departures are listed, and accepted "
        "only with --reason. Exit code: 0 the file holds for the run, 1 departures are left, "
        "2 wrong usage or an unreadable file."
    )
    update = actions.add_parser("update", help="bring the file up to date", description=about)
    update.add_argument("results", nargs="+", metavar="RESULTS", help="results files of runs")
    update.add_argument("--device", required=True, help="whose expectations")
    update.add_argument("--reason", type=_not_empty, help="accept new departures, for this reason")
    update.add_argument(
        "--case",
        action="append",
        metavar="PATTERN",
        help="accept only departures of cases that match, * and ? being wildcards (repeatable): "
        "different defects have different reasons",
    )
    update.add_argument("--link", type=_not_empty, help="where the defect is described")
    update.add_argument(
        "--prune",
        action="store_true",
        help="remove entries whose cases were run and do not depart any more; "
        "only for results of all the cases: a selection does not show that none departs",
    )

    about = (
        "Find entries that cannot be used and, with results, entries that are about no case. "
        "Exit code: 0 none, 1 entries that are about no case, 2 an entry that cannot be used."
    )
    check = actions.add_parser("check", help="find entries in vain", description=about)
    check.add_argument("results", nargs="*", metavar="RESULTS", help="results of all the cases")
    check.add_argument("--device", action="append", help="only this one (repeatable)")

    view = actions.add_parser("show", help="print a device's entries, in the order that they hold")
    view.add_argument("--device", required=True, help="whose expectations")
    add_format_arguments(view, ("markdown",))

    for action in (update, check, view):
        action.add_argument(
            "--directory",
            type=Path,
            default=DIRECTORY,
            help="where the expectations files are (default: those of the suite)",
        )


def _not_empty(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be empty")
    return text


def run(args: argparse.Namespace) -> int:
    """Run the action chosen."""
    if args.action == "update":
        return _update(args)
    return _check(args) if args.action == "check" else _show(args)


def _update(args: argparse.Namespace) -> int:
    path = paths_for(args.device, args.directory)[0]
    results = load_results(args.results)
    records = [record for record in results.records if record["device"] == args.device]
    if not records:
        devices = listing(sorted({device for device, _ in results.targets()})) or "no device"
        raise ResultsError(f"no result of {args.device} in these files; they are of {devices}")
    expectations = load_for(args.device, args.directory)
    judged = judge_all(results, records, expectations)
    own = [entry for entry in expectations.entries if entry.path == path]

    departures = [(record, entry) for record, entry, gate in judged if gate == Gate.DEPARTURE]
    lost = [one for one in departures if one[0]["outcome"] in NOT_THE_DEVICE]
    if lost:
        _print_departures("not the device's, to be mended or run again", lost)
        return 1
    accepted = [one for one in departures if _is_chosen(one[0]["case"], args)]
    left = [one for one in departures if not _is_chosen(one[0]["case"], args)]
    if left and not accepted:
        _print_departures("new; accept them with --reason TEXT", left)
        return 1

    stale = [entry for entry in own if _is_stale(entry, judged, facts_of(results))]
    removed = {entry.number for entry in stale} if args.prune else set()
    if accepted or removed:
        profiles = {record["profile"] for record in records}
        added = new_entries(
            [record for record, _ in accepted], profiles, args.reason or "", args.link
        )
        text = rewrite(_text(path, args.device), path, removed, added)
        write_text(path, text)
        print(
            f"{printable(str(path))}: {count(len(accepted), 'departure')} accepted in "
            f"{count(len(added), 'new entry', 'new entries')}, "
            f"{count(len(removed), 'entry', 'entries')} removed"
        )
    else:
        print(f"{printable(str(path))}: no new departure")
    if not args.prune:
        for entry in stale:
            print(printable(f"{entry}: accounts for no departure any more; --prune removes it"))
    for entry in own:
        better = listing(sorted(_improvements(entry, judged)))
        if better:
            print(printable(f"{entry}: {better} now, which is better: narrow the entry by hand"))
    for entry in expectations.unused():
        if entry.path == path:
            print(printable(f"{entry}: about no case of these results"))
    if left:
        _print_departures("new, and left as they are", left)
    return int(bool(left))


def _is_chosen(case: str, args: argparse.Namespace) -> bool:
    """Tell whether the user gave a reason for departures of this case."""
    return bool(args.reason) and (
        not args.case or any(matches(pattern, case) for pattern in args.case)
    )


def facts_of(results: Results) -> dict[Target, dict[str, str]]:
    """Return what `when` can ask of a run, by device and profile."""
    return {target: facts(results.header(*target), *target) for target in results.targets()}


def judge_all(
    results: Results, records: Iterable[Record], expectations: Expectations
) -> list[Judged]:
    """Return each record with the entry that matches it and what the gate makes of it now."""
    facts_by_target = facts_of(results)
    judged: list[Judged] = []
    for record in records:
        entry = expectations.match(record, facts_by_target[record["device"], record["profile"]])
        wanted = wanted_of(record)
        # That an absent device was allowed for is known only to the run itself.
        gate = judge(record["outcome"], wanted, entry, allow_absent=record["gate"] == Gate.SKIPPED)
        judged.append((record, entry, gate))
    return judged


def _is_stale(
    entry: Entry, judged: Sequence[Judged], facts_by_target: Mapping[Target, Mapping[str, str]]
) -> bool:
    """Tell whether the entry is about cases of the run, and accounts for no departure of it."""
    decided = [record for record, by, _ in judged if by is entry]
    if decided:
        return all(map(conforms, decided))
    return any(
        entry.is_about(record["case"])
        and entry.applies(record["profile"], facts_by_target[record["device"], record["profile"]])
        for record, _, _ in judged
    )


def _improvements(entry: Entry, judged: Iterable[Judged]) -> set[str]:
    """Return the outcomes that are better than the entry expects, and departures all the same."""
    return {
        record["outcome"]
        for record, by, gate in judged
        if by is entry and gate == Gate.IMPROVED and not conforms(record)
    }


def new_entries(
    departures: Iterable[Record],
    profiles: set[str],
    reason: str,
    link: str | None = None,
) -> list[str]:
    """Return the TOML of entries that cover these departures, one for each operation and outcome.

    A departure that not all of the `profiles` of the run show is expected only in those that do.
    """
    where: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for record in departures:
        where[record["operation"], record["outcome"], record["case"]].add(record["profile"])
    groups: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for operation, outcome, case in sorted(where):
        shown_in = where[operation, outcome, case]
        condition = () if shown_in == profiles else tuple(sorted(shown_in))
        groups[operation, outcome, condition].append(case)
    return [
        _entry_toml(cases, outcome, condition, reason, link)
        for (_, outcome, condition), cases in groups.items()
    ]


def _entry_toml(
    cases: Sequence[str],
    outcome: str,
    profiles: Sequence[str],
    reason: str,
    link: str | None,
) -> str:
    table = tomlkit.table()
    # A lone surrogate cannot stand in a file; a pattern has a sign for any one character.
    patterns = [re.sub(r"[\ud800-\udfff]", "?", case) for case in cases]
    if len(patterns) == 1:
        table["case"] = patterns[0]
    else:
        array = tomlkit.array()
        array.extend(patterns)
        table["case"] = array.multiline(True)
    table["outcome"] = outcome
    if profiles:
        when = tomlkit.inline_table()
        when["profile"] = profiles[0] if len(profiles) == 1 else list(profiles)
        table["when"] = when
    table["reason"] = reason
    if link:
        table["link"] = link
    entries = tomlkit.aot()
    entries.append(table)
    document = tomlkit.document()
    document["expect"] = entries
    return tomlkit.dumps(document)


def rewrite(text: str, path: Path, removed: set[int], added: Sequence[str]) -> str:
    """Return a file's text with entries removed and others added; all else stays as it is.

    `removed` are the numbers of entries, `added` is TOML for the end of the file. A removed entry
    takes the comment directly above it along. Raises ExpectationsError if the text is written in
    a way that cannot be taken apart into entries.
    """
    preamble, blocks = _blocks(text, path)
    kept = [
        _comments_below(block) if number in removed else block
        for number, block in enumerate(blocks, 1)
    ]
    text = preamble + "".join(kept)
    if not added:
        return text
    above = text.rstrip("\r\n")
    return "\n\n".join([above] * bool(above) + [toml.rstrip("\n") for toml in added]) + "\n"


_HEADER = re.compile(r"[ \t]*\[\[[ \t]*expect[ \t]*\]\][ \t]*(#.*)?\r?")


def _blocks(text: str, path: Path) -> tuple[str, list[str]]:
    """Take a file apart: what stands above the entries, and each entry with what follows it.

    Comments directly above an entry are part of it, but for those at the very top of the file.
    """
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    starts = []
    for place, line in enumerate(lines):
        if _HEADER.fullmatch(line.rstrip("\n")):
            start = place
            while start > 0 and lines[start - 1].lstrip().startswith("#"):
                start -= 1
            starts.append(start if start > 0 else place)
    preamble = "".join(lines[: starts[0]] if starts else lines)
    blocks = ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]
    # A line that looks like an entry's header may stand inside a text of several lines.
    tables = tomllib.loads(text).get("expect", [])
    if [_parsed(block) for block in (preamble, *blocks)] != [
        {},
        *({"expect": [table]} for table in tables),
    ]:
        raise ExpectationsError(
            f"{path}: cannot be rewritten: write each entry as a table of its own, "
            f"under [[expect]] on a line by itself"
        )
    return preamble, blocks


def _parsed(block: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(block)
    except tomllib.TOMLDecodeError:
        return None


def _comments_below(block: str) -> str:
    """Return the comments after an entry, which are about something else than it."""
    lines = block.split("\n")
    last = max(
        place for place, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"
    )
    below = "\n".join(lines[last + 1 :]).lstrip("\n")
    return below if below.strip() else ""


def _text(path: Path, device: str) -> str:
    """Return the file's text; for a file that is not there, how it starts."""
    if path.exists():
        return path.read_bytes().decode("utf-8")
    return (
        f"# The known departures of {printable(device)}. "
        "The docstring of reports/expectations.py tells the format.\n"
    )


def _print_departures(what: str, departures: Sequence[tuple[Record, Entry | None]]) -> None:
    page = Document()
    page.paragraph(f"{count(len(departures), 'departure')}, {what}:")
    lines: list[Item | Remark] = [
        Item(
            record["outcome"],
            f"{record['case']} ({record['profile']})",
            f"expected {listing([str(one) for one in entry.outcomes])}, {entry.reason}"
            if entry
            else record["detail"],
        )
        for record, entry in departures[:LINES]
    ]
    if len(departures) > LINES:
        lines.append(Remark(f"… and {len(departures) - LINES:,} more"))
    page.items(lines)
    sys.stdout.write(page.to_text())


def _check(args: argparse.Namespace) -> int:
    files = sorted(args.directory.glob("*.toml"))
    if args.device:
        files = [path for device in args.device for path in paths_for(device, args.directory)]
        files = [path for path in dict.fromkeys(files) if path.exists()]
    entries = load(*files).entries
    print(f"{count(len(entries), 'entry', 'entries')} in {count(len(files), 'file')} can be used")
    if not args.results:
        return 0
    results = load_results(args.results)
    devices = sorted({device for device, _ in results.targets()})
    missing = sorted(set(args.device or ()) - set(devices))
    if missing:
        raise ResultsError(
            f"no result of {listing(missing)} in these files; they are of {listing(devices)}"
        )
    found = 0
    for device in args.device or devices:
        path = paths_for(device, args.directory)[0]
        expectations = load_for(device, args.directory)
        records = [record for record in results.records if record["device"] == device]
        judged = judge_all(results, records, expectations)
        for entry in expectations.entries:
            # What another device's file says is that device's to check.
            if entry.path == path and _is_stale(entry, judged, facts_of(results)):
                print(printable(f"{entry}: accounts for no departure any more"))
        for entry in expectations.unused():
            if entry.path == path:
                found += 1
                say(f"{entry}: about no case of these results")
    return int(found > 0)


def _show(args: argparse.Namespace) -> int:
    page = Document()
    for path in paths_for(args.device, args.directory):
        if not path.exists():
            continue
        rows = [
            [
                str(entry.number),
                ", ".join(map(str, entry.outcomes)),
                ", ".join(entry.cases[:3])
                + (f" and {len(entry.cases) - 3:,} more" if len(entry.cases) > 3 else ""),
                "; ".join(f"{name} {' or '.join(one)}" for name, one in entry.when.items()),
                entry.reason + (f" ({entry.link})" if entry.link else ""),
            ]
            for entry in load(path).entries
        ]
        page.heading(f"{path.name}: {count(len(rows), 'entry', 'entries')}")
        page.table(["", "outcome", "cases", "when", "reason"], rows, names=5)
    if not page.blocks:
        page.paragraph(f"No departure of {args.device} is expected: it has no expectations file.")
    show(page, args)
    return 0
