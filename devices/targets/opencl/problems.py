"""What can be wrong with OpenCL on a machine, in one line each."""

from __future__ import annotations

HINT = (
    "Debian 13, Ubuntu 25.04 and later: apt-get install $(grep -v '#' .ci/software-gpu/packages); "
    "elsewhere: .ci/software-gpu/make-root (docs/software-gpu.md)"
)


class OpenCLError(ValueError):
    """A stack that cannot be used here, and what to do about it. The message is one line."""

    def __init__(self, stack: str, problem: str, hint: str = HINT) -> None:
        super().__init__(f"profile opencl={stack}: {problem}" + (f"; {hint}" if hint else ""))
