"""Batches of graphs that other processes work on ahead."""

import os
import time
from contextlib import closing
from itertools import count

from devices.search.ahead import ahead


def begin():
    os.environ["BEGUN"] = "yes"


def in_process(number):
    return os.getpid(), number, os.environ.get("BEGUN", "")


def slow(seconds):
    time.sleep(seconds)
    return seconds


def not_there(process):
    """Ends every process but this one."""
    if os.getpid() != process:
        os._exit(1)
    return process


def test_batches_come_in_their_order_from_other_processes_without_end():
    with closing(ahead(in_process, count(), in_process, 2, begin)) as done:
        found = [next(done) for _ in range(10)]
    assert [batch for batch, _ in found] == [*range(10)]
    assert [number for _, (_, number, _) in found] == [*range(10)]
    processes = {process for _, (process, _, _) in found}
    assert 1 <= len(processes) <= 2
    assert os.getpid() not in processes
    assert {begun for _, (_, _, begun) in found} == {"yes"}


def test_where_something_ends_the_other_process_batches_are_done_here():
    batches = [os.getpid()] * 6
    assert [*ahead(not_there, batches, not_there)] == [(os.getpid(), os.getpid())] * 6


def test_nothing_is_waited_for_behind_the_end():
    end = time.monotonic() + 20
    started = time.monotonic()
    done = [each for each, _ in ahead(slow, [0.0, 600.0, 0.0], slow, 1, None, end)]
    assert done == [0.0]
    assert time.monotonic() - started < 300
    assert [*ahead(slow, count(), slow, 0, None, time.monotonic() - 1)] == []
