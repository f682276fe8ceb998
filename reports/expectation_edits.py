"""Expectations files edited: entries removed and added, all other text unchanged."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from reports.expectation_files import ExpectationsError
from reports.inference import selectors
from reports.outcomes import Outcome
from reports.records import CaseRecord
from reports.selectors import Selector
from reports.text import printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class RootCause:
    """What a person says of a root cause; see ``reports.expectations``."""

    id: str
    title: str
    kind: str
    page: str = ""
    since: str = ""
    link: str = ""
    unstable: str = ""


def new_entry(
    cause: RootCause,
    departures: Sequence[CaseRecord],
    others: Sequence[CaseRecord],
    profiles: set[str],
    when: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the TOML of an entry that covers these departures and none of the others.

    `others` are the cases that conform, and departures that this root cause does not explain.

    A departure that occurs in only some of the `profiles` of the run is expected only in those. `when` limits all of
    them to some runs: see `reports.expectations`.
    """
    where: dict[tuple[str, Outcome, str], set[str]] = defaultdict(set)
    for record in departures:
        where[record.case, record.outcome, kind_of_detail(record)].add(record.profile)
    groups: dict[tuple[Outcome, str, tuple[str, ...]], dict[str, CaseRecord]] = defaultdict(dict)
    for record in departures:
        kind = kind_of_detail(record)
        shown_in = where[record.case, record.outcome, kind]
        condition = () if shown_in == profiles else tuple(sorted(shown_in))
        groups[record.outcome, kind, condition][record.case] = record
    covers = tomlkit.array()
    for (outcome, detail, condition), records in sorted(
        groups.items(), key=lambda g: g[0][0].badness
    ):
        apart = [one for one in others if not condition or one.profile in condition]
        for selector in selectors(list(records.values()), apart):
            limits = {**({"profile": condition} if condition else {}), **(when or {})}
            covers.append(_cover_toml(selector, outcome, detail, limits))
    table = tomlkit.table()
    table["id"], table["title"], table["class"] = cause.id, cause.title, cause.kind
    for name in ("page", "since"):
        if getattr(cause, name):
            table[name] = getattr(cause, name)
    table["smallest"] = _printable_pattern(
        min((r.case for r in departures), key=lambda c: (len(c), c))
    )
    for name in ("link", "unstable"):
        if getattr(cause, name):
            table[name] = getattr(cause, name)
    table["covers"] = covers.multiline(True)
    entries = tomlkit.aot()
    entries.append(table)
    document = tomlkit.document()
    document["expect"] = entries
    return tomlkit.dumps(document)


def kind_of_detail(record: CaseRecord) -> str:
    """Return a pattern for the detail of results that are wrong in the same way; "" for any."""
    if record.outcome == Outcome.REFUSED:
        stage = record.detail.partition(":")[0]
        return f"{stage}: *" if stage.startswith("at ") else ""
    if record.outcome == Outcome.FAIL:
        return next((f"*{words}*" for words in _KINDS if words in record.detail), "")
    return ""


# How a failure says what is wrong; the first that is in the detail.
_KINDS = (
    " wrong",
    "type inferred",
    "shape inferred",
    "shape is",
    "type is",
    " errors is ",
    "p-value",
)


def _cover_toml(
    selector: Selector, outcome: Outcome, detail: str, limits: Mapping[str, Sequence[str]]
) -> InlineTable:
    cover = tomlkit.inline_table()
    tables: dict[str, InlineTable] = {}
    for name, patterns in selector.conditions.items():
        table, dot, key = name.partition(".")
        if dot:
            tables.setdefault(table, tomlkit.inline_table())[key] = _texts(patterns)
        else:
            cover[name] = _texts(patterns)
    for name, inner in tables.items():
        cover[name] = inner
    if selector.cases:
        cover["case"] = _texts([_printable_pattern(case) for case in selector.cases])
    cover["outcome"] = str(outcome)
    if detail:
        cover["detail"] = detail
    if limits:
        when = tomlkit.inline_table()
        for fact, texts in limits.items():
            when[fact] = _texts(texts)
        cover["when"] = when
    return cover


def _texts(values: Sequence[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _printable_pattern(case: str) -> str:
    # A lone surrogate cannot stand in a file; a pattern can match any one character.
    return re.sub(r"[\ud800-\udfff]", "?", case)


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


def dated(text: str, path: Path, since: Mapping[str, str]) -> str:
    """Return a file's text with ``since`` written into entries by id; all else is unchanged.

    Raises ExpectationsError if the text cannot be split into entries.
    """
    preamble, blocks = _blocks(text, path)
    return preamble + "".join(_dated(block, since) for block in blocks)


_SINCE = re.compile(r"^since = .*$", re.MULTILINE)
_ABOVE_SINCE = re.compile(r"^(?:page|class) = .*$", re.MULTILINE)


def _dated(block: str, since: Mapping[str, str]) -> str:
    (entry,) = tomllib.loads(block)["expect"]
    release = since.get(entry["id"])
    if release is None:
        return block
    line = f'since = "{release}"'
    if "since" in entry:
        return _SINCE.sub(line, block, count=1)
    above = list(_ABOVE_SINCE.finditer(block))[-1].end()
    return f"{block[:above]}\n{line}{block[above:]}"


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
