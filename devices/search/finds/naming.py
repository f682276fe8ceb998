"""Which cause names a departure of a graph: what is known is counted with its cause, and not told again."""

from __future__ import annotations

from devices.search.asking import Answer
from ir_models.asking.id_parts import AS_TEXT, GRAPHS, pairs, split_id
from ir_models.graphs import GraphCase
from reports.gate import causes
from reports.gate.baseline import Run
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord


class Naming:
    """The causes of a device and release. Raises CauseError."""

    def __init__(self, device: str, profile: str, release: str) -> None:
        self._causes = causes.load()
        self._run = Run(device=device, profile=profile, openvino=release)

    def cause_of(self, text: str, answer: Answer) -> str:
        """The id of the cause that names a departure, "" without one; ``text`` is the graph's or a pattern's id."""
        is_text = "return " in text
        name, _, factors = (AS_TEXT, "", "") if is_text else text.partition("/")
        case = GraphCase.of(name, answer.graph.graph, pairs(factors))
        parts = split_id(case.id)
        compared = answer.comparison
        record = CaseRecord(
            case=case.id,
            operation=name,
            category=GRAPHS,
            purpose=GRAPHS,
            inputs=parts.inputs,
            parameters=parts.parameters,
            device=self._run.device,
            profile=self._run.profile,
            outcome=answer.outcome,
            facts=answer.facts,
            detail=answer.detail,
            seconds=0.0,
            kernel="",
            precision="",
            gate=Gate.NEW,
            wrong=compared.wrong if compared else None,
            elements=compared.of if compared else None,
            graph=answer.graph.graph.text,
        )
        found = self._causes.name(record, self._run)
        return found.id if found else ""

    def title(self, name: str) -> str:
        """The title of a cause."""
        found = self._causes.get(name)
        return found.title if found else name
