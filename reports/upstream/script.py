"""A script of a few lines on openvino and numpy alone that shows a departure, made of the folder of its case.

It holds the model, the inputs and the expected outputs, and exits with 1 while the departure is there. What does not
fit into such a script (state, two requests, strings, large tensors) has none: then the case's folder is handed over.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reports.case_folder.manifest import InferenceFiles, Manifest, read
from reports.case_folder.tensors import NUMPY_TYPES, StoredTensor

LARGEST = 400
"""Elements of a tensor that a script writes out."""
WIDTH = 118
LINES = 40
"""Lines of a script at most."""
SECONDS = 120


class NoScriptError(ValueError):
    """The case does not fit into a script; the message says why."""


@dataclass(frozen=True)
class Run:
    """What a script did."""

    code: int
    output: str

    @property
    def shows(self) -> bool:
        """Whether the departure is there: exit code 1, or the process died or hung."""
        return self.code not in (0, 2)

    @property
    def how(self) -> str:
        """How the process ended, in words."""
        if self.code < 0:
            return f"the process dies of signal {-self.code}"
        return f"exit code {self.code}"


def script_of(folder: Path, is_value: bool = True) -> str:
    """Return the script of a case's folder; without ``is_value`` it compares no outputs: the layer ends or is refused.

    Raises NoScriptError, OSError, ValueError.
    """
    case = read(folder)
    if case.turns or case.queried or case.requests or case.memory:
        raise NoScriptError("it takes states, requests or memory of a kind")
    is_folded = case.result is not None and case.result["outcome"] == "FOLDED"
    if is_folded:
        raise NoScriptError("only the run-time model shows that a layer was folded")
    xml = (folder / "model.xml").read_text("utf-8")
    weights = (folder / "model.bin").read_bytes()
    lines = ["import sys", "import numpy as np", "import openvino as ov", ""]
    if case.environment.get("OV_CPU_MAX_ISA"):
        pairs = " ".join(f"{k}={v}" for k, v in case.environment.items() if "ISA" in k)
        lines.insert(0, f"# Set in the environment before this starts: {pairs}")
    lines += [f'MODEL = """{_wrapped(xml)}"""', f"WEIGHTS = {_bytes(weights, folder)}"]
    compiled = "model, " + repr(case.device) + (f", {case.settings!r}" if case.settings else "")
    ask = ["core = ov.Core()", "model = core.read_model(MODEL.encode(), WEIGHTS)"]
    if case.device == "CORE":
        raise NoScriptError("CORE is no device")
    ask.append(f"request = core.compile_model({compiled}).create_infer_request()")
    if case.invalid:
        lines += [
            "try:",
            *(f"    {line}" for line in [*ask, *_inferences(case, folder, judge=False)]),
        ]
        lines += [
            "except RuntimeError as error:",
            '    sys.exit(f"refused, as it should be: {error}" and 0)',
            f'print("accepted, although this is broken: {case.broken_rule}")'
            if '"' not in case.broken_rule
            else 'print("accepted, although the layer is invalid")',
            "sys.exit(1)",
        ]
    else:
        lines += [*ask, "wrong = 0"] if is_value else ask
        lines += _inferences(case, folder, judge=is_value)
        lines += ["sys.exit(bool(wrong))"] if is_value else ['print("computed")']
    text = "\n".join(lines) + "\n"
    if text.count("\n") > LINES:
        raise NoScriptError(f"it would have {text.count(chr(10))} lines")
    return text


def _inferences(case: Manifest, folder: Path, judge: bool) -> list[str]:
    lines = []
    for number, one in enumerate(case.inferences):
        tensors = [_tensor(entry.load(folder), judge) for entry in one.inputs]
        feed = ", ".join(f"{k}: {text}" for k, text in enumerate(tensors))
        lines.append(f"request.infer({{{feed}}})")
        if judge:
            for k in range(len(one.expected)):
                lines += _comparison(one, k, number, folder, len(case.inferences) > 1)
    return lines


def _comparison(
    one: InferenceFiles, output: int, number: int, folder: Path, has_several: bool
) -> list[str]:
    """The lines that compare an output; they count wrong elements."""
    stored = one.expected[output].load(folder)
    if stored.element_type not in NUMPY_TYPES:
        raise NoScriptError(f"its output has the element type {stored.element_type}")
    values = stored.values()
    allowed = one.allowed_errors(folder, output)
    if allowed is not None and not np.isfinite(allowed).all():
        raise NoScriptError("the page leaves some elements open")
    where = f"inference {number + 1}, output {output}" if has_several else f"output {output}"
    lines = [
        f"actual, expected = request.get_output_tensor({output}).data, {_array(values)}",
        f'print("{where}: actual", actual.shape, actual.ravel()[:8], "expected", expected.shape, expected.ravel()[:8])',
    ]
    if allowed is None:
        equal = "np.array_equal(actual, expected, equal_nan=True)"
        if values.dtype.kind not in "f":
            equal = "np.array_equal(actual, expected)"
        lines.append(f"wrong += not {equal}")
        return lines
    largest = np.broadcast_to(allowed, values.shape).reshape(-1)
    bound = f"{float(largest.max()):.6g}" if largest.size else "0"
    if largest.size and float(largest.min()) != float(largest.max()):
        bound = _array(np.broadcast_to(allowed, values.shape).astype(np.float32))
    lines.append(
        "wrong += actual.shape != expected.shape or bool("
        f"(~(np.abs(actual.astype(float) - expected) <= {bound}) & ~(np.isnan(actual) & np.isnan(expected))"
        " & (actual != expected)).sum())"
    )
    return lines


def _tensor(tensor: StoredTensor, is_value: bool) -> str:
    if tensor.element_type in NUMPY_TYPES:
        if not is_value and tensor.raw.size > LARGEST and tensor.raw.dtype.kind == "f":
            # Whether the layer ends or is refused seldom hangs on numbers; the script is run, and tells.
            return f"ov.Tensor(np.ones({list(tensor.shape)}, np.{tensor.raw.dtype}))"
        return f"ov.Tensor({_array(tensor.values())})"
    if tensor.element_type == "string":
        raise NoScriptError("it has strings")
    raw = np.ascontiguousarray(tensor.raw).reshape(-1)
    return (
        f"ov.Tensor({_array(raw)}, ov.Shape({list(tensor.shape)}), ov.Type.{tensor.element_type})"
    )


def _array(values: np.ndarray) -> str:
    if values.size > LARGEST:
        flat = values.reshape(-1)
        if (flat == flat[0]).all():
            return f"np.full({list(values.shape)}, {_number(flat[0])}, np.{values.dtype})"
        raise NoScriptError(f"a tensor has {values.size:,} elements")
    kind = "bool_" if values.dtype == bool else str(values.dtype)
    numbers = ", ".join(map(_number, values.reshape(-1)))
    shape = "" if values.ndim == 1 else f".reshape({list(values.shape)})"
    return f"np.array([{numbers}], np.{kind}){shape}"


def _number(value: object) -> str:
    text = repr(value.item()) if isinstance(value, np.generic) else repr(value)
    # The shortest text that gives the same number of its own type.
    if isinstance(value, (np.float32, np.float16)):
        text = (
            np.format_float_positional(value, unique=True, trim="0")
            if 1e-4 < abs(float(value)) < 1e6
            else str(value)
        )
    return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}.get(text, text)


def _bytes(weights: bytes, folder: Path) -> str:
    if len(weights) > 1024 and any(weights):
        raise NoScriptError(f"its constants have {len(weights):,} bytes")
    if not any(weights):
        return f"bytes({len(weights)})"
    return f'bytes.fromhex("{weights.hex()}")'


def _wrapped(xml: str) -> str:
    """The model in lines of some width, broken between elements."""
    xml = re.sub(r"<\?xml[^>]*\?>\s*", "", xml).strip()
    lines, line = [], ""
    for part in re.split(r"(?<=>)(?=<)", xml):
        if line and len(line) + len(part) > WIDTH:
            lines.append(line)
            line = ""
        line += part.strip()
    return "\n".join([*lines, line])


def run(text: str, python: str = sys.executable, environment: dict[str, str] | None = None) -> Run:
    """Run a script in a process of its own, with an openvino that ``python`` has."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "reproduce.py"
        path.write_text(text, "utf-8")
        try:
            done = subprocess.run(
                [python, str(path)],
                cwd=directory,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(-14, f"no end within {SECONDS} s")
    return Run(done.returncode, (done.stdout + done.stderr[-2000:]).strip())
