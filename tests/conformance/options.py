"""The suite's own options, and whether a command line is about the suite.

pytest reads this module whatever it is asked to run, so it loads nothing else of the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ADDRESS = HERE / "test_layers.py"
MINIMUM = "conformance_minimum"


def add(parser: pytest.Parser) -> None:
    """The suite's own options."""
    group = parser.getgroup(
        "conformance", "OpenVINO IR layer conformance (pytest tests/conformance)"
    )
    for name, metavar, default, text in _OPTIONS:
        group.addoption(name, metavar=metavar, default=default, help=text)
    for name, metavar, text in _REPEATABLE:
        group.addoption(name, metavar=metavar, action="append", default=None, help=text)
    for name, text in _FLAGS:
        group.addoption(name, action="store_true", help=text)
    parser.addini(
        MINIMUM, "cases that a run of everything has at least, on each device", default="0"
    )


_OPTIONS = [
    ("--random", "N", "50", "random layers for each operation (default 50)"),
    ("--seed", "S", "0", "seed of random layers and of all data (default 0)"),
    ("--shard", "I/N", "1/1", "run the I-th of N parts of the cases, split by hash of the id"),
    (
        "--results",
        "FILE",
        None,
        "results file, one line of JSON for each case (default results/<device>.jsonl); failure "
        "folders go to FILE.failures/",
    ),
    ("--case-timeout", "SECONDS", "10", "time limit of a case, for each stage (default 10)"),
    ("--pack-size", "N", "100", "cases compiled as one model (default 100; 1: each alone)"),
    (
        "--audit",
        "SHARE",
        "0.02",
        "share of the cases passed in packs that run again alone (default 0.02)",
    ),
]
_REPEATABLE = [
    (
        "--device",
        "NAME",
        "device to test: any name that OpenVINO accepts (CPU, GPU.1, AUTO:CPU, BATCH:CPU(4)), or "
        "CORE for OpenVINO's own implementation without a plugin; repeatable; default CPU",
    ),
    (
        "--profile",
        "NAME|KEY=VALUE",
        "settings of the device: accuracy (default), performance, isa=AVX2, any KEY=VALUE, joined "
        "by commas; repeatable, each is a run of its own",
    ),
    (
        "--operation",
        "NAME",
        "operation such as Gather-8, or a type such as Gather for all its versions; repeatable; "
        "default all",
    ),
    (
        "--purpose",
        "P",
        "purpose such as example, type, dynamic, invalid (python -m ir_models purposes); repeatable",
    ),
]
_FLAGS = [
    ("--resume", "go on with the results file: cases in it do not run again"),
    ("--allow-absent", "a device that is not on this machine is no failure"),
    ("--list-devices", "list the devices of this machine and exit"),
]


_QUESTIONS = (
    "help",
    "version",
    "markers",
    "showfixtures",
    "show_fixtures_per_test",
    "cacheshow",
)


def is_for_the_suite(config: pytest.Config) -> bool:
    """Whether the command line asks for a run of the suite, or for its list of devices."""
    if config.getoption("--list-devices"):
        return True
    # Questions that pytest answers without a run.
    if any(config.getoption(question, None) for question in _QUESTIONS):
        return False
    return _names_the_suite(config.args, config.invocation_params.dir)


def _names_the_suite(args: Sequence[str], root: Path) -> bool:
    """Whether the command line names the suite and nothing else."""
    paths = [(root / arg.partition("::")[0].partition("[")[0]).resolve() for arg in args]
    return bool(paths) and all(path == HERE or HERE in path.parents for path in paths)
