"""Asks OpenVINO devices about cases: devices in child processes, packs of cases, verdicts.

    parse_profile("accuracy")            the device's settings
    Runner(device, profile, options)     judges packs of cases on a device
    Child(device, settings, {})          one child process with its device open

Names are loaded at first use: a child process, which is a part of this package, needs few of them, and every worker
waits for the start of its child.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devices.engine.runner import Options, Runner
    from devices.engine.verdicts.verdict import Evidence, Verdict, error_verdict
    from devices.process.child_handle import Child, ChildDiedError, ChildHungError, NoDeviceError
    from devices.process.opening import NotOpenedError, open_child
    from devices.targets.profiles import Profile, ProfileError
    from devices.targets.profiles import parse as parse_profile

_MODULES = {
    "Child": "process.child_handle",
    "ChildDiedError": "process.child_handle",
    "ChildHungError": "process.child_handle",
    "Evidence": "engine.verdicts.verdict",
    "NoDeviceError": "process.child_handle",
    "NotOpenedError": "process.opening",
    "Options": "engine.runner",
    "Profile": "targets.profiles",
    "ProfileError": "targets.profiles",
    "Runner": "engine.runner",
    "Verdict": "engine.verdicts.verdict",
    "error_verdict": "engine.verdicts.verdict",
    "open_child": "process.opening",
    "parse_profile": "targets.profiles",
}

__all__ = [
    "Child",
    "ChildDiedError",
    "ChildHungError",
    "Evidence",
    "NoDeviceError",
    "NotOpenedError",
    "Options",
    "Profile",
    "ProfileError",
    "Runner",
    "Verdict",
    "error_verdict",
    "open_child",
    "parse_profile",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"devices.{_MODULES[name]}")
    return module.parse if name == "parse_profile" else getattr(module, name)
