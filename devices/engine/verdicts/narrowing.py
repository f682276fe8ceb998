"""Tells what a wrong answer would be right for: inputs that the device converted to a narrower type first.

A plugin that has no kernels of 64 bits converts f64 to f32, and i64 to i32, before any operation. One such defect shows
in every operation, wherever the data have more digits than the narrower type. The answer itself tells this cause from
all others: it is what the reference gives for narrowed inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ir_models.asking.case import Narrowing
from reference import Expected
from reports.results.outcomes import Outcome

Judge = Callable[[list[list[Expected]]], Outcome]
"""The outcome of an answer for other expected outputs, by inference."""
Evaluate = Callable[[Narrowing, str], Sequence[Sequence[Expected]]]
"""The expected outputs for narrowed inputs, of bounds in a precision, or in the layer's own where it is ""."""

_I32 = np.iinfo(np.int32)


def computed_as(
    types: Collection[str],
    inputs: Sequence[np.ndarray | None],
    of_page: Sequence[Sequence[Expected]],
    evaluate: Evaluate,
    judge: Judge,
) -> str:
    """The narrowing that makes a wrong answer right, such as "f64 as f32"; empty if none does.

    ``types`` are those of inputs and outputs, ``inputs`` what they hold in all inferences, ``of_page`` what is expected
    in each.
    """
    for label, precision, read, write in _narrowings({*types}):
        is_changed = any(each is not None and not _is_equal(read(each), each) for each in inputs)
        if not is_changed and (write is _same or not (precision or _changes(write, of_page))):
            continue
        try:
            expected = evaluate(read, precision)
        except (ValueError, ArithmeticError):
            # The page has no answer for the narrowed inputs: an index that no longer fits, say.
            continue
        narrowed = [
            [telling(_written(each, write), own) for each, own in zip(*both, strict=True)]
            for both in zip(expected, of_page, strict=True)
        ]
        if judge(narrowed) not in (Outcome.FAIL, Outcome.ERROR):
            return label
    return ""


def _narrowings(types: set[str]) -> Iterator[tuple[str, str, Narrowing, Narrowing]]:
    """The label, the precision of bounds, what becomes of inputs, and what becomes of outputs."""
    if "f64" in types:
        for read in (_as_f32, within_f32):
            for write in (_same, within_f32):
                yield "f64 as f32", "f32", read, write
    if types & {"i64", "u64"}:
        for read in (_clipped, _cut):
            for write in (_same, _clipped, _cut):
                yield "i64 as i32", "", read, write
    if types & {"i64", "u64", "i32", "u32"}:
        yield "integers as f32", "", _rounded, _rounded


def _same(values: np.ndarray) -> np.ndarray:
    return values


def _as_f32(values: np.ndarray) -> np.ndarray:
    if values.dtype != np.float64:
        return values
    with np.errstate(all="ignore"):
        return values.astype(np.float32).astype(np.float64)


def within_f32(values: np.ndarray) -> np.ndarray:
    """Numbers of f64 as those of f32, and those beyond its range as the ends of it."""
    if values.dtype != np.float64:
        return values
    most = float(np.finfo(np.float32).max)
    return _as_f32(np.clip(values, -most, most))


def _clipped(values: np.ndarray) -> np.ndarray:
    if values.dtype not in (np.int64, np.uint64):
        return values
    least = 0 if values.dtype == np.uint64 else int(_I32.min)
    clipped: np.ndarray = np.clip(values, values.dtype.type(least), values.dtype.type(_I32.max))
    return clipped


def _cut(values: np.ndarray) -> np.ndarray:
    if values.dtype not in (np.int64, np.uint64):
        return values
    return values.astype(np.int64).astype(np.int32).astype(values.dtype)


def _rounded(values: np.ndarray) -> np.ndarray:
    if values.dtype not in (np.int32, np.uint32, np.int64, np.uint64):
        return values
    # The ends of a type round to a number beyond it.
    most = np.iinfo(values.dtype).max
    rounded = values.astype(np.float32).astype(np.float64)
    is_beyond = rounded >= float(most) + 1
    inside = np.where(is_beyond, 0.0, rounded).astype(values.dtype)
    return np.where(is_beyond, values.dtype.type(most), inside)


def _written(expected: Expected, write: Narrowing) -> Expected:
    """The expected output, with its numbers narrowed as well."""
    if write is _same or expected.choose is not None:
        return expected
    others = tuple(_written(each, write) for each in expected.others)
    return replace(expected, value=write(expected.value), others=others)


def telling(narrowed: Expected, of_page: Expected) -> Expected:
    """The expected output for narrowed inputs, which must tell something: what it leaves open is as the page has it.

    It is open where f32 overflows. There an answer may show just that: infinity, NaN, or a number near the end of f32.
    """
    if narrowed.choose is not None:
        chosen = narrowed.choose

        def choose(actual: Sequence[np.ndarray]) -> Expected:
            nearest = chosen(actual)
            return telling(nearest, of_page.chosen(actual)) if has_open(nearest) else nearest

        others = tuple(telling(each, of_page) for each in narrowed.others)
        return replace(narrowed, choose=choose, others=others)
    shape = narrowed.value.shape
    if not has_open(narrowed) or narrowed.is_random or of_page.value.shape != shape:
        return narrowed
    assert narrowed.bound is not None
    is_open = np.broadcast_to(np.isposinf(narrowed.bound), shape)
    bound = np.broadcast_to(narrowed.bound, shape)

    def at_open(value: np.ndarray | float, error: np.ndarray | float) -> Expected:
        values = np.where(is_open, value, narrowed.value.astype(np.float64))
        return Expected(values, np.where(is_open, error, bound), flush=narrowed.flush)

    most = float(np.finfo(np.float32).max)
    overflowed = [at_open(value, 0.0) for value in (np.inf, -np.inf, np.nan)]
    overflowed += [at_open(value, most * (1 - 2.0**-20)) for value in (most, -most)]
    own = at_open(of_page.value.astype(np.float64), 0.0 if of_page.bound is None else of_page.bound)
    others = tuple(telling(each, of_page) for each in narrowed.others)
    return replace(own, quality=own.bound, others=(*others, *of_page.others, *overflowed))


def has_open(expected: Expected) -> bool:
    """Whether any value is admitted for an element."""
    return expected.bound is not None and bool(np.isposinf(expected.bound).any())


def _changes(write: Narrowing, expected: Sequence[Sequence[Expected]]) -> bool:
    """Whether outputs that are right would be other ones, had they been narrowed."""
    return any(
        each.choose is None and not _is_equal(each.value, write(each.value))
        for outputs in expected
        for each in outputs
    )


def _is_equal(one: np.ndarray, other: np.ndarray) -> bool:
    return one is other or np.array_equal(one, other)
