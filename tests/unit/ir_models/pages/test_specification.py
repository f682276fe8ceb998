"""Readings as data, and the document that is made of them."""

import json
from pathlib import Path

import pytest

from ir_models import operations
from ir_models.__main__ import main
from ir_models.pages import specification
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.page import example, rule
from ir_models.vocabulary.readings import GENERAL, KINDS, Reading, readings

ROOT = Path(__file__).parents[4]
DOCUMENT, DATA = (
    ROOT / "docs" / "specification.md",
    ROOT / "reports" / "views" / "site" / "readings.json",
)
SILENT = Reading("what is left", "Nothing", "The page ends there", "silence", "something")


def test_the_document_is_current(capsys):
    assert main(["specification"]) == 0
    printed = capsys.readouterr().out
    assert printed == DOCUMENT.read_text(encoding="utf-8"), (
        f"run `{specification.COMMAND} > docs/specification.md`"
    )


def test_the_data_is_current_and_says_the_same(capsys):
    assert main(["specification", "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed == DATA.read_text(encoding="utf-8"), (
        f"run `{specification.COMMAND} --json > {DATA}`"
    )
    data = json.loads(printed)
    text = DOCUMENT.read_text(encoding="utf-8")
    for entries in data.values():
        for kind, _, *said in entries:
            assert f"- *{kind}*" in text
            assert all(sentence in text for sentence in said)


def test_readings_of_rules_count_and_each_counts_once():
    first = Reading("a", "b", "c")
    operation = Operation(
        "Some-1",
        "opset1",
        rules=[
            rule("one", lambda layer: True, reading=first),
            rule("two", lambda layer: True, reading=SILENT),
        ],
        readings=[SILENT],
        examples=[
            example("", output=[1]),
            example("", output=[2], erratum="the page prints 3"),
        ],
    )
    assert specification.readings_of(operation) == [SILENT, first]
    text = specification.document([operation])
    assert "| Some-1 | 1 | 0 | 1 | 1 | 0 |" in text
    assert "- *erratum* in example 2: The page prints 3." in text
    assert (
        "- *silence*: what is left. **Nothing.** The page ends there. Also admitted, as `open`: Something."
    ) in text


def test_an_operation_without_readings_has_no_section():
    assert "None-1" not in specification.document([Operation("None-1", "opset1")])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("a", "b", "c", "guess"), "one of contradiction, silence, ambiguity, slip, got 'guess'"),
        (("", "b", "c"), "the page's words, the choice and the reason"),
        (("a", "", "c"), "the page's words, the choice and the reason"),
        (("a", "b", ""), "the page's words, the choice and the reason"),
    ],
)
def test_a_reading_is_whole(given, message):
    with pytest.raises(ValueError, match=message):
        Reading(*given)


def test_readings_are_written_as_text():
    found = readings("""
        silence: what is left, of
                two lines: and a colon
            Nothing
                at all.
            The page ends there.
            admits: something
        slip: 'a'
            b
            c: admits: d
    """)
    first = Reading(
        "what is left, of two lines: and a colon",
        "Nothing at all.",
        "The page ends there.",
        "silence",
        "something",
    )
    assert found == [first, Reading("'a'", "b", "c: admits: d", "slip")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slip: a\n    b", "'slip: a' is not followed by a choice, a reason"),
        ("slip: a\n    b\n    c\n    d", "'slip: a' is not followed by a choice, a reason"),
        ("slip: a", "'slip: a' is not followed by a choice, a reason"),
        ("guess: a\n    b\n    c", "got 'guess'"),
    ],
)
def test_a_text_of_readings_is_whole(text, message):
    with pytest.raises(ValueError, match=message):
        readings(text)


def test_every_kind_is_met():
    found = {r.kind for o in operations() for r in specification.readings_of(o)}
    assert found == set(KINDS)
    assert len(GENERAL) > 5
