"""RNN and LSTM cells and sequences and the GRU cell, by hand: hidden_size is 1, and the steps are plain arithmetic."""

import math

import numpy as np
import pytest
from roundings import bf16, cut, same

from reference import answer, compare, lookup

rnn_cell, gru_cell = lookup("RNNCell-3"), lookup("GRUCell-3")
rnn_sequence, lstm_sequence = lookup("RNNSequence-5"), lookup("LSTMSequence-5")


def one(value):
    return np.array([[float(value)]])


def column(*values):
    return np.array(values, np.float64).reshape(1, -1, 1)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def test_rnn_cell_in_numbers():
    # 2·3 + 0.5·(-4) - 1 = 3
    given = (one(2), one(0.5), one(3), one(-4), np.array([-1.0]))
    assert rnn_cell(*given, hidden_size=1).tolist() == [[math.tanh(3)]]
    assert rnn_cell(*given, hidden_size=1, activations=("relu",)).tolist() == [[3.0]]
    assert rnn_cell(*given, hidden_size=1, activations=("relu",), clip=1.5).tolist() == [[1.5]]


def test_rnn_cell_multiplies_by_rows():
    # Unit 0: 1·1 + 2·10 + 3·100 and 5·1 + 7·2; unit 1: 1·2 + 2·20 + 3·200 and 5·3 + 7·4.
    w, r = np.array([[1.0, 10, 100], [2, 20, 200]]), np.array([[1.0, 2], [3, 4]])
    x, h = np.array([[1.0, 2, 3]]), np.array([[5.0, 7]])
    found = rnn_cell(x, h, w, r, np.array([0.5, -0.5]), hidden_size=2, activations=("relu",))
    assert found.tolist() == [[321 + 19 + 0.5, 642 + 43 - 0.5]]


def test_gru_cell_in_numbers():
    # relu: z = 1·0.5 + 2·0 + 0 = 0.5, r = 3, h = 1·4 + (3·2)·1 - 1 = 9; H = 0.5·9 + 0.5·2
    w, r = np.array([[0.5], [1.0], [4.0]]), np.array([[0.0], [1.0], [1.0]])
    usual = {"hidden_size": 1, "activations": ("relu", "relu")}
    assert gru_cell(one(1), one(2), w, r, np.array([0, 0, -1.0]), **usual).tolist() == [[5.5]]
    # The bias of R is inside: h = 4 + 3·(2 + 10) - 1 = 39; H = 0.5·39 + 0.5·2
    b = np.array([0, 0, -1.0, 10.0])
    found = gru_cell(one(1), one(2), w, r, b, linear_before_reset=True, **usual)
    assert found.tolist() == [[20.5]]


def test_gru_cell_without_bias():
    w, r = np.array([[0.5], [1.0], [4.0]]), np.array([[0.0], [1.0], [1.0]])
    for linear in (False, True):
        given = {"hidden_size": 1, "linear_before_reset": linear}
        zeros = np.zeros(3 + linear)
        with_zeros = gru_cell(one(1), one(2), w, r, zeros, **given)
        assert gru_cell(one(1), one(2), w, r, **given).tolist() == with_zeros.tolist()


XS = (1.0, -2.0, 0.5)


def rnn(xs, h):
    states = []
    for x in xs:
        states.append(h := math.tanh(0.5 * x - 1.5 * h + 0.25))
    return states


def run(direction, lengths, initial=0.75):
    y, ho = rnn_sequence(
        column(*XS),
        column(initial),
        np.array([lengths]),
        column(0.5),
        column(-1.5),
        np.array([[0.25]]),
        hidden_size=1,
        direction=direction,
    )
    return y.ravel().tolist(), float(ho.item())


def test_rnn_sequence():
    forward, backward = rnn(XS, 0.75), rnn(XS[::-1], 0.75)
    assert run("forward", 3) == (pytest.approx(forward), pytest.approx(forward[-1]))
    assert run("reverse", 3) == (pytest.approx(backward[::-1]), pytest.approx(backward[-1]))
    short = rnn(XS[1::-1], 0.75)
    assert run("reverse", 2) == (pytest.approx([*short[::-1], 0]), pytest.approx(short[-1]))
    assert run("forward", 0) == ([0, 0, 0], 0.75)


def lstm(xs, h, c, bias):
    """The gates f, i, c, o with weights 1, 2, 3, 4 of X and -1, 0.5, 0.25, 2 of H."""
    found = []
    for x in xs:
        f, i, g, o = (
            w * x + r * h + b
            for w, r, b in zip((1, 2, 3, 4), (-1, 0.5, 0.25, 2), bias, strict=True)
        )
        c = sigmoid(f) * c + sigmoid(i) * math.tanh(g)
        found.append((h := sigmoid(o) * math.tanh(c), c))
    return found


def test_lstm_sequence_in_both_directions():
    biases = np.array([[0.5, -0.5, 0.25, -1], [0, 1, -1, 0.75]])
    h, c = np.array([[[0.75], [-0.5]]]), np.array([[[2.0], [-3.0]]])
    w = np.array([[[1.0], [2], [3], [4]]] * 2)
    r = np.array([[[-1.0], [0.5], [0.25], [2]]] * 2)
    y, ho, co = lstm_sequence(
        column(*XS), h, c, np.array([2]), w, r, biases, hidden_size=1, direction="bidirectional"
    )
    forward = lstm(XS[:2], 0.75, 2.0, biases[0])
    backward = lstm(XS[1::-1], -0.5, -3.0, biases[1])
    assert y[0, 0, :, 0].tolist() == pytest.approx([forward[0][0], forward[1][0], 0])
    assert y[0, 1, :, 0].tolist() == pytest.approx([backward[1][0], backward[0][0], 0])
    assert ho.ravel().tolist() == pytest.approx([forward[1][0], backward[1][0]])
    assert co.ravel().tolist() == pytest.approx([forward[1][1], backward[1][1]])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"hidden_size": 0}, "hidden_size must be positive and X of rank 2, got 0"),
        ({"clip": -1.0}, "clip must be positive"),
        ({"activations": ("tanh", "tanh")}, "activations must be 1 of"),
    ],
)
def test_rules(changes, message):
    given = (one(2), one(0.5), one(3), one(-4), np.array([-1.0]))
    with pytest.raises(ValueError, match=message):
        rnn_cell(*given, **{"hidden_size": 1, **changes})


CELLS = {"RNNSequence-5": (1, 1), "LSTMSequence-5": (4, 2)}


@pytest.mark.parametrize("name", CELLS)
def test_inputs_rounded_to_f16_are_outside_the_bounds_of_f32(name):
    """An error of f32, while that of a step in f32 that is carried through the others is inside."""
    gates, states = CELLS[name]
    state = np.random.RandomState(2)
    shapes = (
        (9, 8, 5),
        *[(9, 1, 4)] * states,
        (1, 4 * gates, 5),
        (1, 4 * gates, 4),
        (1, 4 * gates),
    )
    x, *rest = (state.uniform(-1, 1, s).astype(np.float32) for s in shapes)
    given = [x, *rest[:states], np.full(9, 8), *rest[states:]]
    attributes = {"hidden_size": 4, "direction": "forward"}
    right = answer(name, given, attributes)
    narrow = [v.astype(np.float16) if v.dtype == np.float32 else v for v in given]
    wrong = answer(name, narrow, attributes)
    for expected, other in zip(right, wrong, strict=True):
        assert compare(expected, other.value.astype(np.float32)).wrong > other.value.size // 2
    once = [given[0] * np.float32(1 + 2.0**-23), *given[1:]]
    for expected, other in zip(right, answer(name, once, attributes), strict=True):
        assert compare(expected, other.value.astype(np.float32)).wrong == 0


@pytest.mark.parametrize(
    ("of_x", "of_h", "of_w", "of_r", "inside"),
    [
        (same, same, same, same, True),
        (bf16, bf16, bf16, bf16, True),
        # A device may compute one product in f32, or take one factor as it is.
        (same, bf16, same, bf16, True),
        (bf16, same, bf16, same, True),
        (same, bf16, bf16, bf16, True),
        (bf16, same, bf16, bf16, True),
        (cut, cut, cut, cut, False),
        (same, cut, same, cut, False),
    ],
)
def test_products_in_bf16_beside_products_in_f32(of_x, of_h, of_w, of_r, inside):
    state = np.random.RandomState(0)
    shapes = (1000, 40), (1000, 8), (8, 40), (8, 8), (8,)
    x, h, w, r, b = (state.uniform(-1, 1, shape).astype(np.float32) for shape in shapes)
    (expected,) = answer("RNNCell-3", [x, h, w, r, b], {"hidden_size": 8}, computed_in="bf16")
    products = bf16(of_x(x) @ of_w(w).T) + bf16(of_h(h) @ of_r(r).T)
    wrong = compare(expected, np.tanh(products + b).astype(np.float32)).wrong
    assert (wrong == 0) is inside


@pytest.mark.parametrize("name", ["RNNCell-3", "GRUCell-3", "LSTMCell-4"])
def test_a_clip_of_0_clips_nothing(name):
    """Models write it so; its bound is that of a cell without clip."""
    gates = {"RNNCell-3": 1, "GRUCell-3": 3, "LSTMCell-4": 4}[name]
    x, state = np.full((1, 1), 2, np.float32), np.full((1, 1), 0.5, np.float32)
    states = [state] * (2 if name == "LSTMCell-4" else 1)
    weights = np.linspace(-1.5, 2, gates, dtype=np.float32).reshape(-1, 1)
    inputs = [x, *states, weights, weights[::-1], weights[:, 0]]
    with_0, without, clipped = (
        answer(name, inputs, {"hidden_size": 1, **given})
        for given in ({"clip": 0.0}, {}, {"clip": 0.25})
    )
    for one, two, other in zip(with_0, without, clipped, strict=True):
        assert np.array_equal(one.value, two.value)
        assert np.array_equal(one.bound, two.bound)
        assert not np.array_equal(one.value, other.value)
    with pytest.raises(ValueError, match="clip must be positive, or 0 for none, got -1"):
        lookup(name)(*inputs, hidden_size=1, clip=-1)


def test_a_sequence_with_a_clip_of_0():
    x, state = column(2, -1, 3), np.array([[[0.5]]])
    w, b = np.full((1, 1, 1), 1.5), np.zeros((1, 1))
    given = (x, state, np.array([3]), w, w, b)
    usual = {"hidden_size": 1, "direction": "forward"}
    found = [rnn_sequence(*given, **usual, **clip)[0].tolist() for clip in ({"clip": 0.0}, {})]
    assert found[0] == found[1]
