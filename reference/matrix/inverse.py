"""Inverse (page Inverse-14)."""

from dataclasses import dataclass
from math import prod

import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, Arithmetic, Bounds, Call, Precision

_F32 = PRECISIONS["f32"]


def _matrices(data: np.ndarray, adjoint: bool) -> np.ndarray:
    """The matrices that are inverted, in numbers of f32: the page converts every other type to it first."""
    if data.ndim < 2 or data.shape[-1] != data.shape[-2]:
        raise ValueError(
            f"Inverse-14: the last two dimensions must be equal, got {list(data.shape)}"
        )
    found = data.astype(np.float32).astype(np.float64)
    return found.swapaxes(-1, -2) if adjoint else found


def _factors(matrix: np.ndarray) -> np.ndarray:
    """|L|·|U| of a matrix [n, n], its rows in their places, from Gaussian elimination with partial pivoting."""
    size = len(matrix)
    upper, lower, rows = matrix.copy(), np.zeros_like(matrix), np.arange(size)
    for column in range(size):
        pivot = column + int(np.argmax(np.abs(upper[column:, column])))
        for each in (upper, lower, rows):
            each[[column, pivot]] = each[[pivot, column]]
        factors = upper[column + 1 :, column] / upper[column, column]
        lower[column + 1 :, column] = factors
        upper[column + 1 :] -= factors[:, np.newaxis] * upper[column]
    product = (np.abs(lower) + np.eye(size)) @ np.abs(np.triu(upper))
    found = np.empty_like(product)
    found[rows] = product
    return found


@dataclass(frozen=True)
class _Inverted(Arithmetic):
    """2·3n·u·|A⁻¹|·|L|·|U|·|A⁻¹| and the roundings of data and result.

    Elimination and both substitutions solve (A + ΔA)·x = e with |ΔA| within 3n·u·|L|·|U|, from which the error of x
    follows to first order. So the bound grows with the condition of the matrix. u is that of f32, whatever the
    type: the page computes in f32. Where the first order is no longer small nothing is known.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        answer = call.outputs[output_index]
        size = np.abs(answer)
        matrices = _matrices(call.array(0), call.attributes.get("adjoint", False))
        n, count = matrices.shape[-1], prod(matrices.shape[:-2])
        with np.errstate(all="ignore"):
            spread = np.array([_factors(each) for each in matrices.reshape(count, n, n)])
            spread = spread.reshape(matrices.shape)
            relative = 3 * n * _F32.unit * (size @ spread)
            error = relative @ size
            # f64 is rounded to f32 first, or not at all.
            kept = _F32.unit * (size @ np.abs(matrices) @ size) if own.name == "f64" else 0.0
        lost = ~(relative.sum(axis=-1, keepdims=True).max(axis=-2, keepdims=True, initial=0) < 0.25)
        last = max(working.unit, _F32.unit) * size + _F32.smallest_normal
        quality = error / 3 + kept + last
        return Bounds(2 * (error + kept + last), quality, free=lost | ~np.isfinite(error))


@implements("Inverse-14", accuracy=_Inverted())
def inverse(data: np.ndarray, *, adjoint: bool = False) -> np.ndarray:
    """The inverses of square matrices [..., n, n], with ``adjoint`` those of their transposes, in float64.

    Raises ValueError for other shapes, and where a matrix has no inverse.
    """
    try:
        return np.linalg.inv(_matrices(data, adjoint))
    except np.linalg.LinAlgError:
        raise ValueError("Inverse-14: a matrix has no inverse") from None
