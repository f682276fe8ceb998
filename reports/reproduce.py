"""Show one departure of an OpenVINO device, and whether it is still there.

This file lies in a failure folder, next to the model (model.xml, model.bin), its inputs, the
expected outputs, the largest allowed errors and case.json, which describes them. It needs only
openvino and numpy:

    python reproduce.py [--device NAME] [--timeout SECONDS] [--repeat N]

It runs the model in a child process, so that a crash or a hang is seen as such, and compares.
Exit code 0: the device is right; 1: the defect is there; 2: wrong usage; 3: it cannot run here.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

try:
    import numpy as np
except ImportError as missing:
    if __name__ != "__main__":
        raise
    print(f"cannot run: {missing}; pip install numpy openvino", file=sys.stderr)
    sys.exit(3)

RIGHT, DEFECT, CANNOT_RUN = 0, 1, 3
REFUSAL = "cannot run: "  # how a line begins that says why

# Element types whose tensors NumPy holds as they are; tensors of any other numeric type are kept
# as the bytes that OpenVINO holds.
NATURAL = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "boolean": np.bool_,
}
NF4_VALUES = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)
F4E2M1_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# Layers of a run-time model that compute nothing of the layer under test.
PLUMBING = {"Input", "Output", "Const", "Constant", "Parameter", "Result", "Reorder"}
VIRTUAL_DEVICES = {"AUTO", "MULTI", "HETERO", "BATCH", "CORE"}


class CannotRun(Exception):  # noqa: N818 - it is about this place, not an error of the device
    """The question cannot be put to the device here: says what is missing."""


# --------------------------------------------------------------------------- values


def decode(element_type: str, shape: tuple[int, ...], raw: np.ndarray) -> np.ndarray:
    """Values in ``shape`` of a stored tensor of any element type.

    Types that NumPy has come back as they are, smaller floating-point types as float32, packed
    integers as int8 or uint8, strings as an object array of ``str``.
    """
    if element_type in NATURAL or element_type == "string":
        return raw.reshape(shape)
    data = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    count = int(np.prod(shape, dtype=np.int64))
    values: np.ndarray
    if element_type == "bf16":
        values = (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    elif element_type == "f8e5m2":
        values = (data.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
    elif element_type == "f8e4m3":
        values = _f8e4m3_values()[data]
    elif element_type == "f8e8m0":
        values = _f8e8m0_values()[data]
    elif element_type == "nf4":
        values = np.array(NF4_VALUES, np.float32)[_nibbles(data)]
    elif element_type == "f4e2m1":
        positive = np.array(F4E2M1_VALUES, np.float32)
        values = np.concatenate([positive, -positive])[_nibbles(data)]
    elif element_type == "u4":
        values = _nibbles(data)
    elif element_type == "i4":
        values = ((_nibbles(data).astype(np.int8) ^ 8) - 8).astype(np.int8)
    elif element_type == "u1":
        values = np.unpackbits(data)
    elif element_type == "u2":
        values = (data[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3).reshape(-1)
    elif element_type == "u3":
        values = _split(data, low_bits=2)
    elif element_type == "u6":
        values = _split(data, low_bits=4)
    else:
        raise ValueError(f"element type {element_type!r} is not known")
    return values[:count].reshape(shape)


def _nibbles(data: np.ndarray) -> np.ndarray:
    """Two values a byte, the first in the lower half."""
    return np.stack([data & 15, data >> 4], axis=-1).reshape(-1)


def _split(data: np.ndarray, low_bits: int) -> np.ndarray:
    """Values whose low bits stand in two bytes and whose high bits follow in a third."""
    groups = data.reshape(-1, 3)
    low_shifts = np.arange(8 - low_bits, -1, -low_bits, dtype=np.uint8)
    low = (groups[:, :2, None] >> low_shifts & ((1 << low_bits) - 1)).reshape(len(groups), -1)
    high_bits = 8 // low.shape[1]
    high_shifts = np.arange(8 - high_bits, -1, -high_bits, dtype=np.uint8)
    high = groups[:, 2:] >> high_shifts & ((1 << high_bits) - 1)
    return (high << low_bits | low).astype(np.uint8).reshape(-1)


def _f8e4m3_values() -> np.ndarray:
    """Value of each f8e4m3 byte: no infinities, S.1111.111 is NaN."""
    code = np.arange(128)
    exponent, fraction = code >> 3, code & 7
    significand = np.where(exponent == 0, fraction / 8, 1 + fraction / 8)
    positive = np.ldexp(significand, np.maximum(exponent, 1) - 7).astype(np.float32)
    positive[127] = np.nan
    return np.concatenate([positive, -positive])


def _f8e8m0_values() -> np.ndarray:
    """Value of each f8e8m0 byte: powers of two, 255 is NaN."""
    values = np.append(np.ldexp(np.ones(255), np.arange(255) - 127), np.nan)
    return values.astype(np.float32)


class Comparison(NamedTuple):
    """How an output differs, element by element, each in the output's shape."""

    wrong: np.ndarray  # bool
    error: np.ndarray  # float64, |actual - expected|; NaN where only one of them is a number
    fraction: np.ndarray  # float64, the error as a fraction of the allowed one


def compare(expected: np.ndarray, actual: np.ndarray, allowed: np.ndarray | None) -> Comparison:
    """Compare decoded values of the same shape.

    ``allowed`` is the largest allowed absolute error, broadcastable to the shape (inf: any value
    will do), or None for bit for bit: any NaN equals any NaN, +0 differs from -0.
    """
    if expected.dtype.kind in "OU":
        wrong = np.asarray(expected != actual, bool).reshape(expected.shape)
        return Comparison(wrong, wrong.astype(np.float64), np.where(wrong, np.inf, 0.0))
    with np.errstate(all="ignore"):
        both_nan = np.zeros(expected.shape, bool)
        same = np.asarray(expected == actual, bool)
        if expected.dtype.kind == "f":
            both_nan = np.isnan(expected) & np.isnan(actual)
            if allowed is None:
                same = same & (np.signbit(expected) == np.signbit(actual))
        same = same | both_nan
        error = np.where(same, 0.0, _distance(expected, actual))
        if allowed is None:
            return Comparison(~same, error, np.where(same, 0.0, np.inf))
        limit = np.broadcast_to(np.asarray(allowed, np.float64), expected.shape)
        wrong = ~(same | (error <= limit) | np.isposinf(limit))
        fraction = np.where(same | np.isposinf(limit), 0.0, error / limit)
        fraction = np.where(wrong & np.isnan(fraction), np.inf, fraction)
    return Comparison(wrong, error, fraction)


def _distance(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """|actual - expected| as float64; exact also for 64-bit integers."""
    if expected.dtype.kind in "iu" and expected.dtype.itemsize == 8:
        apart = expected != actual
        distance = np.zeros(expected.shape)
        exact = abs(actual[apart].astype(object) - expected[apart].astype(object))
        distance[apart] = exact.astype(np.float64)
        return distance
    return np.abs(actual.astype(np.float64) - expected.astype(np.float64))


def worst(comparison: Comparison, count: int = 1) -> list[tuple[int, ...]]:
    """Indices of the ``count`` worst wrong elements: by fraction of the bound, then by error."""
    wrong = np.flatnonzero(comparison.wrong)
    error = comparison.error.reshape(-1)[wrong]
    error = np.where(np.isnan(error), np.inf, error)
    order = np.lexsort((wrong, -error, -comparison.fraction.reshape(-1)[wrong]))[:count]
    shape = comparison.wrong.shape
    return [tuple(int(i) for i in np.unravel_index(wrong[k], shape)) for k in order]


def show(value: Any) -> str:
    """One element as text, precise enough to tell it from its neighbours."""
    return json.dumps(str(value)) if isinstance(value, str) else str(value)


def interval(expected: Any, allowed: float | None) -> tuple[str, str]:
    """Lowest and highest admissible value of one element, as text."""
    if allowed is None or isinstance(expected, str):
        return show(expected), show(expected)
    if np.isposinf(allowed):
        return "-inf", "inf"
    if allowed == int(allowed) and not isinstance(expected, (float, np.floating)):
        return str(int(expected) - int(allowed)), str(int(expected) + int(allowed))
    return f"{float(expected) - allowed:.9g}", f"{float(expected) + allowed:.9g}"


def plain(text: Any) -> str:
    """Text with control characters spelled out, so that none of them reaches the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


# --------------------------------------------------------------------------- stored tensors


def load_tensor(folder: Path, entry: dict[str, Any]) -> np.ndarray:
    """Raw array of a tensor that case.json names, as it was stored."""
    file = folder / Path(entry["file"]).name
    if entry["element_type"] == "string":
        values = json.loads(file.read_text(encoding="utf-8"))
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array.reshape(entry["shape"])
    return np.load(file, allow_pickle=False)


def save_tensor(
    folder: Path, stem: str, name: str, element_type: str, raw: np.ndarray, shape: tuple[int, ...]
) -> dict[str, Any]:
    """Store a raw array and return its entry for case.json."""
    if element_type == "string":
        file = folder / f"{stem}.json"
        text = json.dumps([str(value) for value in raw.reshape(-1)], ensure_ascii=True)
        file.write_text(text, encoding="utf-8")
    else:
        file = folder / f"{stem}.npy"
        np.save(file, np.ascontiguousarray(raw).reshape(raw.shape), allow_pickle=False)
    return {
        "file": file.name,
        "name": name,
        "element_type": element_type,
        "shape": [int(d) for d in shape],
    }


# --------------------------------------------------------------------------- child process


def answer(case: dict[str, Any], folder: Path, device: str, asked: bool, out: Path) -> None:
    """Put the case to the device and leave what it says in ``out`` (report.json and tensors).

    ``asked``: the device was named by the caller, so settings that it does not have are dropped.
    """
    try:
        import openvino as ov
    except ImportError as error:
        raise CannotRun(f"openvino cannot be imported ({error}); pip install openvino") from error

    report: dict[str, Any] = {"openvino": ov.__version__, "notes": [], "inferences": []}

    def stage(name: str) -> None:
        report["stage"] = name
        (out / "report.json").write_text(json.dumps(report), encoding="utf-8")

    stage("starting")
    core = ov.Core()
    require_device(core, device)
    settings = dict(case["settings"])
    if device != "CORE":
        report["full_name"] = property_of(core.get_property, device, "FULL_DEVICE_NAME")
        if asked:
            known = property_of(core.get_property, device, "SUPPORTED_PROPERTIES") or {}
            for key in [key for key in settings if known and key not in known]:
                report["notes"].append(f"{device} has no setting {key}: left out")
                del settings[key]
    memory = case.get("memory", "")
    held = [
        [tensor_for(ov, entry, load_tensor(folder, entry), memory) for entry in one["inputs"]]
        for one in case["inferences"]
    ]
    inferences = [[tensor for tensor, _ in inputs] for inputs in held]
    try:
        stage("reading the model")
        model = core.read_model(str(folder / "model.xml"))
        for inputs in inferences:
            if len(inputs) != len(model.inputs):
                raise CannotRun(f"model has {len(model.inputs)} inputs, case.json {len(inputs)}")
        infer = None
        if device != "CORE":
            stage("compiling")
            compiled = core.compile_model(model, device, settings)
            report["executed_by"] = property_of(compiled.get_property, "EXECUTION_DEVICES")
            report["layers"] = executed_layers(compiled)
            request = compiled.create_infer_request()
            running = []
            if case.get("requests") == "two":
                stage("running two requests at once")
                for inputs in inferences:
                    running.append(compiled.create_infer_request())
                    running[-1].start_async(dict(enumerate(inputs)))

            def infer(inputs: list[Any]) -> list[Any]:
                asked = running.pop(0) if running else request
                if asked is request:
                    asked.infer(dict(enumerate(inputs)))
                else:
                    asked.wait()
                return [asked.get_output_tensor(k) for k in range(len(compiled.outputs))]
        else:

            def infer(inputs: list[Any]) -> list[Any]:
                outputs = [ov.Tensor(port.element_type, ov.Shape([0])) for port in model.outputs]
                if not model.evaluate(outputs, inputs):
                    raise RuntimeError("OpenVINO's core has no evaluation of this model")
                return outputs

        for number, inputs in enumerate(inferences):
            stage(f"running inference {number}")
            entries = []
            for k, tensor in enumerate(infer(inputs)):
                element_type = tensor.element_type.get_type_name()
                shape = tuple(tensor.shape)
                raw = raw_of(tensor, element_type)
                stem = f"output_{number}_{k}"
                entries.append(save_tensor(out, stem, stem, element_type, raw, shape))
            report["inferences"].append(entries)
    except CannotRun:
        raise
    except Exception as error:  # any exception at all is the device's clean refusal
        report["exception"] = f"{type(error).__name__}: {error}"
        stage(report["stage"])
        return
    stage("ending")


def require_device(core: Any, device: str) -> None:
    """Raise CannotRun unless every device that ``device`` names is there."""
    base, _, under = device.partition(":")
    there = {name.split(".")[0] for name in core.available_devices}
    for name in [base, *under.split(",")]:
        name = name.strip().lstrip("-").split("(")[0].split(".")[0]
        if name and name not in there | VIRTUAL_DEVICES:
            raise CannotRun(f"device {name} is not there; there is {', '.join(sorted(there))}")


def property_of(get: Any, *key: str) -> Any:
    """Value of a property as JSON can hold it, or None where the device does not have it."""
    try:
        value = get(*key)
    except Exception:  # what a device throws for a property it does not have is its own choice
        return None
    return value if isinstance(value, str) else [str(item) for item in value]


def executed_layers(compiled: Any) -> list[str]:
    """``type (kernel)`` of each layer that computes, as far as the run-time model tells."""
    try:
        layers = [op.get_rt_info() for op in compiled.get_runtime_model().get_ordered_ops()]
    except Exception:  # a device need not have a run-time model
        return []
    found = []
    for info in layers:
        kind, kernel = (
            str(getattr(info[key], "value", info[key])) if key in info else "?"
            for key in ("layerType", "primitiveType")
        )
        if kind not in PLUMBING:
            found.append(f"{kind} ({kernel})")
    return found


def tensor_for(ov: Any, entry: dict[str, Any], raw: np.ndarray, memory: str) -> tuple[Any, Any]:
    """OpenVINO tensor with the stored values, and whatever must live as long as it does."""
    element_type = entry["element_type"]
    if element_type == "string":
        return ov.Tensor(np.asarray(raw, dtype=np.str_)), None
    if memory and element_type in NATURAL and raw.size:
        return placed(ov, raw, memory)
    kind = getattr(ov.Type, element_type, None)
    if kind is None:
        raise CannotRun(f"OpenVINO {ov.__version__} has no element type {element_type}")
    tensor = ov.Tensor(kind, ov.Shape(entry["shape"]))
    data = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    if tensor.byte_size != data.size:
        raise CannotRun(f"{entry['file']}: {data.size} bytes, OpenVINO wants {tensor.byte_size}")
    if data.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = data
    return tensor, None


def placed(ov: Any, values: np.ndarray, memory: str) -> tuple[Any, Any]:
    """Tensor in unusual memory: one element off an aligned address, mapped from outside the heap,
    or a window into a larger tensor that has neighbours in every dimension."""
    if memory == "offset":
        buffer: Any = np.empty(values.size + 1, values.dtype)
        array = buffer[1:].reshape(values.shape)
    elif memory == "foreign":
        buffer = mmap.mmap(-1, values.nbytes)
        array = np.frombuffer(buffer, values.dtype, values.size).reshape(values.shape)
    elif memory == "strided" and values.ndim:
        sizes = [d + 2 for d in values.shape]
        buffer = np.full(sizes, values.reshape(-1)[-1], values.dtype)
        buffer[tuple(slice(1, d + 1) for d in values.shape)] = values
        whole = ov.Tensor(buffer, shared_memory=True)
        # Releases before 2024.2 have it there only.
        coordinate: Any = getattr(ov, "Coordinate", None) or ov.runtime.Coordinate
        begin, end = [1] * values.ndim, [d + 1 for d in values.shape]
        return ov.Tensor(whole, coordinate(begin), coordinate(end)), (whole, buffer)
    else:
        return ov.Tensor(values.copy(), shared_memory=False), None
    array[...] = values
    return ov.Tensor(array, shared_memory=True), (array, buffer)


def raw_of(tensor: Any, element_type: str) -> np.ndarray:
    """Copy of a tensor's content as it is stored: see save_tensor."""
    if element_type == "string":
        return np.array(tensor.str_data, dtype=object)
    if element_type in NATURAL:
        return np.array(tensor.data)
    return np.array(tensor.data).reshape(-1).view(np.uint8)


# --------------------------------------------------------------------------- verdict


def run_child(
    device: str, asked: bool, out: Path, timeout: float, environment: dict[str, str]
) -> dict[str, Any]:
    """Report of a child process that ran the case; "died" says how it ended if not by itself."""
    command = [sys.executable, os.path.abspath(__file__), "--child", str(out), "--device", device]
    if asked:
        command.append("--asked")
    # The environment stands before openvino is loaded: it reads instruction set caps only then.
    environment = {**os.environ, **environment}
    died = ""
    with open(out / "stderr.txt", "wb") as errors:
        try:
            code = subprocess.run(
                command, env=environment, stdout=errors, stderr=errors, timeout=timeout, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            code, died = 0, f"did not end within {timeout:g} s"
    messages = (out / "stderr.txt").read_text(encoding="utf-8", errors="replace").strip()
    if code == CANNOT_RUN:
        said = messages.splitlines()[-1:] or ["the child process says nothing"]
        raise CannotRun(said[0].replace(REFUSAL, "", 1))
    if code != 0:
        died = f"exit code {code}"
        if code < 0:
            died = f"signal {-code} ({signal.Signals(-code).name})"
    report_file = out / "report.json"
    report = json.loads(report_file.read_text(encoding="utf-8")) if report_file.exists() else {}
    return {**report, "died": died, "messages": messages}


def judge(case: dict[str, Any], folder: Path, report: dict[str, Any], out: Path) -> list[str]:
    """What is wrong, one text per finding; [] when the device is right."""
    stage = report.get("stage", "starting")
    if report["died"]:
        tail = ["    " + line for line in report["messages"].splitlines()[-5:]]
        return ["\n".join([f"the process died or hung while {stage}: {report['died']}", *tail])]
    refusal = report.get("exception")
    if case["nature"] == "invalid":
        if refusal:
            print(f"refused   while {stage}: {plain(refusal)}")
            return []
        return ["the invalid layer was accepted: a clean exception is right"]
    if refusal:
        return [f"refused while {stage}: {plain(refusal)}"]
    if case["record"].get("outcome") == "FOLDED" and not report.get("layers"):
        return ["the layer was folded to a constant: the device executed no layer"]
    findings = []
    for number, (one, outputs) in enumerate(zip(case["inferences"], report["inferences"])):  # noqa: B905 - Python 3.8
        if len(outputs) != len(one["expected"]):
            findings.append(f"{len(outputs)} outputs, expected {len(one['expected'])}")
            continue
        for k, (wanted, got) in enumerate(zip(one["expected"], outputs)):  # noqa: B905
            where = f"inference {number}, output {k} ({plain(wanted['name'])})"
            allowed_file = one["allowed"][k]
            finding = judge_output(folder, wanted, allowed_file, out, got)
            asked = f"{wanted['element_type']}{wanted['shape']}"
            if finding:
                findings.append(f"{where}, {asked}: {finding}")
            else:
                print(f"right     {where}, {asked}")
    return findings


def judge_output(
    folder: Path, wanted: dict[str, Any], allowed_file: str | None, out: Path, got: dict[str, Any]
) -> str:
    """What is wrong with one output, "" if nothing is."""
    for key in ("element_type", "shape"):
        if wanted[key] != got[key]:
            return f"{key.replace('_', ' ')} is {got[key]}, expected {wanted[key]}"
    shape = tuple(wanted["shape"])
    expected = decode(wanted["element_type"], shape, load_tensor(folder, wanted))
    actual = decode(got["element_type"], shape, load_tensor(out, got))
    allowed = None
    if allowed_file is not None:
        allowed = np.load(folder / Path(allowed_file).name, allow_pickle=False)
    comparison = compare(expected, actual, allowed)
    wrong = int(comparison.wrong.sum())
    if not wrong:
        return ""
    index = worst(comparison)[0]
    limit = None if allowed is None else float(np.broadcast_to(allowed, shape)[index])
    low, high = interval(expected[index], limit)
    bound = "bit for bit" if limit is None else f"from {low} to {high}"
    fraction = comparison.fraction[index]
    times = f", {fraction:.4g} times the bound" if np.isfinite(fraction) else ""
    return (
        f"{wrong} of {comparison.wrong.size} elements are wrong\n"
        f"    worst at {list(index)}: expected {plain(show(expected[index]))}, "
        f"got {plain(show(actual[index]))}, allowed {bound}{times}"
    )


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description="Show one departure of an OpenVINO device. Exit code 0: the device is right; "
        "1: the defect is there; 3: it cannot run here."
    )
    parser.add_argument("--device", help="ask this device (default: the one of the record)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds (default: %(default)g)")
    parser.add_argument("--repeat", type=int, help="ask N times (default: 1, or 10 for a FLAKE)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--asked", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit code."""
    options = parse(arguments)
    folder = Path(__file__).resolve().parent
    try:
        case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        record = case["record"]
        device = options.device or record["device"]
        if options.child:
            answer(case, folder, device, options.asked, options.child)
            return RIGHT
        return verdict(case, folder, options, device)
    except (CannotRun, OSError, KeyError, ValueError) as error:
        print(f"{REFUSAL}{plain(error) or type(error).__name__}", file=sys.stderr)
        return CANNOT_RUN


def verdict(case: dict[str, Any], folder: Path, options: argparse.Namespace, device: str) -> int:
    """Ask the device, print what was asked, what came and what was right; the exit code."""
    record = case["record"]
    print(f"case      {plain(record['case'])}")
    print(f"asked     {plain(record.get('layer', ''))}")
    print(f"recorded  {plain(record['outcome'])}: {plain(record.get('detail', ''))}")
    for name, values in (("settings", case["settings"]), ("variables", case["environment"])):
        if values:
            print(f"{name:10}{plain(' '.join(f'{k}={v}' for k, v in values.items()))}")
    repeat = options.repeat or (10 if record["outcome"] == "FLAKE" else 1)
    for attempt in range(repeat):
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory)
            asked = bool(options.device)
            report = run_child(device, asked, out, options.timeout, case["environment"])
            if attempt == 0:
                introduce(device, report)
            findings = judge(case, folder, report, out)
        if findings:
            for finding in findings:
                print(f"wrong     {finding}")
            again = f" (attempt {attempt + 1} of {repeat})" if repeat > 1 else ""
            print(f"verdict   the defect is there{again}")
            return DEFECT
    print("verdict   the device is right")
    return RIGHT


def introduce(device: str, report: dict[str, Any]) -> None:
    """Print which device and which kernels answered."""
    name = report.get("full_name") or ""
    version = report.get("openvino", "not loaded")
    print(f"device    {plain(device)}{': ' + plain(name) if name else ''}; OpenVINO {version}")
    if report.get("executed_by"):
        print(f"ran on    {plain(', '.join(report['executed_by']))}")
    if report.get("layers"):
        print(f"layers    {plain(', '.join(report['layers']))}")
    for note in report.get("notes", []):
        print(f"note      {plain(note)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
