"""FakeConvert (page FakeConvert-13)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, Call, Choice, Function, Precision, rounded
from reference.shared.broadcasting import one_directional

Destination = Literal["f8e4m3", "f8e5m2"]


def _in_shape_of_data(
    data: np.ndarray, scale: np.ndarray, shift: np.ndarray | None
) -> list[np.ndarray]:
    """The inputs in float64 and in the shape of data; without a shift it is 0."""
    shift = np.zeros_like(scale) if shift is None else shift
    return [one_directional(each, data.shape).astype(np.float64) for each in (data, scale, shift)]


def _nearest_number(values: np.ndarray, kind: Precision) -> np.ndarray:
    """The nearest number of a type, halves to the even one; the largest for all that are beyond it."""
    return rounded(values.clip(-kind.largest, kind.largest), kind.dtype).astype(np.float64)


def _of(call: Call) -> list[np.ndarray]:
    shift = call.inputs[2] if len(call.inputs) > 2 else None
    return _in_shape_of_data(call.array(0), call.array(1), shift)


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """One of the numbers that are nearest within the errors of data * scale - shift; of two as near, either.

    The product and the difference are rounded faithfully, by ε of their size, and a device may flush subnormals.
    """
    (exact,), (answer,), working = call.outputs, actual, call.precision(0)
    if answer.shape != exact.shape:
        return (exact,)
    data, scale, shift = _of(call)
    kind = PRECISIONS[call.attributes["destination_type"]]
    with np.errstate(all="ignore"):
        product, difference = data * scale, data * scale - shift
        sizes = [np.abs(each) for each in (product, difference)]
        flushed = sum(np.where(size < working.smallest_normal, size, 0.0) for size in sizes)
        # A little more, so that halves are between two numbers.
        room = working.epsilon * sum(sizes) + flushed + 2.0**-40 * sizes[1]
        ends = [_nearest_number(each, kind) for each in (difference - room, difference + room)]
        given = _nearest_number(answer.astype(np.float64) * scale - shift, kind)
        chosen = (given.clip(*ends) + shift) / scale
    return (np.where(np.isnan(chosen), exact, chosen),)


def _is_beyond(call: Call) -> np.ndarray:
    """Numbers beyond the largest one of the type: the page does not say what becomes of them."""
    data, scale, shift = _of(call)
    largest = PRECISIONS[call.attributes["destination_type"]].largest
    return np.abs(data * scale - shift) > largest


# A sum and a quotient, or a product with the reciprocal of scale: three roundings of half an ulp.
_RESULT = Function(k=2, quality_k=1, silent=_is_beyond)


@implements("FakeConvert-13", accuracy=Choice(_nearest, within=_RESULT))
def fake_convert(
    data: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray | None = None,
    *,
    destination_type: Destination,
) -> np.ndarray:
    """data * scale - shift as the nearest numbers of an 8-bit type, brought back: plus shift, divided by scale.

    ``scale`` broadcasts to the shape of data, and ``shift`` has its shape. Halves become the even number, and what is
    beyond the largest number becomes that. Raises ValueError for other shapes.
    """
    if shift is not None and shift.shape != scale.shape:
        raise ValueError(
            f"FakeConvert-13: shift must have the shape of scale, got {list(shift.shape)} and {list(scale.shape)}"
        )
    values, factor, offset = _in_shape_of_data(data, scale, shift)
    with np.errstate(all="ignore"):
        number = _nearest_number(values * factor - offset, PRECISIONS[destination_type])
        return np.asarray((number + offset) / factor)
