"""The cases of a great depth, listed while those of depth single are asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from threading import Thread, get_native_id

from tests.conformance.listing import Listing
from tests.conformance.selection import SuiteSelection, UsageError

FIRST = "single"
"""The depth whose cases are asked first: every greater one has them."""
_PRIORITY = 10


def first(selection: SuiteSelection) -> SuiteSelection:
    """The selection of the cases that are asked first."""
    return replace(selection, depth=FIRST)


class Later:
    """What is left to list of a selection, when the cases of ``listed`` are asked already."""

    def __init__(
        self, selection: SuiteSelection, finished: Iterable[tuple[str, str, str]], listed: Listing
    ) -> None:
        self._selection, self._finished, self._listed = selection, [*finished], listed
        self._found: Listing | None = None
        self._error = ""
        self._thread: Thread | None = None

    def start(self, path: Path) -> None:
        """List the cases meanwhile, and write them to a file for workers, which is there as a whole or not at all."""
        self._thread = Thread(target=self._list, args=(path,), name="listing", daemon=True)
        self._thread.start()

    def _list(self, path: Path) -> None:
        if sys.platform == "linux":
            # Of this thread, and of the processes that it starts: workers go first.
            os.setpriority(os.PRIO_PROCESS, get_native_id(), _PRIORITY)
        try:
            # In processes of its own, so that it does not hold up what gives cases to workers.
            ids = self._selection.ids(processes=2)
            known = {
                case for packs in self._listed.packs.values() for pack in packs for case in pack
            }
            found = Listing.of_ids(
                self._selection, self._finished, [i for i in ids if i not in known]
            )
            if not known <= {*ids}:
                raise UsageError(f"depth {self._selection.depth} has not all cases of {FIRST}")
            found.sort()
            whole = path.with_suffix(".new")
            found.write(whole)
            whole.replace(path)
            self._found = found
        except (UsageError, OSError) as error:
            self._error = str(error)

    @property
    def is_there(self) -> bool:
        """Whether the listing has ended."""
        return self._thread is not None and not self._thread.is_alive()

    def listing(self) -> Listing:
        """Wait for the listing. Raises UsageError."""
        if self._thread is not None:
            self._thread.join()
        if self._found is None:
            raise UsageError(self._error or "listing the cases failed")
        return self._found
