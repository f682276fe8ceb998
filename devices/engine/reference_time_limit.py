"""A time limit on what the reference computes: a Loop of 2^62 trips never ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLongError(Exception):
    """The reference took longer than its limit."""


class _Stopped(BaseException):
    """Its time is over. No ``Exception``, so that nothing inside handles it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Run what stands inside for so long at most. Raises TooLongError behind that.

    In the main thread alone, and not on Windows, which has no such timer: there it takes as long as it takes.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _Stopped:
        raise TooLongError(f"it takes longer than {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
