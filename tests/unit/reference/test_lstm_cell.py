"""LSTMCell, by hand."""

import numpy as np
import pytest

from reference import answer, compare, lookup

lstm_cell = lookup("LSTMCell-4")


def ones(*shape):
    return np.ones(shape, np.float32)


def cell(sums, state=2.0, **attributes):
    """One cell whose sums before the gates f, i, c, o are given, as its biases."""
    hidden, new = lstm_cell(
        np.zeros((1, 1)),
        np.zeros((1, 1)),
        np.full((1, 1), state),
        ones(4, 1),
        ones(4, 1),
        np.array(sums, np.float64),
        hidden_size=1,
        **attributes,
    )
    return float(hidden[0, 0]), float(new[0, 0])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_the_gates_come_in_the_order_f_i_c_o():
    hidden, new = cell([1.0, -1.0, 0.5, 2.0])
    assert new == pytest.approx(sigmoid(1) * 2 + sigmoid(-1) * np.tanh(0.5))
    assert hidden == pytest.approx(sigmoid(2) * np.tanh(new))


def test_activations_are_f_g_h():
    hidden, new = cell([0.5, 2.0, -3.0, 4.0], activations=("relu", "relu", "relu"))
    assert (hidden, new) == (4.0, 1.0)
    hidden, new = cell([0.5, 2.0, 3.0, 4.0], activations=("relu", "relu", "tanh"))
    assert (hidden, new) == (pytest.approx(4 * np.tanh(7)), 7.0)


def test_clip_comes_before_each_activation():
    hidden, new = cell([9, -9, 9, 0.5], clip=1.0, activations=("relu", "relu", "relu"))
    # f is 1, i is 0; the state 2 stays, and is clipped on its way to the output alone.
    assert (hidden, new) == (0.5, 2.0)


def test_weights_multiply_data_and_state():
    x, h = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[3.0], [0.5]])
    w = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
    r = np.array([[1.0], [2.0], [-1.0], [0.0]])
    hidden, new = lstm_cell(
        x,
        h,
        np.array([[1.0], [2.0]]),
        w,
        r,
        hidden_size=1,
        activations=("relu", "relu", "relu"),
    )
    # Sums f, i, c, o: first row 6, 8, -1, -1; second row -0.5, 1, -1.5, 1.
    assert new.tolist() == [[6.0], [0.0]]
    assert hidden.tolist() == [[0.0], [0.0]]


def test_no_bias_is_a_bias_of_zero():
    state = np.random.RandomState(0)
    given = [state.normal(size=s) for s in ((3, 5), (3, 2), (3, 2), (8, 5), (8, 2))]
    with_zero = lstm_cell(*given, np.zeros(8), hidden_size=2)
    assert all(map(np.array_equal, lstm_cell(*given, hidden_size=2), with_zero))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"hidden_size": 0}, "hidden_size must be positive and X of rank 2, got 0"),
        ({"activations": ("tanh", "tanh")}, "activations must be 3 of"),
        ({"activations": ("tanh", "tanh", "softsign")}, "got tanh, tanh, softsign"),
    ],
)
def test_rules(changes, message):
    given = [ones(1, 2), ones(1, 1), ones(1, 1), ones(4, 2), ones(4, 1), ones(4)]
    with pytest.raises(ValueError, match=message):
        lstm_cell(*given, **{"hidden_size": 1, **changes})


def test_subnormals_on_the_way_may_become_zero():
    """sigmoid(-99) is subnormal in f32: a device may take it for 0, although the state is large enough again."""
    given = [ones(1, 1), ones(1, 1), ones(1, 1), ones(4, 1), ones(4, 1)]
    biases = np.array([0.0, 2.0**30, -101.0, 2.0**20], np.float32)
    activations = ("relu", "sigmoid", "relu")
    for state in (0.0, 1.0):
        given[2] = np.full((1, 1), state, np.float32)
        hidden, cell = answer(
            "LSTMCell-4", [*given, biases], {"hidden_size": 1, "activations": activations}
        )
        for expected in (hidden, cell):
            flushed = np.float32(expected.value * 0 + state * 2)
            if expected is hidden:
                flushed *= np.float32(2.0**20 + 2)
            assert compare(expected, flushed).wrong == 0
            if state == 0.0:
                assert expected.value > 2.0**-126
                assert compare(expected, expected.value.astype(np.float32) * 3).wrong == 1
