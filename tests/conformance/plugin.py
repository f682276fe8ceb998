"""The suite as a plugin of pytest: hooks that are there only in a run of the suite."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from devices import ChildDiedError, ChildHungError, fork_client
from reports.expectations import ExpectationsError
from reports.results import ResultsError
from tests.conformance import options, probing, selection, terminal
from tests.conformance.items import CaseFile, CaseItem, Conformance, conformance_key
from tests.conformance.records import Recorder, worker_count

_WRONG = (selection.UsageError, ResultsError, ExpectationsError, ChildDiedError, ChildHungError)


def begin(config: pytest.Config) -> int | None:
    """Begin a run, in the process that was started. Returns an exit code if there is nothing more to do."""
    try:
        if config.getoption("--list-devices"):
            print(probing.list_devices())
            return 0
        chosen = selection.read(config)
        facts = {} if config.option.collectonly else probing.probe(chosen, _load_ahead)
        recorder = Recorder(chosen, selection.results_path(chosen), facts)
        if not config.option.collectonly:
            recorder.open()
    except _WRONG as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    config.pluginmanager.register(terminal.Story(config, recorder), "conformance-story")
    terminal.quieten(config)
    _take_part(config, Conformance(chosen, recorder))
    if config.option.verbose <= 0:
        config.pluginmanager.register(terminal.NoDots(), "conformance-quiet")
    return None


def _load_ahead() -> None:
    """Load what a run over several processes needs next, while devices are opened."""
    if find_spec("xdist") is not None:
        for name in ("execnet.multi", "xdist.dsession", "tests.conformance.scheduling"):
            import_module(name)


def join(config: pytest.Config, given: Mapping[str, Any]) -> None:
    """Take part in a run as a worker of pytest-xdist; ``given`` is what ``WithXdist`` sent."""
    fork_client.adopt(given["fork_servers"])
    chosen = selection.read(config)
    recorder = Recorder(chosen, Path(given["path"]), given["facts"], worker_count())
    recorder.finished = {tuple(key) for key in given["finished"]}
    _take_part(config, Conformance(chosen, recorder))
    # Nobody sees what a worker prints.
    config.pluginmanager.register(terminal.NoDots(), "conformance-quiet")


def _take_part(config: pytest.Config, conformance: Conformance) -> None:
    config.stash[conformance_key] = conformance
    config.pluginmanager.register(Hooks(conformance), "conformance")


class Hooks:
    """What every process of a run does."""

    def __init__(self, conformance: Conformance) -> None:
        self.conformance = conformance

    def pytest_configure(self, config: pytest.Config) -> None:
        is_worker = hasattr(config, "workerinput")
        if config.pluginmanager.hasplugin("xdist") and not is_worker:
            config.pluginmanager.register(WithXdist(self.conformance), "conformance-xdist")

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        if file_path == options.ADDRESS:
            return CaseFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Any:
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # After everything that deselects (-k, --lf) and before xdist is told what there is.
        is_worker = hasattr(session.config, "workerinput")
        session.items[:] = self.conformance.plan(session.items, longest_first=is_worker)
        # All of it stays until the end: no need to look for garbage in it again and again.
        gc.freeze()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if not isinstance(item, CaseItem):
            return None
        item.protocol()
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if isinstance(item, CaseItem) and call.when == "call" and item.record is not None:
            # xdist carries it to the process that writes the results, and is much slower with a dict than with a text.
            report.conformance = json.dumps(item.record)
            if item.record["gate"] == "improved" and report.passed:
                report.wasxfail = f"expected worse: {item.record['reason']}"
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self.conformance.request_exit()

    def pytest_unconfigure(self) -> None:
        # A device takes its time to end; meanwhile a worker has said that it is through.
        self.conformance.close()


class WithXdist:
    """What a run over several processes needs."""

    def __init__(self, conformance: Conformance) -> None:
        self.conformance = conformance

    def pytest_configure_node(self, node: Any) -> None:
        recorder = self.conformance.recorder
        node.workerinput["conformance"] = {
            "path": str(recorder.path),
            "facts": recorder.facts,
            "finished": [list(key) for key in recorder.finished],
            "fork_servers": fork_client.addresses(),
        }

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        from tests.conformance.scheduling import PackScheduling

        return PackScheduling(config, log, self.conformance.selection.options.pack_size)
