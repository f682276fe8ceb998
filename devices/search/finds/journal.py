"""What a search has done, one line of JSON for each event, so that it goes on after any interruption.

A batch counts when its own line is there; else it is asked again. The line names what departs and waits to be followed:
each of these waits until a line of its own says what became of it. Finds count from the moment when they are written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "search.jsonl"
FINDS = "finds.md"
REACHED = "reached.md"


class JournalError(ValueError):
    """A folder that holds the journal of another search, or a damaged one."""


@dataclass
class Find:
    """A departure of a graph, shrunk: its name is that of its folder."""

    name: str
    graph: str
    way: list[str]
    detail: str
    asked: str
    everywhere: str = ""
    is_done: bool = True
    seconds: float = 0.0
    questions: int = 0

    @property
    def group(self) -> tuple[object, ...]:
        """What finds of one group have in common: the operations in order, and the way in which they depart."""
        return (_operations(self.graph), *self.way)


@dataclass
class Journal:
    """The journal of one search in a folder."""

    folder: Path
    settings: dict[str, Any]
    finds: list[Find] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    # Departures by find; those of single layers by operation and outcome.
    counts: Counter[str] = field(default_factory=Counter)
    layers: Counter[str] = field(default_factory=Counter)
    # Departures that a cause names, by its id.
    causes: Counter[str] = field(default_factory=Counter)
    # Ids of graphs of which the suite gives no verdict, with why.
    errors: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    # Ids of graphs that depart and have not been followed, in the order in which they were asked, each with its way.
    waiting: dict[str, Sequence[str]] = field(default_factory=dict)
    # Kernels and fused layers that ran, each with the text of the first graph that showed it.
    reached: dict[str, str] = field(default_factory=dict)

    def begin(self) -> None:
        """Read what is there, or begin. Raises JournalError, and OSError."""
        path = self.folder / FILE
        self.folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if (self.folder / FINDS).exists():
                raise JournalError(
                    f"{self.folder / FINDS} is not of a search; choose another --out"
                )
            self._append({"event": "search", **self.settings})
            return
        try:
            found = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            raise JournalError(f"{path} is not a journal of a search") from None
        events = []
        for number, line in enumerate(found, 1):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                if number < len(found):
                    raise JournalError(f"{path}: line {number} is damaged") from None
                continue
            if not isinstance(event, dict):
                raise JournalError(f"{path}: line {number} is no event of a search")
            events.append(event)
        if len(events) < len(found):
            # The last line was cut off.
            path.write_text("".join(f"{json.dumps(e)}\n" for e in events), encoding="utf-8")
        if not events or events[0].get("event") != "search":
            raise JournalError(f"{path} is not a journal of a search")
        before = {name: value for name, value in events[0].items() if name != "event"}
        differs = sorted(n for n in self.settings if before.get(n) != self.settings[n])
        if differs:
            raise JournalError(
                f"{self.folder} holds a search with another {', '.join(differs)}; choose another --out"
            )
        try:
            for event in events[1:]:
                self._take(event)
        except (ValueError, TypeError, LookupError):
            raise JournalError(
                f"{path} has events that are unknown here; choose another --out"
            ) from None

    def departure(
        self, asked: str, way: list[str], find: str = "", layer: str = "", cause: str = ""
    ) -> None:
        """A graph that departs: it belongs to a find, a layer of it departs alone, or a cause names it.

        None of these where it does not depart any more.
        """
        event = {"event": "departure", "id": asked, "way": way}
        event |= {"find": find, "layer": layer, "cause": cause}
        self._append(event)
        self._take(event)

    def find(self, find: Find) -> None:
        """A departure of a graph that none of the finds has been."""
        event = {"event": "find", **vars(find)}
        self._append(event)
        self._take(event)

    def batch(
        self,
        name: str,
        outcomes: Mapping[str, int],
        seconds: float,
        waiting: Mapping[str, Sequence[str]],
        reached: Mapping[str, str],
        of_layers: Sequence[tuple[str, Sequence[str], str]] = (),
        errors: Sequence[tuple[str, str]] = (),
    ) -> None:
        """A batch has been asked; ``waiting`` are the ids of what departs, each with the way in which it does.

        ``reached`` is what ran and stands in no earlier batch; ``of_layers`` what departs as a layer of it does alone:
        ids, ways, and operations of the layers; ``errors`` what the suite gives no verdict of, with why.
        """
        event = {"event": "batch", "name": name, "outcomes": dict(outcomes), "seconds": seconds}
        event |= {"waiting": {**waiting}, "reached": {**reached}, "of_layers": [*of_layers]}
        event |= {"errors": [*errors]}
        self._append(event)
        self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.pop("event") if "event" in event else ""
        if kind == "find":
            self.finds.append(Find(**event))
        elif kind == "departure":
            self.waiting.pop(event["id"], None)
            if event["find"]:
                self.counts[event["find"]] += 1
            if event["cause"]:
                self.causes[event["cause"]] += 1
            if event["layer"]:
                self._count_layer(event["layer"], event["way"])
        elif kind == "batch":
            self.done.add(event["name"])
            self.outcomes.update(event["outcomes"])
            self.seconds += event["seconds"]
            self.waiting.update(event["waiting"])
            for _, way, layer, *_ in event.get("of_layers", ()):
                self._count_layer(layer, way)
            # A search of an earlier version did not tell them.
            self.errors.update(event.get("errors", ()))
            self.reached.update(event.get("reached", {}))

    def _count_layer(self, operation: str, way: Sequence[str]) -> None:
        self.layers[f"{operation} {' '.join(word for word in way if word)}"] += 1

    def _append(self, event: Mapping[str, Any]) -> None:
        with (self.folder / FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")


def _operations(text: str) -> tuple[str, ...]:
    """The operations of a graph as text, in their order."""
    found = []
    for statement in text.split("; "):
        head = statement.partition("(")[0]
        if "(" in statement and not statement.startswith("return "):
            found.append(head.rpartition("=")[2])
    return tuple(found)
