"""The NPUs that the compiler compiles for, and how it is chosen."""

from __future__ import annotations

PLATFORMS = {
    "NPU3720": "Meteor Lake, Arrow Lake",
    "NPU4000": "Lunar Lake",
    "NPU5010": "Panther Lake",
}
"""What OpenVINO's setting NPU_PLATFORM takes, and the processors that have it."""

SETTINGS = {"NPU_COMPILER_TYPE": "PLUGIN", "LOG_LEVEL": "LOG_ERROR"}
"""OpenVINO's own compiler, not the driver's; it prints which of its passes fails."""
