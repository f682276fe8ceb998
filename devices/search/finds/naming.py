"""Which cause names a departure of a graph: what is known is counted with its cause, and not reported again."""

from __future__ import annotations

from dataclasses import replace

from devices.engine.verdicts.recording import observed
from devices.engine.verdicts.verdict import Verdict
from devices.search.graph_runner import case_of
from ir_models.asking.id_parts import AS_TEXT, pairs
from ir_models.graphs import GraphCase
from reports.gate import causes
from reports.gate.baseline import Run


class CauseNaming:
    """The causes of a device and release. Raises CauseError."""

    def __init__(self, device: str, profile: str, release: str) -> None:
        self._causes = causes.load()
        self._run = Run(device=device, profile=profile, openvino=release)

    def cause_of(self, text: str, verdict: Verdict) -> str:
        """The id of the cause that names a departure, "" without one; ``text`` is the graph's or a pattern's id."""
        is_text = "return " in text
        name, _, factors = (AS_TEXT, "", "") if is_text else text.partition("/")
        case = GraphCase.of(name, case_of(verdict).graph, pairs(factors))
        run = self._run
        record = observed(replace(verdict, case=case), run.device, run.profile)
        found = self._causes.name(record, run)
        return found.id if found else ""

    def title(self, name: str) -> str:
        """The title of a cause."""
        found = self._causes.get(name)
        return found.title if found else name
