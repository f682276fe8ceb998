"""Where the layers of a model stand in its picture: rows from the inputs down, few crossings, short edges.

The layered method: a layer stands one row below the lowest of those that feed it. In each row layers stand in the order
of the mean place of what feeds them, then of what they feed, a few times in turn.
"""

from __future__ import annotations

from collections.abc import Sequence

_SWEEPS = 4


def layout(
    inputs: Sequence[Sequence[int]], shown: Sequence[bool]
) -> list[tuple[float, int] | None]:
    """Column and row of each layer, None for one that is not shown; ``inputs`` are positions of earlier layers.

    Layers stand behind all that feed them. A column is a whole number but for the middle of a row.
    """
    feeding = [
        [source for source in sources if source >= 0 and shown[source]] if shown[place] else []
        for place, sources in enumerate(inputs)
    ]
    row: list[int] = [0] * len(inputs)
    for place, sources in enumerate(feeding):
        row[place] = 1 + max((row[source] for source in sources), default=-1)
    fed: list[list[int]] = [[] for _ in inputs]
    for place, sources in enumerate(feeding):
        for source in sources:
            fed[source].append(place)
    # What nothing shown feeds stands just above what it feeds.
    for place in reversed(range(len(inputs))):
        if shown[place] and not feeding[place] and fed[place]:
            row[place] = min(row[each] for each in fed[place]) - 1
    rows: dict[int, list[int]] = {}
    for place, is_shown in enumerate(shown):
        if is_shown:
            rows.setdefault(row[place], []).append(place)
    column = _columns(rows)
    for sweep in range(_SWEEPS):
        near = fed if sweep % 2 else feeding
        for number in sorted(rows, reverse=bool(sweep % 2)):
            rows[number].sort(key=lambda place: _mean(place, near, column))
            for place, at in _columns({number: rows[number]}).items():
                column[place] = at
    # Where a row is the only one of its layers, it goes straight below what feeds it.
    for number in sorted(rows):
        last = float("-inf")
        for place in rows[number]:
            column[place] = max(_mean(place, feeding, column), last + 1)
            last = column[place]
    found: list[tuple[float, int] | None] = []
    for place, is_shown in enumerate(shown):
        found.append((round(column[place], 2), row[place]) if is_shown else None)
    return found


def _columns(rows: dict[int, list[int]]) -> dict[int, float]:
    """Neighbouring columns around 0 in each row."""
    return {
        place: number - (len(places) - 1) / 2
        for places in rows.values()
        for number, place in enumerate(places)
    }


def _mean(place: int, near: Sequence[Sequence[int]], column: dict[int, float]) -> float:
    found = [column[each] for each in near[place]]
    return sum(found) / len(found) if found else column[place]
