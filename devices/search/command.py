"""``python -m devices search``: graphs that a device gets wrong, each shrunk to the smallest."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ir_models
from devices import own_build
from devices.opening import NotOpenedError
from devices.profiles import ProfileError, parse
from devices.search.asking import PACK, Asking
from devices.search.journal import Journal, JournalError
from devices.search.naming import Naming
from devices.search.searching import Search, summary, write_summary
from devices.session import Session
from ir_models import UnknownOperationError, patterns
from reports.files import path_of_option, positive_of_option
from reports.gate.causes import CauseError

CONFORMS, DEPARTS, CANNOT, INTERRUPTED = 0, 1, 2, 130
_PROCESSES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Asks a device about graphs: patterns that optimizers rewrite, with every factor that a rewriting may have "
        "forgotten, then random graphs. What departs is shrunk. The same folder goes on with a search. "
        "What a cause of the suite names is counted, and not shrunk. "
        "A tenth of the time and a fifth of what is before follow what departs; what is left then waits for the same "
        "command. Exit code 0: no other graph departs whose layers conform alone; 1: one does, or some departure "
        "waits; 2: wrong usage."
    )
    parser.add_argument("--device", default="CPU", help="any name that OpenVINO accepts, or CORE")
    parser.add_argument("--profile", default="accuracy", help="the device's settings")
    parser.add_argument(
        "--minutes", type=positive_of_option, metavar="N",
        help="how long; without it all patterns are asked, and no random graph",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of random graphs (default: 0)")
    parser.add_argument(
        "--pattern", nargs="+", default=[], metavar="P", help="these patterns, by name"
    )
    parser.add_argument(
        "--operation", nargs="+", default=[], metavar="O",
        help="graphs with one of these, such as MatMul-1 or MatMul",
    )  # fmt: skip
    parser.add_argument(
        "--known", action="store_true",
        help="find and tell also what a cause of the suite names, which is counted otherwise",
    )  # fmt: skip
    parser.add_argument("--only", choices=("patterns", "random"), help="one of both")
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="DIR",
        help="journal and finds (default: results/search-DEVICE)",
    )
    parser.add_argument(
        "--timeout", type=positive_of_option, default=20.0, help="seconds for a stage"
    )
    parser.add_argument("--pack-size", type=int, default=PACK, metavar="N")
    parser.add_argument(
        "--processes",
        type=int,
        default=_PROCESSES,
        metavar="N",
        help=f"that draw and ask, beside the one that follows departures (default {_PROCESSES})",
    )
    parser.add_argument("--openvino", metavar="DIR", help="an OpenVINO of your own")
    parser.add_argument("--plugin", action="append", default=[], metavar="NAME=LIBRARY")


def run(options: argparse.Namespace) -> int:
    """Search; return the exit code."""
    try:
        own_build.use(options.openvino, options.plugin)
        profile = parse(options.profile)
        profile.check_device(options.device)
        operations = sorted(
            {each.name for name in options.operation for each in ir_models.select([name])}
        )
        patterns.select(options.pattern)
        if options.only == "random" and options.minutes is None:
            raise ValueError("random graphs are asked for some time: give --minutes")
        if options.pack_size < 1:
            raise ValueError("--pack-size is 1 at least")
        if options.processes < 0:
            raise ValueError("--processes is 0 at least")
    except (own_build.OwnBuildError, ProfileError, UnknownOperationError, ValueError) as error:
        return _cannot(error)
    session = Session(options.device, profile, options.timeout)
    try:
        release = str(session.open().facts.get("openvino", ""))
        settings = {
            "device": options.device,
            "profile": options.profile,
            "openvino": release,
            "seed": options.seed,
            "patterns": sorted(options.pattern),
            "operations": operations,
            "known": options.known,
        }
        naming = None if options.known else Naming(options.device, profile.name, release)
        name = "".join(c if c.isalnum() else "_" for c in options.device)
        journal = Journal(options.out or Path("results", f"search-{name}"), settings)
        journal.begin()
        search = Search(
            Asking(session, options.pack_size), journal, options.seed,
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
    except (NotOpenedError, JournalError, CauseError, OSError) as error:
        return _cannot(error)
    finally:
        session.close()
    print("\n".join(summary(journal, naming)))
    print(f"\nfinds: {journal.folder / 'finds'}")
    return code or (DEPARTS if journal.finds or journal.waiting else CONFORMS)


def _cannot(error: Exception) -> int:
    print(f"python -m devices search: {error}", file=sys.stderr)
    return CANNOT


def _progress() -> Callable[[str], None]:
    """Says how far it is, at most every ten seconds."""
    started, last = time.monotonic(), [-10.0]

    def report(message: str) -> None:
        now = time.monotonic() - started
        if now - last[0] >= 10:
            last[0] = now
            print(f"{now:5.0f} s  {message}", file=sys.stderr, flush=True)

    return report
