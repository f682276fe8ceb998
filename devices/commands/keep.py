"""``python -m devices keep``: a graph that a search found, as a case that the suite has from then on."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ir_models import patterns
from ir_models.graphs import GraphCase, evaluate
from ir_models.patterns.found import DIRECTORY, text_of
from reports.results.case_folder import manifest
from reports.results.shared.files import write_text

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Writes a graph to ir_models/found, whose graphs are cases of the suite: pytest tests/conformance "
        "--purpose graphs. "
        "Prints the id of the case."
    )
    parser.add_argument(
        "graph", help="the folder of a find or a case, the id of a graph, or the text of a graph"
    )
    parser.add_argument("name", help="its name: small letters, digits and hyphens")
    parser.add_argument("--about", default="", help="what it shows, in one line")


def run(options: argparse.Namespace) -> int:
    """Write the graph; return the exit code. Raises ValueError and OSError."""
    folder = Path(options.graph)
    is_folder = len(options.graph) <= 200 and folder.is_dir()
    text = manifest.read(folder).case if is_folder else options.graph
    print(keep(text, options.name, " ".join(options.about.split())))
    return 0


def keep(text: str, name: str, about: str, directory: Path = DIRECTORY) -> str:
    """Write a graph to the folder of those that are kept; return the id of its case.

    Raises GraphError for what is no valid graph, ValueError for a name that is none or is taken, OSError.
    """
    graph = patterns.graph_of(text)
    evaluate(graph)
    if not _NAME.fullmatch(name):
        raise ValueError(f"a name has small letters, digits and hyphens, got {name!r}")
    same = next((each for each in patterns.PATTERNS if each.graph.text == graph.text), None)
    if same is not None:
        raise ValueError(f"this graph is in the suite already, as {same.name}")
    path = directory / f"{name}.txt"
    if path.exists() or any(each.name == name for each in patterns.PATTERNS):
        raise ValueError(f"there is a graph called {name} already: choose another name")
    write_text(path, text_of(graph, about))
    return GraphCase.of(name, graph, {}).id
