"""``python -m devices place``: where in OpenVINO a cause happens, measured, as data of the cause."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

import ir_models
from devices.commands.write import write
from devices.engine.runner import Options
from devices.engine.session import Session
from devices.places.measuring import function_of, place_of
from devices.process.opening import NotOpenedError
from devices.targets.profiles import Profile, parse
from reports.gate import baseline_files, causes
from reports.gate.causes import COMPUTING, Cause
from reports.results.outcomes import Outcome
from reports.results.shared.files import write_text
from reports.results.shared.text import say

MOST = 3
"""Cases of a cause that are tried at most."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``python -m devices place``."""
    parser.description = (
        "Find where in OpenVINO a small case of a cause fails, without a build: the line of code that a refusal "
        "prints, the function in which the process dies (gdb), the pass after which the model's answer is the wrong "
        "one (OpenVINO writes the model after each pass, and core evaluates it), the node and the kernel that computed "
        "it, or core's function of the operation (gdb stops in it). Exit code: 0 found, 1 no place was found for any "
        "cause, 2 wrong usage."
    )
    add = parser.add_argument
    add(
        "cause",
        metavar="CAUSE",
        nargs="*",
        help="ids of causes (default: all that have no place, and that a baseline of the device and the profile shows)",
    )
    add("--device", default="CPU", help="the device (default CPU)")
    add("--profile", metavar="P", default="accuracy", help="its profile (default accuracy)")
    add("--write", action="store_true", help="write the places into the files of the causes")


def run(args: argparse.Namespace) -> int:
    """Measure the places."""
    known = causes.load().by_id
    for name in args.cause:
        if name not in known:
            raise ValueError(f"no cause {name!r}; `python -m reports causes` lists them")
    profile = parse(args.profile)
    _check_is_there(args.device, profile)
    shown = _shown(args.device, args.profile)
    chosen = [known[name] for name in args.cause] or [
        one
        for one in known.values()
        if one.id in shown and not one.place_on(args.device) and not one.fixed_on(args.device)
    ]
    found = 0
    for cause in chosen:
        place = _measured(cause, shown.get(cause.id, ()), args.device, profile)
        found += bool(place)
        print(f"{cause.id}: {place or '–'}", flush=True)
        if place and args.write:
            _store(cause, args.device, place)
    return 0 if found else 1


def _check_is_there(device: str, profile: Profile) -> None:
    """Raise ValueError for a device that is not on this machine."""
    profile.check_device(device)
    session = Session(device, profile, Options().case_timeout)
    try:
        session.open()
    except NotOpenedError:
        why = profile.why_absent() or f"{device} is not on this machine"
        raise ValueError(f"--device {device}: {why}") from None
    finally:
        session.close()


def _shown(device: str, profile: str) -> dict[str, set[str]]:
    """The cases of each cause in the baselines of a device with a profile, those that do not end left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for folder in baseline_files.folders_of(device):
        if baseline_files.read_run(folder).uncapped_profile == profile:
            for case, line in baseline_files.read_folder(folder).departures().items():
                if all(ending.outcome is not Outcome.TIMEOUT for ending in line.endings):
                    found[line.cause].add(case)
    return found


def _measured(cause: Cause, shown: Collection[str], device: str, profile: Profile) -> str:
    """Return the place of a cause by its smallest case, else by others that a baseline shows; "" if none tells it."""
    by_size = sorted(shown, key=lambda case: (case != cause.smallest, len(case), case))
    found = (_place_in(cause, case, device, profile) for case in by_size[:MOST] or [cause.smallest])
    return next(filter(None, found), "")


def _place_in(cause: Cause, case: str, device: str, profile: Profile) -> str:
    """Return the place that a case tells; "" where it conforms here, or tells none."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "case"
        try:
            verdict = write(ir_models.named(case), folder, device, profile)
            is_shown = verdict is not None and not verdict.shows_nothing_wrong
            place = place_of(folder) if is_shown else ""
            if place.startswith("node ") and cause.component not in COMPUTING:
                place = ""  # what computed a wrong answer tells nothing of a cause that stands before it
            if is_shown and not place and cause.component == "core":
                place = function_of(folder)
        except (ValueError, LookupError, ArithmeticError, OSError) as error:
            say(f"{cause.id}: {error}")
            return ""
    return place


def _store(cause: Cause, device: str, place: str) -> None:
    """Write the place of a device into the file of a cause, behind its smallest case."""
    text = cause.path.read_text("utf-8")
    places = {**cause.place, device: place}
    table = ", ".join(f'{name} = "{told}"' for name, told in sorted(places.items()))
    text = re.sub(r"^place = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(
        r"^(smallest = .*\n)", lambda match: f"{match[1]}place = {{ {table} }}\n", text, count=1,
        flags=re.MULTILINE,
    )  # fmt: skip
    write_text(cause.path, text)
