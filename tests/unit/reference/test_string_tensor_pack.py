import numpy as np

from reference.type.string_tensor_pack import string_tensor_pack


def packed(begins, ends, text):
    symbols = np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)
    found = string_tensor_pack(np.array(begins), np.array(ends), symbols)
    assert found.dtype == object
    return found.tolist()


def test_characters_of_several_bytes():
    # 1, 2, 3 and 4 bytes in UTF-8.
    assert packed([0, 1, 3, 6], [1, 3, 6, 10], "aß日🌍") == ["a", "ß", "日", "🌍"]
    assert packed([1, 0], [6, 10], "aß日🌍") == ["ß日", "aß日🌍"]


def test_overlapping_and_in_any_order():
    assert packed([2, 0, 1], [4, 4, 2], "abcd") == ["cd", "abcd", "b"]


def test_scalar_and_empty():
    assert packed(1, 3, "abcd") == "bc"
    assert packed([0, 0], [0, 0], "") == ["", ""]
    found = string_tensor_pack(np.zeros((2, 0), int), np.zeros((2, 0), int), np.zeros(3, np.uint8))
    assert found.shape == (2, 0)


def test_zero_bytes_belong_to_the_string():
    assert packed([0], [3], b"a\0b") == ["a\0b"]


def test_strings_that_are_joined_come_back():
    state = np.random.RandomState(1)
    for _ in range(20):
        strings = [
            "".join(map(chr, state.randint(0x20, 0x2FF, state.randint(0, 9)))) for _ in range(6)
        ]
        ends = np.cumsum([len(each.encode()) for each in strings])
        assert packed([0, *ends[:-1]], ends, "".join(strings)) == strings
