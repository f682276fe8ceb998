"""The file of a new cause, drafted from departures: its texts by hand, its selectors by what the departures share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from reports.gate.baseline import Run
from reports.gate.baseline_files import families_of
from reports.gate.causes import TO_DESCRIBE
from reports.gate.drafting import draft_selectors
from reports.results.records import CaseRecord


def draft(
    departing: Sequence[CaseRecord],
    conforming: Sequence[CaseRecord],
    run: Run,
    texts: Mapping[str, str],
) -> str:
    """Return the file of a cause of departures of a run; ``texts`` are its fields as far as they are known."""
    smallest = min((record.case for record in departing), key=lambda case: (len(case), case))
    operation = departing[0].operation.rpartition("-")[0]
    content = {
        "title": texts["title"] or f"{operation} - {TO_DESCRIBE}",
        "class": texts["class"],
        "component": texts["component"],
        "page": texts["page"],
        "smallest": smallest,
        "since": run.release,
        "devices": [families_of(run.device)[-1]],
        "notes": "",
    }
    return cause_text(content, draft_selectors(departing, conforming))


def cause_text(content: Mapping[str, Any], selectors: Sequence[Mapping[str, object]]) -> str:
    """Return the text of a cause's file."""
    rows = [f"{name} = {_toml(value)}" for name, value in content.items()]
    for selector in selectors:
        rows += ["", "[[select]]"]
        rows += [f"{name} = {_toml(value)}" for name, value in selector.items()]
    return "\n".join(rows) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(n)} = {_toml(each)}" for n, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """A name as a key; the factors of graphs have dots, which would make tables of it."""
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name)
