"""How many factors are changed at once."""

from __future__ import annotations

SINGLE = "single"
DEFAULT_DEPTH = "pairs"
ALL = "all"

DEPTHS: dict[str, str] = {
    SINGLE: "one factor at a time: every layer in the usual way, and the plain layer in every way of running it; some "
    "neighbours; each pattern's formula, and each of its conditions alone",
    DEFAULT_DEPTH: "every layer in every way of running it that it can have (layers of one variant, and random layers, "
    "share the ways); every neighbour, with each of its constants and other readers; all graphs",
    ALL: "what pairs has, layers of two purposes at a time, several ways of running at a time, and each pattern with "
    "other attributes of its layers",
}
