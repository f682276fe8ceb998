"""OpenVINO's tensors: inputs in any kind of memory, and copies of outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov

from devices.process.protocol import TensorData
from devices.process.resources import storage
from reports.results.case_folder.openvino_run import placed
from reports.results.case_folder.tensors import NUMPY_TYPES


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
        if kind in NUMPY_TYPES and given.data.size:
            array = given.data.view(NUMPY_TYPES[kind]).reshape(given.shape)
            if memory:
                self.tensor, self.held = placed(ov, array, memory)
                return
            # The tensor does not keep the array alive: self.held does.
            self.tensor = ov.Tensor(array, shared_memory=True)
            return
        self.tensor = ov.Tensor(getattr(ov.Type, kind), shape)
        if given.data.size:
            self.tensor.data.reshape(-1).view(np.uint8)[:] = given.data


def set_inputs(
    request: ov.InferRequest, names: list[str], feed: dict[str, TensorData], memory: str
) -> list[InputTensor]:
    """Give a request its inputs; what must live until the inference has ended."""
    held = [InputTensor(feed[name], memory) for name in names]
    for index, each in enumerate(held):
        request.set_input_tensor(index, each.tensor)
    return held


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
