"""How precise selectors are: the share of the cases that a selector admits which depart as it says.

A cause is a statement that can be false: "products with a batch of one are wrong" is false if most of them are right.
`reports.gate.causes.Causes.measure` measures the shares in a run, and a baseline keeps them in ``precision.tsv``::

    cause                       selector    admitted  departing
    empty-outputs-of-...        3f29ab01c7        12         12

A selector is known by the digest of its conditions, so that an edited one has no share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

NARROW = 0.9
"""The least share of a selector that is narrow: it may name a departure that no run has shown before."""

_HEADER = "cause\tselector\tadmitted\tdeparting"
_ROW = re.compile(r"([^\t ]+)\t([0-9a-f]{10})\t([1-9]\d*)\t(0|[1-9]\d*)")


class Share(NamedTuple):
    """How many cases the conditions on the case admit, and how many of these depart as the selector says."""

    admitted: int
    departing: int

    @property
    def share(self) -> float:
        """The share that departs, from 0 to 1."""
        return self.departing / self.admitted


def is_narrow(share: Share) -> bool:
    """Tell whether a selector names little that is right."""
    return share.share >= NARROW


def to_text(shares: Mapping[str, Share]) -> str:
    """Return shares by ``<cause> <key of the selector>`` as sorted rows."""
    rows = sorted((*name.split(), *map(str, share)) for name, share in shares.items())
    return "".join("\t".join(row) + "\n" for row in [_HEADER.split("\t"), *rows])


def from_text(text: str) -> dict[str, Share]:
    """Read the shares of a text. Raises ValueError with the number of the line."""
    found: dict[str, Share] = {}
    lines = text.split("\n")
    if lines[0] != _HEADER:
        raise ValueError(f"line 1: expected {_HEADER!r}")
    if lines.pop():
        raise ValueError(f"line {len(lines) + 1}: it is cut off")
    for number, row in enumerate(lines[1:], 2):
        match = _ROW.fullmatch(row)
        if match is None:
            raise ValueError(
                f"line {number}: expected a cause, a selector's key, and two counts with tabs between, got {row[:80]!r}"
            )
        name, share = f"{match[1]} {match[2]}", Share(int(match[3]), int(match[4]))
        if share.departing > share.admitted:
            raise ValueError(f"line {number}: {share.departing} of {share.admitted} cases depart")
        if name in found:
            raise ValueError(f"line {number}: a second line of {name}")
        found[name] = share
    return found
