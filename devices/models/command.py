"""``python -m devices model MODEL``: which layer is wrong on this device?"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from devices import own_build
from devices.models.folders import write_folders
from devices.models.inputs import InputError, feeds_of
from devices.models.opening import ModelError, models_in, open_model
from devices.models.recording import run_of
from devices.models.reduction import Reducer, target_of, write_reduction
from devices.models.survey import Surveyor
from devices.opening import NotOpenedError
from devices.profiles import ProfileError, parse
from devices.session import Session
from ir_models.models import NotIRError
from reports.gate import causes
from reports.models import records, text
from reports.models.page import page

PASSES, DEPARTS, CANNOT, INTERRUPTED = 0, 1, 2, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Judges each layer of a model on a device: in place, on what the device itself fed to it, and alone. "
        "Exit code 0: every departure has a known root cause; 1: a layer departs; 2: wrong usage."
    )
    parser.add_argument(
        "model", type=Path, help="IR (.xml), ONNX, what OpenVINO reads, or a folder"
    )
    parser.add_argument(
        "--device", action="append", metavar="NAME",
        help="any name that OpenVINO accepts, or CORE; two devices are compared (default: CPU)",
    )  # fmt: skip
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="compare with the results of another device or release",
    )
    parser.add_argument(
        "--profile", default="accuracy", help="the device's settings (default: accuracy)"
    )
    parser.add_argument(
        "--input", action="append", default=[], metavar="NAME=FILE.npy",
        help="a value of an input, or NAME=NUMBER; several of one name are several samples",
    )  # fmt: skip
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=1,3,224,224")
    parser.add_argument("--samples", type=int, default=1, metavar="N", help="samples at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--openvino", metavar="DIR", help="an OpenVINO of your own, as for the suite"
    )
    parser.add_argument("--plugin", action="append", default=[], metavar="NAME=LIBRARY")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="results, page and failure folders (default: results/NAME)",
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, help="seconds for a stage of a question"
    )
    parser.add_argument(
        "--reduce", action="store_true",
        help="find the smallest part of the model that departs like the whole; it goes on from an earlier run",
    )  # fmt: skip
    parser.add_argument("--minutes", type=float, default=10.0, help="for --reduce (default: 10)")
    parser.add_argument(
        "--anonymous", action="store_true",
        help="failure folders without names, weights and data: random numbers of the same distribution; what then "
        "conforms has none",
    )  # fmt: skip
    parser.add_argument("--no-alone", action="store_true", help="in place only: half the time")


def run(options: argparse.Namespace) -> int:
    """Judge one model or those of a folder; return the exit code."""
    devices = options.device or ["CPU"]
    try:
        own_build.use(options.openvino, options.plugin)
        profile = parse(options.profile)
        for device in devices:
            profile.check_device(device)
        paths = models_in(options.model)
    except (own_build.OwnBuildError, ProfileError, ModelError) as error:
        return _cannot(error)
    worst = PASSES
    for path in paths:
        before = options.against
        for device in devices:
            out = options.out or Path("results", path.stem)
            if len(paths) > 1 and options.out:
                out /= path.stem
            if len(devices) > 1:
                out /= re.sub(r"\W+", "_", device)
            session = Session(device, profile, options.timeout)
            try:
                code = _judge(path, out, options, session)
                worst = max(worst, code)
                if before is not None and code != CANNOT:
                    _compare(out, before)
            except KeyboardInterrupt:
                return INTERRUPTED
            finally:
                session.close()
            before = out
    return worst


def _compare(out: Path, before: Path) -> None:
    """Print what differs between the results in two folders."""
    try:
        one, other = (records.read(folder / "model.json") for folder in (before, out))
    except (OSError, ValueError) as error:
        _cannot(error)
        return
    for line in text.difference(one, other):
        print(line)


@cache
def _causes() -> causes.Causes:
    """The causes of the suite: they take longer to read than a small model to judge, and most models need none."""
    return causes.load()


def _judge(path: Path, out: Path, options: argparse.Namespace, session: Session) -> int:
    report = _progress()
    try:
        model = open_model(path, out)
        feeds = feeds_of(model, options.input, options.shape, options.samples, options.seed)
        facts = session.open().facts
    except (ModelError, NotIRError, InputError, NotOpenedError, OSError) as error:
        return _cannot(error)
    surveyor = Surveyor(model, session, feeds, report)
    interrupted = False
    try:
        survey = surveyor.survey(alone=not options.no_alone)
    except KeyboardInterrupt:
        survey, interrupted = surveyor.partial(), True
        session.discard()
    except NotOpenedError as error:
        return _cannot(error)
    report("")
    try:
        departs = any(finding.departs for finding in survey.findings.values())
        known = _causes() if departs else causes.Causes()
    except causes.CauseError as error:
        return _cannot(error)
    found = run_of(model, survey, str(path), session.device, options.profile, facts, feeds, known)
    found.is_whole = not interrupted
    try:
        if not interrupted:
            write_folders(model, survey, found, out, surveyor.asking, options.anonymous)
        records.write(out / "model.json", found)
        (out / "model.html").write_text(page(found), encoding="utf-8")
    except OSError as error:
        return _cannot(error)
    for line in text.lines(found):
        print(line)
    print(f"page     {out / 'model.html'}")
    if interrupted:
        raise KeyboardInterrupt
    if options.reduce:
        target = target_of(model, survey, found)
        if target is None:
            print(
                "reduced  nothing to reduce: what departs, departs alone, and its folder is the smallest"
            )
        else:
            reducer = Reducer(
                model, session, feeds[0], target, out / "reduced", options.minutes, report
            )
            reducer.reduce()
            report("")
            for line in write_reduction(reducer, found):
                print(f"reduced  {line}")
    ranked = found.ranked()
    is_known = all(layer.cause for layer in ranked)
    return PASSES if is_known and (ranked or not survey.whole.failed) else DEPARTS


def _cannot(error: Exception) -> int:
    print(f"python -m devices model: {error}", file=sys.stderr)
    return CANNOT


def _progress() -> Callable[[str], None]:
    """Says how far it is, in one line of a terminal, or now and then in a file."""
    started, last = time.monotonic(), [0.0]
    is_terminal = sys.stderr.isatty()

    def report(message: str) -> None:
        now = time.monotonic()
        if is_terminal:
            text = f"{now - started:4.0f} s  {message}" if message else ""
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)
        elif message and now - last[0] > 20:
            last[0] = now
            print(f"{now - started:4.0f} s  {message}", file=sys.stderr, flush=True)

    return report
