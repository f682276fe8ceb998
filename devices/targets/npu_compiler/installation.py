"""Where the compiler is installed, and the small program that asks it (``compile.c``), which is compiled once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from devices.targets.c_sources import CompileError, compile_to, path_of
from devices.targets.cache import cache_folder

FOLDER = "CONFORMANCE_NPU_COMPILER"
"""The variable of the folder that has OpenVINO's libraries for Windows, ``libs``, and Wine's files, ``prefix``."""
PROGRAM = "CONFORMANCE_NPU_PROGRAM"
"""The variable of the program that asks the compiler, which is compiled unless one is named."""
COMPILE_ONLY = "CONFORMANCE_NPU_COMPILE_ONLY"
"""The variable that tells a child process to compile where there is no NPU. Only a profile sets it."""

LIBRARY = "openvino_intel_npu_compiler.dll"
"""The compiler. The wheels of OpenVINO for Windows have it from 2026.0 on."""

SOURCE = Path(__file__).with_name("compile.c")
_DEFAULT = "/usr/local/npu-compiler"
_COMPILER = "x86_64-w64-mingw32-gcc"
# The compiler is a deep recursion in places: its stack is as large as that of a thread on Linux.
_FLAGS = ("-O1", "-Wl,--stack,8388608")
_HINT = ".ci/npu-compiler/make-root makes a root folder that has all of it (docs/npu-compiler.md)"
# Seconds.
_LIMIT = 120.0


class NpuCompilerError(ValueError):
    """The compiler cannot be used here. The message is one line."""


def environment(given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a child process that asks the compiler; none where it is not installed.

    The program is compiled where there is none of this source. Raises NpuCompilerError where that fails.
    """
    if what_is_missing(given):
        return {}
    folder = _folder(given)
    return {
        COMPILE_ONLY: "1",
        FOLDER: str(folder),
        PROGRAM: given.get(PROGRAM) or str(_compiled_program(cache_folder(given), given)),
        "WINEPREFIX": str(folder / "prefix"),
        "WINEDEBUG": "-all",
        # Without a desktop Wine complains in a line that would stand for the reason of a death.
        "XDG_RUNTIME_DIR": given.get("XDG_RUNTIME_DIR") or str(folder / "prefix"),
    }


def what_is_missing(given: Mapping[str, str] = os.environ) -> str:
    """What the compiler lacks on this machine, in one line; empty where it is there."""
    folder = _folder(given)
    if not (folder / "libs" / LIBRARY).is_file():
        return f"there is no {folder / 'libs' / LIBRARY}; {_HINT}"
    if given.get(PROGRAM):
        return ""
    for program in ("wine", _COMPILER):
        if not shutil.which(program, path=given.get("PATH")):
            return f"{program} is not installed; {_HINT}"
    return ""


def command(device: str, settings: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """The command of the program in the environment of a child process."""
    program = given[PROGRAM]
    start = ["wine", program] if program.endswith(".exe") else [program]
    words = [word for pair in settings.items() for word in pair]
    return [*start, str(_folder(given) / "libs"), device, *words]


def _folder(given: Mapping[str, str]) -> Path:
    return Path(given.get(FOLDER) or _DEFAULT)


def _compiled_program(cache: Path, given: Mapping[str, str]) -> Path:
    path = path_of(SOURCE, cache, ".exe")
    if not path.is_file():
        try:
            compile_to(path, [_COMPILER, *_FLAGS], SOURCE, given, _LIMIT)
        except CompileError as error:
            raise NpuCompilerError(str(error)) from None
    return path
