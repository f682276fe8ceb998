"""``python -m reports issue CAUSE RESULTS``: what one would file at OpenVINO for a cause."""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from reports.case_folder.manifest import read
from reports.files import write_text
from reports.gate import causes, severity
from reports.gate.baseline import run_of
from reports.gate.causes import Cause
from reports.results.reading import Results, load
from reports.results.records import CaseRecord, ResultsError
from reports.upstream.script import NoScriptError, script_of
from reports.upstream.script import run as run_script
from reports.upstream.text import Shown, issue_text

TRIED = 12
"""Folders of a cause that are tried at most: the smallest first, until a script shows the departure."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports issue``."""
    parser.description = (
        "Write what one would file at OpenVINO for a cause: steps, what is expected with the words of the page, what "
        "the device does, since when, where it is seen and where not. The script is made of the failure folder of a "
        "case, and run, and it must show the departure. Exit code: 0 written, 1 no script shows it, 2 wrong usage."
    )
    add_common(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write to this file instead of the terminal"
    )


def add_common(parser: argparse.ArgumentParser, with_cause: bool = True) -> None:
    """Declare what `issue` and `issues` have in common."""
    add = parser.add_argument
    if with_cause:
        add("cause", metavar="CAUSE", help="the id of a cause: python -m reports causes")
    add(
        "results",
        nargs="+",
        metavar="RESULTS",
        help="results files of runs, with their failure folders beside them",
    )
    add(
        "--causes",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="a folder of causes of your own",
    )
    add(
        "--python",
        default=sys.executable,
        metavar="PROGRAM",
        help="a Python that has the openvino to run scripts with",
    )


def run(args: argparse.Namespace) -> int:
    """Write the issue."""
    known = causes.load(*args.causes)
    cause = known.get(args.cause)
    if cause is None:
        raise ResultsError(f"no cause {args.cause!r}; `python -m reports causes` lists them")
    results = load(args.results)
    departed = [record for record in results.records if record.cause == cause.id]
    if not departed:
        raise ResultsError(f"no case of {cause.id} in these results")
    shown = shown_by(departed, results, args.python)
    text = text_of(cause, departed, shown, results)
    if args.out:
        write_text(args.out, text)
    else:
        sys.stdout.write(text)
    return 0 if shown.run is not None and shown.run.shows else 1


def text_of(cause: Cause, departed: Sequence[CaseRecord], shown: Shown, results: Results) -> str:
    """Return the text of a cause's issue."""
    target = shown.record.target
    conforming = [
        record
        for record in results.records
        if record.conforms and record.target == target and record.purpose != "invalid"
    ]
    compared = run_of(results.header(*target), *target)
    return issue_text(cause, severity.of_records(departed), compared, shown, departed, conforming)


def shown_by(departed: Sequence[CaseRecord], results: Results, python: str) -> Shown:
    """Return the smallest case with a folder whose script shows the departure; without any the smallest case."""
    with_folder = []
    for record in departed:
        folder = results.folder(record)
        if folder is not None and folder.is_dir():
            size = sum(path.stat().st_size for path in folder.glob("*.*"))
            with_folder.append(
                (severity.of_records([record]).rank, size, record.case, record, folder)
            )
    smallest = min(departed, key=lambda one: (len(one.case), one.case))
    if not with_folder:
        return Shown(smallest, "", None, "no case of it has a failure folder here")
    why = ""
    for _, _, _, record, folder in sorted(with_folder, key=lambda one: one[:3])[:TRIED]:
        try:
            script = script_of(folder)
            environment = {**os.environ, **read(folder).environment}
        except (NoScriptError, OSError, ValueError) as error:
            why = why or str(error)
            continue
        done = run_script(script, python, environment)
        if done.shows:
            return Shown(record, script, done, folder=str(folder))
        why = why or "what fits into a script conforms there"
    _, _, _, record, folder = min(with_folder, key=lambda one: one[:3])
    return Shown(record, "", None, why, str(folder))


def by_cause(records: Sequence[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """Return the departures of each known cause."""
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.cause and record.gate.has_cause:
            found[record.cause].append(record)
    return found
