"""A case as a folder of files that plain openvino and numpy read.

``model.xml`` and ``model.bin`` are the model, ``manifest.json`` says which file holds which tensor: for each
inference the inputs by the names of their Parameters, and the right outputs by those of their Results.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ir_models import ir
from ir_models.case import Case
from ir_models.element_types import ElementType
from ir_models.rules import broken_rule
from reference import Expected, answer

MANIFEST = "manifest.json"

# NumPy has a type of the same bytes.
_NATURAL = {
    "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "boolean",
}  # fmt: skip


def write(case: Case, folder: Path, seed: int = 0, replace: bool = False) -> None:
    """Write a case to ``folder``, which appears at once, whole.

    A tensor is ``input_<inference>_<port>.npy`` or ``expected_<inference>_<port>.npy``: in its shape where NumPy has
    its type, else its bytes as OpenVINO holds them, uint8; strings are nested lists in a ``.json`` file. An invalid
    layer has no right output. ``replace`` allows a folder that an earlier call made to be replaced.

    Raises ValueError for a layer that breaks a rule of its page where the case is not about that, FileExistsError for
    a folder that holds files, MissingReferenceError where no reference answers, and OSError.
    """
    folder = folder.resolve()
    _check_is_free(folder, replace)
    expected = _expected(case, seed)
    stated = [e.value.shape for e in expected[0]] if expected else None
    model = ir.write([case], [stated], seed)
    types = case.operation.output_types(case.layer)
    with _appearing(folder) as building:
        (building / "model.xml").write_bytes(model.xml)
        (building / "model.bin").write_bytes(model.weights)
        inferences = []
        for number in range(case.how.inferences):
            arrays = case.arrays(number, seed)
            inputs = [
                _save(building, f"input_{number}_{k}", name, port.element_type, arrays[port.port])
                for k, (name, port) in enumerate(model.parameters.items())
            ]
            outputs = [
                _save(building, f"expected_{number}_{k}", name, kind, right.value)
                for k, (name, kind, right) in enumerate(
                    zip(model.results, types, expected[number], strict=True) if expected else ()
                )
            ]
            inferences.append({"inputs": inputs, "outputs": outputs})
        broken = broken_rule(case.layer) if case.is_invalid else None
        manifest = {
            "case": case.id,
            "seed": seed,
            "model": "model.xml",
            "weights": "model.bin",
            "broken_rule": broken.text if broken else None,
            "inferences": inferences,
        }
        text = json.dumps(manifest, indent=1)
        (building / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _check_is_free(folder: Path, replace: bool) -> None:
    if folder.is_dir():
        held = [path.name for path in folder.iterdir()]
        if held and MANIFEST not in held:
            raise FileExistsError(f"{folder} holds files that are not a case's; choose another")
        if held and not replace:
            raise FileExistsError(f"{folder} holds a case already; --force replaces it")
    elif folder.exists():
        raise FileExistsError(f"{folder} is a file; a case is written to a folder")


def _expected(case: Case, seed: int) -> list[list[Expected]]:
    """The right outputs of each inference; none for an invalid layer."""
    if case.is_invalid:
        return []
    rule = broken_rule(case.layer)
    # An example stands as the page prints it, slips included.
    if rule is not None and case.purpose != "example":
        raise ValueError(f"{case.id}: the layer breaks a rule of its page: {rule.text}")
    return [
        answer(case.operation.name, case.arrays(number, seed), layer.arguments())
        for number, layer in enumerate(case.layers)
    ]


def _save(
    folder: Path, stem: str, name: str, kind: ElementType, values: np.ndarray | None
) -> dict[str, Any]:
    """Write one tensor; returns its entry in the manifest."""
    assert values is not None, "a Parameter feeds an input that is not left out"
    if kind.kind == "string":
        file = f"{stem}.json"
        (folder / file).write_text(json.dumps(values.tolist()) + "\n", encoding="utf-8")
    else:
        file = f"{stem}.npy"
        with np.errstate(all="ignore"):
            typed = values.astype(kind.dtype, copy=False)
        np.save(folder / file, typed if kind.name in _NATURAL else kind.pack(typed))
    return {"name": name, "type": kind.name, "shape": list(values.shape), "file": file}


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """A sibling to write into, which becomes ``folder`` at the end, or goes if there is an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
    try:
        files = building / "new"
        files.mkdir()
        yield files
        if folder.exists():
            # A folder cannot be renamed onto one that has files.
            os.replace(folder, building / "old")
        os.replace(files, folder)
    finally:
        shutil.rmtree(building)
