"""Text escaped for a terminal, for Markdown and for a line of a table.

Case ids, details and reasons come from files and from devices' exceptions. Newlines,
terminal escapes, table bars and HTML in them are shown as text.
"""

from __future__ import annotations

import re
import sys


def printable(text: str) -> str:
    r"""Return `text` as one line that any terminal shows as it is: ``\n`` and the like escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def trim(text: str, width: int) -> str:
    """Return `text` in at most `width` characters, with an ellipsis where it was cut."""
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def wrapped(text: str, width: int) -> list[str]:
    """Return `text` as lines of at most `width` characters, broken at spaces, else after ``/ ; , _``, else anywhere."""
    lines = []
    while len(text) > width:
        place = text.rfind(" ", width // 3, width + 1)
        if place < 0:
            place = max(text.rfind(mark, width // 3, width) for mark in "/;,_") + 1
        place = place if place > 0 else width
        lines.append(text[:place].rstrip())
        text = text[place:].lstrip()
    return [*lines, text] if text or not lines else lines


_FRACTION = re.compile(r"(?<![\w.])-?(?=\d+[.e])(\d+(?:\.\d+)?)(?:e[+-]?\d+)?(?!\w|\.\d)")


def rounded(text: str) -> str:
    """Return `text` with 6 significant digits of each fraction in it, or as many more as tell them apart."""
    numbers = {float(found[0]) for found in _FRACTION.finditer(text)}
    digits = 6
    while digits < 17 and len({f"{number:.{digits}g}" for number in numbers}) < len(numbers):
        digits += 1

    def short(found: re.Match[str]) -> str:
        has_more = len(found[1].replace(".", "").lstrip("0")) > digits
        return f"{float(found[0]):.{digits}g}" if has_more else found[0]

    return _FRACTION.sub(short, text)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 case``, ``4,213 cases``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listing(items: list[str]) -> str:
    """Return items as a phrase: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1]))) if items else ""


def markdown(text: str) -> str:
    """Return `text` as Markdown that shows exactly it, in a table's cell too."""
    escaped = re.sub(r"([\\`*_\[\]|~#!$])", r"\\\1", printable(text))
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # What would start a list, or be a rule, at the beginning of a line.
    return re.sub(r"^(\d*)([-+=.)])(?=\s|$)", r"\1\\\2", escaped)


def markdown_code(text: str) -> str:
    """Return `text` as Markdown code that shows exactly it, in a table's cell too."""
    text = printable(text)
    if not text:
        return ""
    if not re.search(r"[`|\\]|^\s|\s$", text):
        return f"`{text}`"
    # No fence of backticks survives these in a table, but entities in an element do.
    special = re.sub(r"[^\w\s,;:=/.()-]|_", lambda found: f"&#{ord(found[0])};", text)
    return f"<code>{special}</code>"


def say(text: str) -> None:
    """Print one line about the work to standard error, where it is in no report's way."""
    print(printable(text), file=sys.stderr)
