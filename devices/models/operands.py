"""What a device may do to the operands of a layer before it computes, and operands whose last bits are independent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from devices.models.large_layers import boxes
from devices.process.resources import storage
from ir_models.models import Model
from reference import Value
from reference.accuracy import PRECISIONS, Exact, Rounded, Sum, coarser, is_float, rounded
from reference.accuracy.precision import parse_precision
from reference.accuracy.registry import accuracies

# How often a layer rounds what is merged into it, by its algebra: 1 / b is rounded, and the product with it.
_FACTORS = {"factor": 1, "quotient": 2, "affine": 1}
_ADDENDS = ("sum", "affine")
# Of an element: how far a number of the same size may be from it, whose last bits have nothing to do with it.
_SCATTER = 1 / 16


def widened(
    inputs: Sequence[Value], computed_in: str, roundings: Sequence[int], is_in_quality: bool = False
) -> list[Value]:
    """Inputs of a layer in a group with the errors that the device may add before it computes.

    It may convert them to the coarser precision that it computes in. And it may round each so often as ``roundings``
    says, in the bound, and in the quality tier if ``is_in_quality``. The rounding of what the layer before gave is in
    that layer's own bound.
    """
    device = parse_precision(computed_in) if computed_in else None
    found = []
    for each, times in zip(inputs, roundings, strict=True):
        own = PRECISIONS.get(each.type)
        is_coarser = own is not None and coarser(own, device) is not own
        if own is None or own.name == "f64" or not (is_coarser or times):
            found.append(each)
            continue
        working, wide = coarser(own, device), each.array.astype(np.float64)
        with np.errstate(all="ignore"):
            converted = np.where(wide == 0, 0.0, working.half_ulp(wide) if is_coarser else 0.0)
            scaled = np.where(np.isfinite(wide), times * working.unit * np.abs(wide), 0.0)
        bound = converted + scaled if each.bound is None else each.bound + converted + scaled
        quality, error = each.quality, converted + scaled if is_in_quality else converted
        if is_coarser or is_in_quality:
            quality = error if quality is None else quality + error
        found.append(Value(each.array, each.type, bound, quality, each.flush))
    return found


def roundings(
    model: Model,
    name: str,
    is_constant: Callable[[str], bool],
    is_read: Callable[[str], bool],
    is_finer: bool = False,
) -> list[int]:
    """How often a device rounds each operand of a layer if it merges the linear layers of a group.

    As x·(1/6) + 1/2 for (x + 3)/6: (a + b)·c becomes a·c + b·c, which rounds each product once; a division is a
    multiplication by a quotient, rounded as well; and of several factors one is made, rounded for each. What is rounded
    is as large as the operands, also where they cancel. That is no good arithmetic, but correct.

    Factors are those in the same group, ``is_read`` tells its ends. They pass layers that move, choose or sum
    numbers; behind a function such as Tanh a factor has nothing to do with the sum.

    Constants of linear layers that follow each other become one factor and one addend before the model runs: x·s + (b -
    z·s) for (x - z)·s + b. Each addend is rounded once for every other one. Of integers, as quantized models have them,
    what is made of them may stand before the factors, (x - (z·s - b)/s)·s: the quotient is rounded, and a product that
    it is a part of.

    ``is_finer``: the kernel computes in a finer type than constants have, which are merged in their own. Then the
    roundings of factors, weights among them, and of 1 / b are more than those of the layers, and other quotients are
    not.
    """
    node, algebra = model.nodes[name], _algebra(model, name)
    if is_constant(name):
        return [0] * len(node.inputs)
    around = _Around(model, name, is_constant, is_read)
    after, ahead = around.algebras(around.after), around.algebras(around.ahead)
    addends = sum(each in _ADDENDS for each in (*after, *ahead))
    passed = _roundings_of_factors(around.algebras(around.passing)) if algebra == "sum" else 0
    own = [0] * len(node.inputs)
    merged = 0
    if not is_finer:
        if algebra == "sum":
            back = 2 * _factors(ahead) + (_factors(after) if addends else 0)
            merged = passed + addends + (back if around.has_integers else 0)
    elif algebra == "sum":
        merged = _roundings_of_factors(after) + addends
    elif algebra or _is_passed(model, name):
        merged = _roundings_of_factors([*ahead, *after])
        operation = model.sources[name].operation
        if operation and operation.affine:
            own = [operation.affine.get(each.name, 0) for each in operation.inputs]
        if algebra == "quotient":
            own[-1] = 1  # It is multiplied by 1 / b.
    return [
        merged + times if is_constant(value) else passed
        for value, times in zip(node.inputs, own, strict=True)
    ]


class _Around:
    """The layers of a group that a device may merge with one of them."""

    def __init__(
        self,
        model: Model,
        name: str,
        is_constant: Callable[[str], bool],
        is_read: Callable[[str], bool],
    ) -> None:
        self._model, self._name = model, name
        self._is_constant, self._is_read = is_constant, is_read
        self.ahead = self._reached(self._before, self._is_linear)
        self.after = self._reached(self._behind, self._is_linear)

    @property
    def passing(self) -> set[str]:
        """The layers behind, as far as factors pass them."""
        return self._reached(self._behind, lambda each: _is_passed(self._model, each))

    @property
    def has_integers(self) -> bool:
        """Whether the layer, or one before it, reads integers that were converted."""
        names = (self._name, *self.ahead)
        return any(_has_integers(self._model, each, self._is_constant) for each in names)

    def algebras(self, names: set[str]) -> list[str]:
        """What layers do with their operands."""
        return [_algebra(self._model, each) for each in names]

    def _is_linear(self, name: str) -> bool:
        return _is_linear(self._model, name, self._is_constant)

    def _behind(self, name: str) -> Iterator[str]:
        for value in self._model.sources[name].outputs:
            yield from () if self._is_read(value) else self._model.readers.get(value, ())

    def _before(self, name: str) -> Iterator[str]:
        inputs = self._model.nodes[name].inputs
        yield from (v.partition(":")[0] for v in inputs if not self._is_read(v))

    def _reached(
        self, step: Callable[[str], Iterator[str]], joins: Callable[[str], bool]
    ) -> set[str]:
        """The layers that some steps lead to, as far as all on the way join the layer."""
        found, pending = set[str](), [self._name]
        while pending:
            for each in step(pending.pop()):
                if each not in found and each in self._model.nodes and joins(each):
                    found.add(each)
                    pending.append(each)
        return found


def computed_anew(
    model: Model, names: Sequence[str], is_constant: Callable[[str], bool]
) -> set[str]:
    """The values before a group that a device may compute anew for it.

    It merges the constants of linear layers with those of linear layers before them, and into the levels of a layer
    before those. Where something else reads a value between, the device has it twice, with other roundings in each.
    """

    def linear(each: str) -> bool:
        return each in model.nodes and _is_linear(model, each, is_constant)

    found, pending = set[str](), [each for each in names if linear(each)]
    while pending:
        for value in model.nodes[pending.pop()].inputs:
            name = value.partition(":")[0]
            if linear(name):
                pending.append(name)
            elif name not in model.nodes or not _has_levels(model, name):
                continue
            found.add(value)
    return found


def _is_linear(model: Model, name: str, is_constant: Callable[[str], bool]) -> bool:
    """Whether a layer adds or multiplies constants and something else."""
    inputs = model.nodes[name].inputs
    return bool(_algebra(model, name)) and 0 < sum(map(is_constant, inputs)) < len(inputs)


def _has_levels(model: Model, name: str) -> bool:
    operation = model.sources[name].operation
    return operation is not None and operation.has_levels


def _has_integers(model: Model, name: str, is_constant: Callable[[str], bool]) -> bool:
    """Whether a layer reads integers that were converted, no constants."""
    sources = [model.nodes.get(v.partition(":")[0]) for v in model.nodes[name].inputs]
    return any(
        each is not None
        and (operation := model.sources[each.name].operation) is not None
        and operation.converts
        and not is_constant(each.name)
        and model.types[each.inputs[0]].is_integer
        for each in sources
    )


def _roundings_of_factors(algebras: Sequence[str]) -> int:
    """How often is rounded what layers multiply."""
    return sum(_FACTORS.get(each, 0) for each in algebras)


def _factors(algebras: Sequence[str]) -> int:
    return sum(each in _FACTORS for each in algebras)


def _is_passed(model: Model, name: str) -> bool:
    """Whether a factor may be multiplied before a layer as well as behind it."""
    node = model.nodes[name]
    operation = model.sources[name].operation
    if not node.operation or operation is None or operation.bodies:
        return False
    return all(
        isinstance(each, (Exact, Rounded, Sum))
        for each in accuracies(node.operation, len(node.types))
    )


def _algebra(model: Model, name: str) -> str:
    """What a layer's operation does with its operands: as declared, or affine; "" where it is not known."""
    operation = model.sources[name].operation
    if operation is None:
        return ""
    return "affine" if operation.affine else operation.algebra


def scattered(array: np.ndarray, state: np.random.RandomState) -> np.ndarray:
    """Reals of the same signs and sizes, each multiplied by a factor of its own near 1; other values as they are."""
    if not is_float(array.dtype):
        return array
    scattered_ones = storage.zeros(array.shape, array.dtype)
    for box in boxes(array.shape):
        values = array[box]
        with np.errstate(all="ignore"):
            factors = state.uniform(1 - _SCATTER, 1 + _SCATTER, values.shape)
            found = rounded(values.astype(np.float64) * factors, array.dtype)
        scattered_ones[box] = np.where(np.isfinite(found.astype(np.float64)), found, values)
    return scattered_ones
