"""``python -m tests.planted [OPERATION...]``: plant defects where two factors meet, and see what catches them.

Exit code: 0 where depth pairs catches enough of those of what x how, depth all enough of all, and the reduction names
enough of what is caught; 1 where not; 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import ir_models
from ir_models import UnknownOperationError
from tests.planted.defects import KINDS, Drawing
from tests.planted.table import is_enough, render
from tests.planted.trial import Result, Trial


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted",
        description="Plant defects where two factors meet, and see whether the cases catch and name them.",
    )
    parser.add_argument(
        "operations", metavar="OPERATION", nargs="*", help="such as Gather-8 or Gather; default all"
    )
    parser.add_argument(
        "--each",
        metavar="N",
        type=int,
        default=3,
        help="defects of each kind for each operation (default 3)",
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the draws")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    args = parser.parse_args(arguments)
    if args.each < 1:
        parser.error("argument --each: must be at least 1")
    try:
        operations = list(ir_models.select(args.operations))
    except UnknownOperationError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    results: list[Result] = []
    try:
        for number, operation in enumerate(operations, 1):
            drawing = Drawing(operation, args.seed)
            drawn = [defect for kind in KINDS for defect in drawing.draw(kind, args.each)]
            trial = Trial(operation) if drawn else None
            results += [trial.result(defect) for defect in drawn if trial is not None]
            done = f"{number}/{len(operations)} {operation.name}: {len(drawn)}"
            print(done, file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted: what was done until here", file=sys.stderr)
    print(render(results, args.markdown), flush=True)
    return 0 if is_enough(results) else 1


if __name__ == "__main__":
    sys.exit(main())
