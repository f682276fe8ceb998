"""The classes of accuracy, each on a reference of its kind: what they let pass and what they catch."""

import ml_dtypes
import numpy as np
import pytest

from reference import compare, implements
from reference.accuracy import (
    EXACT,
    UNROUNDED,
    CarriedState,
    Choice,
    Distribution,
    Exact,
    Function,
    Product,
    Rounded,
    Softmax,
    Sum,
)
from reference.accuracy.evaluation import answer, coarsens, refines
from reference.accuracy.precision import precision_of, rounded
from reference.accuracy.statistics import kolmogorov

F32, F16, BF16 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
RANDOM = np.random.RandomState(20)


def reals(x):
    return x.astype(np.float64) if x.dtype.kind not in "iu" else x


@pytest.fixture
def expected(monkeypatch):
    """Gives the right answers of a function with an accuracy, as if it were a reference."""

    def ask(function, accuracy, *inputs, types=(), computed_in="", by_kernel=False, **attributes):
        def made(*args, **named):  # one function may be asked with several accuracies
            return function(*args, **named)

        known = implements("Test-1", accuracy=accuracy)(made)
        monkeypatch.setattr("reference.accuracy.evaluation.lookup", lambda name: known)
        monkeypatch.setattr("reference.accuracy.registry.lookup", lambda name: known)
        return answer("Test-1", inputs, attributes, types, computed_in, by_kernel)

    return ask


def add(a, b):
    return reals(a) + reals(b)


def exp(x):
    return np.exp(reals(x))


def matmul(a, b):
    return reals(a) @ reals(b)


@pytest.fixture(autouse=True)
def same_data_in_any_order_of_tests():
    RANDOM.seed(20)


def draw(*shape, dtype=F32):
    return RANDOM.standard_normal(shape).astype(dtype)


# --- exact and unrounded ------------------------------------------------------------------------------------------


def test_exact_is_bit_for_bit(expected):
    right = expected(lambda x: x, EXACT, np.array([-0.0, 1e-42], F32))[0]
    assert right.bound is None
    assert not right.others
    assert compare(right, np.array([0.0, 0.0], F32)).wrong == 2


def test_exact_but_for_what_the_page_leaves_open(expected):
    silent = Exact(silent=lambda call: np.isnan(call.reals(0)))
    right = expected(lambda x: x, silent, np.array([np.nan, 2.0], F32))[0]
    found = compare(right, np.array([7.0, 2.0], F32))
    assert (found.wrong, found.coarse, found.open) == (0, 0, 1)
    assert compare(right, np.array([np.nan, 2.5], F32)).wrong == 1


def test_unrounded_is_exact_by_value(expected):
    right = expected(lambda x: np.abs(reals(x)), UNROUNDED, np.array([-0.0, 1e-42, 3.0], F32))[0]
    assert compare(right, np.array([-0.0, 0.0, 3.0], F32)).wrong == 0
    assert compare(right, np.array([0.0, 1e-42, np.nextafter(F32.type(3), 4)], F32)).wrong == 1


def test_a_comparison_may_take_subnormals_for_zero(expected):
    a, b = np.array([1e-42, 1.0], F32), np.array([0.0, 1.0], F32)
    right = expected(lambda a, b: a == b, UNROUNDED, a, b, types=["boolean"])[0]
    assert compare(right, np.array([True, True])).wrong == 0
    assert compare(right, np.array([False, True])).wrong == 0
    assert compare(right, np.array([False, False])).wrong == 1


# --- rounded ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [F32, F16, BF16])
def test_rounded_takes_neighbours_and_counts_them(expected, dtype):
    a, b = draw(200, dtype=dtype), draw(200, dtype=dtype)
    right = expected(lambda a, b: reals(a) * reals(b), Rounded(), a, b)[0]
    correct = right.value.astype(dtype)
    found = compare(right, correct)
    assert (found.wrong, found.coarse) == (0, 0)
    ulp = 2 * precision_of(dtype).half_ulp(correct.astype(np.float64))
    beside = (correct.astype(np.float64) + ulp).astype(dtype)
    found = compare(right, beside)
    assert found.wrong == 0
    assert found.coarse >= 190  # ties have two right neighbours
    assert compare(right, (correct.astype(np.float64) + 3 * ulp).astype(dtype)).wrong == 200


def test_integers_are_exact_and_overflow_is_left_open(expected):
    a, b = np.array([100, 100, -128], np.int8), np.array([27, 28, -1], np.int8)
    right = expected(add, Rounded(), a, b)[0]
    assert right.value.dtype == np.int8
    assert compare(right, np.array([127, -128, 127], np.int8)).wrong == 0
    found = compare(right, np.array([127, 127, -128], np.int8))
    assert (found.wrong, found.coarse, found.open) == (0, 0, 2)
    assert compare(right, np.array([126, -128, 127], np.int8)).wrong == 1


def test_integers_off_by_one_only_where_the_page_allows_it(expected):
    def halved(x):
        return (x // 2).astype(x.dtype)

    x, off = np.array([10, 20], np.uint8), np.array([6, 10], np.uint8)
    assert compare(expected(halved, Rounded(), x)[0], off).wrong == 1
    allowed = expected(halved, Rounded(levels=1), x)[0]
    found = compare(allowed, off)
    assert (found.wrong, found.coarse) == (0, 1)
    assert compare(allowed, np.array([7, 10], np.uint8)).wrong == 1


# --- working precision --------------------------------------------------------------------------------------------


def test_a_device_that_says_bf16_may_round_its_inputs_or_not(expected):
    x = draw(300)
    right = expected(exp, Function(k=3), x, computed_in="bf16")[0]
    narrow = x.astype(BF16).astype(np.float64)
    assert compare(right, np.exp(narrow).astype(BF16).astype(F32)).wrong == 0
    assert compare(right, np.exp(x.astype(np.float64)).astype(BF16).astype(F32)).wrong == 0
    unsaid = expected(exp, Function(k=3), x)[0]
    assert compare(unsaid, np.exp(narrow).astype(BF16).astype(F32)).wrong > 290


def test_a_finer_precision_or_none_changes_nothing(expected):
    x = draw(10, dtype=F16)
    for text in ("f32", "", "i8"):
        assert not coarsens(text, ["f16"])
        right = expected(exp, Function(k=3), x, computed_in=text)[0]
        assert not right.others
        assert (right.bound == expected(exp, Function(k=3), x)[0].bound).all()
    assert coarsens("bf16", ["f16"])
    assert coarsens("f32", ["i64", "f64"])
    assert not coarsens("bf16", ["i64", "boolean"])


def test_precision_is_not_range(expected):
    right = expected(add, Rounded(), np.array([1e300]), np.array([1e299]), computed_in="f32")[0]
    assert compare(right, np.array([np.inf])).wrong == 1
    assert compare(right, np.array([1.1e300 * (1 + 2.0**-25)])).wrong == 0


def test_subnormal_inputs_may_be_flushed(expected):
    x = np.array([1e-42, 2.0], F32)
    right = expected(lambda x: 1 / reals(x), Rounded(), x)[0]
    assert compare(right, np.array([np.inf, 0.5], F32)).wrong == 0
    small = np.array([1e-30, 2.0], F32)
    right = expected(lambda x: 1 / reals(x), Rounded(), small)[0]
    assert compare(right, np.array([np.inf, 0.5], F32)).wrong == 1


# --- function -----------------------------------------------------------------------------------------------------


def test_function_is_relative_and_absolute(expected):
    x = np.array([1.0, -20.0], F32)
    epsilon = 2.0**-23
    relative = expected(exp, Function(k=3), x)[0]
    assert relative.bound == pytest.approx(3 * epsilon * np.exp(x.astype(np.float64)))
    assert relative.quality == pytest.approx(epsilon * np.exp(x.astype(np.float64)))
    absolute = expected(exp, Function(k=0, a=2, scale=lambda call: np.abs(call.reals(0))), x)[0]
    assert absolute.bound == pytest.approx([2 * epsilon, 40 * epsilon], rel=1e-6)


def test_float64_is_compared_with_a_reference_that_rounds_too(expected):
    x = draw(5).astype(np.float64)
    right = expected(exp, Function(k=3), x)[0]
    assert right.bound == pytest.approx(2 * 3 * 2.0**-52 * np.exp(x))


def test_infinite_answers_have_no_bound(expected):
    right = expected(exp, Function(k=3), np.array([1e4], F32))[0]
    assert compare(right, np.array([np.inf], F32)).wrong == 0
    assert compare(right, np.array([3e38], F32)).wrong == 1


# --- sum ----------------------------------------------------------------------------------------------------------

MATMUL = Sum(terms=lambda call: call.inputs[0].shape[-1])


def multiplied(a, b, dtype, rounds=None):
    """One product after the other, accumulated in a type."""
    rounds = rounds or (lambda x: x.astype(dtype))
    total = np.zeros((a.shape[0], b.shape[1]), np.float64)
    for k in range(a.shape[1]):
        term = rounds(np.multiply.outer(a[:, k].astype(np.float64), b[k].astype(np.float64)))
        total = rounds(total + term.astype(np.float64)).astype(np.float64)
    return total


@pytest.mark.parametrize(
    ("dtype", "accumulator"), [(F32, F32), (F16, F16), (F16, F32), (BF16, F32)]
)
def test_honest_sums_pass(expected, dtype, accumulator):
    a, b = draw(40, 100, dtype=dtype), draw(100, 40, dtype=dtype)
    right = expected(matmul, MATMUL, a, b)[0]
    found = compare(right, multiplied(a, b, accumulator).astype(dtype))
    assert found.wrong == 0
    assert 0 < found.fraction < 1
    assert (found.coarse == 0) is (accumulator == F32)


@pytest.mark.parametrize(("dtype", "coarser"), [(F32, F16), (F32, BF16), (BF16, BF16)])
def test_sums_in_a_coarser_type_fail(expected, dtype, coarser):
    a, b = draw(40, 100, dtype=dtype), draw(100, 40, dtype=dtype)
    right = expected(matmul, MATMUL, a, b)[0]
    assert compare(right, multiplied(a, b, coarser).astype(dtype)).wrong > 0


def test_a_missing_term_fails(expected):
    a, b = draw(8, 100), draw(100, 8)
    right = expected(matmul, MATMUL, a, b)[0]
    assert compare(right, multiplied(a[:, :99], b[:99], F32).astype(F32)).wrong == 64


def test_sums_that_a_device_multiplies_in_bf16_are_held_to_f32(expected):
    a, b = draw(40, 100), draw(100, 40)
    right = expected(matmul, MATMUL, a, b, computed_in="bf16")[0]
    narrow_a, narrow_b = a.astype(BF16), b.astype(BF16)
    honest = multiplied(narrow_a, narrow_b, F32)
    found = compare(right, honest.astype(F32))
    assert (found.wrong, found.coarse) == (0, 0)
    # The result may pass through bf16, which quality counts.
    found = compare(right, honest.astype(BF16).astype(F32))
    assert found.wrong == 0
    assert found.coarse > 1400
    truncated = [(x.view(np.uint32) & 0xFFFF0000).view(np.float32) for x in (a, b)]
    assert compare(right, multiplied(*truncated, F32).astype(F32)).wrong > 400
    assert compare(right, multiplied(narrow_a, narrow_b, BF16).astype(F32)).wrong > 400


def test_f16_data_multiplied_in_bf16_is_rounded_to_it_twice(expected):
    a, b = draw(8, 20, dtype=F16), draw(20, 8, dtype=F16)
    right = expected(matmul, MATMUL, a, b, computed_in="bf16")[0]
    through = multiplied(a.astype(BF16), b.astype(BF16), F32).astype(BF16).astype(F16)
    assert compare(right, through).wrong == 0


def test_f16_answers_computed_in_bf16_keep_the_last_steps_of_f16(expected):
    """bf16 goes on below the numbers of f16, which an output of f16 does not."""
    a, b = np.array([[2.0**-11]], np.float16), np.array([[1.375 * 2.0**-12]], np.float16)
    right = expected(matmul, MATMUL, a, b, computed_in="bf16")[0]
    step = np.float16(2.0**-24)
    assert right.value[0, 0] / float(step) == 2.75
    wrong = [compare(right, np.array([[k * step]], np.float16)).wrong for k in (2, 3, 4)]
    assert wrong == [1, 0, 1]
    # A device may flush what it has no room for.
    assert compare(right, np.zeros((1, 1), np.float16)).wrong == 0


def test_variance_is_tested_where_no_single_error_shows(expected):
    a, b = draw(40, 400), draw(400, 40)
    right = expected(matmul, MATMUL, a, b)[0]
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    # A tenth of what one element may err, in all of them.
    noise = RANDOM.choice([-1, 1], size.shape) * 0.1 * 2 * 400 * 2.0**-24 * size
    found = compare(right, (right.value + noise).astype(F32))
    assert found.wrong == found.of
    assert "variance" in found.statistic


def test_terms_may_differ_by_element_and_results_be_rounded_after_the_sum(expected):
    x = np.ones(4, F32)
    bound = expected(
        lambda x: np.cumsum(reals(x)), Sum(terms=lambda call: np.arange(1, 5), extra=1), x
    )[0].bound
    assert bound == pytest.approx(2 * 2.0**-24 * (np.arange(1, 5) ** 2 + np.arange(1, 5)))


# --- product, state, softmax --------------------------------------------------------------------------------------


def factors(call):
    size = np.abs(call.reals(0))
    return np.prod(np.maximum(size, 1)), np.prod(np.where(size < 1, size, 1))


PRODUCT = Product(terms=lambda call: call.inputs[0].size, factors=factors)


def test_products_err_with_each_factor_and_fail_with_coarser_ones(expected):
    x = (1 + RANDOM.random_sample(50)).astype(F32)
    right = expected(lambda x: np.prod(reals(x)), PRODUCT, x)[0]
    assert compare(right, np.asarray(np.multiply.reduce(x), F32)).wrong == 0
    assert compare(right, np.asarray(np.prod(x.astype(F16).astype(F32)), F32)).wrong == 1


def test_products_that_overflow_on_the_way_are_left_open(expected):
    x = np.array([1e30, 1e30, 1e-30, 1e-30], F32)
    right = expected(lambda x: np.prod(reals(x)), PRODUCT, x)[0]
    assert compare(right, np.array(np.inf, F32)).wrong == 0
    assert compare(right, np.array(1.0, F32)).coarse == 0


def test_state_grows_with_steps(expected):
    x = draw(3, 50)
    accuracy = CarriedState(
        steps=lambda call: np.arange(1, 51), scale=lambda call: np.cumsum(np.abs(call.reals(0)), 1)
    )
    right = expected(lambda x: np.cumsum(reals(x), 1), accuracy, x)[0]
    assert compare(right, np.cumsum(x, 1)).wrong == 0
    assert compare(right, np.cumsum(x.astype(BF16), 1).astype(F32)).wrong > 100
    forgetting = CarriedState(steps=3, scale=1.0, growth=0.5)
    bound = expected(exp, forgetting, np.zeros(1, F32))[0].bound
    assert bound == pytest.approx([1.75 * 2.0**-23])


def softmax(x):
    e = np.exp(reals(x) - np.max(reals(x), -1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    return np.log(softmax(x))


@pytest.mark.parametrize(("function", "logarithm"), [(softmax, False), (log_softmax, True)])
def test_softmax(expected, function, logarithm):
    x = draw(20, 100) * 5
    accuracy = Softmax(axes=lambda call: (1,), logarithm=logarithm)
    right = expected(function, accuracy, x)[0]
    shifted = x - x.max(1, keepdims=True)
    e = np.exp(shifted)
    total = np.zeros((20, 1), F32)
    for column in e.T:
        total += column[:, None]
    honest = shifted - np.log(total) if logarithm else e / total
    found = compare(right, honest)
    assert found.wrong == 0
    assert found.fraction < 0.5
    assert compare(right, function(x.astype(F16)).astype(F32)).wrong > 1000
    assert compare(right, function(x[:, ::-1]).astype(F32)).wrong > 1000


# --- choice and distribution --------------------------------------------------------------------------------------


def largest(x):
    place = np.array([np.argmax(x)])
    return x[place], place


def nearest(call, came):
    data, place = call.inputs[0], came[1]
    if place.shape == (1,) and 0 <= place[0] < data.size and data[place[0]] == data.max():
        return data[place], place
    return call.outputs


def test_any_of_equals_may_be_chosen_and_nothing_else(expected):
    x = np.array([1, 5, 5, 2], np.int32)
    rights = expected(largest, Choice(nearest), x)

    def wrong(value, place):
        came = [np.array([value], np.int32), np.array([place])]
        return [
            compare(right.chosen(came), each).wrong
            for right, each in zip(rights, came, strict=True)
        ]

    assert wrong(5, 1) == wrong(5, 2) == [0, 0]
    assert wrong(5, 3) == [0, 1]
    assert wrong(4, 2) == [1, 0]
    assert wrong(5, 99) == [0, 1]


def test_the_nearest_answer_is_found_once_for_the_actual_outputs(expected):
    asked = []

    def counted(call, actual):
        asked.append(actual)
        return nearest(call, actual)

    x = np.array([1, 5, 5, 2], np.int32)
    rights = expected(largest, (Choice(counted), Choice(counted, within=UNROUNDED)), x)
    came = [np.array([5], np.int32), np.array([2])]
    for again in (came, [each.copy() for each in came]):
        chosen = [right.chosen(again) for right in rights]
        assert [each.value.item() for each in chosen] == [5, 2]
    assert len(asked) == 1
    # Another place, and the same bytes in another shape.
    for other in ([came[0], np.array([1])], [came[0].reshape(1, 1), came[1]]):
        _ = [right.chosen(other) for right in rights]
    assert len(asked) == 2  # of other ranks nobody asks
    _ = [right.chosen([came[0].view(np.uint32), came[1]]) for right in rights]
    assert len(asked) == 3


def test_bounds_are_computed_again_only_for_another_choice(expected):
    measured = []

    def scale(call):
        measured.append(call.outputs[1].item())
        return 1.0

    x = np.array([1, 5, 5, 2], np.float32)
    classes = Choice(nearest, within=Function(k=3, a=1, scale=scale)), Choice(nearest)
    right, _ = expected(largest, classes, x)
    value = np.array([5], np.float32)
    for place, chosen in ((1, [1]), (2, [1, 2]), (3, [1, 2])):
        found = right.chosen([value, np.array([place])])
        assert (found.bound, found.choose) == (right.bound, None)
        assert measured == chosen


def test_classes_one_for_each_output(expected):
    x = draw(10)
    function = lambda x: (np.exp(reals(x)), x)  # noqa: E731
    first, second = expected(function, (Function(k=3), EXACT), x, types=["f32", "f32"])
    assert first.bound is not None
    assert second.bound is None
    with pytest.raises(ValueError, match="2 outputs and 3 accuracy classes"):
        expected(function, (EXACT,) * 3, x)


def test_a_distribution_judges_all_numbers_together(expected):
    accuracy = Distribution(lambda call, came: kolmogorov(came.astype(np.float64)))
    right = expected(lambda: np.full(2000, 0.5), accuracy, types=["f32"])[0]
    even = RANDOM.random_sample(2000).astype(F32)
    assert compare(right, even).wrong == 0
    assert compare(right, even**2).wrong == 2000
    assert compare(right, even + 1).fraction == np.inf


# --- shapes that depend on data -----------------------------------------------------------------------------------


def test_other_readings_with_other_shapes_do_not_count(expected):
    def positive(x):
        return x[x > 0]

    right = expected(positive, UNROUNDED, np.array([1e-42, 2.0], F32))[0]
    assert right.value.shape == (2,)
    assert not right.others


# --- a kernel that states a finer precision -----------------------------------------------------------------------


def test_a_kernel_in_f32_rounds_a_bf16_answer_once(expected):
    x = np.array([0.0, 1.0], BF16)
    (right,) = expected(exp, Function(k=16), x, types=["bf16"], computed_in="f32", by_kernel=True)
    # 16 ulps of f32 of e, and one step of bf16 between 2 and 4, 2^-6.
    assert right.bound[1] == pytest.approx(16 * 2.0**-23 * np.e + 2.0**-6, rel=1e-6)
    assert right.quality[1] == pytest.approx(2.0**-23 * np.e + 2.0**-7, rel=1e-6)
    # e^0 is a number of bf16; its neighbour is 2^-7 away.
    assert right.bound[0] == pytest.approx(16 * 2.0**-23 + 2.0**-7, rel=1e-6)


def test_what_a_device_says_of_itself_narrows_nothing(expected):
    x = np.array([1.0], BF16)
    (plain,) = expected(exp, Function(k=3), x, types=["bf16"])
    (stated,) = expected(exp, Function(k=3), x, types=["bf16"], computed_in="f32")
    assert stated.bound == plain.bound
    assert refines("f32", ["i64", "bf16"])
    assert not refines("f32", ["f32", "f64", "i8"])
    assert not refines("i32", ["bf16"])
    assert not refines("", ["bf16"])


def test_a_kernel_rounds_nothing_that_is_a_number_of_the_type(expected):
    x = np.array([1.5, -2.0], F16)
    for accuracy in (UNROUNDED, EXACT):
        (right,) = expected(reals, accuracy, x, types=["f16"], computed_in="f32", by_kernel=True)
        assert compare(right, x).wrong == 0
        assert compare(right, np.nextafter(x, F16.type(9))).wrong == 2


def test_sums_of_f16_in_f32_have_the_error_of_f32(expected):
    a, b = (RANDOM.uniform(-1, 1, (40, 40)).astype(F16) for _ in range(2))
    (loose,) = expected(matmul, MATMUL, a, b, types=["f16"])
    (right,) = expected(matmul, MATMUL, a, b, types=["f16"], computed_in="f32", by_kernel=True)
    in_f32 = (a.astype(np.float32) @ b.astype(np.float32)).astype(F16)
    assert compare(right, in_f32).wrong == 0
    in_f16 = np.zeros((40, 40), F16)
    for k in range(40):
        in_f16 = (in_f16 + a[:, k : k + 1] * b[k]).astype(F16)
    assert compare(loose, in_f16).wrong == 0
    assert compare(right, in_f16).wrong > 0
    # Over 1,000 outputs the variance of the errors tells; no single element does in f16.
    off = rounded(right.value * 1.01, F16)
    assert compare(loose, off).statistic
    assert not compare(right, off).statistic
    assert compare(right, off).wrong > 1000


@pytest.mark.parametrize(("computed_in", "by_kernel"), [("", False), ("f32", True)])
def test_subnormal_sums_of_f16_may_be_off_by_half_their_distance(expected, computed_in, by_kernel):
    a, b = (RANDOM.uniform(-1, 1, (64, 64)) for _ in range(2))
    a, b = a.astype(F16), (b * 2.0**-14).astype(F16)
    (right,) = expected(
        matmul, MATMUL, a, b, types=["f16"], computed_in=computed_in, by_kernel=by_kernel
    )
    once = rounded(right.value, F16)
    assert (np.abs(right.value) < precision_of(F16).smallest_normal).mean() > 0.2
    compared = compare(right, once)
    assert not compared.wrong
    assert not compared.statistic


def test_a_function_in_a_narrow_type_errs_by_few_ulps_of_it(expected):
    for dtype, name, ulps in ((F32, "f32", 16), (F16, "f16", 4), (BF16, "bf16", 2)):
        (right,) = expected(exp, Function(k=16), np.array([0.0], dtype), types=[name])
        assert right.bound[0] == ulps * precision_of(dtype).epsilon
        (right,) = expected(exp, Function(k=1), np.array([0.0], dtype), types=[name])
        assert right.bound[0] == precision_of(dtype).epsilon
        # An amount that follows from the call is not a limit of f32.
        (right,) = expected(exp, Function(k=lambda call: 9), np.array([0.0], dtype), types=[name])
        assert right.bound[0] == 9 * precision_of(dtype).epsilon
