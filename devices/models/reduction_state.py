"""What a reduction looks for, and where it stands: in a file after each step, from which an interrupted one goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from devices.models.findings import Survey, distance
from ir_models.models import Model
from reports.results.model_run import ModelRun
from reports.results.outcomes import Outcome
from reports.results.shared.files import write_text

_FILE = "reduction.json"


@dataclass(frozen=True)
class ReductionTarget:
    """What must stay: outcome, stage and words; or the layer with wrong values, and how wrong, or of a wrong shape."""

    outcome: Outcome
    stage: str = ""
    words: str = ""
    layer: str = ""
    error: float = 0.0
    is_shape: bool = False

    @property
    def key(self) -> list[object]:
        """What another run of the same departure has in common with it: how wrong values are can differ."""
        return [str(self.outcome), self.stage, self.words, self.layer, self.is_shape]


@dataclass
class Reduction:
    """Where a reduction stands. ``conforms`` is the nearest part that does not depart: one layer less.

    ``unread`` are results of the model that need not be read for the part to depart; without any of the layers
    ``needed`` it conforms.
    """

    nodes: list[str]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    conforms: list[str] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    tried: int = 0
    is_done: bool = False

    def write(self, folder: Path, target: ReductionTarget) -> None:
        """Write what an interrupted reduction needs to go on. Raises OSError."""
        kept = {
            "target": target.key,
            "nodes": self.nodes,
            "unread": sorted(self.unread),
            "tried": self.tried,
        }
        write_text(folder / _FILE, json.dumps(kept))

    @classmethod
    def read(cls, folder: Path, target: ReductionTarget) -> Reduction | None:
        """What an earlier run has written of the same target; None where there is none."""
        try:
            kept = json.loads((folder / _FILE).read_text("utf-8"))
            if kept["target"] != target.key or not kept["nodes"]:
                return None
            return cls(kept["nodes"], unread=set(kept["unread"]), tried=kept["tried"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def target_of(model: Model, survey: Survey, run: ModelRun) -> ReductionTarget | None:
    """What a survey leaves to be reduced; None where each layer that departs does so alone."""
    if survey.whole.failed:
        if any(layer.alone is not None and layer.departs for layer in run.layers):
            return None
        facts = survey.whole.facts
        return ReductionTarget(survey.whole.outcome, facts.stage, facts.message)
    for layer in run.ranked():
        finding = survey.findings[layer.name]
        is_alone = finding.alone is not None and finding.alone.outcome is Outcome.FAIL
        if finding.evidence is not None and not is_alone:
            errors = [
                distance(tensor.values(), finding.evidence.expected[value].value)[0]
                for value, tensor in finding.evidence.actual.items()
                if tensor.shape == finding.evidence.expected[value].value.shape
            ]
            return ReductionTarget(
                Outcome.FAIL,
                layer=layer.name,
                error=max(errors, default=np.inf),
                is_shape=finding.worst is not None and finding.worst.facts.kind == "shape",
            )
    return None
