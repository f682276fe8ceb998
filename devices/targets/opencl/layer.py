"""Compiles the OpenCL layer (``layer.c``) with the system's compiler, once."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from devices.targets.c_sources import CompileError, compile_to, path_of
from devices.targets.opencl.problems import HINT, OpenCLError

SOURCE = Path(__file__).with_name("layer.c")
_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-shared", "-fPIC", "-O1", "-pthread")
# Seconds.
_LIMIT = 60.0


def compiled_layer(stack: str, cache: Path, given: Mapping[str, str]) -> Path:
    """The path of the compiled layer, below ``cache``: it is compiled where there is none of this source.

    ``given`` is the environment: CC names another compiler than the system's. Raises OpenCLError with the profile of
    ``stack``.
    """
    path = path_of(SOURCE, cache, ".so")
    if not path.is_file():
        compiler = _compiler(stack, given)
        try:
            compile_to(path, [*compiler, *_FLAGS], SOURCE, given, _LIMIT)
        except CompileError as error:
            raise OpenCLError(stack, str(error), HINT if error.is_told else "") from None
    return path


def _compiler(stack: str, given: Mapping[str, str]) -> list[str]:
    """The command of the compiler."""
    named = shlex.split(given.get("CC", ""))
    for command in [named] if named else [[name] for name in _COMPILERS]:
        if shutil.which(command[0], path=given.get("PATH")):
            return command
    missing = named[0] if named else ", ".join(_COMPILERS)
    raise OpenCLError(stack, f"no C compiler for the OpenCL layer ({missing})")
