"""The search: patterns, then random graphs, in batches that a seed fixes; what departs is attributed and shrunk."""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from devices.search import folders
from devices.search.ahead import ahead
from devices.search.asking import Answer, Asking
from devices.search.attribution import Attribution, attribute, layers_alone
from devices.search.chains import chain_batch
from devices.search.conversions import conversion_batch
from devices.search.crossings import crossing_batch
from devices.search.grown import grown_operations
from devices.search.journal import Find, Journal
from devices.search.lines import line_batch
from devices.search.naming import Naming
from devices.search.pairs import pair_batch
from devices.search.shrinking import Shrunk, shrink
from devices.search.suspects import Suspects
from devices.search.together import fewest
from ir_models import patterns
from ir_models.graphs import AskedGraph, Evaluated, GraphError, evaluate, random_graph, read
from ir_models.vocabulary.draw import Draw
from reports.results.outcomes import Outcome

# Graphs of a batch of patterns, and draws of a batch of random graphs.
_BATCH, _DRAWS = 200, 60
# Kinds of batches, in turn, behind those of patterns.
_TURN = (
    *("lines", "pairs", "pairs", "chains", "pairs", "pairs", "conversions"),
    *("lines", "pairs", "pairs", "chains", "pairs", "pairs", "crossings"),
    *("lines", "pairs", "pairs", "chains", "pairs", "pairs", "random"),
)
# Kinds that a seed fixes, and of which those are left out whose layers depart alone as others have.
_DRAWN = {
    "lines": line_batch,
    "pairs": pair_batch,
    "conversions": conversion_batch,
    "chains": chain_batch,
}
# Finds of one pattern that depart in the same way, beyond which it is not shrunk again.
_ALIKE = 3
# Packs of a batch of which those that depart together are looked for.
_PACKS = 2
# Seconds for shrinking one find.
SHRINK_SECONDS = 90.0
# Of a search that has an end: the share of the time so far in which departures are followed, and the share of all the
# time until which graphs are asked. What departs and has not been followed then, goes on with the next search.
_FOLLOWING, _ASKING = 0.2, 0.9

Report = Callable[[str], None]


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
        return list(_graphs(crossing_batch(number, operations)))
    draw = _DRAWN.get(kind, random_batch)
    return [(graph.text, graph) for graph in draw(seed, number, operations)]


def drawn_names() -> Iterator[tuple[str, int]]:
    """Kinds and numbers of batches without end, in turn."""
    numbers: Counter[str] = Counter()
    for kind in cycle(_TURN):
        yield kind, numbers[kind]
        numbers[kind] += 1


@dataclass(frozen=True)
class _Batch:
    """A batch that is drawn for a seed."""

    kind: str
    seed: int
    number: int
    operations: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.kind} {self.number}"


def _drawn_ids(batch: _Batch) -> list[str]:
    graphs = drawn(batch.kind, batch.seed, batch.number, batch.operations)
    return [name for name, _ in graphs]


class Search:
    """One search on one device, noted in a journal. Without ``naming`` what is known is found again."""

    def __init__(
        self,
        asking: Asking,
        journal: Journal,
        seed: int,
        pattern_names: Sequence[str] = (),
        operations: Sequence[str] = (),
        report: Report = lambda _: None,
        naming: Naming | None = None,
    ) -> None:
        self.asking, self.journal, self.seed = asking, journal, seed
        self.pattern_names, self.operations = pattern_names, operations
        self.report, self.naming = report, naming
        self.suspects = Suspects()
        self.started = time.monotonic()
        self.end = float("inf")
        self._waiting: list[tuple[str, Answer]] = []
        # What has been followed, by the way in which it departs; the seconds that this took.
        self._followed: Counter[tuple[str, ...]] = Counter()
        self._following = 0.0

    def run(
        self, minutes: float | None, *, with_patterns: bool = True, with_random: bool = True
    ) -> None:
        """Search until ``minutes`` are over; None asks all patterns and no random graph.

        Raises NotOpenedError. Ctrl-C ends it, and the next search in the folder goes on from there.
        """
        self.started = time.monotonic()
        if minutes is not None:
            self.end = self.started + 60 * minutes
        self._wait_again()
        self._ask(minutes, with_patterns=with_patterns, with_random=with_random)
        while self._waiting and time.monotonic() < self.end:
            self._follow_next()

    def _ask(self, minutes: float | None, *, with_patterns: bool, with_random: bool) -> None:
        asking_ends = self.started + _ASKING * (self.end - self.started)
        if with_patterns:
            for name, ids in pattern_batches(self.pattern_names, self.operations):
                if time.monotonic() > asking_ends:
                    return
                if name not in self.journal.done:
                    self._batch(name, list(_graphs(ids)))
        if not with_random or (self.pattern_names and not self.operations) or minutes is None:
            return
        batches = (
            _Batch(kind, self.seed, number, tuple(self.operations))
            for kind, number in drawn_names()
            if f"{kind} {number}" not in self.journal.done
        )
        with closing(ahead(_drawn_ids, batches)) as drawn_ahead:
            for batch, ids in drawn_ahead:
                if time.monotonic() > asking_ends:
                    return
                if ids:
                    self._batch(batch.name, list(_graphs(ids)), batch.kind)

    def _wait_again(self) -> None:
        """Ask again what an earlier search in the folder has not followed."""
        graphs = [(text, evaluate(graph)) for text, graph in _graphs(self.journal.waiting)]
        answers = self.asking.ask([graph for _, graph in graphs])
        for (text, _), answer in zip(graphs, answers, strict=True):
            if answer.departs:
                self._waiting.append((text, answer))
            else:
                self.journal.departure(text, list(answer.way))

    def _batch(self, name: str, graphs: Sequence[tuple[str, AskedGraph]], kind: str = "") -> None:
        """Ask some graphs, and follow some of what departs."""
        started = time.monotonic()
        self.report(f"{name}: {len(graphs)} graphs, {len(self.journal.finds)} finds")
        evaluated: list[tuple[str, Evaluated]] = []
        for text, graph in graphs:
            try:
                evaluated.append((text, evaluate(graph)))
            except GraphError:
                continue
        outcomes: Counter[str] = Counter()
        if kind in _DRAWN:
            asked = [each for each in evaluated if not self.suspects.has_one(each[1])]
            outcomes["a layer departs alone"] = len(evaluated) - len(asked)
            evaluated = asked
        if kind == "random":
            kept = self._with_conforming_layers([graph for _, graph in evaluated])
            outcomes["a layer departs alone"] = len(evaluated) - len(kept)
            evaluated = [(graph.graph.text, graph) for graph in kept]
        before = len(self.asking.in_packs)
        answers = self.asking.ask([graph for _, graph in evaluated])
        together = self.asking.in_packs[before:]
        if together:
            outcomes["depart in a pack alone"] = len(together)
        outcomes.update(str(answer.outcome) for answer in answers)
        self.suspects.conform([answer.graph for answer in answers if not answer.departs])
        waiting = [
            (text, answer)
            for (text, _), answer in zip(evaluated, answers, strict=True)
            if answer.departs
        ]
        asked_at = time.monotonic()
        for pack in together[:_PACKS]:
            self.report(f"{name}: what departs together of {len(pack)} graphs")
            least = fewest(self.asking, pack)
            if least is not None:
                waiting.append((least.graph.graph.text, least))
        self._following += time.monotonic() - asked_at
        self.journal.batch(name, outcomes, asked_at - started, [text for text, _ in waiting])
        self._waiting += waiting
        while self._waiting and self._has_time_to_follow:
            self._follow_next()

    @property
    def _has_time_to_follow(self) -> bool:
        is_endless = self.end == float("inf")
        return is_endless or self._following < _FOLLOWING * (time.monotonic() - self.started)

    def _follow_next(self) -> None:
        """Follow one departure: the first of those that depart in a way of which the fewest have been followed."""
        started = time.monotonic()
        place = min(
            range(len(self._waiting)), key=lambda n: self._followed[self._waiting[n][1].way]
        )
        text, answer = self._waiting.pop(place)
        self._followed[answer.way] += 1
        self._follow(text, answer)
        self._following += time.monotonic() - started

    def _with_conforming_layers(self, graphs: Sequence[Evaluated]) -> list[Evaluated]:
        """The graphs all of whose layers conform alone: others would find what the corpus has found already."""
        asked: list[Evaluated] = []
        places: list[int] = []
        for place, graph in enumerate(graphs):
            for _, alone in layers_alone(graph):
                asked.append(alone)
                places.append(place)
        answers = self.asking.ask(asked)
        wrong = {
            place
            for place, answer in zip(places, answers, strict=True)
            if answer.outcome.badness > 2
        }
        return [graph for place, graph in enumerate(graphs) if place not in wrong]

    def _follow(self, text: str, answer: Answer) -> None:
        """Attribute a departure; shrink it where none of the finds explains it."""
        way = list(answer.way)
        # A search that was cut off in this batch has shrunk it already.
        same = next((e.name for e in self.journal.finds if e.asked == text), "")
        part = same or self._part_of(text, way)
        if part:
            known = next(e for e in self.journal.finds if e.name == part)
            self.journal.departure(text, way, find=known.name)
            return
        cause = self.naming.cause_of(text, answer) if self.naming else ""
        if cause:
            self.journal.departure(text, way, cause=cause)
            return
        by = attribute(self.asking, answer)
        if not by.is_graph:
            self.journal.departure(text, way, layer=by.layer)
            self.suspects.departs(by.alone)
            return
        alike = [
            each
            for each in self.journal.finds
            if each.way == way and _pattern(each.asked) and _pattern(each.asked) == _pattern(text)
        ]
        if len(alike) >= _ALIKE:
            self.journal.departure(text, way, find=alike[0].name)
            return
        self.report(f"shrinking {text[:60]}")
        seconds = max(min(SHRINK_SECONDS, self.end - time.monotonic()), 10.0)
        started = time.monotonic()
        shrunk = shrink(self.asking, answer, True, seconds)
        smallest = shrunk.answer
        cause = self.naming.cause_of(smallest.graph.graph.text, smallest) if self.naming else ""
        if cause:
            # What stood around the known graph hid it.
            self.journal.departure(text, way, cause=cause)
            return
        find = self._kept(text, shrunk, by, time.monotonic() - started)
        self.journal.departure(text, way, find=find.name)

    def _part_of(self, text: str, way: list[str]) -> str:
        """The find of the same pattern with some of these factors that departs in the same way; "" if there is none."""
        name, _, factors = text.partition("/")
        if "return " in text or not factors:
            return ""
        own = set(factors.split(","))
        for each in self.journal.finds:
            other, _, fewer = each.asked.partition("/")
            is_part = other == name and set(fewer.split(",")) - {""} < own
            if is_part and "return " not in each.asked and each.way == way:
                return each.name
        return ""

    def _kept(self, text: str, shrunk: Shrunk, by: Attribution, seconds: float) -> Find:
        """The find of a shrunk graph: one that is known already, or a new one with a folder."""
        answer = shrunk.answer
        find = Find(
            "",
            answer.graph.graph.text,
            list(answer.way),
            answer.detail,
            text,
            by.everywhere,
            shrunk.is_done,
            round(seconds, 1),
            shrunk.asked,
        )
        known = next((each for each in self.journal.finds if each.group == find.group), None)
        if known is not None:
            return known
        kinds = "-".join(name.rpartition("-")[0] for name in answer.graph.graph.operations)
        name = f"{len(self.journal.finds) + 1:03d}-{kinds}-{answer.facts.kind or answer.outcome}"
        find.name = re.sub(r"[^A-Za-z0-9-]+", "_", name)[:100]
        root = self.journal.folder / "finds" / find.name
        folders.write(
            root, shrunk, by, self.asking.session.device, self.asking.session.profile, text
        )
        self.journal.find(find)
        return find


def _graphs(ids: Sequence[str]) -> Iterator[tuple[str, AskedGraph]]:
    """The graphs of ids and of texts, those left out of which factors exclude each other."""
    for each in ids:
        try:
            yield each, read(each) if "return " in each else patterns.graph_of(each)
        except GraphError:
            continue


def _pattern(text: str) -> str:
    return "" if "return " in text else text.partition("/")[0]


def summary(journal: Journal, naming: Naming | None = None) -> list[str]:
    """What a search found, as lines of Markdown; ``naming`` has the titles of causes."""
    outcomes = [str(each) for each in Outcome]
    asked = sum(count for name, count in journal.outcomes.items() if name in outcomes)
    rate = asked / journal.seconds if journal.seconds else 0.0
    known = sum(journal.causes.values())
    followed = sum(journal.counts.values()) + sum(journal.layers.values()) + known
    departing = followed + len(journal.waiting)
    found = [
        f"{asked:,} graphs on {journal.settings['device']}, {rate:.0f} a second; {departing:,} depart: "
        f"{len(journal.finds)} finds of graphs whose layers conform alone",
        "",
        "graphs by outcome: "
        + ", ".join(f"{n:,} {name}" for name, n in sorted(journal.outcomes.items())),
        "",
    ]
    if journal.waiting:
        found += [
            f"{len(journal.waiting):,} of what departs has not been followed; the same command goes on with it.",
            "",
        ]
    order = sorted(
        journal.finds, key=lambda f: (-Outcome(f.way[0]).badness, -journal.counts[f.name])
    )
    for each in order:
        kind = " ".join(
            word for word in (each.way[0], each.way[1], each.way[2], each.way[5]) if word
        )
        found.append(f"- {each.name} ({journal.counts[each.name]}x, {kind}): {each.detail}")
        found.append(f"  `{each.graph}`")
    if journal.causes:
        found += ["", "Departures that a cause of the suite names:"]
        for name, n in journal.causes.most_common():
            found.append(f"- {n}x {name}" + (f": {naming.title(name)}" if naming else ""))
    if journal.layers:
        found += ["", "Layers that depart alone, which the corpus asks:"]
        found += [f"- {n}x {what}" for what, n in journal.layers.most_common()]
    return found


def write_summary(journal: Journal, naming: Naming | None = None) -> Path:
    """Write the summary beside the journal. Raises OSError."""
    path = journal.folder / "finds.md"
    path.write_text("\n".join(summary(journal, naming)) + "\n", encoding="utf-8")
    return path
