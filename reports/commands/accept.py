"""``python -m reports accept``: what a run changes in its baseline, in groups, each with the command that takes it."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ir_models.asking.id_parts import MODEL
from reports.gate import baseline_files, causes
from reports.gate.baseline import Relation, Run, departs, relation, run_of
from reports.gate.baseline_files import families_of, nearest
from reports.gate.causes import CLASSES, COMPONENTS, Cause, Causes, components_help
from reports.gate.decision import check_device
from reports.gate.grouping import CHANGES, NEEDS_LOOK, ChangeGroup, Changes
from reports.gate.new_causes import draft
from reports.gate.selectors import CORE
from reports.gate.take_log import Log
from reports.gate.taking import Desk, Moved
from reports.results.files.coverage import gaps, remark
from reports.results.files.locking import InUseError, locked
from reports.results.files.reading import Results, leaf_headers, load
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.options import path_of_option
from reports.results.shared.text import count, listing, printable, trim, wrapped
from reports.views.choosing import add_causes_argument
from reports.views.documents import ReportDocument, as_text
from reports.views.run_end import command_of

ALL = "all"
"""Stands for every group that may be taken without a look at it."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PATIENCE = 60.0  # seconds that a take waits for another one
_WIDTH = 120
_HINTS = 3
"""Causes that a group shows as hints at most."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports accept``."""
    parser.description = (
        "Compare runs with the baseline of their release, and print what they change in it. Changes are grouped by "
        "root cause. Each group has a command that takes it, which means: writes it into the baseline. Results of "
        "several shards need no merge. A case that ends differently in several results becomes nondeterministic. Exit "
        "code: 0 no group is left; 1 groups are left, or the run is incomplete (cut off, or without a shard) and "
        "nothing was taken; 2 wrong usage or an unreadable file."
    )
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULTS", help="results files of runs on one device")
    add(
        "--baseline",
        type=path_of_option,
        metavar="DIR",
        help="the baseline's folder. Default: that of the suite for the device and release; if there is "
        "none, the first "
        "--take makes it from the nearest baseline",
    )
    add_causes_argument(parser, "a folder of causes of your own; new ones are written there")
    add(
        "--target",
        metavar="NAME",
        help="where the results have several devices or profiles, one of them: 'CPU (accuracy)'",
    )
    add(
        "--take",
        nargs="+",
        action="extend",
        default=[],
        metavar="GROUP",
        help=f"write these groups into the baseline. {ALL} leaves out {', '.join(NEEDS_LOOK)} and groups that need a "
        "cause: these are taken by their ids",
    )
    add(
        "--cause",
        metavar="ID",
        help="the cause of the groups that are named. The file of a new one is drafted; nothing is taken before it "
        "is complete",
    )
    add(
        "--named",
        action="store_true",
        help="instead of --cause: record each case of these groups with the cause that names it, narrow or not; a case "
        "that no cause names is an error",
    )
    add(
        "--class",
        dest="kind",
        choices=tuple(CLASSES),
        help=causes.classes_help("class of a new cause"),
    )
    add(
        "--title",
        metavar="TEXT",
        default="",
        help="title of a new cause: operation - condition - what is wrong",
    )
    add(
        "--component",
        choices=tuple(COMPONENTS),
        default="",
        help=components_help("the part of OpenVINO that a new cause is in"),
    )
    add("--page", metavar="TEXT", default="", help="words of the page that a new cause contradicts")
    add(
        "--list",
        nargs="+",
        default=[],
        metavar="GROUP",
        help="print the cases of these groups, a line each: the case, how it ended, and the cause that names it",
    )
    add(
        "--take-back",
        action="store_true",
        help="undo the last --take of these results; only the baseline's folder and folders of causes are written",
    )


def run(args: argparse.Namespace) -> int:
    """Print or take groups; return 1 if groups are left, or nothing was taken of results that are incomplete."""
    _check(args)
    results = load(args.results)
    target = _target_of(results, args.target)
    if not (args.take or args.take_back):
        desk = _desk(results, target, args)
        if desk.log.is_interrupted:
            raise ResultsError(
                f"{desk.log.path}: a take is running, or was interrupted: run it again, or use --take-back"
            )
        known = causes.load(*args.causes)
        return _list(desk, known, args.list) if args.list else _show(desk, known, results, args)
    place = args.baseline.parent if args.baseline else _place(target[0])
    made = [each for each in (place, *place.parents) if not each.exists()]
    place.mkdir(parents=True, exist_ok=True)
    try:
        with _alone_in(place, Path(args.results[0]), causes.DIRECTORY, *args.causes):
            # Another take may have made the baseline meanwhile.
            desk = _desk(results, target, args)
            if args.take_back:
                print(f"taken back: {printable(desk.log.take_back())}")
                return 0
            desk.log.recover()
            names, is_written = _take(desk, args)
            where = f"written to {printable(str(desk.folder))}" if is_written else "no file changed"
            # The cases that ended as known are known to have been asked.
            told = names or ("nothing but which cases were asked" if is_written else "nothing")
            print(f"taken: {told}; {where}")
    finally:
        for each in made:
            with suppress(OSError):  # It has a baseline.
                each.rmdir()
    return _show(desk, causes.load(*args.causes), results, args)


def _check(args: argparse.Namespace) -> None:
    """Raise ResultsError for options that do not go together."""
    if not all(args.results):
        raise ResultsError("expected results files, got ''")
    given = [*(["--cause"] if args.cause else []), *_describing(args)]
    if args.list and (args.take or args.take_back or args.named or given):
        raise ResultsError("--list excludes all options of a take")
    if args.take_back and (args.take or args.named or given):
        raise ResultsError("--take-back excludes all other options of a take")
    if args.named and (given or not set(args.take) - {ALL}):
        raise ResultsError(
            "--named needs --take with ids of groups, and excludes --cause and the options of a new cause"
        )
    if given and not args.take:
        raise ResultsError(f"{listing(given)}: add --take GROUP, whose cause it is")
    if given and not args.cause:
        raise ResultsError(f"{listing(given)}: add --cause ID, the new cause that it describes")
    for text in (args.title, args.page):
        if not text.isprintable():
            raise ResultsError(
                f"--title and --page are one line each, without control characters, got {text!r}"
            )


def _description(args: argparse.Namespace) -> dict[str, str]:
    """What is said of a new cause, by its key in the file; "" where an option was not given."""
    return {
        "title": args.title,
        "class": args.kind or "",
        "component": args.component,
        "page": args.page,
    }


def _describing(args: argparse.Namespace) -> list[str]:
    """The options that are given and describe a new cause."""
    return [f"--{name}" for name, text in _description(args).items() if text]


def _desk(results: Results, target: tuple[str, str], args: argparse.Namespace) -> Desk:
    """The results of one target, and the folder that they are taken into. Raises ResultsError."""
    name = baseline_files.name_of(*target)
    if len(kernels := results.kernels(*target)) > 1:
        raise ResultsError(
            f"{name} has shards of different instruction sets, {listing(kernels)}: a baseline is for one of them; give "
            "the results of one machine"
        )
    run = run_of(results.header(*target), *target)
    if not (run.release or args.baseline):
        raise ResultsError(
            f"{args.results[0]}: the run does not say which OpenVINO it tested; give --baseline"
        )
    folder = args.baseline or _place(run.device) / _name(run)
    if folder.exists() and not folder.is_dir():
        raise ResultsError(
            f"--baseline {folder}: is a file; give a folder. `python -m reports compare` compares two files"
        )
    if (folder / baseline_files.RUN).exists():
        check_device(f"--baseline {folder}", baseline_files.read_run(folder).device, run.device)
    log = Log(
        Path(args.results[0]).with_suffix(".accepted.json"),
        folder,
        (causes.DIRECTORY, *args.causes),
        [Path(each) for each in args.results],
    )
    records = [record for record in results.records if record.target == target]
    return Desk(run, folder, records, log, not remark(results.runs, [target]))


@contextmanager
def _alone_in(*paths: Path) -> Iterator[None]:
    """Hold folders, and the results, which the log of takes is of; wait for another take of them.

    Raises ResultsError where that does not end.
    """
    end = time.monotonic() + _PATIENCE
    places = sorted({path.resolve() for path in paths if path.exists()})
    while True:
        with ExitStack() as held:
            try:
                for place in places:
                    held.enter_context(locked(place))
            except InUseError:
                taken = place
            else:
                yield
                return
        if time.monotonic() > end:
            raise ResultsError(
                f"{taken}: another take or run has been writing for {_PATIENCE:.0f} s; try again when it has ended"
            ) from None
        time.sleep(0.1)


def _target_of(results: Results, name: str | None) -> tuple[str, str]:
    """The device and profile whose baseline it is about. Raises ResultsError."""
    targets = {baseline_files.name_of(*target): target for target in results.targets()}
    if name is not None:
        if name not in targets:
            raise ResultsError(
                f"--target {name}: the results have {', '.join(targets) or 'no case'}"
            )
        return targets[name]
    if len(targets) != 1:
        several = f"several targets, {', '.join(targets)}; choose one with --target"
        raise ResultsError(f"the results have {several if targets else 'no case'}")
    return next(iter(targets.values()))


def _place(device: str) -> Path:
    """The folder of the suite's baselines of a device."""
    return baseline_files.DIRECTORY / families_of(device)[-1]


def _name(run: Run) -> str:
    """The name of the folder of a run's baseline: that of one which is as good, else one made of the release."""
    same = nearest(run)
    if same is not None and relation(baseline_files.read_run(same), run) is Relation.SAME:
        return same.name
    named = re.search(r"(?:opencl|arm|npu)=(.*)", run.profile)
    word = (named[1] if named else "" if run.profile == "accuracy" else run.profile).replace(
        ",", "-"
    )
    words = [run.release, word, f"seed={run.seed}" if run.seed else ""]
    # A setting may have a path in it.
    name = re.sub(r"[^\w.=+-]", "_", "-".join(filter(None, words)))
    is_taken = (_place(run.device) / name / baseline_files.RUN).exists()
    return f"{name}-{run.isa}" if is_taken and run.isa else name


# --- taking -------------------------------------------------------------------------------------------------------


def _take(desk: Desk, args: argparse.Namespace) -> tuple[str, bool]:
    """Write the groups that were chosen into the baseline; return their names, and whether a file changed.

    Raises ResultsError.
    """
    known = causes.load(*args.causes)
    found = desk.changes(known)
    taken = _chosen(found, args.take)
    named = [group for group in taken if group.id in args.take]
    drafts: dict[Path, str] = {}
    cause = known.get(args.cause) if args.cause else None
    if cause is not None and (given := _describing(args)):
        raise ResultsError(
            f"{listing(given)}: the cause is there already; change {cause.path}, and give --cause {cause.id} alone"
        )
    if args.cause and cause is None:
        path, text = _draft(named, desk, args)
        drafts[path] = text
        known = Causes([*known.by_id.values(), causes.parse(path, text)])
    try:
        moved = _moved(taken, named, args, known, desk.run)
    except ResultsError as error:
        if drafts:
            desk.log.write(f"draft of {args.cause}", drafts)
            raise ResultsError(
                f"{error}. The file is drafted and nothing is taken: complete the file, then run the command again"
            ) from None
        raise
    is_written = desk.take(found, taken, moved, known, drafts)
    return ", ".join(group.id for group in taken), is_written


def _chosen(found: Changes, names: Sequence[str]) -> list[ChangeGroup]:
    """The groups of these ids. Raises ResultsError."""
    taken: dict[str, ChangeGroup] = {}
    for name in names:
        if name == ALL:
            taken |= {group.id: group for group in found.groups if not group.needs_look}
            continue
        group = found.group(name)
        if group is None:
            raise _no_such_group(f"--take {name}", found)
        taken[name] = group
    return [*taken.values()]


def _no_such_group(what: str, found: Changes) -> ResultsError:
    ids = ", ".join(group.id for group in found.groups) or "none"
    return ResultsError(f"{what}: there is no such group; there are {ids}")


def _draft(named: Sequence[ChangeGroup], desk: Desk, args: argparse.Namespace) -> tuple[Path, str]:
    """The file of a new cause for the groups that are named. Raises ResultsError."""
    if not _ID.fullmatch(args.cause) or args.cause == baseline_files.NO_CAUSE:
        raise ResultsError(
            f"--cause {args.cause!r}: an id has small letters, digits and hyphens, and is not "
            f"{baseline_files.NO_CAUSE}"
        )
    own = [record for group in named for record in group.records if departs(record)]
    if not own:
        raise ResultsError(
            f"--cause {args.cause}: there is no such cause, and these groups have no departure to draft it from"
        )
    if not args.kind:
        raise ResultsError(
            f"--cause {args.cause}: there is no such cause; a new one needs --class: {listing([*CLASSES])}"
        )
    directory = args.causes[-1] if args.causes else causes.DIRECTORY
    conforming = [record for record in desk.records if record.conforms]
    text = draft(own, conforming, desk.run, _description(args))
    path = directory / f"{args.cause}.toml"
    area = directory / causes.area_of(causes.parse(path, text))
    return area / path.name if area.is_dir() else path, text


def _moved(
    taken: Sequence[ChangeGroup],
    named: Sequence[ChangeGroup],
    args: argparse.Namespace,
    known: Causes,
    run: Run,
) -> Moved:
    """The causes of cases that the user named. Raises ResultsError where one lacks, says too little or is wrong."""
    if args.named:
        return _by_name(named, known, run)
    if not args.cause:
        needing = next((group.id for group in taken if group.needs_cause), None)
        if needing:
            raise ResultsError(
                f"{needing} needs --cause ID: the id of an existing cause, or of a new one"
            )
        return {}
    cause = known.by_id[args.cause]
    family = families_of(run.device)
    if {*family, CORE}.isdisjoint(cause.devices):
        raise ResultsError(
            f"--cause {cause.id}: it is a cause of {', '.join(cause.devices)}; add {family[-1]} to its "
            f"devices in its file"
        )
    if cause.lacks:
        raise ResultsError(f"{cause.path}: add its {listing(cause.lacks)}")
    others = {group.id: _unnamed(group, cause, known, run) for group in named}
    told = [f"{count(len(each), 'case')} of {name}" for name, each in others.items() if each]
    if told:
        example = next(each[0] for each in others.values() if each)
        raise ResultsError(
            f"{cause.id} does not name {listing(told)}, such as {example}: widen its [[select]] in {cause.path}, or "
            f"take these groups to another cause"
        )
    return {case: cause for group in named for case in group.lines}


def _by_name(groups: Sequence[ChangeGroup], known: Causes, run: Run) -> Moved:
    """The cases of groups that depart, each with the cause that names it. Raises ResultsError."""
    found: dict[str, Cause] = {}
    unnamed: dict[str, list[str]] = {}
    for group in groups:
        for record in _departing(group):
            # A departure that a part explains is of the cause of the part, whatever it is itself.
            cause = known.name(group.part_of(record), run)
            if cause is None:
                unnamed.setdefault(group.id, []).append(record.case)
            else:
                found[record.case] = cause
    if unnamed:
        told = (
            f"{name} ({count(len(cases), 'case')}, such as {cases[0]})"
            for name, cases in unnamed.items()
        )
        raise ResultsError(
            f"--named: no cause names cases of {', '.join(told)}; use --cause ID for these groups"
        )
    return found


def _unnamed(group: ChangeGroup, cause: Cause, known: Causes, run: Run) -> list[str]:
    """The cases of a group that depart and that a cause does not name."""
    return [
        record.case
        for record in _departing(group)
        if cause not in known.naming(group.part_of(record), run)
    ]


def _departing(group: ChangeGroup) -> list[CaseRecord]:
    return [record for record in group.records if group.lines.get(record.case) is not None]


def _list(desk: Desk, known: Causes, names: Sequence[str]) -> int:
    """Print the cases of groups; return the exit code. Raises ResultsError."""
    found = desk.changes(known)
    for name in names:
        group = found.group(name)
        if group is None:
            raise _no_such_group(f"--list {name}", found)
        records = {record.case: record for record in group.records}
        for case in sorted(group.lines):
            record = records.get(case)
            outcome = str(record.outcome) if record else "not asked"
            cause = known.name(group.part_of(record), desk.run) if record else None
            print(printable(case), outcome, cause.id if cause else "no cause", sep="\t")
    return 0


# --- printing -----------------------------------------------------------------------------------------------------


def _show(desk: Desk, known: Causes, results: Results, args: argparse.Namespace) -> int:
    """Print the groups that are left; return the exit code."""
    found = desk.changes(known)
    lacking = gaps(results.runs, [(desk.run.device, desk.run.profile)])
    command = _command(args)
    head = _head(found, desk, known, results, lacking, command)
    sys.stdout.write(as_text(head, _width() if sys.stdout.isatty() else None))
    for change, about in CHANGES.items():
        groups = [group for group in found.groups if group.change == change]
        if groups:
            cases = count(sum(len(group.lines) for group in groups), "case")
            print(f"\n{change}: {about} ({count(len(groups), 'group')}, {cases})")
            for group in groups:
                print("\n".join(_block(group, results, command)))
    commands = []
    if not all(group.needs_look for group in found.groups):
        commands.append(f"  {command} --take {ALL}")
    if found.groups and desk.log.has_steps:
        commands.append(f"  {command} --take-back")
    if commands:
        print("\nCommands\n", *commands, sep="\n")
    return int(bool(found.groups or (lacking and not args.take)))


def _head(
    found: Changes,
    desk: Desk,
    known: Causes,
    results: Results,
    lacking: Sequence[str],
    command: str,
) -> ReportDocument:
    """What is compared. ``lacking`` is what the run asked and the results lack."""
    report = ReportDocument()
    if lacking:
        report.paragraph(f"INCOMPLETE: {'; '.join(lacking)}")
    target = desk.target(known)
    name = baseline_files.name_of(target.run.device, target.run.profile)
    known_departures = count(len(target.baseline.known_departures()), "departure")
    base = f"{target.baseline.name} ({known_departures})"
    runs = count(len(list(leaf_headers(results.runs))), "run")
    report.paragraph(f"{name}, OpenVINO {target.run.openvino}: {runs} compared with {base}")
    if target.differences and target.baseline.folder:
        report.paragraph(f"The runs differ: {'; '.join(target.differences)}.")
    if found.without_verdict:
        report.paragraph(
            f"{count(found.without_verdict, 'case')} without a verdict (ABSENT, ERROR) are left out."
        )
    if not found.groups:
        report.paragraph(f"Nothing is left to take in {count(len(found.asked), 'case')}.")
        if target.differences and not desk.is_there:
            report.paragraph(
                f"This run has no baseline of its own yet. This command makes {desk.folder}:"
            )
            report.paragraph(f"  {command} --take {ALL}")
    return report


def _block(group: ChangeGroup, results: Results, command: str) -> list[str]:
    """A group in lines: what its cases have in common, one of them, and what to do."""
    example = group.example
    such = f"such as {example.case if example else group.smallest}"
    if not group.needs_look:
        text = trim(printable(f"  {group.id}  {group.size}: {group.title}"), _width())
        return [text, *(f"    {row}" for row in _few_lines(such, 5))]
    rows = [*_few_lines(group.title, 3), *_few_lines(such, 5)]
    folder = results.folder(example) if example else None
    if folder and folder.is_dir():
        rows.append(f"folder: {printable(str(folder))}")
    elif example and example.purpose != MODEL:
        rows.append("there is no failure folder; this command makes one:")
        rows.append(command_of(example, results))
    if group.named:
        # An id that is cut off is none.
        rows += _few_lines(f"causes that may be right: {', '.join(_hints(group))}", 3)
    cause = " --cause ID" if group.needs_cause else ""
    rows.append(f"{command} --take {group.id}{cause}")
    if group.needs_cause and group.is_named:
        rows.append(f"{command} --take {group.id} --named")
    return ["", f"  {group.id}  {group.size}", *(f"    {row}" for row in rows)]


def _width() -> int:
    """The characters of a line, but for commands: those of the terminal, and 120 at most."""
    return min(_WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _WIDTH


def _few_lines(text: str, most: int) -> list[str]:
    """A text in lines of a group, at most so many."""
    room = _width() - 4
    lines = wrapped(printable(text), room)
    return (
        lines
        if len(lines) <= most
        else [*lines[: most - 1], trim(" ".join(lines[most - 1 :]), room)]
    )


def _hints(group: ChangeGroup) -> list[str]:
    """The causes that name departures of a group, with how many of them they name."""
    whole = len(group.lines) - group.explained
    hints = [
        f"{name} ({'all' if number == whole else f'{number:,} of {whole:,}'})"
        for name, number in group.named.items()
    ]
    return hints if len(hints) <= _HINTS else [*hints[:_HINTS], f"{len(hints) - _HINTS} more"]


def _command(args: argparse.Namespace) -> str:
    """The command without what it takes."""
    words = ["python -m reports accept", *map(shlex.quote, args.results)]
    if args.target:
        words += ["--target", shlex.quote(args.target)]
    if args.baseline:
        words += ["--baseline", shlex.quote(str(args.baseline))]
    for directory in args.causes:
        words += ["--causes", shlex.quote(str(directory))]
    return " ".join(words)
