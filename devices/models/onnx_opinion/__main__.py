"""Evaluates the nodes of an ONNX model: ``python -m devices.models.onnx_opinion REQUEST.json``.

It runs in a process of its own, which may be ended at any time: each line of its output is what it knows of one node,
or of one result. Real numbers are float64 where an operator takes them, so that its own errors are small.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from devices.models.findings import distance
from devices.process.messages import one_line
from reference.accuracy import is_float

# One rounding of the largest value by the type in the model, times some for the steps inside a node.
_ROOM = {"f64": 2.0**-20, "f32": 2.0**-16, "f16": 2.0**-8, "bf16": 2.0**-5}
# Where an operator does not take float64: errors of f32 add up.
_ROOM_IN_F32 = 1e-3
# Operators that mean the same in a later operator set, of which the evaluator knows no earlier one: its own
# BatchNormalization of before 14 trains, DequantizeLinear and QuantizeLinear are not there.
_LATER = {"BatchNormalization": 15, "DequantizeLinear": 19, "QuantizeLinear": 19}
# Integers that rounding at a tie makes another one.
_QUANTIZED = ("u8", "i8", "u4", "i4", "u2", "i2")

Values = dict[str, Any]


def _wide(value: Any) -> Any:
    """Real numbers in float64."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return array.astype(np.float64, copy=False) if is_float(array.dtype) else array
    return value


def _narrow(value: Any) -> Any:
    is_wide = isinstance(value, np.ndarray) and value.dtype == np.float64
    return value.astype(np.float32) if is_wide else value


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, np.floating) else str(value)


def _captured(node: Any) -> set[str]:
    """The names that the bodies of a node read and do not make."""
    found: set[str] = set()
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs):
            own = {each.name for each in (*body.input, *body.initializer)}
            for each in body.node:
                found |= {*each.input, *_captured(each)} - own
                own |= {*each.output}
    return found - {""}


def _is_random(node: Any) -> bool:
    """Whether an operator draws numbers: it has a seed, and is no layer of training."""
    if node.domain or node.op_type == "Dropout":
        return False
    return "seed" in onnx.defs.get_schema(node.op_type).attributes


def _names(node: Any) -> list[str]:
    """What a node reads, each once."""
    return [*dict.fromkeys([*filter(None, node.input), *sorted(_captured(node))])]


class Evaluation:
    """Evaluates one model. ``given`` are the values of tensors by the reference of the layers that were read."""

    def __init__(self, model: Any, given: Values, types: dict[str, str]) -> None:
        self._model, self._given, self._types = model, given, types
        initial = {e.name: _wide(numpy_helper.to_array(e)) for e in model.graph.initializer}
        # On the values of the layers that were read, and on its own values alone.
        self._local: Values = given | initial
        self.whole: Values = dict(initial)
        self._results = {each.name for each in model.graph.output}
        self._readers = Counter(n for each in model.graph.node for n in _names(each))

    def feed(self, feeds: Values) -> None:
        """Give the inputs of the model their values."""
        for values in (self._local, self.whole):
            values.update(feeds)

    def nodes(self) -> Iterator[dict[str, Any]]:
        """What is known of each node, in order."""
        for node in self._model.graph.node:
            yield {"node": node.name or node.output[0], "type": node.op_type} | self._node(node)
            self._readers.subtract(_names(node))
            for name in {*_names(node), *node.output} - self._results:
                if self._readers[name] <= 0:
                    self._local.pop(name, None)
                    self.whole.pop(name, None)

    def _node(self, node: Any) -> dict[str, Any]:
        names = _names(node)
        found: dict[str, Any] = {"inputs": names, "outputs": list(node.output)}
        outputs = [name for name in node.output if name]
        try:
            if _is_random(node):
                raise ValueError("its numbers are random")
            computed, is_narrow = self._run(node, names, self._local)
        except Exception as error:  # whatever the evaluator does not take
            why = one_line(str(error))[:200] or type(error).__name__
            for name in outputs:
                if name in self._given:
                    self.whole[name] = self._given[name]
            return found | {"unevaluated": why}
        own = dict(zip(outputs, computed, strict=False))
        if node.op_type in ("Cast", "CastLike"):
            own = {name: self._defined(names[0], name, value) for name, value in own.items()}
        same = all(self._local[each] is self.whole.get(each) for each in names)
        try:
            alone = computed if same else self._run(node, names, self.whole)[0]
        except Exception:  # of values that are other ones
            alone = [self._given.get(name) for name in outputs]
        self.whole |= {n: v for n, v in zip(outputs, alone, strict=False) if v is not None}
        for name, value in own.items():
            self._local.setdefault(name, value)
        compared = [name for name in own if name in self._given]
        found["compared"] = len(compared)
        for name in compared:
            detail = self._difference(name, own[name], is_narrow)
            if detail:
                return found | detail | {"tensor": name}
        return found

    def _defined(self, fed: str, name: str, value: Any) -> Any:
        """Integers that a Cast makes of real numbers: as they were read where ONNX does not define them."""
        real, read = self._local[fed], self._given.get(name)
        if not is_float(real.dtype) or value.dtype.kind not in "iu" or read is None:
            return value
        ends = np.iinfo(value.dtype)
        is_defined = np.isfinite(real) & (real >= ends.min) & (real <= ends.max)
        return value if value.shape != read.shape else np.where(is_defined, value, read)

    def errors(self, name: str, actual: Values) -> dict[str, float]:
        """How far a result is from its value here: that of the layers that were read, and the device's."""
        own, found = self.whole.get(name), dict[str, float]()
        for key, one in (("read", self._given.get(name)), ("device", actual.get(name))):
            if isinstance(own, np.ndarray) and one is not None:
                error, scale = distance(one, own) if one.shape == own.shape else (np.inf, 1.0)
                found |= {key: error, "scale": scale}
        return found

    def _run(self, node: Any, names: Sequence[str], values: Values) -> tuple[list[Any], bool]:
        """The outputs of a node, and whether it takes no float64."""
        missing = [name for name in names if name not in values]
        if missing:
            raise ValueError(f"its input has no value: {missing[0]}")
        own = {name: values[name] for name in names}
        try:
            return self._outputs(node, own), False
        except Exception:
            narrow = {name: _narrow(value) for name, value in own.items()}
            return self._outputs(node, narrow), True

    def _outputs(self, node: Any, feeds: Values) -> list[Any]:
        inputs = [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            if isinstance(v, np.ndarray)
            else helper.make_empty_tensor_value_info(n)
            for n, v in feeds.items()
        ]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        model = helper.make_model(
            helper.make_graph([node], "node", inputs, outputs),
            opset_imports=self._opsets(node),
            functions=self._model.functions,
            ir_version=self._model.ir_version,
        )
        return [_wide(each) for each in ReferenceEvaluator(model).run(None, feeds)]

    def _opsets(self, node: Any) -> list[Any]:
        """The operator sets that a node is evaluated with: those of the model, or a later one that means the same."""
        later = _LATER.get(node.op_type, 0) if len(node.output) == 1 else 0
        return [
            helper.make_opsetid(each.domain, max(each.version, later if not each.domain else 0))
            for each in self._model.opset_import
        ]

    def _difference(self, name: str, own: Any, is_narrow: bool) -> dict[str, Any]:
        """How far a tensor is from the one that was read; {} where it is the same."""
        read, kind = self._given[name], self._types[name]
        if not isinstance(own, np.ndarray):
            return {}
        if own.shape != read.shape:
            detail = f"shape is {list(read.shape)}, ONNX has {list(own.shape)}"
            return {"detail": detail, "error": np.inf, "scale": 1.0}
        error, scale = distance(read, own)
        room = max(_ROOM.get(kind, 0.0), _ROOM_IN_F32 if is_narrow and kind in _ROOM else 0.0)
        if error <= (1.0 if kind in _QUANTIZED else room * scale):
            return {}
        with np.errstate(all="ignore"):
            apart = np.abs(read.astype(np.float64) - own.astype(np.float64))
            apart = np.where(
                np.isnan(apart), np.where(np.isnan(read) & np.isnan(own), 0, np.inf), apart
            )
        at = np.unravel_index(int(np.argmax(apart)), apart.shape) if apart.size else ()
        place = f"[{','.join(map(str, at))}]"
        return {
            "detail": f"{place} is {_number(read[at])}, ONNX has {_number(own[at])}",
            "error": error,
            "scale": scale,
        }


def _loaded(files: dict[str, str], folder: Path) -> Values:
    return {name: np.load(folder / file) for name, file in files.items()}


def _say(found: dict[str, Any]) -> None:
    print(json.dumps(found, default=float), flush=True)


def main(request: str) -> int:
    """Evaluate one model; return the exit code."""
    warnings.simplefilter("ignore")
    folder = Path(request).parent
    asked = json.loads(Path(request).read_text("utf-8"))
    try:
        model = onnx.load(asked["model"])
    except Exception as error:  # whatever protobuf says of another file
        print(f"onnx does not read it: {one_line(str(error))}", file=sys.stderr)
        return 1
    given = {name: _wide(array) for name, array in _loaded(asked["values"], folder).items()}
    evaluation = Evaluation(model, given, asked["types"])
    evaluation.feed({name: given[name] for name in asked["inputs"]})
    _say({"version": onnx.__version__, "nodes": len(model.graph.node)})
    with np.errstate(all="ignore"):
        for found in evaluation.nodes():
            _say(found)
        actual = _loaded(asked["results"], folder)
        for each in model.graph.output:
            _say({"result": each.name} | evaluation.errors(each.name, actual))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
