"""One call of a reference: what error bounds are computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from reference.accuracy.precision import PRECISIONS, Precision, coarser, is_float, is_integer

Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Call:
    """The inputs and attributes of one call, its exact outputs, and the precisions that they are computed in.

    ``types`` names the element type of each output; ``device_precision`` is the precision that the device reports for
    its computation. ``by_kernel``: the kernel itself reports it, so that it holds where it is finer than an output's
    type as well. ``cache`` is for what an accuracy class computes from the inputs once for all outputs.
    """

    function: Callable[..., Any]
    inputs: Sequence[np.ndarray | None]
    attributes: Mapping[str, Any]
    outputs: Arrays
    types: Sequence[str]
    device_precision: Precision | None = None
    by_kernel: bool = False
    cache: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    def output_precision(self, output_index: int) -> Precision:
        """The precision of an output's element type. Raises KeyError for a type that is not floating-point."""
        return PRECISIONS[self.types[output_index]]

    def precision(self, output_index: int) -> Precision:
        """The working precision: the coarser of the output's type and what the device reports, or the kernel's own."""
        own, device = self.output_precision(output_index), self.device_precision
        if self.by_kernel and device is not None and device.fraction_bits > own.fraction_bits:
            return device
        return coarser(own, device)

    def array(self, index: int) -> np.ndarray:
        """An input. Raises ValueError for one left out."""
        values = self.inputs[index] if index < len(self.inputs) else None
        if values is None:
            raise ValueError(f"input {index} is left out")
        return values

    def reals(self, index: int) -> np.ndarray:
        """An input in float64. Raises ValueError for one left out."""
        return self.array(index).astype(np.float64)

    @cached_property
    def magnitudes(self) -> Arrays:
        """The same operation on the absolute values of all floating-point inputs, in float64; 0 for infinite ones."""
        return self.again(_magnitudes)

    def wide(self, operands: int | None) -> Arrays:
        """The same operation with integers as float64, so that nothing overflows, in the first ``operands`` inputs."""
        count = len(self.inputs) if operands is None else operands
        inputs = [
            values.astype(np.float64)
            if values is not None and index < count and is_integer(values.dtype)
            else values
            for index, values in enumerate(self.inputs)
        ]
        return run(self.function, inputs, self.attributes)

    def again(self, change: Callable[[np.ndarray], np.ndarray]) -> Arrays:
        """The outputs for changed inputs."""
        inputs = [None if values is None else change(values) for values in self.inputs]
        return run(self.function, inputs, self.attributes)


def _magnitudes(values: np.ndarray) -> np.ndarray:
    if not is_float(values.dtype):
        return values
    size = np.abs(values.astype(np.float64))
    return np.where(np.isfinite(size), size, 0.0)


def run(
    function: Callable[..., Any],
    inputs: Sequence[np.ndarray | None],
    attributes: Mapping[str, Any],
) -> Arrays:
    """The outputs of a reference as a tuple. NumPy's warnings about infinities and NaN are off."""
    with np.errstate(all="ignore"):
        outputs = function(*inputs, **attributes)
    return tuple(map(np.asarray, outputs if isinstance(outputs, tuple) else (outputs,)))
