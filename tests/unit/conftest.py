"""Options of the project's own tests."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from ir_models import catalog

# A gate says the same of the same commit each time it is asked. New examples are for whoever looks for faults:
# HYPOTHESIS_PROFILE=default pytest tests/unit
# Neither has a time limit: a loaded machine is no fault.
settings.register_profile("default", deadline=None)
settings.register_profile("gate", derandomize=True, database=None, deadline=None)
_ROOT = Path(__file__).parent
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


def pytest_configure(config: pytest.Config) -> None:
    """What tests start takes Ctrl-C: a shell lets what runs in the background, and its children, ignore SIGINT.

    With ``--of`` one operation is all that there is: no other declaration is read, and no test of another is made.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    name = config.getoption("--of")
    if name:
        try:
            chosen = (catalog.operation(name),)
        except catalog.UnknownOperationError as error:
            pytest.exit(f"--of {name}: {error}", 2)
        catalog.operations = lambda: chosen  # type: ignore[assignment]


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


def _own_file(name: str) -> str:
    """The name of the file of an operation's tests."""
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition("-")[0])
    return f"test_{kind.lower()}.py"


_OF_NO_OPERATION = frozenset(("conformance", "devices", "reports"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``--of`` leave out files that have no test of one operation: collecting them takes most of the time."""
    name = config.getoption("--of")
    if not name or not collection_path.is_relative_to(_ROOT):
        return None
    room = collection_path.relative_to(_ROOT).parts
    if room[:1] and room[0] in _OF_NO_OPERATION:
        return True
    if not collection_path.name.startswith("test_") or collection_path.name == _own_file(name):
        return None
    # A test of each operation, or of this one by its name.
    text = collection_path.read_text("utf-8")
    return None if "operations()" in text or name in text else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    name = config.getoption("--of")
    if not name:
        return
    own = _own_file(name)
    as_word = re.compile(rf"\[(.*[^\w-])?{re.escape(name)}(?![\w-])")
    kept = [each for each in items if each.path.name == own or as_word.search(each.nodeid)]
    if not kept:
        pytest.exit(f"--of {name}: no test is of this operation", 2)
    config.hook.pytest_deselected(items=[each for each in items if each not in set(kept)])
    items[:] = kept
