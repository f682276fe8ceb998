"""Draws batches of graphs ahead, in a process of its own: drawing one takes as long as asking about it."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from typing import TypeVar

# Batches that wait for the device.
_WAITING = 3

Batch = TypeVar("Batch")
Drawn = TypeVar("Drawn")


def ahead(
    draw: Callable[[Batch], Drawn], batches: Iterable[Batch]
) -> Generator[tuple[Batch, Drawn], None, None]:
    """Batches in their order with what is drawn for each; the process ends with the iterator.

    ``draw`` is a function of a module, and what it gives can be sent from one process to another.
    """
    pool = ProcessPoolExecutor(1, get_context("spawn"), _begin)
    waiting: deque[tuple[Batch, Future[Drawn] | None]] = deque()
    try:
        for batch in batches:
            waiting.append((batch, _sent(pool, draw, batch)))
            if len(waiting) > _WAITING:
                yield _first(draw, waiting)
        while waiting:
            yield _first(draw, waiting)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _sent(
    pool: ProcessPoolExecutor, draw: Callable[[Batch], Drawn], batch: Batch
) -> Future[Drawn] | None:
    with suppress(BrokenProcessPool):
        return pool.submit(draw, batch)
    return None


def _first(
    draw: Callable[[Batch], Drawn], waiting: deque[tuple[Batch, Future[Drawn] | None]]
) -> tuple[Batch, Drawn]:
    """The first batch; it is drawn here where something has ended the other process."""
    batch, drawn = waiting.popleft()
    with suppress(BrokenProcessPool):
        if drawn is not None:
            return batch, drawn.result()
    return batch, draw(batch)


def _begin() -> None:
    # Ctrl-C is for the search, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
