"""What the compiler prints: the pass that fails, and what is said where the process dies."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINE = re.compile(r"\[ERROR\] [\d:.]+ \[[^\]]*\] ?(.*)")
_FAILED_PASS = re.compile(r"Failed Pass (\S+) on Operation (?:loc\()?(.*?)\)?$")
# A layer's name in a location, such as loc(fused<{name = "c3.l", type = "Relu"}>["c3.l"]).
_NAME = re.compile(r'name = "([^"]+)"')
# It says nothing, and stands before what the compiler itself says.
_GENERAL = re.compile(r"Compilation failed\. vcl\w+ result: 0x[0-9a-fA-F]+ - \[NPU_VCL\] ")
_RETURNED = re.compile(r"Compiler returned msg:\s*(.*)", re.DOTALL)
# Of every model without data at run time, also where it compiles.
_HARMLESS = "At least one instance has no outputs values"
# Addresses, and numbers that OpenVINO gives to operations, which differ from model to model.
_VARYING = re.compile(r"\b0x[0-9a-fA-F]{8,}|(?<=[A-Za-z])_\d+(?=')")
_DEATH = re.compile(r"LLVM ERROR:|Assertion|.*\(0x[0-9A-F]{8}\) in ")


def refusal(message: str, lines: Sequence[str]) -> str:
    """The exception of a refused model, with the failing pass and what was printed about it, each once.

    The exception alone mostly says "Compilation failed".
    """
    said = _returned(message)
    passes: list[str] = []
    printed: list[str] = []
    for line in lines:
        text = _text(line)
        failed = _FAILED_PASS.match(text)
        if failed:
            passes.append(_pass(failed[1], failed[2]))
        elif text and _HARMLESS not in text and not line.startswith(" ") and text not in said:
            printed.append(text)
    parts = [*dict.fromkeys(passes), *dict.fromkeys(printed)]
    if not parts or said != "Compilation failed":
        parts.append(said)
    return _VARYING.sub("", ": ".join(parts))


def death(lines: Sequence[str]) -> str:
    """What was printed before the process died, in one line: from the fatal message on, else the last line."""
    texts = [line.strip() for line in lines if line.strip()]
    for number, text in enumerate(texts):
        if _DEATH.match(text):
            before = [_text(line) for line in texts[:number] if line.startswith("[ERROR]")]
            known = [each for each in dict.fromkeys(before) if each and _HARMLESS not in each]
            return " ".join([*texts[number:], *(f"({each})" for each in known[-1:])])
    return _text(texts[-1]) if texts else ""


def _returned(message: str) -> str:
    """What the compiler returned; the whole message where the plugin says something else."""
    if not _GENERAL.search(message):
        return message
    found = _RETURNED.search(message)
    return (found[1] if found else message).strip()


def _text(line: str) -> str:
    found = _LINE.match(line)
    return (found[1] if found else line).strip()


def _pass(name: str, location: str) -> str:
    operation = _NAME.search(location)
    is_module = operation is None or operation[1] == "module"
    return f"pass {name}" if is_module else f"pass {name} on {operation[1]}"  # type: ignore[index]
