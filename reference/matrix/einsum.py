"""Einsum (page Einsum-7)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import Bounds, Call, Precision, Sum, accumulator
from reference.accuracy.statistics import SumErrors
from reference.shared.broadcasting import numpy_shape
from reference.shared.elementwise import real

ELLIPSIS = "..."


def _read(equation: str, count: int) -> tuple[list[list[str]], list[str]]:
    """The labels of each of ``count`` inputs and of the output. Raises ValueError."""
    subscript = r"(?:[A-Za-z]|\.\.\.)*"
    text = equation.replace(" ", "")
    if not re.fullmatch(rf"{subscript}(?:,{subscript})*(?:->{subscript})?", text):
        raise ValueError(
            f"Einsum-7: equation must be subscripts such as ij,jk->ik, got {equation!r}"
        )
    left, arrow, right = text.partition("->")
    *inputs, output = [re.findall(r"\.\.\.|.", each) for each in (*left.split(","), right)]
    if len(inputs) != count:
        raise ValueError(f"Einsum-7: equation must have {count} input subscripts, got {equation!r}")
    used = Counter(label for labels in inputs for label in labels)
    if not arrow:
        # Alphabetically, capital letters first, as in ASCII; the ellipsis comes before all.
        output = sorted(each for each, times in used.items() if times == 1 or each == ELLIPSIS)
    if any(labels.count(ELLIPSIS) > 1 for labels in inputs):
        raise ValueError(f"Einsum-7: a subscript must have at most one ellipsis, got {equation!r}")
    if output.count(ELLIPSIS) != (ELLIPSIS in used):
        raise ValueError(f"Einsum-7: the output must have the ellipsis of inputs, got {equation!r}")
    if len(set(output)) < len(output) or not set(output) <= used.keys():
        raise ValueError(
            f"Einsum-7: labels of the output must be different ones of the inputs, got {equation!r}"
        )
    return inputs, output


@dataclass(frozen=True)
class _Axes:
    """What the axes of all operands are called: each label, and each place from the end that an ellipsis covers."""

    names: list[list[str]]
    sizes: dict[str, int]
    output: list[str]

    @classmethod
    def of(cls, equation: str, shapes: Sequence[tuple[int, ...]]) -> "_Axes":
        """Raises ValueError where ranks or sizes do not fit the equation."""
        inputs, output = _read(equation, len(shapes))
        names, sizes, covered = [], dict[str, int](), list[tuple[int, ...]]()
        for labels, shape in zip(inputs, shapes, strict=True):
            spare = len(shape) - len(labels) + (ELLIPSIS in labels)
            if spare < 0 or (spare and ELLIPSIS not in labels):
                raise ValueError(f"Einsum-7: {''.join(labels)} must have the rank of {list(shape)}")
            names.append(_spread(labels, spare))
            for name, size in zip(names[-1], shape, strict=True):
                if name.isalpha() and sizes.setdefault(name, size) != size:
                    raise ValueError(
                        f"Einsum-7: {name} must have one size, got {sizes[name]}, {size}"
                    )
            if ELLIPSIS in labels:
                start = labels.index(ELLIPSIS)
                covered.append(shape[start : start + spare])
        common = numpy_shape(*covered)
        sizes |= {str(len(common) - axis): size for axis, size in enumerate(common)}
        return cls(names, sizes, _spread(output, len(common)))


def _spread(labels: Sequence[str], count: int) -> list[str]:
    """Labels with the ellipsis replaced by its ``count`` places; the last is 1."""
    places = [str(place) for place in range(count, 0, -1)]
    return [name for each in labels for name in (places if each == ELLIPSIS else [each])]


def _diagonal(values: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The diagonal along all axes of one name, for each name."""
    kept = list(names)
    for name in dict.fromkeys(names):
        while kept.count(name) > 1:
            first = kept.index(name)
            second = kept.index(name, first + 1)
            # The diagonal becomes the last axis.
            values = np.diagonal(values, axis1=first, axis2=second)
            kept = [*(n for i, n in enumerate(kept) if i not in (first, second)), name]
    return values, kept


def _aligned(values: np.ndarray, names: Sequence[str], order: Sequence[str]) -> np.ndarray:
    """The axes in an order of names, with a dimension of 1 for each name that it lacks."""
    moved = values.transpose([names.index(name) for name in order if name in names])
    shape = iter(moved.shape)
    return moved.reshape([next(shape) if name in names else 1 for name in order])


def terms(call: Call) -> int:
    """How many products one element of the output adds."""
    axes = _axes_of(call)
    return prod(size for name, size in axes.sizes.items() if name not in axes.output)


def _axes_of(call: Call) -> _Axes:
    return _Axes.of(call.attributes["equation"], [each.shape for each in _operands(call)])


def _operands(call: Call) -> list[np.ndarray]:
    return [call.array(number) for number in range(len(call.inputs))]


def _at_least_one(values: np.ndarray) -> np.ndarray:
    size = np.abs(values.astype(np.float64))
    return np.where(np.isfinite(size), np.maximum(size, 1), 1.0)


@dataclass(frozen=True)
class StepByStep(Sum):
    """The bound of ``Sum``, and room for the steps of the page: products of two operands, which are tensors.

    Between the first operand and the result are n - 1 products and n - 2 sums that a device may round to the working
    precision, each by u·B. An accumulator of that precision counts the sums as terms already. With three operands and
    more a partial product may be beyond the ends of the range although the result is not: above them, nothing is
    judged; below, it may be lost, which ``largest``, the operation on factors of at least 1, multiplies.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The wider bound; quality keeps partial results in the accumulator."""
        found = super().real_bounds(call, output_index, own, working)
        assert found.bound is not None
        count, total = len(call.inputs), call.magnitudes[output_index]
        is_coarser = accumulator(working) is not working
        steps = max(2 * count - 3, 0) if is_coarser else max(count - 2, 0)
        bound, free, together = found.bound + 2 * steps * working.unit * total, found.free, None
        if isinstance(found.together, SumErrors):
            rounded = np.sqrt(steps) * working.unit * total
            together = replace(found.together, scale=np.hypot(found.together.scale, rounded))
        if count > 2:
            largest = call.again(_at_least_one)[output_index]
            bound = bound + working.smallest_normal * largest
            free = free | (largest >= working.overflow)
        return replace(found, bound=bound, together=together, free=free)


@implements("Einsum-7", accuracy=StepByStep(terms))
def einsum(*data: np.ndarray, equation: str) -> np.ndarray:
    """Products of the elements of all operands that agree in their labels, summed over labels the output lacks.

    ``equation`` is ``ij,jk->ik``, or without the arrow: then the output has the labels that stand once, in
    alphabetical order, capital letters first, behind an ellipsis. Integers wrap. Raises ValueError where the equation
    is malformed, or ranks and sizes do not fit it.
    """
    axes = _Axes.of(equation, [each.shape for each in data])
    result, names = np.ones((), real(data[0]).dtype), list[str]()
    for number, each in enumerate(data):
        values, own = _diagonal(real(each), axes.names[number])
        order = list(dict.fromkeys([*names, *own]))
        product = _aligned(result, names, order) * _aligned(values, own, order)
        # What neither a later operand nor the output names is summed at once.
        needed = {*axes.output, *(name for later in axes.names[number + 1 :] for name in later)}
        summed = tuple(i for i, name in enumerate(order) if name not in needed)
        result = product.sum(axis=summed, dtype=product.dtype)
        names = [name for name in order if name in needed]
    shape = [axes.sizes[name] for name in axes.output]
    return np.broadcast_to(_aligned(result, names, axes.output), shape)
