"""Batches of graphs: what is in one, and what a device makes of it. A seed fixes them."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle

from devices.engine.session import Session
from devices.engine.verdicts.verdict import Verdict
from devices.process.forking import fork_client
from devices.search.attribution import layers_alone, layers_of
from devices.search.graph_runner import GraphRunner, case_of, graph_of
from devices.targets.profiles import Profile
from ir_models import patterns
from ir_models.drawing.chains import chain_batch
from ir_models.drawing.conversions import conversion_batch
from ir_models.drawing.crossings import crossing_batch
from ir_models.drawing.grown import grown_operations
from ir_models.drawing.lines import line_batch
from ir_models.drawing.pairs import pair_batch
from ir_models.drawing.rows import rows, varied
from ir_models.drawing.suspects import Suspects, Trait, has_one, traits_of
from ir_models.graphs import AskedGraph, Evaluated, GraphError, evaluate, random_graph, read
from ir_models.patterns.factors import without_second_readers
from ir_models.vocabulary.draw import Draw
from reports.results.outcomes import Outcome

# Graphs of a batch of patterns, and draws of a batch of random graphs.
_BATCH, _DRAWS = 200, 60
# Kinds of batches, in turn, behind those of patterns. Of the layers of random graphs each is asked alone before.
_MOST_OFTEN = ("lines", "pairs", "chains", "pairs", "chains", "pairs")
_NOW_AND_THEN = ("conversions", "crossings", "random", "conversions", "crossings", "lines")
_TURN = tuple(each for last in _NOW_AND_THEN for each in (*_MOST_OFTEN, last))
# Kinds that a seed fixes, and of which those are left out whose layers depart alone as others have.
_DRAWN = {
    "lines": line_batch,
    "pairs": pair_batch,
    "conversions": conversion_batch,
    "chains": chain_batch,
}
VARIED = "varied"
"""The kind of the batches of graphs that reached something new of the device."""
NOT_ASKED, IN_A_PACK = "a layer departs alone", "depart in a pack alone"
"""Counted beside the outcomes: graphs that are not asked, and packs."""
# Packs of a batch of which those that depart together are looked for.
_PACKS = 2


@dataclass(frozen=True)
class Batch:
    """A batch: the ``ids`` of patterns, or what is drawn for a kind, a seed and a number.

    Of ``VARIED`` the id is the text of the graph. ``suspects``: traits of layers that depart alone, which drawn graphs
    are not to have.
    """

    name: str
    kind: str = ""
    seed: int = 0
    number: int = 0
    operations: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    suspects: frozenset[Trait] = frozenset()

    def knowing(self, suspects: frozenset[Trait]) -> Batch:
        """The batch without graphs that have such layers."""
        return replace(self, suspects=suspects)

    def graphs(self) -> list[tuple[str, AskedGraph]]:
        """The graphs with their ids; some are not valid."""
        if self.kind == VARIED:
            return _variations(*self.ids)
        if self.ids:
            return list(graphs_of(self.ids))
        return drawn(self.kind, self.seed, self.number, self.operations)


@dataclass
class BatchResult:
    """What a device makes of a batch.

    ``departing``: ids with the way in which each departs. ``of_layers``: the same where a layer departs alone, with the
    layer's operation and its graph. ``together``: texts of graphs that depart in one model, and conform alone.
    ``errors``: ids of graphs without a verdict of the suite, with why. ``conforming``: how many graphs that conform
    have layers with a trait. ``reached``: what ran for the first time in this process (see ``devices.search.reached``),
    with the text of the graph that showed it.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    departing: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    of_layers: list[tuple[str, tuple[str, ...], str, str]] = field(default_factory=list)
    together: list[list[str]] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    conforming: Counter[Trait] = field(default_factory=Counter)
    reached: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def pattern_batches(
    names: Sequence[str], operations: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Ids of patterns in batches by name: those with few factors first, otherwise in the order of a hash.

    Some are not valid. ``operations``: of patterns with one of these.
    """

    def place(text: str) -> tuple[int, bytes]:
        factors = text.partition("/")[2]
        return factors.count("=") if factors.count("=") < 3 else 3, hashlib.sha256(
            text.encode()
        ).digest()

    known = [each for each in patterns.select(names) if not each.graph.of_variables]
    if operations:
        known = [each for each in known if set(operations) & set(each.graph.operations)]
    chosen = sorted((name for each in known for name in each.candidates()), key=place)
    for start in range(0, len(chosen), _BATCH):
        yield f"patterns {start // _BATCH}", chosen[start : start + _BATCH]


def random_batch(seed: int, number: int, operations: Sequence[str]) -> list[AskedGraph]:
    """The random graphs of a batch: the same on every machine."""
    grown = grown_operations()
    wanted = [each for each in grown if each.name in operations]
    found = []
    for draw in range(_DRAWS):
        source = Draw(random.Random(f"{seed}/{number}/{draw}"))
        graph = random_graph(source, grown, wanted)
        if graph is not None:
            found.append(graph)
    return found


def drawn(
    kind: str, seed: int, number: int, operations: Sequence[str] = ()
) -> list[tuple[str, AskedGraph]]:
    """The graphs of a batch of a kind with their ids: the same on every machine."""
    if kind == "crossings":
        return list(graphs_of(crossing_batch(number, operations)))
    draw = _DRAWN.get(kind, random_batch)
    return [(graph.text, graph) for graph in draw(seed, number, operations)]


def drawn_names() -> Iterator[tuple[str, int]]:
    """Kinds and numbers of batches without end, in turn."""
    numbers: Counter[str] = Counter()
    for kind in cycle(_TURN):
        yield kind, numbers[kind]
        numbers[kind] += 1


def drawn_batches(seed: int, operations: Sequence[str], done: Collection[str]) -> Iterator[Batch]:
    """Batches without end, those left out that have been ``done``."""
    for kind, number in drawn_names():
        if f"{kind} {number}" not in done:
            yield Batch(f"{kind} {number}", kind, seed, number, tuple(operations))


def varied_batch(text: str) -> Batch:
    """The batch of a graph's variations."""
    return Batch(f"{VARIED} {hashlib.sha256(text.encode()).hexdigest()[:12]}", VARIED, ids=(text,))


def _variations(text: str) -> list[tuple[str, AskedGraph]]:
    """A graph with the levels of each row of factors that it takes, of shapes that the model knows as well."""
    asked = read(text)
    known = {name: replace(fed, unknown=frozenset()) for name, fed in asked.fed.items()}
    graph = evaluate(without_second_readers(replace(asked, fed=known)))
    made = {each.text: each for row in rows() for each in [varied(graph, row)]}
    return [*made.items()]


def graphs_of(ids: Sequence[str]) -> Iterator[tuple[str, AskedGraph]]:
    """The graphs of ids and of texts; those whose factors exclude each other are left out."""
    for each in ids:
        try:
            yield each, read(each) if "return " in each else patterns.graph_of(each)
        except GraphError:
            continue


# --- asking -------------------------------------------------------------------------------------------------------


def ask(asking: GraphRunner, batch: Batch) -> BatchResult:
    """What the device makes of a batch. Raises NotOpenedError."""
    return ask_graphs(asking, batch.graphs(), batch.kind, batch.suspects)


def ask_graphs(
    asking: GraphRunner,
    graphs: Sequence[tuple[str, AskedGraph]],
    kind: str = "",
    suspects: Collection[Trait] = (),
) -> BatchResult:
    """What the device makes of some graphs, which are of a batch of a kind. Raises NotOpenedError."""
    started, found = time.monotonic(), BatchResult()
    evaluated: list[tuple[str, Evaluated]] = []
    for text, graph in graphs:
        try:
            evaluated.append((text, evaluate(graph)))
        except GraphError:
            continue
    asked, is_drawn = evaluated, kind in _DRAWN or kind == VARIED
    if is_drawn:
        asked = [each for each in evaluated if not has_one(each[1], suspects)]
    if kind == "random":
        asked = _with_conforming_layers(asking, evaluated)
    found.outcomes[NOT_ASKED] = len(evaluated) - len(asked)
    before = len(asking.in_packs)
    answers = asking.ask([graph for _, graph in asked])
    together = asking.in_packs[before:]
    found.outcomes[IN_A_PACK] = len(together)
    found.outcomes.update(str(answer.outcome) for answer in answers)
    found.together = [[graph.text for graph in pack] for pack in together[:_PACKS]]
    departing: list[tuple[str, Verdict]] = []
    for (text, _), answer in zip(asked, answers, strict=True):
        if answer.departs:
            departing.append((text, answer))
        elif answer.outcome is Outcome.ERROR:
            found.errors.append((text, answer.detail))
        else:
            found.conforming.update(traits_of(graph_of(answer)))
    # The graphs of formulas have few layers that depart alone, and causes name most of what departs.
    alone = _departing_layers(asking, departing) if is_drawn else {}
    for text, answer in departing:
        if text in alone:
            graph = case_of(alone[text]).graph
            found.of_layers.append((text, answer.way, graph.operations[0], graph.text))
        else:
            found.departing.append((text, answer.way))
    found.reached = asking.newly_reached()
    # What is zero is not told.
    found.outcomes = +found.outcomes
    found.seconds = time.monotonic() - started
    return found


def _departing_layers(
    asking: GraphRunner, departing: Sequence[tuple[str, Verdict]]
) -> dict[str, Verdict]:
    """The first layer of each graph that departs alone, where one does; all layers are asked together."""
    alone = [
        (text, each)
        for text, answer in departing
        if len(case_of(answer).graph.steps) > 1
        for _, each in layers_of(answer)
    ]
    answers = asking.ask([each for _, each in alone])
    found: dict[str, Verdict] = {}
    for (text, _), answer in zip(alone, answers, strict=True):
        if answer.departs:
            found.setdefault(text, answer)
    return found


def _with_conforming_layers(
    asking: GraphRunner, graphs: Sequence[tuple[str, Evaluated]]
) -> list[tuple[str, Evaluated]]:
    """The graphs all of whose layers conform alone: others would find what the corpus has found already."""
    asked: list[Evaluated] = []
    places: list[int] = []
    for place, (_, graph) in enumerate(graphs):
        for _, alone in layers_alone(graph):
            asked.append(alone)
            places.append(place)
    answers = asking.ask(asked)
    wrong = {p for p, answer in zip(places, answers, strict=True) if answer.departs}
    return [each for place, each in enumerate(graphs) if place not in wrong]


# --- in a process of its own --------------------------------------------------------------------------------------

_asking: GraphRunner | None = None
# What this process has learned, which the search tells it only with a later batch.
_suspects = Suspects()


def begin(
    device: str, profile: Profile, timeout: float, pack: int, servers: Mapping[str, str]
) -> None:
    """Prepare this process for ``ask_here``; ``servers`` are fork servers of the one that has started it."""
    global _asking
    fork_client.adopt(servers)
    _asking = GraphRunner(Session(device, profile, timeout), pack, watches=True)


def ask_here(batch: Batch) -> BatchResult:
    """What the device of this process makes of a batch. Raises NotOpenedError."""
    assert _asking is not None
    found = ask(_asking, batch.knowing(batch.suspects | _suspects.known))
    _suspects.learn(found.conforming, [text for *_, text in found.of_layers])
    return found
