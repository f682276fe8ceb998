"""ScaledDotProductAttention (page ScaledDotProductAttention-13)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reference import implements
from reference.accuracy import Arithmetic, Bounds, Call, Precision, accumulator, function_ulps
from reference.shared.axes import one_number
from reference.shared.broadcasting import numpy_shape, one_directional
from reference.shared.checks import require_rank_from

_NAME = "ScaledDotProductAttention-13"


@dataclass(frozen=True)
class _Attention:
    """The steps of the page in float64; ``bias`` and ``sink`` [..., L, 1] broadcast to the weights [..., L, S]."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    bias: np.ndarray
    scale: float
    sink: np.ndarray | None

    @cached_property
    def products(self) -> np.ndarray:
        """query times the transpose of key, scaled."""
        return self.query @ self.key.swapaxes(-1, -2) * self.scale

    @cached_property
    def scores(self) -> np.ndarray:
        """The scaled and masked weights, with the column of the sink behind them."""
        scores = self.products + self.bias
        if self.sink is None:
            return scores
        shape = numpy_shape(scores.shape[:-1], self.sink.shape[:-1])
        column = np.broadcast_to(self.sink, (*shape, 1))
        return np.concatenate([np.broadcast_to(scores, (*shape, scores.shape[-1])), column], -1)

    @cached_property
    def softmax(self) -> np.ndarray:
        """The softmax of scores, the sink among them."""
        powers = np.exp(self.scores - np.max(self.scores, -1, keepdims=True, initial=-np.inf))
        return powers / np.sum(powers, -1, keepdims=True)

    @cached_property
    def weights(self) -> np.ndarray:
        """The softmax without the column of the sink."""
        return self.softmax if self.sink is None else self.softmax[..., :-1]


def _steps(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    attention_mask: np.ndarray | None = None,
    scale: np.ndarray | None = None,
    sink: np.ndarray | None = None,
    *,
    causal: bool,
) -> _Attention:
    """Raises ValueError where shapes do not fit."""
    for name, each in (("query", query), ("key", key), ("value", value)):
        require_rank_from(each, 3, f"{_NAME}: {name}")
    (length, size), source = query.shape[-2:], key.shape[-2]
    if key.shape[-1] != size or value.shape[-2] != source:
        raise ValueError(f"{_NAME}: key must be [..., S, {size}] and value [..., {source}, Ev]")
    whole = (*numpy_shape(query.shape[:-2], key.shape[:-2], value.shape[:-2]), length, source)
    bias = np.zeros((length, source))
    if attention_mask is not None:
        if attention_mask.ndim == 1 or (attention_mask.ndim == 0 and attention_mask != 0):
            raise ValueError(f"{_NAME}: attention_mask must be 0, or of rank 2 or more")
        if attention_mask.ndim == 0 and attention_mask.dtype == bool:
            raise ValueError(f"{_NAME}: attention_mask must not be one boolean")
        if attention_mask.dtype not in (np.dtype(bool), query.dtype):
            raise ValueError(f"{_NAME}: attention_mask must be boolean or {query.dtype}")
        one_directional(attention_mask, whole)
        is_boolean = attention_mask.dtype == bool
        bias = np.where(attention_mask, 0, -np.inf) if is_boolean else bias + attention_mask
    if causal:
        bias = np.triu(np.full((length, source), -np.inf), k=1)
    factor = 1 / np.sqrt(size) if scale is None else float(one_number(scale, f"{_NAME}: scale"))
    if sink is not None:
        if sink.ndim != query.ndim or sink.shape[-1] != 1:
            raise ValueError(f"{_NAME}: sink must be [N, ..., L, 1], got {list(sink.shape)}")
        one_directional(sink[..., 0], whole[:-1])
    q, k, v = (each.astype(np.float64) for each in (query, key, value))
    return _Attention(q, k, v, bias, factor, None if sink is None else sink.astype(np.float64))


@dataclass(frozen=True)
class Attended(Arithmetic):
    """The errors of all steps, carried to the output: Σ p·r·|v| and those of the last sum, r the relative error of p.

    A score z = q·k·scale + bias errs by e = 2·(E·u_acc·Σ|q·k|·|scale|), and in the working precision by the roundings
    of the product, of 1/sqrt(E) where it is the scale (three; in types narrower than f16 one), of its product, and of
    the sum with a bias that is added.
    p = e^z / Σ e^z then errs relatively by e^(e + the average of e, weighted by p) - 1, and as ``Softmax`` says: the
    argument of e rounds, e itself errs by K ulps, the denominator has S additions. The output adds S products p·v.
    Weights below the smallest normal number may be lost.
    """

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """Both tiers; no bound where a sum may overflow, or where a softmax is of infinities."""
        found = _steps(
            *(call.array(number) for number in range(3)), *call.inputs[3:], **call.attributes
        )
        p, v = found.weights, np.abs(found.value)
        acc = accumulator(working)
        # As ``Softmax``: in narrow types e itself is rounded once.
        k = function_ulps(3.0, working) if acc is working else 1.0
        finite = np.where(np.isfinite(found.value), v, 0)
        magnitude = np.abs(found.query) @ np.abs(found.key).swapaxes(-1, -2) * abs(found.scale)
        size, source = found.query.shape[-1], p.shape[-1]
        _, _, _, mask, scale, *_ = *call.inputs, None, None
        of_scale = 0 if scale is not None else 3 if acc is working else 1
        after = np.abs(found.products) * (2 + of_scale)
        # True and false are no number that is added: they leave a score as it is, or take it away.
        if mask is not None and mask.dtype != bool and not call.attributes["causal"]:
            finite_bias = np.where(np.isfinite(found.bias), found.bias, 0)
            after = after + np.abs(found.products + finite_bias)
        distance = np.max(found.scores, -1, keepdims=True, initial=-np.inf) - found.scores
        distance = np.where(np.isfinite(distance), distance, 0)

        def bound(unit: float, acc_unit: float, ulps: float) -> np.ndarray:
            """The error where scores are kept with ``unit``, and sums with ``acc_unit``."""
            of_score = size * acc_unit * magnitude + unit * after
            each = unit * (ulps + distance / 2)
            relative = np.broadcast_to(of_score + each[..., :source], p.shape)
            average = np.sum(np.nan_to_num(p * relative), -1, keepdims=True)
            if found.sink is not None:
                average = average + found.softmax[..., -1:] * each[..., -1:]
            relative = relative + average + unit + (source + 1) * acc_unit
            grown = np.expm1(np.minimum(relative, 50.0))
            lost = np.where(p < working.smallest_normal, p, 0)
            return (p * (grown + source * acc_unit) + lost) @ finite

        exact = np.abs(call.outputs[output_index])
        outer = bound(2 * working.unit, 2 * acc.unit, k) + 2 * working.unit * exact
        quality = bound(working.unit, acc.unit, 1.0) / 2 + working.unit * exact
        least = working.unit * working.smallest_normal
        # Products of weights and values may be flushed to zero.
        outer = outer + np.minimum(np.nan_to_num(p) @ finite, source * working.smallest_normal)
        # Scores that overflow on the way, or that are infinite: the softmax of these is not defined.
        largest = np.max(found.scores, -1, keepdims=True, initial=-np.inf)
        unscaled = np.abs(found.query) @ np.abs(found.key).swapaxes(-1, -2)
        most = np.max(np.maximum(magnitude, unscaled), -1, keepdims=True, initial=0)
        free = np.isinf(largest) | (most >= working.overflow)
        # A weight that vanishes times infinity is 0 or no number; so is what is beyond the range.
        vanishing = (p < 2 * working.smallest_normal).astype(float) @ (~np.isfinite(found.value))
        beyond = np.nan_to_num(p) @ finite * (1 + 2 * source * acc.unit) >= working.overflow
        return Bounds(outer + least, quality + least, free=free | (vanishing > 0) | beyond)


@implements("ScaledDotProductAttention-13", accuracy=Attended())
def scaled_dot_product_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    attention_mask: np.ndarray | None = None,
    scale: np.ndarray | None = None,
    sink: np.ndarray | None = None,
    *,
    causal: bool,
) -> np.ndarray:
    """softmax(query · keyᵀ · scale + mask) · value -> [N, ..., L, Ev].

    query [N, ..., L, E], key [N, ..., S, E], value [N, ..., S, Ev], batches broadcast; attention_mask is boolean, true
    where a key is seen, or is added, or is a scalar 0; ``scale`` is 1 / sqrt(E) by default; ``sink`` [N, ..., L, 1] is
    one more score of each query, of no value. ``causal``: query i sees keys up to i, whatever the mask. Raises
    ValueError where shapes do not fit.
    """
    found = _steps(query, key, value, attention_mask, scale, sink, causal=causal)
    return found.weights @ found.value
