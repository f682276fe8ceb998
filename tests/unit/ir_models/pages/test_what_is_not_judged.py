"""What pages leave open is said as a reading, and is what the references do not judge."""

import numpy as np
import pytest

import ir_models
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from reference import answer, compare

COMPARISONS = ("Equal-1", "NotEqual-1", "Less-1", "LessEqual-1", "Greater-1", "GreaterEqual-1")


def words_of(name):
    return [f"{one.words}: {one.choice}" for one in ir_models.operation(name).readings]


@pytest.mark.parametrize("name", COMPARISONS)
def test_nan_in_a_comparison(name):
    assert any(words.startswith("NaN in a comparison") for words in words_of(name))
    a = np.array([np.nan, 1.0, 2.0], np.float32)
    b = np.array([1.0, 1.0, 1.0], np.float32)
    (expected,) = answer(name, [a, b], {})
    right = np.asarray(expected.value)
    other = right ^ np.array([True, False, False])
    assert compare(expected, right).wrong == 0
    assert compare(expected, other).wrong == 0
    # Beside NaN numbers are judged.
    for place in (1, 2):
        assert compare(expected, right ^ (np.arange(3) == place)).wrong == 1


def test_negative_integers_converted_like_unsigned_ones():
    assert any("negative integers neither" in words for words in words_of("ConvertLike-1"))
    data = np.array([-1, 7, 300], np.int32)
    (expected,) = answer("ConvertLike-1", [data, np.zeros(1, np.uint16)], {})
    assert compare(expected, np.array([0, 7, 300], np.uint16)).wrong == 0
    assert compare(expected, np.array([65535, 8, 300], np.uint16)).wrong == 1


def test_convert_takes_negative_integers_modulo():
    """The page of Convert has a sentence on them, which that of ConvertLike contradicts."""
    data = np.array([-1, 7], np.int32)
    (expected,) = answer("Convert-1", [data], {"destination_type": "u16"})
    assert compare(expected, np.array([65535, 7], np.uint16)).wrong == 0
    assert compare(expected, np.array([0, 7], np.uint16)).wrong == 1


def test_select_takes_the_types_that_numeric_means():
    """'Numeric' means the same on every page; what is left out is listed."""
    (then,) = (one for one in ir_models.operation("Select-1").inputs if one.name == "then")
    asked = {one.name for one in then.types.types}
    assert asked == {
        *("f16", "f32", "f64", "bf16", "i8", "i16", "i32", "i64"),
        *("u8", "u16", "u32", "u64", "i4", "u4"),
    }
    assert asked < ELEMENT_TYPES.keys()
    (words,) = (one for one in words_of("Select-1") if "numeric" in one)
    assert "boolean, nf4 and floating-point types of 8 bits and fewer are not tested" in words
