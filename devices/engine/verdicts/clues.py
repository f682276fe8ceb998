"""What a wrong answer tells of its cause: what its wrong elements share, and what other parameters it is right with.

A kernel that errs near -3 errs where the input is near -3, and one that ignores an attribute gives what the reference
gives for the attribute's default. The answer shows it, whatever else the case is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, prod
from typing import Any

import numpy as np

from devices.engine.reference_time_limit import TooLongError
from devices.engine.verdicts.judging import chosen_outputs
from devices.process.protocol import TensorData
from ir_models import ELEMENT_TYPES, ElementType, LayerCase, Tensor
from ir_models.vocabulary.page import Attribute, Input
from reference import Expected, wrong_elements
from reports.results.outcomes import Outcome

_NEW_MEMORY = 0x5A
"""What a device's process fills new memory with: malloc inverts the bits of MALLOC_PERTURB_."""

_STORED_AS = {"i64": "i32", "u64": "i32", "f64": "f32"}
"""Types that devices convert from narrower ones, whose memory may be the new one."""

_MOST_ROWS = 300


def clues_of(
    case: LayerCase,
    inputs: Sequence[np.ndarray | None],
    expected: Sequence[Expected],
    actual: Sequence[TensorData],
    index: int,
) -> dict[str, str]:
    """What the wrong elements of an output share: the least and the most of each number, as ``-1,3``.

    ``expected``: what they should be; ``actual``: what they are; ``error``: the difference, of integers. ``input0``:
    what the first data tensor has at their places, if it has the output's shape; ``output0``: what another output
    should have there. ``unwritten``: how many of them are what new memory holds. ``missing_rows`` and ``extra_rows``:
    how many the answer has too few or too many at its end, where its other rows are right; the rest is then of these.
    ``shape`` and ``right_shape``, where these differ.
    ``lost_rows`` and ``other_rows``: how many rows of the right table the answer lacks, whatever their order is, and
    how many of its rows are none of these; ``lost``: what the former should be.
    """
    names = [kind.name for kind in case.output_types]
    try:
        own = chosen_outputs([*expected], names, [*actual])[index]
        given = actual[index].values()
    except ValueError:  # bytes that are no values of the type
        return {}
    if given.dtype == object or own.is_random:
        return {}
    if given.shape != own.value.shape:
        found = _of_another_shape(own, given) | _rows(own, given)
        return {name: text for name, text in found.items() if text}
    is_wrong = wrong_elements(own, given)
    if not is_wrong.any():
        return {}
    right, wrong = own.value[is_wrong], given[is_wrong]
    found = {"expected": _ends(right), "actual": _ends(wrong), **_rows(own, given)}
    if unwritten := _unwritten(actual[index].element_type, wrong):
        found["unwritten"] = str(unwritten)
    if wrong.dtype.kind in "iu" and np.isfinite(right.astype(np.float64)).all():
        differences = [int(one) - int(other) for one, other in zip(wrong, right, strict=True)]
        found["error"] = f"{min(differences)},{max(differences)}"
    data = case.layer.data_names
    tensors = (
        values for (name, _), values in zip(case.layer.ports(), inputs, strict=True) if name in data
    )
    for number, values in enumerate(tensors):
        if values is not None and values.shape == given.shape and values.dtype != object:
            found[f"input{number}"] = _ends(values[is_wrong])
    for number, each in enumerate(expected):
        if number != index and each.value.shape == given.shape and each.value.dtype != object:
            found[f"output{number}"] = _ends(each.value[is_wrong])
    return {name: text for name, text in found.items() if text}


def _of_another_shape(expected: Expected, given: np.ndarray) -> dict[str, str]:
    """The clues of an answer of another shape, whose rows may be right but for missing ones, or more, at its end."""
    right = expected.value
    shapes = {"shape": _listed(given.shape), "right_shape": _listed(right.shape)}
    if not (right.ndim and given.ndim) or given.shape[1:] != right.shape[1:]:
        return shapes
    rows = min(len(given), len(right))
    if wrong_elements(_first_rows(expected, rows), given[:rows]).any():
        return shapes
    if len(given) > rows:
        return shapes | {"extra_rows": str(len(given) - rows), "actual": _ends(given[rows:])}
    return shapes | {"missing_rows": str(len(right) - rows), "expected": _ends(right[rows:])}


def _first_rows(expected: Expected, rows: int) -> Expected:
    return _part(expected, lambda values: values[:rows])


def _rows(expected: Expected, given: np.ndarray) -> dict[str, str]:
    """How the rows of a table differ from the right ones; nothing of what is no table."""
    shape = expected.value.shape
    if min(len(shape), given.ndim) < 2 or shape[-1] != given.shape[-1] or not given.size:
        return {}
    count = shape[-2]
    if prod(shape[:-2]) * prod(given.shape[:-2]) != 1 or max(count, given.shape[-2]) > _MOST_ROWS:
        return {}
    own = given.reshape(-1, shape[-1])
    is_free = np.ones(len(own), bool)

    def repeated(row: int, values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values.reshape(count, shape[-1])[row], own.shape)

    lost = []
    for row in range(count):
        right = _part(expected, partial(repeated, row))
        fits = np.flatnonzero(is_free & ~wrong_elements(right, own).any(axis=1))
        is_free[fits[:1]] = False
        if not fits.size:
            lost.append(row)
    return {
        "lost_rows": str(len(lost)),
        "other_rows": str(int(np.count_nonzero(is_free))),
        "lost": _ends(expected.value.reshape(count, shape[-1])[lost]),
    }


def _part(expected: Expected, taken: Callable[[np.ndarray], np.ndarray]) -> Expected:
    """The part of the expected values that ``taken`` takes of an array of their shape."""
    shape = expected.value.shape

    def of(tier: np.ndarray | None) -> np.ndarray | None:
        return None if tier is None else taken(np.broadcast_to(tier, shape))

    return replace(
        expected,
        value=taken(expected.value),
        bound=of(expected.bound),
        quality=of(expected.quality),
        others=tuple(_part(each, taken) for each in expected.others),
    )


def _unwritten(element_type: str, wrong: np.ndarray) -> int:
    """How many values are what new memory holds. Of types of 8 bits, such a value is one in 256 of any."""
    found = np.zeros(wrong.shape, bool)
    for name in (element_type, _STORED_AS.get(element_type)):
        if name is not None and (kind := ELEMENT_TYPES[name]).bits > 8:
            memory = np.full(kind.byte_size((1,)), _NEW_MEMORY, np.uint8)
            found |= wrong == kind.unpack(memory, (1,)).astype(wrong.dtype)
    return int(np.count_nonzero(found))


def _ends(values: np.ndarray) -> str:
    """The least and the most of numbers; "" where one of them is none."""
    if not values.size or not np.isfinite(values.astype(np.float64)).all():
        return ""
    return ",".join(_number(each.item()) for each in (values.min(), values.max()))


def _listed(shape: Sequence[int]) -> str:
    return ",".join(map(str, shape))


def _number(value: float) -> str:
    return str(int(value)) if isfinite(value) and value == int(value) else f"{value:.9g}"


def right_with(
    case: LayerCase, evaluate: Callable[[str, Any], Outcome], *, most: int = 5
) -> dict[str, str]:
    """The parameters with which a wrong answer would be right, one at a time: ``bias=whole`` with ``bias=1``.

    Named are ``0``, ``1``, ``-1``, ``0.5``, ``-0.5``, the other values of an enumeration, the ``default``, ``own+1``
    and ``own-1`` of the case's own number, the ``whole`` part of it, what is a little ``more`` or ``less``, or
    ``larger`` or ``smaller`` by a half at most, a list ``reversed`` and, of axes, ``without`` one of them.
    ``evaluate`` gives the outcome of the answer for another value of a parameter. It raises what the reference raises,
    and TooLongError.
    """
    found: dict[str, str] = {}
    for name, text, value in _others(case):
        try:
            is_right = evaluate(name, value) not in (Outcome.FAIL, Outcome.ERROR)
        except (ValueError, ArithmeticError, LookupError, TypeError, MemoryError, TooLongError):
            continue  # the page has no answer for such a layer, or one that takes too long or too much memory
        if is_right:
            found[f"{name}={text}"] = f"{name}={_value_text(value)}"
            if len(found) == most:
                break
    return found


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = tuple(value.reshape(-1).tolist())
    if isinstance(value, tuple):
        return ",".join(map(_value_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return _number(value) if isinstance(value, float) else str(value)


def _others(case: LayerCase) -> Iterator[tuple[str, str, Any]]:
    """Other values of each parameter: its name, the value in words, and the value."""
    given = case.arguments()
    for attribute in case.operation.attributes:
        own = given.get(attribute.name, attribute.default)
        if attribute.is_body or attribute.partner or attribute.follows or own is None:
            continue
        for text, value in _other_values(attribute, own):
            yield attribute.name, text, value
    # Another number of iterations, or another condition, may be a loop without an end.
    has_body = any(each.is_body for each in case.operation.attributes)
    indices = {each.name: each for each in case.operation.inputs if each.index and not has_body}
    for (name, tensor), values in zip(case.layer.ports(), case.arrays(), strict=True):
        if name in indices and tensor is not None and values is not None:
            for text, value in _other_arrays(indices[name], tensor.element_type, values):
                yield name, text, value


def _other_values(attribute: Attribute, own: Any) -> Iterator[tuple[str, Any]]:
    if attribute.type is bool:
        yield attribute.text(not own), not own
    elif attribute.is_enumeration:
        yield from ((each, each) for each in attribute.type if each != own)
    elif attribute.type in (int, float):
        yield from _other_numbers(own, attribute.default)
    elif isinstance(own, tuple) and own and all(isinstance(each, (int, float)) for each in own):
        for text, value in (("0", 0), ("1", 1)):
            if any(each != value for each in own):
                yield text, tuple(type(own[0])(value) for _ in own)
        if len(own) > 1:
            yield "reversed", own[::-1]


def _other_numbers(
    own: float | int, default: float | int | None = None
) -> Iterator[tuple[str, Any]]:
    kind = type(own)
    if default is not None and default != own:
        yield "default", kind(default)
    yield from ((str(each), kind(each)) for each in (0, 1, -1) if each != own)
    if kind is int:
        yield from (("own+1", own + 1), ("own-1", own - 1))
    else:
        yield from ((str(each), each) for each in (0.5, -0.5) if each != own)
        # What compares it with > in place of >= has another answer for equal numbers alone.
        yield from (("more", own * (1 + 1e-6)), ("less", own * (1 - 1e-6)))
        # What measures otherwise what it compares is right for a number that is not far from its own.
        yield from (("larger", own * factor) for factor in (1.05, 1.2, 1.5))
        yield from (("smaller", own / factor) for factor in (1.05, 1.2, 1.5))
        if isfinite(own) and own != int(own):
            yield "whole", float(int(own))


def _other_arrays(
    declared: Input, element_type: ElementType, own: np.ndarray
) -> Iterator[tuple[str, Any]]:
    if own.dtype == object or not own.size:
        return
    if declared.axis_of and own.ndim:
        yield from (
            (f"without {own.flat[place]}", np.delete(own, place)) for place in range(own.size)
        )
        yield "1", np.ones(1, own.dtype)
    if own.size == 1:
        for text, value in _other_numbers(own.reshape(-1)[0].item()):
            other = Tensor(element_type, own.shape, value)
            if other.fits(element_type):
                yield text, other.array()
    elif own.ndim:
        yield "reversed", own[::-1]
