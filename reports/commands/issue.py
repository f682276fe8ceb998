"""``python -m reports issue CAUSE RESULTS``: what one would file at OpenVINO for a cause."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import msgspec

from ir_models.asking.id_parts import GRAPHS, tensors
from reports.gate import causes, severity
from reports.gate.causes import Cause
from reports.results.case_folder.manifest import read
from reports.results.files.reading import Results, load
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.options import path_of_option
from reports.results.shared.text import say
from reports.upstream.folder import is_folder, issue_of
from reports.upstream.releases import (
    Release,
    Tried,
    machine_of,
    openvino_of,
    release_in,
    search,
)
from reports.upstream.running import ENDINGS, ScriptRun, environment_of
from reports.upstream.running import run as run_script
from reports.upstream.script import NoScriptError, script_of, scripts_of
from reports.upstream.text import Shown, text_of
from reports.views.choosing import add_causes_argument

TRIED = 6
"""Cases of a cause that are tried at most, until a script shows the departure."""
TIMES = 3
"""Runs of a script at most, where what it shows does not always come."""
ROOT = Path(__file__).parents[2]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports issue``."""
    parser.description = (
        "Write the text of an issue for OpenVINO about one cause: steps, the expected result with the words of the "
        "specification, the actual result, since which release, where it is seen and where not. Its script is made "
        "from a case. It is run here and must fail as the case did; --openvino runs it on other releases too. "
        "Exit code: 0 written, 1 no script fails so, or none can be run here, 2 wrong usage."
    )
    add_common(parser)
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="FILE",
        help="write to this file instead of the terminal",
    )


def add_common(parser: argparse.ArgumentParser, with_cause: bool = True) -> None:
    """Declare what `issue` and `issues` have in common."""
    add = parser.add_argument
    if with_cause:
        add(
            "cause",
            metavar="CAUSE",
            help="the id of a cause (python -m reports causes RESULTS), or the end of the name of a failure folder of "
            "RESULTS; without RESULTS the path of a failure folder, such as those of a model",
        )
    add(
        "results",
        nargs="*" if with_cause else "+",
        metavar="RESULTS",
        help="results files of runs, with their failure folders beside them",
    )
    add_causes_argument(parser)
    add(
        "--python",
        default=sys.executable,
        metavar="PROGRAM",
        help="a Python that has the openvino to run scripts with",
    )
    add(
        "--openvino",
        type=path_of_option,
        metavar="DIR",
        action="append",
        default=[],
        help="an OpenVINO of an older release to run the script on, which tells the first bad and the last good "
        "one: a virtual environment, an installation, or what `pip install --target DIR openvino==2025.4.*` "
        "makes; repeatable",
    )


def releases_of(args: argparse.Namespace) -> list[Release]:
    """Return the other releases that scripts are run on. Raises ResultsError, for a --python without openvino too."""
    openvino_of(args.python)
    return [release_in(folder, args.python) for folder in args.openvino]


def run(args: argparse.Namespace) -> int:
    """Write the issue."""
    folder = Path(args.cause).absolute()
    if not args.results:
        if not is_folder(folder):
            raise ResultsError(
                f"{args.cause}: no failure folder; of a cause, name results files as well"
            )
        releases, known = releases_of(args), causes.load(*args.causes)
        text, shows = issue_of(folder, _tested(folder, args.python), releases, _shrink, known)
        return _written(text, args.out, shows)
    known = causes.load(*args.causes)
    results = load(args.results)
    cause = known.get(args.cause) or known.get(_cause_of_folder(args.cause, results))
    if cause is None:
        raise ResultsError(
            f"no cause {args.cause!r}, nor one whose folder ends so; `python -m reports causes` lists them"
        )
    departed = by_cause(results.records).get(cause.id, [])
    if not departed:
        raise ResultsError(f"no case of {cause.id} in these results")
    shown = shown_by(cause, departed, results, args.python, releases_of(args))
    text = text_of(cause, severity.of_cause(cause, departed), departed, shown, results)
    return _written(text, args.out, shown.run is not None and shown.run.shows)


def _tested(folder: Path, python: str) -> Release:
    """Return the OpenVINO that a folder's run had for its own, if it is here, else that of ``python``."""
    try:
        case = read(folder)
    except ValueError as error:
        raise ResultsError(str(error)) from None
    return _of_run(case.own_openvino, case.openvino, python)


def _of_run(own_openvino: str, version: str, python: str) -> Release:
    """Return the OpenVINO that a run had for its own, if it is here, else that of ``python``. Raises ResultsError."""
    if own_openvino and Path(own_openvino).exists():
        return replace(release_in(Path(own_openvino), python), version=version)
    return Release(openvino_of(python), python, {})


def _shrink(folder: Path, small: Path) -> bool:
    """Make a smaller failure folder of one, within a minute; False where none departs so."""
    say(f"{folder} is too large for a script: shrinking it, for a minute at most")
    command = [sys.executable, "-m", "devices", "shrink", str(folder), "--out", str(small)]
    done = subprocess.run(
        [*command, "--minutes", "1"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == 2:
        lines = done.stderr.strip().splitlines() or ["python -m devices shrink failed"]
        say(lines[-1])
    return done.returncode == 1 and is_folder(small)


def _written(text: str, out: Path | None, shows: bool) -> int:
    if out:
        write_text(out, text)
    else:
        sys.stdout.write(text)
    return 0 if shows else 1


def _cause_of_folder(name: str, results: Results) -> str:
    """Return the cause of the departure whose folder has this name, or ends in it behind a hyphen; "" without one."""
    for record in results.records:
        folder = Path(record.folder).name
        if folder and (folder == name or folder.endswith(f"-{name}")):
            return record.cause
    return ""


def shown_by(
    cause: Cause,
    departed: Sequence[CaseRecord],
    results: Results,
    python: str,
    releases: Sequence[Release] = (),
) -> Shown:
    """Return the case whose script shows the departure: of plausible layers the one with the fewest elements.

    The smallest case of the cause comes before graphs of the run, if it was not asked there and departs here. A case is
    written to a folder as ``python -m devices write`` does; one that fits into no script, or conforms there,
    is followed by the next. Without any script the smallest case with a failure folder is shown. The script is run on
    older releases too, several times where what it shows does not always come.
    """
    why = ""
    by_size = sorted(departed, key=_size)
    candidates, added = by_size[:TRIED], ""
    is_asked = any(record.case == cause.smallest for record in departed)
    if cause.smallest and by_size[0].purpose == GRAPHS and not is_asked:
        added = cause.smallest
        candidates = [msgspec.structs.replace(by_size[0], case=added), *candidates]
    for record in candidates:
        is_added = record.case == added
        is_chance = bool(cause.nondeterministic) or severity.of_record(record).kind == "crash"
        times = TIMES if is_chance else 1
        header = results.header(*record.target)
        tested = _of_run(header.own_openvino, header.openvino, python)
        elsewhere = _why_not_here(record, results, tested)
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory) / "case"
            try:
                openvino = header.own_openvino if tested.environment else ""
                elsewhere = _write(record, folder, openvino) or elsewhere
                if elsewhere and is_added:
                    continue
                if elsewhere:
                    return Shown(record, script_of(folder, *_about(record)), None, elsewhere)
                case = read(folder)
                if is_added:
                    said = {**(case.result or {}), "gate": record.gate, "cause": cause.id}
                    record = msgspec.convert(said, CaseRecord)
                    if record.conforms:
                        continue
                own = environment_of(case.environment)
                here = replace(tested, environment={**tested.environment, **own})
                script, done = _script(record, folder, here, times)
            except (NoScriptError, OSError, ValueError) as error:
                why = why or str(error)
                continue
        if done.ending not in ENDINGS[record.outcome]:
            why = why or "no case that is small enough for a script shows the same failure"
            continue
        version = header.openvino.partition("-")[0]
        older = [replace(one, environment={**one.environment, **own}) for one in releases]
        tried = search(script, Tried(version, done.ending), older, times)
        return Shown(record, script, done, tried=tried)
    for record in by_size:
        folder_of_run = results.folder(record)
        if folder_of_run is not None and folder_of_run.is_dir():
            return Shown(record, "", None, why, str(folder_of_run))
    return Shown(by_size[0], "", None, why)


def _why_not_here(record: CaseRecord, results: Results, tested: Release) -> str:
    """Why the script of a case says nothing on this OpenVINO; empty where it does."""
    target = results.target(*record.target)
    if target.compile_only:
        return f"running it needs a machine with {record.device}, or OpenVINO for Windows, whose compiler "
        "needs no device"
    python = tested.python
    here = machine_of(python)
    if target.machine and target.machine != here:
        return (
            f"it is of a run on {target.machine}, and {python} is on {here}; --python names another"
        )
    of_run, installed = (
        text.partition("-")[0] for text in (results.header(*record.target).openvino, tested.version)
    )
    if of_run != installed:
        return f"it is of a run on OpenVINO {of_run}, and {python} has {installed}; --python names another"
    return ""


def _about(record: CaseRecord) -> tuple[bool, bool]:
    """Return whether a case departs in a value, and whether in what is inferred at reading."""
    is_value = record.outcome in (Outcome.FAIL, Outcome.FLAKE)
    return is_value, record.facts.kind.endswith("at reading")


def _script(record: CaseRecord, folder: Path, tested: Release, times: int) -> tuple[str, ScriptRun]:
    """Return the first script that shows the departure and what it does, else the last one.

    Raises NoScriptError, OSError, ValueError.
    """
    for script in scripts_of(folder, *_about(record), is_of_reader=record.facts.stage == "read"):
        for _ in range(times):
            done = run_script(script, tested.python, {**os.environ, **tested.environment})
            if done.ending in ENDINGS[record.outcome]:
                return script, done
    return script, done


def _size(record: CaseRecord) -> tuple[object, ...]:
    """Sort key: plausible layers first, single ones before graphs, those asked in the usual way, then by elements."""
    elements = sum(prod(t.shape) for t in tensors(",".join(record.inputs)) if t is not None)
    rank = severity.of_records([record]).rank
    is_graph = record.purpose == GRAPHS
    return rank, is_graph, len(record.how), elements + len(record.case), record.case


def _write(record: CaseRecord, folder: Path, openvino: str) -> str:
    """Write a case as a folder, with the installed OpenVINO or another one.

    Where the OpenCL of its profile is not installed, the folder is for any GPU. Return why its script says nothing here
    then, else "". Raises NoScriptError, after the command's words on standard error.
    """
    for_any_gpu = re.sub("opencl=[^,]*", "accuracy", record.profile)
    for profile in dict.fromkeys((record.profile, for_any_gpu)):
        command = [sys.executable, "-m", "devices", "write", record.case, "--out", str(folder)]
        command += ["--device", record.device, "--profile", profile]
        command += ["--openvino", openvino] if openvino else []
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if not done.returncode:
            is_here = profile == record.profile
            return "" if is_here else "running it needs a GPU, or the OpenCL that the run had"
    # What is missing on this machine is for who writes the issue, not for who reads it.
    lines = done.stderr.strip().splitlines() or ["python -m devices write failed"]
    say(f"{record.case}: {lines[-1]}")
    raise NoScriptError("it could not be made on this machine")


def by_cause(records: Sequence[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """Return the departures of each known cause."""
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.cause and record.gate.has_cause:
            found[record.cause].append(record)
    return found
