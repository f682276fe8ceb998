"""Files beside the expectations that hold a line for each case: its id, and what is known of it, separated by tabs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from reports.expectation_files import ExpectationsError, paths_for

Known = TypeVar("Known")


def read(path: Path, parse: Callable[[str], Known], expected: str) -> dict[str, Known]:
    """Read a file; one that does not exist is empty. Raises ExpectationsError with the line.

    ``parse`` takes what follows the id and its tab, and raises ValueError where it is not as ``expected`` says.
    """
    found: dict[str, Known] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise ExpectationsError(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        case, _, rest = line.partition("\t")
        try:
            found[case] = parse(rest)
        except ValueError:
            raise ExpectationsError(f"{path}: line {number}: expected {expected}") from None
    return found


def read_for(
    device: str,
    directory: str | os.PathLike[str],
    suffix: str,
    load: Callable[[Path], dict[str, Known]],
) -> dict[str, Known]:
    """Return what is known of a device: its own file first, then those of the device whose kernels it runs."""
    found: dict[str, Known] = {}
    for path in reversed(paths_for(device, directory)):
        found |= load(path.with_suffix(suffix))
    return found
