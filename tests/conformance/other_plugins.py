"""Other plugins of pytest that may be installed beside the suite: what of them a run of the suite cannot have."""

from __future__ import annotations

import pytest

# Plugins that the hooks of a case would break, or that cost each process of the run a second: the one of Hypothesis
# imports all of Hypothesis at the end of a run, in workers as well, and pytest rewrites its asserts.
_LEFT_OUT = ("rerunfailures", "hypothesispytest")

_ONE_RESULT = "a case has one result: the suite runs each case twice itself; --audit 1 runs all of them alone as well"

# Options of plugins: where pytest keeps the value, the option, and why the suite does not take it.
_REFUSED = (
    (
        "reruns",
        "--reruns",
        "a case that passes when it is run again would hide a flake: the suite runs a failing case again "
        "itself, and reports FLAKE",
    ),
    (
        "retries",
        "--retries",
        "a case that passes when it is run again would hide a flake: the suite runs a failing case again "
        "itself, and reports FLAKE",
    ),
    (
        "flake_finder_enable",
        "--flake-finder",
        _ONE_RESULT,
    ),
    (
        "timeout",
        "--timeout",
        "it would count the time of a whole pack to its first case: --case-timeout limits a case",
    ),
    (
        "json_report",
        "--json-report",
        "a case has no setup and no teardown to report: python -m reports export --format json has all results",
    ),
    ("splits", "--splits", "--shard I/N runs a part of the cases, and the results say which"),
    (
        "forked",
        "--forked",
        "a child process of the suite owns the device already, and a crash ends that one alone",
    ),
    (
        "benchmark_only",
        "--benchmark-only",
        "cases are no benchmarks: python -m tests.benchmark.shares measures the suite",
    ),
    ("testmon", "--testmon", "a result depends on the device, not on changed Python code"),
    ("picked", "--picked", "--operation and case ids choose what is run"),
)


def refused(config: pytest.Config) -> str:
    """What is wrong with the options of other plugins, in one line, or ""."""
    if not config.pluginmanager.hasplugin("terminal"):
        return "-p no:terminal is not for tests/conformance: -q prints less, and the results file has everything"
    if getattr(config.option, "count", 1) not in (0, 1, None):  # pytest-repeat's number
        return f"--count is not for tests/conformance: {_ONE_RESULT}"
    for destination, option, why in _REFUSED:
        if getattr(config.option, destination, None):
            return f"{option} is not for tests/conformance: {why}"
    return ""


def leave_out(config: pytest.Config) -> None:
    """Unregister plugins that break a run or slow it down although nothing asks for them; in workers too."""
    for name in _LEFT_OUT:
        plugin = config.pluginmanager.get_plugin(name)
        if plugin is not None:
            config.pluginmanager.unregister(plugin)
