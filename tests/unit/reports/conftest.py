"""What the tests of reports share."""

from pathlib import Path

import pytest

from reports.gate import causes


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of that which the suite ships."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    monkeypatch.setattr(causes, "DIRECTORY", folder)
    return folder
