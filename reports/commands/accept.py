"""``python -m reports accept``: what a run changes in its baseline, in groups, each with the command that takes it."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reports.documents import Document, Remark, as_text
from reports.documents.blocks import Item
from reports.files import write_text
from reports.gate import baseline_files, causes, precision
from reports.gate.asked import Asked
from reports.gate.baseline import (
    DEPTHS,
    PASSES,
    Baseline,
    Relation,
    Run,
    departs,
    is_same_machine,
    relation,
    run_of,
)
from reports.gate.baseline_files import families_of, nearest, read_folder, rebased, write_folder
from reports.gate.causes import CLASSES, COMPONENTS, TO_DESCRIBE, Cause, Causes
from reports.gate.decision import Target, target_of
from reports.gate.drafting import draft_selectors
from reports.gate.grouping import KINDS, NEEDS_LOOK, ChangeGroup, Changes, changes
from reports.gate.review import REVIEW, review
from reports.gate.selectors import CORE
from reports.gate.take_log import Log
from reports.options import path_of_option
from reports.results.coverage import gaps, remark
from reports.results.locking import InUseError, locked_folder
from reports.results.reading import Results, leaf_headers, load
from reports.results.records import CaseRecord, ResultsError
from reports.text import count, listing, printable
from reports.views.choosing import add_causes_argument

ALL = "all"
"""Stands for every group that may be taken without a look at it."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PATIENCE = 60.0  # seconds that a take waits for another one


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
        help="the cause of groups that have none. The file of a new one is drafted, and must be complete before "
        "anything is taken to it",
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
    add(
        "--component",
        choices=tuple(filter(None, COMPONENTS)),
        default="",
        help="component of a new cause: where it stands",
    )
    add("--page", metavar="TEXT", default="", help="words of the page that it contradicts")
    add(
        "--take-back",
        action="store_true",
        help="undo the last --take of these results, in the baseline's folder and those of causes alone",
    )


def run(args: argparse.Namespace) -> int:
    """Print or take groups; return 1 if groups are left, or nothing was taken of results that are incomplete."""
    if not all(args.results):
        raise ResultsError("expected results files, got ''")
    if args.take_back and (args.take or args.cause or args.title):
        raise ResultsError("--take-back goes without --take, --cause and --title")
    if (args.cause or args.title) and not args.take:
        raise ResultsError("--cause and --title are of a group that is taken: give --take")
    results = load(args.results)
    device, profile = _target_of(results, args.target)
    if len(kernels := results.kernels(device, profile)) > 1:
        raise ResultsError(
            f"{baseline_files.name_of(device, profile)} has shards with kernels for {listing(kernels)}: a baseline is "
            "of one kind; give the results of one machine"
        )
    run = run_of(results.header(device, profile), device, profile)
    if not (run.release or args.baseline):
        raise ResultsError(
            f"{args.results[0]}: the run does not say which OpenVINO it tested; give --baseline"
        )
    folder = args.baseline or baseline_files.DIRECTORY / families_of(device)[-1] / _name(run)
    if folder.exists() and not folder.is_dir():
        raise ResultsError(
            f"--baseline {folder} is a file, and a folder is written; `python -m reports compare` compares two files"
        )
    log = Log(Path(args.results[0]).with_suffix(".accepted.json"))
    own = [record for record in results.records if record.target == (device, profile)]
    desk = _Desk(args, results, run, folder, own, log)
    if not (args.take or args.take_back):
        return desk.show(causes.load(*args.causes))
    # Two takes at once would lose what one of them took.
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(folder.parent):
        if args.take_back:
            return log.take_back(folder, [*args.causes, causes.DIRECTORY])
        desk.take(causes.load(*args.causes))
    return desk.show(causes.load(*args.causes))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder of baselines; wait for another take. Raises ResultsError where that does not end."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            with locked_folder(folder):
                yield
                return
        except InUseError:
            if time.monotonic() > end:
                raise ResultsError(f"{folder}: another take does not end; try again") from None
            time.sleep(0.1)


@dataclass
class _Desk:
    """The results of one target, and the folder that they are taken into."""

    args: argparse.Namespace
    results: Results
    run: Run
    folder: Path
    records: list[CaseRecord]
    log: Log

    @property
    def is_there(self) -> bool:
        """Whether the folder holds a baseline."""
        return (self.folder / baseline_files.RUN).exists()

    @property
    def of(self) -> list[tuple[str, str]]:
        """The device and profile."""
        return [(self.run.device, self.run.profile)]

    def target(self, known: Causes) -> Target:
        """What the gate knows: by the baseline that the folder holds, or by the nearest one."""
        if self.is_there or (self.folder.exists() and any(self.folder.iterdir())):
            # A folder that holds other files lacks the run, which the error says.
            return target_of(self.run, read_folder(self.folder), known)
        return target_of(self.run, self._nearest(), known)

    def origin(self, known: Causes) -> Target:
        """The same with the baseline as it was before the first group of these results was taken."""
        before = self.log.before(self.folder)
        if before.get(baseline_files.RUN, "") is None:
            return target_of(self.run, self._nearest(), known)
        if not before:
            return self.target(known)
        return target_of(self.run, read_folder(self.folder, before), known)

    def _nearest(self) -> Baseline:
        found = nearest(self.run)
        return read_folder(found) if found else Baseline(name="none")

    def changes(self, target: Target, known: Causes) -> Changes:
        """What the results change in the baseline."""
        base = target.baseline.run
        is_whole = not remark(self.results.runs, self.of) and (
            DEPTHS.index(self.run.depth) >= DEPTHS.index(base.depth)
            and self.run.random >= base.random
            and self.run.seed == base.seed
        )
        return changes(self.records, target, self.origin(known), is_whole)

    def take(self, known: Causes) -> None:
        """Write groups into the baseline. Raises ResultsError."""
        target = self.target(known)
        if target.differences and self.is_there:
            raise ResultsError(
                f"{self.folder} is the baseline of another run ({'; '.join(target.differences)}): give the name of a "
                "new folder with --baseline; it is made from this one"
            )
        found = self.changes(target, known)
        taken = _chosen(found, self.args.take)
        names = ", ".join(group.id for group in taken) or "nothing"
        cause, draft = _cause_for(taken, self.args, known, self.run, self.records)
        if draft:
            with self.log.step(f"draft of {cause}", [*draft]):
                for path, text in draft.items():
                    write_text(path, text)
            path = next(iter(draft))
            lacks = causes.read(path).lacks
            if lacks:
                raise ResultsError(
                    f"{path} is drafted, nothing is taken: complete its {listing(lacks)}, check its [[select]], and "
                    "give the same command again"
                )
            known = causes.load(*self.args.causes)
        moved = {
            group.id: known.by_id[cause] for group in taken if cause and group.id in self.args.take
        }
        for group in taken:
            _check_names(group, moved.get(group.id) or group.cause, known, self.run, bool(moved))
        after = self._after(target, found, taken, moved, known)
        origin = self.origin(known).baseline
        texts = self._texts(after, origin, known)
        others = self._above(after)
        paths = [
            path
            for folder, each in ((self.folder, texts), *others.items())
            for path in baseline_files.paths_of(folder, each)
        ]
        with self.log.step(names, paths):
            for folder, each in ((self.folder, texts), *others.items()):
                write_folder(folder, each)
        print(f"taken: {names}; written to {printable(str(self.folder))}")

    def _after(
        self,
        target: Target,
        found: Changes,
        taken: Sequence[ChangeGroup],
        moved: Mapping[str, Cause],
        known: Causes,
    ) -> Baseline:
        """The baseline with the groups taken; ``moved`` are the causes that the user named, by group."""
        base = target.baseline
        if not self.is_there:
            below = base if base.folder else None
            base = Baseline(self.run, base=below, asked=Asked(), folder=self.folder)
            base.categories = {**below.categories} if below else {}
        lines = dict(base.lines)
        if is_same_machine(base.run, self.run):
            lines |= found.lines
        below_lines = base.base.departures() if base.base else {}
        for group in taken:
            for case, line in group.lines.items():
                if line is None:
                    lines.pop(case, None)
                    if group.kind == "fixed" and case in below_lines:
                        lines[case] = PASSES
                    continue
                cause = moved.get(group.id) or group.cause or known.get(line.cause)
                name = cause.id if cause else line.cause
                lines[case] = line.with_cause(name, name in known.nondeterministic)
        left = found.open.difference(*(group.lines for group in taken))
        gone = [case for group in taken if group.kind == "gone" for case in group.lines]
        assert isinstance(base.asked, Asked)
        which = base.asked.joined(Asked.of(found.asked - left)).without(gone)
        run = base.run
        is_whole = not remark(self.results.runs, self.of)
        if is_whole and DEPTHS.index(self.run.depth) >= DEPTHS.index(run.depth):
            run = replace(run, depth=self.run.depth, random=max(run.random, self.run.random))
            # What is left open is still known from the run before.
            if not left:
                run = replace(self.run, random=run.random)
        if not is_same_machine(run, self.run):
            # The digests of another machine's answers are not those of this baseline's.
            new = lines.items() - base.lines.items()
            lines |= {case: line._replace(digest="") for case, line in new}
        categories = dict(base.categories) | {r.operation: r.category for r in self.records}
        after = replace(base, lines=lines, asked=which, run=run, categories=categories)
        is_own = baseline_files.DIRECTORY.resolve() not in self.folder.resolve().parents
        if is_own and not left and after.base is not None:
            # The suite's own baselines change with the suite: a folder elsewhere stands alone once all is taken.
            after = rebased(after, None)
        return after

    def _texts(self, after: Baseline, origin: Baseline, known: Causes) -> dict[str, str]:
        """The texts of the folder after a take."""
        path = self.folder / baseline_files.PRECISION
        text = path.read_text("utf-8") if path.exists() else ""
        if not remark(self.results.runs, self.of):
            text = precision.to_text(known.measure(self.records, self.run))
        texts = baseline_files.texts_of(after, text or None)
        texts[REVIEW] = review(origin if after.base is None else after.base, after)
        return texts

    def _above(self, after: Baseline) -> dict[Path, dict[str, str]]:
        """The texts of the baselines above the folder, which keep what they know though their base changes."""
        found: dict[Path, dict[str, str]] = {}
        for folder in baseline_files.above(self.folder) if self.is_there else ():
            before = read_folder(folder)
            own = folder / baseline_files.PRECISION
            text = own.read_text("utf-8") if own.exists() else None
            found[folder] = baseline_files.texts_of(rebased(before, after), text)
        return found

    def show(self, known: Causes) -> int:
        """Print the groups that are left; return the exit code."""
        target = self.target(known)
        found = self.changes(target, known)
        lacking = gaps(self.results.runs, self.of)
        _print(found, target, self.folder, self.args, self.results, lacking)
        return int(bool(found.groups or (lacking and not self.args.take)))


def _check_names(
    group: ChangeGroup, cause: Cause | None, known: Causes, run: Run, is_given: bool
) -> None:
    """Raise ResultsError where a cause does not name each departure that is taken to it, or says too little."""
    if cause is None or not any(group.lines.values()):
        return
    if is_given and cause.lacks:
        raise ResultsError(f"{cause.path}: complete its {listing(cause.lacks)}; nothing is taken")
    if group.kind == "worse" and not is_given:
        return
    others = [
        record
        for record in group.records
        if group.lines.get(record.case) is not None and cause not in known.naming(record, run)
    ]
    # A departure that a part explains is of the cause of the part, whatever it is itself.
    others = [record for record in others if not record.explained_by]
    if others:
        raise ResultsError(
            f"{group.id}: {cause.id} does not name {count(len(others), 'of these cases', 'of these cases')}, such as "
            f"{others[0].case}: widen its [[select]] in {cause.path}, or take them to another cause"
        )


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
    taken = baseline_files.DIRECTORY / families_of(run.device)[-1] / name
    return f"{name}-{run.isa}" if (taken / baseline_files.RUN).exists() and run.isa else name


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
    records: Sequence[CaseRecord],
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
        own = [r for g in taken if g.id in args.take for r in g.records if departs(r)]
        if not own:
            raise ResultsError(
                f"--cause {args.cause}: there is no such cause, and these groups have no departure to draft it from"
            )
        smallest = min((record.case for record in own), key=lambda case: (len(case), case))
        draft = {
            "title": args.title or f"{own[0].operation.rpartition('-')[0]} - {TO_DESCRIBE}",
            "class": args.kind,
            "component": args.component,
            "page": args.page,
            "smallest": smallest,
            "since": run.release,
            "devices": [families_of(run.device)[-1]],
            "notes": "",
        }
        conforming = [record for record in records if record.conforms]
        return args.cause, {path: cause_text(draft, draft_selectors(own, conforming))}
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


def _print(
    found: Changes,
    target: Target,
    folder: Path,
    args: argparse.Namespace,
    results: Results,
    lacking: Sequence[str],
) -> None:
    """Print the groups, each with the command that takes it. ``lacking`` is what the run asked and the results lack."""
    page = Document()
    if lacking:
        page.paragraph(f"INCOMPLETE: {'; '.join(lacking)}")
    name = baseline_files.name_of(target.run.device, target.run.profile)
    base = f"{target.baseline.name} ({count(len(target.baseline.departures()), 'departure')})"
    runs = count(len(list(leaf_headers(results.runs))), "run")
    page.paragraph(f"{name}, OpenVINO {target.run.openvino}: {runs} against {base}")
    if target.differences:
        page.paragraph(f"Another run: {'; '.join(target.differences)}.")
    if found.without_verdict:
        page.paragraph(f"{count(found.without_verdict, 'case')} without a verdict (ABSENT, ERROR).")
    command = _command(args)
    if not found.groups:
        page.paragraph(f"Nothing is left to take in {count(len(found.asked), 'case')}.")
        if target.differences and not (folder / baseline_files.RUN).exists():
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
            named = [f"{name} names {number:,}" for name, number in group.named.items()]
            hint = f"; not narrowly: {', '.join(named[:3])}" if named else ""
            lines.append(Item(group.id, group.text, f"such as {group.smallest}{hint}"))
        page.items(lines)
    page.heading("Commands", 3)
    sys.stdout.write(as_text(page))
    if not all(group.needs_look for group in found.groups):
        print(f"  {command} --take {ALL}")
    for group in found.groups:
        if group.needs_cause:
            print(f"  {command} --take {group.id} --cause ID")
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
