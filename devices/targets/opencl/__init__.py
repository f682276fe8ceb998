"""OpenCL on the processor, on which OpenVINO's GPU plugin runs its generic kernels.

STACKS                    the implementations of OpenCL, by the name in the profile: opencl=pocl, opencl=rusticl
environment(stack)        the variables of a child process whose GPU is that implementation
what_is_missing(added)    why a child process with these variables found no GPU
"""

from devices.targets.opencl.diagnosis import what_is_missing
from devices.targets.opencl.problems import OpenCLError
from devices.targets.opencl.stacks import STACKS, Stack, environment

__all__ = ["STACKS", "OpenCLError", "Stack", "environment", "what_is_missing"]
