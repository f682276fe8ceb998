"""Ctrl-C ends a command with a word and no traceback, also while it imports what it needs.

What the user starts imports this module before the others of the project.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _say_interrupted(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _say_interrupted
