"""``python -m reports risks``: which known causes the layers of a model could meet, without running it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.gate import baseline_files, causes
from reports.gate.baseline import Run
from reports.results.files.reading import load
from reports.results.records import ResultsError
from reports.results.shared.options import path_of_option
from reports.results.shared.patterns import numbers_of
from reports.results.shared.text import count, trim
from reports.risks.risks import GRADES, Known, Risk
from reports.views.choosing import add_causes_argument, add_kind_arguments
from reports.views.documents import Document, add_format_arguments, show

if TYPE_CHECKING:
    from types import ModuleType

LAYERS_NAMED = 3
FORMS_NAMED = 12
OLDEST = (2024, 0)
"""The oldest release of OpenVINO that the suite runs."""
_LIMIT = 600.0
"""Seconds that a conversion may take."""
_ROOT = Path(__file__).parents[2]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports risks``."""
    parser.description = (
        "Print which known causes the layers of a model could meet on a device, the most severe first, with the names "
        "of the layers, and how many layers have a form that the suite has never asked. Nothing is run. The cases "
        "are those of the device's shipped baselines; causes without a case there are told by their selectors. Exit "
        "code: 0 printed, 2 wrong usage or a model that cannot be read."
    )
    add = parser.add_argument
    add(
        "model",
        type=path_of_option,
        metavar="MODEL",
        help="IR (.xml, with its weights if they are there); ONNX and what else OpenVINO reads, where it is installed",
    )
    add("--device", default="CPU", help="the device (default: CPU)")
    add("--profile", default="", help="only the baselines of this profile (default: all)")
    add(
        "--release",
        default="",
        metavar="YEAR.N",
        help="the release of OpenVINO (default: that of the baselines)",
    )
    add_kind_arguments(parser)
    add("--all-layers", action="store_true", help="name every layer")
    add_causes_argument(parser)
    add(
        "--results",
        nargs="+",
        action="extend",
        metavar="RESULTS",
        default=[],
        help="results files of the device, whose departures count beside those of the baselines",
    )
    add_format_arguments(parser, ("markdown", "html"))


def run(args: argparse.Namespace) -> int:
    """Print the risks; return 0 however many there are."""
    # Only this command reads models: the others need neither the declarations nor lxml.
    try:
        from ir_models import models
    except ImportError as error:
        raise ResultsError(f"reading a model needs {error.name}: pip install '.[run]'") from None
    release = args.release or _release(args.device)
    if args.release and len(numbers_of(args.release)) < 2:
        raise ResultsError(f"--release must be like 2026.4, got {args.release!r}")
    if args.release and numbers_of(args.release) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ResultsError(f"--release must be {oldest} or later, got {args.release!r}")
    written = causes.load(*args.causes)
    families = set(baseline_files.families_of(args.device))
    if not any(families & set(one.devices) for one in written.by_id.values()):
        raise ResultsError(f"no cause names device {args.device!r}")
    layers = _layers(args.model, models)
    if not layers:
        raise ResultsError(f"{args.model}: the model has no layer")
    records = [
        record
        for record in (load(args.results).records if args.results else ())
        if record.device == args.device and args.profile in ("", record.profile)
    ]
    if args.results and not records:
        raise ResultsError(f"the results have no case of device {args.device!r}")
    known = Known(
        written.by_id.values(), args.device, release, args.profile, records, models.cases_asked
    )
    if args.profile and not known.baselines and not records:
        raise ResultsError(f"{args.device} has no baseline of a profile {args.profile!r}")
    asked = [layer for layer in layers if layer.is_known]
    risks = [
        risk
        for risk in known.risks(asked)
        if (not args.kind or risk.cause.kind in args.kind)
        and (not args.severity or risk.severity.kind in args.severity)
    ]
    document = _document(args, layers, risks, release, known)
    _add_unasked(document, layers, models)
    show(document, args, title=f"Risks of {args.model.name} on {args.device}")
    return 0


def _release(device: str) -> str:
    """The latest release of a device's baselines; "" without one."""
    runs = [baseline_files.read_run(folder) for folder in baseline_files.folders_of(device)]
    return max(runs, key=lambda one: numbers_of(one.release), default=Run()).release


def _layers(path: Path, models: ModuleType) -> list[Any]:
    """The layers of a model, of any format. Raises ResultsError."""
    if not path.is_file():
        raise ResultsError(f"{path}: there is no such file")
    with tempfile.TemporaryDirectory(prefix="conformance-risks-") as folder:
        ir = path if path.suffix == ".xml" else _converted(path, Path(folder))
        try:
            model = models.read(ir, needs_weights=False)
        except models.NotIRError as error:
            text = str(error)
            raise ResultsError(text if text.startswith(str(ir)) else f"{path}: {text}") from None
        return list(models.asked_layers(model))


def _converted(path: Path, folder: Path) -> Path:
    """The IR that OpenVINO makes of a model, in a process of its own. Raises ResultsError."""
    target = folder / "model.xml"
    command = [
        sys.executable,
        "-m",
        "devices.runtime.conversion",
        str(path.resolve()),
        str(target),
    ]
    try:
        done = subprocess.run(
            command,
            cwd=_ROOT,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ResultsError(f"{path}: OpenVINO did not read it within {_LIMIT:g} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = trim(lines[-1], 300) if lines else f"exit status {done.returncode}"
        if "No module named 'openvino'" in why:
            raise ResultsError(f"{path}: reading this format needs openvino: pip install '.[run]'")
        raise ResultsError(f"{path}: OpenVINO does not read it: {why}")
    return target


def _document(
    args: argparse.Namespace,
    layers: Sequence[Any],
    risks: Sequence[Risk],
    release: str,
    known: Known,
) -> Document:
    page = Document()
    concerned = {id(layer) for risk in risks for layer in risk.layers}
    page.paragraph(
        f"{count(len(risks), 'known cause')} could concern {len(concerned):,} of {count(len(layers), 'layer')} of "
        f"{args.model.name} on {args.device}{', OpenVINO ' + release if release else ''}"
    )
    told = f"Baselines: {', '.join(known.baselines) or 'none'}."
    if not known.baselines and not args.results:
        told += " Causes are told by their selectors alone."
    if known.excluded:
        told += f" {count(len(known.excluded), 'more cause')} would concern layers of these types, but other numbers."
    page.paragraph(f"{told} Nothing was run.")
    most = None if args.all_layers else LAYERS_NAMED
    page.table(
        ["severity", "class", "certainty", "layers", "operations", "cause", "id", "needs", "for example"],
        [
            [
                str(risk.severity), risk.cause.kind, risk.grade, f"{len(risk.layers):,}: {_named(risk, most)}",
                ", ".join(sorted({layer.operation for layer in risk.layers})), risk.cause.title, risk.cause.id,
                risk.needs or "–", trim(risk.example, 160) or "–",
            ]
            for risk in risks
        ],
        names=9,
    )  # fmt: skip
    used = {risk.grade for risk in risks}
    page.paragraph(
        " ".join(f"{name}: {means}." for name, means in GRADES.items() if name in used)
        + (
            " needs: what the cases have beside, which no model shows."
            if any(r.needs for r in risks)
            else ""
        )
    )
    return page


def _named(risk: Risk, most: int | None) -> str:
    names = [trim(layer.title, 60) for layer in risk.layers[:most]]
    more = len(risk.layers) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def _add_unasked(page: Document, layers: Sequence[Any], models: ModuleType) -> None:
    """Count the layers of a form that the suite never asks: nothing is known of these."""
    unknown = Counter(layer.operation for layer in layers if not layer.is_known)
    asked = {
        name: models.forms_asked(name) for name in {one.operation for one in layers if one.is_known}
    }
    forms: Counter[tuple[str, str]] = Counter()
    for layer in layers:
        if layer.is_known and layer.form not in asked[layer.operation]:
            forms[layer.operation, _form_text(layer.form)] += 1
    page.heading("Never asked")
    bodies = sum(layer.bodies for layer in layers)
    page.paragraph(
        f"{count(forms.total(), 'layer')} of {len(layers):,} have element types, rank, unknown dimensions and words "
        f"that no case has together: that nothing is known of them says nothing."
        + (
            f" {count(unknown.total(), 'layer')} are of operations without a page."
            if unknown
            else ""
        )
        + (
            f" Layers inside the bodies of {count(bodies, 'layer')} were not looked at."
            if bodies
            else ""
        )
    )
    rows = [[name, text, f"{number:,}"] for (name, text), number in forms.most_common(FORMS_NAMED)]
    rows += [
        [name, "no page has it", f"{number:,}"] for name, number in unknown.most_common(FORMS_NAMED)
    ]
    page.table(["operation", "form", "layers"], rows, names=2)
    if len(forms) > FORMS_NAMED:
        page.paragraph(f"{len(forms) - FORMS_NAMED:,} more forms.")


def _form_text(form: Any) -> str:
    words = [f"{name}={word}" for name, word in form.words if word]
    shape = f"rank {form.rank}{', unknown dimensions' if form.is_dynamic else ''}"
    return trim("; ".join([",".join(form.types[:4]), shape, *words]), 160)
