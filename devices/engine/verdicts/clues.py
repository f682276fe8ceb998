"""What a wrong answer tells of its cause: what its wrong elements share, and what other parameters it is right with.

A kernel that errs near -3 errs where the input is near -3, and one that ignores an attribute gives what the reference
gives for the attribute's default. The answer shows it, whatever else the case is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from devices.engine.verdicts.judging import chosen_outputs
from devices.process.protocol import TensorData
from ir_models import LayerCase
from ir_models.vocabulary.page import Attribute, Input
from reference import Expected, wrong_elements
from reports.results.outcomes import Outcome


def clues_of(
    case: LayerCase,
    inputs: Sequence[np.ndarray | None],
    expected: Sequence[Expected],
    actual: Sequence[TensorData],
    index: int,
) -> dict[str, str]:
    """What the wrong elements of an output share: the least and the most of each number, as ``-1,3``.

    ``expected``: what they should be; ``actual``: what they are; ``error``: the difference, of integers. ``input0``:
    what the first data tensor has at their places, if it has the output's shape. ``missing_rows`` and ``extra_rows``:
    how many the answer has too few or too many at its end, where its other rows are right; the rest is then of these.
    ``shape`` and ``right_shape``, where these differ.
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
        return _of_another_shape(own, given)
    is_wrong = wrong_elements(own, given)
    if not is_wrong.any():
        return {}
    right, wrong = own.value[is_wrong], given[is_wrong]
    found = {"expected": _ends(right), "actual": _ends(wrong)}
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
    shape = expected.value.shape

    def cut(tier: np.ndarray | None) -> np.ndarray | None:
        return None if tier is None else np.broadcast_to(tier, shape)[:rows]

    return replace(
        expected,
        value=expected.value[:rows],
        gate=cut(expected.gate),
        quality=cut(expected.quality),
        others=tuple(_first_rows(each, rows) for each in expected.others),
    )


def _ends(values: np.ndarray) -> str:
    """The least and the most of numbers; "" where one of them is none."""
    if not values.size or not np.isfinite(values.astype(np.float64)).all():
        return ""
    return ",".join(_number(each.item()) for each in (values.min(), values.max()))


def _listed(shape: Sequence[int]) -> str:
    return ",".join(map(str, shape))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.9g}"


def right_with(
    case: LayerCase, evaluate: Callable[[str, Any], Outcome], *, most: int = 5
) -> dict[str, Any]:
    """The parameters with which a wrong answer would be right, one at a time, with their values: ``min_size=0``.

    Named are ``0``, ``1``, ``-1``, ``0.5``, ``-0.5``, the other values of an enumeration, the ``default``, ``own+1``
    and ``own-1`` of the case's own number, the ``whole`` part of it, what is a little ``more`` or ``less``, a list
    ``reversed`` and, of axes, ``without`` one of them. ``evaluate`` gives the outcome of the answer for another value
    of a parameter. It raises what the reference raises.
    """
    found: dict[str, Any] = {}
    for name, text, value in _others(case):
        try:
            is_right = evaluate(name, value) not in (Outcome.FAIL, Outcome.ERROR)
        except (ValueError, ArithmeticError, LookupError, TypeError):
            continue  # the page has no answer for such a layer
        if is_right:
            found[f"{name}={text}"] = value
            if len(found) == most:
                break
    return found


def _others(case: LayerCase) -> Iterator[tuple[str, str, Any]]:
    """Other values of each parameter: its name, the value in words, and the value."""
    given = case.arguments()
    for attribute in case.operation.attributes:
        own = given.get(attribute.name, attribute.default)
        if attribute.is_body or attribute.partner or attribute.follows or own is None:
            continue
        for text, value in _other_values(attribute, own):
            yield attribute.name, text, value
    indices = {each.name: each for each in case.operation.inputs if each.index}
    for (name, _), values in zip(case.layer.ports(), case.arrays(), strict=True):
        if name in indices and values is not None:
            for text, value in _other_arrays(indices[name], values):
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
        if own != int(own):
            yield "whole", float(int(own))


def _other_arrays(declared: Input, own: np.ndarray) -> Iterator[tuple[str, Any]]:
    if own.dtype == object or not own.size:
        return
    if declared.axis_of and own.ndim:
        yield from (
            (f"without {own.flat[place]}", np.delete(own, place)) for place in range(own.size)
        )
        yield "1", np.ones(1, own.dtype)
    if own.size == 1:
        for text, value in _other_numbers(own.reshape(-1)[0].item()):
            if value >= 0 or own.dtype.kind != "u":
                yield text, np.full_like(own, value)
    elif own.ndim:
        yield "reversed", own[::-1]
