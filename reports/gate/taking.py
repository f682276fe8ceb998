"""What `python -m reports accept` does: find what the results of a target change in a baseline, and take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reports.gate import baseline_files, precision
from reports.gate.asked import AskedCases
from reports.gate.baseline import DEPTHS, PASSES, Baseline, Run, departs, must_be_same_bits
from reports.gate.baseline_files import nearest, read_folder, rebased
from reports.gate.causes import Cause, Causes
from reports.gate.decision import GateTarget, target_of
from reports.gate.grouping import ChangeGroup, Changes, changes
from reports.gate.review import REVIEW, review
from reports.gate.take_log import Log
from reports.results.records import CaseRecord, ResultsError

Moved = Mapping[str, Cause]
"""The causes that the user named, by case."""


@dataclass(frozen=True)
class Desk:
    """The results of one target, and the folder that they are taken into.

    ``is_whole``: the run asked all cases of its depth, and came to its end.
    """

    run: Run
    folder: Path
    records: Sequence[CaseRecord]
    log: Log
    is_whole: bool

    @property
    def is_there(self) -> bool:
        """Whether the folder holds a baseline."""
        return (self.folder / baseline_files.RUN).exists()

    def target(self, known: Causes) -> GateTarget:
        """What the gate knows: by the baseline that the folder holds, or by the nearest one. Raises BaselineError."""
        if self.is_there or (self.folder.exists() and any(self.folder.iterdir())):
            # A folder that holds other files lacks the run, which the error says.
            return target_of(self.run, read_folder(self.folder), known)
        return target_of(self.run, self._nearest(), known)

    def origin(self, known: Causes, target: GateTarget) -> GateTarget:
        """What the gate knew before the first group of these results was taken, as far as takes changed it.

        It is `target`, what the gate knows now, if none was taken.
        """
        places = [*map(self.log.before, self.log.causes)]
        made = {Path(name).stem for texts in places for name, old in texts.items() if old is None}
        known = Causes(each for each in known.by_id.values() if each.id not in made)
        before = self.log.before(self.folder)
        if not (made or before):
            return target
        if not before:
            return self.target(known)
        is_made = before.get(baseline_files.RUN, "") is None
        base = self._nearest() if is_made else read_folder(self.folder, before)
        return target_of(self.run, base, known, before=(self.folder, before))

    def _nearest(self) -> Baseline:
        # The folder itself may be half taken.
        found = nearest(self.run, without=self.folder)
        return read_folder(found) if found else Baseline(name="none")

    def changes(self, known: Causes) -> Changes:
        """What the results change in the baseline."""
        target = self.target(known)
        base = target.baseline.run
        has_all = (
            self.is_there
            and self.is_whole
            and DEPTHS.index(self.run.depth) >= DEPTHS.index(base.depth)
            and self.run.random >= base.random
            and self.run.seed == base.seed
        )
        return changes(self.records, target, self.origin(known, target), has_all)

    def take(
        self,
        found: Changes,
        taken: Sequence[ChangeGroup],
        moved: Moved,
        known: Causes,
        drafts: Mapping[Path, str],
    ) -> bool:
        """Write groups into the baseline, and the files of new causes; return whether a file changed.

        Raises ResultsError, OSError.
        """
        before = self.target(known)
        if before.differences and self.is_there:
            raise ResultsError(
                f"{self.folder} is the baseline of another run ({'; '.join(before.differences)}): give the name of a "
                "new folder with --baseline; it is made from this one"
            )
        after = self._after(before.baseline, found, taken, moved, known)
        folders = {
            self.folder: self._texts(after, found, taken, known, before),
            **self._above(after),
        }
        files = {
            path: texts.get(path.name)
            for folder, texts in folders.items()
            for path in baseline_files.paths_of(folder, texts)
        }
        names = ", ".join(group.id for group in taken) or "nothing"
        return self.log.write(names, {**drafts, **files})

    def _after(
        self,
        base: Baseline,
        found: Changes,
        taken: Sequence[ChangeGroup],
        moved: Moved,
        known: Causes,
    ) -> Baseline:
        """The baseline with the groups taken."""
        if not self.is_there:
            empty = Baseline(
                self.run, {}, AskedCases(), folder=self.folder, categories=base.categories
            )
            base = replace(empty, base=base) if base.folder else empty
        assert isinstance(base.asked, AskedCases)
        left = _left(found, taken)
        run = base.run
        if self.is_whole and _is_as_deep(self.run, run):
            most = max(run.random, self.run.random)
            # What is left open is still known from the run before.
            run = replace(run if left else self.run, depth=self.run.depth, random=most)
        again = {c: x for c, x in found.lines.items() if must_be_same_bits(x, run, self.run)}
        lines = {**base.lines, **again}
        below = base.base.known_departures() if base.base else {}
        for group in taken:
            for case, line in group.lines.items():
                if line is not None:
                    cause = moved.get(case) or group.cause or known.get(line.cause)
                    name = cause.id if cause else line.cause
                    own = line.with_cause(name, name in known.nondeterministic)
                    # The digest of another machine's answer is not the one of this baseline's.
                    is_same = must_be_same_bits(own, run, self.run)
                    lines[case] = own if is_same else own.of_another_machine()
                    continue
                lines.pop(case, None)
                if group.change == "fixed" and case in below:
                    lines[case] = PASSES
        gone = [case for group in taken if group.change == "gone" for case in group.lines]
        after = replace(
            base,
            lines=lines,
            asked=base.asked.joined(AskedCases.of(found.asked - left)).without(gone),
            run=run,
            categories={**base.categories, **{r.operation: r.category for r in self.records}},
        )
        is_own = baseline_files.DIRECTORY.resolve() not in self.folder.resolve().parents
        # The suite's own baselines change with the suite: a folder elsewhere stands alone once all is taken. What a
        # part of the cases left out, or less depth, is still known from the run below.
        asks_all = (
            after.base is not None and self.is_whole and _is_as_deep(self.run, after.base.run)
        )
        return rebased(after, None) if is_own and not left and asks_all else after

    def _texts(
        self,
        after: Baseline,
        found: Changes,
        taken: Sequence[ChangeGroup],
        known: Causes,
        target: GateTarget,
    ) -> dict[str, str]:
        """The texts of the folder after a take; ``target`` is what the gate knew before it."""
        path = self.folder / baseline_files.PRECISION
        text = path.read_text("utf-8") if path.exists() else ""
        # What nobody has looked at yet says nothing of causes. Shares are of depth single, as `reports.gate.measuring`
        # has them: crossings ask what is plainly wrong in many ways.
        if self.is_whole and self.run.depth == "single" and not _left(found, taken):
            text = precision.to_text(known.measure(self.records, self.run))
        texts = baseline_files.texts_of(after, text or None)
        before = after.base or self.origin(known, target).baseline
        texts[REVIEW] = review(before, after, self._misnamed(after, known))
        return texts

    def _misnamed(self, after: Baseline, known: Causes) -> dict[str, list[str]]:
        """The cases that depart and that the cause of their line does not name, by this cause."""
        found: dict[str, list[str]] = {}
        for record in self.records:
            line = after.lines.get(record.case)
            cause = known.get(line.cause) if line else None
            # A departure that a part explains is of the cause of the part, whatever it is itself.
            if cause is None or not departs(record) or record.explained_by:
                continue
            if cause not in known.naming(record, self.run):
                found.setdefault(cause.id, []).append(record.case)
        return found

    def _above(self, after: Baseline) -> dict[Path, dict[str, str]]:
        """The texts of the baselines above the folder, which keep what they know though their base changes."""
        found: dict[Path, dict[str, str]] = {}
        changed = {self.folder: after} if self.is_there else {}
        while changed:
            below, base = changed.popitem()
            for folder in baseline_files.above(below):
                path = folder / baseline_files.PRECISION
                text = path.read_text("utf-8") if path.exists() else None
                changed[folder] = rebased(read_folder(folder), base)
                found[folder] = baseline_files.texts_of(changed[folder], text)
        return found


def _left(found: Changes, taken: Sequence[ChangeGroup]) -> frozenset[str]:
    """The cases of groups that are not taken."""
    return found.open.difference(*(group.lines for group in taken))


def _is_as_deep(one: Run, other: Run) -> bool:
    """Whether a run asked at least the depth of another one."""
    return DEPTHS.index(one.depth) >= DEPTHS.index(other.depth)
