"""What the walks of a survey share: the model, the device, and what was found so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from devices.engine.session import Session
from devices.models.findings import Finding, ResultError
from devices.models.groups import constant_nodes, shape_nodes
from devices.models.part_runner import Arrays, PartAnswer, PartRunner
from ir_models.models import Model
from reports.results.outcomes import Outcome

Report = Callable[[str], None]


class Shared:
    """What the walks of a survey share. ``feeds`` has the values of the Parameters, for each sample."""

    def __init__(
        self,
        model: Model,
        session: Session,
        feeds: Sequence[Arrays],
        report: Report = lambda _: None,
    ) -> None:
        self.model, self.session, self.feeds = model, session, feeds
        self.asking = PartRunner(model, session)
        self.report = report
        self.findings = {node.name: Finding(node.name) for node in model.graph.nodes}
        self.constants, self.of_shapes = constant_nodes(model), shape_nodes(model)
        self.results = list(dict.fromkeys(each.source for each in model.graph.results))
        self.places = {node.name: place for place, node in enumerate(model.graph.nodes)}
        self.notes: list[str] = []
        self.confirmations = 0
        self.asks_alike = False
        # Layers that are wrong only where many values are read at once.
        self.by_reading: list[str] = []
        self.whole = PartAnswer()
        # The values that are read, in the order of the graph.
        self.read: list[str] = []
        self.result_errors: list[ResultError] = []
        # The reference's values in the first sample, where they are kept.
        self.keeps_truth = False
        self.truth: dict[str, np.ndarray] = {}

    def is_constant(self, value: str) -> bool:
        """Whether a value is a constant, or follows from constants alone."""
        name = value.partition(":")[0]
        return name in self.model.graph.constants or name in self.constants

    def departs_alone(self, name: str) -> bool:
        """Whether a layer, or the one that was asked in its place, gives wrong values alone."""
        finding = self.findings[name]
        alone = self.findings[finding.alike].alone if finding.alike else finding.alone
        return alone is not None and alone.outcome is Outcome.FAIL
