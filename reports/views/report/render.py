"""The report as text: template, script, style and data put together."""

from __future__ import annotations

import re
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from reports.gate.baseline import Baseline, run_of
from reports.gate.causes import Cause, Causes
from reports.gate.causes import load as load_causes
from reports.gate.decision import target_of
from reports.gate.known_groups import Group, by_cause, operations_as_text
from reports.gate.severity import SEVERITIES, UNUSUAL, Severity, of_records
from reports.results.explained.explanations import counted, selected
from reports.results.files.coverage import remark
from reports.results.files.reading import Results
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, Key
from reports.results.shared.text import listing, printable, rounded
from reports.upstream.text import unscripted
from reports.views.filling import filled
from reports.views.headline import added, at_depth, changed, counts, kind_of, unexpected
from reports.views.report.data import GATE_ORDER, cause_name, data
from reports.views.unexpected import UnexpectedGroup, unexpected_groups

MOST_GROUPS = 200
"""Groups of unexpected departures in the table of causes at most."""
ALL = "all"
"""The tab of all gates."""
SCRIPTS = ("shared.js", "data.js", "matrix.js", "case.js", "causes.js", "report.js")
STYLES = ("report.css",)


def html_report(
    results: Results,
    beside: Path = Path(),
    own_causes: Sequence[Path] = (),
    issues: Path | None = None,
) -> str:
    """Return the report as text; paths of failure folders are relative to ``beside``.

    The components of causes are looked up in the suite's and in folders of one's ``own_causes``. ``issues`` is a folder
    of issues that were written of these results; those of other causes are there without a script. Raises OSError.
    """
    records = sorted(counted(results.records), key=_order)
    numbers = {record.key: number for number, record in enumerate(records)}
    is_red = any(record.gate.is_red for record in records)
    has_causes = is_red or any(record.gate.has_cause for record in records)
    causes = load_causes(*own_causes) if has_causes or own_causes else Causes()
    known = by_cause(records, causes.by_id)
    groups = _unexpected(results, records, causes) if is_red else []
    written = causes.by_id
    texts = unscripted(written, known, results)
    texts |= {
        name: path.read_text(encoding="utf-8")
        for name in texts
        if issues is not None and (path := issues / f"{name}.md").is_file()
    }
    outcomes = {record.outcome for record in selected(records)}
    columns = {
        "counted": [kind for _, kind in counts(records)],
        "outcome": [str(each) for each in Outcome if each in outcomes],
    }
    rows = [_group(each, numbers) for each in groups[:MOST_GROUPS]]
    rows += [_cause(each, numbers, written) for each in known]
    targets = results.targets()
    text = filled(
        "report.html",
        SCRIPTS,
        STYLES,
        data(
            *(results, records, targets, beside, [row["number"] for row in rows], texts),
            groups=_group_of_each(groups, known),
        ),
        {"thousands": "{:,}".format, "printable": printable, "breakable": breakable},
        headline=unexpected(records).partition(" "),
        is_red=is_red,
        counts=[
            (*text.partition(" "), _address(counted=kind, gate=ALL))
            for text, kind in counts(records)
        ],
        added=added(records),
        known=sum(record.gate.has_cause for record in records),
        part=remark(results.runs, targets),
        ran=headline_targets(results),
        unusual=UNUSUAL,
        causes=rows,
        more_groups=max(len(groups) - MOST_GROUPS, 0),
        targets=[_target(results, target, records, columns) for target in targets],
        columns=[each.replace("_", " ") for values in columns.values() for each in values],
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


def _unexpected(
    results: Results, records: Sequence[CaseRecord], causes: Causes
) -> list[UnexpectedGroup]:
    """The groups of unexpected departures of all targets, as the end of the run and ``accept`` show them."""
    found = []
    for target in results.targets():
        run = run_of(results.header(*target), *target)
        own, counted_own = (
            [record for record in each if record.target == target]
            for each in (results.records, records)
        )
        knows = target_of(run, Baseline(name="none"), causes)
        found += unexpected_groups(own, counted_own, knows)
    return found


def _group_of_each(groups: Iterable[UnexpectedGroup], known: Iterable[Group]) -> dict[Key, str]:
    """The group of each unexpected departure, and of what is due to one, the cause of what is due to a known one."""
    found = {one.key: cause_name(cause.example) for cause in known for one in cause.explained}
    return found | {
        one.key: group.id for group in groups for one in (*group.records, *group.larger)
    }


def _group(group: UnexpectedGroup, numbers: Mapping[Key, int]) -> dict[str, Any]:
    """Return what the table of causes shows of a group of unexpected departures."""
    more = filter(None, (group.factors, group.known_as))
    return {
        **_row(group.example, group.records, of_records(group.records), numbers),
        "kind": group.change,
        "id": group.id,
        "is_known": False,
        "title": group.title,
        "since": "",
        "component": "",
        "outcomes": [],
        "explained": len(group.larger),
        "factors": " · ".join(more),
        "address": _address(cause=group.id, gate=ALL),
        "cases_address": _address(cause=group.id, counted=kind_of(group.records[0]), gate=ALL),
        "explained_address": _address(cause=group.id, gate=str(Gate.EXPLAINED)),
    }


def _cause(
    cause: Group, numbers: Mapping[Key, int], written: Mapping[str, Cause]
) -> dict[str, Any]:
    """Return what the table of causes shows of a known one."""
    name = cause_name(cause.example)
    return {
        **_row(cause.example, cause.records, cause.severity, numbers),
        "kind": cause.cause_class or "unknown",
        "id": cause.id,
        "is_known": True,
        "title": cause.title or cause.id or "(no title recorded)",
        "since": cause.since,
        "component": written[cause.id].component if cause.id in written else "",
        "outcomes": cause.outcomes,
        "explained": len(cause.explained),
        "factors": "",
        "address": _address(cause=name, gate=ALL),
        "cases_address": _address(cause=name, counted=kind_of(cause.example), gate=ALL),
        "explained_address": _address(cause=name, gate=str(Gate.EXPLAINED)),
    }


def _row(
    example: CaseRecord,
    records: Sequence[CaseRecord],
    severity: Severity,
    numbers: Mapping[Key, int],
) -> dict[str, Any]:
    operations = sorted({record.operation for record in records})
    return {
        "severity": severity.kind or "not seen",
        "does": severity.does,
        "severity_means": SEVERITIES.get(severity.kind, ""),
        "is_unusual": bool(severity.kind) and not severity.is_plausible,
        "only_on": severity.only_on,
        "operations": operations_as_text(operations),
        "all_operations": ", ".join(operations),
        "cases": len(records),
        "example": example.case,
        "detail": rounded(example.detail),
        "number": numbers[example.key],
        "example_address": _address(text=example.case, target=" · ".join(example.target), gate=ALL),
    }


def _address(**selection: str) -> str:
    """Return a fragment of the report's URL that selects cases."""
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
    results: Results,
    target: tuple[str, str],
    records: Sequence[CaseRecord],
    columns: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Return what the report's head shows of a device and profile, with a number for each value of ``columns``."""
    header, stated = results.header(*target), results.target(*target)
    own = [record for record in selected(records) if record.target == target]
    name = " · ".join(target)
    numbers = {
        "counted": Counter(map(kind_of, own)),
        "outcome": Counter(str(record.outcome) for record in own),
    }
    return {
        "device": target[0],
        "profile": target[1],
        "full_name": stated.full_name,
        "driver": stated.driver,
        "settings": stated.settings,
        "openvino": header.openvino,
        "suite": header.suite,
        "processor": header.processor,
        "platform": header.platform,
        "started": header.started,
        "cases": len(own),
        "baseline": stated.baseline,
        "changed": changed(own),
        "address": _address(target=name, gate=ALL),
        "numbers": [
            (numbers[field][value], _address(**{"target": name, field: value, "gate": ALL}))
            for field, values in columns.items()
            for value in values
        ],
    }
