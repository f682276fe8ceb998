"""The NPU's compiler without an NPU: that of OpenVINO for Windows, on Wine. It compiles, and infers nothing.

PLATFORMS                 the NPUs that it compiles for, by the name in the profile: npu=NPU4000
SETTINGS                  the settings of the NPU plugin with which it compiles, and says what fails
environment()             the variables of a child process that can use it; none where it is not installed
what_is_missing()         why there is none, in one line
NpuCompilerError          it is there and cannot be used
"""

from devices.targets.npu_compiler.installation import NpuCompilerError, environment, what_is_missing
from devices.targets.npu_compiler.platforms import PLATFORMS, SETTINGS

__all__ = ["PLATFORMS", "SETTINGS", "NpuCompilerError", "environment", "what_is_missing"]
