"""Converts a model of any format that OpenVINO reads to IR: ``python -m devices.runtime.conversion SOURCE TARGET``.

It runs in a process of its own: reading a model may end it. The last line of its output says why it failed. Exit code:
1 where the source cannot be read, 3 where the target cannot be written.
"""

from __future__ import annotations

import sys

from devices.process import own_build
from devices.process.messages import one_line
from devices.process.resources import limits

CANNOT_WRITE = 3


def main(source: str, target: str) -> int:
    """Convert one model; return the exit code."""
    limits.forbid_core_dumps()
    # As in ``devices.process.child``: telemetry forks this process.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    own_build.load()
    import openvino as ov

    try:
        model = ov.Core().read_model(source)
    except Exception as error:  # any exception of OpenVINO is a refusal
        print(one_line(str(error)), file=sys.stderr)
        return 1
    try:
        ov.save_model(model, target, compress_to_fp16=False)
    except Exception as error:
        print(one_line(str(error)), file=sys.stderr)
        return CANNOT_WRITE
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
