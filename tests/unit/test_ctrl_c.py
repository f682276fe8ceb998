"""Ctrl-C while a command imports its modules: one word, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Loaded before all else: a module whose import Ctrl-C interrupts.
SITE = """\
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize(
    ("command", "module"),
    [
        (["reports", "summary", "none.jsonl"], "reports.results.records"),
        (["reports", "summary", "none.jsonl"], "reports.commands.summary"),
        (["devices", "write", "--help"], "reports.results.shared.command_line"),
        (["ir_models", "list"], "ir_models.pages"),
        (["pytest", "tests/conformance", "--list-devices"], "devices.targets.profiles"),
        (["pytest", "tests/conformance", "--list-devices"], "tests.conformance.options"),
    ],
)
def test_no_traceback(tmp_path: Path, command: list[str], module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(SITE.format(module=module))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    came = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert came.returncode in (130, 2, -signal.SIGINT), came
    assert came.stderr.strip().endswith("interrupted"), came.stderr
    assert "Traceback" not in came.stderr + came.stdout
