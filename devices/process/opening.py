"""Starts child processes with their device open, and tries again where one was killed, died or hung meanwhile."""

from __future__ import annotations

import time

from devices.process.child_handle import Child, ChildDiedError, ChildHungError

# Seconds to wait before a question is asked again that was cut off by a kill from outside. There may be many kills: by
# a user, by a system that has no memory left.
PAUSES = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
# Attempts to open a device whose driver dies or does not answer by itself.
_ATTEMPTS = 3
_ATTEMPTS_WITH_HANGS = 2


class NotOpenedError(Exception):
    """The device does not open, whatever the reason. ``absent``: it is known, but not on this machine."""

    def __init__(self, message: str, absent: bool = False) -> None:
        self.absent = absent
        super().__init__(message)


def open_child(
    device: str,
    settings: dict[str, str],
    environment: dict[str, str],
    retry: bool = True,
    is_known: bool = False,
) -> Child:
    """A child process with its device open. With ``retry=False`` only a kill from outside is tried again.

    With ``is_known`` the device computes nothing to show that it is well, and tells less about itself.

    Raises NoDeviceError at once, and after several attempts what the last one raised: ChildDiedError, ChildHungError,
    or OSError when no process can be started.
    """
    kills = failures = 0
    while True:
        try:
            return Child(device, settings, environment, is_known)
        except (ChildDiedError, ChildHungError, OSError) as error:
            if isinstance(error, ChildDiedError) and error.is_killed:
                if kills == len(PAUSES):
                    raise
                time.sleep(PAUSES[kills])
                kills += 1
                continue
            failures += 1
            attempts = _ATTEMPTS_WITH_HANGS if isinstance(error, ChildHungError) else _ATTEMPTS
            if not retry or failures >= attempts:
                raise
