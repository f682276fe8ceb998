"""ConvertLike and ConvertPromoteTypes: numbers and types by hand."""

import ml_dtypes
import numpy as np
import pytest

from reference.type.convert_like import convert_like
from reference.type.convert_promote_types import convert_promote_types


def test_the_type_of_like_alone_counts():
    found = convert_like(np.array([3.141592, -7.9], np.float32), np.zeros((2, 3), np.int32))
    assert (found.tolist(), found.dtype) == ([3, -7], np.int32)
    assert convert_like(np.array([2, 0]), np.array([], bool)).tolist() == [True, False]


def test_strings_are_no_numbers():
    with pytest.raises(ValueError, match="no type of numbers: object"):
        convert_like(np.array([1.0]), np.array(["a"], object))


def types(one, other, **attributes):
    """The types of both outputs, which are one."""
    attributes = {"promote_unsafe": True, **attributes}
    found = convert_promote_types(np.zeros(2, one), np.zeros((), other), **attributes)
    assert found[0].dtype == found[1].dtype
    assert (found[0].shape, found[1].shape) == ((2,), ())
    return found[0].dtype


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        (np.int32, np.uint8, np.int32),  # the page's
        (np.int8, np.uint8, np.int16),
        (np.int16, np.uint32, np.int64),
        (np.uint8, np.uint16, np.uint16),
        (ml_dtypes.int4, ml_dtypes.uint4, np.int8),
        (np.uint64, np.uint8, np.uint64),
        (bool, np.int8, np.int8),
        (bool, bool, bool),
        (np.int64, np.float16, np.float64),
        (np.uint64, np.int8, np.float64),
    ],
)
def test_common_types(one, other, common):
    # Of floating-point types the numbers are given in float64.
    assert types(one, other) == types(other, one) == common


def test_the_target_of_u64():
    assert types(np.uint64, np.int8, u64_integer_promotion_target="i64") == np.int64
    assert types(np.uint64, np.uint8, u64_integer_promotion_target="i64") == np.uint64


def test_scalars_take_the_type_of_tensors():
    assert types(np.uint8, np.int64, pytorch_scalar_promotion=True) == np.uint8
    assert types(np.int64, np.uint8, pytorch_scalar_promotion=True) == np.int64
    assert types(np.int8, np.float16, pytorch_scalar_promotion=True) == np.float64
    scalars = convert_promote_types(
        np.zeros((), np.uint8),
        np.zeros((), np.int8),
        promote_unsafe=True,
        pytorch_scalar_promotion=True,
    )
    assert scalars[0].dtype == np.int16


def test_numbers_stay():
    first, second = convert_promote_types(
        np.array([-3], np.int8), np.array([65535], np.uint16), promote_unsafe=True
    )
    assert (first.tolist(), second.tolist()) == ([-3], [65535])


@pytest.mark.parametrize(
    ("one", "other", "safe"),
    [
        *((np.int8, np.float32, True), (np.int32, np.uint8, True), (np.float16, np.float32, True)),
        *((np.int8, np.float16, True), (np.int16, np.float16, False), (bool, np.float16, True)),
        *((np.float16, ml_dtypes.bfloat16, False), (np.int8, np.uint8, False)),
        *((np.uint64, np.int8, False), (np.float64, np.uint64, False), (np.uint8, np.uint8, True)),
    ],
)
def test_what_needs_promote_unsafe(one, other, safe):
    if safe:
        types(one, other, promote_unsafe=False)
    else:
        with pytest.raises(ValueError, match="are promoted with promote_unsafe alone"):
            types(one, other, promote_unsafe=False)


def test_scalars_whose_numbers_a_tensor_lacks_need_promote_unsafe():
    asked = {"promote_unsafe": False, "pytorch_scalar_promotion": True}
    types(np.int16, np.uint8, **asked)
    types(np.float32, np.float16, **asked)
    for one, other in ((np.uint8, np.int64), (np.float16, np.float32)):
        with pytest.raises(ValueError, match="are promoted with promote_unsafe alone"):
            types(one, other, **asked)
