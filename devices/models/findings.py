"""What a survey of a model finds: of each layer, of each result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from devices.models.judging import Judged
from devices.models.large_layers import boxes
from devices.models.part_runner import PartAnswer
from devices.process.protocol import Kernel, TensorData
from ir_models.models import Model, Part, cut
from reference import Expected
from reports.results.model_run import worst_of
from reports.results.outcomes import Outcome


@dataclass
class PartEvidence:
    """What a departure is reproduced with: what feeds ``nodes``, the expected outputs of the last one, the device's.

    Of what feeds them ``fixed`` are constants in the part that was asked; ``knows_sizes``: it has no unknown sizes.
    """

    nodes: tuple[str, ...]
    arrays: dict[str, np.ndarray]
    expected: dict[str, Expected]
    actual: dict[str, TensorData]
    fixed: frozenset[str] = frozenset()
    knows_sizes: bool = False

    def part(self, model: Model, results: Sequence[str], *, titles: bool = False) -> Part:
        """The layers as a model of their own, as it was asked."""
        feed = {value: array for value, array in self.arrays.items() if value not in self.fixed}
        given = model.given(feed)
        if self.knows_sizes:
            given = {value: replace(each, shape=feed[value].shape) for value, each in given.items()}
        values = {value: self.arrays[value] for value in self.fixed}
        return cut(model, self.nodes, results, given, values=values, titles=titles)


@dataclass
class Finding:
    """What is known of one layer. ``members`` are the layers judged with it, itself included, where they are several.

    ``in_place`` and ``alone`` are None where it was not judged so; ``unjudged`` says why. ``alike`` names the layer
    that was asked alone in its place. ``effect`` is what its error is worth: the largest change of a result relative
    to the largest value of that result; ``is_slight`` where it is less than one rounding of each result. ``by`` is the
    layer of ``members`` that departs alone as well, if that explains what is seen here.
    """

    name: str
    in_place: Judged | None = None
    alone: Judged | None = None
    members: tuple[str, ...] = ()
    by: str = ""
    unjudged: str = ""
    note: str = ""
    alike: str = ""
    is_constant: bool = False
    sample: int = 0
    kernel: Kernel | None = None
    alone_kernel: Kernel | None = None
    effect: float | None = None
    is_slight: bool = False
    changes_choice: bool = False
    shapes: str = ""
    evidence: PartEvidence | None = None
    alone_evidence: PartEvidence | None = None

    @property
    def outcome(self) -> Outcome | None:
        """The worse of both verdicts; None for a layer that was not judged."""
        return None if self.worst is None else self.worst.outcome

    @property
    def departs(self) -> bool:
        """Whether the device departs here."""
        return self.outcome is not None and self.outcome.badness > Outcome.FOLDED.badness

    @property
    def worst(self) -> Judged | None:
        """The verdict that decides: of two alike, that in place."""
        return worst_of(self.in_place, self.alone)


@dataclass
class ResultError:
    """How far a result of the model is from the reference's: largest error, largest value, with values read or not.

    ``choice`` tells whether the position of the largest value differs, ``moved`` how far reading values moves it.
    """

    name: str
    title: str
    error: float
    scale: float
    read_error: float | None = None
    same_bits: bool = True
    choice: bool = False
    detail: str = ""
    moved: float = 0.0

    @property
    def relative(self) -> float:
        """The error as a fraction of the largest value."""
        return self.error / self.scale if self.scale else self.error


@dataclass
class Survey:
    """What a survey found. ``truth`` has the reference's values in the first sample, if the survey keeps them."""

    findings: dict[str, Finding]
    whole: PartAnswer
    results: list[ResultError] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    seconds: float = 0.0
    asked: int = 0
    read: int = 0
    notes: list[str] = field(default_factory=list)
    truth: dict[str, np.ndarray] = field(default_factory=dict)


def distance(actual: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The largest error of a result, and the largest value that it should have."""
    if actual.dtype == object or not actual.size:
        return (0.0 if np.array_equal(actual, truth) else np.inf), 1.0
    errors, sizes = [], []
    for box in boxes(actual.shape):
        one, two = actual[box].astype(np.float64), truth[box].astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.where((one == two) | (np.isnan(one) & np.isnan(two)), 0.0, np.abs(one - two))
            errors.append(np.where(np.isnan(error), np.inf, error).max())
            sizes.append(np.abs(two[np.isfinite(two)]).max(initial=0.0))
    return float(max(errors)), float(max(sizes))


def changes_choice(actual: np.ndarray, truth: np.ndarray) -> bool:
    """Whether the largest value along the last axis stands in another place."""
    if actual.dtype == object or actual.ndim < 1 or actual.shape[-1] < 2 or not actual.size:
        return False
    # The largest ones along the last axis in both, and the truth where the actual one is.
    places, best, chosen, scale = [], [], [], 1e-30
    for box in boxes(actual.shape[:-1], actual.shape[-1]):
        one, two = actual[box].astype(np.float64), truth[box].astype(np.float64)
        found = np.argmax(one, -1)
        places.append((found != np.argmax(two, -1)).reshape(-1))
        best.append(np.max(two, -1).reshape(-1))
        chosen.append(np.take_along_axis(two, found[..., None], -1).reshape(-1))
        scale = max(scale, float(np.abs(two[np.isfinite(two)]).max(initial=0.0)))
    # A tie that the last bit decides is no other choice.
    room = np.concatenate(best) - np.concatenate(chosen)
    return bool((np.concatenate(places) & (room > 1e-5 * scale)).any())
