"""Tells whether a graph's wrong answer is right for narrower types, inside the graph as well.

A plugin replaces the types that it has no kernels of: a conversion to u16 becomes one to i32, where no number
wraps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from devices.engine.verdicts.narrowing import Judge, telling
from ir_models.graphs import AskedGraph, Evaluated, GraphError, evaluate
from ir_models.graphs.evaluation import explicit
from ir_models.vocabulary.element_types import ElementType, f32, f64, i16, i32, i64, u16, u32, u64
from reference import Expected
from reports.results.outcomes import Outcome

# Of larger graphs the search would take too long.
_MOST_ELEMENTS = 20_000

# The rounding of an end of i32 to bf16.
_OF_END = 2.0**23

_Types = Mapping[ElementType, ElementType]
_NARROWER: Mapping[str, _Types] = {
    "f64 as f32": {f64: f32},
    "i64 as i32": {i64: i32, u64: i32},
    "u32 as i32": {u32: i32},
    "16 bits as i32": {i16: i32, u16: i32},
}


def graph_computed_as(
    graphs: Sequence[Evaluated],
    of_page: Sequence[Sequence[Expected]],
    expect: Callable[[Sequence[Evaluated]], Sequence[Sequence[Expected]]],
    judge: Judge,
) -> str:
    """The types that make a wrong answer right, such as "f64 as f32, i64 as i32"; empty if none do.

    ``graphs`` are those of the inferences, ``expect`` gives the results of such graphs with their bounds.
    """
    if sum(array.size for each in graphs for array in each.arrays.values()) > _MOST_ELEMENTS:
        return ""
    present = {tensor.element_type for tensor in graphs[0].tensors.values()}
    for label, types in _sets_of_types(present):
        for is_clipped in (True, False):
            try:
                narrowed = [_narrowed(each, types, is_clipped) for each in graphs]
                asked = [
                    [_as_written(*pair, is_clipped) for pair in zip(*each, strict=True)]
                    for each in zip(expect(narrowed), of_page, strict=True)
                ]
            except (GraphError, ValueError, ArithmeticError):
                # The page has no answer for the narrower types, or one of another shape.
                continue
            if judge(asked) not in (Outcome.FAIL, Outcome.ERROR):
                return label
    return ""


def _sets_of_types(present: set[ElementType]) -> Iterator[tuple[str, _Types]]:
    """Each narrowing of types that the graph has, then all together."""
    found = {label: types for label, types in _NARROWER.items() if present & {*types}}
    yield from found.items()
    if len(found) > 1:
        yield ", ".join(found), {wide: to for types in found.values() for wide, to in types.items()}


def _narrowed(graph: Evaluated, types: _Types, is_clipped: bool) -> Evaluated:
    """The graph with narrower types and the same data. Raises GraphError."""
    asked = graph.graph
    fed = {
        name: replace(
            each,
            element_type=types[each.element_type],
            fill=explicit(_cast(graph.arrays[name], types[each.element_type], is_clipped)),
        )
        if each.element_type in types
        else replace(each, fill=explicit(graph.arrays[name]))
        for name, each in asked.fed.items()
    }
    steps = tuple(
        replace(step, attributes={n: _type(v, types) for n, v in step.attributes.items()})
        for step in asked.steps
    )
    return evaluate(AskedGraph(fed, steps, asked.results))


def _type(value: object, types: _Types) -> object:
    return types.get(value, value) if isinstance(value, ElementType) else value


def _cast(values: np.ndarray, kind: ElementType, is_clipped: bool) -> np.ndarray:
    """Numbers in another type: integers that it does not hold are its ends, or lose their upper bits."""
    if kind.is_float:
        most = float(np.finfo(np.float32).max)
        with np.errstate(all="ignore"):
            return np.asarray(np.clip(values, -most, most), kind.dtype)
    if not is_clipped:
        return np.asarray(values.astype(kind.dtype))
    low, high = kind.integer_range
    own = np.iinfo(values.dtype)
    return np.asarray(np.clip(values, max(low, own.min), min(high, own.max)), kind.dtype)


def _as_written(narrowed: Expected, of_page: Expected, is_clipped: bool) -> Expected:
    """The result in the type of the page's; where the narrower type leaves it open, an end of i32 or as the page says.

    Raises ValueError for a result of another shape.
    """
    own, value = of_page.value, narrowed.value
    by_page = np.broadcast_to(0.0 if of_page.bound is None else of_page.bound, own.shape)
    if narrowed.choose is not None or value.shape != own.shape:
        raise ValueError("the result depends on types")
    if own.dtype.kind not in "iu":
        return _with_ends(narrowed, telling(narrowed, of_page))
    written = value
    if value.dtype != own.dtype:
        written = _cast(value, _kind_of(own.dtype), is_clipped)
    errors = np.broadcast_to(0.0 if narrowed.bound is None else narrowed.bound, own.shape)
    # What the page leaves open is open, and tells nothing.
    is_open = np.isposinf(errors) | np.isposinf(by_page)
    errors = np.where(is_open, 0.0, errors)
    least, most = (np.array(end).astype(own.dtype) for end in i32.integer_range)
    ends = [Expected(np.where(is_open, end, written), errors) for end in (least, most)]
    as_page = Expected(np.where(is_open, own, written), np.where(is_open, by_page, errors))
    return replace(as_page, others=tuple(ends))


def _with_ends(narrowed: Expected, told: Expected) -> Expected:
    """Real numbers; where the narrower type leaves them open they may be the ends of i32 as well."""
    if narrowed.bound is None or not np.isposinf(narrowed.bound).any():
        return told
    shape = narrowed.value.shape
    is_open, errors = (
        np.broadcast_to(each, shape) for each in (np.isposinf(narrowed.bound), narrowed.bound)
    )
    ends = [
        Expected(np.where(is_open, float(end), narrowed.value), np.where(is_open, _OF_END, errors))
        for end in i32.integer_range
    ]
    return replace(told, others=(*told.others, *ends))


def _kind_of(dtype: np.dtype) -> ElementType:
    return next(each for each in (i16, i32, i64, u16, u32, u64) if each.dtype == dtype)
