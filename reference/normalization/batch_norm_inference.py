"""BatchNormInference (pages BatchNormInference-1, BatchNormInference-5)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Function, flushed_factor
from reference.shared.dividing import with_channels


def _terms(call: Call) -> tuple[np.ndarray, ...]:
    """gamma / root, and |data| + |mean|, and |beta|: what the formula multiplies and adds."""
    data = np.abs(call.reals(0))
    gamma, beta, mean, variance = (_of_channels(call.reals(i), data.ndim) for i in range(1, 5))
    root = np.sqrt(variance + call.attributes["epsilon"])
    return np.abs(gamma), root, data + np.abs(mean), np.abs(beta)


def _scale(call: Call) -> np.ndarray:
    """The sizes of the two terms that may cancel."""
    gamma, root, differences, beta = _terms(call)
    return np.where(np.isfinite(differences), gamma / root * differences, 0) + beta


def _flushed(call: Call) -> np.ndarray:
    """The product, where a factor of it, a quotient or a product on the way may be zero."""
    gamma, root, differences, _ = _terms(call)
    rest = np.maximum(np.maximum(differences, gamma), np.maximum(gamma / root, 1 / root))
    return flushed_factor(gamma / root * differences, np.maximum(rest, 1), call.precision(0))


def _overflows(call: Call) -> np.ndarray:
    """Where a factor is multiplied before the other divides, and the product has no number in the type."""
    gamma, root, differences, _ = _terms(call)
    largest = differences * np.maximum(gamma, 1) / np.minimum(root, 1)
    return np.isfinite(differences) & (largest >= call.precision(0).overflow)


# Data, mean and beta cancel, whether followed step by step or as data · (gamma / root) + (beta - mean · gamma / root).
# Either way the sum of their sizes rounds at most 8 times, by ε/2 each: epsilon, the root (an ulp), the quotient (an
# ulp), two products, two sums.
_FORMULA = Function(k=1, a=4, scale=_scale, quality_a=2, flushed=_flushed, silent=_overflows)


def _of_channels(values: np.ndarray, rank: int) -> np.ndarray:
    """[C] -> [C, 1, ...], which broadcasts to data of this rank."""
    return values.reshape(-1, *[1] * (rank - 2))


@implements("BatchNormInference-1", "BatchNormInference-5", accuracy=_FORMULA, parts=with_channels)
def batch_norm_inference(
    data: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
) -> np.ndarray:
    """gamma · (data - mean) / sqrt(variance + epsilon) + beta, each of them for its channel.

    data [N, C, ...], the others [C] -> float64 in the shape of data. Raises ValueError for other shapes and for a
    negative epsilon.
    """
    name = "BatchNormInference"
    if data.ndim < 2:
        raise ValueError(f"{name}: data must have rank 2 or more, got {data.ndim}")
    if data.shape[1] == 0:
        raise ValueError(f"{name}: data must have a channel, got shape {list(data.shape)}")
    if epsilon < 0:
        raise ValueError(f"{name}: epsilon must be 0 or more, got {epsilon}")
    channels = []
    for what, values in (("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance)):
        if values.shape != data.shape[1:2]:
            raise ValueError(
                f"{name}: {what} must have shape {list(data.shape[1:2])}, got {list(values.shape)}"
            )
        channels.append(_of_channels(values.astype(np.float64), data.ndim))
    factor, shift, center, spread = channels
    normal = (data.astype(np.float64) - center) / np.sqrt(spread + epsilon)
    return factor * normal + shift
