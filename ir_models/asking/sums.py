"""Data for sums of many terms, one set for each way in which their rounding can go wrong.

The ideas are those of TOSA's dot-product test: products that vanish but for one, terms near the end of the range, small
terms onto one large one, terms that vary onto a larger one, zeros among the terms, terms of very different size. An
operation that declares ``sums`` gets a case of each set in each of its floating-point types; its layer should have a
thousand outputs and more, so that the errors can be tested together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.operation import Layer
from ir_models.vocabulary.page import Sums


@dataclass(frozen=True)
class Operand:
    """One input of a sum: ``terms`` [...] counts the terms along the summed axes, ``count`` of them in one sum.

    ``place`` is its position among the ``operands`` factors of each term; epsilon and largest are those of its type.
    """

    terms: np.ndarray
    count: int
    place: int
    operands: int
    epsilon: float
    largest: float
    state: np.random.RandomState

    @property
    def root(self) -> float:
        """The power that takes the size of a term to that of one factor."""
        return 1 / self.operands

    def even(self, low: float, high: float) -> np.ndarray:
        """Values drawn evenly."""
        return self.state.uniform(low, high, self.terms.shape)

    def signed(self, values: np.ndarray) -> np.ndarray:
        """Values with signs at random."""
        return values * self.state.choice([-1.0, 1.0], self.terms.shape)

    def first(self, value: float, others: np.ndarray) -> np.ndarray:
        """One value in the first term of each sum, others elsewhere."""
        return np.where(self.terms == 0, value**self.root, others)


def _one_product(operand: Operand) -> np.ndarray:
    """Each product but the last has a zero in one of its factors; in a sum of one operand all but two are zero."""
    k, last = operand.terms, operand.count - 1
    others = k == 0 if operand.operands == 1 else k % operand.operands != operand.place
    return np.where((k == last) | others, operand.signed(operand.even(1, 2)), 0.0)


def _large(operand: Operand) -> np.ndarray:
    """Terms as large as a sum can have that stays within the range."""
    most = (operand.largest / (operand.count + 1)) ** operand.root
    return operand.signed(operand.even(0.75, 1.0) * most)


def _small_onto_one(operand: Operand) -> np.ndarray:
    """One, and terms about its ulp, each of them lost in it or rounded; with signs, so that errors are chance."""
    size = (operand.epsilon * operand.even(0.25, 2.0)) ** operand.root
    return operand.first(1.0, operand.signed(size))


def _varying_onto_sixteen(operand: Operand) -> np.ndarray:
    """Sixteen, and terms between a seventh and seven."""
    return operand.first(16.0, operand.signed(np.exp(operand.even(-2, 2) * operand.root)))


def _mixed_zeros(operand: Operand) -> np.ndarray:
    """Ordinary terms, half of them zero."""
    return np.where(operand.even(0, 1) < 0.5, 0.0, operand.signed(operand.even(0.5, 2)))


def _large_range(operand: Operand) -> np.ndarray:
    """Terms of sizes from the inverse of the largest to the largest that may be summed."""
    span = np.log2(operand.largest / (operand.count + 1)) * operand.root - 1
    return operand.signed(np.exp2(operand.even(-span, span)))


# What each set is for, and how it is made.
SETS: dict[str, tuple[str, Callable[[Operand], np.ndarray]]] = {
    "one-product": ("all products but one are zero", _one_product),
    "near-the-end": ("near the end of the range", _large),
    "small-onto-one": ("small ones onto one", _small_onto_one),
    "varying-onto-sixteen": ("varying ones onto sixteen", _varying_onto_sixteen),
    "mixed-zeros": ("half of them zero", _mixed_zeros),
    "large-range": ("of very different size", _large_range),
}


def data(
    name_of_set: str,
    sums: Sums,
    layer: Layer,
    name: str,
    tensor: Tensor,
    state: np.random.RandomState,
) -> np.ndarray:
    """The values of one input in one of ``SETS``, in the tensor's type and shape."""
    summed: Mapping[str, tuple[int, ...]] = sums.axes(layer)
    axes = [axis % tensor.rank for axis in summed[name]]
    sizes = [tensor.shape[axis] for axis in axes]
    count = int(np.prod(sizes, dtype=np.int64))
    within = np.arange(count).reshape(sizes)
    shape = [size if axis in axes else 1 for axis, size in enumerate(tensor.shape)]
    ordered = np.transpose(within, np.argsort(np.argsort(axes)))
    terms = np.broadcast_to(ordered.reshape(shape), tensor.shape)
    info = ml_dtypes.finfo(tensor.element_type.dtype)
    operand = Operand(
        terms,
        count,
        list(summed).index(name),
        len(summed),
        float(info.eps),
        # f64 stays within what f32 holds: numbers beyond it have cases of their own.
        min(float(info.max), float(np.finfo(np.float32).max)),
        state,
    )
    _, make = SETS[name_of_set]
    return make(operand).astype(tensor.element_type.dtype)
