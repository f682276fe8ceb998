"""Whose fault it is: a layer that departs alone, or the graph, whose layers conform alone.

``everywhere`` says what becomes of the departure when every tensor is a result and each layer is judged on the values
that the device itself fed to it: it names a layer, it stays as it is, or it vanishes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from devices.engine.verdicts.verdict import Verdict
from devices.search.graph_runner import GraphRunner, case_of, graph_of
from ir_models import catalog
from ir_models.graphs import Evaluated, GraphError, evaluate
from ir_models.graphs.notation import AskedGraph, Fed
from ir_models.vocabulary.graph import Step
from reference import compare
from reports.results.outcomes import Outcome


@dataclass(frozen=True)
class Attribution:
    """``layer`` is the operation that departs alone, "" where it is the graph; ``alone`` is its graph as text.

    ``unasked`` are the operations whose layers cannot be asked alone, as those that read strings, so that nothing is
    known of them.
    """

    layer: str = ""
    alone: str = ""
    everywhere: str = ""
    unasked: tuple[str, ...] = ()

    @property
    def is_graph(self) -> bool:
        """Whether the layers conform alone, as far as they can be asked so."""
        return not self.layer


def layers_of(verdict: Verdict) -> list[tuple[Step, Evaluated]]:
    """Each layer of a graph that departs as a graph of its own, with the data of the inference that does."""
    return layers_alone(case_of(verdict).evaluated(0, _inference(verdict)))


def _inference(verdict: Verdict) -> int:
    """The inference that departs, from 0; the first one where no inference was reached."""
    return max(verdict.facts.inference, 1) - 1


def layers_alone(graph: Evaluated) -> list[tuple[Step, Evaluated]]:
    """Each layer of a graph as a graph of its own, as far as it can be asked so."""
    found = []
    for step in graph.graph.steps:
        try:
            found.append((step, evaluate(_with_unknown(graph, step))))
        except (
            GraphError
        ):  # a value that no text holds, such as a string or an empty list of a packed type
            continue
    return found


def _with_unknown(graph: Evaluated, step: Step) -> AskedGraph:
    """A layer alone; where the model does not know dimensions, what other layers feed it has none that are known.

    What follows from constants alone keeps its shape, as in the graph.
    """
    alone = graph.alone(step)
    if not any(fed.unknown for fed in graph.graph.fed.values()):
        return alone
    known = {*graph.graph.fed, *graph.constants}

    def unknown(name: str, fed: Fed) -> Fed:
        return fed if name in known else replace(fed, unknown=frozenset(range(len(fed.shape))))

    return replace(alone, fed={name: unknown(name, fed) for name, fed in alone.fed.items()})


def departing_layer(asking: GraphRunner, verdict: Verdict) -> Verdict | None:
    """The verdict on a layer that departs alone, the first one as a rule; None where all conform.

    A layer that the words of a refusal name is asked before the others.
    """
    if len(case_of(verdict).graph.steps) < 2:
        return None
    layers = layers_of(verdict)
    named = [each for step, each in layers if _is_named(step, verdict)]
    others = [each for _, each in layers if each not in named]
    for group in (named, others):
        found = next((each for each in asking.ask(group) if each.departs), None)
        if found is not None:
            return found
    return None


def _is_named(step: Step, verdict: Verdict) -> bool:
    """Whether a refusal names a layer, or its type."""
    if verdict.outcome is not Outcome.REFUSED:
        return False
    kind = catalog.operation(step.operation).type
    return bool(re.search(rf"\b({re.escape(step.name)}|{re.escape(kind)})\b", verdict.detail))


def attribute(asking: GraphRunner, verdict: Verdict) -> Attribution:
    """Whose fault a departure is."""
    graph = graph_of(verdict)
    if len(graph.graph.steps) == 1:
        return Attribution(graph.graph.operations[0], graph.graph.text)
    alone = departing_layer(asking, verdict)
    if alone is not None:
        layer = case_of(alone).graph
        return Attribution(layer.operations[0], layer.text)
    asked = {step.name for step, _ in layers_alone(graph)}
    unasked = tuple(step.operation for step in graph.graph.steps if step.name not in asked)
    return Attribution(everywhere=_everywhere(asking, graph), unasked=unasked)


def _everywhere(asking: GraphRunner, graph: Evaluated) -> str:
    inner = [name for step in graph.graph.steps for name in graph.outputs(step)]
    results = tuple(dict.fromkeys([*graph.graph.results, *inner]))
    if results == graph.graph.results:
        return "every tensor is a result already"
    (all_read,) = asking.ask([evaluate(replace(graph.graph, results=results))])
    if not all_read.departs:
        return "with every tensor as a result the departure vanishes"
    if all_read.outcome is not Outcome.FAIL:
        return f"with every tensor as a result it is {all_read.outcome} as well"
    wrong = _first_wrong(all_read, results)
    return f"with every tensor as a result, {wrong} is the first wrong one" if wrong else "no layer"


def _first_wrong(verdict: Verdict, results: Sequence[str]) -> str:
    """The first tensor, in the order of the layers, whose values are wrong by the bounds of the graph."""
    places = {name: place for place, name in enumerate(results)}
    graph, inference, evidence = graph_of(verdict), _inference(verdict), verdict.evidence
    assert evidence is not None
    assert evidence.reply is not None
    for step in graph.graph.steps:
        for name in graph.outputs(step):
            place = places[name]
            expected = evidence.expected[inference][place]
            actual = evidence.reply.outputs[inference][place]
            if compare(expected, actual.values()).wrong:
                return f"{name} of {step.operation}"
    return ""
