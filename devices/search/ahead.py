"""Works on batches of graphs ahead, in processes of their own: each draws a batch and asks about it."""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import active_children, get_context
from typing import TypeVar

# Batches of each process that wait: as many as are asked while the search follows departures at the end of ten minutes.
_WAITING = 64

Batch = TypeVar("Batch")
Done = TypeVar("Done")


def ahead(
    there: Callable[[Batch], Done],
    batches: Iterable[Batch],
    here: Callable[[Batch], Done],
    processes: int = 1,
    begin: Callable[[], None] | None = None,
    end: float = float("inf"),
) -> Generator[tuple[Batch, Done], None, None]:
    """Batches in their order with what becomes of each; the processes end with the iterator.

    ``there`` is a function of a module, and what it takes and gives can be sent from one process to another; ``begin``
    is called in each process before. What no process does, since something has ended it, ``here`` does in this one.
    Behind ``end``, by ``time.monotonic``, what is done still comes; nothing is waited for and nothing begun.
    """
    if not processes:
        for batch in batches:
            if time.monotonic() > end:
                return
            yield batch, here(batch)
        return
    others = {*active_children()}
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (begin,))
    waiting: deque[tuple[Batch, Future[Done] | None]] = deque()
    try:
        for batch in batches:
            if time.monotonic() > end:
                break
            waiting.append((batch, _sent(pool, there, batch)))
            if len(waiting) > _WAITING * processes:
                if not _comes(waiting, end):
                    return
                yield _first(here, waiting)
        while waiting and _comes(waiting, end):
            yield _first(here, waiting)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # A batch that nobody waits for any more may take long.
        for process in {*active_children()} - others:
            process.terminate()


def _sent(
    pool: ProcessPoolExecutor, there: Callable[[Batch], Done], batch: Batch
) -> Future[Done] | None:
    with suppress(BrokenProcessPool):
        return pool.submit(there, batch)
    return None


def _first(
    here: Callable[[Batch], Done], waiting: deque[tuple[Batch, Future[Done] | None]]
) -> tuple[Batch, Done]:
    batch, done = waiting.popleft()
    with suppress(BrokenProcessPool):
        if done is not None:
            return batch, done.result()
    return batch, here(batch)


def _comes(waiting: deque[tuple[Batch, Future[Done] | None]], end: float) -> bool:
    """Whether what becomes of the batch in front is there before the end."""
    _, done = waiting[0]
    seconds = None if end == float("inf") else max(end - time.monotonic(), 0.0)
    return done is None or bool(wait([done], seconds).done)


def _begin(begin: Callable[[], None] | None) -> None:
    # Ctrl-C is for the search, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin()
