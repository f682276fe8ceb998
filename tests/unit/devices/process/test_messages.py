"""The messages of OpenVINO's exceptions in one line."""

from __future__ import annotations

import pytest

from devices.process.messages import one_line
from reports.results.facts_of_departures import message_class

# What has a digit in it is no word of a class, so that the words behind the cut are in it as well.
WORDS = "Check 'cmp::le(kernel, dim)' validating " + "f32[2,3] " * 60


def refusal(number: int) -> str:
    name = f"'Interpolate_{number}'"
    types = "i64[2] " * 18
    return f"{WORDS} {'coordinates elements ' * 3} {name}: the input {name} must be another type {types}"


def test_a_long_message_is_cut_between_words():
    text = one_line(refusal(23))
    head, dots, tail = text.partition(" ... ")
    assert dots
    assert len(text) <= 400
    assert all(part in refusal(23) for part in (f"{head} ", f" {tail}"))


@pytest.mark.parametrize("number", [2, 345, 5_332_854])
def test_where_it_is_cut_does_not_change_its_class_by_parts_of_words(number: int):
    whole = set(message_class(refusal(1)).split())
    assert set(message_class(one_line(refusal(number))).split()) <= whole


def test_where_it_is_cut_does_not_depend_on_the_number_of_a_node():
    """It counts the nodes of all models that the process has read."""
    classes = {message_class(one_line(refusal(number))) for number in range(1, 10_000, 7)}
    assert len(classes) == 1


def test_a_message_of_one_word_is_cut_in_it():
    assert one_line("x" * 500) == "x" * 200 + " ... " + "x" * 195


def test_a_short_message_stays():
    assert (
        one_line("Check 'a' failed at b.cpp:1:\n  no  such kernel ") == "Check 'a' no  such kernel"
    )
