"""Finds out why the GPU plugin found no GPU in the environment of a stack.

``python -m devices.targets.opencl.diagnosis`` does so in its own environment: it loads drivers, which may end the
process.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_LOADER = "libOpenCL.so.1"
_DEVICE_TYPE, _ALL, _GPU = 0x1000, 0xFFFFFFFF, 4
_FOUND = "a GPU is there"
# Seconds.
_LIMIT = 60.0


def what_is_missing(added: Mapping[str, str]) -> str:
    """What is missing in this environment, in one line; empty where OpenCL has a GPU there.

    ``added`` are the variables that ``stacks.environment`` returns.
    """
    root = str(Path(__file__).resolve().parents[3])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "devices.targets.opencl.diagnosis"],
            env={**os.environ, **added},
            cwd=root,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return f"OpenCL does not answer within {_LIMIT:g} s"
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return f"the process that loads OpenCL dies ({done.returncode})"
    return "" if lines[-1] == _FOUND else lines[-1]


def diagnose() -> str:
    """The first thing that is wrong in this process's environment, or that a GPU is there."""
    layer = os.environ.get("OPENCL_LAYERS", "")
    try:
        loader = ctypes.CDLL(_LOADER)
    except OSError as error:
        return f"the OpenCL loader does not load: {error}"
    try:
        is_layer = hasattr(ctypes.CDLL(layer or None), "clInitLayer")
    except OSError as error:
        return f"the OpenCL layer does not load: {error}; remove it, and it is compiled anew"
    if not is_layer:
        return f"{layer} is not an OpenCL layer: remove it, and it is compiled anew"
    icd = os.environ.get("OCL_ICD_VENDORS", "")
    try:
        driver = Path(icd).read_text(encoding="utf-8").strip()
        ctypes.CDLL(driver)
    except (OSError, UnicodeDecodeError) as error:
        return f"the driver of {icd} does not load: {error}"
    types = _device_types(loader)
    if not types:
        return f"{driver} has no device: it needs /sys and /proc"
    if not any(kind & _GPU for kind in types):
        return f"the OpenCL layer {layer} has no effect: remove it, and it is compiled anew"
    return _FOUND


def _device_types(loader: ctypes.CDLL) -> list[int]:
    """The types of all devices of all platforms."""
    count = ctypes.c_uint()
    loader.clGetPlatformIDs(0, None, ctypes.byref(count))
    platforms = (ctypes.c_void_p * count.value)()
    loader.clGetPlatformIDs(count, platforms, None)
    types = []
    for platform in platforms:
        number = ctypes.c_uint()
        every = ctypes.c_ulong(_ALL)
        loader.clGetDeviceIDs(ctypes.c_void_p(platform), every, 0, None, ctypes.byref(number))
        devices = (ctypes.c_void_p * number.value)()
        loader.clGetDeviceIDs(ctypes.c_void_p(platform), every, number, devices, None)
        for device in devices:
            kind = ctypes.c_ulong()
            loader.clGetDeviceInfo(
                ctypes.c_void_p(device),
                _DEVICE_TYPE,
                ctypes.c_size_t(ctypes.sizeof(kind)),
                ctypes.byref(kind),
                None,
            )
            types.append(kind.value)
    return types


if __name__ == "__main__":
    print(diagnose())
