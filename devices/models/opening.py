"""Opens a user's model: IR as it is, any other format by way of OpenVINO in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ir_models.models import Model, NotIRError, read

_LIMIT = 600.0
"""Seconds that a conversion may take."""
_CANNOT_WRITE = 3
"""The exit code of ``devices.runtime.conversion`` where the target cannot be written."""
SUFFIXES = (".xml", ".onnx", ".tflite", ".pb", ".pdmodel")
_ROOT = Path(__file__).parents[2]


class ModelError(ValueError):
    """A model that cannot be read. The message is one line."""


def models_in(path: Path) -> list[Path]:
    """The model itself, or those in a folder, by name. Raises ModelError where there is none."""
    if not path.exists():
        raise ModelError(f"{path}: there is no such file")
    if not path.is_dir():
        _check_is_file(path)
        return [path]
    found = sorted(_found(path))
    if not found:
        raise ModelError(f"{path} has no model: none of {', '.join(SUFFIXES)}")
    return found


def _found(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in SUFFIXES and path.is_file():
            yield path


def open_model(path: Path, folder: Path) -> Model:
    """The model; ``folder`` is for IR that it is converted to. Raises ModelError."""
    if path.suffix == ".xml":
        _check_is_file(path.with_suffix(".bin"))
        try:
            return _checked(path, read(path))
        except NotIRError as error:
            first = str(error)
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}") from None
    else:
        first = ""
    is_new = not folder.exists()
    try:
        return _checked(path, read(convert(path, folder)))
    except (NotIRError, ModelError) as error:
        if is_new:
            with suppress(OSError):  # it has something in it
                folder.rmdir()
        # Of IR the project's own reader says best what is wrong.
        if not first:
            raise ModelError(str(error)) from None
        raise ModelError(first if first.startswith(str(path)) else f"{path}: {first}") from None


def _check_is_file(path: Path) -> None:
    """Raise ModelError for what is there and no file: reading a pipe may never end."""
    if path.exists() and not path.is_file():
        raise ModelError(f"{path} is not a regular file")


def _checked(path: Path, model: Model) -> Model:
    """The model, if something in it can be judged. Raises ModelError."""
    for name, found in (("layer", model.graph.nodes), ("result", model.graph.results)):
        if not found:
            raise ModelError(f"{path}: the model has no {name}, so that nothing can be judged")
    return model


def convert(path: Path, folder: Path) -> Path:
    """The IR that OpenVINO makes of a model. Raises ModelError."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{path.stem}.xml"
    if target.exists() and folder.resolve() == path.parent.resolve():
        raise ModelError(
            f"{target} is there already, and {path} is converted to it: choose another --out"
        )
    command = [
        sys.executable,
        "-m",
        "devices.runtime.conversion",
        str(path.resolve()),
        str(target.resolve()),
    ]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, env=dict(os.environ), capture_output=True, text=True,
            errors="replace", timeout=_LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ModelError(f"{path}: OpenVINO did not read it within {_LIMIT:g} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = lines[-1][:400] if lines else f"exit status {done.returncode}"
        if done.returncode == _CANNOT_WRITE:
            for file in (target, target.with_suffix(".bin")):
                file.unlink(missing_ok=True)
            raise ModelError(f"{path}: the IR of it cannot be written to {folder}: {why}")
        raise ModelError(f"{path}: OpenVINO does not read it: {why}")
    return target
