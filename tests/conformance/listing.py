"""The cases of a run, listed once: ids by pack, for each target. Workers read them from a file.

An id is a line of text. The case behind it is built when it runs, so that nothing holds all cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from devices.engine import packs
from tests.conformance.selection import SuiteSelection

if TYPE_CHECKING:
    from tests.conformance.models import Models

Finished = Iterable[tuple[str, str, str]]


@dataclass
class Listing:
    """``packs`` has the packs of each target by its name, each a list of case ids."""

    packs: dict[str, list[list[str]]]

    @classmethod
    def of_models(cls, selection: SuiteSelection, models: Models, finished: Finished) -> Listing:
        """The layers of the models, those of a model in one pack, without those that have a result."""
        found = {}
        for target in selection.targets:
            key = (target.device, target.profile.name)
            done = {case for case, *rest in finished if tuple(rest) == key}
            found[target.name] = [pack for pack in models.packs(done) if pack]
        return cls(found)

    @classmethod
    def of(
        cls,
        selection: SuiteSelection,
        finished: Finished,
        named: Sequence[str] = (),
        processes: int = 1,
    ) -> Listing:
        """The selected cases that have no result yet; of ``named`` cases, where there are any, those alone."""
        return cls.of_ids(
            selection, finished, list(dict.fromkeys(named)) or selection.ids(processes)
        )

    @classmethod
    def of_ids(cls, selection: SuiteSelection, finished: Finished, ids: Sequence[str]) -> Listing:
        """The ids, among some, that have no result yet."""
        done = set(finished)
        size = selection.options.pack_size
        found = {}
        for target in selection.targets:
            key = (target.device, target.profile.name)
            left = [each for each in ids if (each, *key) not in done] if done else ids
            found[target.name] = [[left[p] for p in pack] for pack in packs.plan(left, size)]
        return cls(found)

    def joined(self, other: Listing) -> Listing:
        """The packs of both, by target."""
        return Listing({name: [*own, *other.packs[name]] for name, own in self.packs.items()})

    def sort(self) -> None:
        """Bring long packs to the front, so that processes that share the packs end at about the same time."""
        for each in self.packs.values():
            each.sort(key=lambda pack: (not packs.is_heavy(pack[0]), -len(pack)))

    @property
    def sizes(self) -> list[int]:
        """The size of each pack, in the order of the items."""
        return [len(pack) for each in self.packs.values() for pack in each]

    def write(self, path: Path) -> None:
        """Write the listing to a file: a line for each pack."""
        with path.open("w", encoding="utf-8") as file:
            for target, each in self.packs.items():
                file.writelines(json.dumps([target, *pack]) + "\n" for pack in each or [[]])

    @classmethod
    def read(cls, path: Path) -> Listing:
        """Read a listing from the file that ``write`` made."""
        found: dict[str, list[list[str]]] = {}
        with path.open(encoding="utf-8") as file:
            for line in file:
                target, *pack = json.loads(line)
                into = found.setdefault(target, [])
                if pack:
                    into.append(pack)
        return cls(found)
