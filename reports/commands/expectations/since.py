"""``expectations since``: write the first release that shows each root cause, from the results of several releases."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence

from reports import expectation_edits
from reports.documents import Document, add_format_arguments
from reports.documents import show as show_document
from reports.expectation_files import ExpectationsError, load, paths_for
from reports.expectations import Expectations, facts
from reports.files import write_text
from reports.outcomes import Outcome
from reports.results import Results, leaf_headers
from reports.results import load as load_results
from reports.text import count, listing

HELP = "write since when a root cause is there, from results of several releases"
DESCRIPTION = (
    "Find the release from which on each root cause shows, in the results of the same cases on several "
    "releases of OpenVINO (a file for each), and write it into the entry as `since`. An entry of which no "
    "case was asked, or which the newest release does not show, stays as it is. "
    "Exit code: 0 written, 2 wrong usage or a file that cannot be used."
)

_UNASKED = (Outcome.ABSENT, Outcome.ERROR)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="results, a file per release")
    parser.add_argument("--device", required=True, help="the device")
    parser.add_argument("--dry-run", action="store_true", help="print, and write nothing")
    add_format_arguments(parser, ("markdown",))


def run(args: argparse.Namespace) -> int:
    """Write `since` into the device's own file."""
    path = paths_for(args.device, args.directory)[0]
    if not path.exists():
        raise ExpectationsError(f"{path}: there is no expectations file")
    entries = load(path)
    runs = [(release_of(one), one) for one in map(load_results, args.results)]
    runs.sort(key=lambda each: _numbers(each[0]))
    releases = list(dict.fromkeys(release for release, _ in runs))
    newest = runs[-1][1].openvino_versions()[0]
    shown = {
        release: _shown(
            entries, args.device, [one for name, one in runs if name == release], newest
        )
        for release in releases
    }
    found = {}
    rows = []
    for entry in entries.entries:
        answers = [(name, shown[name][entry.id]) for name in releases if entry.id in shown[name]]
        since = first_release(answers)
        if since:
            found[entry.id] = since
        there = [name for name, is_shown in answers if is_shown]
        rows.append([entry.id, entry.kind, since or "–", listing(there) if there else "none"])
    page = Document()
    page.heading(f"{path.name}: {count(len(found), 'root cause')} of {len(rows):,} dated")
    page.table(["root cause", "class", "since", "shown by"], rows, names=1)
    show_document(page, args)
    if not args.dry_run:
        text = path.read_text(encoding="utf-8")
        write_text(path, expectation_edits.dated(text, path, found))
    return 0


def release_of(results: Results) -> str:
    """Return the release of a run, such as 2025.2. Raises ExpectationsError if it has several."""
    versions = [header.openvino for header in leaf_headers(results.runs)]
    releases = {".".join(version.split(".")[:2]) for version in versions}
    if len(releases) != 1:
        files = listing([str(path) for path in results.paths])
        raise ExpectationsError(
            f"{files}: expected the results of one release, got {listing(sorted(releases))}"
        )
    return releases.pop()


def first_release(answers: Sequence[tuple[str, bool]]) -> str:
    """Return the release from which on all show it; empty if the last does not. `answers` are in order of release."""
    first = ""
    for release, is_shown in reversed(answers):
        if not is_shown:
            break
        first = release
    return first


def _shown(
    entries: Expectations, device: str, runs: Iterable[Results], newest: str
) -> dict[str, bool]:
    """Return for each entry of which a case was asked in these runs whether one of them departs so.

    What `when` says of releases is judged as in the `newest`: it is what is to be found out.
    """
    found: dict[str, bool] = {}
    for results in runs:
        for record in results.records:
            if record.device != device or record.outcome in _UNASKED:
                continue
            known = facts(results.header(*record.target), *record.target) | {"openvino": newest}
            for one in entries.selecting(record, known):
                departs = not record.conforms and record.outcome in one.cover.outcomes
                found[one.entry.id] = found.get(one.entry.id, False) or departs
    return found


def _numbers(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]
