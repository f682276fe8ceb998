"""Cases named by hand: ``--case ID``, ``--cases FILE``, and ``--sweep PATTERN``, an id with several values in places.

Concat-1/plain/f16[1,{16..400..4},8,8],f16[1,8,8,8]/axis=1     every fourth number
Add-1/type/{f32,f16,bf16}[{n=1..130}],f32[{n}]                 each type with each number, twice the same
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from pathlib import Path

import ir_models
from ir_models import Case
from ir_models.corpus.named import why_layer_is_not
from reports.results.shared.text import count

_PLACE = re.compile(r"\{(?:(\w+)=)?([^{}]*)\}")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.([1-9]\d*))?")
_MOST = 100_000
_SHOWN = 20


class NamingError(ValueError):
    """Cases that cannot be read; the message is one line, or an argument for each line."""


def read_file(path: Path) -> dict[int, str]:
    """The ids in a file by line, one at the beginning of each, up to a tab; lines that begin with # are comments.

    Editors of some systems put a byte order mark in front.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise NamingError(f"--cases {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise NamingError(f"--cases {path}: it is not text in UTF-8") from None
    if lines and lines[0].startswith("{"):
        raise NamingError(
            f"--cases {path}: it is a results file; a list of ids has one at the beginning of each line"
        )
    found = {number: line.partition("\t")[0].strip() for number, line in enumerate(lines, 1)}
    ids = {number: text for number, text in found.items() if text and not text.startswith("#")}
    if not ids:
        raise NamingError(f"--cases {path}: it names no case")
    return ids


def described(path: str) -> str:
    """A file of cases as a selection names it: with its content, so that a run of other cases is not resumed by it."""
    ids = read_file(Path(path)).values()
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    return f"--cases {path} ({len(ids):,} of {digest[:8]})"


def first_of(wrong: Sequence[str]) -> list[str]:
    """Return lines on wrong case ids without repetitions: the first, and how many more there are."""
    lines = list(dict.fromkeys(wrong))
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"and {more:,} more that name no case"] if more > 0 else lines


@dataclass(frozen=True)
class Sweep:
    """The cases of a template: ``points`` has the case id for the values in its places, in their order.

    It is "" for layers that are not asked. ``left_out`` says what these are: ``invalid``, or ``valid`` though the
    purpose is invalid.
    """

    template: str
    names: tuple[str, ...]
    points: Mapping[tuple[str, ...], str]
    left_out: Mapping[tuple[str, ...], str]

    @property
    def cases(self) -> list[str]:
        """The ids of the cases, in the order of the template."""
        return [case for case in self.points.values() if case]

    def table(self, outcomes: Mapping[str, str]) -> list[str]:
        """Lines that say where it departs: for the values of all places but the last, the last one's by outcome.

        ``outcomes`` are those of cases by id. Values of layers that are not asked stand apart, behind the others.
        """
        lines = [f"sweep of {self.template}"]
        lines += [
            f"  {count(number, 'layer')} {what}, left out"
            for what, number in Counter(self.left_out.values()).items()
        ]
        for first, group in groupby(self.points.items(), lambda each: each[0][:-1]):
            named = zip(self.names, first, strict=False)
            label = "".join(f"{name}={value}, " for name, value in named)
            rows = [*group]
            values = [point[-1] for point, _ in rows]
            found = [
                outcomes.get(case, "not asked") if case else self.left_out[point]
                for point, case in rows
            ]
            asked = [place for place, (_, case) in enumerate(rows) if case]
            runs = [(what, [*run]) for what, run in groupby(asked, found.__getitem__)]
            for what in dict.fromkeys(self.left_out.values()):
                runs.append((what, [place for place, each in enumerate(found) if each == what]))
            lines += [
                f"  {what:<16} {label}{self.names[-1]}={_ranges([values[place] for place in places])}"
                for what, places in runs
                if places
            ]
        return lines


def _ranges(values: Sequence[str]) -> str:
    """Values; three numbers or more with one step between them are joined, and two that follow each other."""
    if not all(value.lstrip("-").isdecimal() for value in values):
        return ", ".join(values)
    numbers = [int(value) for value in values]
    steps = [after - before for before, after in pairwise(numbers)]
    parts: list[str] = []
    first = 0
    while first < len(numbers):
        last = first
        while last < len(steps) and steps[last] == steps[first]:
            last += 1
        is_joined = last - first > 1 or (last > first and steps[first] == 1)
        last = last if is_joined else first
        by = f" in steps of {steps[first]}" if is_joined and steps[first] != 1 else ""
        parts.append(
            f"{numbers[first]} to {numbers[last]}{by}" if is_joined else f"{numbers[first]}"
        )
        first = last + 1
    return ", ".join(parts)


def sweep(template: str) -> Sweep:
    """The cases of a template. Raises NamingError."""
    places: dict[str, list[str]] = {}
    order: list[str] = []
    single = re.search(r"[{}][^{}/]{0,20}", _PLACE.sub("", template))
    if single:
        raise NamingError(
            f"--sweep {template}: {single[0]!r} is not a place: one begins with {{ and ends with }}"
        )
    for number, match in enumerate(_PLACE.finditer(template), 1):
        name, text = match[1], match[2]
        if name is None and re.fullmatch(r"[A-Za-z_]\w*", text) and text in places:
            order.append(text)
            continue
        name = name or str(number)
        if name in places:
            raise NamingError(
                f"--sweep {template}: the place {name} has values twice; {{{name}}} uses it again"
            )
        places[name] = _values(template, text)
        order.append(name)
    if not places:
        raise NamingError(
            f"--sweep {template}: it has no place such as {{16..400..4}} or {{f16,f32}}"
        )
    names = tuple(places)
    number = math.prod(map(len, places.values()))
    if number > _MOST:
        raise NamingError(
            f"--sweep {template}: it has {number:,} cases; at most {_MOST:,} can be run"
        )

    def case_of(point: tuple[str, ...]) -> tuple[str, str]:
        """The id of a case, and "" or what the layer is that is left out. Raises CaseIdError."""
        values_of = dict(zip(names, point, strict=True))
        filled = iter(order)
        case = ir_models.parse_layer(_PLACE.sub(lambda _: values_of[next(filled)], template))
        if why_layer_is_not(case):
            return "", "valid" if case.is_invalid else "invalid"
        ir_models.check_named(case)
        return case.id, ""

    # A value that no case can have is reported at once, not after all the values before it.
    start = tuple(values[0] for values in places.values())
    for place, values in enumerate(places.values()):
        for value in values if len(values) <= _SHOWN else values[-1:]:
            case_of((*start[:place], value, *start[place + 1 :]))
    points: dict[tuple[str, ...], str] = {}
    left_out: dict[tuple[str, ...], str] = {}
    for point in product(*places.values()):
        points[point], what = case_of(point)
        if what:
            left_out[point] = what
    if not any(points.values()):
        kinds = Counter(left_out.values()).items()
        told = " and ".join(f"{count(number, 'layer')} {what}" for what, number in kinds)
        raise NamingError(f"--sweep {template}: {told}, and none is left to run")
    return Sweep(template, names, points, left_out)


def _values(template: str, text: str) -> list[str]:
    found = _RANGE.fullmatch(text)
    if found:
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
        numbers = range(first, last + 1, step)
        # Counted before they are made: a slip of the keyboard may ask for more than memory holds.
        if len(numbers[: _MOST + 1]) > _MOST:
            raise NamingError(f"--sweep {template}: {{{text}}} has more than {_MOST:,} values")
        values = [str(n) for n in numbers]
    else:
        values = [each.strip() for each in text.split(",")]
    if not values or not all(values):
        raise NamingError(f"--sweep {template}: {{{text}}} has no values")
    return values


def expand(
    cases: Sequence[str],
    files: Sequence[str],
    sweeps: Sequence[Sweep],
    read: Callable[[str], Case] = ir_models.named,
) -> Iterator[str]:
    """The ids of all cases that are named, which ``read`` checks. Raises NamingError with a line for each wrong one."""
    texts = [("", text) for text in cases]
    for path in files:
        texts += [(f"{path}:{number}: ", text) for number, text in read_file(Path(path)).items()]
    found, wrong = [], []
    for place, text in texts:
        try:
            found.append(read(text).id)
        except (ir_models.CaseIdError, ir_models.UnknownOperationError) as error:
            wrong.append(f"{place}{error}")
    if wrong:
        raise NamingError(*first_of(wrong))
    yield from found
    for each in sweeps:
        yield from each.cases
