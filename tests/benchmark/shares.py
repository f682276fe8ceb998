"""``python -m tests.benchmark.shares``: the account of one run, core second by core second, of all its processes.

The suite is run with the options after ``--``; its processes are sampled (``tests.benchmark.sampling``). Parts in which
a child is, such as compiling, are OpenVINO's; all others are the suite's own. What the account lacks was used before a
process could be sampled, or as it ended or died: by forks, by deaths, by what OpenVINO frees at its end.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reports.results.files.reading import load
from tests.benchmark import sampling
from tests.benchmark.running import ROOT, run, with_path
from tests.kill.table import table_text

ROLES = ("pytest", "listing", "workers", "children", "fork server")
# What Python imports at its start, before anything else.
_SITE = "from tests.benchmark import sampling\nsampling.start()\n"


@dataclass
class Account:
    """One run: cases, seconds of wall time and of the cores; by role and part the seconds that were seen.

    ``waited`` are seconds of wall time in which workers used no core.
    """

    cases: int
    wall: float
    cores: float
    processes: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    waited: float = 0.0

    @property
    def unseen(self) -> float:
        """Core seconds of no part."""
        return self.cores - sum(each.total() for each in self.seconds.values())


def measure(options: Sequence[str], folder: Path, results: Path) -> Account:
    """Run the suite and sample it. Raises RuntimeError for a run that did not come to its end."""
    found, site = folder / "shares", folder / "site"
    found.mkdir()
    site.mkdir()
    (site / "sitecustomize.py").write_text(_SITE, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": with_path(site, ROOT), sampling.FOLDER: str(found)}
    used = run(["--results", str(results), *options], environment)
    account = Account(len(load(results).records), used.wall, used.cores)
    for file in found.iterdir():
        role, lived, parts = sampling.read(file)
        account.processes[role] += 1
        account.seconds[role].update(parts)
        if role == "workers":
            account.waited += max(lived - sum(parts.values()), 0.0)
    return account


def render(account: Account, markdown: bool = False) -> str:
    """A line for the run, and a table: parts by role, the largest first."""
    roles = [role for role in ROLES if account.processes[role]]
    total = sum(account.seconds.values(), Counter())
    count = max(account.cases, 1)
    rows = [["core seconds", *roles, "all", "share", "ms a case"]]
    for part, seconds in total.most_common():
        cells = (account.seconds[role][part] for role in roles)
        rows.append([part, *(f"{each:.1f}" for each in cells), *_of(seconds, account, count)])
    seen = (account.seconds[role].total() for role in roles)
    rows.append(["seen", *(f"{each:.1f}" for each in seen), *_of(total.total(), account, count)])
    rows.append(["not seen", *("" for _ in roles), *_of(account.unseen, account, count)])
    numbers = (str(account.processes[role]) for role in roles)
    rows.append(["processes", *numbers, str(account.processes.total()), "", ""])
    head = (
        f"{account.cases:,} cases, {account.wall:.1f} s of wall time ({1000 * account.wall / count:.2f} ms a case), "
        f"{account.cores:.1f} core seconds; workers waited {account.waited:.1f} s"
    )
    return f"{head}\n\n{table_text(rows, {}, markdown)}"


def _of(seconds: float, account: Account, count: int) -> list[str]:
    return [f"{seconds:.1f}", f"{seconds / account.cores:.0%}", f"{1000 * seconds / count:.2f}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit code: 0, or 2 for wrong usage and for a run that did not come to its end."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.shares",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keep", metavar="FILE", type=Path, help="keep the results file here")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("options", nargs="*", help="options of the suite, after --")
    args = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="conformance-shares-") as folder:
            results = args.keep or Path(folder, "results.jsonl")
            account = measure(args.options, Path(folder), results)
    except (RuntimeError, OSError) as error:
        print(f"{parser.prog}: {str(error).splitlines()[-1]}", file=sys.stderr)
        return 2
    print(render(account, args.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
