"""``python -m devices COMMAND``: asks devices outside the suite.

Exit code: 0 no departure, 1 the device departs, 2 wrong usage or a device that is not there.
"""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from collections.abc import Sequence

COMMANDS = {
    "model": ("devices.models.command", "judge a model layer by layer: which one is wrong?")
}
"""Name: module and description."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="python -m devices",
        epilog="commands:\n" + "\n".join(f"  {n:8}  {about}" for n, (_, about) in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", metavar="COMMAND", choices=list(COMMANDS))
    name = parser.parse_args(given[:1]).command
    command = importlib.import_module(COMMANDS[name][0])
    parser = argparse.ArgumentParser(prog=f"python -m devices {name}")
    command.add_arguments(parser)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code: int = command.run(parser.parse_args(given[1:]))
    return code


if __name__ == "__main__":
    sys.exit(main())
