"""What the tests of the gate share."""

from pathlib import Path

import pytest

from tests.unit.reports.gate.desks import Desk, instead_of_the_suite


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """A desk whose folders are those that the suite ships."""
    made = Desk(tmp_path, capsys)
    instead_of_the_suite(monkeypatch, made)
    return made
