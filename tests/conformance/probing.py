"""Reads facts about devices before a run, each in a child process of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from devices import (
    ChildDiedError,
    ChildHungError,
    NoDeviceError,
    ProfileError,
    open_child,
    parse_profile,
)
from devices.process import interpreter
from devices.targets.arm import PROCESSORS
from devices.targets.npu_compiler import PLATFORMS
from devices.targets.opencl import STACKS
from devices.targets.profiles import ISA_CAPS, MODES
from tests.conformance.selection import SuiteSelection, SuiteTarget, UsageError


def probe(selection: SuiteSelection, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """What each target's device reports about itself, by the target's name; an empty dict for an absent device.

    Calls ``meanwhile`` while the devices open. Raises UsageError for a device or a setting that OpenVINO does not know,
    or with which the child process dies or hangs, and for an absent device without ``--allow-absent``.
    """
    with ThreadPoolExecutor(2) as pool:
        facts = pool.map(lambda t: _probe(t, selection.allow_absent), selection.targets)
        meanwhile()
        return {t.name: f for t, f in zip(selection.targets, facts, strict=True)}


def _probe(target: SuiteTarget, allow_absent: bool) -> dict[str, Any]:
    profile = target.profile
    try:
        profile.check_device(target.device)
        child = open_child(target.device, profile.for_device(target.device), profile.environment)
    except NoDeviceError as error:
        if error.absent and allow_absent:
            return {}
        why = profile.why_absent()
        if why:
            raise UsageError(why) from None
        hint = "; --allow-absent skips its cases" if error.absent else ""
        raise UsageError(f"{error}{hint}") from None
    except ProfileError as error:
        raise UsageError(str(error)) from None
    except (ChildDiedError, ChildHungError, OSError) as error:
        why = interpreter.needed(profile.environment)
        raise UsageError(f"{target.device} does not open: {error}{why}") from None
    facts = {
        **child.facts,
        "full_name": profile.label(target.device, child.facts.get("full_name", "")),
    }
    child.kill()
    try:
        profile.check(facts.get("kernels", {}))
    except ProfileError as error:
        raise UsageError(str(error)) from None
    return facts


def list_devices() -> str:
    """The devices of this machine, one in a line, with their full names."""
    child = open_child("CORE", {}, {})
    names = child.facts["available"]
    version = child.facts["openvino"]
    child.kill()
    lines = [f"OpenVINO {version}"]
    for name in [*names, "CORE"]:
        device = open_child(name, {}, {})
        lines.append(f"{name:10} {device.facts['full_name']}")
        device.kill()
    return "\n".join(lines)


def list_profiles(device: str) -> str:
    """The profiles, one in a line, each with its settings and what this device makes of it."""
    others = [f"isa={cap}" for cap in ISA_CAPS] + [f"arm={name}" for name in PROCESSORS]
    if "GPU" in device:
        others = [f"opencl={stack}" for stack in STACKS]
    elif device == "NPU":
        others = [f"npu={platform}" for platform in PLATFORMS]
    profiles = [parse_profile(name) for name in (*MODES, *others)]
    with ThreadPoolExecutor(2) as pool:
        effects = list(pool.map(lambda profile: _effect(SuiteTarget(device, profile)), profiles))
    lines = [f"profiles on {device}:"]
    lines += [f"{p.name:22} {effect}" for p, effect in zip(profiles, effects, strict=True)]
    lines += [
        f"{'KEY=VALUE':22} any setting that OpenVINO knows, such as INFERENCE_NUM_THREADS=1",
        "Join several by commas: performance,isa=AVX2. The default is accuracy.",
    ]
    return "\n".join(lines)


def _effect(target: SuiteTarget) -> str:
    """Settings and kernels of a profile, or why the device does not run it.

    Raises UsageError for a device that is not on this machine, whatever the profile.
    """
    settings = ", ".join(f"{name}={value}" for name, value in target.profile.settings.items())
    try:
        facts = _probe(target, allow_absent=True)
    except UsageError as error:
        return f"not here: {error}"
    for kind in ("GPU", "NPU"):
        if not facts and kind in target.device:
            return f"not here: no {kind}"
    if not facts:
        raise UsageError(f"{target.device} is not on this machine: see --list-devices")
    if target.profile.opencl or target.profile.npu or target.profile.arm:
        return f"{settings}; {facts['full_name']}"
    isa = facts.get("isa") or "unknown"
    return f"{settings}; instruction set of the kernels: {isa}"
