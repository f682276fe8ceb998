"""OpenVINO's CPU plugin for Arm on another processor, under qemu-user. Only child processes are emulated.

PROCESSORS                the processors that qemu is asked for, by the name in the profile: arm=neoverse-v1
environment(processor)    the variables of a child process on that processor
ArmError                  the files that it needs are not there
"""

from devices.targets.arm.emulator import PROCESSORS, ArmError, environment

__all__ = ["PROCESSORS", "ArmError", "environment"]
