"""The emulated processors, and the folder of files that ``.ci/arm/make-files`` makes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from devices.process.interpreter import PYTHON
from devices.targets.cache import cache_folder

FOLDER = "CONFORMANCE_ARM"
"""The variable of the folder of files."""

PROCESSORS = {
    "cortex-a72": "NEON, no f16",
    "neoverse-v1": "NEON with f16, SVE of 256 bits",
    "max": "all that qemu emulates",
}
"""What qemu takes as -cpu, and what of it the plugin's kernels ask for."""


class ArmError(ValueError):
    """Arm cannot be emulated here. The message is one line."""


def environment(processor: str, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a child process on the processor. Raises ArmError."""
    python = Path(given.get(FOLDER) or cache_folder(given) / "arm") / "python"
    if not os.access(python, os.X_OK):
        raise ArmError(
            f"profile arm={processor}: there is no {python}; .ci/arm/make-files makes its folder, "
            f"which {FOLDER} names (docs/arm.md)"
        )
    return {PYTHON: str(python), "QEMU_CPU": processor}
