"""The NPU's compiler without an NPU: that of OpenVINO for Windows, on Wine. It compiles, and infers nothing.

PLATFORMS                 the NPUs that it compiles for, by the name in the profile: npu=NPU4000
environment()             the variables of a child process that can use it; none where it is not installed
what_is_missing()         why there is none, in one line
NpuCompilerError          it is there and cannot be used
"""

from devices.npu_compiler.installation import NpuCompilerError, environment, what_is_missing
from devices.npu_compiler.platforms import PLATFORMS

__all__ = ["PLATFORMS", "NpuCompilerError", "environment", "what_is_missing"]
