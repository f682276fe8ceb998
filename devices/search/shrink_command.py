"""``python -m devices shrink``: the smallest graph that departs like a case, a find or a graph."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from devices import own_build
from devices.fork_client import child_environment
from devices.profiles import Profile, parse
from devices.search import by_release, folders
from devices.search.attribution import attribute
from devices.search.by_release import OfBuild
from devices.search.cases import graph_of_case
from devices.search.shrinking import shrink
from ir_models import patterns
from ir_models.graphs import AskedGraph, evaluate
from reports.case_folder import manifest
from reports.case_folder.writing import holds_a_case
from reports.options import path_of_option, positive_of_option, whole_of_option

CONFORMS, DEPARTS = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Shrinks what departs: fewer layers, smaller shapes, plainer attributes and values, as long as it departs in "
        "the same way; and names the graphs one step from there that conform. With several --openvino it tells the "
        "first release that departs, and the last one before it that conforms. Exit code 1: it departs; 0: it "
        "conforms; 2: wrong usage, or a graph that no release can be asked about."
    )
    parser.add_argument(
        "case", help="a failure folder, the id of a case or of a pattern, or a graph as text"
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
        help="a folder for the smallest graph; a case that is there is replaced",
    )
    parser.add_argument(
        "--minutes", type=positive_of_option, default=5.0, metavar="M",
        help="how long at most (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=positive_of_option, default=20.0, metavar="S",
        help="seconds for each stage (default: 20)",
    )  # fmt: skip
    own_build.add_arguments(
        parser,
        "the graph is shrunk with the newest release that departs, then each is asked about the smallest graph",
    )


def run(options: argparse.Namespace) -> int:
    """Shrink; return the exit code. Raises ValueError, OSError and NotOpenedError."""
    builds = options.openvino
    if len(builds) > 1 and options.plugin:
        raise ValueError("--plugin is for one --openvino: each release has plugins of its own")
    own_build.use(builds[0] if len(builds) == 1 else None, options.plugin)
    if options.out is not None:
        holds_a_case(options.out, folders.TEXT)
    text, device, profile = _asked(options)
    profile.check_device(device, has_own_build=bool(builds))
    graph = evaluate(_graph(text, options.seed))
    several = builds if len(builds) > 1 else []
    with by_release.opened(several, device, profile, options.timeout) as opened:
        asked = by_release.ask(opened, graph)
        departing = [each for each in asked if each.departs]
        if not departing:
            return _none_departs(asked, device)
        asking, answer = departing[-1].build.asking, departing[-1].answer
        by = attribute(asking, answer)
        shrunk = shrink(asking, answer, by.is_graph, 60 * options.minutes)
        told: list[str] = []
        if several:
            of_smallest = by_release.ask(opened, shrunk.answer.graph)
            told = ["", *by_release.lines(of_smallest, shrunk.answer.way)]
        if options.out is not None:
            folders.write(options.out, shrunk, by, device, profile, text, told)
    print("\n".join([*folders.lines(shrunk, by), *told]))
    return DEPARTS


def _none_departs(asked: Sequence[OfBuild], device: str) -> int:
    """Say how a graph ends that departs with no build. Raises ValueError where none was judged."""
    lines = []
    for each in asked:
        of = f" with {each.build.label}" if len(asked) > 1 else ""
        said = "it conforms" if each.conforms else "it cannot be asked"
        lines.append(f"{said} on {device}{of}: {each.told}")
    if not any(each.conforms for each in asked):
        raise ValueError("; ".join(lines))
    print("\n".join(lines))
    return CONFORMS


def _asked(options: argparse.Namespace) -> tuple[str, str, Profile]:
    """What is shrunk, on which device, with which settings.

    Raises OSError or ValueError for a folder that cannot be read, and ProfileError.
    """
    folder = Path(options.case)
    if len(options.case) > 200 or not folder.is_dir():
        return options.case, options.device or "CPU", parse(options.profile or "accuracy")
    found = manifest.read(folder)
    return found.case, options.device or found.device, parse(options.profile or _profile(found))


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


def _graph(text: str, seed: int) -> AskedGraph:
    if "return " in text or text.partition("/")[0] in {each.name for each in patterns.PATTERNS}:
        return patterns.graph_of(text)
    return graph_of_case(text, seed)
