"""Options of the project's own tests."""

from __future__ import annotations

import os
import re
import signal

import pytest
from hypothesis import settings

# A gate says the same of the same commit each time it is asked. New examples are for whoever looks for faults:
# HYPOTHESIS_PROFILE=default pytest tests/unit
# Neither has a time limit: a loaded machine is no fault.
settings.register_profile("default", deadline=None)
settings.register_profile("gate", derandomize=True, database=None, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


def pytest_configure() -> None:
    """What tests start takes Ctrl-C: a shell lets what runs in the background, and its children, ignore SIGINT."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kills", type=int, default=0, metavar="N", help="length of the long storm of kills"
    )
    parser.addoption(
        "--of",
        metavar="OPERATION",
        help="only the tests of one operation, such as Elu-1: those that it is a parameter of, and those of its type's "
        "own file",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors: many tests wait for processes of their own, or for time limits."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    name = config.getoption("--of")
    if not name:
        return
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition("-")[0])
    own = f"test_{kind.lower()}.py"
    as_word = re.compile(rf"\[(.*[^\w-])?{re.escape(name)}(?![\w-])")
    kept = [each for each in items if each.path.name == own or as_word.search(each.nodeid)]
    if not kept:
        raise pytest.UsageError(f"--of {name}: no test is of this operation")
    config.hook.pytest_deselected(items=[each for each in items if each not in set(kept)])
    items[:] = kept
