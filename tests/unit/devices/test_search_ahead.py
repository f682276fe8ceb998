"""Batches of graphs that other processes work on ahead."""

import os
from contextlib import closing
from itertools import count

from devices.search.ahead import ahead


def begin():
    os.environ["BEGUN"] = "yes"


def in_process(number):
    return os.getpid(), number, os.environ.get("BEGUN", "")


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
