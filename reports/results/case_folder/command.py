"""The command line of reproduce.py: runs a case in a child process, compares, and prints a verdict."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .comparison import compare, interval, show, worst
from .manifest import InferenceFiles, Manifest, read
from .openvino_run import CannotRunError, run
from .own_openvino import OPENVINO, OwnBuildError, environment
from .shapes import admits, dimensions
from .tensors import StoredTensor, TensorFile

CONFORMS, DEFECT, USAGE, CANNOT_RUN = 0, 1, 2, 3
# The stages that openvino_run reports, as a record has them; all others are of inference.
STAGES = {
    "starting": "open",
    "reading the model": "read",
    "compiling": "compile",
    "ending": "release",
}
REFUSAL = "cannot run: "  # the prefix of the line that says why


def main(folder: Path, arguments: list[str]) -> int:
    """Run the command line for a case folder; return the exit code."""
    options = parse(arguments)
    try:
        case = read(folder)
        device = options.device or case.device
        if options.child:
            forbid_core_dumps()
            run(case, folder, device, options.child, omit_unknown=bool(options.device))
            return CONFORMS
        own = own_openvino(case, options)
        return verdict(case, folder, options, device, own)
    except OwnBuildError as error:
        print(error, file=sys.stderr)
        return USAGE
    except (CannotRunError, OSError, KeyError, ValueError) as error:
        print(f"{REFUSAL}{plain(error) or type(error).__name__}", file=sys.stderr)
        return CANNOT_RUN


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description="Run this folder's model on an OpenVINO device and compare the outputs with the "
        "expected ones. Exit code 0: the device conforms; 1: the defect is there; 2: wrong usage; "
        "3: the case cannot run, or not be decided, here; 130: Ctrl-C.",
        prog="reproduce.py",
    )
    parser.add_argument("--device", help="device to run on (default: the one of the case)")
    parser.add_argument(
        "--timeout", type=seconds, default=60.0, help="seconds (default: %(default)g)"
    )
    parser.add_argument("--repeat", type=times, help="run N times (default: 1, or 10 for a FLAKE)")
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="run in this process instead of a child process, for a debugger: "
        "gdb --args python reproduce.py --in-process",
    )
    parser.add_argument(
        "--openvino",
        metavar="DIR",
        help="an OpenVINO of your own (default: that of the run if it is here, else the installed one)",
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def seconds(text: str) -> float:
    """Return a time limit. Raises ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text}")
    return found


def times(text: str) -> int:
    """Return how often to run. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, got {text}")
    return int(text)


def own_openvino(case: Manifest, options: argparse.Namespace) -> dict[str, str]:
    """Return the variables of a process that loads the OpenVINO which is asked for, or the run's own if it is here.

    Raises OwnBuildError where the one that is asked for has none.
    """
    if options.openvino is not None:
        return environment(options.openvino)
    try:
        return environment(case.own_openvino) if case.own_openvino else {}
    except OwnBuildError:
        print(
            f"note      the run had an OpenVINO of its own, which is not here: {plain(case.own_openvino)}"
        )
        return {}


def verdict(
    case: Manifest,
    folder: Path,
    options: argparse.Namespace,
    device: str,
    own: dict[str, str],
) -> int:
    """Run the case, print the case, the result and the verdict; return the exit code."""
    describe(case)
    repeat = options.repeat or (10 if recorded(case) == "FLAKE" else 1)
    for attempt in range(repeat):
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory)
            if options.in_process:
                report = run_here(case, folder, device, out, bool(options.device), own)
            else:
                report = run_child(case, folder, options.device, out, options.timeout, own)
            if attempt == 0:
                introduce(device, report, own)
                check_version(case, report)
            if device == case.device:
                check_refusal(case, report)
            judged = judge(case, folder, report, out)
        if judged.findings:
            for finding in judged.findings:
                print(f"wrong     {finding}")
            again = f" (attempt {attempt + 1} of {repeat})" if repeat > 1 else ""
            print(f"verdict   {judged.outcome}: the defect is there{again}")
            if report["died"]:
                print("debug     gdb --args python reproduce.py --in-process")
            return DEFECT
    if judged.undecided:
        print(
            "verdict   not decided here: a run of the case in the suite tells whether these outputs are admitted"
        )
        return CANNOT_RUN
    but = "; it differs where the specification is silent" if judged.silent else ""
    said = (
        "its values are not checked"
        if judged.outcome == "COMPILED"
        else f"the device conforms{but}"
    )
    print(f"verdict   {judged.outcome}: {said}")
    emulated, machine = case.environment.get("QEMU_CPU"), platform.machine()
    if emulated and machine not in ("aarch64", "arm64"):
        print(
            f"note      the run was on Arm ({emulated}), and this is {machine}: docs/arm.md says how to run it there"
        )
    elif (
        recorded(case) not in ("", "PASS", "QUALITY", "FOLDED")
        and repeat == 1
        and device == case.device
        and case.openvino in ("", report.get("openvino"))
    ):
        print(
            "note      the run saw a departure that does not always come: "
            "python reproduce.py --repeat 20 looks for it"
        )
    return CONFORMS


def describe(case: Manifest) -> None:
    """Print which case it is, how it ended in its run, and with which settings."""
    print(f"case      {plain(case.case)}")
    if case.broken_rule:
        print(f"broken    {plain(case.broken_rule)}")
    if case.result is not None:
        detail = plain(case.result.get("detail", ""))
        print(f"recorded  {plain(case.result['outcome'])}{f': {detail}' if detail else ''}")
    if recorded(case) == "QUALITY":
        print("bound     of the quality tier, tighter than the gate's")
    for name, values in (("settings", case.settings), ("variables", case.environment)):
        if values:
            print(f"{name:10}{plain(' '.join(f'{k}={v}' for k, v in values.items()))}")


def introduce(device: str, report: dict[str, Any], own: dict[str, str]) -> None:
    """Print which device and which kernels computed the outputs."""
    name = report.get("full_name") or ""
    version = report.get("openvino", "not loaded")
    of = f" of {plain(own[OPENVINO])}" if own else ""
    print(f"device    {plain(device)}{': ' + plain(name) if name else ''}; OpenVINO {version}{of}")
    if report.get("executed_by"):
        print(f"ran on    {plain(', '.join(report['executed_by']))}")
    if report.get("layers"):
        print(f"layers    {plain(', '.join(report['layers']))}")
    for note in report.get("notes", []):
        print(f"note      {plain(note)}")


def check_version(case: Manifest, report: dict[str, Any]) -> None:
    """Say where another OpenVINO runs than that of the run."""
    version = report.get("openvino", "")
    if case.openvino and version and case.openvino != version:
        print(
            f"note      the run had OpenVINO {plain(case.openvino)}: --openvino DIR names one of your own"
        )


def recorded(case: Manifest) -> str:
    """Return the outcome in the record, "" if there is no record."""
    return "" if case.result is None else str(case.result["outcome"])


def run_here(
    case: Manifest, folder: Path, device: str, out: Path, omit_unknown: bool, own: dict[str, str]
) -> dict[str, Any]:
    """Run the case in this process and return its report."""
    # OpenVINO is not loaded yet. The C library has read its own variables, such as MALLOC_PERTURB_.
    os.environ.update({**own, **case.environment})
    run(case, folder, device, out, omit_unknown)
    return {**read_report(out), "died": "", "hung": False, "messages": ""}


def forbid_core_dumps() -> None:
    """Keep a process that crashes from writing a core dump beside the case; --in-process leaves it to ``ulimit -c``."""
    try:
        import resource
    except ImportError:  # on Windows, which writes none
        return
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def run_child(
    case: Manifest,
    folder: Path,
    device: str | None,
    out: Path,
    timeout: float,
    own: dict[str, str],
) -> dict[str, Any]:
    """Run the case in a child process and return its report.

    "died" is empty if the child ended normally, else it says how it ended.
    """
    script = str(folder / "reproduce.py")
    command = [sys.executable, script, "--child", str(out)]
    if device:
        command += ["--device", device]
    # Set before openvino is loaded: it reads the limits of instruction sets only then.
    variables = {**os.environ, **own, **case.environment}
    died, hung = "", False
    with open(out / "stderr.txt", "wb") as errors:
        try:
            code = subprocess.run(
                command, env=variables, stdout=errors, stderr=errors, timeout=timeout, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            code, hung, died = 0, True, f"did not end within {timeout:g} s"
    if hung and recorded(case) != "TIMEOUT":
        # What damages memory, or was never asked before, may hang as well. Another case takes long on a slow machine.
        stage = stage_of(read_report(out))
        if stage == "open":
            raise CannotRunError(
                f"the device is not open after {timeout:g} s; --timeout gives more"
            )
        if recorded(case) not in ("", "CRASH", "FLAKE"):
            raise CannotRunError(
                f"not decided: no answer in {stage} after {timeout:g} s, but the run had {recorded(case)}; "
                f"--timeout gives more"
            )
    messages = (out / "stderr.txt").read_text(encoding="utf-8", errors="replace").strip()
    if code == CANNOT_RUN:
        reason = messages.splitlines()[-1:] or ["the child process printed no reason"]
        raise CannotRunError(reason[0].replace(REFUSAL, "", 1))
    if code != 0:
        died = f"exit code {code}"
        if code < 0:
            died = f"signal {-code} ({signal.Signals(-code).name})"
    return {**read_report(out), "died": died, "hung": hung, "messages": messages}


def read_report(out: Path) -> dict[str, Any]:
    """Return the report that `reports.results.case_folder.openvino_run.run` wrote, {} if there is none."""
    file = out / "report.json"
    report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return report


class RunFindings(NamedTuple):
    """What a run of the case shows."""

    outcome: str
    """As the suite calls it: PASS, FAIL, REFUSED ..."""
    findings: list[str]
    """One text for each; there is none if the device conforms."""
    silent: int = 0
    """How many elements differ where any value is allowed."""
    undecided: int = 0
    """How many outputs only the suite can judge: others are admitted, or all elements are tested at once."""


def stage_of(report: dict[str, Any]) -> str:
    """Return the stage that a run reached, as a record has it."""
    return STAGES.get(report.get("stage", "starting"), "infer")


def judge(case: Manifest, folder: Path, report: dict[str, Any], out: Path) -> RunFindings:
    """Compare what the run reported and wrote with what is expected."""
    stage = stage_of(report)
    if report["died"]:
        tail = ["    " + line for line in report["messages"].splitlines()[-5:]]
        died = f"the process died or hung in {stage}: {report['died']}"
        return RunFindings("TIMEOUT" if report["hung"] else "CRASH", ["\n".join([died, *tail])])
    refusal = report.get("exception")
    if case.invalid:
        if refusal is None:
            finding = "the invalid layer was accepted: an exception is expected"
            return RunFindings("ACCEPTED_INVALID", [finding])
        words = str(refusal).partition(": ")[2]
        if not any(character.isalpha() for character in words):
            return RunFindings("FAIL", [f"refused at {stage} with an empty message"])
        print(f"refused   at {stage}: {plain(refusal)}")
        return RunFindings("PASS", [])
    if refusal and "again" in report:
        return RunFindings("FLAKE", [f"computed once; refused when run again: {plain(refusal)}"])
    if refusal:
        return RunFindings("REFUSED", [f"refused at {stage}: {plain(refusal.strip())}"])
    if case.compile_only:
        return judge_compiled(case, report)
    judged = judge_outputs(case, folder, report, out)
    again = different_answers(case, report, out)
    if again:
        return RunFindings("FLAKE", [*again, *judged.findings])
    if report.get("folded") and judged.outcome != "FAIL":
        finding = "the layer was folded to a constant: the device executed no layer"
        is_expected = case.result is not None and case.result.get("expected_outcome") == "FOLDED"
        return judged._replace(outcome="FOLDED", findings=[] if is_expected else [finding])
    return judged


def judge_outputs(case: Manifest, folder: Path, report: dict[str, Any], out: Path) -> RunFindings:
    """Judge what OpenVINO inferred when it read the model, and the outputs of each inference."""
    findings = judge_inferred(case, report)
    silent = undecided = 0
    pairs = zip(case.inferences, report["inferences"])  # noqa: B905 - Python 3.8
    for number, (one, outputs) in enumerate([*pairs][: case.judged]):
        if len(outputs) != len(one.expected):
            findings.append(f"{len(outputs)} outputs, expected {len(one.expected)}")
            continue
        for k, expected in enumerate(one.expected):
            where = f"inference {number}, output {k} ({plain(expected.name)})"
            where += f", {expected.element_type}{list(expected.shape)}"
            output = TensorFile.of(outputs[k])
            finding, differ = judge_output(folder, one, k, out, output)
            silent += differ
            is_only_tested_by_the_suite = recorded(case) == "FAIL" and one.is_tested_together(k)
            is_choice = bool(finding) and one.choice[k]
            if (is_choice or is_only_tested_by_the_suite) and is_recorded(
                case, folder, one, k, out, output
            ):
                # The suite judged these outputs in the run that wrote the folder.
                if recorded(case) == "FAIL":
                    findings.append(f"{where}: {finding or 'all elements together'}, as recorded")
                else:
                    print(f"conforms  {where}")
            elif is_choice:
                undecided += 1
                why = "the specification admits other outputs too"
                if recorded(case) == "ERROR":
                    why = "the suite failed to judge it"
                print(f"differs   {where}: {finding}\n    {why}")
            elif finding:
                findings.append(f"{where}: {finding}")
            else:
                if differ:
                    print(
                        f"silent    {where}: elements that differ where any value is allowed: {differ}"
                    )
                else:
                    print(f"conforms  {where}")
                if is_only_tested_by_the_suite:
                    undecided += 1
                    print("    each element alone; only the suite tests all of them together")
    # What is outside the tighter bound of a case recorded as QUALITY is within the gate's.
    wrong = "QUALITY" if recorded(case) == "QUALITY" else "FAIL"
    outcome = wrong if findings else "QUALITY" if silent else "PASS"
    return RunFindings(outcome, findings, silent, undecided)


def judge_compiled(case: Manifest, report: dict[str, Any]) -> RunFindings:
    """Judge what is known of a model that was compiled, and not inferred."""
    findings = judge_inferred(case, report)
    outputs = case.inferences[0].expected
    compiled = report["compiled"]
    if len(compiled) != len(outputs):
        findings.append(f"the compiled model has {len(compiled)} outputs, expected {len(outputs)}")
    for k, ((kind, shape), expected) in enumerate(zip(compiled, outputs)):  # noqa: B905 - Python 3.8
        where = f"output {k} ({plain(expected.name)}) of the compiled model:"
        if kind != expected.element_type:
            findings.append(f"{where} type {kind}, expected {expected.element_type}")
        elif not admits(shape, expected.shape):
            findings.append(f"{where} shape {plain(shape)}, expected {list(expected.shape)}")
    if findings:
        return RunFindings("FAIL", findings)
    blobs = report.get("blobs", [])
    if len(set(blobs)) > 1:
        return RunFindings("FLAKE", [f"compiled twice, it is exported as {' and as '.join(blobs)}"])
    return RunFindings("COMPILED", [])


def judge_inferred(case: Manifest, report: dict[str, Any]) -> list[str]:
    """Return what is wrong with the types and shapes that OpenVINO inferred when it read the model."""
    inferred = report.get("inferred", [])
    if not case.inferred or not inferred:
        return []
    if len(inferred) != len(case.inferred):
        return [f"{len(inferred)} outputs at reading, expected {len(case.inferred)}"]
    findings = []
    for k, ((kind, shape), promise) in enumerate(zip(inferred, case.inferred)):  # noqa: B905 - Python 3.8
        expected = case.inferences[0].expected[k]
        where = f"output {k} ({plain(expected.name)}), inferred at reading:"
        is_open = kind == "dynamic" and promise["may_be_dynamic"]
        if kind != expected.element_type and not is_open:
            findings.append(f"{where} type {kind}, expected {expected.element_type}")
        elif not admits(shape, expected.shape):
            findings.append(f"{where} shape {plain(shape)}, expected {list(expected.shape)}")
        elif promise["known_rank"] is not None and promise["known_rank"] == (
            dimensions(shape) is None
        ):
            wanted = f"{len(expected.shape)}" if promise["known_rank"] else "unknown"
            findings.append(f"{where} shape {plain(shape)}, its rank should be {wanted}")
    return findings


def different_answers(case: Manifest, report: dict[str, Any], out: Path) -> list[str]:
    """Return in which inferences a second run of the same data gave other outputs than the first."""
    findings = []
    rows = zip(case.inferences, report["inferences"], report.get("again", []))  # noqa: B905 - Python 3.8
    for number, (one, first, second) in enumerate([*rows][: case.judged]):
        if one.is_random:
            continue
        if not all(
            map(are_same, *([TensorFile.of(e).load(out) for e in run] for run in (first, second)))
        ):
            findings.append(f"inference {number} gave two answers for the same data")
    return findings


def are_same(one: StoredTensor, other: StoredTensor) -> bool:
    """Tell whether two tensors are the same, bit for bit except that any NaN equals any NaN."""
    if (one.element_type, one.shape) != (other.element_type, other.shape):
        return False
    if one.raw.tobytes() == other.raw.tobytes() and one.element_type != "string":
        return True
    return not compare(one.values(), other.values(), None).wrong.any()


def is_recorded(
    case: Manifest, folder: Path, one: InferenceFiles, k: int, out: Path, output: TensorFile
) -> bool:
    """Tell whether an output is the one that the run which wrote the folder got."""
    if case.result is None or k >= len(one.actual):
        return False
    return are_same(one.actual[k].load(folder), output.load(out))


def check_refusal(case: Manifest, report: dict[str, Any]) -> None:
    """Raise CannotRunError for a refusal at another stage or with other words than was recorded.

    What is refused is then not the case: the model is damaged, or this OpenVINO cannot read it.
    """
    refusal = report.get("exception")
    if not refusal or case.invalid or case.result is None:
        return
    stage = stage_of(report)
    found = f"the model was refused at {stage}: {plain(refusal.strip())}"
    match = re.match("at (read|compile|infer): (.*)", str(case.result.get("detail", "")), re.DOTALL)
    if recorded(case) != "REFUSED":
        if stage == "read":
            raise CannotRunError(f"{found}, and was read when the case was recorded")
    elif match and (match[1] != stage or not are_alike(match[2], refusal)):
        raise CannotRunError(
            f"{found}; recorded is another refusal, at {match[1]}: {plain(match[2])}"
        )


def are_alike(recorded_words: str, words: str) -> bool:
    """Tell whether two messages have most words in common: a recorded one may lack lines, numbers differ."""
    before, now = (set(re.findall("[a-z]+", text.lower())) for text in (recorded_words, words))
    return len(before & now) >= 0.6 * len(before)


def judge_output(
    folder: Path, inference: InferenceFiles, output_index: int, out: Path, output: TensorFile
) -> tuple[str, int]:
    """Return what is wrong with one output, "" if nothing is, and how many elements differ where any may.

    Any value is allowed where the specification is silent.
    """
    entry = inference.expected[output_index]
    if output.element_type != entry.element_type:
        return f"element type is {output.element_type}, expected {entry.element_type}", 0
    if output.shape != entry.shape:
        return f"shape is {list(output.shape)}, expected {list(entry.shape)}", 0
    wanted, found = entry.load(folder), output.load(out)
    if output.element_type != "string" and found.raw.nbytes != wanted.raw.nbytes:
        return f"has {found.raw.nbytes} bytes, expected {wanted.raw.nbytes}", 0
    expected, actual = wanted.values(), found.values()
    allowed = inference.allowed_errors(folder, output_index)
    exact = inference.exact_values(folder, output_index)
    comparison = compare(expected, actual, allowed, exact)
    wrong, silent = int(comparison.wrong.sum()), int(comparison.open.sum())
    if not wrong:
        return "", silent
    index = worst(comparison)[0]
    limit = None if allowed is None else float(np.broadcast_to(allowed, entry.shape)[index])
    low, high = interval(expected[index], limit)
    bound = "bit for bit" if limit is None else f"from {low} to {high}"
    fraction = comparison.fraction[index]
    times = f", {fraction:.4g} times the bound" if np.isfinite(fraction) else ""
    return (
        f"{wrong} of {comparison.wrong.size} elements are wrong\n"
        f"    worst at {list(index)}: expected {plain(show(expected[index]))}, "
        f"actual {plain(show(actual[index]))}, allowed {bound}{times}"
    ), silent


def plain(text: Any) -> str:
    """Return text with control characters escaped, so that none reaches the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
