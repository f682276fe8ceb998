"""``python -m devices model MODEL``: which layer is wrong on this device?"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from devices.engine.session import Session
from devices.models.findings import Survey
from devices.models.inputs import GIVE_SHAPE, InputError, feeds_that_run
from devices.models.onnx_opinion import opinion
from devices.models.opening import ModelError, models_in, open_model
from devices.models.part_runner import runs
from devices.models.reduction import Reducer
from devices.models.reduction_state import target_of
from devices.models.survey import Surveyor
from devices.models.writing.folders import write_folders
from devices.models.writing.recording import run_of
from devices.models.writing.reduced import write_reduction
from devices.process import own_build
from devices.process.opening import NotOpenedError
from devices.targets.profiles import ProfileError, parse
from ir_models.models import Model, NotIRError
from reports.gate import causes
from reports.models import text
from reports.models.report import model_report
from reports.results import model_run
from reports.results.model_run import ModelRun
from reports.results.shared.files import GENERATOR, check_is_own, has, write_text
from reports.results.shared.options import path_of_option, whole_of_option
from reports.results.shared.text import say

PASSES, DEPARTS, CANNOT, INTERRUPTED = 0, 1, 2, 130

_REPORT = "model.html"
# Seconds between two lines on how far it is.
_EVERY = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Tests each layer of a model on a device: in place, on the values that the device itself gave to it, and "
        "alone. Exit code 0: the model ran, and no wrong layer changes a result by more than its rounding; 1: one "
        "does, known or not, or the model as a whole fails; 2: wrong usage; 130: Ctrl-C."
    )
    parser.add_argument(
        "model",
        type=path_of_option,
        help="a model: IR (.xml), ONNX or another format that OpenVINO reads, or a folder with one",
    )
    parser.add_argument(
        "--device", action="append", metavar="NAME",
        help="any name that OpenVINO accepts, or CORE; two devices are compared (default: CPU)",
    )  # fmt: skip
    parser.add_argument(
        "--against",
        type=path_of_option,
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
    parser.add_argument(
        "--shape", action="append", default=[], metavar="NAME=1,3,224,224",
        help="the shape of an input that the model leaves open",
    )  # fmt: skip
    parser.add_argument(
        "--samples", type=int, default=1, metavar="N", help="number of random inputs"
    )
    parser.add_argument(
        "--seed", type=whole_of_option(0), default=0, help="seed of the random inputs (default: 0)"
    )
    own_build.add_arguments(parser)
    parser.add_argument(
        "--out",
        type=path_of_option,
        metavar="DIR",
        help="where results, the HTML report and failure folders go (default: results/NAME)",
    )
    parser.add_argument(
        "--timeout", type=_seconds, default=60.0, metavar="S",
        help="seconds for each of reading, compiling and inferring, up to five times as many for a model of "
        "many layers "
        "(default: 60)",
    )  # fmt: skip
    parser.add_argument(
        "--reduce", action="store_true",
        help="find the smallest part of the model that departs like the whole; continues an earlier --reduce",
    )  # fmt: skip
    parser.add_argument(
        "--onnx", action="store_true",
        help="for an ONNX model: also compare each node that OpenVINO's reader converted with ONNX's reference "
        "evaluator; needs the package onnx",
    )  # fmt: skip
    parser.add_argument(
        "--minutes",
        type=_minutes,
        default=10.0,
        metavar="M",
        help="time limit of --reduce, and of --onnx (default: 10)",
    )
    parser.add_argument(
        "--anonymous", action="store_true",
        help="failure folders without names, weights and data: random numbers of the same distribution; a "
        "departure that does not show with these gets no folder",
    )  # fmt: skip
    parser.add_argument(
        "--accept-known",
        action="store_true",
        help="exit code 0 although layers with a known cause depart",
    )
    parser.add_argument(
        "--no-alone",
        action="store_true",
        help="test layers in place only, not alone: takes half the time",
    )


def _seconds(text: str) -> float:
    return _within(text, "seconds", 0.001)


def _minutes(text: str) -> float:
    return _within(text, "minutes", 0.0)


def _within(text: str, unit: str, least: float) -> float:
    """A number up to a million. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"expected {unit} from {least:g} to 1000000, got {text!r}")
    return number


def run(options: argparse.Namespace) -> int:
    """Judge one model or those of a folder; return the exit code."""
    devices = options.device or ["CPU"]
    try:
        own_build.use(options.openvino, options.plugin)
        profile = parse(options.profile)
        for device in devices:
            profile.check_device(device)
        paths = models_in(options.model)
        for path in paths if options.onnx else ():
            opinion.check(path)
    except (own_build.OwnBuildError, ProfileError, ModelError) as error:
        return _cannot(error)
    worst = PASSES
    names = _names(paths, options.model)
    for path in paths:
        earlier = options.against
        if earlier is not None and len(paths) > 1:
            earlier /= names[path]
        for device in devices:
            out = options.out or Path("results", names[path])
            if len(paths) > 1 and options.out:
                out /= names[path]
            if len(devices) > 1:
                out /= re.sub(r"\W+", "_", device)
            if options.out is None and earlier is not None and out.resolve() == earlier.resolve():
                # The earlier run stays.
                out = out.with_name(f"{out.name}.new")
            try:
                before = None if earlier is None else model_run.read(earlier / "model.json")
            except (OSError, ValueError) as error:
                worst = max(worst, _cannot(error))
                continue
            session = Session(device, profile, options.timeout)
            try:
                code, found = _judge(path, out, options, session)
            except KeyboardInterrupt:
                say("python -m devices model: interrupted")
                return INTERRUPTED
            finally:
                session.close()
            worst = max(worst, code)
            if before is not None and found is not None:
                for line in text.difference(before, found):
                    print(line)
            # Of two devices the second is compared with the first.
            if found is not None and len(devices) > 1:
                earlier = out
    return worst


def _names(paths: Sequence[Path], given: Path) -> dict[Path, str]:
    """The folder of each model's results: its name, or where several have that one its path in the given folder."""
    stems = Counter(path.stem for path in paths)
    return {
        path: path.stem if stems[path.stem] == 1 else path.relative_to(given).as_posix()
        for path in paths
    }


@cache
def _causes() -> causes.Causes:
    """The causes of the suite: they take longer to read than a small model to judge, and most models need none."""
    return causes.load()


def _judge(
    path: Path, out: Path, options: argparse.Namespace, session: Session
) -> tuple[int, ModelRun | None]:
    """Judge a model on a device: the exit code, and what was found where something was."""
    with _progress() as report:
        return _judge_and_say(path, out, options, session, report)


def _judge_and_say(
    path: Path,
    out: Path,
    options: argparse.Namespace,
    session: Session,
    report: Callable[[str], None],
) -> tuple[int, ModelRun | None]:
    try:
        model, facts, feeds, chosen = _opened(path, out, options, session)
    except (ModelError, NotIRError, InputError, NotOpenedError, OSError) as error:
        return _cannot(error), None
    surveyor = Surveyor(model, session, feeds, report)
    surveyor.keeps_truth = options.onnx
    if path.suffix != ".xml" and not options.onnx:
        surveyor.notes.append(
            f"OpenVINO read {path.name}, and its result is tested; an error of that reader does not show"
        )
    surveyor.notes += [chosen] if chosen else []
    interrupted = False
    try:
        survey, chosen = _surveyed(surveyor, model, not options.no_alone, chosen)
    except KeyboardInterrupt:
        survey, interrupted = surveyor.partial(), True
        session.discard()
    except NotOpenedError as error:
        return _cannot(error), None
    report("")

    def record(known: causes.Causes) -> ModelRun:
        return run_of(
            model, survey, str(path), session.device, options.profile, facts, feeds, known
        )

    found = record(causes.Causes())
    failed: Exception | None = None
    try:
        if any(finding.departs for finding in survey.findings.values()):
            found = record(_causes())
        if not interrupted:
            write_folders(model, survey, found, out, surveyor.asking, options.anonymous)
            if options.onnx:
                report("ONNX's reference evaluator")
                found.onnx = opinion.ask(path, model, survey, 60 * options.minutes)
                report("")
    except KeyboardInterrupt:
        interrupted = True
        session.discard()
    except (causes.CauseError, OSError) as error:
        failed = error
    found.is_whole = not interrupted
    failed = _say_and_write(found, out) or failed
    if failed is not None:
        return _cannot(failed), found
    if interrupted:
        raise KeyboardInterrupt
    if options.reduce:
        _reduce(model, survey, found, session, feeds[0], out / "reduced", options, report)
    return _exit_code(path, survey, found, chosen, options.accept_known), found


def _opened(
    path: Path, out: Path, options: argparse.Namespace, session: Session
) -> tuple[Model, dict[str, Any], list[dict[str, np.ndarray]], str]:
    """The model, the device's facts, inputs that run, and what is said of their sizes.

    Raises ModelError, NotIRError, InputError, NotOpenedError, OSError.
    """
    model = open_model(path, out)
    facts = session.open_for_values().facts
    _check_folder(out)
    feeds, chosen = feeds_that_run(
        model,
        partial(runs, model, session),
        options.input,
        options.shape,
        options.samples,
        options.seed,
    )
    return model, facts, feeds, chosen


def _surveyed(surveyor: Surveyor, model: Model, is_alone: bool, chosen: str) -> tuple[Survey, str]:
    """The survey of a model, and the note on its sizes: ``chosen``, or why the device cannot know them."""
    survey = surveyor.survey(alone=is_alone)
    if model.has_unknown and survey.whole.facts.stage == "compile":
        if chosen in surveyor.notes:
            surveyor.notes.remove(chosen)
        chosen = (
            "the device fails before it knows the sizes of the open dimensions: it may take a file that states "
            "them, by openvino's Model.reshape and save_model"
        )
        surveyor.notes.append(chosen)
    return survey, chosen


def _say_and_write(found: ModelRun, out: Path) -> OSError | None:
    """Print and write what was found. It is printed even if it cannot be written, which is returned."""
    for line in text.lines(found):
        print(line)
    try:
        model_run.write(out / "model.json", found)
        write_text(out / _REPORT, model_report(found))
        print(f"report   {out / _REPORT}")
        if found.ranked() and found.ranked()[0].folder:
            print(f"issue    python -m reports issue {out / found.ranked()[0].folder}")
    except OSError as error:
        return error
    return None


def _reduce(
    model: Model,
    survey: Survey,
    found: ModelRun,
    session: Session,
    feed: dict[str, np.ndarray],
    folder: Path,
    options: argparse.Namespace,
    report: Callable[[str], None],
) -> None:
    """Write the smallest part that departs like the whole, and say what it is."""
    target = target_of(model, survey, found)
    if target is None:
        fails = "the failing layer fails alone, and its folder is the smallest model"
        print(f"reduced  nothing to reduce: {fails if found.ranked() else 'no layer departs'}")
        return
    reducer = Reducer(model, session, feed, target, folder, options.minutes, report)
    reducer.reduce()
    report("")
    for line in write_reduction(reducer, found):
        print(f"reduced  {line}")
    if options.anonymous:
        print(f"reduced  {folder} has names, weights and data of your model")


def _exit_code(
    path: Path, survey: Survey, found: ModelRun, chosen: str, accepts_known: bool
) -> int:
    """The exit code of a survey that came to its end; ``chosen`` says which sizes the tool chose."""
    if all(layer.outcome is None for layer in found.layers) and not survey.whole.failed:
        return _cannot(ModelError(f"{path}: no layer was judged"))
    if survey.whole.failed and chosen.endswith(GIVE_SHAPE) and not found.ranked():
        # It may be the sizes, which are not the user's.
        return _cannot(ModelError(f"{path}: {chosen}"))
    culprits = [e for e in found.culprits() if not (accepts_known and e.cause)]
    is_right = not culprits and (not survey.whole.failed or bool(found.culprits()))
    is_right = is_right and not (found.onnx and found.onnx.differing)
    return PASSES if is_right else DEPARTS


def _check_folder(out: Path) -> None:
    """Raise OSError where results cannot be written to a folder, before they are worked out."""
    out.mkdir(parents=True, exist_ok=True)
    check_is_own(out / _REPORT, has(GENERATOR.encode()), "choose another --out")
    try:
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        # The name of the temporary file says nothing to a user.
        error.filename = str(out)
        raise


def _cannot(error: Exception) -> int:
    told = str(error)
    if isinstance(error, OSError) and error.strerror:
        told = f"{error.filename or 'results cannot be written'}: {error.strerror}"
    say(f"python -m devices model: {told}")
    return CANNOT


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Says how far it is, in one line of a terminal, or now and then in a file; again while one step lasts."""
    started, last, current = time.monotonic(), [0.0], [""]
    is_terminal = sys.stderr.isatty()
    ended = threading.Event()

    def report(message: str) -> None:
        now, current[0] = time.monotonic(), message
        if is_terminal:
            text = f"{now - started:4.0f} s  {message}" if message else ""
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)
        elif message and now - last[0] >= _EVERY:
            last[0] = now
            print(f"{now - started:4.0f} s  {message}", file=sys.stderr, flush=True)

    def repeat() -> None:
        while not ended.wait(_EVERY):
            if current[0]:
                report(current[0])

    threading.Thread(target=repeat, daemon=True).start()
    try:
        yield report
    finally:
        ended.set()
