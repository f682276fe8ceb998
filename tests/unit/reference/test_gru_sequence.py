"""GRUSequence-5, by hand: hidden_size and input_size are 1, and the steps are plain arithmetic."""

import math

import numpy as np
import pytest

from reference import answer, compare, lookup
from reference.shared.cells import Gru, along_sequences

gru_sequence = lookup("GRUSequence-5")

FUNCTIONS = {
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "relu": lambda x: max(x, 0.0),
}
# z, r, h of one direction, all different.
W, R = (0.5, -1.25, 0.75), (1.5, 0.25, -0.5)
B, B4 = (0.125, -0.375, 0.625), (0.125, -0.375, 0.625, -0.875)


def cell(x, h, w=W, r=R, b=B, functions=("sigmoid", "tanh"), clip=math.inf):
    """The page's formula for one element."""
    f, g = (
        lambda sum_, name=name: FUNCTIONS[name](min(max(sum_, -clip), clip)) for name in functions
    )
    z = f(x * w[0] + h * r[0] + b[0])
    reset = f(x * w[1] + h * r[1] + b[1])
    # With linear_before_reset there is a fourth bias.
    inner = reset * (h * r[2] + b[3]) if len(b) == 4 else reset * h * r[2]
    candidate = g(x * w[2] + inner + b[2])
    return (1 - z) * candidate + z * h


def sequence(xs, h, **options):
    """The states after each x."""
    states = []
    for x in xs:
        states.append(h := cell(x, h, **options))
    return states


def column(*values):
    """[1, n, 1]: one direction of weights, or one batch element of data."""
    return np.array(values, np.float64).reshape(1, -1, 1)


def run(xs, h, b=B, lengths=None, **attributes):
    """Y and Ho of one batch element in one direction, as lists."""
    y, ho = gru_sequence(
        column(*xs),
        column(h),
        np.array([len(xs) if lengths is None else lengths]),
        column(*W),
        column(*R),
        np.array([b]),
        **{"hidden_size": 1, "direction": "forward", **attributes},
    )
    assert y.shape == (1, 1, len(xs), 1)
    assert ho.shape == (1, 1, 1)
    return y.ravel().tolist(), float(ho[0, 0, 0])


XS = (0.5, -2.0, 1.5)


def test_one_step_in_numbers():
    # relu gates: z = 0.5·1 + 1.5·0.25 + 0.125 = 1, r = max(-1.25 + 0.0625 - 0.375, 0) = 0, so h = 0.75 + 0.625.
    y, ho = run([1.0], 0.25, activations=("relu", "relu"))
    assert (y, ho) == ([0.25], 0.25)
    # z = 0.5·2 + 0.375 + 0.125 = 1.5, h = 1.5 + 0.625 = 2.125, H = -0.5·2.125 + 1.5·0.25
    assert run([2.0], 0.25, activations=("relu", "relu"))[1] == -0.6875


def test_forward():
    expected = sequence(XS, 0.75)
    assert run(XS, 0.75) == (pytest.approx(expected), pytest.approx(expected[-1]))


def test_linear_before_reset_has_a_bias_inside():
    expected = sequence(XS, 0.75, b=B4)
    y, ho = run(XS, 0.75, B4, linear_before_reset=True)
    assert y == pytest.approx(expected)
    assert abs(ho - sequence(XS, 0.75)[-1]) > 0.01


def test_reverse_begins_at_the_end_and_y_stays_in_place():
    expected = sequence(XS[::-1], 0.75)
    assert run(XS, 0.75, direction="reverse") == (
        pytest.approx(expected[::-1]),
        pytest.approx(expected[-1]),
    )


@pytest.mark.parametrize("functions", [("tanh", "sigmoid"), ("relu", "tanh"), ("sigmoid", "relu")])
def test_activations_are_f_and_g(functions):
    expected = sequence(XS, 0.75, functions=functions)
    assert run(XS, 0.75, activations=functions)[0] == pytest.approx(expected)


def test_clip_comes_before_activations():
    expected = sequence(XS, 5.0, clip=0.25)
    assert run(XS, 5.0, clip=0.25)[0] == pytest.approx(expected)
    # The state itself is not clipped.
    assert expected[0] > 1


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_sequence_ends_at_its_length(direction):
    y, ho = run(XS, 0.75, lengths=2, direction=direction)
    step = -1 if direction == "reverse" else 1
    expected = sequence(XS[:2][::step], 0.75)
    assert y == pytest.approx([*expected[::step], 0])
    assert ho == pytest.approx(expected[-1])


def test_without_a_step_the_state_remains():
    assert run(XS, 0.75, lengths=0) == ([0, 0, 0], 0.75)


def test_both_directions_and_lengths_of_a_batch():
    x = np.array([XS, (3.0, 0.25, -1.0)])
    other_w, other_r, other_b = (-0.25, 1.0, 2.0), (0.5, -0.75, 1.25), (0.0, 0.5, -0.25)
    h = np.array([[0.75, -0.5], [0.25, 1.0]])
    y, ho = gru_sequence(
        x[..., np.newaxis],
        h[..., np.newaxis],
        np.array([1, 3], np.int32),
        np.array([W, other_w])[..., np.newaxis],
        np.array([R, other_r])[..., np.newaxis],
        np.array([B, other_b]),
        hidden_size=1,
        direction="bidirectional",
    )
    other = {"w": other_w, "r": other_r, "b": other_b}
    forward, backward = sequence(x[1], 0.25), sequence(x[1][::-1], 1.0, **other)
    short = sequence(XS[:1], 0.75), sequence(XS[:1], -0.5, **other)
    assert y[1, :, :, 0] == pytest.approx(np.array([forward, backward[::-1]]))
    assert y[0, :, 0, 0] == pytest.approx([short[0][0], short[1][0]])
    assert ho[:, :, 0] == pytest.approx(
        np.array([[short[0][0], short[1][0]], [forward[-1], backward[-1]]])
    )


def test_weights_of_several_units_multiply_rows():
    # hidden_size 2, input_size 3; relu, z is 0: H is the candidate. Its second unit has the last rows of W and R.
    w, r = np.zeros((1, 6, 3)), np.zeros((1, 6, 2))
    w[0, 5], r[0, 5] = [1.0, 2.0, 4.0], [8.0, 16.0]
    b = np.array([[0, 0, 2.0, 0.5, 0, 3.0]])  # r is 2 and 0.5
    x, h = np.array([[[1.0, 10.0, 100.0]]]), np.array([[[1.0, 2.0]]])
    y, _ = gru_sequence(
        x, h, np.array([1]), w, r, b, hidden_size=2, direction="forward", activations=("relu",) * 2
    )
    assert y.ravel().tolist() == [0.0, 421.0 + 16.0 + 16.0 + 3.0]


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"hidden_size": 0}, "hidden_size must be positive and X of rank 3, got 0"),
        ({"direction": "backward"}, "direction must be forward, reverse or bidirectional"),
        ({"activations": ("tanh",)}, "activations must be 2 of"),
        ({"lengths": 4}, r"sequence_lengths must be from 0 to 3, got \[4\]"),
        ({"lengths": -1}, r"sequence_lengths must be from 0 to 3, got \[-1\]"),
    ],
)
def test_rules(changes, message):
    with pytest.raises(ValueError, match=message):
        run(XS, 0.75, **changes)


@pytest.mark.parametrize("linear_before_reset", [False, True])
def test_f32_passes_and_bf16_does_not(linear_before_reset):
    state = np.random.RandomState(1)
    shapes = ((3, 6, 5), (3, 2, 4), (2, 12, 5), (2, 12, 4), (2, 16 if linear_before_reset else 12))
    x, h, w, r, b = (state.uniform(-1, 1, s).astype(np.float32) for s in shapes)
    given = [x, h, np.array([6, 6, 6]), w, r, b]
    attributes = {"hidden_size": 4, "direction": "bidirectional"}
    right = answer(
        "GRUSequence-5", given, {**attributes, "linear_before_reset": linear_before_reset}
    )
    for expected in right:
        actual = expected.value.astype(np.float32)
        assert compare(expected, actual).wrong == 0
        assert compare(expected, actual * np.float32(1 + 2.0**-9)).wrong > actual.size // 2


@pytest.mark.parametrize("linear_before_reset", [False, True])
@pytest.mark.parametrize("functions", [("sigmoid", "tanh"), ("sigmoid", "relu")])
def test_arithmetic_that_rounds_each_operation_is_within_a_bound_that_says_something(
    functions, linear_before_reset
):
    state = np.random.RandomState(2)
    shapes = ((9, 8, 5), (9, 1, 4), (1, 12, 5), (1, 12, 4), (1, 16 if linear_before_reset else 12))
    x, h, w, r, b = given = [state.uniform(-1, 1, s).astype(np.float16) for s in shapes]
    lengths = np.full(9, 8)
    attributes = {"activations": functions, "linear_before_reset": linear_before_reset}
    right = answer(
        "GRUSequence-5",
        [*given[:2], lengths, *given[2:]],
        {**attributes, "hidden_size": 4, "direction": "forward"},
    )
    gru = Gru(w[0], r[0], b[0], functions, np.inf, linear_before_reset)
    (y,), (ho,) = along_sequences(
        lambda _, xt, states: gru.step(xt, *states), x, [h], lengths, "forward"
    )
    assert y.dtype == np.float16
    found = [compare(*each) for each in zip(right, (y, ho), strict=True)]
    assert [each.wrong for each in found] == [0, 0]
    # Of all steps; after eight of them the sum of errors that all have one sign is far beyond what errors come to.
    assert found[0].fraction > 0.02
    assert found[1].fraction > 0.0002
