"""What the tests of devices share."""

import pytest

from devices.process.forking import fork_client

DEVICES = (
    "CPU",
    "PYTHON:tests.unit.devices.faulty",
    "PYTHON:tests.unit.devices.forgetful",
    "PYTHON:tests.planted.chained_device",
    "PYTHON:tests.planted.fusing_device",
)


@pytest.fixture(scope="session", autouse=True)
def fork_server() -> None:
    """Load, as a run does before it starts the first child, what children of these devices need.

    Each child would load it otherwise.
    """
    fork_client.prepare({}, DEVICES)
