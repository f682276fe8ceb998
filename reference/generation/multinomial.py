"""Multinomial (page Multinomial-13)."""

import numpy as np

from reference import implements
from reference.accuracy import Call, Distribution, kolmogorov
from reference.shared.axes import one_number
from reference.shared.checks import INDEX_TYPES, IndexType


def _weights(probs: np.ndarray, log_probs: bool) -> np.ndarray:
    """Probabilities that add up to 1 in each row; of logarithms the greatest is taken away first, which cancels."""
    values = probs.astype(np.float64)
    if log_probs:
        values = np.exp(values - np.max(values, axis=1, keepdims=True))
    total = np.sum(values, axis=1, keepdims=True)
    if not np.all(np.isfinite(values) & (values >= 0) & (total > 0)):
        raise ValueError(
            "Multinomial-13: probs must be finite and not negative, with a sum above 0 in each row"
        )
    return values / total


def chosen(weights: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The class of each row that a number in [0, 1] chooses: the first whose cumulative probability is not below it.

    weights [batch_size, class_size], which need not add up to 1, numbers [batch_size].
    """
    cumulative = np.cumsum(weights, axis=1)
    return np.asarray(np.sum(cumulative < numbers[:, None] * cumulative[:, -1:], axis=1))


def _probability(call: Call, actual: np.ndarray) -> float:
    """The p-value of the classes; 0 where one without probability was drawn.

    Each class is replaced by a random number in its interval of the cumulative probabilities, given the classes drawn
    before where there is no replacement: all numbers together are then uniform in [0, 1].
    """
    weights = _weights(call.reals(0), call.attributes["log_probs"])
    if np.any((actual < 0) | (actual >= weights.shape[1])):
        return 0.0
    offsets = np.random.RandomState(0).random_sample(actual.shape)
    uniform = np.empty(actual.shape)
    rows = np.arange(len(weights))
    for step in range(actual.shape[1]):
        drawn = actual[:, step].astype(np.int64)
        weight = weights[rows, drawn]
        if np.any(weight <= 0):
            return 0.0
        above = np.cumsum(weights, axis=1)[rows, drawn]
        total = np.sum(weights, axis=1)
        uniform[:, step] = (above - offsets[:, step] * weight) / total
        if not call.attributes["with_replacement"]:
            weights[rows, drawn] = 0.0
    return kolmogorov(uniform.clip(0, 1))


@implements("Multinomial-13", accuracy=Distribution(_probability))
def multinomial(
    probs: np.ndarray,
    num_samples: np.ndarray,
    *,
    convert_type: IndexType,
    with_replacement: bool,
    log_probs: bool,
    global_seed: int = 0,
    op_seed: int = 0,
) -> np.ndarray:
    """Classes drawn by their probabilities: [batch_size, num_samples].

    probs [batch_size, class_size], or their logarithms; num_samples is a scalar or [1]. The generator is NumPy's: the
    page does not fix one. Raises ValueError for values that are not probabilities, and for more samples than classes
    without replacement.
    """
    name = "Multinomial-13"
    if min(global_seed, op_seed) < 0:
        raise ValueError(f"{name}: seeds must not be negative, got {global_seed} and {op_seed}")
    if probs.ndim != 2 or probs.shape[1] < 1:
        raise ValueError(f"{name}: probs must be [batch_size, class_size], got {probs.shape}")
    batch_size, class_size = probs.shape
    count = int(one_number(num_samples, f"{name}: num_samples"))
    if count < 0 or (count > class_size and not with_replacement):
        limit = "" if with_replacement else f" and at most {class_size} without replacement"
        raise ValueError(f"{name}: num_samples must not be negative{limit}, got {count}")
    weights = _weights(probs, log_probs)
    state = np.random.RandomState([global_seed % 2**32, op_seed % 2**32])
    found = np.empty((batch_size, count), INDEX_TYPES[convert_type])
    for sample in range(count):
        # Not 0: it would choose a first class that has no probability.
        found[:, sample] = chosen(weights, 1 - np.asarray(state.random_sample(batch_size)))
        if not with_replacement:
            weights[np.arange(batch_size), found[:, sample]] = 0.0
    return found
