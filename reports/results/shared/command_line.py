"""What the commands of ``python -m devices`` and ``python -m reports`` have in common."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from reports.results.shared.text import printable, say


class CommandParser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(2, printable(f"{self.prog}: {message}; see --help") + "\n")


def escape_output() -> None:
    """Let both streams escape what their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printed(run: Callable[[], int]) -> int:
    """Run a command that prints, and return its exit code: 2 where nobody reads what it prints."""
    if sys.stdout is None:
        say("output: it is closed")
        return 2
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as head, closed the pipe. Without this Python prints a traceback at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return code
