"""The page as text: template, script, style and data put together."""

from __future__ import annotations

import re
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from reports.explaining.naming import Names
from reports.gate.causes import load as load_causes
from reports.gate.severity import SEVERITIES, UNUSUAL
from reports.results.explained.explanations import counted, selected
from reports.results.files.coverage import remark
from reports.results.files.reading import Results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import listing, printable, rounded
from reports.upstream.text import unscripted
from reports.views.filling import filled
from reports.views.groups import Group, by_cause, operations_as_text, red
from reports.views.headline import added, at_depth, changed, counts, unexpected
from reports.views.page.data import GATE_ORDER, cause_name, data

MOST_KINDS = 200
"""Kinds of unexpected departures in the table of causes at most."""
SCRIPTS = ("shared.js", "data.js", "matrix.js", "case.js", "causes.js", "page.js")
STYLES = ("page.css",)


def page(
    results: Results,
    beside: Path = Path(),
    own_causes: Sequence[Path] = (),
    issues: Path | None = None,
) -> str:
    """Return the page as text; paths of failure folders are relative to ``beside``.

    The components of causes are looked up in the suite's and in folders of one's ``own_causes``. ``issues`` is a folder
    of issues that were written of these results; those of other causes are there without a script. Raises OSError.
    """
    records = sorted(counted(results.records), key=_order)
    numbers = {record.key: number for number, record in enumerate(records)}
    kinds, known = red(records), by_cause(records)
    causes = [*kinds[:MOST_KINDS], *known]
    written = load_causes(*own_causes).by_id if known or own_causes else {}
    texts = unscripted(written, known, results)
    texts |= {
        name: path.read_text(encoding="utf-8")
        for name in texts
        if issues is not None and (path := issues / f"{name}.md").is_file()
    }
    components = {name: each.component for name, each in written.items()}
    names = Names(records)
    targets = results.targets()
    text = filled(
        "page.html",
        SCRIPTS,
        STYLES,
        data(
            results, records, targets, beside, [numbers[one.example.key] for one in causes], texts
        ),
        {"thousands": "{:,}".format, "printable": printable, "breakable": breakable},
        headline=unexpected(records).partition(" "),
        is_red=any(record.gate.is_red for record in records),
        counts=[each.partition(" ") for each in counts(records)],
        added=added(records),
        known=sum(record.gate.has_cause for record in records),
        explained=sum(record.gate == Gate.EXPLAINED for record in records),
        part=remark(results.runs, targets),
        ran=headline_targets(results),
        unusual=UNUSUAL,
        causes=[_cause(one, numbers, names, components.get(one.id, "")) for one in causes],
        more_kinds=max(len(kinds) - MOST_KINDS, 0),
        targets=[_target(results, *target, records) for target in targets],
        outcomes=[
            str(outcome) for outcome in Outcome if any(r.outcome == outcome for r in records)
        ],
    )
    # JSON can carry halves of surrogate pairs, which no encoding of text can.
    return text.encode("utf-8", "replace").decode("utf-8")


def breakable(text: str) -> Markup:
    """Return a case id's text as HTML with line breaks allowed after its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[/,;])", text))


def headline_targets(results: Results) -> str:
    """Return what ran, such as ``CPU (accuracy, isa=AVX2) at depth pairs, OpenVINO 2026.4.1``."""
    profiles: dict[str, list[str]] = {}
    for device, profile in results.targets():
        profiles.setdefault(device, []).append(profile)
    devices = listing([f"{device} ({', '.join(names)})" for device, names in profiles.items()])
    return f"{devices}{at_depth(results)}, OpenVINO {listing(results.openvino_versions(results.targets()))}"


def _cause(cause: Group, numbers: dict[Key, int], names: Names, component: str) -> dict[str, Any]:
    """Return what the table of causes shows of one, or of one kind of unexpected departures."""
    example = cause.example
    is_new = example.gate.is_red
    return {
        "kind": "unexpected" if is_new else cause.kind or "unknown",
        "id": "" if is_new else cause.id,
        "title": cause.title or cause.id or "(no title recorded)",
        "since": cause.since,
        "severity": cause.severity.kind or "not seen",
        "does": cause.severity.does,
        "severity_means": SEVERITIES.get(cause.severity.kind, ""),
        "is_unusual": bool(cause.severity.kind) and not cause.severity.is_plausible,
        "component": component,
        "operations": operations_as_text(cause.operations),
        "all_operations": ", ".join(cause.operations),
        "outcomes": [] if is_new else cause.outcomes,
        "cases": len(cause.records),
        "explained": len(cause.explained),
        "example": example.case,
        "detail": rounded(example.detail),
        "factors": names.of(example),
        "number": numbers[example.key],
        "address": _address(cause=cause_name(example), gate=str(example.gate)),
        "example_address": _address(
            text=example.case, target=" · ".join(example.target), gate=str(example.gate)
        ),
    }


def _address(**selection: str) -> str:
    """Return a fragment of the page's URL that selects cases."""
    # Halves of surrogate pairs have no encoding.
    return "#" + urllib.parse.urlencode(selection, errors="replace")


def _order(record: CaseRecord) -> tuple[object, ...]:
    return (
        GATE_ORDER.index(record.gate),
        -record.outcome.badness,
        record.operation,
        *record.key,
    )


def _target(
    results: Results, device: str, profile: str, records: Sequence[CaseRecord]
) -> dict[str, Any]:
    """Return what the page's head shows of a device and profile."""
    header, target = results.header(device, profile), results.target(device, profile)
    own = [record for record in selected(records) if record.target == (device, profile)]
    return {
        "device": device,
        "profile": profile,
        "full_name": target.full_name,
        "driver": target.driver,
        "settings": target.settings,
        "openvino": header.openvino,
        "suite": header.suite,
        "processor": header.processor,
        "platform": header.platform,
        "started": header.started,
        "cases": len(own),
        "baseline": target.baseline,
        "changed": changed(own),
        "departures": sum(record.gate.is_red for record in own),
        "known": sum(record.gate.has_cause for record in own),
        "explained": sum(record.gate == Gate.EXPLAINED for record in own),
        "outcomes": Counter(str(record.outcome) for record in own),
    }
