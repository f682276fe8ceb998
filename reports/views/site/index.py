"""The index of a site: its columns in order, what each says of every operation and cause, and the first page."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from reports.gate.causes import COMPONENTS, MEANINGS, Cause
from reports.gate.severity import NOT_SEEN, SEVERITIES, UNUSUAL, order
from reports.results.shared.matching import numbers_of
from reports.support.measured import State
from reports.upstream.text import page_of
from reports.views.filling import filled
from reports.views.site.run_column import Column
from reports.views.site.standing import STANDINGS

SCRIPTS = (
    "shared.js",
    "case.js",
    "site.js",
    "site_matrix.js",
    "site_operation.js",
    "site_cause.js",
    "site_compare.js",
    "site_trend.js",
    "site_support.js",
    "site_device.js",
    "site_search.js",
)
STYLES = ("report.css", "site.css")

_DISTINCT: tuple[tuple[str, Callable[[Column], str]], ...] = (
    ("depth", lambda one: one.depth),
    ("machine", lambda one: one.machine),
    ("version", lambda one: one.openvino),
    ("day", lambda one: one.started[:10]),
    ("file", lambda one: one.file.removesuffix(".jsonl")),
)
"""What is added to the name of columns that are of one device, release and profile, until they differ."""


class Placed(NamedTuple):
    """A column with its place in the site."""

    id: str
    """Its name in addresses: the same after another run of the same kind."""
    label: str
    folder: str
    column: Column


def placed(columns: Sequence[tuple[str, Column]]) -> list[Placed]:
    """Return the columns in order, by device, profile and release, with names that differ."""
    ordered = sorted(
        columns,
        key=lambda one: (
            one[1].device, one[1].profile, one[1].machine, numbers_of(one[1].openvino),
            one[1].depth, one[1].started, one[0],
        ),
    )  # fmt: skip
    names = [[one.device, one.release, one.profile] for _, one in ordered]
    for _, of in _DISTINCT:
        repeated = Counter(map(tuple, names))
        groups: dict[tuple[str, ...], set[str]] = {}
        for name, (_, column) in zip(names, ordered, strict=True):
            groups.setdefault(tuple(name), set()).add(of(column))
        for name, (_, column) in zip(names, ordered, strict=True):
            key = tuple(name)
            if repeated[key] > 1 and len(groups[key]) > 1 and of(column):
                name.append(of(column))
    found: list[Placed] = []
    taken: set[str] = set()
    for name, (folder, column) in zip(names, ordered, strict=True):
        slug = re.sub(r"[^a-z0-9.=]+", "-", "-".join(name).lower()).strip("-")[:80] or "column"
        label = " · ".join(name)
        number = next(n for n in itertools.count(1) if _numbered(slug, n) not in taken)
        taken.add(_numbered(slug, number))
        shown = f"{label} ({number})" if number > 1 else label
        found.append(Placed(_numbered(slug, number), shown, folder, column))
    return found


def _numbered(slug: str, number: int) -> str:
    return slug if number == 1 else f"{slug}-{number}"


def worst_first(columns: Sequence[Placed], known: Mapping[str, Cause]) -> list[dict[str, Any]]:
    """Return every cause, the known ones and those that columns show alone: the worst that a column shows first."""
    found: dict[str, dict[str, Any]] = {
        name: {
            "id": name, "title": one.title, "kind": one.cause_class, "component": one.component,
            "since": _since(one), "fixed": one.fixed, "devices": one.devices, "fix": one.fix,
        }
        for name, one in known.items()
    }  # fmt: skip
    ranks: dict[str, tuple[object, ...]] = {}
    for _, _, _, column in columns:
        for seen in column.seen:
            found.setdefault(
                seen.cause,
                {
                    "id": seen.cause,
                    "title": seen.title,
                    "kind": seen.cause_class,
                    "since": seen.since,
                },
            )
            rank = seen.rank_as(found[seen.cause]["kind"])
            ranks[seen.cause] = min(ranks.get(seen.cause, rank), rank)
    last = {name: order(one["kind"], NOT_SEEN, 0, name) for name, one in found.items()}
    return [found[name] for name in sorted(found, key=lambda one: ranks.get(one, last[one]))]


def _since(cause: Cause) -> dict[str, str] | str:
    """Since when each device shows a cause; one text where all say the same."""
    found = {name: told for name in cause.devices if (told := cause.told_since_on(name))}
    return found if len({*found.values()}) > 1 else next(iter(found.values()), "")


def told_causes(known: Mapping[str, Cause]) -> dict[str, dict[str, Any]]:
    """Return what the page of a cause says of it beside its title: what its file has."""
    return {
        name: {
            "page": one.page,
            "smallest": one.smallest,
            "notes": one.notes,
            "link": one.link if one.link.startswith("https://") else "",
            "nondeterministic": one.nondeterministic,
            "last_good": one.last_good,
        }
        for name, one in known.items()
    }


def index_data(columns: Sequence[Placed], known: Mapping[str, Cause]) -> dict[str, Any]:
    """Return what the first page draws from: see templates/site.js for its use."""
    operations: dict[str, tuple[str, str]] = {}
    for _, _, _, column in columns:
        for cell in column.cells:
            operations.setdefault(cell.operation, (cell.category, cell.opset))
    names = sorted(operations)
    number = {name: n for n, name in enumerate(names)}
    causes = worst_first(columns, known)
    cause_number = {one["id"]: n for n, one in enumerate(causes)}
    return {
        "standings": STANDINGS,
        "severities": SEVERITIES,
        "unusual": UNUSUAL,
        "states": [str(each) for each in State],
        "classes": MEANINGS,
        "components": COMPONENTS,
        "operations": [
            [name, *operations[name], page_of(name, operations[name][0])] for name in names
        ],
        "types": sorted(set().union(*(one.column.types for one in columns))),
        "ranks": sorted(
            set().union(*(one.column.ranks for one in columns)), key=lambda one: (len(one), one)
        ),
        "causes": [[one.get(key, "") for key in _CAUSE] for one in causes],
        "columns": [
            {
                "id": one.id, "label": one.label, "folder": one.folder,
                "device": column.device, "profile": column.profile, "machine": column.machine,
                "openvino": column.openvino, "release": column.release, "depth": column.depth,
                "started": column.started, "part": column.part, "file": column.file,
                "compileOnly": column.is_compile_only, "support": column.has_support,
                "cells": [
                    [number[c.operation], c.counts, c.unexpected, cause_number.get(c.cause, -1), int(c.is_plausible)]
                    for c in column.cells
                ],
                "seen": [
                    [cause_number[s.cause], s.cases, STANDINGS.index(s.severity.kind), int(s.severity.is_plausible)]
                    for s in column.seen
                ],
            }
            for one in columns
            for column in [one.column]
        ],
    }  # fmt: skip


_CAUSE = ("id", "title", "kind", "component", "since", "fixed", "devices", "fix")
"""Fields of a cause in the index, in this order: see `Cause` in templates/site.js."""


def index_page(columns: Sequence[Placed], known: Mapping[str, Cause]) -> str:
    """Return the first page, which is the only one: it draws every other from parts."""
    return filled("site.html", SCRIPTS, STYLES, index_data(columns, known))
