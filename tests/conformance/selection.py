"""The selection of a run: targets, cases and limits, read from the command line before anything starts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

import ir_models
from devices import Options, Profile, ProfileError, parse_profile
from devices.engine import packs
from ir_models import (
    DEFAULT_DEPTH,
    DEPTHS,
    Case,
    CaseIdError,
    Operation,
    UnknownOperationError,
    UnknownPurposeError,
)
from ir_models.asking.how import HOWS
from ir_models.asking.id_parts import split_id
from tests.conformance import naming, options
from tests.conformance.naming import Sweep

ROOT = Path(__file__).parents[2]
USUAL = "usual"
"""Stands for the usual way of asking, in which no factor differs."""

MANY_OPERATIONS = 50
"""Of more operations it takes longer to list the cases than to start other processes, or to read a file."""

_PACK, _PACK_OF_LONG_COMPILES = 100, 8
"""Cases of a model by default."""
_TIMEOUT, _SLOW_TIMEOUT = 10.0, 60.0
"""Seconds of a stage by default."""


class UsageError(Exception):
    """A wrong option. The message is one line, or an argument for each line; the exit code is 2."""


@dataclass(frozen=True)
class SuiteTarget:
    """A device with a profile. The name is that of the pytest node above its cases."""

    device: str
    profile: Profile

    @property
    def name(self) -> str:
        """``CPU``, or ``CPU(performance)`` where the profile is not the default."""
        return (
            self.device
            if self.profile.name == "accuracy"
            else f"{self.device}({self.profile.name})"
        )


@dataclass
class SuiteSelection:
    """The values of all options.

    ``patterns`` are those of graphs that are named, ``given`` the names as the user gave them. ``models`` are asked in
    place of the suite's cases, with ``inputs`` and ``shapes`` of the user's, or ``samples`` at random. ``filters`` are
    the other options that restrict the cases. ``named`` are cases that the options name one by one, in place of all
    others, ``sweeps`` the templates of sweeps among them. ``is_whole``: nothing does, so that lost cases can be found.
    """

    targets: list[SuiteTarget]
    patterns: tuple[str, ...]
    given: tuple[str, ...]
    purposes: tuple[str, ...]
    random: int
    seed: int
    depth: str
    how: tuple[str, ...]
    shard: tuple[int, int]
    options: Options
    results: Path | None
    resume: bool
    allow_absent: bool
    strict: bool
    baseline: Path | None
    claims: Path | None
    causes: tuple[Path, ...]
    models: tuple[Path, ...] = ()
    inputs: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    samples: int = 1
    filters: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    is_whole: bool = False
    minimum: int = 0

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The operations that are named, else all. Cases named one by one do not need them."""
        return ir_models.select_with_patterns(self.given)[0]

    @property
    def selects_operations(self) -> bool:
        """Whether the run is of some operations alone."""
        return bool(self.given) and not ir_models.are_all(self.operations)

    @property
    def asks_all_of_operations(self) -> bool:
        """Whether every case of the operations is asked, at a depth that has every way of asking."""
        restricted = self.purposes or self.filters or self.patterns or self.shard != (1, 1)
        return self.depth != "single" and not restricted

    @property
    def names(self) -> tuple[str, ...]:
        """The operations and patterns that the run is of; none for all."""
        if not self.selects_operations:
            return ()
        return (*(each.name for each in self.operations), *self.patterns)

    def ids(self, processes: int = 1) -> list[str]:
        """The ids of the selected cases, operation by operation; ``processes`` find them together."""
        number, count = self.shard
        is_listed = processes > 1 and not self.named
        return [
            each
            for each in (self._listed(processes) if is_listed else self._found())
            if (count == 1 or packs.shard(each, count) == number - 1)
            and (not self.how or _is_asked(each, self.how))
        ]

    def _found(self) -> Iterator[str]:
        if self.named:
            yield from self.named
            return
        for operation in self.operations:
            for case in ir_models.cases(
                operation, self.purposes, self.random, self.seed, self.depth
            ):
                yield case.id
        for name in ir_models.patterns_asked(self.given, self.purposes):
            from ir_models import patterns  # many modules, which other runs do not need

            yield from patterns.case_ids(name, self.depth)

    def _listed(self, processes: int) -> Iterator[str]:
        """Like ``_found``, by the command that lists cases."""
        options = ["--depth", self.depth, "--random", str(self.random), "--seed", str(self.seed)]
        options += ["--processes", str(processes)]
        if self.purposes:
            options += ["--purpose", *self.purposes]
        if self.given:
            options += ["--operation", *self.given]
        # Files and no pipes: what a listing that is killed has started would hold a pipe open.
        with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "ir_models", "list", *options],
                cwd=ROOT,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
            _listings.add(process)
            try:
                code = process.wait()
            finally:
                _end(process)
            if code:
                errors.seek(0)
                why = (errors.read().strip().splitlines() or [f"exit code {code}"])[-1]
                raise UsageError(f"listing the cases failed: {why}")
            out.seek(0)
            yield from out.read().splitlines()


# The commands that list cases now.
_listings: set[subprocess.Popen[bytes]] = set()


def end_listings() -> None:
    """End the commands that list cases, with all that they have started."""
    for process in [*_listings]:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    _listings.discard(process)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _is_asked(case_id: str, how: Sequence[str]) -> bool:
    """Whether a case is asked in one of these ways: it differs from the usual way in these factors alone."""
    factors = {*split_id(case_id).how}
    return factors <= {*how} if factors else USUAL in how


def named_cases(args: Sequence[str]) -> list[str]:
    """The case ids in arguments such as ``tests/conformance/test_layers.py::CPU::SpaceToDepth-1/...``."""
    return [arg.split("::", 2)[2] for arg in args if arg.count("::") >= 2]


def _reader(config: pytest.Config) -> Callable[[str], Case]:
    """What reads an id that a user wrote. The first process of a run has checked it, which takes time, for workers."""
    return ir_models.parse if hasattr(config, "workerinput") else ir_models.named


def _canonical(arg: str, read: Callable[[str], Case]) -> str:
    """The address of a case with its id as the suite writes it: the order of parameters may be another."""
    path, *names = arg.split("::", 2)
    if len(names) < 2:
        return arg
    return "::".join([path, names[0], read(names[1]).id])


def _check_ids(config: pytest.Config, targets: Mapping[str, SuiteTarget]) -> None:
    """Write the ids of the cases that are named as the suite does. Raises UsageError with a line for each wrong one."""
    places = _places(config)
    wrong: list[str] = []
    read = _reader(config)
    for position, arg in enumerate(config.args):
        try:
            config.args[position] = _canonical(arg, read)
            _check_address(config.args[position], targets)
        except (CaseIdError, UnknownOperationError, UsageError) as error:
            wrong += [f"{place}{error}" for place in places.get(arg, [""])]
    if wrong:
        raise UsageError(*naming.first_of(wrong))


def _check_address(arg: str, targets: Mapping[str, SuiteTarget]) -> None:
    """Raise UsageError for a case without an address, or with that of a target which the run does not test."""
    if options.is_bare_id(arg):
        address = f"tests/conformance/test_layers.py::{next(iter(targets))}::"
        raise UsageError(f"a case is addressed with its target: {address}{_short(arg)[1:-1]}")
    for name in _named_targets([arg]):
        if name not in targets:
            alike = next((t.name for t in targets.values() if t.device == name), "")
            cure = f"address the cases as {alike}::" if alike else "add --device"
            raise UsageError(
                f"{name} is in a case address, but the run tests {', '.join(targets)}: {cure}"
            )


def _places(config: pytest.Config) -> dict[str, list[str]]:
    """Where the lines of files of ids stand: ``ids.txt:3: ``."""
    found: dict[str, list[str]] = {}
    for given in config.invocation_params.args:
        if given.startswith("@"):
            for number, line in enumerate(Path(given[1:]).read_text("utf-8").splitlines(), 1):
                found.setdefault(line, []).append(f"{given[1:]}:{number}: ")
    return {line: list(dict.fromkeys(places)) for line, places in found.items()}


def _named_targets(args: Sequence[str]) -> list[str]:
    """The targets in such arguments: ``CPU``."""
    return [arg.split("::", 2)[1] for arg in args if "::" in arg]


def _check_together(get: Callable[[str], Any]) -> None:
    """Raise UsageError for options that do not go together, and for paths without a name."""
    for option in ("--input", "--shape", "--samples"):
        if get(option) and not get("--model"):
            raise UsageError(f"{option} needs --model")
    for option in ("--case", "--cases", "--sweep"):
        if get(option) and get("--model"):
            raise UsageError(f"{option} and --model exclude each other")
        for filters in ("--operation", "--purpose"):
            if get(option) and get(filters):
                raise UsageError(
                    f"{option} and {filters} exclude each other: the cases are named one by one"
                )
    for option in ("--baseline", "--causes", "--claims"):
        given = get(option)
        if given == "" or (isinstance(given, list) and "" in given):
            raise UsageError(f"{option} takes a path, got ''")


def _parsed(
    config: pytest.Config,
) -> tuple[list[Profile], tuple[str, ...], list[naming.Sweep], tuple[str, ...]]:
    """The profiles, patterns, sweeps and ids of cases that options name. Raises UsageError."""
    get = config.getoption
    try:
        profiles = [parse_profile(text) for text in get("--profile") or ["accuracy"]]
        operations = get("--operation") or ()
        patterns = ir_models.select_with_patterns(operations)[1] if operations else ()
        ir_models.check_purposes(tuple(get("--purpose") or ()))
        _check_together(get)
        sweeps = [naming.sweep(template) for template in get("--sweep") or ()]
        given = get("--case") or (), get("--cases") or ()
        named = naming.expand(*given, sweeps, _reader(config))
        return profiles, patterns, sweeps, tuple(dict.fromkeys(named))
    except (
        ProfileError,
        UnknownOperationError,
        UnknownPurposeError,
        CaseIdError,
        naming.NamingError,
    ) as error:
        lines = error.args if isinstance(error, naming.NamingError) else [str(error)]
        raise UsageError(*lines) from None


def read(config: pytest.Config) -> SuiteSelection:
    """The selection that the options ask for. Raises UsageError."""
    get = config.getoption
    profiles, patterns, sweeps, named = _parsed(config)
    operations, purposes = get("--operation") or (), tuple(get("--purpose") or ())
    devices = [_device(name) for name in get("--device") or ["CPU"]]
    targets = {t.name: t for t in (SuiteTarget(d, p) for d in devices for p in profiles)}
    if not get("--model"):
        _check_ids(config, targets)
    selection = SuiteSelection(
        targets=list(targets.values()),
        patterns=patterns,
        given=tuple(operations),
        purposes=purposes,
        random=_whole(get("--random"), "--random", 0),
        seed=_whole(get("--seed"), "--seed", 0),
        depth=_depth(get("--depth")),
        how=_how(get("--how") or ()),
        shard=_shard(get("--shard")),
        options=Options(
            pack_size=pack_size_of(get("--pack-size"), profiles),
            case_timeout=case_timeout_of(get("--case-timeout"), profiles),
            audit=_number(get("--audit"), "--audit", 0, 1),
        ),
        results=_results(get("--results")),
        resume=get("--resume"),
        allow_absent=get("--allow-absent"),
        strict=get("--strict-gate"),
        baseline=Path(get("--baseline")).expanduser() if get("--baseline") else None,
        claims=Path(get("--claims")).expanduser() if get("--claims") else None,
        causes=tuple(Path(each).expanduser() for each in get("--causes") or ()),
        models=tuple(map(Path, get("--model") or ())),
        inputs=tuple(get("--input") or ()),
        shapes=tuple(get("--shape") or ()),
        samples=_whole(get("--samples") or "1", "--samples", 1),
        filters=tuple(_filters(config)),
        named=named,
        sweeps=tuple(sweeps),
    )
    selection.options.seed = selection.seed
    selection.minimum = _minima(config.getini(options.MINIMUM)).get(selection.depth, 0)
    selection.is_whole = (
        not (operations or purposes or selection.filters)
        and selection.shard == (1, 1)
        and selection.random >= 50
        and selection.seed == 0
        and not get("maxfail")
    )
    return selection


def _results(text: str | None) -> Path | None:
    if text == "":
        raise UsageError("--results takes the name of a file, got ''")
    return Path(text).expanduser() if text else None


def pack_size_of(text: str | None, profiles: Sequence[Profile]) -> int:
    """The cases of a model at most: few where a model takes long to compile, and again for each half."""
    if text is None:
        compiles_long = any(profile.opencl or profile.npu for profile in profiles)
        return _PACK_OF_LONG_COMPILES if compiles_long else _PACK
    return _whole(text, "--pack-size", 1)


def case_timeout_of(text: str | None, profiles: Sequence[Profile]) -> float:
    """The seconds of each stage at most: more where a processor is emulated, or a compiler runs on Wine."""
    if text is None:
        is_slow = any(profile.arm or profile.npu for profile in profiles)
        return _SLOW_TIMEOUT if is_slow else _TIMEOUT
    return _number(text, "--case-timeout", 0.001, 1e6)


def results_path(selection: SuiteSelection) -> Path:
    """The results file: ``--results``, or a name made of the targets."""
    if selection.results is not None:
        return selection.results
    names = "-".join(dict.fromkeys(t.name for t in selection.targets))
    safe = "".join(c if c.isalnum() or c in "-_.,=" else "_" for c in names)
    number, count = selection.shard
    part = f".{number}-of-{count}" if count > 1 else ""
    return Path("results") / f"{safe}{part}.jsonl"


def _minima(text: str) -> dict[str, int]:
    """The least number of cases of a whole run, by depth."""
    minima = {}
    for each in filter(None, (part.strip() for part in text.split(","))):
        depth, is_given, number = each.partition("=")
        if not is_given or depth not in DEPTHS:
            raise UsageError(
                f"{options.MINIMUM} takes DEPTH=NUMBER, ..., with a depth of {', '.join(DEPTHS)}, got {_short(each)}"
            )
        minima[depth] = _whole(number, options.MINIMUM, 0)
    return minima


def _depth(text: str | None) -> str:
    if text is not None and text not in DEPTHS:
        raise UsageError(f"--depth is one of {', '.join(DEPTHS)}, got {text!r}")
    return text or DEFAULT_DEPTH


def _how(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in (USUAL, *HOWS):
            raise UsageError(f"--how takes {', '.join((USUAL, *HOWS))}, got {_short(name)}")
    return tuple(names)


def _filters(config: pytest.Config) -> Iterator[str]:
    """Other options that restrict the cases, as on the command line."""
    get = config.getoption
    if get("keyword"):
        yield f"-k {get('keyword')}"
    if get("markexpr"):
        yield f"-m {get('markexpr')}"
    yield from (f"--model {path}" for path in get("--model") or ())
    if get("how"):
        yield f"--how {' '.join(get('how'))}"
    if get("lf", False):
        yield "--lf"
    for option in ("--case", "--sweep"):
        yield from (f"{option} {value}" for value in get(option) or ())
    yield from map(naming.described, get("--cases") or ())
    yield from (f"--deselect {prefix}" for prefix in get("deselect") or ())
    yield from named_cases(config.args)


def _device(name: str) -> str:
    """A device's name, if OpenVINO could have a device of that name."""
    if not name.isprintable() or name != name.strip():
        raise UsageError(f"--device takes the name of a device, got {name[:60]!r}")
    batch = re.fullmatch(r"BATCH:.*\((.*)\)", name)
    if batch is not None and not re.fullmatch(r"0*[1-9][0-9]{0,8}", batch[1]):
        raise UsageError(
            f"--device {name[:60]}: the batch is a whole number from 1 on: BATCH:CPU(4)"
        )
    return name


_LARGEST = 2**63 - 1


def _whole(text: str, option: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= _LARGEST:
        end = f"to {_LARGEST}" if number > _LARGEST else "on"
        raise UsageError(f"{option} takes a whole number from {least} {end}, got {_short(text)}")
    return number


def _number(text: str, option: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise UsageError(f"{option} takes a number from {least:g} to {most:g}, got {_short(text)}")
    return number


def _shard(text: str) -> tuple[int, int]:
    number, slash, count = text.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and len(text) < 30:
        shard = int(number), int(count)
        if 1 <= shard[0] <= shard[1]:
            return shard
    raise UsageError(f"--shard takes I/N with I from 1 to N, such as 2/8, got {_short(text)}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
