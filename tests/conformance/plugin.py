"""The suite as a pytest plugin: hooks that are registered only in a run of the suite."""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from devices import ChildDiedError, ChildHungError
from devices.process.forking import fork_client
from devices.process.resources import temporary
from reports.gate import baseline_files, causes
from reports.gate.baseline import Baseline
from reports.gate.baseline_files import BaselineError
from reports.gate.causes import CauseError
from reports.results.explained.explanations import is_pending
from reports.results.outcomes import Gate
from reports.results.records import ResultsError, to_line
from reports.results.shared.files import check_is_regular
from reports.results.shared.text import say
from tests.conformance import options, quiet, selection
from tests.conformance.items import (
    CaseFile,
    CaseItem,
    Conformance,
    LazyItems,
    conformance_key,
    plan_nodes,
)
from tests.conformance.listing import Listing
from tests.conformance.records import Knowledge, Recorder, worker_count

if TYPE_CHECKING:
    from tests.conformance import terminal
    from tests.conformance.scheduling import PackScheduling

_USER_ERRORS = (
    selection.UsageError,
    ResultsError,
    BaselineError,
    CauseError,
    ChildDiedError,
    ChildHungError,
)


def begin(config: pytest.Config) -> int | None:
    """Begin a run, in the process that the user started. Returns an exit code to end with, or None."""
    # What only this process of a run needs.
    from tests.conformance import probing, terminal

    try:
        if config.getoption("--list-devices"):
            print(probing.list_devices())
            return 0
        if config.getoption("--list-profiles"):
            print(probing.list_profiles((config.getoption("--device") or ["CPU"])[0]))
            return 0
        chosen = selection.read(config)
        _check_junit(config)
        facts = (
            {} if config.option.collectonly else probing.probe(chosen, partial(_preload, config))
        )
        known = Knowledge.read(chosen, facts, _given_baseline(chosen))
        recorder = Recorder(chosen, selection.results_path(chosen), facts, known)
        conformance = Conformance(chosen, recorder)
        if chosen.models:
            only = [name for name, each in facts.items() if each.get("compile_only")]
            if only:
                raise selection.UsageError(
                    f"--model: {only[0]} only compiles here, and models are judged by values"
                )
            conformance.models.check()
        if not config.option.collectonly:
            recorder.open()
    except _USER_ERRORS as error:
        for line in error.args if isinstance(error, selection.UsageError) else [error]:
            say(f"error: {line}")
        return 2
    config.pluginmanager.register(terminal.ResultsReporter(config, recorder), "conformance-results")
    quiet.set_quiet_defaults(config)
    _register(config, conformance)
    if config.option.verbose <= 0:
        config.pluginmanager.register(quiet.NoMarks(config), "conformance-quiet")
    return None


def _given_baseline(chosen: selection.SuiteSelection) -> dict[str, Baseline] | None:
    """The baselines of ``--baseline`` by target, None for those of the suite, with which claims do not go."""
    if str(chosen.baseline) == "none" or (chosen.claims and chosen.baseline is None):
        return {"none": Baseline(name="none", is_given=True)}
    if chosen.baseline is None:
        return None
    # Unlike Path.resolve, realpath takes a loop of symbolic links, which no reader opens.
    if os.path.realpath(chosen.baseline) == os.path.realpath(selection.results_path(chosen)):
        raise selection.UsageError(
            f"--baseline {chosen.baseline} is the file that --results writes"
        )
    by_chance = causes.load(*chosen.causes).nondeterministic
    return baseline_files.read(chosen.baseline, by_chance)


def _check_junit(config: pytest.Config) -> None:
    """Raise UsageError for a ``--junitxml`` that cannot be written at the end of the run."""
    from tests.conformance import terminal

    path = terminal.junit_path(config)
    try:
        if path is not None:
            check_is_regular(path)
    except OSError as error:
        raise selection.UsageError(f"--junitxml: {path}: {error.strerror}") from None


def _preload(config: pytest.Config) -> None:
    """Import what a run in several processes needs next, while the devices open."""
    if config.getoption("numprocesses", None) or config.getoption("tx", None):
        for name in ("execnet.multi", "xdist.dsession", "tests.conformance.scheduling"):
            import_module(name)


def join(config: pytest.Config, given: Mapping[str, Any]) -> None:
    """Join a run as a worker of pytest-xdist. ``given`` is the dict that ``XdistHooks`` sent."""
    fork_client.adopt(given["fork_servers"])
    chosen = selection.read(config)
    shared = _shared_knowledge(Path(given["known"]))
    if shared is not None:
        known = shared.held_to(chosen)
    else:
        known = Knowledge.read(chosen, given["facts"], _given_baseline(chosen))
    recorder = Recorder(
        chosen, Path(given["path"]), given["facts"], known, worker_count(), Path(given["claims"])
    )
    more = Path(given["more"]) if given["more"] else None
    listing = _shared_listing(Path(given["cases"]))
    _register(config, Conformance(chosen, recorder, listing, more if listing else None))
    # The output of a worker is not shown.
    config.pluginmanager.register(quiet.NoMarks(config), "conformance-quiet")


def _shared_knowledge(path: Path) -> Knowledge | None:
    """What the first process knows, as a worker reads it fastest; None where its files are not to be read."""
    try:
        with path.open("rb") as file:
            found: Knowledge = pickle.load(file)
    except OSError:
        return None
    return found


def _shared_listing(path: Path) -> Listing | None:
    """The cases that the first process listed; None where its files are not to be read: the worker lists them then.

    So it is for a worker of another user, or on another machine (``--tx``).
    """
    try:
        return Listing.read(path)
    except OSError:
        return None


def _register(config: pytest.Config, conformance: Conformance) -> None:
    config.stash[conformance_key] = conformance
    config.pluginmanager.register(Hooks(conformance), "conformance")


class Hooks:
    """The hooks of every process of a run."""

    def __init__(self, conformance: Conformance) -> None:
        self.conformance = conformance

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register the hooks for pytest-xdist, if it is there."""
        is_worker = hasattr(config, "workerinput")
        if config.pluginmanager.hasplugin("xdist") and not is_worker:
            reporter: Any = config.pluginmanager.get_plugin("conformance-results")
            config.pluginmanager.register(
                XdistHooks(self.conformance, reporter), "conformance-xdist"
            )

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Collect cases in place of the tests of ``test_layers.py``."""
        if file_path == options.ADDRESS:
            return CaseFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Collect, and begin garbage collection, which would have visited all cases again and again.

        The cases are listed first: what ends a run inside of a collector pytest takes for an error of that one.
        """
        try:
            if not hasattr(session.config, "workerinput"):
                self.conformance.listing(session.config)
            result = yield
        finally:
            # What is there stays until the end; items that are made later do not.
            gc.freeze()
            gc.enable()
        # pytest has counted the items that were made.
        session.testscollected = len(session.items)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Order the items by pack: after all plugins that deselect (-k, --lf), before xdist reads the items."""
        if self.conformance.unmade:
            conformance = self.conformance
            made: Any = LazyItems(
                conformance.unmade, session.items, lambda: conformance.listed_later().packs
            )
            session.items = made
        else:
            is_worker = hasattr(session.config, "workerinput")
            session.items[:] = self.conformance.plan(session.items, longest_first=is_worker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run a case with one report."""
        if not isinstance(item, CaseItem):
            return None
        item.protocol()
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Attach the record to the report of a case."""
        report = yield
        if isinstance(item, CaseItem) and call.when == "call" and item.record is not None:
            # As text, because xdist sends a dict to the process that writes the results much more slowly.
            report.conformance = to_line(item.record)
            if item.folder_error:
                report.conformance_folder_error = item.folder_error
            report.conformance_pending = is_pending(item.record)
            if item.record.gate == Gate.IMPROVED and report.passed:
                report.wasxfail = f"better than in the baseline: {item.record.baseline}"
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Tell the child processes to end."""
        self.conformance.request_exit()

    def pytest_unconfigure(self) -> None:
        """Wait for the child processes. A device takes time to end, and a worker has sent its results by now."""
        self.conformance.close()
        # pytest collects garbage several times before it ends, and would visit all records each time.
        gc.freeze()


class XdistHooks:
    """The hooks of the process that controls several workers."""

    def __init__(self, conformance: Conformance, reporter: terminal.ResultsReporter) -> None:
        self.conformance, self._reporter = conformance, reporter
        self._scheduler: PackScheduling | None = None
        self._shared: temporary.Folder | None = None

    def pytest_unconfigure(self) -> None:
        """Remove what the workers shared."""
        selection.end_listings()
        if self._shared is not None:
            self._shared.remove()

    def _folder(self) -> Path:
        """The folder that the workers share, made for the first of them."""
        if self._shared is None:
            self._shared = temporary.Folder("conformance-shared-")
        return self._shared.path

    def pytest_configure_node(self, node: Any) -> None:
        """Send a worker what it needs to join the run."""
        recorder = self.conformance.recorder
        node.workerinput["conformance"] = {
            "path": str(recorder.path),
            "facts": recorder.facts,
            "claims": str(self._folder()),
            "cases": str(self._cases(node.config)),
            "more": str(self._more if self.conformance.later is not None else ""),
            "known": str(self._known),
            "fork_servers": fork_client.addresses(),
        }

    @property
    def _known(self) -> Path:
        """The file of what the gate knows, which takes each worker seconds to find again.

        Where it cannot be written, workers find it themselves.
        """
        path = self._folder() / "known"
        if not path.exists():
            known = self.conformance.recorder.known.without_claims
            own = path.with_suffix(".part")
            with suppress(OSError):
                own.write_bytes(pickle.dumps(known, pickle.HIGHEST_PROTOCOL))
                own.replace(path)
        return path

    def _cases(self, config: pytest.Config) -> Path:
        """The file of the cases, which the first worker needs."""
        path = self._folder() / "cases"
        if not path.exists():
            listing = self.conformance.listing(config)
            listing.sort()
            listing.write(path)
            if self.conformance.later is not None:
                self.conformance.later.start(self._more)
        return path

    @property
    def _more(self) -> Path:
        """The file of the cases that are listed while the first ones run."""
        return self._folder() / "more"

    def _listed_later(self, collection: Sequence[str], waits: bool) -> list[list[str]] | None:
        """The node ids, by pack, of what was not listed when workers collected; None where it is not there yet."""
        later = self.conformance.later
        assert later is not None
        if not (waits or later.is_there):
            return None
        try:
            found = later.listing()
        except selection.UsageError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.INTERNAL_ERROR)
        file = collection[0].partition("::")[0]
        return [
            [f"{file}::{target}::{case}" for case in pack]
            for target, each in found.packs.items()
            for pack in each
        ]

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Schedule whole packs."""
        from xdist.workermanage import parse_tx_spec_config

        from tests.conformance.scheduling import PackScheduling

        size = self.conformance.selection.options.pack_size
        workers = len(parse_tx_spec_config(config))
        sizes = self.conformance.listing(config).sizes
        self._scheduler = PackScheduling(
            config,
            workers,
            sizes,
            lambda node_ids: plan_nodes(node_ids, size),
            self._listed_later if self.conformance.later is not None else None,
        )
        scheduler = self._scheduler
        self._reporter.waits_for = lambda: scheduler.running
        return scheduler

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell the scheduler of a worker's report."""
        node = getattr(report, "node", None)
        if self._scheduler is not None and node is not None:
            self._scheduler.mark_test_reported(node, report.nodeid)
            self._reporter.expect(self._scheduler.total)
