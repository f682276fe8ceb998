"""Bags of embeddings: sums and means of the rows of a table that indices name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reference.accuracy import Bounds, Call, Precision, Sum
from reference.accuracy.base import amount_of
from reference.shared.axes import require_rank
from reference.shared.checks import positions, require_rank_from
from reference.shared.elementwise import real

# The places in indices that each bag has.
Bags = Sequence[np.ndarray]


def reduced(
    name: str,
    emb_table: np.ndarray,
    indices: np.ndarray,
    bags: Bags,
    per_sample_weights: np.ndarray | None = None,
    default_index: np.ndarray | None = None,
    reduction: str = "sum",
    no_default: int | None = None,
) -> np.ndarray:
    """[batch, *emb_dims]: of each bag the sum, or the mean, of its weighted rows of the table.

    ``bags`` are places in the flattened indices. An empty one is the row of ``default_index``, or zeros where that is
    left out or ``no_default``. Sums of integers wrap. Raises ValueError for indices that the table does not have, and
    weights that do not fit.
    """
    require_rank_from(emb_table, 1, f"{name}: emb_table")
    table = real(emb_table)
    flat = positions(indices.reshape(-1), len(table), f"{name}: indices")
    rows = table[flat]
    if per_sample_weights is not None:
        if per_sample_weights.shape != indices.shape:
            raise ValueError(f"{name}: per_sample_weights must have the shape of indices")
        if reduction == "mean":
            raise ValueError(f"{name}: per_sample_weights must be left out for the mean")
        rows = rows * real(per_sample_weights).reshape(-1, *[1] * (table.ndim - 1))
    empty = np.zeros(table.shape[1:], table.dtype)
    if default_index is not None:
        require_rank(default_index, (0,), f"{name}: default_index")
        if default_index != no_default:
            (place,) = positions(default_index.reshape(1), len(table), f"{name}: default_index")
            empty = table[place]
    output = np.empty((len(bags), *table.shape[1:]), table.dtype)
    for number, bag in enumerate(bags):
        output[number] = _reduced(rows[bag], reduction) if len(bag) else empty
    return output


def _reduced(rows: np.ndarray, reduction: str) -> np.ndarray:
    if reduction == "sum":
        return rows.sum(axis=0, dtype=rows.dtype)
    if rows.dtype == np.float64:
        return rows.sum(axis=0) / len(rows)
    # Python's integers: a mean fits its type where the sum does not. Towards zero; the page does not say how.
    total = rows.sum(axis=0, dtype=object)
    mean = np.where(total < 0, -(-total // len(rows)), total // len(rows))
    return mean.astype(rows.dtype)


@dataclass(frozen=True)
class WeightedSum(Sum):
    """The bound of ``Sum``, and half a subnormal step for each product, which may be that small."""

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The wider bound in both tiers."""
        found = super().real_bounds(call, output_index, own, working)
        assert found.bound is not None
        assert found.quality is not None
        lost = amount_of(self.terms, call) * working.unit * working.smallest_normal
        return replace(found, bound=found.bound + 2 * lost, quality=found.quality + lost)


def bounds(bags: Callable[[Call], Bags]) -> WeightedSum:
    """The class of sums of bags: a product and an addition for each index, a division for the mean."""

    def terms(call: Call) -> np.ndarray:
        sizes = np.array([max(len(bag), 1) for bag in bags(call)], np.float64)
        return sizes.reshape(-1, *[1] * (call.array(0).ndim - 1))

    def divided(call: Call) -> np.ndarray | float:
        return terms(call) if call.attributes.get("reduction") == "mean" else 1.0

    def between_integers(call: Call) -> np.ndarray:
        (exact,) = call.wide(1)
        return (exact != np.rint(exact)).astype(float)

    return WeightedSum(terms, extra=1, partial=divided, levels=between_integers, operands=1)
