"""OpenVINO's tensors: inputs in any kind of memory, and copies of outputs."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import openvino as ov

from devices.process.protocol import TensorData
from devices.process.resources import storage

_Coordinate: Any = getattr(ov, "Coordinate", None)
if _Coordinate is None:  # releases before 2024.2
    from openvino.runtime import Coordinate

    _Coordinate = Coordinate

# The element types that NumPy has too.
_NUMPY_TYPES: dict[str, type[np.generic]] = {
    "boolean": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip


class InputTensor:
    """An input tensor, and the memory that must live as long as it does."""

    def __init__(self, given: TensorData, memory: str) -> None:
        kind, shape = given.element_type, ov.Shape(list(given.shape))
        self.held: Any = given.data
        if kind == "string":
            strings = np.array(given.data, dtype=object).reshape(given.shape)
            self.tensor = ov.Tensor(ov.Type.string, shape)
            if strings.size:
                self.tensor.str_data = strings.astype(str)
            return
        if memory and kind in _NUMPY_TYPES and given.data.size:
            self.tensor, self.held = _in_memory(given, memory)
            return
        if kind in _NUMPY_TYPES and given.data.size:
            array = given.data.view(_NUMPY_TYPES[kind]).reshape(given.shape)
            # The tensor does not keep the array alive: self.held does.
            self.tensor = ov.Tensor(array, shared_memory=True)
            return
        self.tensor = ov.Tensor(getattr(ov.Type, kind), shape)
        if given.data.size:
            self.tensor.data.reshape(-1).view(np.uint8)[:] = given.data


def _in_memory(given: TensorData, memory: str) -> tuple[ov.Tensor, Any]:
    """The tensor in unusual memory: not aligned, strided, or mapped from outside the process's heap; and its owner."""
    dtype = np.dtype(_NUMPY_TYPES[given.element_type])
    values = given.data.view(dtype).reshape(given.shape)
    if memory == "offset":
        # One element past an aligned address.
        buffer = np.empty(values.size + 1, dtype)
        array = buffer[1:].reshape(given.shape)
        array[...] = values
        return ov.Tensor(array, shared_memory=True), buffer
    if memory == "foreign":
        mapped = mmap.mmap(-1, max(values.nbytes, 1))
        array = np.frombuffer(mapped, dtype, values.size).reshape(given.shape)
        array[...] = values
        return ov.Tensor(array, shared_memory=True), (array, mapped)
    # A region of a larger tensor: elements outside the region must not be read.
    if not given.shape:
        return ov.Tensor(values.copy(), shared_memory=False), None
    whole = np.full([d + 2 for d in given.shape], values.reshape(-1)[-1], dtype)
    whole[tuple(slice(1, d + 1) for d in given.shape)] = values
    outer = ov.Tensor(whole, shared_memory=True)
    begin = _Coordinate([1] * len(given.shape))
    end = _Coordinate([d + 1 for d in given.shape])
    return ov.Tensor(outer, begin, end), (outer, whole)


def set_inputs(
    request: ov.InferRequest, names: list[str], feed: dict[str, TensorData], memory: str
) -> list[InputTensor]:
    """Give a request its inputs; what must live until the inference has ended."""
    held = [InputTensor(feed[name], memory) for name in names]
    for index, each in enumerate(held):
        request.set_input_tensor(index, each.tensor)
    return held


def empty_output(result: ov.Node) -> ov.Tensor:
    """A tensor for the output of a Result; it has no elements if the shape is not known before inference."""
    port = result.input(0)
    partial = port.get_partial_shape()
    shape = partial.to_shape() if partial.is_static else ov.Shape([0])
    return ov.Tensor(port.get_element_type(), shape)


def copied(tensor: ov.Tensor) -> TensorData:
    """A copy of an output tensor."""
    kind = tensor.element_type.get_type_name()
    shape = tuple(int(d) for d in tensor.shape)
    if kind == "string":
        strings = tensor.str_data.reshape(-1) if 0 not in shape else []
        return TensorData(kind, shape, [str(string) for string in strings])
    if 0 in shape:
        return TensorData(kind, shape, np.empty(0, np.uint8))
    # Raises AttributeError where the Python of this release has no name for the type: its tensors have no data there.
    _ = getattr(ov.Type, kind)
    data = tensor.data.reshape(-1).view(np.uint8)
    copy = storage.zeros(data.shape, data.dtype)
    copy[:] = data
    storage.release()
    return TensorData(kind, shape, copy)
