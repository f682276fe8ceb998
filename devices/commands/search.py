"""``python -m devices search``: graphs that a device gets wrong, each shrunk to the smallest."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ir_models
from devices.engine.session import Session
from devices.process import own_build
from devices.search.finds.journal import Journal
from devices.search.finds.naming import CauseNaming
from devices.search.graph_runner import PACK, GraphRunner
from devices.search.searching import Search, summary, write_summary
from devices.targets.profiles import parse
from ir_models import patterns
from reports.results.shared.options import path_of_option, positive_of_option, whole_of_option

CONFORMS, DEPARTS, INTERRUPTED = 0, 1, 130
_PROCESSES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Tests a device with graphs: first patterns that optimizers rewrite, varied by every factor that a rewriting "
        "may have forgotten, then random graphs. Graphs that depart are shrunk. The same --out continues an "
        "interrupted search. Departures with a known cause are counted and not shrunk. Exit code 0: nothing was "
        "found; 1: a graph departs although its layers conform alone, or departures are left to examine; 2: wrong "
        "usage; 130: Ctrl-C."
    )
    parser.add_argument("--device", default="CPU", help="any name that OpenVINO accepts, or CORE")
    parser.add_argument("--profile", default="accuracy", help="the device's settings")
    parser.add_argument(
        "--minutes", type=positive_of_option, metavar="N",
        help="time limit; without it all patterns are tested, and no random graphs",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_of_option(0), default=0, help="seed of random graphs (default: 0)"
    )
    parser.add_argument(
        "--pattern",
        nargs="+",
        action="extend",
        default=[],
        metavar="P",
        help="only these patterns",
    )
    parser.add_argument(
        "--operation", nargs="+", action="extend", default=[], metavar="O",
        help="only graphs with one of these operations, such as MatMul-1 or MatMul",
    )  # fmt: skip
    parser.add_argument(
        "--known", action="store_true",
        help="also shrink and list departures with a known cause",
    )  # fmt: skip
    parser.add_argument(
        "--only",
        choices=("patterns", "random"),
        help="only patterns, or only random graphs (default: both)",
    )
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="DIR",
        help="folder of the journal and the finds (default: results/search-DEVICE)",
    )
    parser.add_argument(
        "--timeout", type=positive_of_option, default=20.0, metavar="S",
        help="seconds for each of reading, compiling and inferring (default: 20)",
    )  # fmt: skip
    parser.add_argument(
        "--pack-size", type=whole_of_option(1), default=PACK, metavar="N",
        help=f"graphs in one model at most (default: {PACK})",
    )  # fmt: skip
    parser.add_argument(
        "--processes",
        type=whole_of_option(0),
        default=_PROCESSES,
        metavar="N",
        help=f"worker processes that make and test graphs (default: {_PROCESSES}; 0: none)",
    )
    own_build.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Search; return the exit code. Raises ValueError, OSError and NotOpenedError."""
    own_build.use(options.openvino, options.plugin)
    profile = parse(options.profile)
    profile.check_device(options.device)
    # No operation means any here.
    chosen = ir_models.select(options.operation) if options.operation else ()
    operations = sorted(each.name for each in chosen)
    patterns.select(options.pattern)
    if options.only == "random" and options.pattern:
        raise ValueError("--only random tests no pattern: leave out --pattern or --only")
    if options.only == "random" and options.minutes is None:
        raise ValueError("--only random needs --minutes")
    session = Session(options.device, profile, options.timeout)
    try:
        release = str(session.open_for_values().facts.get("openvino", ""))
        settings = {
            "device": options.device,
            "profile": options.profile,
            "openvino": release,
            "seed": options.seed,
            "patterns": sorted(options.pattern),
            "operations": operations,
            "known": options.known,
        }
        naming = None if options.known else CauseNaming(options.device, profile.name, release)
        name = "".join(c if c.isalnum() else "_" for c in options.device)
        journal = Journal(options.out or Path("results", f"search-{name}"), settings)
        journal.begin()
        search = Search(
            GraphRunner(session, options.pack_size, watches=True), journal, options.seed,
            options.pattern, operations, _progress(), naming, options.processes,
        )  # fmt: skip
        code = 0
        try:
            search.run(
                options.minutes,
                with_patterns=options.only != "random",
                with_random=options.only != "patterns",
            )
        except KeyboardInterrupt:
            session.discard()
            code = INTERRUPTED
        write_summary(journal, naming)
        if not code and not journal.done:
            raise ValueError(
                f"no graph was tested in {options.minutes:g} minutes: give more --minutes"
            )
    finally:
        session.close()
    print("\n".join(summary(journal, naming)))
    if journal.finds:
        print(f"\nfinds: {journal.folder / 'finds'}")
    return code or (DEPARTS if journal.finds or journal.waiting else CONFORMS)


def _progress() -> Callable[[str], None]:
    """Says how far it is, at most every ten seconds."""
    started, last = time.monotonic(), [-10.0]

    def report(message: str) -> None:
        now = time.monotonic() - started
        if now - last[0] >= 10:
            last[0] = now
            print(f"{now:5.0f} s  {message}", file=sys.stderr, flush=True)

    return report
