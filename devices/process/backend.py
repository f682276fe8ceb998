"""The interface of a device, for the child process that owns it.

Not in ``devices.process.child``, which runs as ``__main__``: a device that imported that module would have another copy
of these exceptions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from devices.process.protocol import Question, Reply


class Backend(Protocol):
    """A device, or a replacement of one in tests."""

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Answer a question; calls ``stage`` before read, compile, infer and fetch."""
        ...


class DeviceAbsentError(Exception):
    """The device is known but not on this machine."""


class UnknownDeviceError(Exception):
    """OpenVINO does not know the device, or does not accept these settings."""
