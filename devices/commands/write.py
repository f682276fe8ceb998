"""``python -m devices write``: a case as a folder of files, with the settings and the environment of a profile."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

import ir_models
from devices.engine.case_files import of_case, of_verdict
from devices.engine.invalid import InvalidCases
from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.runner import Options
from devices.engine.session import Session
from devices.engine.single import SingleCases
from devices.engine.verdicts.known import NothingKnown
from devices.engine.verdicts.recording import observed
from devices.engine.verdicts.verdict import Verdict
from devices.process import own_build
from devices.process.opening import NotOpenedError
from devices.targets.profiles import Profile, parse
from ir_models import Case
from reports.results.case_folder import writing
from reports.results.case_folder.writing import holds_a_case
from reports.results.outcomes import Outcome
from reports.results.shared.options import path_of_option, whole_of_option


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m devices write``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = """\
Write a case as files for plain openvino and numpy:

  model.xml, model.bin     the model
  manifest.json            the name, type, shape and file of each input and output, by inference;
                           the device, its settings and the environment that the profile means
  input_I_K.npy            the K-th input of the I-th inference
  expected_I_K.npy         the expected output
  allowed_I_K.npy          the largest allowed absolute errors, where the output is not exact
  exact_I_K.npy            the expected output before it was rounded to its type, if that changes it
  reproduce.py             runs the model on the device and compares: python reproduce.py

A tensor of a type that NumPy lacks is stored as its bytes (uint8), strings as JSON. Some cases are
several inferences; a case of an invalid layer has no expected output. Failure folders of a run have
the same format. Where the device is on this machine the case is run on it as the suite runs a case
alone: manifest.json has the outcome, actual_I_K.npy what the device computed, and the allowed errors
are for the precision of the kernel that ran.

Exit code: 0 written, 1 written and the suite itself fails on the case, 2 wrong usage."""
    add = parser.add_argument
    add("case", metavar="CASE_ID", help="as `python -m ir_models list` prints it, in quotes")
    add(
        "--out",
        metavar="DIR",
        type=path_of_option,
        required=True,
        help="the folder, made if missing",
    )
    add("--device", metavar="NAME", default="CPU", help="the device (default CPU)")
    add("--profile", metavar="P", default="accuracy", help="its profile (default accuracy)")
    add("--force", action="store_true", help="replace a case that the folder holds")
    add(
        "--seed",
        metavar="S",
        type=whole_of_option(0),
        default=0,
        help="seed of the data (default 0)",
    )
    own_build.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the folder; return 1 if the suite itself fails on the case."""
    own_build.use(args.openvino, args.plugin)
    profile = parse(args.profile)
    profile.check_device(args.device)
    case = ir_models.named(args.case)
    verdict = write(case, args.out, args.device, profile, args.seed, args.force)
    if verdict is None:
        why = profile.why_absent() or f"{args.device} is not on this machine"
        print(f"{args.out}: no verdict: {why}")
        return 0
    told = f"no verdict: {verdict.detail}" if verdict.outcome.says_nothing else verdict.outcome
    print(f"{args.out}: {told}")
    return int(verdict.outcome is Outcome.ERROR)


def write(
    case: Case,
    folder: Path,
    device: str,
    profile: Profile,
    seed: int = 0,
    is_replaced: bool = False,
) -> Verdict | None:
    """Write a case to ``folder``, which appears at once, whole; return the verdict, None where the device is not there.

    ``is_replaced`` allows a folder that an earlier call made to be replaced.

    Raises FileExistsError for a folder that holds files, MissingReferenceError where no reference answers, and OSError.
    """
    folder = folder.absolute()
    _check_is_free(folder, is_replaced)
    prepared = prepare(case, seed)
    verdict, compile_only = _verdict(prepared, device, profile)
    if verdict is None or verdict.evidence is None:
        # Where there is neither an NPU nor its compiler, the profile is of the compiler.
        compile_only = compile_only or bool(profile.npu)
        content = of_case(prepared, device, profile, compile_only=compile_only)
    else:
        evidence = verdict.evidence
        content = of_verdict(verdict, evidence, device, profile, seed, compile_only=compile_only)
    if verdict is not None:
        content = replace(content, result=_result(verdict, device, profile))
    writing.write(folder, content)
    return verdict


def _verdict(prepared: PreparedCase, device: str, profile: Profile) -> tuple[Verdict | None, bool]:
    """The suite's verdict on the case alone, with its evidence; None where the device is not on this machine.

    Also whether the device only compiles. The case has the bounds of the precision that its kernel computed in
    afterwards.
    """
    session = Session(device, profile, Options().case_timeout)
    try:
        compile_only = bool(session.open().facts.get("compile_only"))
    except NotOpenedError:
        session.close()
        return None, False
    try:
        single = SingleCases(session, prepared.seed, 0.0, NothingKnown(), keeps_evidence=True)
        if prepared.case.is_invalid:
            (verdict,) = InvalidCases(single).verdicts([prepared])
        else:
            verdict = single.verdict(prepared)
    finally:
        session.close()
    return verdict, compile_only


# What the gate decides, which is asked about runs alone.
_OF_THE_GATE = ("gate", "baseline", "reason", "cause", "cause_class", "since", "explained_by")


def _result(verdict: Verdict, device: str, profile: Profile) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(observed(verdict, device, profile.name))
    return {name: value for name, value in record.items() if name not in _OF_THE_GATE}


def _check_is_free(folder: Path, is_replaced: bool) -> None:
    if holds_a_case(folder) and not is_replaced:
        raise FileExistsError(f"{folder} holds a case already; --force replaces it")
