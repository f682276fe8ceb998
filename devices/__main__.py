"""``python -m devices COMMAND``: what concerns a device and is no run of the suite.

Exit code: 0 success, 1 the command found a departure, 2 wrong usage or a file that cannot be used,
130 Ctrl-C.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import ir_models.ctrl_c  # noqa: F401
from reports.results.shared.command_line import CommandParser, escape_output, printed
from reports.results.shared.text import say

COMMANDS = {
    "keep": ("devices.commands.keep", "add a graph that a search found to the cases of the suite"),
    "model": ("devices.commands.model", "test a model layer by layer: which one is wrong?"),
    "place": (
        "devices.commands.place",
        "find the place in OpenVINO where a cause fails: line, function, pass or kernel",
    ),
    "search": (
        "devices.commands.search",
        "search for graphs that a device gets wrong, and shrink them",
    ),
    "shrink": (
        "devices.commands.shrink",
        "shrink a failing case or model to the smallest graph that fails in the same way",
    ),
    "write": (
        "devices.commands.write",
        "write a case as a folder of files, with a script that reproduces it",
    ),
}
"""Name: module, description."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # It imports NumPy, and Ctrl-C ends that without a traceback only here.
    from devices.process.opening import NotOpenedError

    parser = CommandParser(
        prog="python -m devices",
        description="Commands that use a device outside a run of the suite.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for name, (module, about) in COMMANDS.items():
        sub = commands.add_parser(name, help=about, prog=f"python -m devices {name}")
        # Only the chosen command is imported.
        if arguments[:1] == [name]:
            importlib.import_module(module).add_arguments(sub)
    args = parser.parse_args(arguments)
    escape_output()
    command = importlib.import_module(COMMANDS[args.command][0])
    try:
        return printed(lambda: command.run(args))
    except MemoryError:
        of = f" of {args.case}" if hasattr(args, "case") else ""
        say(
            f"python -m devices {args.command}: not enough memory for the tensors{of}: use fewer elements"
        )
        return 2
    except (ValueError, LookupError, ArithmeticError, OSError, NotOpenedError) as error:
        say(f"python -m devices {args.command}: {_told(error)}")
        return 2


def _run() -> int:
    """Run the command of the process; Ctrl-C ends it without a traceback, also while modules are imported."""
    try:
        return main()
    except KeyboardInterrupt:
        say("python -m devices: interrupted")
        return 130


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the results cannot be written'}: {error.strerror}"
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object[:80]!r} has characters that are not Unicode: UTF-8 is expected"
    if isinstance(error, OverflowError):
        return f"a number is too large for its type: {error}"
    return str(error)


if __name__ == "__main__":
    sys.exit(_run())
