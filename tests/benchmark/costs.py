"""``python -m tests.benchmark.costs``: what a run costs, measured: the suite is run at each number of workers.

Arguments after ``--`` are those of the suite: ``python -m tests.benchmark.costs --workers 1 2 -- --depth pairs``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from devices.engine import packs
from reports.results.files.reading import load
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord
from tests.benchmark.running import run
from tests.kill.table import as_markdown, as_text


@dataclass(frozen=True)
class Cost:
    """One run: seconds of wall time and of the cores, and the memory of the largest process in MiB.

    Both are those of the suite's own processes; the processes of devices belong to the server that forks them.
    """

    workers: int
    wall: float
    cores: float
    memory: float
    records: list[CaseRecord]
    code: int
    """The exit code of the run: 1 where something departs."""

    @property
    def inside(self) -> float:
        """Seconds of wall time inside OpenVINO, of all devices."""
        return sum(record.seconds for record in self.records)


def measure(workers: int, options: Sequence[str], folder: Path) -> Cost:
    """Run the suite. Raises RuntimeError for a run that did not come to its end."""
    results = folder / f"{workers}.jsonl"
    processes = ["-n", str(workers)] if workers > 1 else []
    used = run(["--results", str(results), *options, *processes])
    return Cost(workers, used.wall, used.cores, used.memory, load(results).records, used.code)


def why_alone(record: CaseRecord) -> str:
    """Why a case was asked alone, as its record tells it."""
    if record.gate not in (Gate.PASS, Gate.QUALITY):
        return "it departs"
    if record.purpose == "invalid":
        return "invalid layer"
    if packs.is_heavy(record.case):
        return "large tensors"
    if packs.fragile_type(record.case):
        return "fragile element type"
    return "audit, or no other case of its kind"


def render(costs: Sequence[Cost], markdown: bool = False) -> str:
    """A table of the runs, and one of the cases that the first of them asked alone."""
    cells = [
        [
            *("workers", "cases", "wall s", "cores s", "ms a case", "wall in OpenVINO"),
            *("largest MiB", "exit code"),
        ]
    ]
    for cost in costs:
        count = max(len(cost.records), 1)
        numbers = (f"{cost.wall:.1f}", f"{cost.cores:.1f}", f"{1000 * cost.wall / count:.2f}")
        inside = f"{cost.inside / (cost.wall * cost.workers):.0%}"
        row = [
            str(cost.workers),
            f"{len(cost.records):,}",
            *numbers,
            inside,
            f"{cost.memory:.0f}",
            str(cost.code),
        ]
        cells.append(row)
    draw = as_markdown if markdown else as_text
    return "\n".join([*draw(cells), "", *draw(_alone(costs[0].records))])


def _alone(records: Iterable[CaseRecord]) -> list[list[str]]:
    alone = [record for record in records if record.pack_size == 1]
    seconds: defaultdict[str, float] = defaultdict(float)
    for record in alone:
        seconds[why_alone(record)] += record.seconds
    count = Counter(map(why_alone, alone))
    rows = [[why, f"{count[why]:,}", f"{seconds[why]:.1f}"] for why, _ in count.most_common()]
    return [["asked alone", "cases", "s in OpenVINO"], *rows]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit code: 0, or 2 for wrong usage and for a run that did not come to its end."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.costs",
        description="Run the suite and print what it costs: time, memory, and which cases were asked alone.",
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the results files here")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("options", nargs="*", help="options of the suite, after --")
    args = parser.parse_args(arguments)
    if min(args.workers) < 1:
        parser.error("argument --workers: must be at least 1")
    try:
        with tempfile.TemporaryDirectory(prefix="conformance-costs-") as folder:
            kept = args.keep or Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            costs = [measure(workers, args.options, kept) for workers in args.workers]
    except (RuntimeError, OSError) as error:
        print(f"{parser.prog}: {str(error).splitlines()[-1]}", file=sys.stderr)
        return 2
    print(render(costs, args.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
