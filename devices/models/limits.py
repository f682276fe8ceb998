"""A time limit on what the reference computes: a Loop of 2^62 trips never ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLongError(Exception):
    """The reference took longer than its limit."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Run what stands inside for so long at most. Raises TooLongError behind that, in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"it takes longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
