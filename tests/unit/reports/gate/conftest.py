"""What the tests of the gate share."""

from pathlib import Path

import pytest

from reports.commands import causes
from tests.unit.reports.gate.desks import Desk, instead_of_the_suite
from tests.unit.reports.gate.shipped_baselines import shipped_causes


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """A desk whose folders are those that the suite ships."""
    made = Desk(tmp_path, capsys)
    instead_of_the_suite(monkeypatch, made)
    return made


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shipped baselines show of causes is read once for all tests of a process."""
    monkeypatch.setattr(causes, "seen_in_baselines", shipped_causes)
