"""How outcomes rank."""

import pytest

from reports.results.outcomes import Outcome
from tests.unit.reports.small_results import record


def test_the_order_is_total_and_ends_with_what_says_nothing_about_the_device():
    assert sorted(Outcome, key=lambda one: one.badness) == list(Outcome)
    assert str(min(Outcome, key=lambda one: one.badness)) == "PASS"
    assert list(Outcome)[-2:] == [Outcome.ABSENT, Outcome.ERROR]


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
