"""Element types: values to bytes and back, bit for bit."""

import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_models import ELEMENT_TYPES, element_type
from ir_models.vocabulary.element_types import (
    ANY,
    FLOATS,
    INTEGERS,
    NF4_LEVELS,
    NUMERIC,
    f4e2m1,
    f32,
    i4,
    i8,
    i64,
    nf4,
    string,
    u1,
    u2,
    u3,
    u4,
    u6,
    u8,
)
from ir_models.vocabulary.type_sets import types

FIXED = [kind for kind in ANY if kind is not string]
PACKED = [kind for kind in FIXED if kind.is_packed]


def bits(text):
    """Bytes written as bits: ``"00000001 11111111"`` is [1, 255]."""
    return [int(byte, 2) for byte in text.split()]


# Worked by hand, one element after the other.
BY_HAND = [
    # The first element in the highest bit.
    (u1, [1, 0, 0, 0, 0, 0, 0, 1], "10000001"),
    (u1, [1, 1, 0, 1, 0, 0, 0, 0, 1], "11010000 10000000"),
    # The first element in the lowest two bits.
    (u2, [1, 0, 0, 3], "11000001"),
    (u2, [0, 1, 2, 3, 2], "11100100 00000010"),
    # The first element in the low half.
    (u4, [1, 15, 7], "11110001 00000111"),
    (i4, [-1, 7, -8], "01111111 00001000"),
    (nf4, [-1.0, 1.0, 0.0], "11110000 00000111"),
    (nf4, NF4_LEVELS[[1, 14]].tolist(), "11100001"),
    (f4e2m1, [0.5, -6.0, -0.0], "11110001 00001000"),
    (f4e2m1, [1.0, 1.5, 2.0, 3.0], "00110010 01010100"),
    # The low two bits of four elements, of the next four, then the high bits of all, each first one highest.
    (u3, [1, 0, 0, 2, 0, 3, 0, 0], "01000010 00110000 00000000"),
    (u3, [4, 0, 0, 0, 0, 0, 0, 4], "00000000 00000000 10000001"),
    (u3, [4, 1, 6, 3, 7, 6, 1, 0], "00011011 11100100 10101100"),
    (u3, [7], "11000000 00000000 10000000"),
    # The low four bits of two elements, of the next two, then the high two bits of all.
    (u6, [49, 34, 19, 4], "00010010 00110100 11100100"),
    (u6, [63, 1], "11110001 00000000 11000000"),
]


@pytest.mark.parametrize("kind, values, packed", BY_HAND)
def test_bytes_worked_by_hand(kind, values, packed):
    array = np.array(values, kind.dtype)
    np.testing.assert_array_equal(kind.pack(array), bits(packed))
    unpacked = kind.unpack(np.array(bits(packed), np.uint8), (len(values),))
    assert unpacked.dtype == kind.dtype
    np.testing.assert_array_equal(unpacked, array)
    assert (np.signbit(unpacked.astype(float)) == np.signbit(array.astype(float))).all()


@pytest.mark.parametrize("kind", FIXED, ids=str)
def test_every_byte_comes_back(kind):
    """Unpacking and packing again loses nothing, NaNs of every payload included."""
    if kind.name == "boolean":
        raw = np.array([0, 1, 1, 0, 1, 0, 0, 0], np.uint8)
    elif kind.bits <= 8:
        raw = np.resize(np.arange(256, dtype=np.uint8), 768)
    else:
        raw = np.random.RandomState(0).randint(0, 256, 4096, np.uint8)
    count = raw.size * 8 // kind.bits
    np.testing.assert_array_equal(kind.pack(kind.unpack(raw, (count,))), raw)


@st.composite
def tensors(draw):
    """A type, a shape and codes of its elements."""
    kind = draw(st.sampled_from(FIXED))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    count = int(np.prod(shape))
    most = 1 if kind.kind == "boolean" else 255
    size = count if kind.is_packed else count * kind.bits // 8
    codes = draw(st.lists(st.integers(0, most), min_size=size, max_size=size))
    return kind, shape, np.array(codes, np.uint8)


@given(tensors())
@settings(max_examples=300)
def test_round_trip(tensor):
    kind, shape, codes = tensor
    if kind is nf4:
        values = NF4_LEVELS[codes & 15].reshape(shape)
    elif kind.is_packed:
        values = (codes & 2**kind.bits - 1).astype(np.uint8)
        if kind is f4e2m1:
            values = values.view(kind.dtype)
        elif kind is i4:
            values = values.astype(np.int8) - 8
        values = values.astype(kind.dtype).reshape(shape)
    else:
        values = codes.view(kind.dtype).reshape(shape)
    packed = kind.pack(values)
    assert packed.dtype == np.uint8
    assert packed.shape == (kind.byte_size(shape),)
    back = kind.unpack(packed, shape)
    assert back.dtype == kind.dtype
    assert back.shape == shape
    assert back.tobytes() == values.tobytes()


@pytest.mark.parametrize("kind", FIXED, ids=str)
def test_order_in_memory_does_not_matter(kind):
    # Zeros and ones that are not their own mirror image.
    values = np.zeros((3, 5), kind.dtype)
    if kind.has_zero:
        values[0, 1] = values[2, 3] = values[2, 4] = 1
    strided = np.asfortranarray(values)
    np.testing.assert_array_equal(kind.pack(strided), kind.pack(values))
    np.testing.assert_array_equal(
        kind.pack(values[:, ::2]), kind.pack(np.ascontiguousarray(values[:, ::2]))
    )


@pytest.mark.parametrize(
    "kind, shape, size",
    [
        (f32, (), 4),
        (i64, (2, 3), 48),
        (u1, (9,), 2),
        (u2, (5,), 2),
        (u3, (1,), 3),
        (u3, (8,), 3),
        (u3, (9,), 6),
        (u6, (4,), 3),
        (u6, (5,), 6),
        (i4, (3, 3), 5),
        (u4, (0, 7), 0),
        (u3, (0,), 0),
    ],
)
def test_byte_size(kind, shape, size):
    assert kind.byte_size(shape) == size


def test_a_wrong_number_of_bytes_is_told():
    with pytest.raises(ValueError, match=r"u3\[9\] takes 6 bytes, got 4"):
        u3.unpack(np.zeros(4, np.uint8), (9,))


def test_what_has_no_bytes_is_told():
    with pytest.raises(TypeError, match="no fixed bytes"):
        string.pack(np.array(["a"], object))
    with pytest.raises(ValueError, match="not nf4 levels"):
        nf4.pack(np.array([0.25], np.float32))


def test_values_must_fit():
    np.testing.assert_array_equal(u8.values((0, 255)), np.array([0, 255], np.uint8))
    for kind, value in ((u8, 256), (u8, -1), (i8, 128), (u8, 0.5)):
        with pytest.raises((ValueError, OverflowError)):
            kind.values((value,))


def test_int64_ends_survive():
    ends = (-(2**63), 2**63 - 1)
    np.testing.assert_array_equal(i64.values(ends), np.array(ends, np.int64))


@pytest.mark.parametrize("kind", ANY, ids=str)
def test_dtypes_hold_their_type(kind):
    """The dtype has room for each element, and says what the type is."""
    assert element_type(kind.name) is kind
    if kind is string:
        assert kind.dtype == object
        return
    assert kind.dtype.itemsize * 8 >= kind.bits
    assert kind.is_packed == (kind.bits < 8)
    if kind.is_integer:
        least = 0 if kind.kind == "uint" else -(2 ** (kind.bits - 1))
        most = 2 ** (kind.bits - (kind.kind == "int")) - 1
        assert kind.values((least, most)).astype(object).tolist() == [least, most]
    if kind.is_float and kind is not nf4:
        assert ml_dtypes.finfo(kind.dtype).bits in (kind.bits, kind.dtype.itemsize * 8)


def test_names_are_those_of_ir():
    assert list(ELEMENT_TYPES) == [kind.name for kind in ANY]
    assert len({kind.precision for kind in ANY}) == len(ANY)
    assert set(FLOATS) | set(INTEGERS) == set(NUMERIC)
    with pytest.raises(ValueError, match="unknown element type 'f33'; known: f16 f32"):
        element_type("f33")


def test_a_type_variable_has_a_default():
    assert types("T", "any integer type", f32).default is f32
    assert types("T", "any integer type").default is i64
    assert types("T", u1, u2).default is u1
    assert u1 in types("T", u1, "u2")
    assert f32 not in types("T", u1, u2)


def test_tensors_are_written_as_in_case_ids():
    assert str(f32[2, 3]) == "f32[2,3]"
    assert str(f32[()]) == "f32[]"
    assert str(i64.tensor([[1], [2]])) == "i64[2,1]"
    assert len(PACKED) == 8


def test_an_element_type_from_another_process_is_in_the_same_sets():
    copied = pickle.loads(pickle.dumps(f32))
    assert copied is not f32
    assert {copied} == {f32}
    assert len({*ANY, copied}) == len(ANY)
