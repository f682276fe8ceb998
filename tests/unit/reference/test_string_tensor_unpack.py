"""StringTensorUnpack-15: bytes and places by hand, and the way back."""

import numpy as np

from reference.type.string_tensor_pack import string_tensor_pack
from reference.type.string_tensor_unpack import string_tensor_unpack


def test_the_examples_of_the_page():
    begins, ends, symbols = string_tensor_unpack(
        np.array([["Intel", "OpenVINO"], ["OMZ", "GenAI"]], object)
    )
    assert [each.dtype for each in (begins, ends, symbols)] == [np.int32, np.int32, np.uint8]
    assert begins.tolist() == [[0, 5], [13, 16]]
    assert ends.tolist() == [[5, 13], [16, 21]]
    assert symbols.tobytes() == b"IntelOpenVINOOMZGenAI"
    begins, ends, _ = string_tensor_unpack(np.array(["OMZ", "", "GenAI", " ", "2024"], object))
    assert (begins.tolist(), ends.tolist()) == ([0, 3, 3, 8, 9], [3, 3, 8, 9, 13])


def test_places_count_bytes():
    begins, ends, symbols = string_tensor_unpack(np.array(["ß", "日a"], object))
    assert (begins.tolist(), ends.tolist()) == ([0, 2], [2, 6])
    assert symbols.tolist() == [0xC3, 0x9F, 0xE6, 0x97, 0xA5, 0x61]


def test_nothing_a_scalar_and_the_way_back():
    for strings in (np.array([], object), np.array("a\0b", object), np.array([["", "日"]], object)):
        unpacked = string_tensor_unpack(strings)
        assert unpacked[0].shape == strings.shape
        assert string_tensor_pack(*unpacked).tolist() == strings.tolist()
