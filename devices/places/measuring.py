"""The place of a departure: a case folder is run in a process of its own, which prints what it shows in a line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from devices.places.frames import last_function, place_of_crash
from reports.results.case_folder.manifest import Manifest, read

ROOT = Path(__file__).parents[2]
SECONDS = 60
CORE = "CORE"
"""The device that is OpenVINO's core without a plugin."""
_LARGEST = 2**18
"""Bytes of constants at most of a model whose passes are traced: it is written after each of them."""
_LINE = re.compile(r"([\w./+-]+\.(?:cpp|hpp|h|cc)):(\d+)")
_FILE = re.compile(r"Model\d+_(\d+)_(.*)\.xml")
_TRACE = "OV_ENABLE_SERIALIZE_TRACING"
_REWRITING = re.compile(r"^\[([\w:]+)\] (?:END: )?node: ", re.MULTILINE)
"""How a pass begins what is thrown in it."""
_WRAPPERS = ("src/inference/", "src/core/src/pass/graph_rewrite.cpp")
"""Where exceptions are thrown again on their way to the user."""
_FALLBACK = "src/plugins/intel_cpu/src/nodes/reference.cpp"
"""What refuses when the node of the plugin has refused before."""
_UNNAMED = "GraphRewrite"
"""A pass of several rewrites, of which it does not tell which one it is."""
_NO_KERNEL = " (undef)"
"""Ends a node of the GPU that passes its input on."""
MOST = 3
"""Nodes that are told at most."""


def place_of(folder: Path) -> str:
    """Return where the departure of a case folder happens; "" where nothing tells it.

    A refusal prints a line of code. A crash has a frame. For a wrong answer this is the pass that changes it, else the
    node with its kernel. Raises OSError, ValueError.
    """
    case = read(folder)
    outcome = str((case.result or {}).get("outcome", ""))
    with tempfile.TemporaryDirectory() as directory:
        out, passes = (Path(directory) / name for name in ("out", "passes"))
        out.mkdir()
        passes.mkdir()
        command, environment = _running(case, folder, out)
        if outcome == "CRASH":
            found = place_of_crash(command, environment, SECONDS)
            return f"frame {found}" if found else ""
        is_traced = outcome == "FAIL" and (folder / "model.bin").stat().st_size <= _LARGEST
        traced = {**environment, _TRACE: "true"} if is_traced else environment
        if not _ends(command, traced, passes):
            return ""
        report = json.loads((out / "report.json").read_text("utf-8"))
        if "exception" in report:
            return refusing_line(report["exception"])
        name = _changing_pass(folder, passes, environment) if is_traced else ""
        if name and not name.endswith(_UNNAMED):
            return f"pass {name}"
        nodes = _nodes(case, report.get("layers", ()))
        made = _made_by(nodes, folder, passes) if nodes else ""
        return f"node {', '.join(nodes)}{made}" if nodes else ""


def function_of(folder: Path) -> str:
    """Return the function of core that computes what a case folder shows, or that accepts what is invalid; "" if none.

    A wrong shape is inferred when the model is read. Devices evaluate no layer by core's functions. Memory that the
    function damages may kill the process later.
    """
    case = read(folder)
    result = case.result or {}
    outcome, facts = result.get("outcome"), str(result.get("facts", {}).get("kind", ""))
    if case.device == CORE and (outcome == "CRASH" or (outcome, facts) == ("FAIL", "value")):
        methods = ["evaluate"]
    elif outcome == "ACCEPTED_INVALID":
        methods = ["validate_and_infer_types", *["evaluate"] * (case.device == CORE)]
    elif outcome == "FAIL" and facts.startswith(("shape", "type", "rank")):
        methods = ["validate_and_infer_types"]
    else:
        return ""
    kind = str(result.get("operation", "")).rpartition("-")[0]
    with tempfile.TemporaryDirectory() as directory:
        command, environment = _running(case, folder, Path(directory))
        found = last_function(command, environment, SECONDS, kind, methods)
    return f"function {found}" if found else ""


def _running(case: Manifest, folder: Path, out: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs a case folder, and its environment."""
    command = [sys.executable, str(folder.absolute() / "reproduce.py"), "--child", str(out)]
    if case.device == CORE:
        command += ["--device", CORE]
    return command, {**os.environ, **case.environment, "PYTHONPATH": str(ROOT)}


def refusing_line(exception: str) -> str:
    """Return the line of code that refuses, by what an exception says, with the pass around it; "" if it tells none."""
    lines = [one for one in _LINE.findall(exception) if not one[0].startswith(_WRAPPERS)]
    own = [one for one in lines if one[0] != _FALLBACK and "/nodes/" in one[0]]
    if lines and lines[-1][0] == _FALLBACK and own:
        lines = own
    passes = _REWRITING.findall(exception)
    if not lines:
        return f"pass {passes[-1]}" if passes else ""
    around = f", in pass {passes[-1]}" if passes else ""
    return f"line {lines[-1][0]}:{lines[-1][1]}{around}"


def written(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name of each pass and the model that OpenVINO wrote after it, in the order of the passes."""
    found = [(m, file) for file in directory.glob("*.xml") if (m := _FILE.fullmatch(file.name))]
    for match, file in sorted(found, key=lambda one: int(one[0][1])):
        yield match[2], file


def _made_by(nodes: Sequence[str], folder: Path, directory: Path) -> str:
    """Which pass put the operation there that a node computes, in words; "" if the model has it, or several."""
    kinds = {f'type="{node.partition(" ")[0]}"' for node in nodes}
    own = (folder / "model.xml").read_text("utf-8")
    new = [kind for kind in kinds if kind not in own]
    if len(kinds) != 1 or not new:
        return ""
    makers = (name for name, file in written(directory) if new[0] in file.read_text("utf-8"))
    name = next(makers, "")
    return f", made by pass {name}" if name and not name.endswith(_UNNAMED) else ""


def _ends(command: Sequence[str], environment: dict[str, str], directory: Path) -> bool:
    """Run a program in a folder, and return whether it ends by itself."""
    done = _ran(command, environment, directory)
    return done is not None and done.returncode >= 0


def _changing_pass(folder: Path, directory: Path, environment: dict[str, str]) -> str:
    program = [sys.executable, "-m", "devices.places.passes"]
    done = _ran([*program, str(folder.absolute()), str(directory)], environment, ROOT)
    return done.stdout.strip() if done is not None and done.returncode == 0 else ""


def _ran(
    command: Sequence[str], environment: dict[str, str], directory: Path
) -> subprocess.CompletedProcess[str] | None:
    """Run a program in a folder; None if it does not end in time."""
    try:
        return subprocess.run(
            command,
            env=environment,
            cwd=directory,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None


def _nodes(case: Manifest, layers: Sequence[str]) -> list[str]:
    """The executed nodes that compute the layers of a case: those of its types, else all, if they are few.

    The GPU plugin writes types its own way, region_yolo of RegionYolo. A node without a kernel computes nothing.
    """
    result = case.result or {}
    kind = str(result.get("operation", "")).rpartition("-")[0]
    found = [*dict.fromkeys(layers)]
    own = [
        layer for layer in found if layer.partition(" ")[0].replace("_", "").lower() == kind.lower()
    ]
    computing = [layer for layer in own or found if not layer.endswith(_NO_KERNEL)]
    return computing if len(computing) <= MOST else []
