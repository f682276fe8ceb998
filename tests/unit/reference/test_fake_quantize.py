import numpy as np
import pytest

from reference import answer, compare
from reference.quantization.fake_quantize import fake_quantize


def quantized(x, *limits, levels, **attributes):
    tensors = (np.array(each, np.float32) for each in (x, *limits))
    return fake_quantize(*tensors, levels=levels, **attributes).tolist()


def test_levels_of_the_input_range_in_the_output_range():
    # Five levels: 0, 1, 2, 3, 4 become 10, 20, 30, 40, 50.
    x = [-7.0, 0.0, 0.4, 0.75, 1.25, 2.0, 3.6, 4.0, 9.0]
    assert quantized(x, 0, 4, 10, 50, levels=5) == [10, 10, 10, 20, 20, 30, 50, 50, 50]


def test_two_levels():
    assert quantized([-1.0, 0.2, 0.3, 1.0], -1, 1.5, -2, 3, levels=2) == [-2, -2, 3, 3]


def test_one_input_limit_for_both():
    assert quantized([0.4, 0.5, 0.6], 0.5, 0.5, -1, 1, levels=2) == [-1, -1, 1]


def test_ranges_the_other_way_round():
    assert quantized([-1.0, 0.0, 1.0, 5.0], 0, 2, 3, -3, levels=3) == [3, 3, 0, -3]
    # x <= 0 and x > 2 are the same; between them the level falls as x grows.
    assert quantized([0.0, 0.1, 1.0, 1.9, 2.0, 3.0], 2, 0, 10, 30, levels=3) == [
        *[10, 30, 20, 10, 10, 30]
    ]


def test_infinities_are_outside():
    assert quantized([-np.inf, np.inf], 0, 4, 10, 50, levels=5) == [10, 50]


def test_limits_broadcast():
    x = [[0.2, 0.8], [0.2, 0.8]]
    assert quantized(x, 0, [[1.0], [2.0]], 0, [1.0, 10.0], levels=2) == [[0, 10], [0, 0]]
    assert quantized(x, 0, [1.0, 2.0], 0, 1, levels=2, auto_broadcast="pdpd") == [[0, 0], [0, 0]]
    assert quantized([0.2], [0], [1], [0], [1], levels=2, auto_broadcast="none") == [0]


@pytest.mark.parametrize(
    ("low", "attributes"),
    [
        ([0.0, 0.0, 0.0], {}),
        (0.0, {"auto_broadcast": "none"}),
        ([[[0.0]]], {"auto_broadcast": "pdpd"}),
    ],
)
def test_limits_that_do_not_broadcast_to_x(low, attributes):
    with pytest.raises(ValueError, match="shape"):
        quantized([1.0, 2.0], low, 1, 0, 1, levels=2, **attributes)


def test_a_reference_by_the_page_element_for_element():
    state = np.random.RandomState(4)
    x, low, high = (
        state.uniform(-3, 3, (3, 5)),
        state.uniform(-2, -1, 5),
        state.uniform(1, 2, (3, 1)),
    )
    found = fake_quantize(x, low, high, np.array(-1.0), np.array(2.0), levels=7)
    for (i, j), value in np.ndenumerate(x):
        il, ih = low[j], high[i, 0]
        if value <= min(il, ih):
            expected = -1.0
        elif value > max(il, ih):
            expected = 2.0
        else:
            expected = round((value - il) / (ih - il) * 6) / 6 * 3 - 1
        assert found[i, j] == pytest.approx(expected, rel=1e-12)


# --- what a device may answer -------------------------------------------------------------------------------------


def judged(x, came, levels=5, dtype=np.float32):
    """Elements that are wrong, of levels from 0 to 4 that become 10 to 50."""
    inputs = [np.array(each, dtype) for each in (x, 0, 4, 10, 50)]
    (expected,) = answer("FakeQuantize-1", inputs, {"levels": levels})
    answered = np.array(came, dtype)
    return compare(expected.chosen([answered]), answered).wrong


def test_halfway_is_either_level():
    assert judged([0.5, 1.5, 2.5], [10, 20, 30]) == 0
    assert judged([0.5, 1.5, 2.5], [20, 30, 40]) == 0
    assert judged([0.5, 1.5, 2.5], [30, 10, 35]) == 3


def test_halfway_as_far_as_the_type_can_tell():
    assert judged([1.5 - 2.0**-23], [30]) == 0
    assert judged([1.5 - 2.0**-18], [30]) == 1
    assert judged([1.5 - 2.0**-9], [30], dtype=np.float16) == 0


def test_levels_may_err_by_some_roundings():
    assert judged([1.1], [20 + 2.0**-18]) == 0
    assert judged([1.1], [20 + 2.0**-14]) == 1


def test_outside_of_the_range_there_is_no_choice():
    assert judged([-0.5, 4.5], [10, 50]) == 0
    assert judged([-0.5, 4.5], [20, 40]) == 2


def test_nan_is_open():
    assert judged([np.nan, 2.0], [10, 30]) == 0
    assert judged([np.nan, 2.0], [np.nan, 40]) == 1
