"""Values of command-line options: what ``argparse`` takes as their ``type``."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path


def path_of_option(text: str) -> Path:
    """The path that an option gives: an empty one would be the folder itself.

    A shell leaves the ``~`` of ``--option=~/folder`` as it is.
    """
    if not text:
        raise argparse.ArgumentTypeError("expected a path, got ''")
    return Path(text).expanduser()


def device_of_option(text: str) -> str:
    """The device that an option gives."""
    if not text:
        raise argparse.ArgumentTypeError("no device has an empty name")
    return text


def profile_of_option(text: str) -> str:
    """The profile that an option gives."""
    if not text:
        raise argparse.ArgumentTypeError("no profile has an empty name")
    return text


def positive_of_option(text: str) -> float:
    """The number above 0 that an option gives."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def whole_of_option(least: int, most: int = 10**9) -> Callable[[str], int]:
    """Return the reader of a whole number within limits."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or not least <= int(text[:20]) <= most:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least} on, got {text!r}"
            )
        return int(text)

    return read


def add_out_folder(parser: argparse.ArgumentParser, *, is_required: bool = True) -> None:
    """Declare the option of the folder that a command writes."""
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="DIR",
        required=is_required,
        help="the folder, made if missing",
    )
