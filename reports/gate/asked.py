"""Which cases a run asked, exactly: a set of case ids that is small in a file.

An id is kept as a token of five characters, 30 bits of its hash. An id that was asked is always in the set. One of
10 million others is in it as well: such a case counts as one that passed, and is red where it departs.

The tokens stand in rows, one for the cases of an operation that change one factor and one for those that change
several. A row is a line of text, so that a diff shows which operations were asked otherwise.
"""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ir_models.asking.id_parts import GRAPHS, pairs, segments

SINGLE, CROSSED = "single", "crossed"
"""The kinds of rows: cases of at most one factor off the plain layer in the usual way, and the others."""

_LENGTH = 5
AS_BASE = "="
"""In a file: the row, or all rows of the kind, of the baseline below. Tokens behind + are more, those behind ~ are not
asked."""
_MORE, _LESS = "+", "~"
_EVERY = "*"

Row = tuple[str, str]
"""The operation, and the kind of the row."""


def token_of(case: str) -> str:
    """Return the token of a case id."""
    digest = hashlib.blake2b(case.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return base64.urlsafe_b64encode(digest)[:_LENGTH].decode("ascii")


def row_of(case: str) -> Row:
    """Return the row that a case id is in; a text that is no id may have any."""
    try:
        (operation, purpose, _, parameters), how = segments(case)
    except ValueError:
        return case.partition("/")[0], CROSSED
    is_graph = purpose == GRAPHS
    factors = len(pairs(parameters)) if is_graph else _number_of(how) + (purpose != "plain")
    return operation, SINGLE if factors <= 1 else CROSSED


# There are few ways to ask, and many cases.
@lru_cache(4096)
def _number_of(how: str) -> int:
    return len(pairs(how))


# A decision asks for its case in each of several baselines, and several times: a run of depth single fits in.
@lru_cache(2**17)
def _place_of(case: str) -> tuple[Row, str]:
    return row_of(case), token_of(case)


@dataclass(frozen=True)
class AskedCases:
    """The cases that a run asked. ``rows`` has the tokens of each row, sorted and without a separator."""

    rows: Mapping[Row, str] = field(default_factory=dict)
    _tokens: dict[Row, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, cases: Iterable[str]) -> AskedCases:
        """Return the set of these case ids."""
        found: dict[Row, set[str]] = defaultdict(set)
        for case in cases:
            found[row_of(case)].add(token_of(case))
        return cls({row: "".join(sorted(tokens)) for row, tokens in found.items()})

    def __contains__(self, case: object) -> bool:
        if not isinstance(case, str):
            return False
        row, token = _place_of(case)
        return token in self._of(row)

    def __bool__(self) -> bool:
        return any(self.rows.values())

    def _of(self, row: Row) -> frozenset[str]:
        if row not in self._tokens:
            self._tokens[row] = frozenset(_split(self.rows.get(row, "")))
        return self._tokens[row]

    @property
    def number(self) -> int:
        """How many cases there are."""
        return sum(map(len, self.rows.values())) // _LENGTH

    @property
    def operations(self) -> frozenset[str]:
        """The operations that have a case."""
        return frozenset(operation for (operation, _), tokens in self.rows.items() if tokens)

    def joined(self, other: AskedCases) -> AskedCases:
        """Return the cases of both."""
        rows = {row: _text({*self._of(row), *other._of(row)}) for row in {*self.rows, *other.rows}}
        return AskedCases(rows)

    def without(self, cases: Iterable[str]) -> AskedCases:
        """Return the set without these case ids."""
        gone: dict[Row, set[str]] = defaultdict(set)
        for case in cases:
            gone[row_of(case)].add(token_of(case))
        rows = dict(self.rows)
        for row, tokens in gone.items():
            rows[row] = _text(self._of(row) - tokens)
        return AskedCases(rows)


def _split(tokens: str) -> list[str]:
    return [tokens[start : start + _LENGTH] for start in range(0, len(tokens), _LENGTH)]


def _text(tokens: Iterable[str]) -> str:
    return "".join(sorted(tokens))


# --- in a file ----------------------------------------------------------------------------------------------------


def to_text(asked: AskedCases, base: AskedCases | None = None) -> str:
    """Return the set as text, one row a line; of a baseline above another one the rows that differ from its own."""
    lines = []
    for kind in (SINGLE, CROSSED):
        below = {} if base is None else {r: t for r, t in base.rows.items() if r[1] == kind and t}
        own = {row: tokens for row, tokens in asked.rows.items() if row[1] == kind and tokens}
        texts = {row: _difference(own.get(row, ""), below.get(row, "")) for row in {*own, *below}}
        changed = {row: text for row, text in texts.items() if text != AS_BASE}
        as_base = [_line((_EVERY, kind), AS_BASE), *_lines(changed)]
        alone = _lines({row: texts[row] for row in own})
        lines += as_base if below and _size(as_base) < _size(alone) else alone
    return "".join(f"{line}\n" for line in lines)


def _difference(own: str, below: str) -> str:
    """The text of a row: its tokens, or how it differs from the row below where that is shorter."""
    tokens, others = set(_split(own)), set(_split(below))
    more, less = _text(tokens - others), _text(others - tokens)
    text = AS_BASE + (_MORE + more if more else "") + (_LESS + less if less else "")
    return text if below and len(text) < max(len(own), 1) + 1 else own


def _lines(rows: Mapping[Row, str]) -> list[str]:
    return [_line(row, tokens) for row, tokens in sorted(rows.items())]


def _line(row: Row, tokens: str) -> str:
    return "\t".join((*row, tokens))


def _size(lines: Iterable[str]) -> int:
    return sum(map(len, lines))


def from_lines(lines: Iterable[str], base: AskedCases | None = None) -> AskedCases:
    """Return the set that lines of a file say. Raises ValueError with the number of a wrong line.

    Two lines of one row are those of two branches: what either asked was asked.
    """
    below = {} if base is None else base.rows
    rows: dict[Row, str] = {}
    stated: dict[Row, str] = {}
    for number, line in enumerate(lines, 1):
        parts = line.split("\t")
        if len(parts) != 3 or not parts[0] or parts[1] not in (SINGLE, CROSSED):
            raise ValueError(
                f"line {number}: expected an operation, {SINGLE} or {CROSSED}, and tokens"
            )
        operation, kind, tokens = parts
        if operation == _EVERY:
            if tokens != AS_BASE:
                raise ValueError(f"line {number}: {_EVERY} goes with {AS_BASE} alone")
            rows |= {row: each for row, each in below.items() if row[1] == kind}
            continue
        row = operation, kind
        tokens = _joined(tokens, below.get(row, ""))
        if len(tokens) % _LENGTH:
            raise ValueError(f"line {number}: the tokens of {operation} are cut off")
        before = stated.get(row)
        stated[row] = tokens if before is None else _text({*_split(before), *_split(tokens)})
    return AskedCases({**rows, **stated})


def _joined(text: str, below: str) -> str:
    """The tokens that the text of a row says."""
    if not text.startswith(AS_BASE):
        return text
    more, _, less = text.removeprefix(AS_BASE).partition(_LESS)
    more = more.removeprefix(_MORE)
    if (len(more) + len(less)) % _LENGTH:
        return text
    return _text({*_split(below), *_split(more)} - {*_split(less)})
