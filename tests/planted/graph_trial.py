"""Plants faults of rewritings of graphs, and counts what finds them and what shrinking makes of them.

    python -m tests.planted.graph_trial --count 200 --seed 22

A generator draws the faults (``tests.planted.graph_drawing``). The cases of patterns are asked, those with few factors
first, then what a search draws: pairs, chains and crossings, and for what nothing else finds random graphs, and the
packs in which a rewriting is switched on. A graph that the fault does not concern gets the reference's answer, and is
not judged. What is found is attributed and shrunk as a search does.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Protocol

import numpy as np

from devices.engine.graphs import PreparedGraph
from devices.engine.questions import question_for
from devices.engine.session import Session
from devices.engine.verdicts.judging import judge_reply
from devices.engine.verdicts.verdict import Evidence, Verdict
from devices.process.protocol import Reply, TensorData
from devices.search.attribution import attribute
from devices.search.batches import drawn, drawn_names
from devices.search.graph_runner import GraphRunner, case_of
from devices.search.shrinking import shrink
from devices.search.together import fewest, joined
from devices.targets.profiles import parse
from ir_models import patterns
from ir_models.drawing import chains, conversions, pairs
from ir_models.drawing.crossings import CROSSINGS, crossings
from ir_models.drawing.lines import LINES, DrawnLine, lines
from ir_models.graphs import AskedGraph, Evaluated, GraphCase, GraphError, Step, evaluate
from ir_models.graphs.evaluation import arguments
from reference import outputs_of
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Outcome
from tests.kill.table import table_text
from tests.planted.graph_drawing import Drawing
from tests.planted.graph_faults import KINDS, DiedError, Fault, RefusedError, View, infer

# Batches that a search of the CPU drew and asked in ten minutes on two cores: 1,019, and 297 of variations.
BATCHES = 1000
REQUIRED = 0.95
# Seconds for shrinking one graph.
_SECONDS = 900.0
# Graphs of a search that a fault may concern and that are asked before it counts as not found; of patterns all are.
_MOST = 400


def view_of(graph: Evaluated, before: Evaluated | None = None) -> View:
    """A graph as an optimizer sees it; ``before`` is the inference before."""
    layers = graph.layers
    types = {
        step.name: [graph.tensors[name].element_type.dtype for name in graph.outputs(step)]
        for step in graph.graph.steps
    }
    steps = [replace(step, attributes=arguments(layers[step.name])) for step in graph.graph.steps]

    def exact(step: Step, inputs: Sequence[np.ndarray | None]) -> list[np.ndarray]:
        return list(outputs_of(step.operation, inputs, step.attributes))

    def compute(step: Step, inputs: Sequence[np.ndarray | None]) -> list[np.ndarray]:
        found = exact(step, inputs)
        return [
            np.asarray(array).astype(kind)
            for array, kind in zip(found, types[step.name], strict=True)
        ]

    fed = graph.graph.fed
    return View(
        steps,
        dict(graph.arrays),
        {name for name, each in fed.items() if each.is_constant},
        graph.graph.results,
        any(each.unknown for each in fed.values()),
        compute,
        exact,
        dict(before.arrays) if before is not None else {},
    )


class PlantedAsking(GraphRunner):
    """A device in this process that has a fault, and else answers with the reference.

    ``shares``: graphs that are asked together are in packs, and what one switches on is on for all of its pack.
    """

    def __init__(self, fault: Fault, *, shares: bool = False) -> None:
        super().__init__(Session("PYTHON:tests.planted.fusing_device", parse("accuracy"), 60.0))
        self.fault, self.shares = fault, shares

    def ask(self, graphs: Sequence[Evaluated]) -> list[Verdict]:
        """The verdicts on graphs, in their order."""
        self.asked += len(graphs)
        with np.errstate(all="ignore"):
            verdicts = [self._verdict(GraphCase.as_text(graph)) for graph in graphs]
            if self.shares and len(graphs) > 1:
                right = [case_of(v) for v in verdicts if not v.departs]
                for pack in self.places([case.id for case in right]):
                    self._share([right[place].graph for place in pack])
        return verdicts

    def _share(self, pack: Sequence[AskedGraph]) -> None:
        """Note which graphs of a pack depart with the others alone."""
        switch = self.fault.condition.removeprefix("with ")
        if not any(switch in each.operations for each in pack):
            return
        for own in pack:
            if not {*pairwise(self.fault.chain)} <= _pairs(own):
                continue
            all_ = [own, *(each for each in pack if each is not own)]
            if self._verdict(GraphCase.as_text(evaluate(joined(all_)))).departs:
                self.in_packs.append(all_)

    def _verdict(self, case: GraphCase) -> Verdict:
        if not {*self.fault.chain} <= {*case.graph.operations}:
            return Verdict(case, Outcome.PASS)
        prepared = PreparedGraph(case, 0)
        reply = Reply()
        is_right = True
        before: Evaluated | None = None
        try:
            for each in prepared.evaluated:
                view = view_of(each, before)
                before = each
                found = infer(view, self.fault)
                own = [each.arrays[name] for name in each.graph.results]
                is_right &= all(one is other for one, other in zip(found, own, strict=True))
                kinds = [each.tensors[name].element_type for name in each.graph.results]
                reply.outputs.append(
                    [
                        TensorData.of(array.astype(kind.dtype), kind.name)
                        for array, kind in zip(found, kinds, strict=True)
                    ]
                )
        except RefusedError as error:
            facts = Facts(stage="infer", kind="message", message=str(error))
            return Verdict(case, Outcome.REFUSED, str(error), facts)
        except DiedError:
            facts = Facts(stage="infer", kind="signal", signal="SIGABRT")
            return Verdict(case, Outcome.CRASH, "SIGABRT", facts)
        if is_right:
            return Verdict(case, Outcome.PASS)
        reply.inferred = [
            (tensor.element_type, f"[{','.join('?' * len(tensor.shape))}]")
            for tensor in reply.outputs[0]
        ]
        verdict = judge_reply(prepared, reply, self.session.device, "")
        if verdict.departs:
            question = question_for([prepared])
            verdict.evidence = Evidence(question, lambda: prepared.expected, reply)
        return verdict


# --- what is asked ------------------------------------------------------------------------------------------------


class Pool:
    """Graphs by the pairs of operations that follow each other in them, in the order in which they are asked.

    ``is_asked`` tells of an id whether its graph is asked if it is valid.
    """

    def __init__(
        self,
        graphs: Iterator[tuple[str, AskedGraph]],
        is_asked: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.is_asked = is_asked
        self.graphs: list[tuple[str, AskedGraph]] = []
        self._pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, (name, graph) in enumerate(graphs):
            self.graphs.append((name, graph))
            for pair in _pairs(graph):
                self._pairs[pair].append(place)

    def having(self, fault: Fault) -> Iterator[tuple[str, Evaluated]]:
        """The valid graphs that have the chain of a fault."""
        places = [{*self._pairs.get(pair, ())} for pair in pairwise(fault.chain)]
        for place in sorted(set.intersection(*places)):
            name, graph = self.graphs[place]
            found = _evaluated(graph)
            if found is not None and self.is_asked(name):
                yield name, found


def _pairs(graph: AskedGraph) -> set[tuple[str, str]]:
    kinds = {step.name: step.operation for step in graph.steps}
    return {
        (kinds[value.partition(":")[0]], step.operation)
        for step in graph.steps
        for value in step.inputs
        if value.partition(":")[0] in kinds
    }


@lru_cache(maxsize=4000)
def _evaluated(graph: AskedGraph) -> Evaluated | None:
    try:
        return evaluate(graph)
    except GraphError:
        return None


def of_patterns(names: Sequence[str] = ()) -> Iterator[tuple[str, AskedGraph]]:
    """The cases of patterns, those with few factors first; some are not valid."""
    found = []
    for pattern in patterns.select(names):
        for name in pattern.candidates():
            factors = name.partition("/")[2]
            levels = dict(part.split("=") for part in factors.split(",")) if factors else {}
            try:
                found.append((len(levels), name, pattern.with_levels(levels)))
            except GraphError:
                continue
    for _, name, graph in sorted(found, key=lambda each: each[0]):
        yield name, graph


def is_case(name: str) -> bool:
    """Whether a valid candidate is a case of the suite: of patterns with many layers not all crossings are."""
    pattern = next(each for each in patterns.PATTERNS if each.name == name.partition("/")[0])
    return pattern.crossings == math.inf or name.count("=") < 2 or name in _cases(pattern)


@cache
def _cases(pattern: patterns.Pattern) -> frozenset[str]:
    return frozenset(pattern.ids())


class SearchPool:
    """What a search asks behind the cases of patterns: pairs, chains and crossings, in so many batches.

    They are drawn when a fault asks for them.
    """

    def __init__(self, seed: int, batches: int) -> None:
        self.seed = seed
        self._numbers = Counter(kind for kind, _ in islice(drawn_names(), batches))
        self._fused: dict[tuple[str, ...], list[tuple[int, pairs.Chain]]] = defaultdict(list)
        for place, each in enumerate(pairs.chains(seed)[: self._numbers["pairs"] * pairs.CHAINS]):
            for pair in pairwise(each.names):
                self._fused[pair].append((place, each))
        self._lines: dict[tuple[str, str], list[tuple[int, DrawnLine]]] = defaultdict(list)
        for place, line in enumerate(lines(seed)[: self._numbers["lines"] * LINES]):
            for pair in _pairs(line.graph.graph):
                self._lines[pair].append((place, line))
        self._chains: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number in range(self._numbers["chains"] * chains.CHAINS):
            names = [each.name for each in chains.chain(seed, number)]
            for pair in pairwise(names):
                self._chains[pair].append(number)
        self._crossings: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for place, name in enumerate(crossings()[: self._numbers["crossings"] * CROSSINGS]):
            self._crossings[name.partition("/")[0]].append((place, name))

    def having(self, fault: Fault) -> Iterator[tuple[str, Evaluated]]:
        """The valid graphs that have the chain of a fault."""
        seen: set[str] = set()
        for _, name, graph in self._graphs(fault):
            found = _evaluated(graph) if graph.text not in seen else None
            seen.add(graph.text)
            if found is not None:
                yield name, found

    def batches(self, fault: Fault) -> Iterator[list[Evaluated]]:
        """The valid graphs of each batch that has a graph with the chain of a fault."""
        seen: set[tuple[str, int]] = set()
        for batch, _, _ in self._graphs(fault):
            if batch not in seen:
                seen.add(batch)
                kind, number = batch
                found = [_evaluated(graph) for _, graph in drawn(kind, self.seed, number)]
                yield [each for each in found if each is not None]

    def _graphs(self, fault: Fault) -> Iterator[tuple[tuple[str, int], str, AskedGraph]]:
        """Batches, ids and graphs that have the chain of a fault."""
        wanted = {*pairwise(fault.chain)}
        for place, line in self._lines[next(pairwise(fault.chain))]:
            for graph in line.graphs() if wanted <= _pairs(line.graph.graph) else ():
                yield ("lines", place // LINES), graph.text, graph
        for pair in pairwise(fault.chain):
            for place, each in self._fused[pair]:
                for graph in each.graphs(self.seed):
                    if wanted <= _pairs(graph):
                        yield ("pairs", place // pairs.CHAINS), graph.text, graph
            for number in self._chains[pair]:
                for graph in chains.graphs_of(self.seed, number):
                    if wanted <= _pairs(graph):
                        yield ("chains", number // chains.CHAINS), graph.text, graph
        if "Convert-1" in fault.chain:
            for number in range(self._numbers["conversions"]):
                for graph in conversions.conversion_batch(self.seed, number, ()):
                    if wanted <= _pairs(graph):
                        yield ("conversions", number), graph.text, graph
        for pattern in patterns.PATTERNS:
            if wanted <= _pairs(pattern.graph):
                for place, name in self._crossings[pattern.name]:
                    with suppress(GraphError):
                        graph = patterns.graph_of(name)
                        yield ("crossings", place // CROSSINGS), name, graph

    def random(self) -> Iterator[tuple[str, AskedGraph]]:
        """The random graphs."""
        for number in range(self._numbers["random"]):
            yield from drawn("random", self.seed, number)


# --- the trial ----------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """What became of a fault. ``struck`` counts the graphs that it concerned until one showed it."""

    fault: Fault
    by_patterns: str = ""
    by_search: str = ""
    struck: int = 0
    is_of_graph: bool = False
    smallest: AskedGraph | None = None
    operations: tuple[str, ...] = field(default=())

    @property
    def is_found(self) -> bool:
        """Whether patterns or the search show it."""
        return bool(self.by_patterns or self.by_search)

    @property
    def is_named(self) -> bool:
        """Whether the graph is blamed, and what is left of it has the layers of the match."""
        left = list(self.operations)
        return self.is_of_graph and all(each in left for each in self.fault.chain)

    @property
    def is_small(self) -> bool:
        """Whether at most one layer more is left than the fault needs."""
        return bool(self.operations) and len(self.operations) <= self.fault.layers + 1


class Asked(Protocol):
    """Graphs that are asked, in their order."""

    def having(self, fault: Fault) -> Iterator[tuple[str, Evaluated]]:
        """The valid graphs that have the chain of a fault."""


def result(fault: Fault, of_patterns: Asked, of_search: Asked) -> Result:
    """What the cases of patterns and the graphs of a search find of a fault; the first one found is shrunk."""
    found = Result(fault)
    found.by_patterns, first = _first(found, of_patterns, None)
    found.by_search, second = _first(found, of_search)
    _shrink(found, first or second)
    return found


def ask_random(found: Result, graphs: Asked) -> None:
    """What random graphs find of a fault that nothing else has found."""
    found.by_search, answer = _first(found, graphs)
    _shrink(found, answer)


def ask_together(found: Result, pool: SearchPool) -> None:
    """What packs show of a fault that no graph alone shows: those that depart together, as few as possible."""
    device = PlantedAsking(found.fault, shares=True)
    for batch in pool.batches(found.fault):
        device.ask(batch)
        if device.in_packs:
            device.shares = False
            answer = fewest(device, device.in_packs[0])
            if answer is not None:
                found.by_search = case_of(answer).graph.text
                _shrink(found, answer)
                return
            device.shares = True
            device.in_packs.clear()


def _first(found: Result, graphs: Asked, most: int | None = _MOST) -> tuple[str, Verdict | None]:
    """The first graph that shows a fault, of ``most`` that it may concern; None for all."""
    device = PlantedAsking(found.fault)
    for name, graph in islice(graphs.having(found.fault), most):
        found.struck += 1
        (answer,) = device.ask([graph])
        if answer.departs:
            return name, answer
    return "", None


def _shrink(found: Result, answer: Verdict | None) -> None:
    if answer is None:
        return
    device = PlantedAsking(found.fault)
    with np.errstate(all="ignore"):
        found.is_of_graph = attribute(device, answer).is_graph
        shrunk = shrink(device, answer, found.is_of_graph, _SECONDS)
    found.smallest = case_of(shrunk.answer).graph
    found.operations = found.smallest.operations


def departs(fault: Fault, graph: AskedGraph) -> bool:
    """Whether a graph shows a fault."""
    found = _evaluated(graph)
    return found is not None and PlantedAsking(fault).ask([found])[0].departs


# --- the table ----------------------------------------------------------------------------------------------------

_COLUMNS = ("faults", "by patterns", "by search", "by either", "named", "small enough")


def shares(results: Sequence[Result]) -> tuple[float, float]:
    """The share that is found, and of what is found the share that is named and small enough."""
    found = [each for each in results if each.is_found]
    return _share(len(found), len(results)), _share(
        sum(each.is_named and each.is_small for each in found), len(found)
    )


def _share(count: int, of: int) -> float:
    return count / of if of else 1.0


def _row(title: str, results: Sequence[Result]) -> list[str]:
    counts = (
        len(results),
        sum(bool(each.by_patterns) for each in results),
        sum(bool(each.by_search) for each in results),
        sum(each.is_found for each in results),
        sum(each.is_named for each in results),
        sum(each.is_small for each in results),
    )
    return [title, *map(str, counts)]


def render(results: Sequence[Result], rejected: int, markdown: bool = False) -> str:
    """The counts of each kind and origin, then what is not found, not named, or not small."""
    cells = [["kind", *_COLUMNS]]
    for kind in KINDS:
        chosen = [each for each in results if each.fault.kind == kind]
        if chosen:
            cells.append(_row(kind, chosen))
    formula = [each for each in results if each.fault.is_of_formula]
    cells.append(_row("of documented chains", formula))
    cells.append(_row("of random chains", [each for each in results if each not in formula]))
    cells.append(_row("all", results))
    lists = {
        "Not found": [f"{e.fault} ({e.struck} asked)" for e in results if not e.is_found],
        "Not named": [_left(each) for each in results if each.is_found and not each.is_named],
        "Not small": [_left(each) for each in results if each.is_found and not each.is_small],
    }
    remarks = ["", f"{rejected} draws that no graph showed were drawn again."]
    return table_text(cells, lists, markdown, remarks)


def _left(each: Result) -> str:
    return f"{each.fault}: {each.smallest.text if each.smallest else ''}"


def ask_variations(faults: Sequence[Fault], pool: Pool) -> int:
    """Print which faults the cases of patterns find: conditions alone, with variations, with attributes too."""
    ways = ("without", "with variations", "with attributes")
    found: Counter[str] = Counter(dict.fromkeys(ways, 0))
    for fault in faults:
        device, first = PlantedAsking(fault), ""
        for name, graph in sorted(pool.having(fault), key=lambda each: _part(each[0])):
            try:
                answer = device.ask([graph])[0]
            except GraphError:
                continue  # another inference is not valid
            if answer.departs:
                first = name
                # What is found with less is found with more.
                found.update(ways[_part(name) :])
                break
        print(f"{fault}: {first or 'not found'}", flush=True)
    print(", ".join(f"{way}: {count} of {len(faults)}" for way, count in found.items()))
    return 0 if found[ways[-1]] >= REQUIRED * len(faults) else 1


def _part(name: str) -> int:
    """0 for a case of conditions alone, 1 for one with a variation, 2 for one of attributes."""
    return next((part for part, names in _parts(name.partition("/")[0]) if name in names), 0)


@cache
def _parts(pattern: str) -> Sequence[tuple[int, frozenset[str]]]:
    (found,) = patterns.select([pattern])
    names, own = found.candidates(), {*found.of_attributes}
    last = max(place for place, name in enumerate(names) if name not in own)
    return (1, frozenset(found.of_variations)), (2, frozenset(names[last + 1 :]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 0 where enough is found, named and small."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted.graph_trial", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", metavar="N", type=int, default=200, help="faults (default 200)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the draws")
    parser.add_argument(
        "--batches",
        metavar="N",
        type=int,
        default=BATCHES,
        help=f"batches that a search draws (default {BATCHES}, what ten minutes of a search ask)",
    )
    parser.add_argument("--fault", metavar="TEXT", nargs="+", default=[], help="these faults alone")
    parser.add_argument(
        "--variations",
        action="store_true",
        help="faults that variations of patterns show, of which cases of patterns alone are asked",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    args = parser.parse_args(arguments)
    if args.count < 1 or args.batches < 0:
        parser.error("arguments --count and --batches: must be at least 1 and 0")
    try:
        chosen = [Fault.read(text) for text in args.fault]
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    started = time.process_time()
    drawing = Drawing(args.seed, departs)
    if args.variations:
        return ask_variations(
            chosen or drawing.of_variations(args.count), Pool(of_patterns(), is_case)
        )
    faults = chosen or drawing.draw(args.count)
    print(f"drawn: {time.process_time() - started:.0f} s", file=sys.stderr, flush=True)
    pools = Pool(of_patterns(), is_case), SearchPool(args.seed, args.batches)
    count = f"{len(pools[0].graphs):,} candidates of patterns"
    print(f"{count}: {time.process_time() - started:.0f} s", file=sys.stderr, flush=True)
    results: list[Result] = []
    try:
        for fault in faults:
            results.append(result(fault, *pools))
            each = results[-1]
            way = each.by_patterns or each.by_search or "not found"
            print(f"{len(results)} {fault}: {way}", file=sys.stderr, flush=True)
        missed = [each for each in results if not each.is_found]
        if missed:
            random = Pool(pools[1].random())
            for each in missed:
                ask_random(each, random)
                if not each.is_found and each.fault.kind == "switched on":
                    ask_together(each, pools[1])
    except KeyboardInterrupt:
        print("interrupted: what was done until here", file=sys.stderr)
    print(render(results, drawing.rejected, args.markdown), flush=True)
    print(f"{time.process_time() - started:.0f} s of CPU time", file=sys.stderr)
    return 0 if min(shares(results)) >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
