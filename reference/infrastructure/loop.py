"""Loop (page Loop-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import (
    EXACT,
    PRECISIONS,
    Accuracy,
    Arrays,
    Call,
    Depending,
    Rounded,
    State,
    is_float,
    run,
)
from reference.shared.axes import normalize_axis

# What a body gives: the new state, what is joined, and whether to go on.
_Given = tuple[np.ndarray, np.ndarray, bool]
# Of the iteration, trip_count, the state and data.
_Body = Callable[[int, int, np.ndarray, Any], _Given]


def _adding(by: Callable[[int, int, Any], Any], goes_on: Callable[..., bool]) -> _Body:
    def body(i: int, trip_count: int, state: np.ndarray, data: Any) -> _Given:
        new = (state + np.asarray(by(i, trip_count, data)).astype(state.dtype)).astype(state.dtype)
        return new, new, goes_on(i, new)

    return body


def _always(i: int, new: np.ndarray) -> bool:
    return True


def _data(i: int, trip_count: int, data: Any) -> Any:
    return data


# What the bodies that cases ask for compute.
_BODIES: dict[str, _Body] = {
    "accumulate": _adding(_data, _always),
    "add_whole": _adding(_data, _always),
    "collect": lambda i, trip_count, state, data: (data, data, True),
    "count": lambda i, trip_count, state, data: (state, np.array([i], np.int64), True),
    "triangle": _adding(lambda i, trip_count, data: i, _always),
    "triangle_i32": _adding(lambda i, trip_count, data: i, _always),
    "until": _adding(_data, lambda i, new: i < 2),
    "while_below": _adding(_data, lambda i, new: bool(new[0] < 10)),
    "with_outer": _adding(lambda i, trip_count, data: i + trip_count, _always),
}
_SLICED = ("accumulate", "collect")
_MOVING = ("collect", "count")


def _run(
    trip_count: np.ndarray,
    execution_condition: np.ndarray,
    state: np.ndarray,
    data: np.ndarray | None,
    body: str,
    axis: int | None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The last state, and what each iteration gives."""
    count, goes_on = int(trip_count.reshape(())), bool(execution_condition.reshape(()))
    given: list[np.ndarray] = []
    while goes_on and (count == -1 or len(given) < count):
        seen = data
        if data is not None and axis is not None:
            if len(given) == data.shape[axis]:
                raise ValueError(
                    f"Loop-5: data must have a slice for each iteration, has {len(given)}"
                )
            seen = data.take([len(given)], axis)
        state, each, goes_on = _BODIES[body](len(given), count, state, seen)
        given.append(each)
    return state, given


def _finite_sizes(values: np.ndarray) -> np.ndarray:
    sizes = np.abs(values.astype(np.float64))
    return np.where(np.isfinite(sizes), sizes, 0.0)


def _accuracy(call: Call, output_index: int) -> Accuracy:
    """A state that is carried rounds once in each iteration, in a sum with terms of any sign."""
    body = call.attributes["body"]
    if body in _MOVING:
        return EXACT
    # Its condition is about data: sums of absolute values would end elsewhere. What it adds are small whole numbers.
    if body == "while_below":
        return Rounded()
    trip_count, condition, state, data = [*call.inputs, None][:4]
    assert trip_count is not None
    assert condition is not None
    assert state is not None
    steps = len(_run(trip_count, condition, state, data, body, call.attributes.get("axis"))[1])
    absolute = [None if v is None else _finite_sizes(v) for v in (state, data)]
    size = run(call.function, [trip_count, condition, *absolute], call.attributes)[output_index]
    kind = call.types[output_index]
    is_real = kind in PRECISIONS
    most = PRECISIONS[kind].largest if is_real else np.iinfo(call.outputs[output_index].dtype).max
    # Where a sum on the way may leave the type, the device's may stay there, or not come back, and infinity may meet
    # one of the other sign.
    lost = size > most
    return State(steps=steps, scale=lambda call: size, silent=lambda call: lost)


@implements("Loop-5", accuracy=Depending(_accuracy))
def loop(
    trip_count: np.ndarray,
    execution_condition: np.ndarray,
    state: np.ndarray,
    data: np.ndarray | None = None,
    *,
    body: str,
    axis: int | None = None,
    output_axis: int | None = None,
) -> Arrays:
    """Run a body until trip_count iterations are done (-1: no limit) or a condition is false: its own after the first.

    trip_count and execution_condition are scalars or [1]. ``state`` is carried from one iteration to the next and is
    the first output. ``data`` is given whole, or slice by slice along ``axis``. What the iterations give joined along
    ``output_axis``, or what the last one gives, is the second. ``_BODIES`` has the bodies by name. Raises ValueError
    for an axis out of range and for inputs that do not fit.
    """
    if body not in _BODIES:
        raise ValueError(f"Loop-5: body must be one of {', '.join(_BODIES)}, got {body!r}")
    given = (("trip_count", trip_count), ("execution_condition", execution_condition))
    for name, values in given:
        if values.shape not in ((), (1,)):
            raise ValueError(f"Loop-5: {name} must be a scalar or [1], got {list(values.shape)}")
    if state.ndim < 1:
        raise ValueError("Loop-5: state must have a dimension")
    if data is not None and axis is not None:
        axis = normalize_axis(axis, data.ndim, "Loop-5: axis")
    if output_axis is not None:
        output_axis = normalize_axis(output_axis, state.ndim, "Loop-5: output_axis")
    real = [
        v if v is None or not is_float(v.dtype) or body in _MOVING else v.astype(np.float64)
        for v in (state, data)
    ]
    begin, taken = real
    assert begin is not None
    last, each = _run(
        trip_count, execution_condition, begin, taken, body, axis if body in _SLICED else None
    )
    if output_axis is None:
        if not each:
            raise ValueError("Loop-5: without an iteration there is no last one")
        return last, each[-1]
    if body == "count":
        return last, np.array([each_[0] for each_ in each], np.int64)
    nothing = begin[(slice(None),) * output_axis + (slice(0, 0),)]
    return last, np.concatenate([nothing, *each], axis=output_axis)
