"""The known departures of a device, each with its reason: ``reports/expectations/<device>.toml``.

An entry says which cases it is about, what they end with, when, and why::

    [[expect]]
    case = "SpaceToDepth-1/*/i4*"      # or a list; * and ? are wildcards, all else is literal
    outcome = "REFUSED"                # or a list of admissible outcomes
    when = { profile = "performance", openvino = ">=2025.1,<2026.5", processor = "*AMX*" }
    detail = "*unsupported precision*" # the detail line that this departure has, as a pattern
    reason = "the CPU plugin has no i4 kernel and says so"
    link = "https://..."

`case`, `outcome` and `reason` are required. In `when` every key must hold; each is a pattern or a
list of patterns, of which one must hold. `openvino` is a range or a list of ranges (``>= <= > <
== !=``, joined by commas; ``==2026.4.*`` is every 2026.4).

Of the entries about a case the first that admits its outcome, and its detail, decides. If none
does, the case was expected to end as the first entry without a `detail` says: that is how an
improvement is seen, and a departure that is worse. An entry with a `detail` names a defect that
some of its cases meet, and is silent on the others.

Expected cases are run all the same, so that an improvement is seen.
"""

from __future__ import annotations

import fnmatch
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reports.outcomes import Gate, Outcome, improves

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DIRECTORY = Path(__file__).with_name("expectations")

FACTS = ("openvino", "processor", "driver", "full_name")
"""What `when` can ask of a run, besides the profile of the record."""


class ExpectationsError(ValueError):
    """An expectations file cannot be used."""


@dataclass(frozen=True)
class Entry:
    """One ``[[expect]]`` of a file."""

    cases: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    reason: str
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    detail: str = ""
    link: str = ""
    path: Path = Path()
    number: int = 0
    """Place in the file, from 1."""

    def __str__(self) -> str:
        return f"{self.path}: entry {self.number} ({self.cases[0]})"

    def is_about(self, case: str) -> bool:
        """Tell whether one of the patterns matches this case id."""
        return any(matches(pattern, case) for pattern in self.cases)

    def applies(self, profile: str, facts: Mapping[str, str]) -> bool:
        """Tell whether `when` holds for a profile and the facts of a run."""
        for name, wanted in self.when.items():
            if name == "openvino":
                version = facts.get(name, "")
                if not any(_version_in(version, versions) for versions in wanted):
                    return False
            else:
                value = profile if name == "profile" else facts.get(name, "")
                if not any(matches(pattern, value) for pattern in wanted):
                    return False
        return True


class Expectations:
    """The entries that hold for a device, in order: see the module for which decides."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self._unused = set(range(len(self.entries)))
        # Thousands of cases ask about the same few operations, and an entry may be about many.
        self._by_operation: dict[str, list[tuple[int, re.Pattern[str]]]] = {}

    def match(self, record: Mapping[str, Any], header_facts: Mapping[str, str]) -> Entry | None:
        """Return the entry that decides about this record, or None: see the module.

        `record` needs `case`, `profile`, `outcome` and `detail`; `header_facts` is what `facts`
        returns.
        """
        case = record["case"]
        admitting: Entry | None = None
        certain: Entry | None = None
        for place, pattern in self._candidates(case):
            entry = self.entries[place]
            if admitting is not None and place not in self._unused:
                continue
            if pattern.match(case) is None:
                continue
            self._unused.discard(place)
            if admitting is not None or not entry.applies(record["profile"], header_facts):
                continue
            if record["outcome"] in entry.outcomes and (
                not entry.detail or matches(entry.detail, record["detail"])
            ):
                admitting = entry
            elif not entry.detail and certain is None:
                certain = entry
        return admitting or certain

    def unused(self) -> list[Entry]:
        """Return the entries that are about none of the cases matched so far.

        An entry counts as used when its pattern fits a case id, whether or not its `when` holds:
        an entry for another release is no mistake, one for no case is.
        """
        return [self.entries[place] for place in sorted(self._unused)]

    def _candidates(self, case: str) -> list[tuple[int, re.Pattern[str]]]:
        """Return the places of the entries that name the case's operation, in order, with what they say of it."""
        operation = case.partition("/")[0]
        found = self._by_operation.get(operation)
        if found is None:
            found = []
            for place, entry in enumerate(self.entries):
                about = [p for p in entry.cases if _literal_operation(p) in (operation, None)]
                if about:
                    found.append((place, re.compile("|".join(map(_expression, about)))))
            self._by_operation[operation] = found
        return found


def judge(
    outcome: Outcome | str,
    wanted_outcome: Outcome | str,
    entry: Entry | None,
    *,
    allow_absent: bool = False,
) -> Gate:
    """Return what the gate makes of an outcome.

    `wanted_outcome` is what the case's purpose asks for (`reports.outcomes.wanted_of`),
    `entry` the expectation that matched, if any. An outcome that is better than each that the
    entry admits is an improvement; ABSENT and ERROR never are.
    """
    outcome, wanted = Outcome(outcome), Outcome(wanted_outcome)
    if outcome == Outcome.ABSENT and allow_absent:
        return Gate.SKIPPED
    right = outcome in (wanted, Outcome.PASS)
    if entry is not None:
        if outcome in entry.outcomes:
            return Gate.PASS if right else Gate.EXPECTED
        if all(improves(outcome, admitted, wanted) for admitted in entry.outcomes):
            return Gate.IMPROVED
    if right:
        return Gate.PASS
    return Gate.QUALITY if outcome == Outcome.QUALITY else Gate.DEPARTURE


def facts(header: Mapping[str, Any], device: str, profile: str) -> dict[str, str]:
    """Return what `when` can ask of a run: see `FACTS`. Missing ones are empty."""
    target: Mapping[str, Any] = next(
        (
            target
            for target in header["targets"]
            if target["device"] == device and target["profile"] == profile
        ),
        {},
    )
    return {name: target.get(name) or header.get(name) or "" for name in FACTS}


def load(*paths: str | os.PathLike[str]) -> Expectations:
    """Read expectations files; the entries of the first come first.

    Raises ExpectationsError with the file and the entry's number.
    """
    return Expectations(entry for path in paths for entry in _read(Path(path)))


def load_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> Expectations:
    """Return the expectations of a device: those of each file of `paths_for` that is there."""
    return load(*(path for path in paths_for(device, directory) if path.exists()))


def paths_for(device: str, directory: str | os.PathLike[str] = DIRECTORY) -> list[Path]:
    """Return where a device's expectations stand, whether or not the files are there.

    The device's own file comes first, then those of the device whose kernels it runs, if it is
    one: CPU for AUTO:CPU, HETERO:CPU, MULTI:CPU and BATCH:CPU(4), GPU for GPU.1. Over several
    devices, as in HETERO:GPU,CPU, nothing but the own file says which kernels run.
    """
    paths, name = [], device
    while name:
        paths.append(Path(directory) / file_name(name))
        name = _device_under(name)
    return paths


def file_name(device: str) -> str:
    """Return the name of a device's expectations file: ``BATCH_CPU_4_.toml`` of BATCH:CPU(4)."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", device) + ".toml"


def _device_under(device: str) -> str:
    """Return the one device whose kernels `device` runs, or "" if there is none, or several."""
    virtual, colon, under = device.partition(":")
    if colon and virtual:
        under = re.sub(r"\(\d+\)$", "", under)
        return "" if "," in under or under.startswith("-") else under
    numbered = re.fullmatch(r"(\w+)\.\d+", device)
    return numbered[1] if numbered else ""


_ENTRY_KEYS = ("case", "outcome", "when", "detail", "reason", "link")
_WHEN_KEYS = ("profile", *FACTS)


def _read(path: Path) -> Iterator[Entry]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ExpectationsError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ExpectationsError(f"{path}: not UTF-8: {error}") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Iterator[Entry]:
    """Yield the entries of a file's text; `path` is only for messages.

    Raises ExpectationsError with the file and the entry's number.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExpectationsError(f"{path}: not TOML: {error}") from None
    tables = document.pop("expect", [])
    if document:
        raise ExpectationsError(f"{path}: unknown key {next(iter(document))!r}; want [[expect]]")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ExpectationsError(f"{path}: want [[expect]] entries, got {_toml(tables)}")
    for number, table in enumerate(tables, 1):
        try:
            yield _entry(table, path, number)
        except ExpectationsError as error:
            raise ExpectationsError(f"{path}: entry {number}: {error}") from None


def _entry(table: Mapping[str, Any], path: Path, number: int) -> Entry:
    _known(table, _ENTRY_KEYS)
    outcomes = []
    for name in _texts(table, "outcome"):
        if name not in Outcome.__members__ or name == Outcome.ERROR:
            # ERROR is the suite's own fault: it is mended, not expected.
            admitted = ", ".join(one for one in Outcome.__members__ if one != Outcome.ERROR)
            raise ExpectationsError(f"outcome must be one of {admitted}; got {name!r}")
        outcomes.append(Outcome(name))
    when = table.get("when", {})
    if not isinstance(when, dict):
        raise ExpectationsError(f"when must be a table, got {_toml(when)}")
    _known(when, _WHEN_KEYS, "when.")
    conditions = {name: _texts(when, name, "when.") for name in when}
    for versions in conditions.get("openvino", ()):
        _parse_versions(versions)
    return Entry(
        cases=_texts(table, "case"),
        outcomes=tuple(outcomes),
        reason=_text(table, "reason"),
        when=conditions,
        detail=_text(table, "detail") if "detail" in table else "",
        link=_text(table, "link") if "link" in table else "",
        path=path,
        number=number,
    )


def _known(table: Mapping[str, Any], keys: tuple[str, ...], prefix: str = "") -> None:
    for name in table:
        if name not in keys:
            raise ExpectationsError(f"unknown key {prefix}{name}; known are {', '.join(keys)}")


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ExpectationsError(f"{name} must be a text that is not empty, got {_toml(value)}")
    return value


def _texts(table: Mapping[str, Any], name: str, prefix: str = "") -> tuple[str, ...]:
    """Return a text or a list of texts as a tuple of at least one."""
    value = table.get(name)
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(text, str) and text.strip() for text in values):
        raise ExpectationsError(
            f"{prefix}{name} must be a text or a list of texts, none empty, got {_toml(value)}"
        )
    return tuple(values)


def _toml(value: object) -> str:
    return "nothing" if value is None else repr(value)


_compiled: dict[str, re.Pattern[str]] = {}


def matches(pattern: str, text: str) -> bool:
    """Tell whether a pattern, in which only * and ? are special, matches all of `text`."""
    compiled = _compiled.get(pattern)
    if compiled is None:
        compiled = _compiled[pattern] = re.compile(_expression(pattern))
    return compiled.match(text) is not None


def _expression(pattern: str) -> str:
    # fnmatch would read the brackets of a case id's shape as a set of characters.
    return fnmatch.translate(pattern.replace("[", "[[]"))


def _literal_operation(pattern: str) -> str | None:
    """Return the operation that a pattern on case ids names, None if it may fit several."""
    operation = pattern.partition("/")[0]
    return None if "*" in operation or "?" in operation else operation


_VERSION = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)(\.\*)?\s*")


def _parse_versions(versions: str) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return (operator, numbers, whether ``.*`` follows) for each part of a version range."""
    parts = []
    for part in versions.split(","):
        found = _VERSION.fullmatch(part)
        if not found or (found[3] and found[1] not in ("==", "!=")):
            raise ExpectationsError(
                f"when.openvino must be a range such as '>=2025.1,<2026.5', got {versions!r}"
            )
        parts.append((found[1], _numbers(found[2]), bool(found[3])))
    return parts


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (2026, 4, 0) of 2026.4.0-123."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(number) for number in found[0].split(".")) if found else ()


def _version_in(version: str, versions: str) -> bool:
    """Tell whether a version lies in a range; one without numbers lies in none."""
    own = _numbers(version)
    return bool(own) and all(_compare(own, *part) for part in _parse_versions(versions))


def _compare(own: tuple[int, ...], operator: str, other: tuple[int, ...], any_patch: bool) -> bool:
    # 2026.4 and 2026.4.0 are one version, and 2026.4.* is every version that begins with it.
    length = len(other) if any_patch else max(len(own), len(other))
    left = (*own, *[0] * (length - len(own)))[:length]
    right = (*other, *[0] * (length - len(other)))
    return {
        ">=": left >= right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
        ">": left > right,
        "<": left < right,
    }[operator]
