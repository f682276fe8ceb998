"""Updates written to, or combined with, slices of data: the common end of the scatter operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference.accuracy import EXACT, PRECISIONS, UNROUNDED, Accuracy, Bounds, Call, Product, Sum
from reference.accuracy.statistics import MINIMUM_OUTPUTS

_NUMBERS = {
    "sum": np.add,
    "mean": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
_BOOLEANS = {
    "sum": np.logical_or,
    "sub": np.logical_xor,
    "prod": np.logical_and,
    "min": np.logical_and,
    "max": np.logical_or,
}
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1}


def scatter(
    data: np.ndarray,
    positions: np.ndarray,
    updates: np.ndarray,
    reduction: str = "none",
    use_init_val: bool = True,
) -> np.ndarray:
    """A copy of ``data`` [P, S] whose slices at ``positions`` [n] are updated by ``updates`` [n, S].

    ``reduction``: ``none`` writes, the last of several updates of one position is kept; ``sum``, ``sub``, ``prod``,
    ``min``, ``max`` and ``mean`` combine all updates of a position with one another and, if ``use_init_val``, with the
    value of data. Booleans are combined by or for sum, exclusive or for sub, and for prod. Integers are exact, wrap,
    and have the floor of a mean; floats are float64 where they are computed. Raises ValueError for a reduction that the
    type does not have.
    """
    if reduction == "none":
        written = data.copy()
        written[positions] = updates
        return written
    combine = (_BOOLEANS if data.dtype == np.bool_ else _NUMBERS).get(reduction)
    if combine is None or data.dtype.kind == "O":
        raise ValueError(f"reduction {reduction!r} is not one that {data.dtype} has")
    working = _working_type(data.dtype, reduction)
    output, operands = data.astype(working), updates.astype(working)
    if not use_init_val:
        # A minimum or a maximum may start from any of the updates.
        output[positions] = _NEUTRAL.get(reduction, operands)
    combine.at(output, positions, operands)
    if reduction == "mean":
        _divide(output, positions, use_init_val)
    is_moved = reduction in ("min", "max") or working != np.float64
    return output.astype(data.dtype) if is_moved else output


def _working_type(dtype: np.dtype, reduction: str) -> np.dtype:
    if dtype == np.bool_:
        return dtype
    # By name, because the kind of an ml_dtypes type does not tell integers from floats.
    if not dtype.name.startswith(("int", "uint")):
        return np.dtype(np.float64)
    if reduction == "mean":
        return np.dtype(object)  # the sum of 64-bit integers before the division needs more bits
    return np.dtype(np.uint64 if dtype == np.uint64 else np.int64)


def _divide(sums: np.ndarray, positions: np.ndarray, use_init_val: bool) -> None:
    """Sums to means, in place, where there were updates."""
    counts = np.bincount(positions, minlength=len(sums))
    updated = np.flatnonzero(counts)
    terms = counts[updated, None] + int(use_init_val)
    if sums.dtype.kind == "O":
        sums[updated] = sums[updated] // terms.astype(object)
    else:
        sums[updated] = sums[updated] / terms


@dataclass(frozen=True)
class Reduced(Accuracy):
    """How exact a scatter must be: bit for bit where data only moves, else as its reduction computes."""

    def tests_together(self, count: int) -> bool:
        """Whether all errors are tested together, as those of sums are."""
        return count >= MINIMUM_OUTPUTS

    def bounds(self, call: Call, output_index: int) -> Bounds:
        """The bounds of the class of the reduction; integers, which wrap, are exact in all of them."""
        is_real = call.types[output_index] in PRECISIONS
        kind = _CLASSES[call.attributes.get("reduction", "none")] if is_real else EXACT
        return kind.bounds(call, output_index)


def _again(call: Call, reduction: str, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The output for other data and updates, made from theirs in float64, and for another reduction."""
    data, updates = change(call.reals(0)), change(call.reals(2))
    attributes = {**call.attributes, "reduction": reduction}
    return call.function(data, call.array(1), updates, *call.inputs[3:], **attributes)


def _roundings(call: Call) -> np.ndarray:
    """How many additions or multiplications lead to each element: none to one that only moves."""
    return _again(call, "sum", np.ones_like) - 1


def _sums_of_magnitudes(call: Call) -> np.ndarray:
    return _again(call, "sum", np.abs)


def _factors(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """For each element the product of its factors above 1, and of those below."""
    return (
        _again(call, "prod", lambda values: np.maximum(np.abs(values), 1)),
        _again(call, "prod", lambda values: np.minimum(np.abs(values), 1)),
    )


_SUM = Sum(terms=_roundings, magnitude=_sums_of_magnitudes)
_CLASSES: dict[str, Accuracy] = {
    "none": EXACT,
    "min": UNROUNDED,
    "max": UNROUNDED,
    "sum": _SUM,
    "sub": _SUM,
    "prod": Product(terms=_roundings, factors=_factors),
    # One more rounding is that of the division.
    "mean": Sum(terms=_roundings, extra=1),
}
