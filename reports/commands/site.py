"""``python -m reports site``: a site of static files from any number of results."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from reports.results.shared.options import path_of_option, whole_of_option
from reports.results.shared.text import count, say
from reports.views.choosing import add_causes_argument
from reports.views.site import build
from reports.views.site.build import Ports


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports site``."""
    parser.description = (
        "Write a site of static files: what works where, by device, release, machine and profile. It opens from its "
        "folder, without a server and without a network. Results that the site already has are not read again. "
        "Runs whose results are not given are removed from the site, unless --keep is given. Join the shards of a run "
        "first, with `python -m reports merge`. Exit code: 0 written, 2 wrong usage or an unreadable file."
    )
    parser.add_argument(
        "results", nargs="+", type=Path, metavar="RESULTS", help="results files of runs"
    )
    parser.add_argument(
        "--out", type=path_of_option, required=True, metavar="DIR", help="the folder of the site"
    )
    parser.add_argument(
        "--keep",
        type=whole_of_option(1, 10**6 - 1),
        default=0,
        metavar="N",
        help="keep runs that the site has and whose results are not given: for each device, profile, machine and depth "
        "the N newest runs, and the newest run of each release",
    )
    add_causes_argument(parser)
    parser.add_argument(
        "--force", action="store_true", help="write into a folder that holds other files as well"
    )


def run(args: argparse.Namespace) -> int:
    """Write the site; return 0 however many cases depart."""
    declared: Ports | None = None
    with contextlib.suppress(ImportError):
        from ir_models import models as declared
    built = build(
        args.results, args.out, args.causes,
        keep=args.keep, force=args.force, say=say, declared=declared,
    )  # fmt: skip
    cases = count(sum(one.column.cases for one in built.columns), "case")
    print(
        f"{args.out / 'index.html'}: {count(len(built.columns), 'column')}, {cases}; "
        f"{count(built.written, 'results file')} read, {built.unchanged} unchanged, "
        f"{built.earlier} kept of earlier runs, {built.left_out} left out"
    )
    return 0
