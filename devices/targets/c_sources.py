"""Compiles the project's own C sources with a compiler of the machine, each once."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile


class CompileError(Exception):
    """A source cannot be compiled here. The message is one line; ``is_told``: the compiler itself says why."""

    def __init__(self, message: str, is_told: bool = False) -> None:
        self.is_told = is_told
        super().__init__(message)


def path_of(source: Path, folder: Path, suffix: str) -> Path:
    """Where a source is compiled to: the name tells sources and machines apart."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    digest = hashlib.sha256(source.read_bytes() + machine.encode()).hexdigest()[:16]
    return folder / f"{source.parent.name}-{digest}{suffix}"


def compile_to(
    path: Path, command: Sequence[str], source: Path, given: Mapping[str, str], limit: float
) -> None:
    """Compile a source to a file, whose folder is made.

    ``command`` is the compiler with its options, which runs in the environment ``given`` for ``limit`` seconds at most.
    Raises CompileError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Several runs may compile it at once: each puts a whole file in place.
        with NamedTemporaryFile(dir=path.parent, suffix=path.suffix, delete=False) as file:
            made = Path(file.name)
        try:
            _compile([*command, "-o", str(made), str(source)], source.name, given, limit)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise CompileError(f"{error.filename or path.parent}: {error.strerror}") from None


def _compile(command: Sequence[str], name: str, given: Mapping[str, str], limit: float) -> None:
    try:
        done = subprocess.run(
            command,
            env=dict(given),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(f"{command[0]} did not end within {limit:g} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        told = next((line for line in lines if "error" in line), (lines or ["no message"])[-1])
        raise CompileError(f"{command[0]} cannot compile {name}: {told}", is_told=True)
