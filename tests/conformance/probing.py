"""Reads facts about devices before a run, each in a child process of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from devices import Child, ChildDiedError, ChildHungError, NoDeviceError, ProfileError
from tests.conformance.selection import Selection, Target, UsageError


def probe(selection: Selection, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """What each target's device reports about itself, by the target's name; an empty dict for an absent device.

    Calls ``meanwhile`` while the devices open. Raises UsageError for a device or a setting that OpenVINO does not know,
    or with which the child process dies or hangs.
    """
    with ThreadPoolExecutor(2) as pool:
        facts = pool.map(_probe, selection.targets)
        meanwhile()
        return {t.name: f for t, f in zip(selection.targets, facts, strict=True)}


def _probe(target: Target) -> dict[str, Any]:
    profile = target.profile
    try:
        child = Child(target.device, profile.for_device(target.device), profile.environment)
    except NoDeviceError as error:
        if error.absent:
            return {}
        raise UsageError(str(error)) from None
    except (ChildDiedError, ChildHungError) as error:
        raise UsageError(f"{target.device} does not open: {error}") from None
    facts = child.facts
    child.kill()
    try:
        profile.check(facts.get("kernels", {}))
    except ProfileError as error:
        raise UsageError(str(error)) from None
    return facts


def list_devices() -> str:
    """The devices of this machine, one in a line, with their full names."""
    child = Child("CORE", {}, {})
    names = child.facts["available"]
    version = child.facts["openvino"]
    child.kill()
    lines = [f"OpenVINO {version}"]
    for name in [*names, "CORE"]:
        device = Child(name, {}, {})
        lines.append(f"{name:10} {device.facts['full_name']}")
        device.kill()
    return "\n".join(lines)
