"""CTCLoss (page CTCLoss-4)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from reference import implements
from reference.accuracy import (
    Arithmetic,
    Bounds,
    Call,
    Precision,
    accumulator,
    function_ulps,
)

_NAME = "CTCLoss-4"


@dataclass(frozen=True)
class _Sequence:
    """One sequence: logits [steps, classes], its target as it is compared with paths, and the blank."""

    logits: np.ndarray
    target: list[int]
    blank: int
    merge: bool

    @property
    def log_probabilities(self) -> np.ndarray:
        """Log-softmax of the logits."""
        distance = self.logits - np.max(self.logits, axis=1, keepdims=True, initial=-np.inf)
        return distance - np.log(np.sum(np.exp(distance), axis=1, keepdims=True))

    @property
    def states(self) -> list[int]:
        """The character of each state: those of the target, with blanks before, between and behind."""
        found = [self.blank] * (2 * len(self.target) + 1)
        found[1::2] = self.target
        return found

    @property
    def follows(self) -> np.ndarray:
        """Whether a state [first index] may follow another one [second index]."""
        states = self.states
        count = len(states)
        found = np.eye(count, dtype=bool) | np.eye(count, k=-1, dtype=bool)
        characters = np.arange(1, count, 2)
        # A character again is another character of the target, unless repeated ones are merged.
        found[characters, characters] = self.merge
        for state in range(3, count, 2):
            found[state, state - 2] = not (self.merge and states[state - 2] == states[state])
        return found

    def loss(
        self, costs: np.ndarray, ulps: float = 0.0, rounding: float = 0.0
    ) -> tuple[float, float]:
        """-ln of the sum of the probabilities of all aligned paths, and the mean of a path's costs [steps, classes].

        The mean is weighted with the probabilities. Besides the costs of its characters a path has those of the steps:
        ``rounding`` times each sum of logarithms, and ``ulps`` of exponentials and logarithms where sums are added up.
        """
        states, follows, steps = self.states, self.follows, self.log_probabilities
        # Before the first step there is a blank: it may stay, or the first character follows.
        sums, means = np.full(len(states), -np.inf), np.zeros(len(states))
        sums[0] = 0.0
        for number, (probability, cost) in enumerate(zip(steps, costs, strict=True)):
            sums, means = _added(np.where(follows, sums, -np.inf), means, ulps, rounding)
            sums, means = sums + probability[states], means + cost[states]
            if number:  # at first 0 is added
                means = means + rounding * np.where(np.isfinite(sums), np.abs(sums), 0.0)
        (total,), (mean,) = _added(sums[np.newaxis, -2:], means[-2:], ulps, rounding)
        return 0.0 - float(total), float(mean)

    @property
    def backwards(self) -> "_Sequence":
        """The same paths from their ends."""
        return replace(self, logits=self.logits[::-1], target=self.target[::-1])


def _added(
    logarithms: np.ndarray, means: np.ndarray, ulps: float, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """ln of the sums of each row, and the means weighted with the terms.

    An addition of two terms costs ``ulps`` of an exponential, of a share of at most 1/2, and of a logarithm up to
    ln 2, and ``rounding`` times the sum; that of one term alone costs nothing.
    """
    largest = np.max(logarithms, axis=1, keepdims=True)
    largest = np.where(np.isinf(largest), 0.0, largest)
    terms = np.exp(logarithms - largest)
    total = terms.sum(axis=1)
    weights = terms / np.where(total > 0, total, 1.0)[:, np.newaxis]
    additions = np.maximum(np.count_nonzero(logarithms > -np.inf, axis=1) - 1, 0)
    found = largest[:, 0] + np.log(total)
    size = np.where(np.isfinite(found), np.abs(found), 0.0)
    return found, weights @ means + additions * (ulps * (0.5 + np.log(2)) + rounding * size)


def _target(labels: list[int], collapse: bool, unique: bool) -> list[int]:
    """Labels without repeated ones, if ``collapse``, or each of them once, if ``unique``."""
    if unique:
        return list(dict.fromkeys(labels))
    return [c for i, c in enumerate(labels) if not (collapse and i and labels[i - 1] == c)]


def _sequences(
    logits: np.ndarray,
    logit_length: np.ndarray,
    labels: np.ndarray,
    label_length: np.ndarray,
    blank_index: np.ndarray | None = None,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    unique: bool = False,
) -> Iterator[_Sequence]:
    """The sequences of a batch. Raises ValueError."""
    given = [list(each.shape) for each in (logits, logit_length, labels, label_length)]
    if logits.ndim != 3 or given[1:] != [given[0][:1], given[0][:2], given[0][:1]]:
        raise ValueError(f"{_NAME}: shapes must be [N, T, C], [N], [N, T] and [N], got {given}")
    _, most, classes = logits.shape
    if blank_index is not None and blank_index.ndim:
        raise ValueError(f"{_NAME}: blank_index must be a scalar, got {list(blank_index.shape)}")
    blank = classes - 1 if blank_index is None else int(blank_index)
    if not 0 <= blank < classes:
        raise ValueError(f"{_NAME}: blank_index must be a class below {classes}, got {blank}")
    lengths = zip(logit_length.tolist(), label_length.tolist(), strict=True)
    for each, row, (steps, size) in zip(logits, labels.tolist(), lengths, strict=True):
        if not 0 <= size <= steps <= most:
            raise ValueError(
                f"{_NAME}: lengths must be 0 <= label_length <= logit_length <= {most}, got {size}, {steps}"
            )
        if any(not 0 <= label < classes or label == blank for label in row[:size]):
            raise ValueError(
                f"{_NAME}: labels must be classes below {classes} but {blank}, got {row[:size]}"
            )
        target = _target(row[:size], preprocess_collapse_repeated, unique)
        yield _Sequence(each[:steps].astype(np.float64), target, blank, ctc_merge_repeated)


@dataclass(frozen=True)
class _Loss(Arithmetic):
    """ε·(E + R), for a sequence.

    E is the mean, over all aligned paths by their probabilities, of the errors of the log-probabilities on a path: ln
    of a sum passes on the errors of its terms by their shares. An error of log-softmax is as that of ``Softmax``:
    K·(1 + |ln p|) of exp and ln, half the distances to the largest logit, half a unit of the accumulator for each
    class. R is the mean of the errors of the steps: where a state follows one other alone, a sum of logarithms is
    rounded by half an ulp; where it follows two or three, each addition of two costs an exponential and a logarithm
    with an error of K ulps, and one more such rounding. Steps are taken from the begin or from the end: the larger of
    both counts. ``quality`` has K = 1 and half of the roundings.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The formula, for both tiers."""
        losses = np.abs(call.outputs[output_index])
        with np.errstate(all="ignore"):
            bound, quality = (
                np.array(
                    [
                        _error(each, loss, k, part, working)
                        for each, loss in zip(_of_call(call), losses, strict=True)
                    ]
                ).reshape(losses.shape)
                for k, part in ((function_ulps(3.0, working), 1.0), (1.0, 0.5))
            )
        lost = ~(bound < working.overflow) | ~(2 * losses < working.overflow) & np.isfinite(losses)
        least = working.smallest_normal
        return Bounds(working.epsilon * bound + least, working.epsilon * quality + least, free=lost)


def _of_call(call: Call) -> Iterator[_Sequence]:
    logits, logit_length, labels, label_length = (call.array(number) for number in range(4))
    blank_index = (*call.inputs, None)[4]
    return _sequences(logits, logit_length, labels, label_length, blank_index, **call.attributes)


def _error(sequence: _Sequence, loss: float, k: float, part: float, working: Precision) -> float:
    """The bound of one sequence in units of ε."""
    logarithms = sequence.log_probabilities
    # Impossible characters are on no path.
    size = np.where(np.isfinite(logarithms), np.abs(logarithms), 0.0)
    logits = sequence.logits
    distance = np.nan_to_num(np.max(logits, axis=1, keepdims=True, initial=-np.inf) - logits)
    average = np.sum(np.exp(logarithms) * distance, axis=1, keepdims=True)
    terms = logits.shape[1] * accumulator(working).unit / working.unit
    costs = k * (1 + size) + part * (distance + average + terms + 2 * size) / 2
    if not np.isfinite(loss):
        return 0.0
    return max(
        sequence.loss(costs, k, part / 2)[1],
        sequence.backwards.loss(costs[::-1], k, part / 2)[1],
    )


def _undefined(call: Call) -> np.ndarray:
    """Sequences with logits that are NaN or infinite."""
    return np.array([not np.isfinite(each.logits).all() for each in _of_call(call)], bool)


@implements("CTCLoss-4", accuracy=_Loss(silent=_undefined))
def ctc_loss(
    logits: np.ndarray,
    logit_length: np.ndarray,
    labels: np.ndarray,
    label_length: np.ndarray,
    blank_index: np.ndarray | None = None,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    unique: bool = False,
) -> np.ndarray:
    """-ln of the probability that a path of classes, one in each step, is aligned with the labels; float64 [N].

    logits [N, T, C], whose first ``logit_length`` [N] steps count, labels [N, T], whose first ``label_length`` [N]
    count; blank_index is C - 1 by default. A path is aligned if it is the target once repeated classes are merged
    (``ctc_merge_repeated``) and blanks removed. The loss is infinite where no path is. Raises ValueError for other
    shapes, lengths and labels.
    """
    sequences = _sequences(
        logits,
        logit_length,
        labels,
        label_length,
        blank_index,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        unique=unique,
    )
    with np.errstate(all="ignore"):
        return np.array([each.loss(np.zeros_like(each.logits))[0] for each in sequences], float)
