"""The plain way to run cases, to compare with: one process, each case read, compiled and inferred alone.

``python -m tests.benchmark.plain_loop CASES.pickle``: a list of (xml, weights, arrays in the order of parameters).
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import openvino as ov


def main() -> None:
    """Run every case; a refusal is counted and passed over."""
    core = ov.Core()
    refused = 0
    for xml, weights, arrays in pickle.loads(Path(sys.argv[1]).read_bytes()):
        try:
            model = core.read_model(xml, weights)
            compiled = core.compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"})
            request = compiled.create_infer_request()
            for index, array in enumerate(arrays):
                request.set_input_tensor(index, ov.Tensor(array, shared_memory=True))
            request.infer()
            for index in range(len(compiled.outputs)):
                request.get_output_tensor(index).data.copy()
        except RuntimeError:
            refused += 1
    print(refused)


if __name__ == "__main__":
    main()
