"""Expectations files edited: entries removed and added, all other text unchanged."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomlkit

from reports.expectation_files import ExpectationsError
from reports.outcomes import Outcome
from reports.records import CaseRecord
from reports.text import printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def new_entries(
    departures: Iterable[CaseRecord],
    profiles: set[str],
    reason: str,
    link: str | None = None,
) -> list[str]:
    """Return the TOML of entries that cover these departures, one for each operation and outcome.

    A departure that occurs in only some of the `profiles` of the run is expected only in those.
    """
    where: dict[tuple[str, Outcome, str], set[str]] = defaultdict(set)
    for record in departures:
        where[record.operation, record.outcome, record.case].add(record.profile)
    groups: dict[tuple[str, Outcome, tuple[str, ...]], list[str]] = defaultdict(list)
    for operation, outcome, case in sorted(where):
        shown_in = where[operation, outcome, case]
        condition = () if shown_in == profiles else tuple(sorted(shown_in))
        groups[operation, outcome, condition].append(case)
    return [
        _entry_toml(cases, outcome, condition, reason, link)
        for (_, outcome, condition), cases in groups.items()
    ]


def _entry_toml(
    cases: Sequence[str],
    outcome: Outcome,
    profiles: Sequence[str],
    reason: str,
    link: str | None,
) -> str:
    table = tomlkit.table()
    # A lone surrogate cannot stand in a file; a pattern can match any one character.
    patterns = [re.sub(r"[\ud800-\udfff]", "?", case) for case in cases]
    if len(patterns) == 1:
        table["case"] = patterns[0]
    else:
        array = tomlkit.array()
        array.extend(patterns)
        table["case"] = array.multiline(True)
    table["outcome"] = str(outcome)
    if profiles:
        when = tomlkit.inline_table()
        when["profile"] = profiles[0] if len(profiles) == 1 else list(profiles)
        table["when"] = when
    table["reason"] = reason
    if link:
        table["link"] = link
    entries = tomlkit.aot()
    entries.append(table)
    document = tomlkit.document()
    document["expect"] = entries
    return tomlkit.dumps(document)


def rewrite(text: str, path: Path, removed: set[int], added: Sequence[str]) -> str:
    """Return a file's text with entries removed and others added; the rest is unchanged.

    `removed` are the numbers of entries, `added` is TOML for the end of the file. The comment
    directly above a removed entry is removed with it. Raises ExpectationsError if the text cannot
    be split into entries.
    """
    preamble, blocks = _blocks(text, path)
    kept = [
        _comments_below(block) if number in removed else block
        for number, block in enumerate(blocks, 1)
    ]
    text = preamble + "".join(kept)
    if not added:
        return text
    above = text.rstrip("\r\n")
    return "\n\n".join([above] * bool(above) + [toml.rstrip("\n") for toml in added]) + "\n"


_HEADER = re.compile(r"[ \t]*\[\[[ \t]*expect[ \t]*\]\][ \t]*(#.*)?\r?")


def _blocks(text: str, path: Path) -> tuple[str, list[str]]:
    """Split a file into the text above the entries, and each entry with the text that follows.

    Comments directly above an entry belong to it, except those at the very top of the file.
    """
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    starts = []
    for number, line in enumerate(lines):
        if _HEADER.fullmatch(line.rstrip("\n")):
            start = number
            while start > 0 and lines[start - 1].lstrip().startswith("#"):
                start -= 1
            starts.append(start if start > 0 else number)
    preamble = "".join(lines[: starts[0]] if starts else lines)
    blocks = ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]
    # A line inside a multi-line text may look like an entry's header.
    tables = tomllib.loads(text).get("expect", [])
    if [_parsed(block) for block in (preamble, *blocks)] != [
        {},
        *({"expect": [table]} for table in tables),
    ]:
        raise ExpectationsError(
            f"{path}: cannot be rewritten: write each entry as a table of its own, "
            f"under [[expect]] on a line by itself"
        )
    return preamble, blocks


def _parsed(block: str) -> dict[str, Any] | None:
    try:
        parsed: dict[str, Any] = tomllib.loads(block)
    except tomllib.TOMLDecodeError:
        return None
    return parsed


def _comments_below(block: str) -> str:
    """Return the comments after an entry, which do not belong to it."""
    lines = block.split("\n")
    last = max(
        number for number, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"
    )
    below = "\n".join(lines[last + 1 :]).lstrip("\n")
    return below if below.strip() else ""


def text_of(path: Path, device: str) -> str:
    """Return the file's text; for a file that does not exist, how it starts."""
    if path.exists():
        return path.read_bytes().decode("utf-8")
    return (
        f"# The known departures of {printable(device)}. "
        "The docstring of reports/expectations.py describes the format.\n"
    )
