"""Collects cases as pytest items, named by their ids, and runs them pack by pack."""

from __future__ import annotations

import os
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import pytest

import ir_models
from devices import NotOpenedError, Runner, Verdict, error_verdict
from devices.engine import packs
from devices.process.resources import limits, memory
from ir_models.asking.id_parts import model_of
from reports.results.explained.explanations import is_pending
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord
from reports.results.shared.text import rounded
from tests.conformance.expected import KnownOutcomes
from tests.conformance.later import FIRST, Later, first
from tests.conformance.listing import Listing
from tests.conformance.options import ADDRESS
from tests.conformance.records import Recorder, record_of, worker_count
from tests.conformance.selection import (
    MANY_OPERATIONS,
    SuiteSelection,
    SuiteTarget,
    UsageError,
    named_cases,
)

if TYPE_CHECKING:
    from tests.conformance.models import Models

# What a user names to ask cases, and no other tests.
_ADDRESSES = (ADDRESS, ADDRESS.parent)
# Where pytest's own hooks are, and those of xdist, whose module runs in a worker under another name.
_OF_PYTEST = {"_pytest", "xdist", "__channelexec__"}


class Conformance:
    """What one process of a run has: a runner for each target, the listed cases, verdicts not yet reported.

    A worker of pytest-xdist is given the ``listing``, and the file that will have ``more``. In the process that gives
    cases to workers ``later`` lists them.
    """

    def __init__(
        self,
        selection: SuiteSelection,
        recorder: Recorder,
        listing: Listing | None = None,
        more: Path | None = None,
    ) -> None:
        self.selection, self.recorder = selection, recorder
        self._listing, self.more = listing, more
        self.later: Later | None = None
        self._runners: dict[str, Runner] = {}
        self._verdicts: dict[str, Verdict] = {}
        # The collectors whose items are made as they run.
        self.unmade: list[TargetCollector] = []

    @cached_property
    def models(self) -> Models:
        """The models of the run. What reads and surveys them is imported for them alone."""
        from tests.conformance.models import Models

        return Models(self.selection, self.recorder.path, self.recorder.folders)

    def listing(self, config: pytest.Config) -> Listing:
        """The cases of the run. A mistake in a declaration ends it."""
        try:
            return self._list(config)
        except (ir_models.UnknownOperationError, UsageError) as error:
            pytest.exit(f"error: {error}", returncode=2)

    def _list(self, config: pytest.Config) -> Listing:
        if self._listing is None and self.selection.models:
            finished = self.recorder.finished
            self._listing = Listing.of_models(self.selection, self.models, finished)
        if self._listing is None:
            named = named_cases(config.args)
            # Of many operations, or at a greater depth, it takes longer than the start of other processes.
            is_named = bool(named or self.selection.named)
            has_many = not is_named and len(self.selection.operations) > MANY_OPERATIONS
            is_large = self.selection.depth != "single" or has_many
            workers = len(config.getoption("tx", None) or ()) if is_large else 1
            finished = self.recorder.finished
            if workers > 1 and has_many and self._may_list_later(config):
                head = Listing.of(first(self.selection), finished, processes=workers)
                if head.sizes:
                    self._listing, self.later = head, Later(self.selection, finished, head)
                    return head
            self._listing = Listing.of(self.selection, finished, named, max(workers, 1))
        return self._listing

    def _may_list_later(self, config: pytest.Config) -> bool:
        """Whether workers can begin with the cases of the first depth alone."""
        is_alone = all(Path(arg).resolve() in _ADDRESSES for arg in config.args)
        is_run = not config.option.collectonly
        return (
            self.selection.depth != FIRST and is_alone and is_run and self._asks_as_listed(config)
        )

    def _asks_as_listed(self, config: pytest.Config) -> bool:
        """Whether no plugin looks at each item."""
        option = config.option
        orders = [getattr(option, each, False) for each in ("failedfirst", "newfirst", "stepwise")]
        looks = config.hook.pytest_collection_modifyitems.get_hookimpls()
        modules = {each.function.__module__.partition(".")[0] for each in looks}
        is_plain = not (self.selection.filters or self.selection.models or any(orders))
        return is_plain and modules <= _OF_PYTEST

    def are_all_asked(self, config: pytest.Config) -> bool:
        """Whether this is a worker that asks all cases as they were listed, so that no plugin looks at each item."""
        is_worker = self._listing is not None and hasattr(config, "workerinput")
        return is_worker and self._asks_as_listed(config)

    def listed_later(self) -> Listing:
        """In a worker: the cases that were listed while the first ones ran. Waits for them. Raises OSError."""
        if self.more is None:
            return Listing({target.name: [] for target in self.selection.targets})
        parent = os.getppid()
        while not self.more.exists():
            if os.getppid() != parent:
                raise OSError("the process that lists the cases has ended")
            time.sleep(0.1)
        return Listing.read(self.more)

    def plan(self, items: Sequence[pytest.Item], longest_first: bool) -> list[pytest.Item]:
        """The items ordered by pack, items of other tests first.

        With ``longest_first``, processes that share the packs end at about the same time.
        """
        # With --keep-duplicates a case that two paths name comes twice.
        items = list({item.nodeid: item for item in items}.values())
        case_items = [item for item in items if isinstance(item, CaseItem)]
        if self._listing is not None and len(case_items) == sum(self._listing.sizes):
            return list(items)  # nothing was deselected: they come pack by pack
        planned: list[pytest.Item] = [item for item in items if not isinstance(item, CaseItem)]
        size = self.selection.options.pack_size
        planned_packs = plan_nodes([item.nodeid for item in case_items], size)
        if longest_first:
            planned_packs.sort(
                key=lambda pack: (not packs.is_heavy(case_items[pack[0]].name), -len(pack))
            )
        for members in planned_packs:
            pack = [case_items[position] for position in members]
            for item in pack:
                item.pack = pack
            planned.extend(pack)
        return planned

    def verdict(self, item: CaseItem) -> Verdict:
        """The verdict on a case. The first one of a pack runs the whole pack."""
        if item.nodeid not in self._verdicts:
            pack = item.pack
            for member, verdict in zip(pack, self._judge(item.target, pack), strict=True):
                self._verdicts[member.nodeid] = verdict
        return self._verdicts.pop(item.nodeid)

    def _judge(self, target: SuiteTarget, pack: Sequence[CaseItem]) -> list[Verdict]:
        runner = self._runners.get(target.name)
        if runner is None:
            limits.take_no_more_than(memory.limit(worker_count()))
            memory_left = memory.ceiling(worker_count())
            runner = Runner(
                target.device,
                target.profile,
                replace(self.selection.options, memory=memory_left),
                KnownOutcomes(self.recorder, target),
            )
            self._runners[target.name] = runner
        cases = [ir_models.parse(item.name) for item in pack]
        try:
            runner.open()
            return runner.judge(cases)
        except NotOpenedError as error:
            # --allow-absent is not for a device that was there at the start of the run.
            if error.absent and not self.recorder.facts.get(target.name):
                return [Verdict(case, Outcome.ABSENT, str(error)) for case in cases]
            detail = f"the device no longer opens: {error}"
            return [Verdict(case, Outcome.ERROR, detail) for case in cases]
        except Exception as error:  # of the suite itself
            return [error_verdict(case, "the suite fails", error) for case in cases]

    def request_exit(self) -> None:
        """Tell the child processes to end."""
        for runner in self._runners.values():
            runner.request_exit()

    def close(self) -> None:
        """End the child processes."""
        for runner in self._runners.values():
            runner.close()
        if self.selection.models:
            self.models.close()


conformance_key = pytest.StashKey[Conformance]()


def plan_nodes(node_ids: Sequence[str], pack_size: int) -> list[list[int]]:
    """The positions of node ids by pack. All cases of a pack have one device and profile."""
    targets: dict[str, list[int]] = {}
    for position, node_id in enumerate(node_ids):
        targets.setdefault(node_id.split("::")[1], []).append(position)
    found: list[list[int]] = []
    for positions in targets.values():
        ids = [node_ids[p].split("::", 2)[2] for p in positions]
        models: dict[str, list[int]] = {}
        for position, case_id in zip(positions, ids, strict=True):
            models.setdefault(model_of(case_id), []).append(position)
        if "" not in models:
            found.extend(models.values())
            continue
        found.extend([positions[i] for i in pack] for pack in packs.plan(ids, pack_size))
    return found


class CaseFile(pytest.File):
    """The file that all cases are collected from: collects targets."""

    def collect(self) -> Iterator[pytest.Collector]:
        """A collector for each target."""
        for target in self.config.stash[conformance_key].selection.targets:
            collector: TargetCollector = TargetCollector.from_parent(self, name=target.name)
            collector.target = target
            yield collector


class TargetCollector(pytest.Collector):
    """All cases of one device with one profile."""

    target: SuiteTarget

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each selected case that has no result yet."""
        conformance = self.config.stash[conformance_key]
        if conformance.are_all_asked(self.config):
            conformance.unmade.append(self)
            return
        for ids in [*self.packs, *conformance.listed_later().packs[self.target.name]]:
            yield from self.pack(ids)

    @property
    def packs(self) -> list[list[str]]:
        """The ids of the cases, pack by pack."""
        return self.config.stash[conformance_key].listing(self.config).packs[self.target.name]

    def node_id(self, case_id: str) -> str:
        """The node id of the item of a case."""
        return f"{self.nodeid}::{case_id}"

    def pack(self, ids: Sequence[str]) -> list[CaseItem]:
        """The items of a pack."""
        kind = LayerItem if self.config.stash[conformance_key].selection.models else CaseItem
        pack: list[CaseItem] = []
        for case_id in ids:
            # The node id is given as a whole: from a name with brackets pytest makes an id that --lf does not find.
            item: CaseItem = kind.from_parent(self, name=case_id, nodeid=self.node_id(case_id))
            item.target, item.pack = self.target, pack
            pack.append(item)
        return pack


class Unmade(NamedTuple):
    """Stands for an item that is not made yet."""

    nodeid: str


class LazyItems(Sequence[pytest.Item]):
    """The items of a worker, each pack made as it runs: an item takes 2 KiB, and there are hundreds of thousands.

    ``others`` are items of other tests, which come first. Iteration makes no items, since xdist iterates for their node
    ids alone. An item behind all of these is one that was listed later: ``later`` tells the packs by target.
    """

    # The last item of a pack runs when the first one of the next pack is known.
    _KEPT = 2

    def __init__(
        self,
        collectors: Sequence[TargetCollector],
        others: Sequence[pytest.Item] = (),
        later: Callable[[], Mapping[str, list[list[str]]]] = dict,
    ) -> None:
        self._others, self._collectors, self._later = [*others], collectors, later
        self._packs = [(each, ids) for each in collectors for ids in each.packs]
        self._starts = [*accumulate((len(ids) for _, ids in self._packs), initial=len(others))]
        self._made: dict[int, list[CaseItem]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Any]:
        yield from self._others
        for collector, ids in self._packs:
            yield from (Unmade(collector.node_id(each)) for each in ids)

    @overload
    def __getitem__(self, position: int) -> pytest.Item: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[pytest.Item]: ...

    def __getitem__(self, position: int | slice) -> pytest.Item | Sequence[pytest.Item]:
        if isinstance(position, slice):
            return [self[each] for each in range(*position.indices(len(self)))]
        if position >= len(self) and self._later is not dict:
            packs_later, self._later = self._later(), dict
            more = [(e, ids) for e in self._collectors for ids in packs_later[e.target.name]]
            sizes = [len(ids) for _, ids in more]
            self._starts += [*accumulate(sizes, initial=len(self))][1:]
            self._packs += more
        place = range(len(self))[position]
        if place < len(self._others):
            return self._others[place]
        number = bisect(self._starts, place) - 1
        if number not in self._made:
            while len(self._made) >= self._KEPT:
                del self._made[next(iter(self._made))]
            collector, ids = self._packs[number]
            self._made[number] = collector.pack(ids)
        return self._made[number][place - self._starts[number]]


class DepartureError(Exception):
    """A case departs, and the gate does not let it pass."""


def departure_text(record: CaseRecord, folders: Path) -> str:
    """A departure in a few lines, with the command that reproduces it."""
    lines = [record.case, f"{record.outcome}: {rounded(record.detail)}"]
    if record.folder:
        lines.append(f"reproduce: python {folders / record.folder / 'reproduce.py'}")
    return "\n".join(lines)


class CaseItem(pytest.Item):
    """One case on one device, named by its id. ``pack`` are the items of the cases that share its model."""

    target: SuiteTarget
    pack: list[CaseItem]
    record: CaseRecord | None = None
    # Why the failure folder of the case could not be written, or "".
    folder_error = ""

    def protocol(self) -> None:
        """Run the case with one report instead of three.

        A case has no fixtures, so there is no setup and no teardown. With thousands of cases, pytest's reports on them
        would take longer than the cases. The start and the end are reported with ``-v`` only.
        """
        hook = self.ihook
        is_verbose = self.config.option.verbose > 0
        if is_verbose:
            hook.pytest_runtest_logstart(nodeid=self.nodeid, location=self.location)
        call = pytest.CallInfo.from_call(
            self.runtest, "call", (pytest.exit.Exception, KeyboardInterrupt)
        )
        report = hook.pytest_runtest_makereport(item=self, call=call)
        hook.pytest_runtest_logreport(report=report)
        # Items stay until the end, and there are many of them.
        self.record = None
        if is_verbose:
            hook.pytest_runtest_logfinish(nodeid=self.nodeid, location=self.location)

    def runtest(self) -> None:
        """Take the verdict, make its record, and raise what the gate says of it."""
        record = self._judged()
        is_strict = self.config.stash[conformance_key].selection.strict
        if record.gate is Gate.SKIPPED:
            pytest.skip(record.detail)
        if record.gate.has_cause and not record.gate.is_red_if(is_strict):
            cause = f"{record.reason} ({record.cause_class})" if record.cause else record.detail
            pytest.xfail(f"{record.outcome}: {cause}")
        if is_pending(record):
            pytest.skip("fails the run, unless a simpler case fails in the same way")
        if record.gate.is_red_if(is_strict):
            raise DepartureError(f"{record.outcome}: {record.detail}")
        if record.outcome is Outcome.COMPILED:
            pytest.skip("compiled, values not checked")

    def _judged(self) -> CaseRecord:
        """Take the verdict and make its record.

        An exception keeps its frames until the next garbage collection: none of them may hold the verdict's tensors.
        """
        conformance = self.config.stash[conformance_key]
        verdict = conformance.verdict(self)
        self.record, self.folder_error = record_of(verdict, self.target, conformance.recorder)
        return self.record

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A departure in a few lines, with the command that reproduces it."""
        if isinstance(excinfo.value, pytest.xfail.Exception):
            return str(excinfo.value)
        if isinstance(excinfo.value, DepartureError) and self.record is not None:
            return departure_text(self.record, self.config.stash[conformance_key].recorder.folders)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, no line, and the case id."""
        return self.path, None, self.name


class LayerItem(CaseItem):
    """A layer of a user's model, judged together with the others of the model."""

    def _judged(self) -> CaseRecord:
        conformance = self.config.stash[conformance_key]
        recorder = conformance.recorder
        facts = recorder.facts.get(self.target.name, {})
        record = conformance.models.record(self.name, self.target, facts)
        self.record = recorder.judge(record, allow_absent=conformance.selection.allow_absent)
        return self.record
