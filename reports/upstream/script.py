"""A script of a few lines on openvino and numpy alone that shows a departure, made of the folder of its case.

It holds the model, the inputs and the expected outputs, and exits with 1 while the departure is there. What does not
fit into such a script (two requests at once, large tensors) has none: then the case's folder is handed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from reports.results.case_folder.manifest import InferenceFiles, Manifest, read
from reports.results.case_folder.tensors import NUMPY_TYPES, StoredTensor, TensorFile
from reports.results.outcomes import Outcome
from reports.upstream.built_model import IMPORTS, WIDTH, lines_of

LARGEST = 2000
"""Elements of a tensor that a script writes out."""
FEW = 8
"""Elements at most that are written out although they are all the same."""
LINES = 40
"""Lines of a script at most."""
MODEL = "MODEL"
CORE = "CORE"


class NoScriptError(ValueError):
    """The case does not fit into a script; the message says why."""


def script_of(
    folder: Path,
    is_value: bool = True,
    is_at_reading: bool = False,
    fills_memory: bool = False,
    is_built: bool = False,
    is_filled: bool = False,
    is_again: bool = False,
) -> str:
    """Return the script of a case's folder.

    Without ``is_value`` it compares no outputs: the layer ends the process or is refused. With ``is_at_reading`` it
    compares what OpenVINO infers when it reads the model. With ``fills_memory`` the C library fills memory that is
    freed, so that a read of memory that nobody wrote shows. With ``is_built`` the model is built by OpenVINO's API,
    where its IR is in it without. Of a model that is refused before its inference it has no data. With ``is_filled``
    floating-point inputs are full of ones, where no outputs are compared. With ``is_again`` the inferences are run
    three times, as those of a case that gives two answers are.

    Raises NoScriptError, OSError, ValueError.
    """
    xml = (folder / "model.xml").read_text("utf-8")
    case = _until_it_departs(_in_order(read(folder), xml))
    _check_fits(case)
    weights = (folder / "model.bin").read_bytes()
    ask = ["core = ov.Core()"]
    if not is_built:
        ask.append("model = core.read_model(MODEL.encode(), WEIGHTS)")
    if is_at_reading:
        ask += ["wrong = 0", *_inferred(case), "sys.exit(bool(wrong))"]
    elif case.compile_only:
        compiled = f"core.compile_model(model, {case.device!r}, {case.settings!r})"
        ask.append(f"compiled = {compiled}")
        if case.invalid:
            ask = ["try:", *(f"    {line}" for line in ask), *_refused(case.broken_rule)]
        elif is_value:
            ask += _outputs(case)
            if case.result is not None and case.result["outcome"] == "FLAKE":
                ask.append(f"blobs = [c.export_model().getvalue() for c in (compiled, {compiled})]")
                ask.append("wrong += blobs[0] != blobs[1]")
            ask.append("sys.exit(bool(wrong))")
        else:
            ask.append('print("compiled")')
    elif _is_refused_before_inference(case):
        case = replace(case, memory="")
        ask += ['print("read")'] if case.device == CORE else [_compiled(case), 'print("compiled")']
    else:
        ask += _EVALUATE if case.device == CORE else [_compiled(case), _requests(case)]
        if case.invalid:
            ask += _inferences(case, folder, False, FEW if is_filled else LARGEST)
            ask = ["try:", *(f"    {line}" for line in ask), *_refused(case.broken_rule)]
        elif is_value:
            asked = _inferences(case, folder, True)
            if _outcome(case) is Outcome.FLAKE and case.twice and not case.turns:
                anew = ask[-2:] if case.twice == "model" else []
                asked = ["for _ in range(3):", *(f"    {line}" for line in (*anew, *asked))]
            ask += ["wrong = 0", *asked, "sys.exit(bool(wrong))"]
        else:
            asked = _inferences(case, folder, False, FEW if is_filled else LARGEST)
            if is_again:
                asked = ["for _ in range(3):", *(f"    {line}" for line in asked)]
            ask += [*asked, 'print("computed")']
    model = lines_of(xml, weights, _array) if is_built else [MODEL, f"WEIGHTS = {_bytes(weights)}"]
    has_arrays = any("np." in line for line in (*ask, *model))
    lines = [
        *_imports(case, fills_memory, has_arrays),
        *(IMPORTS if is_built else ()),
        *model,
        *(_PLACED[case.memory] if case.memory else ()),
        *(_DIFFERS if any("differs(" in line for line in ask) else ()),
        *ask,
    ]
    short = _without_shapes(xml)
    for ir, width in ((xml, WIDTH), *((short, times * WIDTH) for times in (1, 2, 4))):
        text = "\n".join(lines).replace(MODEL, f'MODEL = """{_wrapped(ir, width)}"""', 1) + "\n"
        if text.count("\n") <= LINES:
            return text
    raise NoScriptError(f"it would have {text.count(chr(10))} lines")


def scripts_of(
    folder: Path, is_value: bool = True, is_at_reading: bool = False, is_of_reader: bool = False
) -> Iterator[str]:
    """Yield the scripts of a case's folder, the one to be preferred first: see `script_of`.

    The model is built by OpenVINO's API where that is shorter and the departure is not of the reader. An invalid layer
    is one of an IR. Where no outputs are compared, inputs full of ones come before the case's own. Scripts with memory
    that the C library fills come last.

    Raises NoScriptError, OSError, ValueError.
    """
    case = read(folder)
    is_of_ir = is_at_reading or is_of_reader or case.invalid
    # Ones may make an invalid layer a valid one, which is accepted.
    may_be_filled = not is_value and (not case.invalid or _outcome(case) is Outcome.CRASH)
    # The suite runs a case twice in a request: the process may die at the second time.
    may_die_again = _outcome(case) is Outcome.CRASH and case.twice == "request" and not case.turns
    may_die_again &= not is_value and not case.invalid
    for fills_memory, is_again in product((False, True), (False, True)[: 1 + may_die_again]):
        found: list[str] = []
        why = None
        for is_filled in (True, False) if may_be_filled else (False,):
            alike = []
            for is_built in (False,) if is_of_ir else (False, True):
                try:
                    script = script_of(
                        folder,
                        is_value,
                        is_at_reading,
                        fills_memory,
                        is_built,
                        is_filled,
                        is_again,
                    )
                    alike.append(script)
                except ValueError as error:
                    why = why or error
            found += sorted(alike, key=len)
        if not found and why is not None:
            raise why
        yield from dict.fromkeys(found)


def _outcome(case: Manifest) -> Outcome | None:
    return Outcome(case.result["outcome"]) if case.result else None


def _facts(case: Manifest) -> dict[str, Any]:
    """The facts of the departure."""
    return (case.result or {}).get("facts") or {}


def _until_it_departs(case: Manifest) -> Manifest:
    """The case without the inferences behind the one whose outputs are wrong."""
    last = _facts(case).get("inference")
    is_wrong = _outcome(case) is Outcome.FAIL
    return replace(case, inferences=case.inferences[:last]) if is_wrong and last else case


def _is_refused_before_inference(case: Manifest) -> bool:
    """Whether the model is refused when it is read or compiled."""
    stage = _facts(case).get("stage")
    return _outcome(case) is Outcome.REFUSED and stage in ("read", "compile")


def _compiled(case: Manifest) -> str:
    settings = f", {case.settings!r}" if case.settings else ""
    return f"compiled = core.compile_model(model, {case.device!r}{settings})"


def _requests(case: Manifest) -> str:
    requests = 1 + max((turn["request"] for turn in case.turns), default=0)
    many = f" for _ in range({requests})" if requests > 1 else ""
    return f"requests = [compiled.create_infer_request(){many}]"


def _without_shapes(xml: str) -> str:
    """The model without what OpenVINO infers itself: the dimensions of ports."""
    xml = re.sub(r"<dim>[^<]*</dim>", "", xml)
    return re.sub(r"(<port [^>]*[^/>])>\s*</port>", r"\1/>", xml)


def _in_order(case: Manifest, xml: str) -> Manifest:
    """The case with its tensors in the order in which the model has Parameters and Results."""
    layers = re.findall(r'<layer id="[^"]*" name="([^"]*)" type="(Parameter|Result)"', xml)
    names = [name for name, _ in layers]

    def ordered(entries: list[TensorFile]) -> list[int]:
        known = all(entry.name in names for entry in entries)
        places = [names.index(entry.name) if known else 0 for entry in entries]
        return sorted(range(len(entries)), key=places.__getitem__)

    inferences = []
    for one in case.inferences:
        results = len(one.expected) - len(case.queried)
        inputs, outputs = ordered(one.inputs), ordered(one.expected[:results])
        outputs += range(results, len(one.expected))
        inferences.append(
            replace(
                one,
                inputs=[one.inputs[k] for k in inputs],
                expected=[one.expected[k] for k in outputs],
                allowed=[one.allowed[k] for k in outputs] if one.allowed else [],
            )
        )
    of_results = ordered(case.inferences[0].expected[: len(case.inferred)])
    return replace(case, inferences=inferences, inferred=[case.inferred[k] for k in of_results])


def _check_fits(case: Manifest) -> None:
    if case.requests == "two" or any(turn["at_once"] for turn in case.turns):
        raise NoScriptError("it takes two requests at once")
    if case.result is not None and case.result["outcome"] == "FOLDED":
        raise NoScriptError("only the run-time model shows that a layer was folded")
    if case.device == CORE and case.turns:
        raise NoScriptError("Model::evaluate has no request that keeps variables")


def _imports(case: Manifest, fills_memory: bool, has_arrays: bool) -> list[str]:
    """The first lines; where the environment counts, the script starts itself again with it."""
    names = [name for name in case.environment if "ISA" in name]
    names += ["MALLOC_PERTURB_"] if fills_memory and "MALLOC_PERTURB_" in case.environment else []
    arrays = ["import numpy as np"] if has_arrays or case.memory else []
    if not names:
        return ["import sys", *arrays, "import openvino as ov"]
    return [
        *("import os", "import sys", *arrays, "import openvino as ov"),
        f"SET = { ({name: case.environment[name] for name in names})!r}  # what counts when a process starts",
        "if not SET.items() <= os.environ.items():",
        "    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SET})",
    ]


_PLACED = {
    "offset": [
        "def placed(a):  # one element behind an aligned address",
        "    HELD.append(np.empty(a.size + 1, a.dtype)); b = HELD[-1][1:].reshape(a.shape); b[...] = a",
        "    return ov.Tensor(b, shared_memory=True)",
        "HELD = []",
    ],
    "foreign": [
        "def placed(a):  # memory that is not of the heap",
        "    import mmap",
        "    HELD.append(np.frombuffer(mmap.mmap(-1, a.nbytes), a.dtype, a.size).reshape(a.shape)); HELD[-1][...] = a",
        "    return ov.Tensor(HELD[-1], shared_memory=True)",
        "HELD = []",
    ],
    "strided": [
        "def placed(a):  # a window into a larger tensor",
        "    b = np.full([d + 2 for d in a.shape], a.ravel()[-1]); b[tuple(slice(1, d + 1) for d in a.shape)] = a",
        "    HELD.append(b); outer = ov.Tensor(b, shared_memory=True)",
        "    return ov.Tensor(outer, ov.Coordinate([1] * a.ndim), ov.Coordinate([d + 1 for d in a.shape]))",
        "HELD = []",
    ],
}
"""A function that puts an array into memory of a kind; and what lives as long as the tensors."""


def _inferred(case: Manifest) -> list[str]:
    """The lines that compare what is inferred at reading with the first inference."""
    lines = []
    for k, promise in enumerate(case.inferred):
        entry, shape = case.inferences[0].expected[k], f"model.output({k}).partial_shape"
        expected = f"ov.Type.{entry.element_type}, {list(entry.shape)}"
        lines += [
            f'print("output {k}, inferred:", model.output({k}).element_type, {shape}, "expected:", "{expected}")',
            f"wrong += not {shape}.relaxes(ov.PartialShape({list(entry.shape)}))",
        ]
        if not promise["may_be_dynamic"]:
            lines.append(f"wrong += model.output({k}).element_type != ov.Type.{entry.element_type}")
        if promise["known_rank"] is not None:
            lines.append(f"wrong += {shape}.rank.is_static is not {promise['known_rank']}")
    return lines


def _outputs(case: Manifest) -> list[str]:
    """The lines that compare the outputs of the compiled model with those of the first inference."""
    lines = ["wrong = 0"]
    for k, entry in enumerate(case.inferences[0].expected):
        port, expected = f"compiled.output({k})", f"{entry.element_type}, {list(entry.shape)}"
        lines += [
            f'print("output {k}:", {port}.element_type, {port}.partial_shape, "expected:", "{expected}")',
            f"wrong += {port}.element_type != ov.Type.{entry.element_type}",
            f"wrong += not {port}.partial_shape.relaxes(ov.PartialShape({list(entry.shape)}))",
        ]
    return lines


def _refused(rule: str) -> list[str]:
    broken = rule.replace("\\", "").replace('"', "'") or "a rule of the specification"
    return [
        "except RuntimeError as error:",
        '    print("refused, as it should be:", error)',
        "else:",
        f'    sys.exit("accepted, although the layer breaks this: {broken}")',
    ]


def _inferences(case: Manifest, folder: Path, judge: bool, most: float = math.inf) -> list[str]:
    """The lines of the inferences. Floating-point inputs of more than ``most`` elements are full of ones."""
    lines = []
    for number, one in enumerate(case.inferences):
        turn: dict[str, Any] = {"request": 0, "before": ""}
        turn = case.turns[number] if case.turns else turn
        request = f"requests[{turn['request']}]"
        lines += _before(turn["before"], request, one, folder)
        tensors = [_tensor(entry.load(folder), most, case.memory) for entry in one.inputs]
        feed = ", ".join(f"{k}: {text}" for k, text in enumerate(tensors))
        lines.append(
            f"outputs = evaluate({', '.join(tensors)})"
            if case.device == CORE
            else f"{request}.infer({{{feed}}})"
        )
        if judge and (case.judged is None or number < case.judged):
            first_state = len(one.expected) - len(case.queried)
            for k in range(len(one.expected)):
                tensor = f"{request}.get_output_tensor({k})"
                if case.device == CORE:
                    tensor = f"outputs[{k}]"
                if k >= first_state:
                    name = case.queried[k - first_state]
                    tensor = f"{{s.name: s.state for s in {request}.query_state()}}[{name!r}]"
                where = f"output {k}" if k < first_state else "variable"
                if len(case.inferences) > 1:
                    where = f"inference {number + 1}, {where}"
                lines += _comparison(one, k, tensor, where, folder)
    return lines


def _before(what: str, request: str, one: InferenceFiles, folder: Path) -> list[str]:
    """The lines that change the state before an inference."""
    if what == "reset":
        return [f"{request}.reset_state()"]
    if what == "reset-one":
        return [f"for state in {request}.query_state(): state.reset()"]
    if what != "set":
        return []
    given = ", ".join(
        f"{entry.name!r}: {_tensor(entry.load(folder), math.inf, '')}" for entry in one.states
    )
    return [f"for s in {request}.query_state(): s.state = {{{given}}}[s.name]"]


def _comparison(
    one: InferenceFiles, output: int, tensor: str, where: str, folder: Path
) -> list[str]:
    """The line that compares an output."""
    stored = one.expected[output].load(folder)
    values, actual = stored.values(), f"{tensor}.data"
    allowed = one.allowed_errors(folder, output)
    if stored.element_type == "string":
        actual = f"{tensor}.str_data"
    elif stored.element_type == "bf16":
        actual = f"(np.array({actual}).view(np.uint16).astype(np.uint32) << 16).view(np.float32)"
    elif stored.element_type not in NUMPY_TYPES:
        if allowed is not None:
            raise NoScriptError(f"its output has the element type {stored.element_type}")
        # Elements share bytes.
        values, actual = stored.raw.reshape(-1), f"np.array({actual}).reshape(-1).view(np.uint8)"
    is_large = values.size > LARGEST and stored.element_type in (*NUMPY_TYPES, "bf16")
    of_worst = _around_worst(one, output, values, allowed, folder) if is_large else None
    if of_worst is not None:
        first, last = of_worst.start, of_worst.stop
        where, actual = f"{where}, from element {first}", f"{actual}.ravel()[{first}:{last}]"
        if allowed is not None:
            allowed = np.broadcast_to(allowed, values.shape).reshape(-1)[of_worst]
        values = values.reshape(-1)[of_worst]
    bound = ""
    if allowed is not None:
        largest = np.broadcast_to(allowed, values.shape).reshape(-1)
        if largest.size and np.isinf(largest).all():
            raise NoScriptError("the specification leaves all elements open")
        one_bound = not largest.size or float(largest.min()) == float(largest.max())
        one_bound = one_bound or _exceeds(one, output, float(largest.max()), folder)
        number = f"{float(largest.max()):.6g}" if largest.size else "0"
        each = np.broadcast_to(allowed, values.shape)
        # Infinity says that an element is open.
        each = np.where(np.isinf(each), each, np.minimum(each, np.finfo(np.float32).max))
        each = each.astype(np.float32)
        bound = f", {number if one_bound else _array(each)}"
    return [f'wrong += differs("{where}", {actual}, {_array(values)}{bound})']


def _around_worst(
    one: InferenceFiles,
    output: int,
    expected: np.ndarray,
    allowed: np.ndarray | None,
    folder: Path,
) -> slice | None:
    """Where the element is that departs most, with its neighbours; None if that is not known."""
    if output >= len(one.actual) or expected.dtype.kind not in "biuf":
        return None
    actual = one.actual[output].load(folder).values()
    if actual.shape != expected.shape or actual.dtype.kind not in "biuf":
        return None
    with np.errstate(all="ignore"):
        apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        apart -= 0 if allowed is None else allowed
    apart[(actual == expected) | ((actual != actual) & (expected != expected))] = -math.inf
    first = max(int(np.nan_to_num(apart, nan=math.inf).argmax()) - FEW // 2, 0)
    return slice(first, min(first + FEW, expected.size))


def _exceeds(one: InferenceFiles, output: int, bound: float, folder: Path) -> bool:
    """Whether what the device gave departs by more than one bound, so that none is needed for each element."""
    if output >= len(one.actual) or not np.isfinite(bound):
        return False
    actual, expected = (entry[output].load(folder) for entry in (one.actual, one.expected))
    if actual.shape != expected.shape or actual.element_type != expected.element_type:
        return True
    with np.errstate(all="ignore"):
        apart = np.abs(actual.values().astype(np.float64) - expected.values().astype(np.float64))
    return bool((apart > 2 * bound).any())


_EVALUATE = [
    "def evaluate(*inputs):  # OpenVINO's own implementation, without a plugin",
    "    ports = [result.input(0) for result in model.get_results()]",
    "    shapes = [port.get_partial_shape() for port in ports]",
    "    shapes = [shape.to_shape() if shape.is_static else ov.Shape([0]) for shape in shapes]",
    "    outputs = [ov.Tensor(port.get_element_type(), shape) for port, shape in zip(ports, shapes)]",
    "    if not model.evaluate(outputs, list(inputs)): raise RuntimeError('there is no implementation')",
    "    return outputs",
]
_DIFFERS = [
    "def differs(where, actual, expected, bound=-1):",
    '    print(where, "actual", actual.shape, actual.ravel()[:8], "expected", expected.shape, expected.ravel()[:8])',
    '    if actual.shape != expected.shape or actual.dtype.kind not in "biuf":',
    "        return not np.array_equal(actual, expected)",
    "    near = (np.abs(actual.astype(float) - expected) <= bound) | (actual == expected) | np.isinf(bound)",
    "    return not (near | (actual != actual) & (expected != expected)).all()",
]
"""A function that prints an output, and tells whether it is wrong. The bound of an element that is open is infinite."""


def _tensor(tensor: StoredTensor, most: float, memory: str) -> str:
    if tensor.element_type in NUMPY_TYPES:
        if tensor.raw.size > most and tensor.raw.dtype.kind == "f":
            # Whether the layer ends or is refused seldom hangs on numbers; the script is run, and tells.
            text = f"np.ones({list(tensor.shape)}, np.{tensor.raw.dtype})"
        else:
            text = _array(tensor.values())
        is_placed = memory and tensor.raw.size and not (memory == "strided" and not tensor.shape)
        return f"placed({text})" if is_placed else f"ov.Tensor({text})"
    if tensor.element_type == "string":
        return f"ov.Tensor({_array(tensor.values())})"
    raw = np.ascontiguousarray(tensor.raw).reshape(-1)
    text = (
        _array(raw)
        if tensor.element_type != "bf16"
        else f"{_array(raw.view(np.uint16))}.view(np.uint8)"
    )
    return f"ov.Tensor({text}, ov.Shape({list(tensor.shape)}), ov.Type.{tensor.element_type})"


def _array(values: np.ndarray) -> str:
    flat = values.reshape(-1)
    if (
        values.size > FEW
        and values.dtype.kind in "iuf"
        and flat.tobytes() == flat[:1].tobytes() * flat.size
    ):
        return f"np.full({list(values.shape)}, {_number(flat[0])}, np.{values.dtype})"
    if values.size > LARGEST:
        raise NoScriptError(f"a tensor has {values.size:,} elements")
    shape = "" if values.ndim == 1 else f".reshape({list(values.shape)})"
    if values.dtype == object:
        return f"np.array({[str(value) for value in values.reshape(-1)]!r}, str){shape}"
    kind = "bool_" if values.dtype == bool else str(values.dtype)
    numbers = ", ".join(map(_number, values.reshape(-1)))
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


def _bytes(weights: bytes) -> str:
    if len(weights) > 4096 and any(weights):
        raise NoScriptError(f"its constants have {len(weights):,} bytes")
    if not any(weights):
        return f"bytes({len(weights)})"
    return f'bytes.fromhex("{weights.hex()}")'


def _wrapped(xml: str, width: int) -> str:
    """The model in lines of some width, broken between elements."""
    xml = re.sub(r"<\?xml[^>]*\?>\s*", "", xml).strip()
    lines, line = [], ""
    for part in re.split(r"(?<=>)(?=<)", xml):
        if line and len(line) + len(part) > width:
            lines.append(line)
            line = ""
        line += part.strip()
    return "\n".join([*lines, line])
