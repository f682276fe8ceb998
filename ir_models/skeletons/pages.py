"""Reads what a specification page (reStructuredText) states in its regular parts.

Attributes with type, default, range and whether they are required; inputs with name, type variable, shape and rank;
outputs; type variables; XML examples with their port ids. Pages are written by many hands, so that each part is read
for itself, and what is not understood is left empty.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace


class PageError(ValueError):
    """The text is no page of an operation."""


@dataclass(frozen=True)
class PageAttribute:
    """One attribute; ``kind`` is the page's type in plain letters, ``values`` the strings that it allows.

    ``allowed`` is what the page says of its values, in one line.
    """

    name: str
    kind: str = ""
    default: str = ""
    is_required: bool = False
    least: int | None = None
    values: tuple[str, ...] = ()
    allowed: str = ""


@dataclass(frozen=True)
class PagePort:
    """One input or output; ``shapes`` in the page's names, ``ranks`` the least and the most.

    Where there are several shapes, the page says when it has which.
    """

    name: str
    type_variable: str = ""
    shapes: tuple[str, ...] = ()
    ranks: tuple[int, int] | None = None
    is_optional: bool = False

    @property
    def shape(self) -> str:
        """The first shape, "" if there is none."""
        return self.shapes[0] if self.shapes else ""


@dataclass(frozen=True)
class PageExample:
    """One XML example: attributes, shapes by port id, and numbers that a comment prints in an input port.

    ``type`` is that of its layer, "" if it has none.
    """

    type: str
    attributes: dict[str, str]
    inputs: list[tuple[int, tuple[int, ...] | None, str]]
    outputs: list[tuple[int, tuple[int, ...] | None]]


@dataclass(frozen=True)
class Page:
    """What a page states."""

    name: str
    about: str
    attributes: list[PageAttribute] = field(default_factory=list)
    inputs: list[PagePort] = field(default_factory=list)
    outputs: list[PagePort] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    examples: list[PageExample] = field(default_factory=list)
    is_internal: bool = False


def read(text: str) -> Page:
    """The page of a text. Raises PageError for one without a versioned name.

    The name of an internal operation, which is in no operation set, has no version; it is taken for version 1.
    """
    named = re.search(r"\*\*Versioned name\s*:?\s*\*\*\s*:?\s*[*`]*(\w+(?:-\d+)?)", text)
    if not named:
        raise PageError("no versioned name such as *Gather-8*: this is not a page of an operation")
    is_internal = "-" not in named[1]
    parts = _parts(text)
    name = f"{named[1]}-1" if is_internal else named[1]
    return Page(
        name,
        name.rpartition("-")[0],
        list(_attributes(parts.get("attributes", ""))),
        _ports(parts.get("inputs", "")),
        _ports(parts.get("outputs", "")),
        dict(_types(parts.get("types", ""))),
        list(_examples(text)),
        is_internal,
    )


def _parts(text: str) -> dict[str, str]:
    """The text below each bold heading that a page has."""
    heading = re.compile(
        r"^\*\*(Attributes|Inputs?|Outputs?|Types|Examples?)\*\*\s*:?", re.M | re.I
    )
    found = list(heading.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    parts: dict[str, str] = {}
    for match, end in zip(found, ends, strict=False):
        name = match[1].lower()
        parts.setdefault(name if name.endswith("s") else name + "s", text[match.end() : end])
    return parts


def _items(text: str) -> list[str]:
    """The numbered items of a list of inputs or outputs, each in one line."""
    starts = [match.start() for match in re.finditer(r"^\*\s+\*\*\d+\*\*", text, re.M)]
    ends = [*starts[1:], len(text)]
    return [" ".join(text[a:b].split()) for a, b in zip(starts, ends, strict=False)]


def _ports(text: str) -> list[PagePort]:
    """The ports of a list; a name that comes again, as for alternatives, has a number."""
    found: list[PagePort] = []
    for number, item in enumerate(_items(text)):
        port = _port(item, number)
        if keyword.iskeyword(port.name) or any(port.name == other.name for other in found):
            port = replace(port, name=f"{port.name}_{number}")
        found.append(port)
    return found


def _port(item: str, number: int) -> PagePort:
    body = re.sub(r"^\* \*\*\d+\*\*\s*:?\s*", "", item)
    named = re.match(r'(?:``|\*|"|`)?(\w+)(?:``|\*|"|`)?\s*[-–:]\s', body)
    # Some pages have the name among the first words: "a ``shift`` scalar or 1D tensor of type ...".
    within = re.match(r"(?:\w+\s+){0,4}``([a-z]\w*)``(?!\s+(?:tensor)?\.)", body)
    variable = re.search(r"\btypes?\s+[*`]*(T\w*)|[*`](T\w*)[*`]+\s+type\b", body)
    name = named[1] if named and not named[1].isdecimal() else ""
    return PagePort(
        name or (within[1] if within else f"input_{number}"),
        (variable[1] or variable[2]) if variable else "",
        tuple(_shapes(body)),
        _ranks(body),
        bool(re.search(r"optional", body, re.I)) and "**Required" not in body,
    )


_SIZE = re.compile(r"[A-Za-z_0-9*+() -]+")
# Lists of values stand in brackets too: intervals, axes, corners of boxes.
_NO_SIZE = re.compile(r"-?0|-.*|[xy](_|min|max|[0-9]).*")


def _shapes(body: str) -> list[str]:
    found = re.findall(r"``\[([^\]]*)\]``|shape\s+`?\[([^\]]*)\]", body)
    shapes = []
    for inside in (one or other for one, other in found):
        sizes = [re.sub(r"\s*([*+-])\s*", r"\1", part.strip(" `")) for part in inside.split(",")]
        known = all(map(_SIZE.fullmatch, sizes)) and not any(map(_NO_SIZE.fullmatch, sizes))
        shapes.append(", ".join(sizes) if inside and known else "")
    # What the first brackets hold decides whether there is a shape: later ones may be values.
    return list(dict.fromkeys(filter(None, shapes))) if shapes and shapes[0] else []


def _ranks(body: str) -> tuple[int, int] | None:
    if re.search(r"\bscalar or (?:a )?1D|\b1D tensor or (?:a )?scalar|0D or 1D", body):
        return 0, 1
    if found := re.search(r"\b(\d)D\b", body):
        return int(found[1]), int(found[1])
    if found := re.search(r"rank\s+(\d)(?:\s*,\s*\d)*\s*(?:or|and)\s*(\d)", body):
        return int(found[1]), int(found[2])
    if found := re.search(r"rank\s+(\d)\b", body):
        return int(found[1]), int(found[1])
    return (0, 0) if re.search(r"\bscalar\b", body) else None


def _attributes(text: str) -> Iterator[PageAttribute]:
    starts = list(re.finditer(r"^\*\s+\*([\w, -]+)\*\s*$", text, re.M))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        body = text[match.end() : end]
        facts = {
            key.lower(): " ".join(value.split())
            for key, value in re.findall(
                r"\*\*([A-Z][\w ]+)\*\*\s*:?((?:(?!^\s*\*\s+\*\*).)*)", body, re.M | re.S
            )
        }
        values = facts.get("range of values", "")
        kind = re.sub(r"[*`\"]", "", facts.get("type", "")).strip().lower()
        for name in match[1].split(","):
            yield PageAttribute(
                name.strip().replace("-", "_"),
                kind,
                _default(facts.get("default value", ""), "strings" in kind),
                "yes" in facts.get("required", "").lower(),
                _least(values),
                _strings(body),
                re.sub(r"[*`\"]", "", values).strip(),
            )


# What stands between marks: ``-1``, *floor*, "numpy".
_MARKED = re.compile(r"``([^`]+)``|`([^`]+)`|\*([^*]+)\*|\"([^\"]+)\"")


def _default(text: str, is_of_strings: bool) -> str:
    """A default without what explains it: ``-1`` meaning all; *sigmoid* for f, *tanh* for g."""
    marked = [next(filter(None, found)) for found in _MARKED.findall(text)]
    if not marked or not _MARKED.match(text):
        return re.sub(r"[*`\"]", "", text).strip()
    return ", ".join(marked) if is_of_strings else marked[0].strip()


def _least(values: str) -> int | None:
    if found := re.search(
        r"starting from ``?(\d+)|starting from (\d+)|greater than or equal to (\d+)", values
    ):
        return int(next(group for group in found.groups() if group))
    if re.search(r"non-negative", values):
        return 0
    return 1 if re.search(r"positive integer", values) else None


# What an attribute's own items are called.
_FACTS = ("Description", "Range", "Type", "Default", "Required", "Note")


def _strings(body: str) -> tuple[str, ...]:
    """The strings of an enumeration: items of its own list, or quoted in its range."""
    listed = re.findall(r"^\s+\*\s+[*`\"]{1,2}([a-zA-Z]\w*)[*`\"]{1,2}\s*[-–:]", body, re.M)
    listed = [name for name in listed if name not in _FACTS]
    if listed:
        return tuple(dict.fromkeys(listed))
    ranged = re.search(r"\*\*Range of values\*\*(.*?)(?=^\s*\*\s+\*\*|\Z)", body, re.M | re.S)
    if ranged and (bare := re.findall(r"^\s+\*\s+(\w+)\s+[-–]\s", ranged[1], re.M)):
        return tuple(dict.fromkeys(bare))
    allowed = re.search(r"\*\*Range of values\*\*\s*:?([^\n]*)", body)
    return tuple(
        dict.fromkeys(
            re.findall(r'[*`"]{1,2}([a-zA-Z]\w*)[*`"]{1,2}', allowed[1] if allowed else "")
        )
    )


def _types(text: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"^\*\s+[*`]+(\w+)[*`]+\s*[:-]\s*([^\n]*)", text, re.M):
        yield match[1], match[2].strip()


# --- examples -----------------------------------------------------------------------------------------------------


def _examples(text: str) -> Iterator[PageExample]:
    for block in re.findall(r"<layer\b.*?</layer>", text, re.S):
        data = re.search(r"<data\b([^>]*?)/?>", block, re.S)
        attributes = dict(re.findall(r'([\w-]+)\s*=\s*"([^"]*)"', data[1])) if data else {}
        given = re.search(r"<input>(.*?)</input>", block, re.S)
        taken = re.search(r"<output>(.*)", block, re.S)
        inputs = [
            (number, shape, value) for number, shape, value in _xml_ports(given[1] if given else "")
        ]
        outputs = [(number, shape) for number, shape, _ in _xml_ports(taken[1] if taken else "")]
        kind = re.search(r'<layer\b[^>]*?\btype\s*=\s*"(\w+)"', block)
        yield PageExample(kind[1] if kind else "", attributes, inputs, outputs)


def _xml_ports(text: str) -> Iterator[tuple[int, tuple[int, ...] | None, str]]:
    """(id, shape or None where it is not of numbers, numbers in its comment) of each port."""
    for found in re.finditer(
        r'<port\s+id="(\d+)"[^>]*?(?:/>|>(.*?)(?:</port>|(?=<port)|$))', text, re.S
    ):
        body = found[2] or ""
        dims = re.findall(r"<dim>\s*([^<]*?)\s*</dim>", re.sub(r"<!--.*?-->", "", body, flags=re.S))
        comment = re.search(r"<!--(.*?)-->", body, re.S)
        printed = (
            re.search(r"\[?\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\]?", comment[1]) if comment else None
        )
        shape = tuple(int(d) for d in dims) if all(d.isdecimal() for d in dims) else None
        yield int(found[1]), shape, re.sub(r"\s", "", printed[1]) if printed else ""
