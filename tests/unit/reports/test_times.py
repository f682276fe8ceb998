"""Slower cases are distinct from noise."""

import random

import pytest

from reports.commands.compare import document
from reports.results.files.reading import Results
from reports.views.comparing.comparison import compare
from reports.views.documents import as_text
from tests.unit.reports.small_results import header, record

OPERATIONS = [f"Op{number}-1" for number in range(12)]


def a_run(seconds, pack_size=1, count=10, **other):
    """Ten cases of each operation, in an order as that of a run; `seconds` is a function of operation and place."""
    places = [(name, number) for number in range(count) for name in OPERATIONS]
    records = [
        record(f"{name}/{number}", seconds=seconds(name, place), pack_size=pack_size, **other)
        for place, (name, number) in enumerate(places)
    ]
    return Results([header()], records)


def slower(old, new, **options):
    found = compare(old, new, **options).differences
    return {one.case for one in found if "slower" in one.categories}


def usual(name, place):
    return 0.03


def test_a_slower_operation_is_found():
    new = a_run(lambda name, place: 0.09 if name == "Op3-1" else 0.03)
    assert slower(a_run(usual), new) == {f"Op3-1/{number}" for number in range(10)}
    assert slower(a_run(usual), new, slower=4.0) == set()
    assert slower(new, a_run(usual)) == set()


def test_cases_that_shared_a_pack_have_no_time_of_their_own():
    new = a_run(lambda name, place: 9.0 if name == "Op3-1" else 0.03, pack_size=97)
    assert slower(a_run(usual), new) == set()
    assert slower(a_run(usual, pack_size=97), a_run(lambda name, place: 9.0)) == set()


def test_a_case_that_did_not_reach_the_device_was_not_fast():
    new = a_run(lambda name, place: 0.09 if name == "Op3-1" else 0.03, outcome="REFUSED")
    assert slower(a_run(usual, outcome="REFUSED"), new)
    assert slower(a_run(usual, outcome="ABSENT"), new) == set()


def test_a_busy_machine_makes_no_case_slower():
    new = a_run(lambda name, place: 0.09)
    assert slower(a_run(usual), new) == set()
    text = as_text(document(compare(a_run(usual), new)))
    assert "120 cases were timed one by one in both runs. In the new run they took 3 times" in text


def test_thousands_of_cases_of_an_operation():
    new = a_run(lambda name, place: 0.09 if name == "Op3-1" else 0.03, count=3000)
    assert len(slower(a_run(usual, count=3000), new)) == 3000


def test_a_busy_minute_makes_no_case_slower():
    new = a_run(lambda name, place: 0.3 if 240 <= place < 480 else 0.03, count=100)
    assert slower(a_run(usual, count=100), new) == set()


@pytest.mark.parametrize("seed", range(40))
def test_pauses_of_the_machine_make_no_case_slower(seed):
    source = random.Random(seed)

    def noisy(name, place):
        pause = 0.1 if source.random() < 0.2 else 0.0
        return 0.015 * source.lognormvariate(0, 0.4) + pause

    assert slower(a_run(noisy), a_run(noisy)) == set()


def test_an_operation_on_a_busy_machine_is_found_all_the_same():
    new = a_run(lambda name, place: 0.5 if name == "Op3-1" else 0.09)
    assert slower(a_run(usual), new) == {f"Op3-1/{number}" for number in range(10)}


def test_a_case_alone_counts_from_a_second_on():
    for seconds, found in ((0.9, set()), (1.2, {"Op0-1/5"})):
        new = a_run(lambda name, place, s=seconds: s if place == 60 else 0.03)
        assert slower(a_run(usual), new) == found


def test_short_times_are_not_compared():
    old, new = (a_run(lambda name, place, s=s: s) for s in (0.0001, 0.01))
    assert slower(old, new) == set()


def test_a_case_that_now_fails_is_broken_and_not_slower():
    new = a_run(lambda name, place: 9.0, outcome="FAIL", gate="new")
    assert slower(a_run(usual), new) == set()
