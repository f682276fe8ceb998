"""``manifest.json``: what the files of a case folder are."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .tensors import TensorFile, load_array

MANIFEST = "manifest.json"
SCHEMA = 1


@dataclass(frozen=True)
class InferenceFiles:
    """The tensors of one inference, with the names of the model's Parameters and Results.

    ``expected`` is empty for an invalid layer; ``actual`` is empty, or shorter, where the device
    gave no answer. ``allowed`` has an entry per expected output: the file of the largest allowed
    absolute errors, None for bit for bit. ``choice`` tells of each expected output whether the
    specification admits others as well, such as another order of equal values, ``together`` whether
    all of its elements are also tested at once, as random numbers and long sums are, which only the
    suite does, ``random`` whether two inferences may differ. ``states`` are the values that variables
    are given before it, by their names. ``exact`` are files of the expected outputs before they were
    rounded to their types, from which errors are counted; None where that changes nothing.
    """

    inputs: list[TensorFile]
    expected: list[TensorFile]
    allowed: list[str | None]
    choice: list[bool]
    actual: list[TensorFile]
    states: list[TensorFile] = field(default_factory=list)
    together: list[bool] = field(default_factory=list)
    random: list[bool] = field(default_factory=list)
    exact: list[str | None] = field(default_factory=list)

    @property
    def is_random(self) -> bool:
        """Tell whether two inferences may give different outputs."""
        return bool(self.random) and all(self.random)

    def is_tested_together(self, output_index: int) -> bool:
        """Tell whether the suite also tests all elements of an output at once."""
        return bool(self.together) and self.together[output_index]

    def allowed_errors(self, folder: Path, output_index: int) -> np.ndarray | None:
        """Read the largest allowed absolute errors of an output, None for bit for bit."""
        return _loaded(folder, self.allowed[output_index])

    def exact_values(self, folder: Path, output_index: int) -> np.ndarray | None:
        """Read an expected output before it was rounded to its type, None if that changes nothing."""
        return _loaded(folder, self.exact[output_index] if self.exact else None)


def _loaded(folder: Path, file: str | None) -> np.ndarray | None:
    if file is None:
        return None
    return load_array(folder / Path(file).name)


@dataclass(frozen=True)
class Manifest:
    """What a case folder holds.

    ``invalid``: the layer breaks a rule of its page (``broken_rule``, if known) and must be
    refused. ``settings`` are the device's, ``environment`` is what must be set before openvino is
    loaded. ``memory`` tells where inputs are (offset, foreign, strided; else aligned);
    ``requests`` is ``two`` for inferences that run at once. ``result`` is the record of the run
    that wrote a failure folder, with the keys of a results file; None for a case without a run.

    ``turns`` tells of each inference of a model with variables which ``request`` runs it, what is
    done to the state ``before`` it (reset: of the request; reset-one: of each variable; set), and
    whether it runs ``at_once`` with the next one. ``queried`` names the variables whose values are
    outputs of each inference, after those of the model.

    ``layers`` are the names of the layers under test. ``inferred`` has an entry for each output of the
    model, of what OpenVINO infers of it when it reads: whether its element type may be dynamic
    (``may_be_dynamic``), and whether the page promises a known rank (``known_rank``, None for no
    promise); empty for a model that is not judged by it. ``twice`` tells where all inferences run a
    second time, which must give the same outputs: in the same request, or in a model compiled anew.
    ``judged`` is the number of inferences, the first ones, whose outputs are determined; None for all.

    ``compile_only``: the run compiled the model and inferred nothing, as on a machine without the device.

    ``openvino`` is the version that the run had, "" where none ran; ``own_openvino`` the folder of an OpenVINO that was
    not the installed one.
    """

    schema: int
    case: str
    seed: int
    device: str
    settings: dict[str, str]
    environment: dict[str, str]
    invalid: bool
    broken_rule: str
    memory: str
    requests: str
    inferences: list[InferenceFiles]
    result: dict[str, Any] | None
    turns: list[dict[str, Any]] = field(default_factory=list)
    queried: list[str] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    inferred: list[dict[str, Any]] = field(default_factory=list)
    twice: str = ""
    judged: int | None = None
    compile_only: bool = False
    openvino: str = ""
    own_openvino: str = ""

    def write(self, folder: Path) -> None:
        """Write the file. Raises TypeError if JSON cannot hold a value."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=True)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


# What a reader takes apart without a look at its type.
_KINDS: dict[str, type | tuple[type, ...]] = {
    "case": str,
    "device": str,
    "settings": dict,
    "environment": dict,
    "result": (dict, type(None)),
}


def read(folder: Path) -> Manifest:
    """Read a folder's manifest.

    Raises OSError if there is none, and ValueError if it is damaged or of another version.
    """
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{folder}: {MANIFEST} is damaged: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{folder}: {MANIFEST} is damaged: it is no object")
    try:
        if content["schema"] != SCHEMA:
            raise ValueError(f"{folder}: schema {content['schema']}, expected {SCHEMA}")
        inferences = [
            InferenceFiles(
                inputs=[TensorFile.of(entry) for entry in one["inputs"]],
                expected=[TensorFile.of(entry) for entry in one["expected"]],
                allowed=list(one["allowed"]),
                choice=list(one["choice"]),
                actual=[TensorFile.of(entry) for entry in one["actual"]],
                states=[TensorFile.of(entry) for entry in one.get("states", ())],
                together=list(one.get("together", ())),
                random=list(one.get("random", ())),
                exact=list(one.get("exact", ())),
            )
            for one in content["inferences"]
        ]
        found = Manifest(**{**content, "inferences": inferences})
    except (KeyError, TypeError, AttributeError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{folder}: {MANIFEST} is damaged: {what}") from error
    for name, kind in _KINDS.items():
        if not isinstance(getattr(found, name), kind):
            raise ValueError(f"{folder}: {MANIFEST} is damaged: {name} is {getattr(found, name)!r}")
    return found
