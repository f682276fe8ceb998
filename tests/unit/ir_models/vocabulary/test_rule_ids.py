"""Rules have ids by which results select them, whatever becomes of their sentences."""

import re
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from ir_models import Operation, operation, operations, parse
from ir_models.declaration import rule
from ir_models.vocabulary.rules import rules_of

# Each line has an operation and the id of a rule that its declaration writes. New ones need no line.
GIVEN = Path(__file__).with_name("rule_ids.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("each", operations(), ids=lambda o: o.name)
def test_ids_are_short_and_of_one_rule(each):
    found = Counter(found.id for found in rules_of(each))
    assert [name for name in found if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []
    assert [name for name, often in found.items() if often > 1] == []


@pytest.mark.parametrize("name", dict.fromkeys(line.split()[0] for line in GIVEN))
def test_an_id_that_was_given_stays(name):
    """Results and causes select by it."""
    declared = operation(name)
    found = {each.id for each in rules_of(declared)[-len(declared.rules) :] if declared.rules}
    lost = [line.split()[1] for line in GIVEN if line.split()[0] == name]
    lost = [each for each in lost if each not in found]
    assert not lost, f"{name}: a rule that is worded anew keeps its id: write id={lost[0]!r} there"


def test_many_ids_were_given():
    assert len(GIVEN) > 500


def test_where_an_id_comes_from():
    numbers = count(1)

    def found(*rules):
        # The rules of an operation are made once.
        made = Operation(f"Made-{next(numbers)}", "opset1", rules=rules)
        return [each.id for each in rules_of(made)]

    def has_room(layer):
        return True

    assert found(rule("a window has room", has_room)) == ["has-room"]
    assert found(rule("worded anew", has_room, id="room")) == ["room"]
    assert found(rule("the mode is one of two or three kinds of words", lambda layer: True)) == [
        "mode-two-three-kinds-words"
    ]
    alike = [rule(f"one two three four five {word}", lambda layer: True) for word in ("six", "6")]
    assert found(*alike) == ["two-three-four-five-six", "two-three-four-five-6"]
    assert found(rule("same", lambda layer: True), rule("is same", lambda layer: False)) == [
        "same",
        "same-2",
    ]


@pytest.mark.parametrize(
    "case, wanted",
    [
        ("BatchToSpace-2/invalid/f32[48,3,2,7]/block_shape=3,2,4,1;crops_begin=0,0,1,0;crops_end=0,0,2,0", None),
        ("Squeeze-1/invalid/f32[2,1,3,1,4]/axes=5", "axes-range"),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_id(case, wanted):
    broken = parse(case).broken_rule
    assert broken is not None
    assert broken.id == wanted or wanted is None
