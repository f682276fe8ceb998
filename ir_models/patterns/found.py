"""Graphs that a search found and that are kept: a text file each in ``ir_models/found``.

A file is named as the graph's cases are. Lines that begin with ``#`` say what was found; the rest is the graph as text.
"""

from pathlib import Path
from textwrap import wrap

from ir_models.graphs.notation import AskedGraph
from ir_models.patterns.pattern import Pattern

DIRECTORY = Path(__file__).parents[1] / "found"


def _read(path: Path) -> Pattern:
    lines = path.read_text("utf-8").splitlines()
    about = " ".join(line[1:].strip() for line in lines if line.startswith("#"))
    source = "\n".join(line for line in lines if not line.startswith("#"))
    return Pattern(path.stem, about, source, is_varied=False)


FOUND = [_read(path) for path in sorted(DIRECTORY.glob("*.txt"))]


def text_of(graph: AskedGraph, about: str) -> str:
    """The file of a graph."""
    said = wrap(about, 118, initial_indent="# ", subsequent_indent="# ")
    return "\n".join([*said, *graph.text.split("; ")]) + "\n"
