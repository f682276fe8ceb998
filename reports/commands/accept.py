"""``python -m reports accept``: what a run changes in its baseline, in groups, each with the command that takes it."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ir_models.asking.id_parts import GRAPHS
from reports.documents import Document, Remark, as_text
from reports.documents.blocks import Item
from reports.files import write_text
from reports.gate import baseline_files, causes
from reports.gate.baseline import DEPTHS, Baseline, Corpus, Line, Run, departs, run_of
from reports.gate.baseline_files import families_of, nearest, read_folder, write_folder
from reports.gate.causes import CLASSES, Causes
from reports.gate.decision import Target
from reports.gate.grouping import KINDS, NEEDS_LOOK, ChangeGroup, Changes, changes, draft_selector
from reports.gate.selectors import CORE
from reports.options import path_of_option
from reports.results.coverage import gaps, remark
from reports.results.reading import Results, leaf_headers, load
from reports.results.records import ResultsError, Selection
from reports.text import count, listing, printable
from reports.views.choosing import add_causes_argument

ALL = "all"
"""Stands for every group that may be taken without a look at it."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports accept``."""
    parser.description = (
        "Compare runs with the baseline of their release, and print what they change in it: groups by reason, each "
        "with the command that takes it. Of several results of one run (they need no merge) cases that end in several "
        "ways become nondeterministic. Exit code: 0 nothing is left to take, 1 groups are left, or a run was cut off "
        "or a shard is missing and nothing is taken, 2 wrong usage or an unreadable file."
    )
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULTS", help="results files of runs on one device")
    add(
        "--baseline",
        type=path_of_option,
        metavar="DIR",
        help="the baseline's folder (default: that of the suite for the device and release; made if there is none, "
        "from the nearest)",
    )
    add_causes_argument(parser, "a folder of causes of your own; new ones are written there")
    add(
        "--target",
        metavar="NAME",
        help="device and profile, CPU (accuracy), of results that have several",
    )
    add(
        "--take",
        nargs="+",
        action="extend",
        default=[],
        metavar="GROUP",
        help=f"write these groups into the baseline; {ALL}: all but {', '.join(NEEDS_LOOK)}, which are taken by name",
    )
    add(
        "--cause",
        metavar="ID",
        help="the cause of groups that have none; its file is drafted if there is none",
    )
    add(
        "--class",
        dest="kind",
        choices=tuple(CLASSES),
        default="defect",
        help=causes.classes_help("class of a new cause, defect by default"),
    )
    add(
        "--title",
        metavar="TEXT",
        help="title of a new cause: operation - condition - what is wrong",
    )
    add("--page", metavar="TEXT", default="", help="words of the page that it contradicts")
    add("--take-back", action="store_true", help="undo the last --take of these results")


def run(args: argparse.Namespace) -> int:
    """Print or take groups; return 1 if groups are left, or nothing was taken of results that are incomplete."""
    if not all(args.results):
        raise ResultsError("expected results files, got ''")
    log = _Log(Path(args.results[0]).with_suffix(".accepted.json"))
    if args.take_back:
        if args.take or args.cause or args.title:
            raise ResultsError("--take-back goes without --take, --cause and --title")
        return log.take_back(args.baseline)
    if (args.cause or args.title) and not args.take:
        raise ResultsError("--cause and --title are of a group that is taken: give --take")
    known = causes.load(*args.causes)
    results = load(args.results)
    device, profile = _target_of(results, args.target)
    if len(kernels := results.kernels(device, profile)) > 1:
        raise ResultsError(
            f"{baseline_files.name_of(device, profile)} has shards with kernels for {listing(kernels)}: a baseline is "
            "of one kind; give the results of one machine"
        )
    header = results.header(device, profile)
    target_run = run_of(header, device, profile)
    if not (target_run.release or args.baseline):
        raise ResultsError(
            f"{args.results[0]}: the run does not say which OpenVINO it tested; give --baseline"
        )
    folder, target = _target(target_run, args.baseline, known)
    own = [record for record in results.records if record.target == (device, profile)]
    is_whole = not remark(results.runs, [(device, profile)]) and _asks_as_much(
        target_run, target.baseline.run
    )
    found = changes(own, target, is_whole)
    if args.take and target.differences and (folder / baseline_files.RUN).exists():
        raise ResultsError(
            f"{folder} is the baseline of another run ({'; '.join(target.differences)}): give the name of a new folder "
            "with --baseline; it is made from this one"
        )
    asks_all = _asks_all(results, (device, profile))
    if args.take:
        taken = _chosen(found, args.take)
        if not args.baseline and (
            lacks := _lacks(found, target, folder, results, (device, profile))
        ):
            raise ResultsError(
                f"{lacks}: {folder} is made from a whole run; --baseline names a folder of your own"
            )
        names = ", ".join(group.id for group in taken) or "nothing"
        cause, draft = _cause_for(taken, args, known, target_run)
        # Of "all" each group keeps its own cause.
        moved = {group.id: cause for group in taken if cause and group.id in args.take}
        after = _baseline_after(folder, target, found, taken, moved, asks_all)
        with log.step(names, [*baseline_files.paths_of(folder, after), *draft]):
            for path, text in draft.items():
                write_text(path, text)
                print(
                    f"drafted {printable(str(path))}: complete its title, class, component and the words of the page"
                )
            write_folder(folder, after)
        print(f"taken: {names}; written to {printable(str(folder))}")
        # What is left is told by the files as they are now.
        known = causes.load(*args.causes)
        folder, target = _target(target_run, args.baseline or folder, known)
        found = changes(own, target, is_whole)
    lacking = gaps(results.runs, [(device, profile)])
    lacks = "" if args.baseline else _lacks(found, target, folder, results, (device, profile))
    _print(found, target, folder, args, results, asks_all, lacking, lacks)
    return int(bool(found.groups or (lacking and not args.take)))


def _lacks(
    found: Changes, target: Target, folder: Path, results: Results, of: tuple[str, str]
) -> str:
    """What a run lacks of one that makes a new baseline beside those that are shipped, in words; "" if nothing.

    A baseline made of it would be the nearest to every later run of its release, kernels and seed.
    """
    if nearest(target.run) is None or (folder / baseline_files.RUN).exists():
        return ""
    corpus = target.baseline.corpus
    purposes = {} if corpus is None else corpus.purposes
    there = {name for name, each in purposes.items() if each != {GRAPHS}}
    if lacking := sorted(there - found.operations):
        return (
            f"the run has no case of {count(len(lacking), 'operation')} of {target.baseline.name}, such as "
            f"{lacking[0]}"
        )
    # The ways of asking are written down with a baseline.
    runs = [
        msgspec.structs.replace(header, selection=_of_all_ways(header.selection))
        for header in leaf_headers(results.runs)
    ]
    part = remark(runs, [of]).removeprefix("Part of the cases: ")
    return f"the run is of a part of the cases ({part})" if part else ""


def _of_all_ways(selection: Selection | None) -> Selection | None:
    """A selection as if it had asked its cases in all ways."""
    if selection is None:
        return None
    filters = [each for each in selection.filters if not each.startswith("--how ")]
    return msgspec.structs.replace(selection, filters=filters)


def _target_of(results: Results, name: str | None) -> tuple[str, str]:
    """The device and profile whose baseline it is about. Raises ResultsError."""
    targets = {baseline_files.name_of(*target): target for target in results.targets()}
    if name is not None:
        if name not in targets:
            raise ResultsError(f"no result of {name}; there are {', '.join(targets)}")
        return targets[name]
    if len(targets) != 1:
        several = f"several targets, {', '.join(targets)}; choose one with --target"
        raise ResultsError(f"the results have {several if targets else 'no case'}")
    return next(iter(targets.values()))


def _target(run: Run, given: Path | None, known: Causes) -> tuple[Path, Target]:
    """The folder to write, and what the gate knows: by the baseline that the folder holds, or by the nearest one."""
    folder = given or baseline_files.DIRECTORY / families_of(run.device)[-1] / _name(run)
    if folder.exists() and not folder.is_dir():
        raise ResultsError(
            f"--baseline {folder} is a file, and a folder is written; `python -m reports compare` compares two files"
        )
    # Of a folder that holds other files the missing one is told.
    if folder.exists() and any(folder.iterdir()):
        return folder, Target(run, read_folder(folder), known)
    base = nearest(run)
    return folder, Target(run, read_folder(base) if base else Baseline(name="none"), known)


def _name(run: Run) -> str:
    """The name of the folder of a run's baseline: that of one which is as good, else one made of the release."""
    same = nearest(run)
    if same is not None and not Target(run, read_folder(same), Causes()).differences:
        return same.name
    named = re.search(r"(?:opencl|arm|npu)=(.*)", run.profile)
    word = (named[1] if named else "" if run.profile == "accuracy" else run.profile).replace(
        ",", "-"
    )
    # A setting may have a path in it.
    name = re.sub(r"[^\w.=+-]", "_", f"{run.release}-{word}" if word else run.release)
    taken = baseline_files.DIRECTORY / families_of(run.device)[-1] / name
    return f"{name}-{run.isa}" if (taken / baseline_files.RUN).exists() and run.isa else name


def _asks_as_much(run: Run, base: Run) -> bool:
    return (
        DEPTHS.index(run.depth) >= DEPTHS.index(base.depth)
        and run.random >= base.random
        and run.seed == base.seed
    )


def _asks_all(results: Results, target: tuple[str, str]) -> bool:
    """Whether the runs asked every case of their purposes: no shard alone, no cases by name, and to their end."""
    filters = {
        each
        for header in leaf_headers(results.runs)
        for each in (header.selection or Selection()).filters
    }
    return not gaps(results.runs, [target]) and all(each.startswith("--how ") for each in filters)


def _chosen(found: Changes, names: Sequence[str]) -> list[ChangeGroup]:
    """The groups of these ids. Raises ResultsError."""
    taken = []
    for name in names:
        if name == ALL:
            taken += [group for group in found.groups if not group.needs_look]
            continue
        group = found.group(name)
        if group is None:
            ids = ", ".join(group.id for group in found.groups) or "none"
            raise ResultsError(f"no group {name!r}; there are {ids}")
        taken.append(group)
    return taken


def _cause_for(
    taken: Sequence[ChangeGroup],
    args: argparse.Namespace,
    known: Causes,
    run: Run,
) -> tuple[str, dict[Path, str]]:
    """The id of the cause for the groups that are named, and the file of a new one. Raises ResultsError."""
    if not args.cause:
        needing = next((group.id for group in taken if group.needs_cause), None)
        if needing:
            raise ResultsError(
                f"{needing} needs --cause ID: an existing cause, or the name of a new one"
            )
        return "", {}
    existing = known.get(args.cause)
    devices = {*families_of(run.device), CORE}
    if existing is not None and devices.isdisjoint(existing.devices):
        raise ResultsError(
            f"--cause {args.cause}: it is of {', '.join(existing.devices)}; add {families_of(run.device)[-1]} to "
            "its devices"
        )
    if existing is None:
        for text in (args.title or "", args.page):
            if not text.isprintable():
                raise ResultsError(
                    f"a title, or words of a page, with a sign that no line has: {text!r}"
                )
        directory = args.causes[-1] if args.causes else causes.DIRECTORY
        path = directory / f"{args.cause}.toml"
        if not _ID.fullmatch(args.cause) or args.cause == baseline_files.NO_CAUSE:
            raise ResultsError(
                f"--cause {args.cause!r}: an id has small letters, digits and hyphens, and is not "
                f"{baseline_files.NO_CAUSE}"
            )
        records = [r for g in taken if g.id in args.take for r in g.records if departs(r)]
        if not records:
            raise ResultsError(
                f"--cause {args.cause}: there is no such cause, and these groups have no departure to draft it from"
            )
        smallest = min((record.case for record in records), key=lambda case: (len(case), case))
        title = args.title or f"{records[0].operation.rpartition('-')[0]} - to be described"
        draft = {
            "title": title,
            "class": args.kind,
            "component": "",
            "page": args.page,
            "smallest": smallest,
            "since": run.release,
            "devices": [families_of(run.device)[-1]],
            "notes": "",
        }
        return args.cause, {path: cause_text(draft, [draft_selector(records)])}
    return args.cause, {}


def cause_text(content: Mapping[str, Any], selectors: Sequence[Mapping[str, object]]) -> str:
    """Return the text of a cause's file."""
    rows = [f"{name} = {_toml(value)}" for name, value in content.items()]
    for selector in selectors:
        rows += [
            "",
            "[[select]]",
            *(f"{name} = {_toml(value)}" for name, value in selector.items()),
        ]
    return "\n".join(rows) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(n)} = {_toml(each)}" for n, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """A name as a key; the factors of graphs have dots, which would make tables of it."""
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name)


def _baseline_after(
    folder: Path,
    target: Target,
    found: Changes,
    taken: Sequence[ChangeGroup],
    moved: Mapping[str, str],
    asks_all: bool,
) -> Baseline:
    """The baseline with the groups taken; ``moved`` are the causes that the user named, by group.

    ``asks_all`` says that the run asked every case of the purposes that it has.
    """
    is_there = (folder / baseline_files.RUN).exists()
    # A new release's baseline has what departs as the nearest one says, and what is taken.
    lines: dict[str, Line] = dict(target.baseline.lines) if is_there else dict(found.known)
    if not is_there:
        # What is better, worse or no longer asked stays in it until it is taken.
        names = {group.id for group in taken}
        for group in found.groups:
            if group.kind in ("fixed", "worse", "gone") and group.id not in names:
                before = target.baseline.lines
                lines |= {case: before[case] for case in group.lines if case in before}
    for group in taken:
        for case, line in group.lines.items():
            if line is None:
                lines.pop(case, None)
                continue
            name = moved.get(group.id) or (group.cause.id if group.cause else line.cause)
            lines[case] = line.with_cause(name, name in target.causes.nondeterministic)
    run = target.baseline.run if is_there else target.run
    # A run that asks less tells nothing of the crossings of what is new in it, and a shard nothing of the other cases
    # of its purposes.
    corpus = target.baseline.corpus if is_there else Corpus({}, frozenset())
    if asks_all and (not is_there or _asks_as_much(target.run, target.baseline.run)):
        # What departs and is not taken did not pass; what is broken did, in the run of the baseline.
        open_groups = [g for g in found.groups if g not in taken and g.kind in ("new", "known")]
        left = frozenset(case for group in open_groups for case in group.lines)
        asked = replace(found.corpus, left=left)
        if corpus is None or asked.covers(corpus):
            run = replace(run, depth=target.run.depth, random=target.run.random)
        corpus = asked if corpus is None else asked.joined(corpus)
    if corpus is not None:
        corpus = replace(corpus, left=corpus.left.difference(lines))
    return replace(target.baseline, lines=lines, run=run, corpus=corpus)


def _print(
    found: Changes,
    target: Target,
    folder: Path,
    args: argparse.Namespace,
    results: Results,
    asks_all: bool,
    lacking: Sequence[str],
    lacks: str,
) -> None:
    """Print the groups, each with the command that takes it.

    ``lacking`` are parts that the run asked for and the results lack, ``lacks`` says why no baseline is made of it.
    """
    page = Document()
    if lacking:
        page.paragraph(f"INCOMPLETE: {'; '.join(lacking)}")
    name = baseline_files.name_of(target.run.device, target.run.profile)
    base = f"{target.baseline.name} ({count(len(target.baseline.lines), 'departure')})"
    runs = count(len(list(leaf_headers(results.runs))), "run")
    page.paragraph(f"{name}, OpenVINO {target.run.openvino}: {runs} against {base}")
    if target.differs_in_release_alone:
        page.paragraph(f"Another release: {target.differences[0]}.")
    elif target.differences:
        page.paragraph(f"Not compared case by case: {'; '.join(target.differences)}.")
    if found.without_verdict:
        page.paragraph(f"{count(found.without_verdict, 'case')} without a verdict (ABSENT, ERROR).")
    if not asks_all:
        page.paragraph(
            "A part of the cases: what it does not have counts as asked when a whole run is taken."
        )
    if lacks:
        page.paragraph(
            f"No baseline is made of it: {lacks}; --baseline names a folder of your own."
        )
    command = f"{_command(args)} --baseline FOLDER" if lacks else _command(args)
    if not found.groups:
        depart = "1 case departs" if len(found.known) == 1 else f"{len(found.known):,} cases depart"
        page.paragraph(f"Nothing to take: {depart} as the baseline says.")
        is_there = (folder / baseline_files.RUN).exists()
        if target.differences and not is_there and not lacks:
            page.paragraph(f"There is no baseline of this run yet. This makes {folder}:")
            page.paragraph(f"  {command} --take {ALL}")
        sys.stdout.write(as_text(page))
        return
    kinds = {kind: [g for g in found.groups if g.kind == kind] for kind in KINDS}
    for kind, groups in kinds.items():
        if not groups:
            continue
        cases = sum(len(group.lines) for group in groups)
        page.heading(f"{kind}: {KINDS[kind]} ({count(cases, 'case')})", 3)
        lines: list[Item | Remark] = []
        for group in groups:
            lines.append(Item(group.id, group.text, f"such as {group.smallest}"))
        page.items(lines)
    page.heading("Commands", 3)
    sys.stdout.write(as_text(page))
    if not all(group.needs_look for group in found.groups):
        print(f"  {command} --take {ALL}")
    for group in found.groups:
        if group.needs_cause:
            guess = f" {group.cause.id}" if group.cause else " ID"
            print(f"  {command} --take {group.id} --cause{guess}")
        elif group.needs_look:
            print(f"  {command} --take {group.id}")
    print(f"  {command} --take-back")


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


class _Step(msgspec.Struct):
    """What files were before a step, and what they are behind it.

    ``after`` has the digests of the texts that the step wrote, "" for a file that it removed. An interrupted step has
    none, and all files that it could have changed.
    """

    took: str
    files: dict[str, str | None]
    folders: list[str]
    after: dict[str, str] = {}


class _Log:
    """What files were before each step, beside the results, so that a step can be taken back."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def step(self, name: str, paths: Iterable[Path]) -> Iterator[None]:
        """Write down what these files are before a step changes them, and afterwards those that it changed."""
        steps = self._steps()
        before = {str(path.absolute()): _text_of(path) for path in paths}
        folders = [
            str(each)
            for folder in dict.fromkeys(Path(path).parent for path in before)
            for each in (folder, *folder.parents)
            if not each.exists()
        ]
        self._write([*steps, _Step(name, before, list(dict.fromkeys(folders)))])
        yield
        now = {path: _text_of(Path(path)) for path in before}
        changed = {path: text for path, text in before.items() if now[path] != text}
        after = {path: _digest(now[path]) for path in changed}
        self._write([*steps, _Step(name, changed, folders, after)] if changed else steps)

    def _write(self, steps: Sequence[_Step]) -> None:
        if steps:
            write_text(self.path, msgspec.json.encode(steps).decode() + "\n")
        else:
            self.path.unlink(missing_ok=True)

    def _steps(self) -> list[_Step]:
        if not self.path.exists():
            return []
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=list[_Step])
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ResultsError(f"{self.path}: is not a list of what was taken") from None

    def take_back(self, folder: Path | None) -> int:
        """Make the files what they were before the last step. Raises ResultsError if that would lose a later change."""
        steps = self._steps()
        if not steps:
            raise ResultsError(f"{self.path}: nothing to take back")
        step = steps.pop()
        for name, digest in step.after.items():
            if _digest(_text_of(Path(name))) != digest:
                raise ResultsError(
                    f"{name}: it has changed since it was written; take back by hand"
                )
        if folder is not None and not any(
            Path(name).parent == folder.absolute() for name in step.files
        ):
            raise ResultsError(
                f"--baseline {folder}: the last step took something into another folder"
            )
        for name, text in step.files.items():
            if text is None:
                Path(name).unlink(missing_ok=True)
            elif _text_of(Path(name)) != text:
                write_text(Path(name), text)
        # Of the folders the innermost come first.
        for name in step.folders:
            if Path(name).is_dir() and not any(Path(name).iterdir()):
                Path(name).rmdir()
        self._write(steps)
        print(f"taken back: {step.took}")
        return 0


def _text_of(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()
