"""Subnormal numbers on the way to a result: a device may flush each of them to zero, and its answer is right."""

import math

import numpy as np
import pytest

from reference import answer, compare

TINY = float(np.finfo(np.float32).smallest_normal)
f32 = np.float32


def kept(values):
    """Numbers of f32, subnormal ones as zeros."""
    values = np.asarray(values, np.float64)
    return np.where(np.abs(values) < TINY, 0.0, values)


def sigmoid(x):
    return kept(1 / kept(1 + kept(np.exp(-x))))


def steps_of_swish(x, beta=1.0):
    return kept(x * sigmoid(kept(beta * x)))


def erf(x):
    return np.array([math.erf(each) for each in x])


AROUND = np.unique(
    np.concatenate(
        [
            np.linspace(-104, 104, 4001),
            np.linspace(-89, -86, 601),
            np.geomspace(1e-38, 10, 400),
            -np.geomspace(1e-38, 10, 400),
        ]
    ).astype(f32)
)

# The formulas of pages, every step of which is flushed.
FORMULAS = {
    "Sigmoid-1": (sigmoid, {}),
    "Swish-4": (steps_of_swish, {}),
    "HSwish-4": (lambda x: kept(kept(x * np.clip(kept(x + 3), 0, 6)) / 6), {}),
    "HSigmoid-5": (lambda x: kept(np.clip(kept(x + 3), 0, 6) / 6), {}),
    "SoftSign-9": (lambda x: kept(x / (1 + np.abs(x))), {}),
    "Mish-4": (lambda x: kept(x * np.tanh(kept(np.log(kept(1 + kept(np.exp(x))))))), {}),
    "SoftPlus-4": (lambda x: kept(np.log(kept(np.exp(x)) + 1)), {}),
    "Gelu-7": (
        lambda x: kept(kept(x / 2) * kept(1 + erf(kept(x / math.sqrt(2))))),
        {"approximation_mode": "erf"},
    ),
    "Elu-1": (
        lambda x: np.where(x > 0, x, kept(2.5 * kept(kept(np.exp(np.minimum(x, 0))) - 1))),
        {"alpha": 2.5},
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_of_one_number(name):
    formula, attributes = FORMULAS[name]
    # Rounding is left to the other half of the bound.
    x = AROUND if name != "SoftPlus-4" else AROUND[AROUND < 80]
    with np.errstate(all="ignore"):
        given = formula(x.astype(np.float64)).astype(f32)
    (expected,) = answer(name, [x], attributes)
    found = compare(expected.chosen([given]), given)
    assert found.wrong == 0, (x[found.index], found)


def test_swish_may_be_zero_where_its_sigmoid_is_subnormal_and_only_there():
    x = np.array([-87.55, -87.0, -60.0], f32)
    (expected,) = answer("Swish-4", [x], {})
    assert expected.value[0] == pytest.approx(-8.3e-37, rel=0.05)
    zeros = np.full(3, -0.0, f32)
    assert [compare(answer("Swish-4", [x[[i]]], {})[0], zeros[[i]]).wrong for i in range(3)] == [
        0,
        1,
        1,
    ]
    # No other number is: not its half, not its double.
    for factor in (0.5, 2.0):
        assert compare(expected, (expected.value * factor).astype(f32)).wrong >= 2


@pytest.mark.parametrize("beta", [0.3, 1.0, 4.0])
def test_swish_with_beta(beta):
    with np.errstate(all="ignore"):
        given = steps_of_swish(AROUND.astype(np.float64), float(f32(beta))).astype(f32)
    (expected,) = answer("Swish-4", [AROUND, np.array(beta, f32)], {})
    assert compare(expected, given).wrong == 0


def test_hard_sigmoid_loses_a_small_product_beside_beta():
    x = np.array([1.1e-38, 3e-38], f32)
    alpha, beta = np.array(0.5, f32), np.array(2e-38, f32)
    (expected,) = answer("HardSigmoid-1", [x, alpha, beta], {})
    flushed = (kept(0.5 * x.astype(np.float64)) + float(beta)).astype(f32)
    assert flushed[0] == beta
    assert compare(expected, flushed).wrong == 0
    # The second product is a normal number.
    assert compare(expected, np.full(2, beta)).wrong == 1


def test_batch_norm_loses_a_small_factor():
    data = np.array([[[1e5, 3.0]]], f32)
    gamma, beta, mean, variance = (np.array([v], f32) for v in (1e-37, 0.0, 0.0, 1e4))
    (expected,) = answer(
        "BatchNormInference-5", [data, gamma, beta, mean, variance], {"epsilon": 0.0}
    )
    assert expected.value[0, 0, 0] == pytest.approx(1e-34)
    # gamma / root is 1e-39.
    assert compare(expected, np.zeros((1, 1, 2), f32)).wrong == 0
    (usual,) = answer(
        "BatchNormInference-5", [data, np.ones(1, f32), beta, mean, variance], {"epsilon": 0.0}
    )
    assert compare(usual, np.zeros((1, 1, 2), f32)).wrong == 2


def test_products_of_sums_may_vanish_each_by_itself():
    one, other = np.full((1, 1000), 1e-20, f32), np.full((1000, 1), 1.1e-18, f32)
    (expected,) = answer("MatMul-1", [one, other], {})
    assert expected.value[0, 0] > 100 * TINY * 0.9
    assert compare(expected, np.zeros((1, 1), f32)).wrong == 0
    larger = other * f32(4)
    (normal,) = answer("MatMul-1", [one, larger], {})
    assert compare(normal, np.zeros((1, 1), f32)).wrong == 1


def test_partial_sums_may_vanish():
    data = np.full(64, 0.99 * TINY, f32)
    data[1::2] *= -1
    data[63] = 4 * TINY
    (expected,) = answer("CumSum-3", [data, np.array(0)], {})
    total = np.zeros(64)
    for place, each in enumerate(data.astype(np.float64)):
        total[place] = kept((total[place - 1] if place else 0.0) + each)
    assert compare(expected, total.astype(f32)).wrong == 0


def test_squares_of_small_differences_may_vanish_beside_eps():
    data = np.linspace(-2e-20, 3e-20, 24, dtype=f32).reshape(2, 12)
    attributes = {"normalize_variance": True, "eps": 1e-39, "eps_mode": "inside_sqrt"}
    (expected,) = answer("MVN-6", [data, np.array([1])], attributes)
    wide = data.astype(np.float64)
    differences = wide - wide.mean(1, keepdims=True)
    flushed = differences / np.sqrt(kept(differences**2).mean(1, keepdims=True) + 1e-39)
    assert np.abs(flushed / expected.value - 1).max() > 0.02
    assert compare(expected, flushed.astype(f32)).wrong == 0
    (usual,) = answer("MVN-6", [data * f32(1e20), np.array([1])], {**attributes, "eps": 1e-9})
    assert compare(usual, (usual.value * 1.001).astype(f32)).wrong > 0
