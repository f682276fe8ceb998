"""Batches of graphs that another process draws while the device computes."""

import os
from contextlib import closing
from itertools import count

from devices.search.ahead import ahead


def in_process(number):
    return os.getpid(), number


def not_there(process):
    """Ends every process but this one."""
    if os.getpid() != process:
        os._exit(1)
    return process


def test_batches_come_in_their_order_from_another_process_without_end():
    with closing(ahead(in_process, count())) as drawn:
        found = [next(drawn) for _ in range(10)]
    assert [batch for batch, _ in found] == [*range(10)]
    assert [number for _, (_, number) in found] == [*range(10)]
    (process,) = {process for _, (process, _) in found}
    assert process != os.getpid()


def test_where_something_ends_the_other_process_batches_are_drawn_here():
    batches = [os.getpid()] * 6
    assert [*ahead(not_there, batches)] == [(os.getpid(), os.getpid())] * 6
