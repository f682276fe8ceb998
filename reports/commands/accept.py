"""``python -m reports accept``: what a run changes in its baseline, in groups, each with the command that takes it."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import DecodeError
from msgspec.json import decode

from reports.documents import Document, Remark, as_text
from reports.documents.blocks import Item
from reports.files import write_text
from reports.gate import baseline_files, causes
from reports.gate.baseline import DEPTHS, Baseline, Corpus, Line, Run, departs, run_of
from reports.gate.baseline_files import families_of, nearest, read_folder, write_folder
from reports.gate.causes import CLASSES, Cause, Causes
from reports.gate.decision import Target
from reports.gate.grouping import KINDS, ChangeGroup, Changes, changes, draft_selector
from reports.options import path_of_option
from reports.results.coverage import gaps, remark
from reports.results.reading import Results, leaf_headers, load
from reports.results.records import ResultsError, Selection
from reports.text import count, printable
from reports.views.choosing import add_causes_argument

ALL = "all"
"""Stands for every group that needs no cause."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m reports accept``."""
    parser.description = (
        "Compare runs with the baseline of their release, and print what they change in it: groups by reason, each "
        "with the command that takes it. Of several results of one run (they need no merge) cases that end in several "
        "ways become nondeterministic. Exit code: 0 nothing is left to take, 1 groups are left, 2 wrong usage or an "
        "unreadable file."
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
        help=f"write these groups into the baseline; {ALL}: every group that needs no cause",
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
    """Print or take groups; return 1 if groups are left."""
    log = _Log(Path(args.results[0]).with_suffix(".accepted.json"))
    if args.take_back:
        return log.take_back()
    known = causes.load(*args.causes)
    results = load(args.results)
    device, profile = _target_of(results, args.target)
    header = results.header(device, profile)
    target_run = run_of(header, device, profile)
    if not target_run.release:
        raise ResultsError(f"{args.results[0]}: the run does not say which OpenVINO it tested")
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
    if args.take:
        taken = _chosen(found, args.take)
        cause = _cause_for(taken, args, known, target_run, log)
        # Of "all" each group keeps its own cause.
        moved = {group.id: cause for group in taken if cause and group.id in args.take}
        asks_all = _asks_all(results, (device, profile))
        _write(folder, target, found, taken, moved, asks_all, log)
        names = ", ".join(group.id for group in taken) or "nothing"
        log.keep(names)
        print(f"taken: {names}; written to {printable(str(folder))}")
        # What is left is told by the files as they are now.
        known = causes.load(*args.causes)
        folder, target = _target(target_run, args.baseline or folder, known)
        found = changes(own, target, is_whole)
    _print(found, target, folder, args, len(list(leaf_headers(results.runs))))
    return int(bool(found.groups))


def _target_of(results: Results, name: str | None) -> tuple[str, str]:
    """The device and profile whose baseline it is about. Raises ResultsError."""
    targets = {baseline_files.name_of(*target): target for target in results.targets()}
    if name is not None:
        if name not in targets:
            raise ResultsError(f"no result of {name}; there are {', '.join(targets)}")
        return targets[name]
    if len(targets) != 1:
        raise ResultsError(
            f"the results have {'several targets, ' + ', '.join(targets) if targets else 'no case'}"
            + ("; choose one with --target" if targets else "")
        )
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
    name = f"{run.release}-{word}" if word else run.release
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
            taken += [group for group in found.groups if not group.needs_cause]
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
    log: _Log,
) -> str:
    """The id of the cause for the groups that are named; a new cause is drafted. Raises ResultsError."""
    if not args.cause:
        needing = next((group.id for group in taken if group.needs_cause), None)
        if needing:
            raise ResultsError(
                f"{needing} needs --cause ID: an existing cause, or the name of a new one"
            )
        return ""
    if known.get(args.cause) is None:
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
        log.remember_folder(directory)
        log.remember(path)
        write_text(path, cause_text(draft, [draft_selector(records)]))
        print(
            f"drafted {printable(str(path))}: complete its title, class, component and the words of the page"
        )
    return str(args.cause)


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


def _write(
    folder: Path,
    target: Target,
    found: Changes,
    taken: Sequence[ChangeGroup],
    moved: Mapping[str, str],
    asks_all: bool,
    log: _Log,
) -> None:
    """Write the baseline with the groups taken; ``moved`` are the causes that the user named, by group.

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
                lines |= {case: target.baseline.lines[case] for case in group.lines}
    for group in taken:
        for case, line in group.lines.items():
            if line is None:
                lines.pop(case, None)
                continue
            name = moved.get(group.id) or (group.cause.id if group.cause else line.cause)
            nondeterministic = _is_nondeterministic(target.causes.get(name))
            lines[case] = replace_line(line, name, nondeterministic)
    run = target.baseline.run if is_there else target.run
    # As long as groups are left, their cases must not count as cases that the baseline's run passed. A run that asks
    # less tells nothing of the crossings of what is new in it, and a shard nothing of the other cases of its purposes.
    corpus = target.baseline.corpus if is_there else Corpus({}, frozenset())
    asks_as_much = not is_there or _asks_as_much(target.run, target.baseline.run)
    if len(taken) == len(found.groups) and asks_as_much and asks_all:
        corpus = found.corpus.joined(corpus) if corpus is not None else found.corpus
    log.remember_folder(folder)
    for path in [
        *folder.glob("*.txt"),
        folder / baseline_files.RUN,
        folder / baseline_files.CORPUS,
    ]:
        log.remember(path)
    before = {path.name for path in folder.glob("*")} if folder.exists() else set()
    for path in write_folder(folder, replace(target.baseline, lines=lines, run=run, corpus=corpus)):
        if path.name not in before:
            log.remember(path, is_new=True)


def replace_line(line: Line, cause: str, is_nondeterministic: bool) -> Line:
    """Return the line with its cause; nondeterministic where the cause is."""
    return line._replace(
        cause=cause, is_nondeterministic=line.is_nondeterministic or is_nondeterministic
    )


def _is_nondeterministic(cause: Cause | None) -> bool:
    return cause is not None and bool(cause.nondeterministic)


def _print(
    found: Changes, target: Target, folder: Path, args: argparse.Namespace, runs: int
) -> None:
    """Print the groups, each with the command that takes it."""
    page = Document()
    name = baseline_files.name_of(target.run.device, target.run.profile)
    base = f"{target.baseline.name} ({count(len(target.baseline.lines), 'departure')})"
    page.paragraph(f"{name}, OpenVINO {target.run.openvino}: {count(runs, 'run')} against {base}")
    if target.differences:
        page.paragraph(f"Not compared case by case: {'; '.join(target.differences)}.")
    if not found.groups:
        page.paragraph(
            f"Nothing to take: {count(len(found.known), 'case')} depart as the baseline says."
        )
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
    base_command = ["python -m reports accept", *map(shlex.quote, args.results)]
    if args.baseline:
        base_command += ["--baseline", shlex.quote(str(args.baseline))]
    for directory in args.causes:
        base_command += ["--causes", shlex.quote(str(directory))]
    command = " ".join(base_command)
    if any(not group.needs_cause for group in found.groups):
        print(f"  {command} --take {ALL}")
    for group in found.groups:
        if group.needs_cause:
            guess = f" {group.cause.id}" if group.cause else " ID"
            print(f"  {command} --take {group.id} --cause{guess}")
    print(f"  {command} --take-back")


class _Log:
    """What files were before each step, beside the results, so that a step can be taken back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: dict[str, str | None] = {}
        self._folders: list[str] = []

    def remember(self, path: Path, is_new: bool = False) -> None:
        """Remember what a file holds before it is written."""
        text = path.read_text("utf-8") if path.exists() and not is_new else None
        self._files.setdefault(str(path.absolute()), text)

    def remember_folder(self, folder: Path) -> None:
        """Remember which folders are made for one that is written to."""
        folder = folder.absolute()
        self._folders += [str(each) for each in (folder, *folder.parents) if not each.exists()]

    def keep(self, name: str) -> None:
        """Write the step down, without files that it did not change."""
        changed = {
            path: text
            for path, text in self._files.items()
            if (Path(path).read_text("utf-8") if Path(path).exists() else None) != text
        }
        if changed:
            step = {"took": name, "files": changed, "folders": self._folders}
            write_text(self.path, json.dumps([*self._steps(), step], indent=1) + "\n")

    def _steps(self) -> list[Any]:
        try:
            return list(decode(self.path.read_bytes())) if self.path.exists() else []
        except (DecodeError, TypeError):
            raise ResultsError(f"{self.path}: is not a list of what was taken") from None

    def take_back(self) -> int:
        """Make the files what they were before the last step."""
        steps = self._steps()
        if not steps:
            raise ResultsError(f"{self.path}: nothing to take back")
        step = steps.pop()
        for name, text in step["files"].items():
            if text is None:
                Path(name).unlink(missing_ok=True)
            else:
                write_text(Path(name), text)
        # Of the folders the innermost come first.
        for name in step["folders"]:
            if Path(name).is_dir() and not any(Path(name).iterdir()):
                Path(name).rmdir()
        if steps:
            write_text(self.path, json.dumps(steps, indent=1) + "\n")
        else:
            self.path.unlink()
        print(f"taken back: {step['took']}")
        return 0
