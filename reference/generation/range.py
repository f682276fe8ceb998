"""Range (pages Range-1 and Range-4)."""

from fractions import Fraction
from math import ceil

import numpy as np

from reference import implements
from reference.accuracy import Call, CarriedState, Function, flushed_factor, is_float
from reference.shared.axes import require_rank
from reference.shared.conversion import converted, is_real, type_name


def _exact(value: np.ndarray, name: str) -> Fraction:
    require_rank(value, (0,), name)
    return Fraction(float(value) if is_float(value.dtype) else int(value))


def _sequence(name: str, kind: str, start: Fraction, stop: Fraction, step: Fraction) -> np.ndarray:
    """start, start + step ... as long as they are before stop, in the element type ``kind``, reals in float64."""
    if not step:
        raise ValueError(f"{name}: step must not be 0")
    count = max(ceil((stop - start) / step), 0)
    numbers = [start + place * step for place in range(count)]
    if is_real(kind):
        return np.array([float(each) for each in numbers], np.float64)
    held = converted(np.zeros(0), kind, f"{name}: output_type").dtype
    return np.array([int(each) for each in numbers], object).astype(held)


def _sums(call: Call) -> np.ndarray:
    """The products that are added to start."""
    return np.asarray(np.abs(call.outputs[0] - call.reals(0)))


# One rounding of i * step, another one of the sum.
@implements(
    "Range-1",
    accuracy=Function(
        k=1,
        a=1,
        scale=_sums,
        quality_k=0.5,
        quality_a=0.5,
        flushed=lambda call: flushed_factor(_sums(call), 1.0, call.precision(0)),
    ),
)
def range_of_one_type(start: np.ndarray, stop: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The numbers start + i * step before ``stop``: below it for a positive step, above it for a negative one.

    Scalars of one type, which is that of the output; reals in float64. Raises ValueError for a step of 0.
    """
    numbers = [
        _exact(value, f"Range-1: {name}")
        for name, value in (("start", start), ("stop", stop), ("step", step))
    ]
    return _sequence("Range-1", type_name(start.dtype), *numbers)


def _steps(call: Call) -> np.ndarray:
    return np.arange(1, call.outputs[0].size + 1)


def _average(call: Call) -> np.ndarray:
    """The average of what was rounded in the steps to each number: it and those before it, and the step itself."""
    sums = np.cumsum(np.abs(call.outputs[0].astype(np.float64)))
    average = sums / _steps(call) + np.abs(call.reals(2))
    return np.asarray(np.minimum(average, _largest(call)))


def _largest(call: Call) -> float:
    return float(np.abs(call.outputs[0]).max(initial=0.0))


# Each number is the one before it plus step, rounded in an accumulator that may be the output's own type.
@implements("Range-4", accuracy=CarriedState(steps=_steps, scale=_average, flushed=_largest))
def range_(
    start: np.ndarray, stop: np.ndarray, step: np.ndarray, *, output_type: object
) -> np.ndarray:
    """The numbers from ``start`` by ``step``, max(ceil((stop - start) / step), 0) of them.

    Scalars of any types; for an output of integers they lose their fractions first. Reals are given in float64.
    Raises ValueError for a step of 0.
    """
    kind = str(output_type)
    numbers = []
    for name, value in (("start", start), ("stop", stop), ("step", step)):
        number = _exact(value, f"Range-4: {name}")
        numbers.append(number if is_real(kind) else Fraction(int(number)))
    return _sequence("Range-4", kind, *numbers)
