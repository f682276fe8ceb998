"""The time limit on what the reference computes."""

import contextlib
import time

import pytest

from devices.engine.reference_time_limit import TooLongError, within


def test_what_handles_every_exception_does_not_handle_the_limit():
    def never_ends():
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.01)

    with pytest.raises(TooLongError, match=r"^it takes longer than 0\.2 s$"), within(0.2):
        never_ends()


def test_what_ends_in_time_is_left_alone():
    with within(0.2):
        pass
    time.sleep(0.3)
