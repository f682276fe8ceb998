"""The results of one model on one device: a file ``model.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from reports.results.shared.files import write_text

VERSION = 1


class HasOutcome(Protocol):
    """A verdict of any kind."""

    @property
    def outcome(self) -> Outcome:
        """How it ended."""


One = TypeVar("One", bound=HasOutcome)


def worst_of(in_place: One | None, alone: One | None) -> One | None:
    """The verdict of a layer that decides; of two alike, that in place."""
    found = [each for each in (in_place, alone) if each is not None]
    return max(found, key=lambda each: each.outcome.badness, default=None)


class VerdictRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A verdict on a layer, in place or alone; ``detail`` tells its ``facts`` in words, with values.

    ``fraction`` is the largest error as a fraction of the bound. ``numbers`` names those that alone are wrong:
    ``special`` for zeros, subnormal numbers, infinities or NaN, ``vanishing`` for small ones that are given as 0.
    """

    outcome: Outcome
    detail: str = ""
    facts: Facts = Facts()
    wrong: int = 0
    elements: int = 0
    fraction: float | None = None
    kernel: str = ""
    precision: str = ""
    numbers: str = ""
    histogram: list[int] = []
    """Elements by decades of their errors as fractions of the bound: 0, below 1e-6, 1e-6 ... 1e3 and above."""


class LayerRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One layer. ``inputs`` are the positions of the layers that feed it, -1 for a constant or a Parameter."""

    name: str
    title: str
    known_as: str = ""
    """What else names it to those who know the model before it was converted: ``tensor 'out'``."""
    operation: str
    inputs: list[int] = []
    shapes: str = ""
    attributes: dict[str, str] = {}
    in_place: VerdictRecord | None = None
    alone: VerdictRecord | None = None
    alike: str = ""
    members: list[int] = []
    by: int | None = None
    """The one of its members that departs so alone, which explains what is seen here."""
    is_constant: bool = False
    unjudged: str = ""
    note: str = ""
    effect: float | None = None
    is_slight: bool = False
    """Its effect was followed to the results, and is less than one rounding of each."""
    changes_choice: bool = False
    cause: str = ""
    cause_title: str = ""
    cause_history: str = ""
    """The cause's class, how bad the departure is, and the releases from and to which it was seen."""
    folder: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """The worse of both verdicts; None for a layer that was not judged."""
        return None if self.worst is None else self.worst.outcome

    @property
    def worst(self) -> VerdictRecord | None:
        """The verdict that decides; of two alike, that in place."""
        return worst_of(self.in_place, self.alone)

    @property
    def departs(self) -> bool:
        """Whether the device departs here."""
        return self.outcome is not None and self.outcome.badness > Outcome.FOLDED.badness

    @property
    def is_right_in_place(self) -> bool:
        """Whether it was judged where the model has it, and does not depart there."""
        return self.in_place is not None and self.in_place.outcome.badness <= Outcome.FOLDED.badness


class ResultRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A result of the model: its largest error against the reference in float64, and the largest value."""

    title: str
    error: float
    scale: float
    read_error: float | None = None
    same_bits: bool = True
    choice: bool = False
    detail: str = ""


class OnnxNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of ONNX that was read otherwise than ONNX's evaluator has it, and the ``layers`` it was read as."""

    title: str
    operation: str
    detail: str
    error: float
    scale: float
    layers: list[str] = []


class OnnxResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a result is from ONNX's evaluator: that of the layers as they were read, and that of the device."""

    title: str
    scale: float
    read: float | None = None
    device: float | None = None


class OnnxOpinion(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What ONNX's reference evaluator says of a model as OpenVINO read it.

    Of ``nodes`` those ``evaluated``, of them those ``compared``: the others are inside what several were read as.
    ``unevaluated`` counts the rest by what the evaluator says of them; ``failure`` is why it did not come to its end.
    """

    version: str = ""
    nodes: int = 0
    evaluated: int = 0
    compared: int = 0
    differing: list[OnnxNode] = []
    results: list[OnnxResult] = []
    unevaluated: dict[str, int] = {}
    failure: str = ""


class ModelRun(msgspec.Struct, kw_only=True, omit_defaults=True):
    """All that was found of one model."""

    version: int = VERSION
    model: str
    device: str
    profile: str
    openvino: str = ""
    full_name: str = ""
    isa: str = ""
    inputs: list[str] = []
    samples: int = 1
    whole: Outcome
    whole_detail: str = ""
    whole_facts: Facts = Facts()
    layers: list[LayerRecord] = []
    results: list[ResultRecord] = []
    notes: list[str] = []
    seconds: float = 0.0
    questions: int = 0
    read: int = 0
    is_whole: bool = True
    """False for a survey that was interrupted."""
    onnx: OnnxOpinion | None = None

    def ranked(self) -> list[LayerRecord]:
        """The layers that depart: by what they are worth at the results, known or not, then in order.

        Of those that fail the ones that fail as the whole does come first.
        """

        def place(layer: LayerRecord) -> tuple[int, bool, float]:
            severity, effect = rank(layer)
            is_other = layer.worst is not None and layer.worst.facts != self.whole_facts
            return severity, is_other and not severity, effect

        return sorted((layer for layer in self.layers if layer.departs), key=place)

    def culprits(self) -> list[LayerRecord]:
        """The departures that may have changed a result by more than it is rounded: the first first."""
        harmless = {layer.name for layer in self.harmless()}
        return [each for each in self.ranked() if each.name not in harmless]

    def harmless(self) -> list[LayerRecord]:
        """The layers that changed no result by more than it is rounded where they were judged, with a group or not."""
        judged: dict[int, list[LayerRecord]] = {}
        for number, layer in enumerate(self.layers):
            if layer.in_place is not None:
                for each in {number, *layer.members}:
                    judged.setdefault(each, []).append(layer)
        return [
            self.layers[number]
            for number, layers in sorted(judged.items())
            if all(each.is_right_in_place or each.is_slight for each in layers)
        ]

    def share(self, layer: LayerRecord) -> float | None:
        """How much of the largest relative error of a result a layer explains; None where that is not known."""
        worst = max((each.error / each.scale for each in self.results if each.scale), default=0.0)
        if layer.effect is None or not 0 < worst < float("inf"):
            return None
        return min(layer.effect / worst, 1.0)


def rank(layer: LayerRecord) -> tuple[int, float]:
    """Where a departing layer stands: smaller is further in front."""
    outcome = layer.outcome or Outcome.PASS
    # A layer that departs alone and not in place cannot have changed these results. Of a wrong shape nobody knows.
    is_unknown = layer.in_place is not None and layer.in_place.facts.kind == "shape"
    effect = float("inf") if is_unknown else layer.effect or 0.0
    fails = outcome in (Outcome.CRASH, Outcome.TIMEOUT, Outcome.REFUSED)
    severity = 0 if fails else 1 if layer.in_place is not None and effect > 0 else 2
    return severity, -effect


def write(path: Path, run: ModelRun) -> None:
    """Write a run at once: readers see the earlier one or this one. Raises OSError."""
    write_text(path, msgspec.json.encode(run).decode())


def read(path: Path) -> ModelRun:
    """Read a run. Raises ValueError for a file that is none, and OSError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=ModelRun)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path} is not a result of a model: {error}") from None
