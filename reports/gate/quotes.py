"""Whether causes quote the pages in the pages' words: the pages of the specification are not in this repository."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from reports.gate.causes import Cause

_QUOTE = re.compile(r"(?:^|(?<=[\s(:;,]))'(.+?)'(?=$|[\s.,;:)])")
"""What stands between quotes; an apostrophe inside a word ends none."""
_ROLE = re.compile(r":\w+:`([^`<]*?)(?:\s*<[^>]*>)?`")
_MARKUP = re.compile(r"[*`_\\\s]+")


def quotes_of(cause: Cause) -> list[str]:
    """Return the words of the page that a cause quotes; what an ellipsis parts is several."""
    found = _QUOTE.findall(cause.page)
    return [part for quote in found for part in re.split(r"\s*(?:\.\.\.|…)\s*", quote) if part]


def misquoted(causes: Iterable[Cause], pages: Path) -> list[tuple[str, str]]:
    """Return the causes and their quotes that no page below a folder has; markup and blanks do not count."""
    text = "\n".join(_bare(path.read_text("utf-8")) for path in sorted(pages.rglob("*.rst")))
    return [
        (cause.id, quote)
        for cause in causes
        for quote in quotes_of(cause)
        if _bare(quote) not in text
    ]


def _bare(text: str) -> str:
    return _MARKUP.sub("", _ROLE.sub(r"\1", text)).lower()
