"""The float64 references of transcendental operations against mpmath, at fifty digits."""

from decimal import Decimal

import ml_dtypes
import mpmath
import numpy as np
import pytest

from reference import lookup
from reference.accuracy.precision import PRECISIONS

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}

# How far a reference may be from the exact answer, in ulps of float64, where its arithmetic is some steps long. Bounds
# of f32 begin at 2^28 of these.
ULPS = 16


def gelu_erf(x):
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def gelu_tanh(x):
    inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(0.044715) * x**3)
    return x / (1 + mpmath.exp(-2 * inner))


# Name, attributes, exact function, interval of the arguments, ulps of float64 that the reference may err: the
# distribution function of Gelu falls so fast that the rounding of its argument, x²/2 half-ulps, is many of its own.
FUNCTIONS = [
    ("Exp-1", {}, mpmath.exp, (-80, 80), 1),
    ("Erf-1", {}, mpmath.erf, (-6, 6), 1),
    ("Tanh-1", {}, mpmath.tanh, (-20, 20), 1),
    ("Sin-1", {}, mpmath.sin, (-50, 50), 1),
    ("Sqrt-1", {}, mpmath.sqrt, (0, 60000), 0.5),
    ("SoftPlus-4", {}, lambda x: mpmath.log1p(mpmath.exp(x)), (-80, 80), 1),
    ("Gelu-7", {"approximation_mode": "erf"}, gelu_erf, (-8, 8), 64),
    ("Gelu-7", {"approximation_mode": "tanh"}, gelu_tanh, (-5, 5), 64),
]


def points(kind, low, high):
    """Numbers of a type in an interval, evenly and of all magnitudes."""
    state = np.random.RandomState(7)
    evenly = state.uniform(low, high, 60)
    small = state.choice([low or high, high], 30) * 2.0 ** -state.uniform(1, 12, 30)
    return np.concatenate([evenly, small]).astype(TYPES[kind])


def errors(found, exact):
    """Errors in ulps of float64, each from an exact value of mpmath."""
    return [
        float(abs(mpmath.mpf(float(value)) - right) / (abs(right) * PRECISIONS["f64"].epsilon))
        for value, right in zip(found, exact, strict=True)
        if right != 0
    ]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("name", "attributes", "exact", "interval", "ulps"), FUNCTIONS)
def test_functions(name, attributes, exact, interval, ulps, kind):
    data = points(kind, *interval)
    with mpmath.workdps(50):
        right = [exact(mpmath.mpf(float(x))) for x in data]
        assert max(errors(lookup(name)(data, **attributes), right)) <= ulps


@pytest.mark.parametrize("kind", TYPES)
def test_power(kind):
    state = np.random.RandomState(9)
    a = state.uniform(0.1, 8, 80).astype(TYPES[kind])
    b = state.uniform(-4, 4, 80).astype(TYPES[kind])
    with mpmath.workdps(50):
        right = [
            mpmath.power(mpmath.mpf(float(x)), mpmath.mpf(float(y)))
            for x, y in zip(a, b, strict=True)
        ]
        assert max(errors(lookup("Power-1")(a, b), right)) <= ULPS


@pytest.mark.parametrize("kind", TYPES)
def test_softmax(kind):
    data = np.random.RandomState(11).uniform(-8, 8, (4, 9)).astype(TYPES[kind])
    found = lookup("SoftMax-8")(data, axis=1)
    with mpmath.workdps(50):
        for row, quotients in zip(data, found, strict=True):
            powers = [mpmath.exp(mpmath.mpf(float(z))) for z in row]
            right = [power / mpmath.fsum(powers) for power in powers]
            assert max(errors(quotients, right)) <= ULPS


def test_fifty_digits_are_worked_with():
    with mpmath.workdps(50):
        assert abs(
            Decimal(str(mpmath.exp(1))) - Decimal("2.718281828459045235360287471352662497757")
        ) < (Decimal("1e-38"))
