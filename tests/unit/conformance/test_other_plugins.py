"""Other plugins of pytest: merely installed they change nothing, and options that the suite cannot keep are refused.

A plugin is installed here as pip does it: a module and a folder with its entry point on the path.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.conformance.running import SMALL, outcomes, small_cases, suite

# The options by their plugins, as these declare them.
OPTIONS = {
    "rerunfailures": 'addoption("--reruns", type=int, dest="reruns")',
    "flakefinder": 'addoption("--flake-finder", action="store_true", dest="flake_finder_enable")',
    "repeat": 'addoption("--count", type=int, default=1, dest="count")',
    "forked": 'addoption("--forked", action="store_true", dest="forked")',
    "timeout": 'addoption("--timeout", type=float, dest="timeout")',
    "benchmark": 'addoption("--benchmark-only", action="store_true", dest="benchmark_only")',
    "testmon": 'addoption("--testmon", action="store_true", dest="testmon")',
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that installs a plugin with these lines of code under this name."""

    def installed(name: str, code: str) -> None:
        site = tmp_path / "site"
        info = site / f"pytest_{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: pytest-{name}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(f"[pytest11]\n{name} = pytest_{name}_here\n")
        (site / f"pytest_{name}_here.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", str(site))

    return installed


def test_a_plugin_that_would_run_failures_again_is_left_out(install, tmp_path: Path) -> None:
    """Like pytest-rerunfailures, which is at work as soon as it is there."""
    install(
        "rerunfailures",
        "def pytest_runtest_protocol(item, nextitem):\n    raise RuntimeError('at work')\n",
    )
    came = suite(tmp_path, *SMALL, "-n", "2")
    assert came.code == 0, came.text
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


def test_the_end_of_a_run_imports_no_hypothesis(install, tmp_path: Path) -> None:
    """Its plugin would, in every worker: a second each."""
    pytest.importorskip("hypothesis")
    found = tmp_path / "found"
    install(
        "modules",
        "import sys\nfrom pathlib import Path\n\n"
        "def pytest_unconfigure(config):\n"
        "    if hasattr(config, 'workerinput'):\n"
        f"        Path({str(found)!r}).write_text(str('hypothesis' in sys.modules))\n",
    )
    came = suite(tmp_path, *SMALL, "-n", "1")
    assert came.code == 0, came.text
    assert found.read_text() == "False"


def test_a_plugin_that_does_no_harm_stays(install, tmp_path: Path) -> None:
    install("harmless", "def pytest_report_header():\n    return 'I am here'\n")
    came = suite(tmp_path, *SMALL)
    assert came.code == 0, came.text
    assert "I am here" in came.out


@pytest.mark.parametrize(
    "name, options",
    [
        ("rerunfailures", ("--reruns", "2")),
        ("flakefinder", ("--flake-finder",)),
        ("repeat", ("--count", "2")),
        ("forked", ("--forked",)),
        ("timeout", ("--timeout", "60")),
        ("benchmark", ("--benchmark-only",)),
        ("testmon", ("--testmon",)),
    ],
)
def test_an_option_that_the_suite_cannot_keep_is_refused(
    install, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    install(name, f"def pytest_addoption(parser):\n    parser.{OPTIONS[name]}\n")
    came = suite(tmp_path, *SMALL, *options)
    assert came.code == 2, came.text
    assert came.err.startswith(f"error: {options[0]} is not for tests/conformance: ")
    assert came.err.count("\n") == 1
    assert not (tmp_path / "results.jsonl").exists()
