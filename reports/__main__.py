"""``python -m reports COMMAND``: views of results files.

Exit code: 0 all is well, 1 the command found what it looks for (departures, differences), 2 wrong
usage or a file that cannot be used.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

from reports.expectations import ExpectationsError
from reports.results import ResultsError
from reports.text import say

COMMANDS = {
    "summary": ("reports.summary", "what departs, as a table and case by case"),
    "html": ("reports.html", "the same as one self-contained page, with every case"),
    "purposes": ("reports.purposes", "purposes against operations: cases and outcomes"),
    "errors": ("reports.errors", "largest errors as fractions of what is allowed"),
    "compare": ("reports.compare", "what two runs differ in: fixed, broken, new, slower"),
    "history": ("reports.history", "operations over many runs: when did it break"),
    "merge": ("reports.merge", "join the results of shards and devices into one file"),
    "expectations": ("reports.expect", "the known departures of a device: update, check, show"),
    "export": ("reports.export", "results as CSV, JSON or CTRF"),
}
"""Name: (module with `add_arguments(parser)` and `run(args) -> int`, what it is for)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] not in COMMANDS:
        return _help(arguments)
    name, *rest = arguments
    # Only the chosen command is imported: a summary must not wait for a template engine.
    command = importlib.import_module(COMMANDS[name][0])
    parser = argparse.ArgumentParser(prog=f"python -m reports {name}")
    command.add_arguments(parser)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code: int = command.run(parser.parse_args(rest))
        sys.stdout.flush()
    except (ResultsError, ExpectationsError) as error:
        say(f"{parser.prog}: {error}")
        return 2
    except BrokenPipeError:
        # The reader, such as head, has seen enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except OSError as error:
        say(f"{parser.prog}: {error.filename or 'output'}: {error.strerror or error}")
        return 2
    return code


def _help(arguments: Sequence[str]) -> int:
    """Print the list of commands; for anything but a wish for help, say what is wrong."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {about}" for name, (_, about) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m reports",
        description="Views of results files. `python -m reports COMMAND --help` tells more.",
        epilog=f"commands:\n{commands}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS)
    parser.parse_args(arguments[:1])
    return 2


if __name__ == "__main__":
    sys.exit(main())
