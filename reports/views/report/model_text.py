"""The XML of a model as readable lines."""

from __future__ import annotations

import re
from collections.abc import Iterable


def readable(xml: str) -> list[str]:
    """Return the lines of an XML text; without line breaks it is split at elements and indented."""
    if xml.count("\n") >= xml.count("<") / 8:
        return xml.splitlines()
    lines = []
    depth = 0
    # Dimensions stay on the line of their port.
    for line in re.sub(r">\s*<(?!/?dim\b|/port\b)", ">\n<", xml).splitlines():
        opened = len(re.findall(r"<[^/?!]", line))
        closed = len(re.findall(r"</|/>", line))
        depth -= line.startswith("</")
        lines.append("  " * max(depth, 0) + line)
        depth += opened - closed + line.startswith("</")
    return lines


def layer_lines(lines: Iterable[str], kind: str) -> tuple[int, int]:
    """Return the range of lines (first, end) of the layer of a type; (0, 0) if there is none."""
    opening = re.compile(rf"<layer\b[^>]*\btype=([\"']){re.escape(kind)}\1")
    first = None
    for n, line in enumerate(lines):
        if first is None and opening.search(line):
            first = n
        if first is not None and ("</layer>" in line or re.search(r"<layer\b[^>]*/>", line)):
            return first, n + 1
    return 0, 0
