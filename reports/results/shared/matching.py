"""Texts with the wildcards * and ?, and ranges of versions."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import cache


class VersionRangeError(ValueError):
    """A range of versions cannot be parsed."""


@cache
def _compiled(wildcard: str) -> re.Pattern[str]:
    # fnmatch would read the brackets of a case id's shape as a set of characters.
    return re.compile(fnmatch.translate(wildcard.replace("[", "[[]")))


def matches(wildcard: str, text: str) -> bool:
    """Tell whether a wildcard, in which only * and ? are special, matches all of `text`."""
    if "*" not in wildcard and "?" not in wildcard:
        return wildcard == text
    return _compiled(wildcard).match(text) is not None


def matches_any(wildcards: Iterable[str], text: str) -> bool:
    """Tell whether one of the wildcards matches all of `text`."""
    return any(matches(wildcard, text) for wildcard in wildcards)


def names_operation(wildcards: Iterable[str], operation: str) -> bool:
    """Tell whether a wildcard is the name of an operation, or of its type, as a page or OpenVINO writes it.

    ``SoftMax-8`` is also ``SoftMax``, ``Softmax-8`` and ``soft_max``.
    """
    full = _spelled(operation)
    names = (full, full.rpartition("-")[0])
    return any(matches(_spelled(wildcard), name) for wildcard in wildcards for name in names)


def _spelled(name: str) -> str:
    return name.replace("_", "").lower()


_VERSION = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)(\.\*)?\s*")


def parse_versions(versions: str) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return (operator, numbers, whether ``.*`` follows) for each part of a version range.

    Raises VersionRangeError.
    """
    parts = []
    for part in versions.split(","):
        found = _VERSION.fullmatch(part)
        if not found or (found[3] and found[1] not in ("==", "!=")):
            raise VersionRangeError(f"must be a range such as '>=2025.1,<2026.5', got {versions!r}")
        parts.append((found[1], numbers_of(found[2]), bool(found[3])))
    return parts


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (2026, 4, 0) of 2026.4.0-123."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(number) for number in found[0].split(".")) if found else ()


def version_in(version: str, versions: str) -> bool:
    """Tell whether a version lies in a range; one without numbers lies in none."""
    own = numbers_of(version)
    return bool(own) and all(_compare(own, *part) for part in parse_versions(versions))


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
