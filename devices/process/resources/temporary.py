"""Temporary folders that do not stay behind: of a process that was killed, the next one removes them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_LOCK = "owner"


class Folder:
    """A temporary folder, which its process holds as long as it runs. ``prefix`` begins its name."""

    def __init__(self, prefix: str) -> None:
        _sweep(prefix)
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        # Others take the folder for one of a process that has ended once they can lock this file.
        self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR)
        if sys.platform != "win32":
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)


def _sweep(prefix: str) -> None:
    """Remove the folders of this user's processes that have ended."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:  # another user's; or somebody is making it, or removing it
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # its process runs
            pass
        finally:
            os.close(lock)
