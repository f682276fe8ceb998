"""``python -m reports COMMAND``: views of results files.

Exit code: 0 success, 1 the command found departures or differences, 2 wrong usage or a file that
cannot be used, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import ir_models.ctrl_c  # noqa: F401
from reports.gate.baseline_files import BaselineError
from reports.gate.causes import CauseError
from reports.results.records import ResultsError
from reports.results.shared.command_line import CommandParser, escape_output, printed
from reports.results.shared.text import say, trim


class _ReportsParser(CommandParser):
    """Says where RESULTS stand if they are missing."""

    def error(self, message: str) -> NoReturn:
        if message.endswith("required: RESULTS"):
            message += (
                ". Put RESULTS first: an option of several values takes every word that follows it"
            )
        super().error(message)


COMMANDS = {
    "summary": "what departs from the specification: causes, then a table of outcomes",
    "html": "the same as one self-contained HTML file, with every case",
    "site": "a site of many runs: devices, releases and operations",
    "errors": "largest errors as fractions of their bounds",
    "compare": "differences between two runs: fixed, broken, new, slower",
    "merge": "join the results of shards and devices into one file",
    "causes": "the known causes of a device, the most severe first",
    "support": "the types, ranks and shapes that a device was seen to run, by operation or by layer of a model",
    "claim": "draft what a device claims to run, for pytest --claims",
    "statement": "write or check a statement: what a device claims to run, and what a run showed of it",
    "issue": "the text of an issue for OpenVINO about one cause, with a script that shows the failure",
    "issues": "the issues of all causes, with an index",
    "usage": "count the models that have a layer which a cause concerns",
    "batch": "the acceptance test of one change in OpenVINO: which cases must pass after it, and which stay "
    "as they are",
    "accept": "update a baseline with what a run showed, group by group",
    "export": "results as CSV, JSON, JUnit XML or CTRF",
    "schema": "the JSON Schema of results files",
}
"""Name: description. Each is a module of `reports.commands`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] not in COMMANDS:
        return _help(arguments)
    name, *rest = arguments
    try:
        return _run(name, rest)
    except KeyboardInterrupt:
        say(f"python -m reports {name}: interrupted")
        return 128 + signal.SIGINT


def _run(name: str, rest: Sequence[str]) -> int:
    # Only the chosen command is imported: a summary does not need a template engine.
    command = importlib.import_module(f"reports.commands.{name}")
    parser = _ReportsParser(prog=f"python -m reports {name}")
    command.add_arguments(parser)
    escape_output()
    given = argparse.Namespace()

    def run() -> int:
        parser.parse_args(rest, given)
        _check_apart(given)
        code: int = command.run(given)
        return code

    try:
        return printed(run)
    except (ResultsError, BaselineError, CauseError) as error:
        say(f"{parser.prog}: {error}")
        return 2
    except OSError as error:
        # An error of writing, such as a full disk, names no file.
        file = trim(str(error.filename or getattr(given, "out", None) or "output"), 300)
        say(f"{parser.prog}: {file}: {error.strerror or error}")
        return 2


def _check_apart(given: argparse.Namespace) -> None:
    """Raise ResultsError if what a command writes would replace a file that it reads, even if it is forced to."""
    out = getattr(given, "out", None)
    if out is None or not os.path.exists(out):
        return
    for name, value in vars(given).items():
        paths = value if isinstance(value, list) else [value]
        for path in paths if name != "out" else ():
            if not isinstance(path, (str, os.PathLike)) or not os.path.exists(path):
                continue
            if os.path.samefile(path, out):
                raise ResultsError(f"--out {out}: is a file that the command reads: choose another")


def _help(arguments: Sequence[str]) -> int:
    """Print the list of commands, or an error for a command that does not exist."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {about}" for name, about in COMMANDS.items())
    parser = _ReportsParser(
        prog="python -m reports",
        description="Views of results files. See `python -m reports COMMAND --help`.",
        epilog=f"commands:\n{commands}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS)
    parser.parse_args(arguments[:1])
    return 2


if __name__ == "__main__":
    sys.exit(main())
