"""``python -m tests.benchmark.scale``: what a case costs the suite itself, by the number of cases in a run.

The device answers at once (``tests.benchmark.at_once``), so that a million cases take minutes. Core seconds are those
of all processes; memory is the most that the first process, and a worker, ever had.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmark import at_once
from tests.benchmark.running import ROOT, run, with_path
from tests.kill.table import table_text


def measure(count: int, workers: int) -> list[str]:
    """Run so many cases. Returns a row of the table; raises RuntimeError for a run that did not end with code 0."""
    with tempfile.TemporaryDirectory(prefix="conformance-scale-") as folder:
        used = Path(folder, "used")
        used.mkdir()
        asked = {
            at_once.CASES: str(count),
            at_once.FOLDER: str(used),
            "PYTHONPATH": with_path(ROOT),
        }
        results = Path(folder, "results.jsonl")
        options = ["-p", "tests.benchmark.at_once", "--baseline", "none", "-n", str(workers)]
        # Of one operation, so that a run is not a whole one that lacks all others.
        options += ["--operation", "Abs-1", "--results", str(results)]
        spent = run(options, {**os.environ, **asked})
        with results.open("rb") as file:
            ended = sum(1 for _ in file) - 1
        if spent.code or ended != count:
            raise RuntimeError(f"{ended:,} of {count:,} cases ended, exit code {spent.code}")
        memory = {each.name: float(each.read_text(encoding="utf-8")) for each in used.iterdir()}
    first = memory.pop("first")
    per_case = 1000 * spent.cores / count
    numbers = f"{spent.wall:.1f}", f"{spent.cores:.1f}", f"{per_case:.3f}"
    return [f"{count:,}", *numbers, f"{first:.0f}", f"{max(memory.values()):.0f}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit code: 0, or 2 for wrong usage and for a run that did not come to its end."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=int, nargs="+", default=[10_000, 100_000], metavar="N")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    args = parser.parse_args(arguments)
    if min(args.cases) < 1 or args.workers < 1:
        parser.error("--cases and --workers must be at least 1")
    rows = [["cases", "wall s", "cores s", "core ms a case", "first process MiB", "worker MiB"]]
    try:
        for count in args.cases:
            rows.append(measure(count, args.workers))
    except (RuntimeError, OSError) as error:
        print(f"{parser.prog}: {str(error).splitlines()[-1]}", file=sys.stderr)
        return 2
    print(table_text(rows, {}, markdown=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
