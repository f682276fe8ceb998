"""Gives each pack to one worker of pytest-xdist."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

from tests.conformance.items import plan_nodes


class PackScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Schedules whole packs in the order of the workers, which plan the same packs from the same node ids."""

    def __init__(self, config: Any, log: Any, pack_size: int) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False
        self._pack_size = pack_size
        self._scopes: dict[str, str] = {}

    def schedule(self) -> None:
        """Plan the packs once all workers have collected."""
        if self.collection is None and self.collection_is_completed:
            collected = next(iter(self.registered_collections.values()))
            for number, pack in enumerate(plan_nodes(collected, self._pack_size)):
                for position in pack:
                    self._scopes[collected[position]] = f"pack {number}"
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._scopes.get(nodeid, nodeid)
