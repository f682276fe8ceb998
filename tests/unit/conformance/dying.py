"""A pytest plugin whose first worker to report dies as soon as it has: ``-p tests.unit.conformance.dying``."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Watch a worker; ``died``, beside the results, says that one has died already."""
    if hasattr(config, "workerinput"):
        died = Path(config.getoption("--results")).parent / "died"
        config.pluginmanager.register(_Dying(died))


class _Dying:
    def __init__(self, died: Path) -> None:
        self._died = died

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        """Kill this process, if it is the first to come here: its report is sent, and nothing after it."""
        try:
            self._died.touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
