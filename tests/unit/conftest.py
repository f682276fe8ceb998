"""Options of the project's own tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kills", type=int, default=0, metavar="N", help="length of the long storm of kills"
    )
