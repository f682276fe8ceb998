"""How outcomes rank."""

import pytest

from reports.outcomes import Outcome, conforms, improves, wanted_outcome


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
    wanted = wanted_outcome("invalid block_shape[0] is 1")
    assert wanted == Outcome.REFUSED
    assert improves(Outcome.REFUSED, Outcome.ACCEPTED_INVALID, wanted)
    assert improves(Outcome.REFUSED, Outcome.QUALITY, wanted)
    assert wanted_outcome("example") == Outcome.PASS


@pytest.mark.parametrize(
    "purpose, right",
    [("example", {"PASS", "QUALITY"}), ("invalid", {"PASS", "QUALITY", "REFUSED"})],
)
def test_what_conforms(purpose, right):
    found = {str(one) for one in Outcome if conforms({"outcome": one, "purpose": purpose})}
    assert found == right
