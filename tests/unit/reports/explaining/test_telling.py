"""Sets of factors that tell departures from what conforms."""

from __future__ import annotations

import pytest

from reports.explaining.telling import (
    Layers,
    gain,
    is_general,
    kinds_of,
    scope_of,
    tries,
    unit_of,
    with_values,
)
from reports.results.records import CaseRecord
from tests.unit.reports.small_results import record

PLAIN = "A-1/plain/f32[3,5]/axes=1;pad=2"


def right(case: str) -> CaseRecord:
    return record(case, "PASS")


def wrong(case: str) -> CaseRecord:
    return record(case, "FAIL")


def factors(case: str) -> set[str]:
    return set(Layers([wrong(case)], [right(PLAIN)]).factors(wrong(case)))


def test_wide_factors() -> None:
    assert factors("A-1/type/i4[3,5]/axes=1;pad=2") == {"type=i4", "a type of less than 8 bits"}
    found = factors("A-1/variant.crop/f32[3,0]/axes=i8:1;pad=-2/shape=dims")
    assert found >= {"purpose=variant.*", "an index of another type", "a type of 8 bits"}
    assert found >= {"size=0", "pad negative", "pad=*", "shape=*", "shape=dims"}


def test_signs_that_the_plain_layer_has_are_no_factors() -> None:
    plain = right("A-1/plain/f32[3,5]/axes=-1;pad=2")
    one = wrong("A-1/random/f32[3,5]/axes=-2;pad=0")
    found = Layers([one], [plain]).factors(one)
    assert "axes negative" not in found
    assert "pad 0" in found


def test_an_invalid_layer_knows_the_plain_one() -> None:
    one = record("A-1/invalid/f32[3,5]/axes=1;pad=-2", "ACCEPTED_INVALID", rule="pad is at least 0")
    layers = Layers([one], [right(PLAIN), right("A-1/invalid/f32[3,5]/axes=9;pad=2")])
    assert layers.factors(one) == {"pad=-2", "pad=*", "pad negative", "rule=pad is at least 0"}
    # Of invalid layers only those that are refused count.
    assert layers.conforming(scope_of(one), ()) == 1


def test_conforming_cases_that_have_a_set() -> None:
    cases = [right(PLAIN), right("A-1/type/i4[3,5]/axes=1;pad=2"), right("B-1/type/i4[3,5]/-")]
    layers = Layers([wrong("A-1/type/u4[3,5]/axes=1;pad=2")], cases)
    scope = ("A", False)
    assert layers.conforming(scope, ()) == 2
    assert layers.conforming(scope, ("a type of less than 8 bits",)) == 1
    assert layers.conforming(scope, ("type=u4",)) == 0


def test_shared_is_what_all_have_and_others_lack() -> None:
    departing = [wrong(f"A-1/random/i4[{n},5]/axes=1;pad=2") for n in (2, 3, 4)]
    conforming = [
        right(PLAIN),
        *(right(f"A-1/random/f32[{n},5]/axes=1;pad=2") for n in range(2, 9)),
    ]
    layers = Layers(departing, conforming)
    assert layers.shared(departing) == ("type=i4",)
    departing.append(wrong("A-1/random/f32[9,5]/axes=1;pad=2"))
    layers = Layers(departing, conforming)
    assert layers.shared(departing) == ()
    assert layers.shared(departing, 0.6) == ("type=i4",)


@pytest.mark.parametrize(
    ("counts", "is_telling"),
    [((15, 0, 15, 20), True), ((15, 20, 15, 20), False), ((1, 0, 30, 20), False)],
)
def test_gain(counts: tuple[int, int, int, int], is_telling: bool) -> None:
    assert (gain(*counts) > tries(100)) is is_telling


def test_gain_of_what_departs_less_often_is_none() -> None:
    assert gain(1, 50, 20, 60) == 0


def test_units_and_scopes() -> None:
    assert unit_of(wrong("Gather-8/plain/f32[3]/axis=0")) == "Gather"
    assert scope_of(wrong("Gather-8/invalid/f32[3]/axis=0")) == ("Gather", True)


def test_kinds() -> None:
    assert kinds_of(("axes=1", "axes negative")) == {"axes"}
    assert kinds_of(("type=i4", "type 1=u4")) == {"a type of less than 8 bits"}
    assert kinds_of(("purpose=variant.crop", "operation=A-1")) == {"purpose=variant.crop"}
    assert is_general(("shape=dims", "size 0.1=0", "type=u8", "an index of another type"))
    assert not is_general(("data=[1,2]",))
    assert not is_general(("shape=dims", "axes=1"))


def test_texts_have_the_values_of_wide_factors() -> None:
    having = [frozenset(("shape=dims", "shape=*", "type=i4")), frozenset(("shape=rank", "type=u4"))]
    assert with_values("shape=*", having) == "shape=dims|rank"
    assert (
        with_values("a type of less than 8 bits", having) == "a type of less than 8 bits (i4, u4)"
    )
    assert with_values("axes negative", having) == "axes negative"
