"""Where support is read from: results files, baselines, and documents of support that were written before."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ir_models.asking.id_parts import GRAPHS, split_id
from reports.gate import baseline_files
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Line, Run, run_of
from reports.results.explained.alike import described_facts
from reports.results.files.reading import Results, load
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.matching import names_operation
from reports.support.measured import (
    VERSION,
    CaseState,
    Declared,
    DeviceSupport,
    State,
    SupportDocument,
    Tested,
    by_cells,
    measured,
    state_of,
    unpacked,
    worst,
)

SHIPPED = Path(__file__).with_name("shipped")
"""The documents of the baselines that the suite ships; in ``releases`` those of runs of earlier releases."""


def document_of(folder: Path) -> Path:
    """Return where the document of a shipped baseline is."""
    return SHIPPED / f"{folder.parent.name}-{folder.name}.json"


def documented(declared: Declared) -> list[Path]:
    """Return the folders of the shipped baselines that have a document: those whose run asked layers, not graphs alone.

    Raises BaselineError.
    """
    names = frozenset(declared.operation_names())
    folders = sorted(
        path.parent for path in baseline_files.DIRECTORY.glob(f"*/*/{baseline_files.RUN}")
    )
    return [
        folder
        for folder in folders
        if not baseline_files.read_asked(folder).operations.isdisjoint(names)
    ]


@dataclass
class SupportSource:
    """A device's support, and the cases behind it; none where a document is all that there is."""

    support: DeviceSupport
    cases: dict[str, list[Tested]] = field(default_factory=dict)


def read(
    paths: Sequence[Path], declared: Declared, operations: Collection[str] = ()
) -> list[SupportSource]:
    """Return the support of each device and profile in results files, baselines' folders and documents.

    ``operations``: only these. Raises ResultsError, BaselineError.
    """
    results = [path for path in paths if not path.is_dir() and path.suffix != ".json"]
    found = _of_results(results, declared, operations) if results else []
    for path in paths:
        if path.is_dir():
            found.append(of_baseline(path, declared, operations))
        elif path.suffix == ".json":
            found += [SupportSource(each) for each in _of_document(path, operations)]
    return found


def _of_document(path: Path, operations: Collection[str]) -> Iterator[DeviceSupport]:
    try:
        document = msgspec.json.decode(path.read_bytes(), type=SupportDocument)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: is no support of version {VERSION}: {error}") from None
    for device in document.devices:
        kept = {
            name: unpacked(each)
            for name, each in device.operations.items()
            if _is_chosen(name, operations)
        }
        yield msgspec.structs.replace(device, operations=kept)


def _is_chosen(name: str, operations: Collection[str]) -> bool:
    return not operations or names_operation(operations, name)


def _of_results(
    paths: Sequence[Path], declared: Declared, operations: Collection[str]
) -> list[SupportSource]:
    results = load(paths, leave_out_cut=True)
    return [of_target(results, target, declared, operations) for target in results.targets()]


def of_target(
    results: Results, target: tuple[str, str], declared: Declared, operations: Collection[str] = ()
) -> SupportSource:
    """Return the support that results show of one device and profile."""
    run = run_of(results.header(*target), *target)
    cases = [
        CaseState(record.case, _state_of_record(record, run.compile_only), record.cause)
        for record in results.records
        if record.target == target and _is_chosen(record.operation, operations)
    ]
    names = ", ".join(path.name for path in results.paths)
    return _source(run, target[1], names, cases, 0, declared)


def _state_of_record(record: CaseRecord, compile_only: bool) -> State:
    if record.outcome is Outcome.COMPILED:
        return State.COMPILES
    if record.conforms:
        return State.CONFORMS
    return state_of(record.outcome, record.facts, compile_only)


def of_baseline(
    folder: Path,
    declared: Declared,
    operations: Collection[str] = (),
    corpus: tuple[str, int, int] | None = None,
) -> SupportSource:
    """Return the support that a baseline shows: its cases are the corpus' that its run asked. Raises BaselineError.

    ``corpus`` is the depth, the draws and the seed of one that holds that of the run: several baselines may share it.
    """
    baseline = baseline_files.read_folder(folder)
    run = baseline.run
    cases, missing = _cases_of(
        baseline, declared, operations, corpus or (run.depth, run.random, run.seed)
    )
    return _source(run, run.profile, f"baseline {baseline.name}", cases, missing, declared)


def _cases_of(
    baseline: Baseline,
    declared: Declared,
    operations: Collection[str],
    corpus: tuple[str, int, int],
) -> tuple[list[CaseState], int]:
    """The cases of a baseline, and how many it asked whose ids are not known, as it has these by their hashes."""
    run, asked = baseline.run, baseline.asked
    if not isinstance(asked, AskedCases):
        return [], 0
    departures = baseline.departures()
    cases: dict[str, CaseState] = {}
    chosen = {name for name in asked.operations if _is_chosen(name, operations)}
    for name in sorted(chosen):
        try:
            ids = declared.cases_asked(name, *corpus)
        except ValueError:  # the pattern of a graph, or no operation of this suite
            continue
        for case in ids:
            if case in asked:
                cases[case] = _case(case, None, run)
    for case, line in departures.items():
        if case.partition("/")[0] in chosen:
            cases[case] = _case(case, line, run)
    own = AskedCases({row: tokens for row, tokens in asked.rows.items() if row[0] in chosen})
    return list(cases.values()), max(own.number - len(cases), 0)


def _case(case: str, line: Line | None, run: Run) -> CaseState:
    """A case of a baseline by its line, None if it conforms."""
    if line is not None:
        states = (state_of(each.outcome, each.facts, run.compile_only) for each in line.endings)
        return CaseState(case, worst(states), line.cause)
    is_inferred = not run.compile_only or split_id(case).purpose == "invalid"
    return CaseState(case, State.CONFORMS if is_inferred else State.COMPILES)


def of_case(
    case: str, device: str = "", profile: str = ""
) -> Iterator[tuple[Run, str, CaseState, str]]:
    """Yield what each shipped baseline knows of a case: its run, its name, the case, and how this departs.

    Only what the run itself asked is known. Raises BaselineError.
    """
    directory = baseline_files.DIRECTORY
    folders = sorted(path.parent for path in directory.glob(f"*/*/{baseline_files.RUN}"))
    for folder in folders:
        run = baseline_files.read_run(folder)
        if device not in ("", run.device) or profile not in ("", run.profile):
            continue
        baseline = baseline_files.read_folder(folder)
        line = baseline.departures().get(case)
        if line is None and case not in baseline.asked:
            yield run, baseline.name, CaseState(case, State.NOT_ASKED), ""
        else:
            told = [described_facts(*each) for each in line.endings] if line else []
            yield run, baseline.name, _case(case, line, run), " or ".join(dict.fromkeys(told))


def _source(
    run: Run, profile: str, name: str, cases: Sequence[CaseState], missing: int, declared: Declared
) -> SupportSource:
    by_operation = by_cells(cases, declared)
    supported, causes = measured(by_operation, declared)
    number = sum(map(len, by_operation.values()))
    graphs = sum(1 for case in cases if f"/{GRAPHS}/" in case.id)
    support = DeviceSupport(
        device=run.device, profile=profile, openvino=run.openvino, full_name=run.full_name,
        driver=run.driver, isa=run.isa, compile_only=run.compile_only, f16=run.f16, depth=run.depth,
        source=name, asked=number, left_out=missing + graphs, causes=causes,
        operations=supported,
    )  # fmt: skip
    return SupportSource(support, by_operation)
