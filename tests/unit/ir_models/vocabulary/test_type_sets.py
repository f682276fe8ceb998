"""What the pages' words for element types mean."""

import pytest

from ir_models import operations
from ir_models.vocabulary.element_types import (
    ANY,
    FLOATS,
    INTEGERS,
    NUMERIC,
    boolean,
    f32,
    i4,
    i32,
    i64,
    string,
    u1,
    u4,
    u8,
)
from ir_models.vocabulary.type_sets import MEANINGS, UnknownTypesError, meaning, types

NUMBERS = {*NUMERIC, i4, u4}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("any type", ANY),
        ("any supported type", ANY),
        ("any arbitrary supported type.", ANY),
        ("any type supported by OpenVINO.", ANY),
        ("any type from *element type* values.", ANY),
        ("any numeric type", NUMBERS),
        ("any supported numerical data type.", NUMBERS),
        ("any numeric type. For boolean type, reduction sum behaves like logical OR", NUMBERS),
        ("any numeric type with values ``0`` or ``1``.", NUMBERS),
        ("any integer numeric type", {*INTEGERS, i4, u4}),
        ("any supported integer types", {*INTEGERS, i4, u4}),
        ("any non-negative integer type", {*INTEGERS, i4, u4}),
        ("arbitrary supported floating point type", FLOATS),
        ("floating point or integer type", NUMBERS),
        ("any supported floating-point and integer type", NUMBERS),
        ("``uint8`` or any supported floating-point type.", {u8, *FLOATS}),
        ("``any supported integer or boolean type``", {*INTEGERS, i4, u4, boolean}),
        ("any numeric type or ``string``", {*NUMBERS, string}),
        ("``int64`` or ``int32``.", {i64, i32}),
        ("int32 or int64 and depends on classes_index_type attribute", {i64, i32}),
        ("32-bit or 64-bit integers", {i64, i32}),
        ("``u1`` type with binary values ``0`` or ``1``", {u1}),
        ("boolean type", {boolean}),
        ("f32", {f32}),
    ],
)
def test_what_words_mean(words, expected):
    assert set(meaning(words)) == set(expected)


@pytest.mark.parametrize("words", ["", "any", "any shape", "any suported type", "int33"])
def test_words_without_a_meaning(words):
    with pytest.raises(UnknownTypesError, match="names no element types; known: type, numeric"):
        meaning(words)


def test_members_may_be_named_where_the_page_has_no_words():
    assert types("T", u8, "int32").types == (u8, i32)
    assert types("T", u8).words == ""


def test_types_of_which_nothing_can_be_asked():
    found = types("T", "any type", unasked=[string])
    assert string not in found
    assert (found.words, found.unasked) == ("any type", (string,))


def test_every_list_of_types_has_a_reason_or_is_plain():
    plain = {"boolean type", "string type", "signed numeric type"}
    assert {each.noun for each in MEANINGS if not each.why} == plain


@pytest.mark.parametrize("operation", operations(), ids=str)
def test_declarations_quote_their_pages(operation):
    """Only the types that an attribute lists are not in the page's words."""
    listed = [a.types for a in operation.attributes if a.types] + [
        i.types for i in operation.inputs if i.types.name == "T_OUT"
    ]
    stated = [i.types for i in operation.inputs if i.types not in listed]
    assert [each.name for each in stated if not each.words] == []
    for each in stated:
        assert {*each.types, *each.unasked} == set(meaning(each.words))


@pytest.mark.parametrize("operation", operations(), ids=str)
def test_a_type_that_is_not_asked_has_a_reading(operation):
    unasked = {kind.name for i in operation.inputs for kind in i.types.unasked}
    said = " ".join(reading.choice for reading in operation.readings)
    assert [name for name in unasked if name not in said] == []
