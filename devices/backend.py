"""What a device is to the child process that owns it.

Apart from ``devices.child``, which runs as ``__main__``: a device that imported that would have errors of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from devices.protocol import Question, Reply


class Backend(Protocol):
    """A device, or what stands in for one."""

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Answer a question; calls ``stage`` before read, compile, infer and fetch."""
        ...


class DeviceAbsentError(Exception):
    """The device is known but not on this machine."""


class UnknownDeviceError(Exception):
    """OpenVINO knows no such device, or not with these settings."""
