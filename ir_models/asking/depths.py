"""How many factors are changed at once."""

from __future__ import annotations

SINGLE = "single"
DEFAULT_DEPTH = "pairs"

DEPTHS: dict[str, str] = {
    SINGLE: "one factor at a time: every what, the plain layer in every how, and each pattern's formula with each of "
    "its conditions alone; it meets some neighbours",
    DEFAULT_DEPTH: "every what in every how that it can have; layers of one variant, and random "
    "layers, share the ways of asking; each operation meets every neighbour, each constant of one, other readers, "
    "and a category of operations pairs of these; all graphs",
    "all": "pairs, covering arrays of all ways that meet, and pairs of two whats",
}
