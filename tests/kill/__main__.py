"""``python -m tests.kill [OPERATION...]``: the kill table.

Exit code: 0 where every operation catches enough, 1 where one does not, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import ir_models
from ir_models import UnknownOperationError
from reference import MissingReferenceError
from tests.kill.table import REQUIRED, EquivalentError, render, try_operation


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.kill",
        description="Try wrong references on the cases of each operation: every case set must "
        f"catch {REQUIRED:.0%} of them.",
    )
    parser.add_argument(
        "operations", metavar="OPERATION", nargs="*", help="such as Gather-8 or Gather; default all"
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    args = parser.parse_args(arguments)
    try:
        rows = [try_operation(operation) for operation in ir_models.select(args.operations)]
        print(render(rows, args.markdown), flush=True)
    except (UnknownOperationError, MissingReferenceError, EquivalentError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as head, has seen enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 1 if any(row.share < REQUIRED for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
