"""Compiles the OpenCL layer (``layer.c``) with the system's compiler, once."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from devices.opencl.problems import OpenCLError

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
    source = SOURCE.read_bytes()
    machine = os.uname().machine if hasattr(os, "uname") else ""
    digest = hashlib.sha256(source + machine.encode()).hexdigest()[:16]
    path = cache / f"opencl-layer-{digest}.so"
    if path.is_file():
        return path
    compiler = _compiler(stack, given)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        # Several runs may compile it at once: each puts a whole file in place.
        with NamedTemporaryFile(dir=cache, suffix=".so", delete=False) as file:
            made = Path(file.name)
        try:
            _compile(stack, [*compiler, *_FLAGS, "-o", str(made), str(SOURCE)], given)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise OpenCLError(stack, f"{error.filename or cache}: {error.strerror}", "") from None
    return path


def _compiler(stack: str, given: Mapping[str, str]) -> list[str]:
    """The command of the compiler."""
    named = shlex.split(given.get("CC", ""))
    for command in [named] if named else [[name] for name in _COMPILERS]:
        if shutil.which(command[0], path=given.get("PATH")):
            return command
    missing = named[0] if named else ", ".join(_COMPILERS)
    raise OpenCLError(stack, f"no C compiler for the OpenCL layer ({missing})")


def _compile(stack: str, command: list[str], given: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            env=dict(given),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise OpenCLError(stack, f"{command[0]} did not end within {_LIMIT:g} s", "") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        told = next((line for line in lines if "error" in line), (lines or ["no message"])[-1])
        raise OpenCLError(stack, f"{command[0]} cannot compile the OpenCL layer: {told}")
