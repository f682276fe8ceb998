"""A device whose release is the name of the folder of its OpenVINO: ``PYTHON:tests.unit.devices.of_release``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from devices.process.own_build import OPENVINO


def open_device(settings: dict[str, str]) -> tuple[Any, dict[str, Any]]:
    """A device that nobody asks anything."""
    return None, {"openvino": f"{Path(os.environ[OPENVINO]).name}-1-a", "settings": settings}
