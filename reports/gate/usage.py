"""Who meets a cause: in how many models, of those that packages ship, a layer is that it concerns.

``models.tsv`` of the folder ``reports/usage`` lists the models, which are not in this repository; ``causes.tsv`` has
the counts, as `python -m reports usage` measured them::

    cause               sure    possible  seen
    batch-size-of-0        3          12     1

``rare.toml`` has what models do not have of single operations, as the converters of frameworks write them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from reports.gate.causes import Causes
from reports.gate.precision import Share, is_narrow
from reports.gate.selectors import Features, Selector
from reports.results.shared import toml

DIRECTORY = Path(__file__).parents[1] / "usage"
MODELS, COUNTS, RARE = "models.tsv", "causes.tsv", "rare.toml"
_MODELS_HEAD = ("model", "package", "version", "licence")
_COUNTS_HEAD = ("cause", "sure", "possible", "seen")

POSSIBLE = 0.05
"""The least share of the cases that a selector admits which depart, for a layer that it admits to be concerned."""
_USUAL = ("plain", "type", "rank", "random", "model")
"""The purposes of cases whose layers are like those of models."""


class PackagedModel(NamedTuple):
    """A model that a package ships."""

    name: str
    package: str
    version: str
    licence: str


class Usage(NamedTuple):
    """The numbers of models of one cause."""

    sure: int = 0
    """At least 90% of the cases like one of their layers depart so, or it was seen there."""
    possible: int = 0
    """At least 5% do."""
    seen: int = 0
    """`python -m devices model` named it in them."""


class Rare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What models do not have, by types of operations."""

    of_fractions: frozenset[str]
    """They take no integers."""
    of_constants: frozenset[str]
    """Their index inputs are constants."""
    valid_with_any_data: frozenset[str]
    """No data that come at run time make their layers invalid."""
    replaced: frozenset[str]
    """Versions of operations that converters no longer write."""
    constant: Mapping[str, list[str]]
    """Data inputs that are constants."""
    zero: Mapping[str, list[str]]
    """Attributes that are 0."""
    whole: Mapping[str, list[str]]
    """Attributes that are whole numbers where the data are integers."""
    written: Mapping[str, frozenset[str]]
    """Attributes that every layer has, by operations."""
    factors: Mapping[str, frozenset[str]]
    """Factors that no model has, by operations and patterns: ``name``, or ``name=level`` of one level."""


@cache
def models() -> list[PackagedModel]:
    """Return the list of models. Raises ValueError."""
    return [PackagedModel(*row) for row in _rows(DIRECTORY / MODELS, _MODELS_HEAD)]


@cache
def counts(folder: Path = DIRECTORY) -> dict[str, Usage]:
    """Return the counts by the ids of causes; of one that is not there no model has a layer. Raises ValueError."""
    return {
        name: Usage(*map(int, numbers)) for name, *numbers in _rows(folder / COUNTS, _COUNTS_HEAD)
    }


@cache
def rare() -> Rare:
    """Return what models do not have. Raises ValueError."""
    return msgspec.convert(toml.loads((DIRECTORY / RARE).read_text("utf-8")), Rare)


def to_text(found: Mapping[str, Usage]) -> str:
    """Return counts as sorted rows."""
    rows = sorted((name, *map(str, one)) for name, one in found.items() if any(one))
    return "".join("\t".join(row) + "\n" for row in [_COUNTS_HEAD, *rows])


def _rows(path: Path, head: tuple[str, ...]) -> list[list[str]]:
    lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    if not lines or tuple(lines[0]) != head:
        raise ValueError(f"{path}: the first line must be {' '.join(head)!r}, with tabs")
    for number, row in enumerate(lines[1:], 2):
        if len(row) != len(head) or not all(row):
            raise ValueError(f"{path}, line {number}: expected {len(head)} columns")
    return lines[1:]


def concerning(
    layers: Iterable[Features], known: Causes, shares: Mapping[str, Share]
) -> tuple[set[str], set[str]]:
    """Return the causes that concern a layer of a model for sure, and those that may: see `Usage`.

    The kernel of a layer that nobody ran is not known. What only invalid, empty or special data show is left out.
    """
    sure: set[str] = set()
    possible: set[str] = set()
    by_operation: dict[tuple[str, ...], list[tuple[str, Selector]]] = {}
    for layer in layers:
        asked = {**layer, "purpose": _USUAL}
        key = asked["operation"]
        if key not in by_operation:
            by_operation[key] = [
                (cause.id, each)
                for cause in known.by_id.values()
                for each in cause.selectors
                if each.admits_part({"operation": key, "purpose": _USUAL})
            ]
        for name, each in by_operation[key]:
            share = shares.get(f"{name} {each.key}")
            if share is None or share.share < POSSIBLE or name in sure:
                continue
            if each.admits_case(asked, knows_kernel=False):
                (sure if is_narrow(share) else possible).add(name)
    return sure, sure | possible
