"""One self-contained HTML page of any number of results: ``python -m reports html``.

The page carries its data as compact columns of JSON and draws itself from them, so that it opens
and filters quickly with tens of thousands of cases. It loads nothing: its Content-Security-Policy
admits its own script and style, by their hashes, and nothing else. All that comes from results is
text: jinja2 escapes it, the JSON is escaped for HTML, and the script only ever sets text.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.resources
import json
import math
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from reports import pictures
from reports.files import write_text
from reports.outcomes import Gate, Outcome
from reports.results import Results, load
from reports.text import printable

# What a reader acts on comes first.
GATE_ORDER = [
    Gate.DEPARTURE,
    Gate.IMPROVED,
    Gate.EXPECTED,
    Gate.QUALITY,
    Gate.SKIPPED,
    Gate.PASS,
]
SCRIPTS = ("data.js", "matrix.js", "case.js", "page.js")
# Of the pictures and models from failure folders that one page carries, in bytes of JSON.
EVIDENCE_BYTES = 24 * 2**20
# Of one model's XML.
XML_CHARACTERS = 40_000

_NAMED = ("operation", "category", "opset", "purpose", "outcome", "gate", "kernel", "precision")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``python -m reports html``."""
    parser.add_argument("results", nargs="+", type=Path, help="results files")
    parser.add_argument("--out", required=True, type=Path, help="the page to write")


def run(args: argparse.Namespace) -> int:
    """Write the page; 0 however many cases depart. Raises ResultsError and OSError."""
    results = load(args.results)
    write_text(args.out, page(results, args.out.parent))
    departures = sum(record["gate"] == Gate.DEPARTURE for record in results.records)
    print(f"{args.out}: {departures:,} of {len(results.records):,} cases depart")
    return 0


def page(results: Results, beside: Path = Path()) -> str:
    """The page as text; paths of failure folders are given relative to ``beside``."""
    records = sorted(results.records, key=_order)
    targets = results.targets()
    templates = importlib.resources.files("reports").joinpath("templates")
    script = "\n".join(templates.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = templates.joinpath("page.css").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["thousands"] = "{:,}".format
    environment.filters["printable"] = printable
    text = environment.get_template("page.html").render(
        departures=sum(record["gate"] == Gate.DEPARTURE for record in records),
        cases=len(records),
        targets=[_target(results, *target, records) for target in targets],
        outcomes=[o.value for o in Outcome if any(r["outcome"] == o for r in records)],
        script=Markup(script),
        style=Markup(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
        data=Markup(escaped_json(_data(results, records, targets, beside))),
    )
    # JSON can carry halves of surrogate pairs, which no encoding of text can.
    return text.encode("utf-8", "replace").decode("utf-8")


def escaped_json(value: object) -> str:
    """JSON that may stand inside an HTML script element: it has no <, > and &, and is ASCII."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    """A source of a Content-Security-Policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _order(record: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        GATE_ORDER.index(Gate(record["gate"])),
        -Outcome(record["outcome"]).badness,
        record["operation"],
        record["case"],
        record["device"],
        record["profile"],
    )


def _target(
    results: Results, device: str, profile: str, records: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the page's head says of a device and profile."""
    header = results.header(device, profile)
    facts: Mapping[str, Any] = next(
        (t for t in header["targets"] if (t["device"], t["profile"]) == (device, profile)), {}
    )
    mine = [r for r in records if (r["device"], r["profile"]) == (device, profile)]
    return {
        "device": device,
        "profile": profile,
        "full_name": facts.get("full_name", ""),
        "driver": facts.get("driver", ""),
        "settings": facts.get("settings", {}),
        "openvino": header["openvino"],
        "suite": header["suite"],
        "processor": header["processor"],
        "platform": header["platform"],
        "started": header["started"],
        "cases": len(mine),
        "departures": sum(record["gate"] == Gate.DEPARTURE for record in mine),
        "outcomes": Counter(record["outcome"] for record in mine),
    }


# ------------------------------------------------------------------ the data


def _data(
    results: Results, records: list[dict[str, Any]], targets: list[tuple[str, str]], beside: Path
) -> dict[str, Any]:
    """All that the script draws from: see templates/data.js for its use.

    ``names[field]`` are the distinct values of a field, worst or most common use first where that
    helps; ``columns[field]`` has for each case the place of its value in there, or for other
    fields the value itself.
    """
    names = {field: sorted({record[field] for record in records}) for field in _NAMED}
    names["gate"] = [gate.value for gate in GATE_ORDER]
    names["outcome"] = [outcome.value for outcome in Outcome]
    columns: dict[str, list[Any]] = {}
    for field in _NAMED:
        place = {name: n for n, name in enumerate(names[field])}
        columns[field] = [place[record[field]] for record in records]
    number = {target: n for n, target in enumerate(targets)}
    columns["target"] = [number[record["device"], record["profile"]] for record in records]
    for field in ("case", "detail", "asked", "reason", "wrong", "of", "pack"):
        columns[field] = [record[field] for record in records]
    columns["xml"] = ["\n".join(readable(record["xml"])) for record in records]
    for field in ("fraction", "seconds"):
        columns[field] = [_number(record[field]) for record in records]
    columns["worst"] = [_texts(record["worst"]) for record in records]
    return {
        "names": {**names, "target": [f"{device} · {profile}" for device, profile in targets]},
        "columns": columns,
        "commands": [suite_command(*target) for target in targets],
        "evidence": _evidence(results, records, beside),
        "conflicts": {
            n: [{"outcome": one["outcome"], "detail": one["detail"]} for one in record["conflicts"]]
            for n, record in enumerate(records)
            if record.get("conflicts")
        },
    }


def _number(value: float | None) -> float | str | None:
    """A number as JSON has it: infinity and NaN, which it lacks, as text that JavaScript reads."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"


def _texts(values: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The values of a record's part as texts."""
    if values is None:
        return None
    return {k: v if isinstance(v, str) else json.dumps(v) for k, v in values.items()}


def _evidence(
    results: Results, records: list[dict[str, Any]], beside: Path
) -> dict[int, dict[str, Any]]:
    """What the failure folders show, by the case's place, as far as EVIDENCE_BYTES reach."""
    found: dict[int, dict[str, Any]] = {}
    room = EVIDENCE_BYTES
    for n, record in enumerate(records):
        folder = results.folder(record)
        if folder is None or not _inside(folder, record["folder"]) or not folder.is_dir():
            continue
        evidence: dict[str, Any] = {"command": reproduce_command(folder, beside)}
        if room > 0:
            try:
                evidence["pictures"] = pictures.of_folder(folder, record)
                evidence["model"] = _model(folder, record)
            except (OSError, ValueError) as error:
                evidence["problem"] = f"the failure folder cannot be read: {error}"
        else:
            evidence["problem"] = "the page is full: see the failure folder"
        room -= len(json.dumps(evidence))
        found[n] = evidence
    return found


def _inside(folder: Path, relative: str) -> bool:
    """Whether a record's folder stays inside the failures folder that it is relative to."""
    root = folder
    for _ in Path(relative).parts:
        root = root.parent
    return not Path(relative).is_absolute() and folder.resolve().is_relative_to(root.resolve())


def reproduce_command(folder: Path, beside: Path) -> str:
    """Shell command that runs a failure folder's script, for a shell in the page's folder."""
    try:
        path = os.path.relpath(folder, beside)
    except ValueError:  # on another drive
        path = str(folder)
    return f"cd {shlex.quote(Path(path).as_posix())} && python reproduce.py"


def suite_command(device: str, profile: str) -> dict[str, str]:
    """Shell command that runs cases of a target, and what stands before a case's id in its node."""
    name = device if profile == "accuracy" else f"{device}({profile})"
    return {
        "command": f"pytest --device {shlex.quote(device)} --profile {shlex.quote(profile)}",
        "node": f"tests/conformance::{name}::",
    }


def _model(folder: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """The folder's IR as lines, and which of them are the layer under test (from, up to)."""
    text = (folder / "model.xml").read_text(encoding="utf-8", errors="replace")
    lines = readable(text[:XML_CHARACTERS])
    first, end = layer_lines(lines, record["operation"].rpartition("-")[0])
    if len(text) > XML_CHARACTERS:
        lines.append(f"… {len(text) - XML_CHARACTERS:,} more characters in model.xml")
    return {"lines": lines, "first": first, "end": end}


def readable(xml: str) -> list[str]:
    """Lines of an XML text; one without line breaks is broken before elements, and indented."""
    if xml.count("\n") >= xml.count("<") / 8:
        return xml.splitlines()
    lines = []
    depth = 0
    # Dimensions stay with their port: a shape is read on one line.
    for line in re.sub(r">\s*<(?!/?dim\b|/port\b)", ">\n<", xml).splitlines():
        opened = len(re.findall(r"<[^/?!]", line))
        closed = len(re.findall(r"</|/>", line))
        depth -= line.startswith("</")
        lines.append("  " * max(depth, 0) + line)
        depth += opened - closed + line.startswith("</")
    return lines


def layer_lines(lines: Iterable[str], kind: str) -> tuple[int, int]:
    """Lines from and up to which the layer of a type stands; (0, 0) if there is none."""
    opening = re.compile(rf"<layer\b[^>]*\btype=([\"']){re.escape(kind)}\1")
    first = None
    for n, line in enumerate(lines):
        if first is None and opening.search(line):
            first = n
        if first is not None and ("</layer>" in line or re.search(r"<layer\b[^>]*/>", line)):
            return first, n + 1
    return 0, 0
