"""How outcomes rank."""

import pytest

from reports.results.outcomes import Outcome, improves
from tests.unit.reports.small_results import record


def test_the_order_is_total_and_ends_with_what_says_nothing_about_the_device():
    assert sorted(Outcome, key=lambda one: one.badness) == list(Outcome)
    assert str(min(Outcome, key=lambda one: one.badness)) == "PASS"
    assert list(Outcome)[-2:] == [Outcome.ABSENT, Outcome.ERROR]


@pytest.mark.parametrize(
    "better, worse",
    [
        ("FAIL", "CRASH"),
        ("FAIL", "TIMEOUT"),
        ("TIMEOUT", "CRASH"),
        ("REFUSED", "FAIL"),
        ("FOLDED", "REFUSED"),
        ("PASS", "COMPILED"),
        ("COMPILED", "REFUSED"),
        ("FAIL", "FLAKE"),
        ("QUALITY", "FAIL"),
        ("CRASH", "ABSENT"),
    ],
)
def test_better_and_worse(better, worse):
    assert improves(Outcome(better), Outcome(worse))
    assert not improves(Outcome(worse), Outcome(better))


def test_nothing_improves_on_itself():
    assert not any(improves(one, one) for one in Outcome)


def test_the_expected_outcome_is_the_best_one():
    assert improves(Outcome.FOLDED, Outcome.QUALITY, Outcome.FOLDED)
    assert improves(Outcome.REFUSED, Outcome.ACCEPTED_INVALID, Outcome.REFUSED)


@pytest.mark.parametrize(
    "required, conforming",
    [
        ("PASS", {"PASS", "QUALITY", "COMPILED"}),
        ("FOLDED", {"PASS", "QUALITY", "FOLDED", "COMPILED"}),
    ],
)
def test_what_conforms(required, conforming):
    records = [record(outcome=str(one), expected_outcome=Outcome(required)) for one in Outcome]
    assert {str(one.outcome) for one in records if one.conforms} == conforming
