"""Connects the suite to pytest. Its options and hooks are in ``tests/conformance``."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ir_models.ctrl_c  # noqa: F401
from devices import ProfileError, parse_profile
from devices.process import interpreter, own_build
from devices.process.forking import fork_client
from devices.process.resources import limits
from reports.results.shared.text import say
from tests.conformance import options, other_plugins


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the suite's options, of one checkout alone."""
    config = pluginmanager.get_plugin("pytestconfig")
    if config is not None:
        config.add_cleanup(partial(_end_wrong_usage, config))
    try:
        options.add(parser)
    except ValueError:
        # Before pytest knows an option it takes the option's value for a path of tests, and loads what lies there.
        loaded = [getattr(plugin, "__file__", None) or "" for plugin in pluginmanager.get_plugins()]
        files = [Path(file) for file in [__file__, *loaded] if file.endswith("conftest.py")]
        value = _value_in_another_checkout([file.parent for file in files])
        if value is None:
            raise
        say(
            f"error: a path in another checkout is given with =, as `--option={value}`: pytest loads that checkout "
            "otherwise"
        )
        raise SystemExit(2) from None


def _end_wrong_usage(config: pytest.Config) -> None:
    """Report an option that pytest refuses in one line and exit with 2, as for an option of the suite.

    pytest calls this at its end, while it handles its own error: it would print its usage, and exit with 4. Values of
    pytest's own options are checked before pytest loads this file, and end so.
    """
    error = sys.exc_info()[1]
    if isinstance(error, pytest.UsageError) and not hasattr(config, "workerinput"):
        text = "; ".join(map(str, error.args)).partition(": error: ")
        lines = (text[2] or text[0]).strip().splitlines()
        say(f"error: {lines[0] if lines else 'wrong usage'}")
        raise SystemExit(2)


def _value_in_another_checkout(roots: list[Path]) -> Path | None:
    here = Path.cwd()
    others = [root for root in roots if root != here and root not in here.parents]
    paths = [Path(os.path.abspath(arg)) for arg in sys.argv[1:] if not arg.startswith("-")]
    return next((path for path in paths for root in others if root in path.parents), None)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Check everything that can be wrong before pytest starts: one line on standard error and exit code 2."""
    if hasattr(config, "workerinput"):
        if "conformance" in config.workerinput:
            other_plugins.leave_out(config)
        return None
    try:
        options.give_back_paths(config)
        if not options.is_for_the_suite(config):
            return None
    except pytest.UsageError as error:
        # pytest's own exit code for it would be 4.
        say(f"error: {error}")
        return 2
    try:
        return _begin(config)
    except KeyboardInterrupt:
        say("interrupted")
        return int(pytest.ExitCode.INTERRUPTED)


def _begin(config: pytest.Config) -> int | None:
    wrong = other_plugins.refused(config)
    if wrong:
        say(f"error: {wrong}")
        return 2
    other_plugins.leave_out(config)
    if config.getoption("--keep-cores"):
        os.environ[limits.KEEP_CORES] = "1"
    # Workers use all cores: threads of NumPy would only slow them down.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        own_build.use(config.getoption("--openvino"), config.getoption("--plugin") or [])
        interpreter.use(config.getoption("--python"))
    except (own_build.OwnBuildError, interpreter.InterpreterError) as error:
        say(f"error: {error}")
        return 2
    if not config.option.collectonly:
        devices = config.getoption("--device") or ()
        for text in config.getoption("--profile") or ["accuracy"]:
            with suppress(ProfileError):  # reported below
                # The fork server loads OpenVINO while this process loads the suite.
                fork_client.prepare(parse_profile(text).environment, devices)
    code: int | None = _plugin().begin(config)
    return code


def _plugin() -> Any:
    """The suite's plugin, imported for a run alone.

    From here on nothing is garbage until the cases are collected: ``Hooks.pytest_collection`` enables its collection.
    """
    gc.disable()
    from tests.conformance import plugin

    return plugin


def pytest_configure(config: pytest.Config) -> None:
    """In a worker of pytest-xdist, join the run of the process that started it."""
    given = getattr(config, "workerinput", {}).get("conformance")
    if given is not None:
        # A worker reads the command line again.
        options.give_back_paths(config)
        _plugin().join(config, given)
