"""``python -m reports support``: what a device supports, what a model needs of it, what changed, what devices share."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from reports.gate import baseline_files
from reports.gate.baseline import DEPTHS
from reports.results.records import ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.options import device_of_option, path_of_option, profile_of_option
from reports.results.shared.text import count, trim
from reports.support.comparing import Change, changes, common
from reports.support.layers import ANSWERS, LayerSupport, ModelLayer, answer
from reports.support.measured import (
    BETWEEN_VALUES,
    Cell,
    DeviceSupport,
    OperationSupport,
    State,
    as_documented,
    as_json,
    behind,
    merged,
    of_mixed,
)
from reports.support.sources import (
    SHIPPED,
    SupportSource,
    document_of,
    documented,
    of_baseline,
    of_case,
    read,
)
from reports.views.documents import Item, Remark, ReportDocument, add_out_arguments, put, show
from reports.views.documents.spreadsheet import as_csv

DETAILED = 3
"""Operations up to which each cell is shown."""
LAYERS_NAMED = 3
MODELS = (".xml", ".onnx", ".tflite", ".pb", ".pdmodel", ".pt", ".pth")
COLUMNS = (
    "device", "profile", "openvino", "operation", "row", "value", "state", "asked", "departing", "causes", "besides",
)  # fmt: skip
_LIMIT = 600.0
"""Seconds that a conversion may take."""
_ROOT = Path(__file__).parents[2]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports support``."""
    parser.description = (
        "Print what a device supports, as runs measured it: for each operation its types, ranks, unknown dimensions, "
        "constant data, optional parts and enumeration values. With a model, print the same of each of its layers; "
        "nothing is run. SOURCE is a results file, the folder of a baseline, or a document that --format json wrote; "
        "without one it is the baseline that the suite ships for --device. Exit code: 0 printed, 2 wrong usage or a "
        "file that cannot be used."
    )
    add = parser.add_argument
    add("sources", nargs="*", type=path_of_option, metavar="SOURCE | MODEL",
        help="results files, folders of baselines, or documents of support; or one model: IR (.xml), or "
        "what the installed OpenVINO reads, such as ONNX")  # fmt: skip
    add("--results", nargs="+", action="extend", type=path_of_option, metavar="SOURCE", default=[],
        help="with a model: where its support is read from")  # fmt: skip
    add("--device", type=device_of_option, help="only this device")
    add("--profile", type=profile_of_option, help="only this profile of it")
    add("--operation", nargs="+", action="extend", metavar="NAME", default=[],
        help=f"operations such as Gather-8, or types such as Gather; up to {DETAILED} with their cells")  # fmt: skip
    add(
        "--cell",
        metavar="ROW=VALUE",
        default="",
        help="with one --operation: the cases behind a cell",
    )
    add("--case", metavar="ID", default="",
        help="what each baseline of the suite knows of a case: passed, how it departs, or not asked")  # fmt: skip
    add("--state", choices=[str(state) for state in State], default="",
        help="only cells of this state, in SOURCE and not in what --against names")  # fmt: skip
    add("--type", metavar="T", default="", help="only cells of this element type, such as f16")
    add(
        "--dimensions",
        metavar="KIND",
        default="",
        help='only cells of these, such as "some unknown"',
    )
    add("--against", nargs="+", action="extend", type=path_of_option, metavar="SOURCE", default=[],
        help="compare with an earlier release or another device: what was lost and gained")  # fmt: skip
    add("--common", action="store_true", help="print only what all devices of the sources support")
    add("--all-layers", action="store_true", help="name every layer of a model")
    add("--write", action="store_true",
        help="measure each baseline of the suite anew, and write the documents in reports/support/shipped")  # fmt: skip
    add("--format", choices=("text", "md", "html", "json", "csv"), default="text",
        help="json is read by programs: docs/support.md; md is GitHub's Markdown")  # fmt: skip
    add_out_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print support, a comparison or what a model needs; return 0 whatever it is."""
    # Only this command needs declarations: the others need neither these nor lxml.
    try:
        from ir_models import models
    except ImportError as error:
        raise ResultsError(f"support needs {error.name}: pip install '.[run]'") from None
    given = [*args.sources, *args.results]
    if args.write:
        if given or args.against or args.out or args.device or args.operation:
            raise ResultsError("--write takes no source, no --out, --device or --operation")
        return _write_shipped(models)
    if args.case:
        if given or args.against or args.common or args.operation:
            raise ResultsError(
                "--case asks the baselines of the suite; it goes with --device and --profile alone"
            )
        return _show_case(args, models)
    found = [path for path in given if path.suffix.lower() in MODELS]
    if _is_filtered(args) and (found or args.cell or args.format == "json"):
        raise ResultsError(
            "--state, --type and --dimensions choose cells of devices, written as text, md, html or csv"
        )
    if args.cell and (found or args.common or args.against or len(args.operation) != 1):
        raise ResultsError(
            "--cell goes with one --operation, and with results, a baseline or --device"
        )
    if len(found) > 1 or (found and args.against):
        raise ResultsError("one model at a time, and without --against")
    if args.common and args.against:
        raise ResultsError("--common and --against exclude each other")
    operations = list(args.operation)
    layers: list[ModelLayer] = []
    if found:
        if operations:
            raise ResultsError("--operation does not go with a model: it has operations of its own")
        layers = _layers(found[0], models)
        operations = sorted({layer.operation for layer in layers if layer.is_known}) or ["-"]
    paths = [path for path in given if path not in found]
    sources = _chosen(read(paths or _shipped(args, operations), models, operations), args)
    if args.cell:
        _show_cell(args, sources, models)
        return 0
    if args.common:
        sources = [SupportSource(common([each.support for each in sources]))]
    if found:
        _show_model(args, found[0], layers, sources)
    elif args.against:
        there = _chosen(read(args.against, models, operations), args, is_named=False)
        _show_changes(args, there, sources)
    else:
        _check_operations(sources, operations)
        _show_support(args, [each.support for each in sources])
    return 0


def _write_shipped(models: ModuleType) -> int:
    """Write the document of each baseline that the suite ships; what has no baseline any more goes."""
    folders = documented(models)
    for path in {*SHIPPED.glob("*.json")} - {document_of(folder) for folder in folders}:
        path.unlink()
    runs = [baseline_files.read_run(folder) for folder in folders]
    # The corpus of the deepest run holds those of the others; to make it takes most of the time.
    corpus = max((DEPTHS.index(run.depth), run.random) for run in runs)
    for folder, run in zip(folders, runs, strict=True):
        shared = DEPTHS[corpus[0]], corpus[1], run.seed
        text = as_json([of_baseline(folder, models, corpus=shared).support])
        write_text(document_of(folder), text)
        print(f"{document_of(folder)}: {len(text) / 1000:,.0f} KB", flush=True)
    return 0


def _shipped(args: argparse.Namespace, operations: Sequence[str]) -> list[Path]:
    """The folder of the baseline that the suite ships for a device. Raises ResultsError."""
    if not args.device:
        raise ResultsError(
            "give results, a baseline or a document, or --device for a shipped baseline"
        )
    runs = {
        folder: baseline_files.read_run(folder) for folder in baseline_files.folders_of(args.device)
    }
    profiles = sorted({run.profile for run in runs.values()})
    if not runs:
        raise ResultsError(f"the suite ships no baseline of device {args.device!r}: give results")
    chosen = [folder for folder, run in runs.items() if args.profile in (None, run.profile)]
    if not chosen:
        raise ResultsError(
            f"{args.device} has no baseline of profile {args.profile!r}; it has {', '.join(profiles)}"
        )
    # The usual one, of the newest release.
    nearest = min(
        chosen, key=lambda one: (len(baseline_files.chain(one)), runs[one].profile != "accuracy")
    )
    others = [each for each in profiles if each != runs[nearest].profile]
    if others and not args.profile:
        print(
            f"{args.device}: profile {runs[nearest].profile}; --profile chooses another: {', '.join(others)}",
            file=sys.stderr,
        )
    # Of all operations what the document holds, without minutes of measuring.
    document = document_of(nearest)
    return [nearest if operations or not document.is_file() else document]


def _chosen(
    sources: Sequence[SupportSource], args: argparse.Namespace, is_named: bool = True
) -> list[SupportSource]:
    """The sources of the device and profile that the options name. Raises ResultsError."""
    found = [
        each
        for each in sources
        if not is_named
        or (
            args.device in (None, each.support.device, each.support.device.partition(".")[0])
            and args.profile in (None, each.support.profile)
        )
    ]
    if not found:
        there = ", ".join(each.support.title for each in sources) or "no case"
        raise ResultsError(f"no support of {args.device or 'a device'} there: {there}")
    return found


def _check_operations(sources: Sequence[SupportSource], names: Sequence[str]) -> None:
    if names and not any(each.support.operations for each in sources):
        raise ResultsError(f"no case of operation {', '.join(names)}")


# --- support ------------------------------------------------------------------------------------------------------


def _is_filtered(args: argparse.Namespace) -> bool:
    return bool(args.state or args.type or args.dimensions)


def _is_shown(args: argparse.Namespace, state: State, cells: str) -> bool:
    """Whether the filters leave a cell, or a crossing: its types and dimensions are those, and it has some."""
    wanted = {"type": args.type, "dimensions": args.dimensions}
    found = [
        wanted[kind] in value.split(BETWEEN_VALUES)
        for row, _, value in (cell.partition("=") for cell in cells.split(" with "))
        if wanted.get(kind := row.partition(" ")[0])
    ]
    is_one = all(found) and bool(found or not any(wanted.values()))
    return is_one and args.state in ("", str(state))


def _check_filters(args: argparse.Namespace, devices: Sequence[DeviceSupport]) -> None:
    """Raise ResultsError for an element type, or a kind of dimensions, that no operation has."""
    operations = [one for device in devices for one in device.operations.values()]
    for start, wanted in (("type ", args.type), ("dimensions=", args.dimensions)):
        cells = {cell for one in operations for cell in one.names()} | {
            f"{row}={value}" for one in operations for row, values in one.not_asked.items() for value in values
        }  # fmt: skip
        values = {cell.partition("=")[2] for cell in cells if cell.startswith(start)}
        if wanted and wanted not in values:
            raise ResultsError(
                f"no {start.strip(' =')} {wanted!r}; there are {', '.join(sorted(values))}"
            )


def _show_support(args: argparse.Namespace, devices: Sequence[DeviceSupport]) -> None:
    _check_filters(args, devices)
    if args.format == "json":
        put(as_json(devices), args)
    elif args.format == "csv":
        put(as_csv(COLUMNS, _rows(args, devices)), args)
    else:
        report = ReportDocument()
        for each in devices:
            _add_support(report, args, each)
        _show(report, args, "Support of " + ", ".join(each.device for each in devices))


def _show(report: ReportDocument, args: argparse.Namespace, title: str) -> None:
    args.format = {"md": "markdown"}.get(args.format, args.format)
    args.max_bytes = None
    show(report, args, title)


def _rows(
    args: argparse.Namespace, devices: Sequence[DeviceSupport]
) -> Iterator[tuple[str | int, ...]]:
    """Yield a line of `COLUMNS` for each cell and crossing that the filters leave."""
    for device in devices:
        for name, operation in device.operations.items():
            cells = [
                *((each, operation.state_of(each), operation.cell(each)) for each in operation.names()),
                *((f"{row}={value}", State.NOT_ASKED, Cell())
                  for row, values in operation.not_asked.items() for value in values),
                *((" with ".join(each.cells), each.state, Cell(each.cases, each.cases, each.causes))
                  for each in operation.crossings),
            ]  # fmt: skip
            single = len(cells) - len(operation.crossings)
            for number, (text, state, cell) in enumerate(cells):
                if not _is_shown(args, state, text):
                    continue
                row, _, value = text.partition("=") if number < single else ("crossing", "", text)
                causes = " ".join(device.causes_of(cell))
                yield (
                    device.device, device.profile, device.openvino, name, row, value, str(state), cell.asked,
                    cell.departing, causes, ", ".join(cell.besides),
                )  # fmt: skip


def _add_filtered(report: ReportDocument, args: argparse.Namespace, device: DeviceSupport) -> None:
    """Add a line for each cell that the filters leave."""
    lines = []
    for *_, name, row, value, state, asked, departing, causes, besides in _rows(args, [device]):
        cell = value if row == "crossing" else f"{row}={value}"
        cases = _cases(Cell(int(asked), int(departing)))
        lines.append([str(each) for each in (name, cell, state, cases, besides, causes)])
    if not lines:
        report.paragraph("No cell is left by --state, --type and --dimensions.")
    header = ["operation", "cell", "state", "cases, or conforming/all", "departs with", "causes"]
    report.table(header, lines, names=3)


def _add_support(report: ReportDocument, args: argparse.Namespace, device: DeviceSupport) -> None:
    report.heading(device.title, 1)
    told = [
        f"{count(device.asked, 'case')} of {count(len(device.operations), 'operation')}, from {device.source}",
        device.full_name,
    ]
    if device.compile_only:
        told.append("Layers were compiled only; their values were not checked.")
    if device.left_out:
        told.append(f"{count(device.left_out, 'case')}, such as graphs, belong to no cell.")
    report.paragraph(". ".join(text.rstrip(".") for text in told if text) + ".")
    if _is_filtered(args):
        _add_filtered(report, args, device)
        return
    if len(device.operations) > DETAILED:
        _add_counts(report, device)
        return
    for name, operation in device.operations.items():
        passed = operation.passed
        report.heading(f"{name}: {passed:,} of {count(operation.asked, 'case')}")
        rows = []
        for row, states in operation.cells.items():
            for state, values in states.items():
                causes = {cause for cell in values.values() for cause in device.causes_of(cell)}
                shown = (", " if state is not State.MIXED else "; ").join(
                    f"{value} ({_cases(cell) if state is not State.MIXED else of_mixed(cell)})"
                    for value, cell in values.items()
                )
                rows.append([row, str(state), shown, ", ".join(sorted(causes))])
        rows += [
            [row, str(State.NOT_ASKED), ", ".join(values), ""]
            for row, values in operation.not_asked.items()
        ]
        order = list(dict.fromkeys([*operation.cells, *operation.not_asked]))
        rows.sort(key=lambda one: order.index(one[0]))
        report.table(["row", "state", "values (cases, or conforming/all)", "causes"], rows, names=4)
        report.table(
            ["fails only in combination, or in a way that has no row", "state", "causes", "cases"],
            [
                [" with ".join(each.cells).replace(BETWEEN_VALUES, ", "), str(each.state),
                 ", ".join(device.causes_of(each)), f"{each.cases:,}"]
                for each in merged(operation.crossings)
            ],
            names=3,
        )  # fmt: skip


def _cases(cell: Cell) -> str:
    return f"{cell.asked - cell.departing}/{cell.asked}" if cell.departing else str(cell.asked)


def _add_counts(report: ReportDocument, device: DeviceSupport) -> None:
    """Add a table of the numbers of cells by their states."""
    totals = {name: _counts(operation) for name, operation in device.operations.items()}
    used = [state for state in State if any(counts[state] for counts in totals.values())]
    report.paragraph(
        "Numbers of cells by state, and of combinations that fail although their parts pass. --operation "
        "NAME prints the cells."
    )
    report.table(
        ["operation", *map(str, used), "combinations", "cases"],
        [
            [
                name,
                *(f"{totals[name][state]:,}" for state in used),
                f"{len(each.crossings):,}",
                f"{each.asked:,}",
            ]
            for name, each in device.operations.items()
        ],
    )


def _counts(operation: OperationSupport) -> Counter[State]:
    found = Counter(operation.state_of(cell) for cell in operation.names())
    found[State.NOT_ASKED] = sum(map(len, operation.not_asked.values()))
    return found


def _show_cell(
    args: argparse.Namespace, sources: Sequence[SupportSource], models: ModuleType
) -> None:
    """Print the cases behind a cell of an operation."""
    _check_operations(sources, args.operation)
    header = ["state", "cause", "besides", "case"]
    row, _, value = args.cell.partition("=")
    rows = []
    report = ReportDocument()
    for device, name, source in (
        (each.support, name, each) for each in sources for name in each.support.operations
    ):
        known = models.rows_of(name)
        if value not in known.get(row, ()):
            told = (
                f"{row} has {', '.join(known[row])}"
                if row in known
                else f"it has {', '.join(known)}"
            )
            raise ResultsError(f"{name} has no cell {args.cell!r}; {told}")
        if not source.cases:
            raise ResultsError("a document has no cases: give results, or the folder of a baseline")
        having = [case for case in source.cases[name] if args.cell in case.cells]
        cases, is_decided = behind(args.cell, having) if having else ([], True)
        state = device.operations[name].state_of(args.cell)
        report.heading(f"{name} on {device.title}: {args.cell} is {state}", 1)
        which = "have it alone" if is_decided else "have it with the least else; none has it alone"
        report.paragraph(f"Of {count(len(having), 'case')} with {args.cell} these {which}.")
        lines = [
            [str(case.state), case.cause, ", ".join(sorted(case.differs - {args.cell})), case.id]
            for case in sorted(cases, key=lambda one: (-one.state.rank, one.id))
        ]
        report.table(header, lines, names=4)
        rows += [[device.device, device.profile, *line] for line in lines]
    _put(report, args, f"Cases behind {args.cell}", ["device", "profile", *header], rows)


def _put(
    report: ReportDocument,
    args: argparse.Namespace,
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> None:
    """Print a page, or the same as CSV. Raises ResultsError for JSON, which is of support alone."""
    if args.format == "json":
        raise ResultsError(f"{title[0].lower()}{title[1:]} is written as text, md, html or csv")
    if args.format == "csv":
        put(as_csv(header, rows), args)
    else:
        _show(report, args, title)


def _show_case(args: argparse.Namespace, models: ModuleType) -> int:
    """Print what each baseline of the suite knows of a case."""
    try:
        asked = models.id_of(args.case)
    except ValueError as error:
        raise ResultsError(f"--case: {error}") from None
    header = ["device", "profile", "OpenVINO", "state", "how it departs", "cause", "baseline"]
    rows = []
    for run, name, case, told in of_case(asked, args.device or "", args.profile or ""):
        rows.append(
            [
                run.device,
                run.profile,
                run.release,
                str(case.state),
                trim(told, 100),
                case.cause,
                name,
            ]
        )
    if not rows:
        raise ResultsError(
            f"the suite ships no baseline of {args.device or ''} {args.profile or ''}".rstrip()
        )
    report = ReportDocument()
    report.heading(asked, 1)
    report.table(header, rows, names=7)
    _put(report, args, "What is known of a case", header, rows)
    return 0


# --- compared -----------------------------------------------------------------------------------------------------


def _show_changes(
    args: argparse.Namespace, there: Sequence[SupportSource], here: Sequence[SupportSource]
) -> None:
    if len(there) != 1 or len(here) != 1:
        raise ResultsError(
            "--against compares two supports: name one --device and --profile, or give a file of one"
        )
    before, now = there[0].support, here[0].support
    if bool(there[0].cases) != bool(here[0].cases):  # one is a document
        before, now = as_documented(before), as_documented(now)
    _check_filters(args, [before, now])
    found, alone, shallow = changes(before, now)
    found = [each for each in found if _is_shown(args, each.here, each.cell)]
    header = ["change", "operation", "cell", "there", "here", "causes"]
    rows = [_row_of(each) for each in found]
    report = ReportDocument()
    numbers = Counter(each.kind for each in found)
    report.heading(f"{now.title}, against {before.title}", 1)
    report.paragraph(
        f"{count(numbers['lost'], 'cell')} lost, {numbers['gained']:,} gained; {alone:,} were tested on one side only."
    )
    if shallow:
        report.paragraph(
            f"Combinations are not compared in {count(shallow, 'operation')}: one side ran many more cases."
        )
    report.table(header, rows, names=6)
    _put(report, args, "Support compared", header, rows)


def _row_of(change: Change) -> list[str]:
    return [
        change.kind, change.operation, change.cell, str(change.there), str(change.here), ", ".join(change.causes),
    ]  # fmt: skip


# --- a model ------------------------------------------------------------------------------------------------------


def _layers(path: Path, models: ModuleType) -> list[ModelLayer]:
    """The layers of a model, of any format. Raises ResultsError."""
    if not path.is_file():
        raise ResultsError(f"{path}: there is no such file")
    with tempfile.TemporaryDirectory(prefix="conformance-support-") as folder:
        ir = path if path.suffix == ".xml" else _converted(path, Path(folder))
        try:
            model = models.read(ir, needs_weights=False)
        except models.NotIRError as error:
            text = str(error)
            raise ResultsError(text if text.startswith(str(ir)) else f"{path}: {text}") from None
        layers = list(models.asked_layers(model))
    if not layers:
        raise ResultsError(f"{path}: the model has no layer")
    return layers


def _converted(path: Path, folder: Path) -> Path:
    """The IR that OpenVINO makes of a model, in a process of its own. Raises ResultsError."""
    target = folder / "model.xml"
    command = [sys.executable, "-m", "devices.runtime.conversion", str(path.resolve()), str(target)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, errors="replace", timeout=_LIMIT,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ResultsError(f"{path}: OpenVINO did not read it within {_LIMIT:g} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = trim(lines[-1], 300) if lines else f"exit status {done.returncode}"
        if "No module named 'openvino'" in why:
            raise ResultsError(f"{path}: reading this format needs openvino: pip install '.[run]'")
        raise ResultsError(f"{path}: OpenVINO does not read it: {why}")
    return target


def _show_model(
    args: argparse.Namespace,
    path: Path,
    layers: Sequence[ModelLayer],
    sources: Sequence[SupportSource],
) -> None:
    told = [(each.support, [(layer, answer(layer, each)) for layer in layers]) for each in sources]
    rows = [
        (support.device, support.profile, layer.title, layer.operation, " ".join(layer.inputs),
         str(one.state), one.why, " ".join(one.causes))
        for support, answers in told
        for layer, one in answers
    ]  # fmt: skip
    header = ("device", "profile", "layer", "operation", "inputs", "state", "why", "causes")
    report = ReportDocument()
    for support, answers in told:
        _add_model(report, path, support, answers, args.all_layers)
    _put(report, args, f"Support of {path.name}", header, rows)


def _add_model(
    report: ReportDocument,
    path: Path,
    support: DeviceSupport,
    answers: Sequence[tuple[ModelLayer, LayerSupport]],
    is_whole: bool,
) -> None:
    order = list(ANSWERS)
    numbers = Counter(str(one.state) for _, one in answers)
    report.heading(f"{path.name} on {support.title}", 1)
    states = [f"{numbers[str(state)]:,} {state}" for state in order if numbers[str(state)]]
    report.paragraph(
        f"{count(len(answers), 'layer')}: {', '.join(states)}. Nothing was run; {support.source}."
    )
    alike: dict[tuple[LayerSupport, str, tuple[str, ...]], list[ModelLayer]] = defaultdict(list)
    for layer, one in answers:
        kinds = tuple(text.partition("[")[0] for text in layer.inputs)
        alike[one, layer.operation, kinds].append(layer)
    lines: list[Item | Remark] = []
    for (one, operation, _), group in sorted(
        alike.items(), key=lambda each: (order.index(each[0][0].state), -len(each[1]))
    ):
        named = group if is_whole else group[:LAYERS_NAMED]
        names = ", ".join(trim(layer.title, 60) for layer in named)
        more = f" and {len(group) - len(named):,} more" if len(named) < len(group) else ""
        lines.append(
            Item(str(one.state), f"{operation} {', '.join(group[0].inputs)}".strip(), one.why)
        )
        lines.append(Remark(f"{count(len(group), 'layer')}: {names}{more}"))
        if one.causes:
            lines.append(Remark(f"causes: {', '.join(one.causes)}"))
    report.items(lines)
