"""The float64 references of transcendental operations against mpmath, at fifty digits."""

from decimal import Decimal

import ml_dtypes
import mpmath
import numpy as np
import pytest

from ir_models import operations
from ir_models.asking.sweeps import numbers
from ir_models.vocabulary.element_types import f32
from reference import lookup
from reference.accuracy import EXACT, UNROUNDED
from reference.accuracy.precision import PRECISIONS
from reference.accuracy.registry import accuracies

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}

# How far a reference may be from the exact answer, in ulps of float64, where its arithmetic is some steps long. Bounds
# of f32 begin at 2^28 of these.
ULPS = 16


def gelu_erf(x):
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def gelu_tanh(x):
    inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(0.044715) * x**3)
    return x / (1 + mpmath.exp(-2 * inner))


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def elu(alpha, factor=1):
    return lambda x: factor * (x if x > 0 else alpha * mpmath.expm1(x))


def mish(x):
    # tanh(log(1 + e^x)) is n / (n + 2) with n = e^x(e^x + 2).
    if x > 200:
        return x
    n = mpmath.exp(x) * (mpmath.exp(x) + 2)
    return x * n / (n + 2)


def hard(x):
    return min(max(x + 3, 0), 6) / mpmath.mpf(6)


ONE = np.ones(1)

# Name, attributes, exact function, interval of the arguments, ulps of float64 that the reference may err: the
# distribution function of Gelu falls so fast that the rounding of its argument, x²/2 half-ulps, is many of its own.
FUNCTIONS = [
    ("Exp-1", {}, mpmath.exp, (-80, 80), 1),
    ("Erf-1", {}, mpmath.erf, (-6, 6), 1),
    ("Tanh-1", {}, mpmath.tanh, (-20, 20), 1),
    ("Sin-1", {}, mpmath.sin, (-50, 50), 1),
    ("Sqrt-1", {}, mpmath.sqrt, (0, 60000), 0.5),
    ("SoftPlus-4", {}, lambda x: mpmath.log1p(mpmath.exp(x)), (-80, 80), 1),
    ("Acos-1", {}, mpmath.acos, (-1, 1), 1),
    ("Acosh-3", {}, mpmath.acosh, (1, 50), 1),
    ("Asin-1", {}, mpmath.asin, (-1, 1), 1),
    ("Asinh-3", {}, mpmath.asinh, (-50, 50), 1),
    ("Atan-1", {}, mpmath.atan, (-50, 50), 1),
    ("Atanh-3", {}, mpmath.atanh, (-0.99, 0.99), 1),
    ("Cos-1", {}, mpmath.cos, (-50, 50), 1),
    ("Cosh-1", {}, mpmath.cosh, (-80, 80), 1),
    ("ErfInv-17", {}, mpmath.erfinv, (-0.99, 0.99), 4),
    ("Log-1", {}, mpmath.log, (0.01, 1000), 1),
    ("Sinh-1", {}, mpmath.sinh, (-80, 80), 1),
    ("Tan-1", {}, mpmath.tan, (-50, 50), 1),
    ("Elu-1", {"alpha": 0.75}, elu(0.75), (-20, 20), 2),
    ("Selu-1", {"alpha": 1.625 * ONE, "factor": 1.125 * ONE}, elu(1.625, 1.125), (-20, 20), 2),
    ("Mish-4", {}, mish, (-50, 50), 4),
    ("Sigmoid-1", {}, sigmoid, (-80, 80), 2),
    ("SoftSign-9", {}, lambda x: x / (1 + abs(x)), (-50, 50), 1),
    ("Swish-4", {}, lambda x: x * sigmoid(x), (-50, 50), 2),
    ("Swish-4", {"beta": np.array(1.5)}, lambda x: x * sigmoid(1.5 * x), (-50, 50), 64),
    ("HSigmoid-5", {}, hard, (-5, 5), 2),
    ("HSwish-4", {}, lambda x: x * hard(x), (-5, 5), 2),
    ("Gelu-2", {}, gelu_erf, (-8, 8), 64),
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
    """Errors in ulps of float64, each from an exact value of mpmath that is a number of float64."""
    return [
        float(abs(mpmath.mpf(float(value)) - right) / (abs(right) * PRECISIONS["f64"].epsilon))
        for value, right in zip(found, exact, strict=True)
        if is_normal(right)
    ]


def is_normal(exact):
    """Whether a value of mpmath is a real number that float64 holds with all its digits."""
    return mpmath.isfinite(exact) and not exact.imag and 1e-300 < abs(exact) < 1e300


def exactly(function, x):
    """The value of a function, NaN where it has none."""
    try:
        return mpmath.mpmathify(function(mpmath.mpf(float(x))))
    except (ValueError, ZeroDivisionError):  # outside its domain, or at a pole
        return mpmath.nan


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("name", "attributes", "exact", "interval", "ulps"), FUNCTIONS)
def test_functions(name, attributes, exact, interval, ulps, kind):
    data = points(kind, *interval)
    with mpmath.workdps(50):
        right = [exactly(exact, x) for x in data]
        found = errors(lookup(name)(data, **attributes), right)
    assert len(found) > len(data) / 3
    assert max(found) <= ulps


# Beyond the intervals above an answer may fall as e^-x² does.
FAR_ULPS = 2**12


@pytest.mark.parametrize(
    ("name", "attributes", "exact"),
    [each[:3] for each in FUNCTIONS],
    ids=[f"{name}-{given}" for name, given, *_ in FUNCTIONS],
)
def test_the_numbers_of_sweeps(name, attributes, exact):
    """Subnormals, powers of two, neighbours of 1, multiples of π/2 up to 1e5, the ends of the range."""
    data = numbers(f32)[::61]
    with mpmath.workdps(50), np.errstate(all="ignore"):
        right = [exactly(exact, x) for x in data]
        found = errors(lookup(name)(data, **attributes), right)
    assert max(found) <= FAR_ULPS


def test_every_operation_with_sweeps_that_rounds_is_compared():
    rounded = {
        each.name
        for each in operations()
        if each.sweeps and accuracies(each.name, 1)[0] not in (EXACT, UNROUNDED)
    }
    compared = {name for name, *_ in FUNCTIONS}
    # Of these the result is a number of the input, or a line.
    moved = {"Clamp-1", "Convert-1", "ConvertLike-1", "HardSigmoid-1", "ReLU-1"}
    assert rounded - compared == moved


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
