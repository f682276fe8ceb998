"""The messages of OpenVINO's exceptions."""

from __future__ import annotations

import re

_SOURCE_FILE = re.compile(r"(Exception|Check .*failed) (from|at) ")
# Lines that AUTO and HETERO put around the message of the device below, which is what known refusals are told by.
_OF_VIRTUAL = re.compile(
    r"(\[AUTO\] compile model failed, [^:]+:|Standard exception from compilation library: )Exception from .*|;"
)
_CHECK = re.compile(r"(Check '.*') failed at ")
_LONGEST = 400
# A part of a word at a cut; a word that fills all that is left stays.
_LAST_PART, _FIRST_PART = re.compile(r"\s+\S*$"), re.compile(r"^\S*\s+")
# The number in the name of a node counts the nodes that the process has made, earlier cases included.
_NODE_NUMBER = re.compile(r"(?<=[A-Za-z]_)\d+\b")

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
    if len(text) <= _LONGEST:
        return text
    # Whole words are kept, and as many whatever the numbers of nodes are.
    alike = _NODE_NUMBER.sub("0", text)
    head, tail = _LAST_PART.sub("", alike[:200]), _FIRST_PART.sub("", alike[-195:])
    words = text.split()
    first, last = words[: len(head.split())], words[-len(tail.split()) :]
    if max(map(len, (*first, *last))) > 195:
        # Of a word that fills all that is left, a part.
        return f"{head} ... {tail}"
    return " ".join([*first, "...", *last])


def may_be_damage(error: str) -> bool:
    """Whether an exception may as well come from memory that an earlier layer damaged as from the layer itself."""
    return bool(_OF_LIBRARY.fullmatch(error))
