"""The NPUs that the compiler compiles for."""

from __future__ import annotations

PLATFORMS = {
    "NPU3720": "Meteor Lake, Arrow Lake",
    "NPU4000": "Lunar Lake",
    "NPU5010": "Panther Lake",
}
"""What OpenVINO's setting NPU_PLATFORM takes, and the processors that have it."""
