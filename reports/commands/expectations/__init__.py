"""``python -m reports expectations``: update, check, date and show the known departures of a device."""

from __future__ import annotations

import argparse
from pathlib import Path

from reports.commands.expectations import check, show, since, update
from reports.expectation_files import DIRECTORY

ACTIONS = {"update": update, "check": check, "show": show, "since": since}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``python -m reports expectations`` and their options."""
    parser.description = "Keep the expectations of a device consistent with its results."
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, module in ACTIONS.items():
        action = actions.add_parser(name, help=module.HELP, description=module.DESCRIPTION)
        module.add_arguments(action)
        action.add_argument(
            "--directory",
            type=Path,
            default=DIRECTORY,
            help="directory of the expectations files (default: those of the suite)",
        )


def run(args: argparse.Namespace) -> int:
    """Run the action chosen."""
    code: int = ACTIONS[args.action].run(args)
    return code
