import ml_dtypes
import numpy as np
import pytest

from reference import answer, compare
from reference.movement.scatter_elements_update import (
    scatter_elements_update_3,
    scatter_elements_update_12,
)

DATA = np.array([2, 3, 4, 6])
INDICES = np.array([1, 0, 0, 2, 3, 2])
UPDATES = np.array([10, 20, 30, 40, 70, 60])
AXIS_0 = np.array([0])
both = pytest.mark.parametrize("update", [scatter_elements_update_3, scatter_elements_update_12])


def check(actual, expected):
    np.testing.assert_array_equal(actual, expected)


@both
def test_updates_are_written_where_indices_say(update):
    output = update(
        np.zeros((3, 4), int),
        np.array([[1, 2], [0, 3]]),
        np.array([[11, 12], [13, 14]]),
        np.array(1),
    )
    check(output, [[0, 11, 12, 0], [13, 0, 0, 14], [0, 0, 0, 0]])


@both
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_the_formula_index_by_index(update, axis):
    data = np.arange(60).reshape(3, 4, 5)
    shape = (2, 3, 3)
    state = np.random.RandomState(axis + 3)
    order = np.argsort(
        state.random_sample(
            [data.shape[axis] if i == axis % 3 else n for i, n in enumerate(shape)]
        ),
        axis,
    )
    indices = order.take(range(shape[axis]), axis)
    updates = 100 + np.arange(18).reshape(shape)
    expected = data.copy()
    for place in np.ndindex(*shape):
        target = list(place)
        target[axis] = indices[place]
        expected[tuple(target)] = updates[place]
    check(update(data, indices, updates, np.array(axis)), expected)


@pytest.mark.parametrize("indices", [INDICES, INDICES - np.array([0, 0, 0, 4, 4, 0])])
@pytest.mark.parametrize(
    ("reduction", "use_init_val", "expected"),
    [
        ("sum", True, [52, 13, 104, 76]),
        ("sum", False, [50, 10, 100, 70]),
        ("prod", True, [1200, 30, 9600, 420]),
        ("prod", False, [600, 10, 2400, 70]),
        ("min", True, [2, 3, 4, 6]),
        ("min", False, [20, 10, 40, 70]),
        ("max", True, [30, 10, 60, 70]),
        ("max", False, [30, 10, 60, 70]),
        ("mean", True, [17, 6, 34, 38]),  # 52 / 3, 13 / 2, 104 / 3, 76 / 2
        ("mean", False, [25, 10, 50, 70]),
    ],
)
def test_reductions_of_integers(indices, reduction, use_init_val, expected):
    output = scatter_elements_update_12(
        DATA, indices, UPDATES, AXIS_0, reduction=reduction, use_init_val=use_init_val
    )
    check(output, expected)
    assert output.dtype == DATA.dtype


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("sum", [[1, 24, 1, 1], [14, 1, 1, 15], [1, 1, 1, 1]]),
        ("prod", [[1, 132, 1, 1], [13, 1, 1, 14], [1, 1, 1, 1]]),
    ],
)
def test_reductions_of_rows(reduction, expected):
    output = scatter_elements_update_12(
        np.ones((3, 4), int),
        np.array([[1, 1], [0, 3]]),
        np.array([[11, 12], [13, 14]]),
        np.array([1]),
        reduction=reduction,
    )
    check(output, expected)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_floats_are_computed_in_float64(dtype):
    data, updates = np.array([1, 5], dtype), np.array([0.5, 0.25, 2], dtype)
    indices = np.array([0, 0, 1])
    results = {
        reduction: scatter_elements_update_12(data, indices, updates, AXIS_0, reduction=reduction)
        for reduction in ("sum", "prod", "min", "max", "mean")
    }
    check(results["sum"], [1.75, 7])
    check(results["prod"], [0.125, 10])
    check(results["mean"], [1.75 / 3, 3.5])
    check(results["min"].astype(float), [0.25, 2])
    check(results["max"].astype(float), [1, 5])
    assert results["sum"].dtype == results["prod"].dtype == results["mean"].dtype == np.float64
    assert results["min"].dtype == results["max"].dtype == dtype


def test_integers_have_the_floor_of_their_mean():
    output = scatter_elements_update_12(
        np.array([-3, 3], np.int8),
        np.array([0, 1]),
        np.array([-4, 4], np.int8),
        AXIS_0,
        reduction="mean",
    )
    check(output, [-4, 3])


def test_the_mean_of_large_integers_is_exact():
    top = 2**63 - 1
    output = scatter_elements_update_12(
        np.array([top]), np.array([0, 0]), np.array([top, top - 3]), AXIS_0, reduction="mean"
    )
    check(output, [top - 1])


def test_sums_of_integers_wrap():
    output = scatter_elements_update_12(
        np.array([100], np.int8), np.array([0]), np.array([100], np.int8), AXIS_0, reduction="sum"
    )
    check(output, [-56])
    assert output.dtype == np.int8


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("sum", [True, True, False, False]),
        ("prod", [False, True, False, False]),
        ("max", [True, True, False, False]),
        ("min", [False, True, False, False]),
    ],
)
def test_booleans(reduction, expected):
    data = np.array([True, True, False, False])
    updates = np.array([False, True, False])
    output = scatter_elements_update_12(
        data, np.array([0, 1, 2]), updates, AXIS_0, reduction=reduction
    )
    check(output, expected)
    assert output.dtype == np.bool_


def test_what_no_index_names_stays():
    output = scatter_elements_update_12(
        np.array([7, 8, 9]),
        np.array([1]),
        np.array([5]),
        AXIS_0,
        reduction="sum",
        use_init_val=False,
    )
    check(output, [7, 5, 9])


@pytest.mark.parametrize(
    "data", [np.array(["a", "b"], object), np.array([np.nan, -0.0]), np.array([2**63 - 1, -5])]
)
def test_every_type_keeps_its_bits(data):
    output = scatter_elements_update_12(data, np.array([-1, -2]), data, AXIS_0)
    assert output.tobytes() == data[::-1].tobytes()


def test_nothing_to_update():
    empty = np.zeros(0, int)
    check(scatter_elements_update_3(DATA, empty, empty, AXIS_0), DATA)


def test_data_is_not_changed():
    data = DATA.copy()
    scatter_elements_update_12(data, INDICES, UPDATES, AXIS_0, reduction="sum")
    check(data, DATA)


def test_errors():
    with pytest.raises(ValueError, match="reduction must be"):
        scatter_elements_update_12(DATA, INDICES, UPDATES, AXIS_0, reduction="median")


def wrong(reduction, came, updates=UPDATES):
    """How many of the elements that came are wrong, where the answer is that of DATA in f32."""
    inputs = (DATA.astype(np.float32), INDICES, updates.astype(np.float32), AXIS_0)
    [expected] = answer("ScatterElementsUpdate-12", inputs, {"reduction": reduction}, ["f32"])
    return compare(expected, came.astype(np.float32)).wrong


@pytest.mark.parametrize(
    ("reduction", "right"),
    [
        ("sum", [52, 13, 104, 76]),
        ("prod", [1200, 30, 9600, 420]),
        ("mean", [52 / 3, 6.5, 104 / 3, 38]),
    ],
)
def test_computed_reductions_may_round(reduction, right):
    right = np.array(right, np.float32)
    assert wrong(reduction, right) == 0
    assert wrong(reduction, np.nextafter(right, np.float32(0))) == 0
    assert wrong(reduction, right * np.float32(1 + 2.0**-19)) == 4


@pytest.mark.parametrize(
    ("reduction", "right"), [("min", [2, 3, 4, 6]), ("none", [30, 10, 60, 70])]
)
def test_moved_elements_may_not_round(reduction, right):
    right = np.array(right, np.float32)
    assert wrong(reduction, right) == 0
    assert wrong(reduction, np.nextafter(right, np.float32(100))) == 4


def test_only_a_plain_scatter_keeps_the_sign_of_zero():
    came = np.array([30, 10, -0.0, 70], np.float32)
    zero = np.where(UPDATES == 60, 0, UPDATES)
    assert wrong("none", came, zero) == 1
    assert wrong("max", np.array([30, 10, 40, 70]), zero) == 0
