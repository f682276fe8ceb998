"""``python -m reports claim``: a draft of what a device claims to run, from results."""

from __future__ import annotations

import argparse
import datetime

from reports.results.records import ResultsError
from reports.results.shared.options import device_of_option, path_of_option, profile_of_option
from reports.support import claims
from reports.support.sources import read
from reports.views.documents import add_out_arguments, put


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports claim``."""
    parser.description = (
        "Draft a file of claims: the operations, types, ranks and the like that conformed in a run, and a waiver for "
        "each known cause of what departs inside them, or departs outside and is not a refusal. A person edits it; "
        "`pytest tests/conformance --claims FILE` holds the device to it. Exit code: 0 written, 2 wrong usage or a "
        "file that cannot be used."
    )
    parser.add_argument("sources", nargs="+", type=path_of_option, metavar="RESULTS",
                        help="results files of one device, or the folder of a baseline")  # fmt: skip
    parser.add_argument("--device", type=device_of_option, help="only this device")
    parser.add_argument("--profile", type=profile_of_option, help="only this profile of it")
    add_out_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the draft."""
    try:
        from ir_models import models
    except ImportError as error:
        raise ResultsError(f"claims need {error.name}: pip install '.[run]'") from None
    found = [
        each
        for each in read(args.sources, models)
        if args.device in (None, each.support.device)
        and args.profile in (None, each.support.profile)
    ]
    if len(found) != 1 or not found[0].cases:
        there = ", ".join(each.support.title for each in found) or "none"
        raise ResultsError(
            f"claims describe one device and profile, got {there}: choose with --device and --profile"
        )
    put(claims.draft(found[0], datetime.date.today()), args)
    return 0
