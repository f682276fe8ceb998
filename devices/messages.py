"""The messages of OpenVINO's exceptions."""

from __future__ import annotations

import re

from reports.selectors import version_in

_SOURCE_FILE = re.compile(r"(Exception|Check .*failed) (from|at) ")
# Lines that AUTO and HETERO put around the message of the device below, which is what known refusals are told by.
_OF_VIRTUAL = re.compile(
    r"(\[AUTO\] compile model failed, [^:]+:|Standard exception from compilation library: )Exception from .*|;"
)
_CHECK = re.compile(r"(Check '.*') failed at ")
_LONGEST = 400

# The message about an operation set or an element type that is newer than the release.
_NOT_IN_RELEASE = re.compile(r"from unsupported opset|Incorrect type: ")

# The Python interface of 2025.4 has no name for u2, which the library reads.
_NOT_IN_PYTHON = re.compile(r"type object '[\w.]+\.Type' has no attribute")

# Releases that read an operation set before they have all of its operations, of those that were tried.
_LATER = re.compile(r"Opset (?P<opset>opset\d+) doesn't contain the operation with type: ")
_GROWING = {"opset16": "<2025.4", "opset17": "<2026.4"}

# The C++ library's own message about a key or an index that is not there, or about memory: it names no layer. And that
# of OpenVINO's Python interface about an element type that is missing in its table, which is never so.
_OF_LIBRARY = re.compile(
    r"\s*((std::)?bad_\w+|[a-z_]+::(at\b|_[MS]_\w+).*|Check '[^']*dtype_map\.end.*)\s*", re.DOTALL
)


def one_line(error: str) -> str:
    """The message of an exception in one line of at most 400 characters, without OpenVINO's list of source files.

    A refusal by the device below AUTO or HETERO reads as that device's own.
    """
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    kept = [line for line in lines if not (_SOURCE_FILE.match(line) or _OF_VIRTUAL.fullmatch(line))]
    checks = [match[1] for line in lines if (match := _CHECK.match(line))]
    text = " ".join([*checks, *kept] or lines)
    return text if len(text) <= _LONGEST else f"{text[:200]} ... {text[-195:]}"


def may_be_damage(error: str) -> bool:
    """Whether an exception may as well come from memory that an earlier layer damaged as from the layer itself."""
    return bool(_OF_LIBRARY.fullmatch(error))


def is_not_in_release(stage: str, error: str, release: str) -> bool:
    """Whether a refusal says that this release of OpenVINO is older than the operation or an element type."""
    if _NOT_IN_PYTHON.search(error):
        return True
    if stage != "read":
        return False
    if _NOT_IN_RELEASE.search(error):
        return True
    found = _LATER.search(error)
    return found is not None and version_in(release, _GROWING.get(found["opset"], "<0"))
