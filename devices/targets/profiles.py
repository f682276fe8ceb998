"""Profiles: the device's settings are part of the question.

A profile is a list of names and ``KEY=VALUE``, joined by commas: ``accuracy`` (the default), ``performance``,
``isa=AVX2``, ``opencl=pocl``, ``npu=NPU4000``, ``arm=neoverse-v1``, ``performance,INFERENCE_NUM_THREADS=1``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from devices.process import interpreter, own_build
from devices.targets import arm, npu_compiler, opencl

MODES = {
    "accuracy": {"EXECUTION_MODE_HINT": "ACCURACY"},
    "performance": {"EXECUTION_MODE_HINT": "PERFORMANCE"},
}

# The caps that the CPU plugin and oneDNN both know, and what the name of a capped kernel holds.
ISA_CAPS = {
    "SSE41": "sse4",
    "AVX2": "avx2",
    "AVX512_CORE": "avx512",
    "AVX512_CORE_BF16": "avx512",
    "AVX512_CORE_AMX": "avx512",
}


class ProfileError(ValueError):
    """A profile that is not valid, a cap that has no effect, or what replaces hardware and is not there."""


@dataclass(frozen=True)
class Profile:
    """``settings`` for compiling; what is set before OpenVINO is loaded.

    ``isa`` is a cap on the instruction set, ``opencl`` the stack of OpenCL that is the GPU, ``npu`` the NPU that is
    compiled for where there is none, ``arm`` the processor that is emulated.
    """

    name: str
    settings: dict[str, str]
    isa: str = ""
    opencl: str = ""
    npu: str = ""
    arm: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of the child process. Raises ProfileError where what replaces hardware is not there."""
        variables: dict[str, str] = {}
        if self.isa:
            # Neither cap has an effect unless both have the same value.
            variables |= {"OV_CPU_MAX_ISA": self.isa, "ONEDNN_MAX_CPU_ISA": self.isa}
        if self.opencl:
            try:
                variables |= opencl.environment(opencl.STACKS[self.opencl])
            except opencl.OpenCLError as error:
                raise ProfileError(str(error)) from None
        try:
            if self.npu:
                variables |= npu_compiler.environment()
            if self.arm:
                variables |= arm.environment(self.arm)
        except (npu_compiler.NpuCompilerError, arm.ArmError) as error:
            raise ProfileError(str(error)) from None
        return variables

    def check_device(self, device: str) -> None:
        """Raise ProfileError for a device on which the profile has no meaning, or whose OpenVINO an option replaces."""
        if not device:
            raise ProfileError("--device '': no device has an empty name")
        given = {"--openvino": own_build.OPENVINO, "--python": interpreter.PYTHON}
        replaced = [option for option, name in given.items() if os.environ.get(name)]
        if replaced and (self.arm or self.npu):
            raise ProfileError(
                f"{replaced[0]}: profile {self.name} has an OpenVINO of its own; OPENVINO=RELEASE in front of the "
                "command that makes its folder chooses another one"
            )
        if self.opencl and "GPU" not in device:
            raise ProfileError(
                f"profile {self.name}: opencl is for the GPU plugin, not for {device}"
            )
        if self.npu and device != "NPU":
            raise ProfileError(f"profile {self.name}: npu is for the NPU, not for {device}")
        if self.arm and ("GPU" in device or "NPU" in device):
            raise ProfileError(f"profile {self.name}: arm is for plugins of the CPU, not {device}")

    def is_software(self, device: str) -> bool:
        """Whether the device is nothing but a library in its child process: there is no hardware that may be stuck."""
        return device in ("CPU", "CORE") or bool(self.opencl)

    def why_absent(self) -> str:
        """Why no device opens with this profile, in one line; empty if the profile has nothing to do with it."""
        missing = ""
        if self.npu:
            missing = npu_compiler.what_is_missing()
        elif self.opencl:
            missing = opencl.what_is_missing(self.environment)
        return f"profile {self.name}: {missing}" if missing else ""

    def label(self, device: str, full_name: str) -> str:
        """The name of a device in reports: where hardware is replaced it says by what."""
        if self.arm:
            what = "core" if device == "CORE" else "CPU plugin"
            return f"{what} for Arm, emulated {self.arm} (qemu-user): {full_name}"
        if not self.opencl:
            return full_name
        return f"GPU plugin, generic kernels, on {opencl.STACKS[self.opencl].label}: {full_name}"

    def for_device(self, device: str) -> dict[str, str]:
        """The settings for one device: BATCH waits a second for more requests by default."""
        if device.startswith("BATCH:"):
            return {"AUTO_BATCH_TIMEOUT": "1", **self.settings}
        return self.settings

    def check(self, kernels: dict[str, str]) -> None:
        """Raise ProfileError when the kernels that ran are not those of the cap: an unknown cap is silently ignored."""
        ran = ", ".join(kernels.values())
        if self.isa and ISA_CAPS[self.isa] not in ran:
            raise ProfileError(
                f"profile {self.name}: the cap has no effect here, kernel {ran or 'unknown'} ran"
            )


CAPS_WITH_VNNI = re.compile(r"AVX2_VNNI.*|AVX512_CORE_(?:VNNI|BF16|FP16|AMX.*)|ALL|DEFAULT|")
"""The caps under which oneDNN may use the dot products of 8-bit integers; the empty one is none."""

# What the kernels for Arm choose by, as Linux names it, and its usual name.
_ARM_FEATURES = {"asimd": "neon", "asimdhp": "fp16", "sve": "sve", "bf16": "bf16", "i8mm": "i8mm"}

_VNNI_FLAGS = {"avx512": "avx512_vnni", "avx2": "avx_vnni"}


def instruction_set(
    kernels: dict[str, str], environment: Mapping[str, str] = os.environ, processor: str = ""
) -> str:
    """The instruction set in the names of kernels that ran, ``avx512``, ``avx2`` or ``sse42``; empty if they name none.

    What ran counts, not the profile: a processor without AVX-512 and a cap set from outside show here alike. Names of
    kernels do not tell whether they use dot products of 8-bit integers: ``+vnni`` follows where the processor (its
    text in /proc/cpuinfo) has them and no cap of the environment takes them away. Kernels of the plugin for Arm do not
    name it: there it is what the processor has, such as ``neon+fp16+sve``.
    """
    for name in kernels.values():
        found = re.search(r"avx512|avx2|avx|sse4\d", name)
        if found:
            flag = _VNNI_FLAGS.get(found[0])
            cap = environment.get("ONEDNN_MAX_CPU_ISA", "").upper()
            is_there = flag in (processor or _processor()).split() if flag else False
            has_vnni = is_there and CAPS_WITH_VNNI.fullmatch(cap)
            return f"{found[0]}+vnni" if has_vnni else found[0]
    return _of_arm(processor or _processor())


def _of_arm(processor: str) -> str:
    features = re.search(r"^Features\s*:(.*)$", processor, re.MULTILINE)
    has = features[1].split() if features else []
    return "+".join(name for flag, name in _ARM_FEATURES.items() if flag in has)


def _processor() -> str:
    """The text of /proc/cpuinfo; empty where there is none."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# What stands in a profile with a name of its own, and is no setting of the device.
_NAMED: Mapping[str, Collection[str]] = {
    "isa": ISA_CAPS,
    "opencl": opencl.STACKS,
    "npu": npu_compiler.PLATFORMS,
    "arm": arm.PROCESSORS,
}


def parse(text: str) -> Profile:
    """The profile that a text names. Raises ProfileError."""
    settings: dict[str, str] = dict(MODES["accuracy"])
    named = dict.fromkeys(_NAMED, "")
    seen: set[str] = set()
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        if key in seen:
            raise ProfileError(f"profile {text}: {key} stands there twice")
        seen.add(key)
        if not equals and key in MODES:
            settings |= MODES[key]
        elif equals and key in _NAMED:
            if value not in _NAMED[key]:
                raise ProfileError(f"unknown {key} {value!r}; known: {', '.join(_NAMED[key])}")
            named[key] = value
        elif equals and key and value:
            settings[key] = value
        else:
            known = ", ".join([*MODES, *(f"{name}=NAME" for name in _NAMED), "KEY=VALUE"])
            raise ProfileError(
                f"unknown profile {text!r}; a profile is a comma-joined list of {known}"
            )
    replaced = [name for name in ("npu", "arm", "opencl") if named[name]]
    if len(replaced) > 1 or (named["isa"] and replaced and replaced != ["opencl"]):
        names = [*replaced, *(["isa"] if named["isa"] else [])]
        raise ProfileError(f"profile {text}: {' and '.join(names[:2])} exclude each other")
    if named["npu"] and settings.setdefault("NPU_PLATFORM", named["npu"]) != named["npu"]:
        raise ProfileError(
            f"profile {text}: NPU_PLATFORM={settings['NPU_PLATFORM']} contradicts npu={named['npu']}"
        )
    return Profile(text, settings, **named)
