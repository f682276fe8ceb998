"""The search: patterns, then random graphs, in batches that a seed fixes; what departs is attributed and shrunk."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from devices.engine.session import TimeOverError
from devices.engine.verdicts.verdict import Verdict
from devices.process.forking import fork_client
from devices.search.ahead import ahead
from devices.search.attribution import Attribution, attribute
from devices.search.batches import (
    IN_A_PACK,
    NOT_ASKED,
    Batch,
    BatchResult,
    ask,
    ask_here,
    begin,
    drawn_batches,
    graphs_of,
    pattern_batches,
    varied_batch,
)
from devices.search.finds import folders
from devices.search.finds.journal import FINDS, REACHED, Find, Journal
from devices.search.finds.naming import CauseNaming
from devices.search.graph_runner import GraphRunner, case_of
from devices.search.reached import counted, table
from devices.search.shrinking import Shrunk, shrink
from devices.search.together import fewest
from ir_models.drawing.suspects import Suspects
from ir_models.graphs import evaluate, read
from reports.results.outcomes import Outcome
from reports.results.shared.text import count

# Finds of one pattern that depart in the same way, beyond which it is not shrunk again.
_ALIKE = 3
# Behind so many batches that are drawn comes one of the variations of a graph that reached something new.
_VARYING = 3
# Seconds for shrinking one find.
SHRINK_SECONDS = 90.0
# Of a search that has an end: the share of the time so far in which departures are followed, and the share of all the
# time behind which all that waits is followed. What has not been followed at the end goes on with the next search.
_FOLLOWING, _LAST = 0.2, 0.9

Report = Callable[[str], None]
Way = tuple[str, ...]


class Search:
    """One search on one device, noted in a journal. Without ``naming`` what is known is found again."""

    def __init__(
        self,
        asking: GraphRunner,
        journal: Journal,
        seed: int,
        pattern_names: Sequence[str] = (),
        operations: Sequence[str] = (),
        report: Report = lambda _: None,
        naming: CauseNaming | None = None,
        processes: int = 0,
    ) -> None:
        self.asking, self.journal, self.seed = asking, journal, seed
        self.pattern_names, self.operations = pattern_names, operations
        self.report, self.naming, self.processes = report, naming, processes
        self.suspects = Suspects()
        self.started = time.monotonic()
        # Ids with the way in which each departs; what of that is of graphs whose layers conform alone.
        self._waiting: list[tuple[str, Way]] = []
        self._of_graphs: list[tuple[str, Verdict, Attribution]] = []
        # Texts of graphs that reached something new of the device, the last one first in turn.
        self._to_vary: list[str] = []
        self._queued: set[str] = set()
        # What has been attributed and shrunk, by the way in which it departs; the seconds that each took.
        self._attributed: Counter[Way] = Counter()
        self._shrunk: Counter[Way] = Counter()
        self._attributing = self._shrinking = 0.0

    def run(
        self, minutes: float | None, *, with_patterns: bool = True, with_random: bool = True
    ) -> None:
        """Search until ``minutes`` are over; None asks all patterns and no random graph.

        Raises NotOpenedError. The end and Ctrl-C leave what has begun; the next search in the folder goes on with it.
        """
        self.started = time.monotonic()
        if minutes is not None:
            self.asking.session.end = self.started + 60 * minutes
        self._wait_again()
        with_random &= minutes is not None and not (self.pattern_names and not self.operations)
        with suppress(TimeOverError):
            self._ask(self._batches(with_patterns=with_patterns, with_random=with_random))
            while self._has_departures:
                self._follow_next()

    def _batches(self, *, with_patterns: bool, with_random: bool) -> Iterator[Batch]:
        """What has not been asked. What is known of layers when a batch is sent goes with it."""
        if with_patterns:
            for name, ids in pattern_batches(self.pattern_names, self.operations):
                if name not in self.journal.done:
                    yield Batch(name, ids=tuple(ids))
        if with_random:
            for number, batch in enumerate(
                drawn_batches(self.seed, self.operations, self.journal.done), 1
            ):
                yield batch.knowing(self.suspects.known)
                if number % _VARYING == 0 and self._to_vary:
                    yield varied_batch(self._to_vary.pop()).knowing(self.suspects.known)

    def _ask(self, batches: Iterator[Batch]) -> None:
        session = self.asking.session
        begun = partial(
            begin,
            *(session.device, session.profile, session.case_timeout, self.asking.pack),
            fork_client.addresses(),
        )
        here = partial(ask, self.asking)
        with closing(
            ahead(ask_here, batches, here, self.processes, begun, session.end)
        ) as asked_ahead:
            for batch, asked in asked_ahead:
                # What others have asked when the time is over is noted all the same.
                with suppress(TimeOverError):
                    self._take(batch.name, asked)

    def _wait_again(self) -> None:
        """Go on with what an earlier search in the folder has not followed."""
        self._waiting += [(text, tuple(way)) for text, way in self.journal.waiting.items()]
        self._queue(self.journal.reached.values())

    def _queue(self, texts: Iterable[str]) -> None:
        """Have graphs varied that were not."""
        for text in texts:
            if text not in self._queued and varied_batch(text).name not in self.journal.done:
                self._queued.add(text)
                self._to_vary.append(text)

    def _take(self, name: str, asked: BatchResult) -> None:
        """Note what became of a batch, and follow some of what departs."""
        graphs = sum(asked.outcomes.values())
        self.report(f"{name}: {graphs} graphs, {len(self.journal.finds)} finds")
        self.suspects.learn(asked.conforming, [alone for *_, alone in asked.of_layers])
        waiting = dict(asked.departing)
        started = time.monotonic()
        with suppress(TimeOverError):
            for texts in asked.together:
                self.report(f"{name}: what departs together of {len(texts)} graphs")
                least = fewest(self.asking, [read(each) for each in texts])
                if least is not None:
                    waiting[case_of(least).graph.text] = least.way
        self._attributing += time.monotonic() - started
        new = {k: text for k, text in asked.reached.items() if k not in self.journal.reached}
        self._queue(new.values())
        of_layers = [(text, way, layer) for text, way, layer, _ in asked.of_layers]
        told = of_layers, asked.errors
        self.journal.batch(name, asked.outcomes, asked.seconds, waiting, new, *told)
        self._waiting += waiting.items()
        while self._has_departures and self._has_time_to_follow:
            self._follow_next()

    @property
    def _has_departures(self) -> bool:
        """Whether something waits to be followed."""
        return bool(self._waiting or self._of_graphs)

    @property
    def _has_time_to_follow(self) -> bool:
        now, end = time.monotonic() - self.started, self.asking.session.end - self.started
        spent = self._attributing + self._shrinking
        return end == float("inf") or now > _LAST * end or spent < _FOLLOWING * now

    def _follow_next(self) -> None:
        """Attribute a departure, or shrink one that is of a graph, whichever has taken less time so far.

        Departures of the least examined kind are followed first.
        """
        started = time.monotonic()
        if self._of_graphs and (not self._waiting or self._shrinking <= self._attributing):
            ways = [answer.way for _, answer, _ in self._of_graphs]
            place = min(range(len(ways)), key=lambda n: self._shrunk[ways[n]])
            self._shrunk[ways[place]] += 1
            self._shrink(*self._of_graphs.pop(place))
            self._shrinking += time.monotonic() - started
            return
        ways = [way for _, way in self._waiting]
        place = min(range(len(ways)), key=lambda n: self._attributed[ways[n]])
        self._attributed[ways[place]] += 1
        text, way = self._waiting.pop(place)
        self._attribute(text, list(way))
        self._attributing += time.monotonic() - started

    def _is_of_find(self, text: str, way: list[str]) -> bool:
        """Whether one of the finds explains a departure, which is noted then."""
        # A search that was cut off in this batch has shrunk it already.
        same = next((e.name for e in self.journal.finds if e.asked == text), "")
        found = same or self._part_of(text, way)
        if found:
            self.journal.departure(text, way, find=found)
        return bool(found)

    def _attribute(self, text: str, way: list[str]) -> None:
        """Note what a departure belongs to; if that is the graph, it waits to be shrunk."""
        if self._is_of_find(text, way):
            return
        found = list(graphs_of([text]))
        if not found:  # a graph of an earlier version, which cannot be read any more
            self.journal.departure(text, way)
            return
        (answer,) = self.asking.ask([evaluate(found[0][1])])
        if not answer.departs:
            self.journal.departure(text, way)
            return
        way = list(answer.way)
        cause = self.naming.cause_of(text, answer) if self.naming else ""
        if cause:
            self.journal.departure(text, way, cause=cause)
            return
        by = attribute(self.asking, answer)
        if by.is_graph:
            self._of_graphs.append((text, answer, by))
            return
        self.journal.departure(text, way, layer=by.layer)
        self.suspects.departs(by.alone)

    def _shrink(self, text: str, answer: Verdict, by: Attribution) -> None:
        """Shrink what departs as a graph, where none of the finds explains it."""
        way = list(answer.way)
        if self._is_of_find(text, way):
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
        seconds = min(SHRINK_SECONDS, self.asking.session.end - time.monotonic())
        started = time.monotonic()
        shrunk = shrink(self.asking, answer, True, seconds)
        smallest = shrunk.answer
        cause = self.naming.cause_of(case_of(smallest).graph.text, smallest) if self.naming else ""
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
        graph = case_of(answer).graph
        find = Find(
            name="",
            graph=graph.text,
            way=list(answer.way),
            detail=answer.detail,
            asked=text,
            everywhere=by.everywhere,
            is_done=shrunk.is_done,
            seconds=round(seconds, 1),
            questions=shrunk.asked,
        )
        known = next((each for each in self.journal.finds if each.group == find.group), None)
        if known is not None:
            return known
        kinds = "-".join(name.rpartition("-")[0] for name in graph.operations)
        name = f"{len(self.journal.finds) + 1:03d}-{kinds}-{answer.facts.kind or answer.outcome}"
        find.name = re.sub(r"[^A-Za-z0-9-]+", "_", name)[:100]
        root = self.journal.folder / "finds" / find.name
        folders.write(
            root, shrunk, by, self.asking.session.device, self.asking.session.profile, text
        )
        self.journal.find(find)
        return find


def _pattern(text: str) -> str:
    return "" if "return " in text else text.partition("/")[0]


def summary(journal: Journal, naming: CauseNaming | None = None) -> list[str]:
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
        counted(journal.reached),
        "",
    ]
    if asked:
        by_outcome = [f"{journal.outcomes[n]:,} {n}" for n in outcomes if journal.outcomes[n]]
        found += [f"graphs by outcome: {', '.join(by_outcome)}", ""]
    for name, words in (
        (NOT_ASKED, "left out: one of their layers departs alone"),
        (IN_A_PACK, "packs that depart although each of their graphs conforms alone"),
    ):
        if journal.outcomes[name]:
            found += [f"{journal.outcomes[name]:,} {words}", ""]
    if journal.errors:
        found += ["No verdict, because of a fault of the suite:"]
        found += [f"- {why}: `{text}`" for text, why in journal.errors.items()] + [""]
    if journal.waiting:
        found += [
            f"{count(len(journal.waiting), 'departure is', 'departures are')} left to examine: the same "
            f"command continues.",
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
        found += ["", "Departures with a known cause:"]
        for name, n in journal.causes.most_common():
            found.append(f"- {n}x {name}" + (f": {naming.title(name)}" if naming else ""))
    if journal.layers:
        found += ["", "Layers that depart alone (the suite has cases for them):"]
        found += [f"- {n}x {what}" for what, n in journal.layers.most_common()]
    return found


def write_summary(journal: Journal, naming: CauseNaming | None = None) -> Path:
    """Write the summary beside the journal. Raises OSError."""
    path = journal.folder / REACHED
    path.write_text("\n".join(table(journal.reached)) + "\n", encoding="utf-8")
    path = journal.folder / FINDS
    path.write_text("\n".join(summary(journal, naming)) + "\n", encoding="utf-8")
    return path
