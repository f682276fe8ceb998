"""``python -m devices shrink``: the smallest graph that departs like a case, a find or a graph."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from devices.engine.session import Session
from devices.engine.verdicts.verdict import Verdict
from devices.models.opening import SUFFIXES
from devices.process import own_build
from devices.process.forking.fork_client import child_environment
from devices.search.attribution import attribute
from devices.search.cases import graph_of_case, graph_of_folder, graph_of_model
from devices.search.finds import folders
from devices.search.finds.naming import CauseNaming
from devices.search.graph_runner import GraphRunner, case_of
from devices.search.shrinking import Shrunk, shrink
from devices.targets.profiles import parse
from ir_models import CaseIdError, UnknownOperationError, patterns
from ir_models.graphs import AskedGraph, evaluate
from reports.results.case_folder import manifest
from reports.results.case_folder.writing import holds_a_case
from reports.results.outcomes import Outcome
from reports.results.shared.options import path_of_option, positive_of_option, whole_of_option

CONFORMS, DEPARTS = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Shrinks a failing case: fewer layers, smaller shapes, plainer attributes and values, as long as it fails in "
        "the same way. Prints the smallest graph, and the graphs one step from it that conform. Exit code 1: it "
        "fails; 0: it conforms; 2: wrong usage, or a graph that the device cannot run."
    )
    parser.add_argument(
        "case",
        help="a failure folder, the file of a model, the id of a case or of a pattern, or a graph as text",
    )
    parser.add_argument("--device", help="default: that of the folder, else CPU")
    parser.add_argument("--profile", help="default: that of the folder, else accuracy")
    parser.add_argument(
        "--seed", type=whole_of_option(0), default=0, help="seed of a case's data (default: 0)"
    )
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="DIR",
        help="the folder to write the smallest graph to; a case in it is replaced",
    )
    parser.add_argument(
        "--minutes", type=positive_of_option, default=5.0, metavar="M",
        help="time limit in minutes (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=positive_of_option, default=20.0, metavar="S",
        help="seconds for each of reading, compiling and inferring (default: 20)",
    )  # fmt: skip
    own_build.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Shrink; return the exit code. Raises ValueError, OSError and NotOpenedError."""
    own_build.use(options.openvino, options.plugin)
    if options.out is not None:
        holds_a_case(options.out, folders.TEXT)
    found = _folder(options.case)
    text = found.case if found else options.case
    device = options.device or (found.device if found else "CPU")
    profile = parse(options.profile or (_profile(found) if found else "accuracy"))
    profile.check_device(device)
    graph = evaluate(_graph(options, found))
    with closing(Session(device, profile, options.timeout)) as session:
        session.open_for_values()
        asking = GraphRunner(session)
        (answer,) = asking.ask([graph])
        if not answer.departs:
            return _conforms(answer, device)
        by = attribute(asking, answer)
        shrunk = shrink(asking, answer, by.is_graph, 60 * options.minutes)
        naming = CauseNaming(device, profile.name, session.release)
        told = _of_cause(naming, text, found, answer, shrunk)
        if options.out is not None:
            folders.write(options.out, shrunk, by, device, profile, text, told)
    print("\n".join([*folders.lines(shrunk, by), *told]))
    return DEPARTS


def _of_cause(
    naming: CauseNaming, text: str, found: manifest.Manifest | None, answer: Verdict, shrunk: Shrunk
) -> list[str]:
    """The cause of the suite that names the departure, as it was asked or when it is the smallest."""
    name = str(found.result.get("cause", "")) if found and found.result else ""
    asked = [(case_of(each).graph.text, each) for each in (answer, shrunk.answer)]
    if _is_of_pattern(text):
        asked.insert(0, (text, answer))
    for each, of in asked:
        name = name or naming.cause_of(each, of)
    if not name:
        return ["", "No cause of the suite names the graph."]
    return ["", f"The cause {name} names it: {naming.title(name)}"]


def _is_of_pattern(text: str) -> bool:
    return text.partition("/")[0] in {each.name for each in patterns.PATTERNS}


def _conforms(answer: Verdict, device: str) -> int:
    """Say that a graph conforms. Raises ValueError where it was not judged."""
    told = f"{answer.outcome} {answer.detail}".rstrip()
    if answer.outcome in (Outcome.ERROR, Outcome.ABSENT):
        raise ValueError(f"it cannot run it on {device}: {told}")
    print(f"it conforms on {device}: {told}")
    return CONFORMS


def _folder(text: str) -> manifest.Manifest | None:
    """The case of a failure folder; None for what is no folder. Raises OSError or ValueError if it cannot be read."""
    if not text:
        raise ValueError("a folder, the id of a case or a graph must be given, got an empty text")
    folder = Path(text)
    # The text of a graph is no path.
    if len(text) > 200 or not folder.is_dir():
        if len(text) <= 200 and folder.is_file() and folder.suffix not in SUFFIXES:
            raise ValueError(f"{text} is a file: give the folder of a case, or the text itself")
        return None
    return manifest.read(folder)


# Variables of every child process, whatever the profile.
_USUAL = child_environment({}).keys() | {own_build.PLUGINS}


def _profile(found: manifest.Manifest) -> str:
    """The profile of a folder: that of its run, else its settings.

    Raises ValueError for a folder that has no profile and an environment, which settings cannot say.
    """
    if found.result and found.result.get("profile"):
        return str(found.result["profile"])
    if others := sorted(found.environment.keys() - _USUAL):
        raise ValueError(
            f"the folder does not name its profile, which sets {', '.join(others)}: give --profile"
        )
    accuracy = parse("accuracy")
    if not found.settings or found.settings == accuracy.for_device(found.device):
        return "accuracy"
    return ",".join(f"{name}={value}" for name, value in found.settings.items())


def _graph(options: argparse.Namespace, found: manifest.Manifest | None) -> AskedGraph:
    text = found.case if found else options.case
    if found is None and Path(text).suffix in SUFFIXES:
        return graph_of_model(Path(text), options.seed)
    if "return " in text or _is_of_pattern(text):
        return patterns.graph_of(text)
    try:
        return graph_of_case(text, options.seed)
    except (CaseIdError, UnknownOperationError):
        if found is None:
            raise
        # Layers of a model are no case of the suite.
        return graph_of_folder(Path(options.case), found)
