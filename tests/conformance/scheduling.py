"""Gives each pack to one worker of pytest-xdist.

xdist's own scheduler of groups looks for every test among all tests, and adds up all that a worker ever had after each
test: the cost of a case would grow with their number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

# A worker starts a test once it knows the next one.
_LEAST_PENDING = 2


# See PackScheduling.
Later = Callable[[Sequence[str], bool], list[list[str]] | None]


class PackScheduling:
    """Schedules whole packs in the order of the workers' items.

    ``sizes`` are those of the packs that were listed; a worker may have fewer items, because options such as -k
    deselect some, and then plans the packs anew, as ``replan`` does: it gives the positions of node ids by pack.
    ``later`` gives the packs, as node ids, that were listed when workers had collected already: it takes what they have
    collected, and whether to wait; None where these packs are not there yet.
    """

    def __init__(
        self,
        config: Any,
        workers: int,
        sizes: Sequence[int],
        replan: Callable[[Sequence[str]], list[list[int]]],
        later: Later | None = None,
    ) -> None:
        self.config = config
        self.collection: list[str] | None = None
        self._workers, self._sizes, self._replan = workers, sizes, replan
        # None once all tests are known.
        self._later = later
        # How many tests workers collect; what is listed later is behind these.
        self._first = 0
        self._is_planned = False
        self._collected: set[Any] = set()
        self._queue: deque[list[int]] = deque()
        # What each worker still has to run, in order.
        self._pending: dict[Any, dict[int, None]] = {}
        # The node id of each worker's last report.
        self._reported: dict[Any, str] = {}

    @property
    def nodes(self) -> list[Any]:
        """The active workers."""
        return list(self._pending)

    @property
    def collection_is_completed(self) -> bool:
        """Whether all workers have collected that there were at the start."""
        return len(self._collected) >= self._workers

    @property
    def tests_finished(self) -> bool:
        """Whether at most one test of each worker is left, which it runs once it gets the message to shut down."""
        is_empty = self.collection_is_completed and not self._queue and not self._later
        return is_empty and all(len(each) < _LEAST_PENDING for each in self._pending.values())

    @property
    def total(self) -> int | None:
        """How many tests there are; None while more are listed."""
        return None if self._later or self.collection is None else len(self.collection)

    @property
    def running(self) -> list[str]:
        """The test that each worker runs: the first that it has left."""
        first = [next(iter(each), None) for each in list(self._pending.values())]
        return [self.collection[n] for n in first if n is not None and self.collection is not None]

    @property
    def has_pending(self) -> bool:
        """Whether tests are left."""
        return bool(self._queue or self._later) or any(self._pending.values())

    def add_node(self, node: Any) -> None:
        """Add a worker."""
        self._pending[node] = {}

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """Add what a worker collected, which must be the same for all."""
        if self.collection is None:
            self.collection = list(collection)
            self._first = len(self.collection)
        elif list(collection) != self.collection[: self._first]:
            raise RuntimeError(f"{node.gateway.id} collected other cases than the first worker")
        self._collected.add(node)

    def schedule(self) -> None:
        """Plan the packs once all workers have collected, and give each worker two of them; later, more."""
        assert self.collection is not None
        if not self._is_planned:
            self._is_planned = True
            self._queue.extend(self._packs(self.collection))
        for _ in range(2):
            for node in self.nodes:
                self._give(node)

    def _packs(self, collection: Sequence[str]) -> list[list[int]]:
        """The positions of the tests by pack, in the order of the tests."""
        if sum(self._sizes) != len(collection):
            if self._later is not None:
                # Workers that plan the packs themselves have waited for all tests.
                more = self._later(collection, True) or []
                if sum(self._sizes) + sum(map(len, more)) != len(collection):
                    raise RuntimeError("workers collected other cases than were listed")
                self._later = None
            return sorted(self._replan(collection))
        starts = [0, *accumulate(self._sizes)]
        return [list(range(start, end)) for start, end in pairwise(starts)]

    def _add_later(self, waits: bool) -> None:
        """Add what was listed since the workers have collected, once it is there."""
        assert self.collection is not None
        packs = self._later(self.collection, waits) if self._later is not None else None
        if packs is None:
            return
        self._later = None
        for pack in packs:
            start = len(self.collection)
            self.collection += pack
            self._queue.append([*range(start, len(self.collection))])

    def _give(self, node: Any) -> None:
        """Give a worker one more pack where it has little left; shut it down where there is none."""
        if node.shutting_down or len(self._pending[node]) > _LEAST_PENDING:
            return
        self._add_later(waits=not self._queue)
        if not self._queue:
            node.shutdown()
            return
        pack = self._queue.popleft()
        self._pending[node].update(dict.fromkeys(pack))
        node.send_runtest_some(pack)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """A worker has run a test."""
        self._pending[node].pop(item_index, None)
        self._give(node)

    def mark_test_reported(self, node: Any, node_id: str) -> None:
        """A worker has sent the report of a test; that it has run it follows, unless the worker dies in between."""
        self._reported[node] = node_id

    def remove_node(self, node: Any) -> str | None:
        """Remove a worker. What it had left goes to another one; returns the test at which it died, if there is one."""
        pending = list(self._pending.pop(node))
        if not pending:
            return None
        assert self.collection is not None
        died_at = self.collection[pending[0]]
        if self._reported.pop(node, None) == died_at:
            # Its record is written: a second one would count the case twice.
            del pending[0]
        if pending:
            self._queue.appendleft(pending)
        for other in self.nodes:
            self._give(other)
        return died_at

    def mark_test_pending(self, item: str) -> None:
        """Not supported: a test is given to a worker once."""
        raise NotImplementedError

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        """Not supported: no test is taken back."""
        raise NotImplementedError
