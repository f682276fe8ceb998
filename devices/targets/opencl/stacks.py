"""The implementations of OpenCL on a processor, and the environment in which the GPU plugin finds one of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from devices.targets.cache import cache_folder
from devices.targets.opencl.layer import compiled_layer
from devices.targets.opencl.problems import OpenCLError

_VENDORS = Path("/etc/OpenCL/vendors")


@dataclass(frozen=True)
class Stack:
    """An implementation of OpenCL: ``icd`` names its driver to the ICD loader.

    ``name`` is that in the profile, ``label`` is what runs, ``variables`` make the driver show its device, ``cache``
    is the variable of the folder in which it keeps compiled kernels. ``links``: it starts a linker for each kernel.
    """

    name: str
    label: str
    icd: str
    cache: str
    variables: Mapping[str, str] = field(default_factory=dict)
    links: bool = False


# With extensions for subgroups the plugin chooses kernels that are made for Intel's, which corrupt PoCL's heap.
_HIDDEN = {"CONFORMANCE_OPENCL_HIDDEN": "subgroup"}

# The plugin puts some hundred inline functions before each kernel. As static functions those that it does not call are
# dropped at once: rusticl is 3 times as fast when it compiles and 5 times when it has compiled before, PoCL 1.5 times.
_STATIC = "-Dinline=static"

_POCL = Stack(
    "pocl",
    "PoCL (CPU)",
    "pocl.icd",
    "POCL_CACHE_DIR",
    # PoCL prints the number of warnings, which then stands for the reason of a crash.
    {**_HIDDEN, "CONFORMANCE_OPENCL_OPTIONS": f"{_STATIC} -w"},
    links=True,
)
_RUSTICL = Stack(
    "rusticl",
    "Mesa rusticl, llvmpipe (CPU)",
    "rusticl.icd",
    "MESA_SHADER_CACHE_DIR",
    {
        **_HIDDEN,
        "RUSTICL_ENABLE": "llvmpipe",
        "RUSTICL_DEVICE_TYPE": "gpu",
        # The plugin's common header declares functions of subgroups, which are optional in OpenCL C 3.0 alone.
        "CONFORMANCE_OPENCL_OPTIONS": f"-cl-std=CL3.0 {_STATIC}",
    },
)


def _with(stack: Stack, variable: str, value: str, name: str, label: str) -> Stack:
    """The stack with a variable of the layer."""
    return replace(
        stack,
        name=name,
        label=f"{stack.label}, {label}",
        variables={**stack.variables, variable: value},
    )


_ORDER, _FLUSH = "CONFORMANCE_OPENCL_ORDER", "CONFORMANCE_OPENCL_FLUSH"

STACKS = {
    stack.name: stack
    for stack in (
        _POCL,
        _RUSTICL,
        # A departure that the first of these does not show and the second one always does is the plugin's, which
        # takes a result without having waited for all kernels that write it. rusticl runs all commands in order.
        _with(_POCL, _ORDER, "in", "pocl-in-order", "queues in order"),
        _with(
            _POCL,
            _ORDER,
            "reversed",
            "pocl-reversed",
            "kernels in reverse order where queues have none",
        ),
        # The plugin writes constants on a queue that it does not flush, and reads them on another one: what rusticl
        # shows and this does not is that.
        _with(_RUSTICL, _FLUSH, "unmap", "rusticl-flushed", "flushed behind each unmap"),
    )
}


def environment(stack: Stack, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a child process whose GPU is this stack. Compiles the layer if it is not there yet.

    ``given`` is the environment that they are added to: folders of compiled kernels that it names are kept. Raises
    OpenCLError where the stack is not installed or the layer cannot be compiled.
    """
    vendors = Path(given.get("OCL_ICD_VENDORS") or _VENDORS)
    icd = vendors / stack.icd if vendors.is_dir() else _VENDORS / stack.icd
    if not icd.is_file():
        raise OpenCLError(stack.name, f"{stack.label} is not installed: there is no {icd}")
    cache = cache_folder(given)
    kernels = given.get(stack.cache) or str(cache / Path(stack.icd).stem)
    try:
        os.makedirs(kernels, exist_ok=True)
    except OSError as error:
        raise OpenCLError(stack.name, f"{kernels}: {error.strerror}", "") from None
    return {
        "OCL_ICD_VENDORS": str(icd),
        "OPENCL_LAYERS": str(compiled_layer(stack.name, cache, given)),
        stack.cache: kernels,
        **stack.variables,
        **(_faster_linker(stack, cache, given) if stack.links else {}),
    }


def _faster_linker(stack: Stack, cache: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The variable by which PoCL's clang takes mold for ``ld``.

    None where mold is not installed, or the variable has a value. A tenth of the time in which kernels are compiled is
    GNU ld's. Raises OpenCLError where the link to mold cannot be made.
    """
    mold = shutil.which("mold", path=given.get("PATH"))
    if mold is None or "COMPILER_PATH" in given:
        return {}
    folder = cache / "linker"
    ld = folder / "ld"
    if not (ld.is_symlink() and os.readlink(ld) == mold):
        try:
            folder.mkdir(exist_ok=True)
            # Several processes may make it at once.
            with tempfile.TemporaryDirectory(dir=folder) as building:
                made = Path(building, "ld")
                made.symlink_to(mold)
                made.replace(ld)
        except OSError as error:
            raise OpenCLError(stack.name, f"{folder}: {error.strerror}", "") from None
    return {"COMPILER_PATH": str(folder)}
