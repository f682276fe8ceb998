"""Case folders written: all files of a folder appear at once."""

from __future__ import annotations

import importlib.resources
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .manifest import MANIFEST, SCHEMA, InferenceFiles, Manifest
from .tensors import StoredTensor, save

SCRIPT = "reproduce.py"
# The modules that the script needs, copied to a folder ``case_folder`` beside it.
SCRIPT_MODULES = (
    "__init__.py",
    "tensors.py",
    "comparison.py",
    "shapes.py",
    "manifest.py",
    "own_openvino.py",
    "openvino_run.py",
    "command.py",
)
# What a folder's small files take, the script and its modules among them, in bytes.
OVERHEAD = 72 * 1024


@dataclass(frozen=True)
class Inference:
    """The tensors of one inference: see `reports.results.case_folder.manifest.InferenceFiles`.

    ``allowed`` has an array of largest allowed absolute errors per expected output, broadcastable
    to it (inf: any value is allowed), or None for bit for bit; empty means all bit for bit.
    """

    inputs: Sequence[StoredTensor]
    expected: Sequence[StoredTensor] = ()
    allowed: Sequence[np.ndarray | None] = ()
    choice: Sequence[bool] = ()
    together: Sequence[bool] = ()
    random: Sequence[bool] = ()
    exact: Sequence[np.ndarray | None] = ()
    actual: Sequence[StoredTensor] = ()
    states: Sequence[StoredTensor] = ()


@dataclass(frozen=True)
class CaseFiles:
    """The content of a case folder: see `reports.results.case_folder.manifest.Manifest`."""

    case: str
    model_xml: bytes
    model_bin: bytes
    inferences: Sequence[Inference]
    seed: int = 0
    device: str = "CPU"
    settings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    invalid: bool = False
    broken_rule: str = ""
    memory: str = ""
    requests: str = ""
    result: dict[str, Any] | None = None
    turns: Sequence[dict[str, Any]] = ()
    queried: Sequence[str] = ()
    layers: Sequence[str] = ()
    inferred: Sequence[dict[str, Any]] = ()
    twice: str = ""
    judged: int | None = None
    compile_only: bool = False
    openvino: str = ""
    own_openvino: str = ""

    @property
    def size(self) -> int:
        """Bytes that the folder takes, approximately."""
        size = len(self.model_xml) + len(self.model_bin) + OVERHEAD
        for one in self.inferences:
            size += sum(
                tensor.size for tensor in (*one.inputs, *one.expected, *one.actual, *one.states)
            )
            arrays = (*one.allowed, *one.exact)
            size += sum(array.nbytes + 128 for array in arrays if array is not None)
        return size


# What a case's folder can hold, its script's caches included.
_IS_OF_A_CASE = re.compile(
    r"(input|expected|allowed|exact|actual|state)_[0-9]+_[0-9]+\.(npy|json)"
    rf"|{re.escape(MANIFEST)}|model\.(xml|bin)|{re.escape(SCRIPT)}|case_folder|__pycache__"
)


def holds_a_case(folder: Path, *others: str) -> bool:
    """Tell whether there is a case folder that `write` would replace, which may have files of ``others``' names too.

    Raises FileExistsError where something else is there, which is not to be lost.
    """
    if folder.is_symlink():
        raise FileExistsError(f"{folder} is a symbolic link; a case is written to a folder")
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a case is written to a folder")
    held = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    strange = [name for name in held.difference(others) if not _IS_OF_A_CASE.fullmatch(name)]
    if strange or (held and MANIFEST not in held):
        raise FileExistsError(f"{folder} holds files that are not a case's; choose another")
    return bool(held)


def write(folder: Path, content: CaseFiles) -> None:
    """Write a case folder; a folder of that name is replaced. Raises OSError."""
    with _replacing(folder) as building:
        (building / "model.xml").write_bytes(content.model_xml)
        # OpenVINO refuses to read an empty file, even where every constant is empty.
        (building / "model.bin").write_bytes(content.model_bin or bytes(64))
        manifest = Manifest(
            schema=SCHEMA,
            case=content.case,
            seed=content.seed,
            device=content.device,
            settings=content.settings,
            environment=content.environment,
            invalid=content.invalid,
            broken_rule=content.broken_rule,
            memory=content.memory,
            requests=content.requests,
            inferences=[
                _save_inference(building, number, one)
                for number, one in enumerate(content.inferences)
            ],
            result=content.result,
            turns=list(content.turns),
            queried=list(content.queried),
            layers=list(content.layers),
            inferred=list(content.inferred),
            twice=content.twice,
            judged=content.judged,
            compile_only=content.compile_only,
            openvino=content.openvino,
            own_openvino=content.own_openvino,
        )
        manifest.write(building)
        _copy_script(building)


def _save_inference(folder: Path, number: int, inference: Inference) -> InferenceFiles:
    def saved(kind: str, tensors: Sequence[StoredTensor]) -> list[Any]:
        return [save(folder, f"{kind}_{number}_{k}", one) for k, one in enumerate(tensors)]

    def saved_arrays(kind: str, arrays: Sequence[np.ndarray | None]) -> list[str | None]:
        files: list[str | None] = []
        for k, array in enumerate(arrays):
            file = None if array is None else f"{kind}_{number}_{k}.npy"
            if file is not None:
                np.save(folder / file, np.asarray(array, np.float64))
            files.append(file)
        return files

    count = len(inference.expected)
    return InferenceFiles(
        inputs=saved("input", inference.inputs),
        expected=saved("expected", inference.expected),
        allowed=saved_arrays("allowed", inference.allowed or [None] * count),
        choice=list(inference.choice or [False] * count),
        together=list(inference.together),
        random=list(inference.random),
        exact=saved_arrays("exact", inference.exact),
        actual=saved("actual", inference.actual),
        states=saved("state", inference.states),
    )


def _copy_script(folder: Path) -> None:
    (folder / "case_folder").mkdir()
    for name, content in _script().items():
        (folder / name).write_bytes(content)


@cache
def _script() -> dict[str, bytes]:
    """The script and its modules, by their paths in the folder."""
    source = importlib.resources.files("reports.results.case_folder")
    modules = {f"case_folder/{name}": source.joinpath(name) for name in SCRIPT_MODULES}
    return {
        name: file.read_bytes()
        for name, file in {SCRIPT: source.joinpath(SCRIPT), **modules}.items()
    }


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which becomes ``folder`` at the end, or is removed on an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
    except OSError as error:
        # The name of the temporary folder says nothing to a user.
        error.filename = str(folder)
        raise
    try:
        files = building / "new"
        files.mkdir()
        yield files
        if folder.exists():
            # A folder cannot be renamed onto one that has files.
            os.replace(folder, building / "old")
        os.replace(files, folder)
        # As a rule nothing is left in it.
        with suppress(OSError):
            building.rmdir()
    finally:
        if building.exists():
            shutil.rmtree(building)
