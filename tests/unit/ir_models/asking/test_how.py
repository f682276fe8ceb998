"""How a layer is asked: factors, their levels, and the text in a case's id."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_models import HOWS, How
from ir_models.asking.how import USUAL, levels

WAYS = st.builds(How, **{factor: st.sampled_from(["", *HOWS[factor]]) for factor in HOWS})


def test_every_factor_is_a_field_in_the_same_order():
    assert [field.name for field in fields(How)] == list(HOWS)


def test_the_usual_way_shows_nowhere():
    assert How() == USUAL
    assert str(USUAL) == ""
    assert list(USUAL.pairs) == []


@given(WAYS)
def test_the_text_names_what_is_not_usual(how):
    parts = dict(part.split("=") for part in str(how).split(",") if part)
    assert parts == {factor: getattr(how, factor) for factor in HOWS if getattr(how, factor)}
    assert How(**parts) == how
    assert list(parts) == [factor for factor in HOWS if factor in parts]


@pytest.mark.parametrize("factor", HOWS)
def test_levels_have_a_line_and_a_name_for_ids(factor):
    assert levels(factor) == tuple(HOWS[factor])
    for level, about in HOWS[factor].items():
        assert level.replace("-", "").isalnum(), level
        assert level == level.lower()
        assert about.strip() == about != ""
        assert "\n" not in about


@pytest.mark.parametrize(
    "how, inferences",
    [
        (USUAL, 1),
        (How(values="special", data="constant", memory="strided", ir="10"), 1),
        *((How(requests=level), 2) for level in HOWS["requests"]),
        *((How(shape=level), 3) for level in HOWS["shape"]),
        (How(shape="dims", requests="again"), 3),
    ],
    ids=str,
)
def test_inferences(how, inferences):
    assert how.inferences == inferences
