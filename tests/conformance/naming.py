"""Cases named by hand: ``--case ID``, ``--cases FILE``, and ``--sweep PATTERN``, an id with several values in places.

Concat-1/plain/f16[1,{16..400..4},8,8],f16[1,8,8,8]/axis=1     every fourth number
Add-1/type/{f32,f16,bf16}[{n=1..130}],f32[{n}]                 each type with each number, twice the same
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path

import ir_models
from ir_models import Case
from ir_models.corpus.named import why_layer_is_not

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
        raise NamingError(f"--cases {path}: it is no text in UTF-8") from None
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
    """The cases of a pattern. ``points`` has the values in the places of the pattern, for each case id.

    ``left_out`` counts those that are not asked: layers that are ``invalid``, or ``valid`` though the purpose is
    invalid.
    """

    pattern: str
    names: tuple[str, ...]
    points: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, int]

    def table(self, outcomes: Mapping[str, str]) -> list[str]:
        """Lines that say where it departs: for the values of all places but the last, the last one's by outcome.

        ``outcomes`` are those of cases by id.
        """
        lines = [f"sweep of {self.pattern}"]
        lines += [f"  {n} layers are {what}, and not asked" for what, n in self.left_out.items()]
        rows = [(point, outcomes.get(case, "not run")) for case, point in self.points.items()]
        for first, group in groupby(rows, lambda row: row[0][:-1]):
            named = zip(self.names, first, strict=False)
            label = ", ".join(f"{name}={value}" for name, value in named)
            for outcome, run in groupby(group, lambda row: row[1]):
                values = [point[-1] for point, _ in run]
                are_numbers = all(value.lstrip("-").isdecimal() for value in values)
                is_range = len(values) > 1 and are_numbers
                shown = f"{values[0]} to {values[-1]}" if is_range else ", ".join(values)
                last = f"{self.names[-1]}={shown}"
                lines.append(f"  {outcome:<16} {label + ', ' if label else ''}{last}")
        return lines


def sweep(pattern: str) -> Sweep:
    """The cases of a pattern. Raises NamingError."""
    places: dict[str, list[str]] = {}
    order: list[str] = []
    single = re.search(r"[{}][^{}/]{0,20}", _PLACE.sub("", pattern))
    if single:
        raise NamingError(
            f"--sweep {pattern}: {single[0]!r} is no place: one begins with {{ and ends with }}"
        )
    for number, match in enumerate(_PLACE.finditer(pattern), 1):
        name, text = match[1], match[2]
        if name is None and re.fullmatch(r"[A-Za-z_]\w*", text) and text in places:
            order.append(text)
            continue
        name = name or str(number)
        if name in places:
            raise NamingError(
                f"--sweep {pattern}: the place {name} has values twice: {{{name}}} repeats it"
            )
        places[name] = _values(pattern, text)
        order.append(name)
    if not places:
        raise NamingError(
            f"--sweep {pattern}: it has no place such as {{16..400..4}} or {{f16,f32}}"
        )
    names = tuple(places)
    count = 1
    for values in places.values():
        count *= len(values)
    if count > _MOST:
        raise NamingError(f"--sweep {pattern}: it has {count:,} cases, more than {_MOST:,}")
    points: dict[str, tuple[str, ...]] = {}
    left_out: Counter[str] = Counter()
    for point in product(*places.values()):
        values_of = dict(zip(names, point, strict=True))
        filled = iter(order)
        text = _PLACE.sub(lambda _: values_of[next(filled)], pattern)  # noqa: B023
        case = ir_models.parse(text)
        if why_layer_is_not(case):
            left_out["valid" if case.is_invalid else "invalid"] += 1
            continue
        ir_models.check_named(case)
        points[case.id] = point
    if not points:
        told = " and ".join(f"{n} layers {what}" for what, n in left_out.items())
        raise NamingError(f"--sweep {pattern}: {told}, and none is left to ask")
    return Sweep(pattern, names, points, left_out)


def _values(pattern: str, text: str) -> list[str]:
    found = _RANGE.fullmatch(text)
    if found:
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
        numbers = range(first, last + 1, step)
        # Counted before they are made: a slip of the keyboard may ask for more than memory holds.
        if len(numbers[: _MOST + 1]) > _MOST:
            raise NamingError(f"--sweep {pattern}: {{{text}}} has more than {_MOST:,} values")
        values = [str(n) for n in numbers]
    else:
        values = [each.strip() for each in text.split(",")]
    if not values or not all(values):
        raise NamingError(f"--sweep {pattern}: {{{text}}} has no values")
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
        yield from each.points
