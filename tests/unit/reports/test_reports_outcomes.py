"""How outcomes rank."""

import pytest

from reports.outcomes import Outcome, conforms, improves, wanted_of


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


def test_a_refusal_is_the_best_answer_to_an_invalid_layer():
    wanted = Outcome.REFUSED
    assert improves(Outcome.REFUSED, Outcome.ACCEPTED_INVALID, wanted)
    assert improves(Outcome.REFUSED, Outcome.QUALITY, wanted)


@pytest.mark.parametrize(
    "purpose, right",
    [("example", {"PASS", "QUALITY"}), ("invalid", {"PASS", "QUALITY", "REFUSED"})],
)
def test_what_conforms(purpose, right):
    def record(outcome):
        return {"outcome": outcome, "purpose": purpose, "gate": "departure"}

    assert {str(one) for one in Outcome if conforms(record(one))} == right


@pytest.mark.parametrize(
    "record, wanted",
    [
        ({"purpose": "example"}, "PASS"),
        ({"purpose": "invalid"}, "REFUSED"),
        ({"purpose": "constant", "outcome": "FOLDED", "gate": "pass"}, "FOLDED"),
        ({"purpose": "constant", "outcome": "FOLDED", "gate": "departure"}, "PASS"),
        (
            {"purpose": "constant", "outcome": "FOLDED", "gate": "improved", "wanted": "FOLDED"},
            "FOLDED",
        ),
        ({"purpose": "invalid", "wanted": ""}, "REFUSED"),
    ],
)
def test_what_a_case_asks_for(record, wanted):
    assert wanted_of({"outcome": "CRASH", "gate": "departure", **record}) == wanted
