"""Connects the suite to pytest: options, collection, hooks. What a run is stands in ``tests/conformance``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from devices import ChildDiedError, ChildHungError
from reports.expectations import ExpectationsError
from reports.results import ResultsError
from tests.conformance import probing, selection, terminal
from tests.conformance.items import CaseFile, CaseItem, Conformance, conformance_key
from tests.conformance.records import Recorder, worker_count

_WRONG = (selection.UsageError, ResultsError, ExpectationsError, ChildDiedError, ChildHungError)


def pytest_addoption(parser: pytest.Parser) -> None:
    selection.add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Check everything that can be wrong before pytest starts: one line on standard error and exit code 2."""
    if hasattr(config, "workerinput"):
        return None
    try:
        if config.getoption("--list-devices"):
            print(probing.list_devices())
            return 0
        if _asks_about_pytest(config) or not selection.is_about_conformance(
            config.args, config.invocation_params.dir
        ):
            return None
        chosen = selection.read(config)
        facts = {} if config.option.collectonly else probing.probe(chosen)
        recorder = Recorder(chosen, selection.results_path(chosen), facts)
        if not config.option.collectonly:
            recorder.open()
    except _WRONG as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    config.stash[conformance_key] = Conformance(chosen, recorder)
    config.pluginmanager.register(terminal.Story(config, recorder), "conformance-story")
    terminal.quieten(config)
    return None


def _asks_about_pytest(config: pytest.Config) -> bool:
    """Whether pytest answers without a run."""
    questions = (
        "help",
        "version",
        "markers",
        "showfixtures",
        "show_fixtures_per_test",
        "cacheshow",
    )
    return any(config.getoption(question, None) for question in questions)


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get("conformance")
    if given is not None:
        chosen = selection.read(config)
        recorder = Recorder(chosen, Path(given["path"]), given["facts"], worker_count())
        recorder.finished = {tuple(key) for key in given["finished"]}
        config.stash[conformance_key] = Conformance(chosen, recorder)
    elif conformance_key in config.stash and config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(WithXdist(), "conformance-xdist")


class WithXdist:
    """What a run over several processes needs."""

    def pytest_configure_node(self, node: Any) -> None:
        recorder = node.config.stash[conformance_key].recorder
        node.workerinput["conformance"] = {
            "path": str(recorder.path),
            "facts": recorder.facts,
            "finished": [list(key) for key in recorder.finished],
        }

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        from tests.conformance.scheduling import PackScheduling

        pack_size = config.stash[conformance_key].selection.options.pack_size
        return PackScheduling(config, log, pack_size)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path == selection.ADDRESS and conformance_key in parent.config.stash:
        return CaseFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    # After everything that deselects (-k, --lf) and before xdist is told what there is.
    if conformance_key in session.config.stash:
        session.items[:] = session.config.stash[conformance_key].plan(session.items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    if not isinstance(item, CaseItem):
        return None
    item.protocol()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if isinstance(item, CaseItem) and call.when == "call" and item.record is not None:
        # An attribute of plain data: xdist carries it to the process that writes the results.
        report.conformance = item.record
        if item.record["gate"] == "improved" and report.passed:
            report.wasxfail = f"expected worse: {item.record['reason']}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if conformance_key in session.config.stash:
        session.config.stash[conformance_key].close()
